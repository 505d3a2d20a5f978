package server

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"daybook"

	"github.com/danielgtaylor/huma/v2"
)

// Message is one message of a conversation.
type Message struct {
	_         struct{} `json:"-" additionalProperties:"true"`
	Role      string   `json:"role,omitempty" doc:"Who speaks, as chat models have it." example:"user"`
	Name      string   `json:"name,omitempty" doc:"The speaker's name, where there is one."`
	Content   Content  `json:"content" doc:"What was said."`
	ID        string   `json:"id,omitempty" doc:"Your own id of the message. Adding it again changes nothing."`
	Timestamp When     `json:"timestamp,omitempty" doc:"When it was said; now if not given."`
}

// Messages are a conversation, or one message as a plain string.
type Messages []Message

// UnmarshalJSON takes a string as one message.
func (m *Messages) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*m = Messages{{Content: Content(text)}}
		return nil
	}
	return json.Unmarshal(data, (*[]Message)(m))
}

// Schema describes both forms.
func (Messages) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, Description: "One message."},
		{Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[Message](), true, "Message"), Description: "Messages in the form of OpenAI's chat."},
	}}
}

// AddRequest is the body of POST /v1/memories.
type AddRequest struct {
	ScopeKeys
	Beside
	Messages  Messages `json:"messages" doc:"What was said."`
	Timestamp When     `json:"timestamp,omitempty" doc:"When it was said, for messages that do not say; now if not given."`
	Message   string   `json:"commit_message,omitempty" doc:"Why it is written, for the log."`
	Ack       Ack      `json:"ack,omitempty" doc:"What to wait for: commit, and it is durable; or indexed, and it is learned from and found by meaning, too." enum:"commit,indexed" default:"commit"`
}

// Ack says what a writer waits for.
type Ack string

// Acks. The zero value is AckCommit.
const (
	AckCommit  Ack = "commit"
	AckIndexed Ack = "indexed"
)

// Receipt is what a writer gets.
type Receipt struct {
	daybook.Receipt
	Job     string  `json:"job,omitempty" doc:"What is still to be done: GET /v1/jobs/{id} tells how far it is."`
	Results []Added `json:"results,omitempty" doc:"What was added, as mem0's clients expect it."`
}

type addInput struct{ Body AddRequest }
type receiptOutput struct{ Body Receipt }

// memories adds the endpoints that keep notes.
func (s *Server) memories() {
	register(s, endpoint{http.MethodPost, "/v1/memories", "add", "Keep messages, and learn from them", Write, "memory"}, s.addMessages)
}

func (s *Server) addMessages(ctx context.Context, in *addInput) (*receiptOutput, error) {
	in.Body.fromFilters(in.Body.Filters)
	if in.Body.AsyncMode != nil && !*in.Body.AsyncMode {
		in.Body.Ack = AckIndexed
	}
	scope, session, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	notes, err := in.Body.notes(scope, session)
	if err != nil {
		return nil, err
	}
	var receipt Receipt
	if in.Body.Infer != nil && !*in.Body.Infer {
		receipt, err = s.unlearned(ctx, scope, in.Body.Message, notes)
	} else {
		receipt, err = s.add(ctx, scope, in.Body.Message, notes, in.Body.Ack)
	}
	receipt.Results = added(scope, receipt.Receipt, notes)
	return &receiptOutput{receipt}, err
}

// add keeps notes, durably. Every endpoint that does so comes through here.
func (s *Server) add(ctx context.Context, scope daybook.Scope, message string, notes []daybook.Note, ack Ack) (Receipt, error) {
	r, job, err := s.worker.Add(ctx, scope, CallerOf(ctx).By(message), notes)
	if err != nil || ack != AckIndexed {
		return Receipt{Receipt: r, Job: job}, err
	}
	return Receipt{Receipt: r, Job: job}, s.worker.Wait(ctx, scope, r.Seq)
}

// notes are the messages as notes.
func (r *AddRequest) notes(scope daybook.Scope, session string) (notes []daybook.Note, err error) {
	beside, err := r.metadata()
	if err != nil {
		return nil, err
	}
	for i, m := range r.Messages {
		n := daybook.Note{SourceID: m.ID, Session: session, Speaker: scope.Speaker(m.Role, m.Name), Text: string(m.Content), Metadata: beside}
		if n.SourceID == "" {
			n.SourceID = numbered(r.CustomID, i, len(r.Messages))
		}
		when := m.Timestamp
		if when == "" {
			when = r.Timestamp
		}
		if n.Time, err = when.parse(); err != nil {
			return nil, daybook.Errorf(daybook.Invalid, "message %d: %w", i+1, err)
		}
		if m.Timestamp == "" && when != "" {
			n.Time = n.Time.Add(time.Duration(i) * time.Microsecond) // in the order given
		}
		notes = append(notes, n)
	}
	if len(notes) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "messages is empty")
	}
	return notes, nil
}
