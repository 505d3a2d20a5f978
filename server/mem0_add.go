package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"daybook"

	"github.com/danielgtaylor/huma/v2"
)

// When is a time as text, or in seconds since 1970, as mem0's clients send it.
type When string

// UnmarshalJSON takes both forms.
func (w *When) UnmarshalJSON(data []byte) error {
	var seconds float64
	if json.Unmarshal(data, &seconds) == nil {
		if seconds < -1e11 || seconds > 1e11 {
			return daybook.Errorf(daybook.Invalid, "time %s is not in seconds since 1970", data)
		}
		*w = When(time.UnixMicro(int64(seconds * 1e6)).UTC().Format(time.RFC3339Nano))
		return nil
	}
	return json.Unmarshal(data, (*string)(w))
}

// Schema describes both forms.
func (When) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}}, Description: "A time, as text or in seconds since 1970."}
}

// parse reads the time; none is the zero time.
func (w When) parse() (t time.Time, err error) {
	if w == "" {
		return t, nil
	}
	t, _, err = daybook.ParseTime(string(w))
	return t, err
}

// Content is what a message says: a text, or parts of which the texts are kept.
type Content string

// UnmarshalJSON takes both forms.
func (c *Content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(c)) == nil {
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if len(data) > 0 && data[0] == '{' {
		data = append(append([]byte{'['}, data...), ']')
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	*c = Content(strings.Join(texts, "\n"))
	return nil
}

// Schema describes both forms.
func (Content) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString}, {Type: huma.TypeObject, AdditionalProperties: true}, {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
	}, Description: "What was said, as text, or as parts of which the texts are kept."}
}

// Beside is what mem0's clients give beside the messages.
type Beside struct {
	AppID          string         `json:"app_id,omitempty" doc:"Kept in the metadata." maxLength:"4096"`
	Metadata       map[string]any `json:"metadata,omitempty" doc:"Kept beside each message; filters can ask for it." nullable:"true"`
	ExpirationDate string         `json:"expiration_date,omitempty" doc:"From then on it is not listed or searched, unless show_expired is given." maxLength:"64"`
	Infer          *bool          `json:"infer,omitempty" doc:"false: keep the messages and learn nothing from them."`
	CustomID       string         `json:"custom_id,omitempty" doc:"Your own id of what is added. Adding it again changes nothing." maxLength:"4096"`
	Filters        map[string]any `json:"filters,omitempty" doc:"Scope keys, where they are not given themselves." nullable:"true"`
	AsyncMode      *bool          `json:"async_mode,omitempty" doc:"false is ack=indexed."`
	WithoutEffect
}

// WithoutEffect are the fields that mem0 documents and that change nothing here. All other
// fields that an endpoint does not know are refused: one that names the user by a wrong name
// must not be taken for one that names no user.
type WithoutEffect struct {
	OrgID              any `json:"org_id,omitempty"`
	OrgName            any `json:"org_name,omitempty"`
	ProjectID          any `json:"project_id,omitempty"`
	ProjectName        any `json:"project_name,omitempty"`
	Version            any `json:"version,omitempty"`
	APIVersion         any `json:"api_version,omitempty"`
	OutputFormat       any `json:"output_format,omitempty"`
	Source             any `json:"source,omitempty"`
	Fields             any `json:"fields,omitempty"`
	EnableGraph        any `json:"enable_graph,omitempty"`
	CustomCategories   any `json:"custom_categories,omitempty"`
	CustomInstructions any `json:"custom_instructions,omitempty"`
	AgentInstructions  any `json:"agent_custom_instructions,omitempty"`
	StructuredSchema   any `json:"structured_data_schema,omitempty"`
	Includes           any `json:"includes,omitempty"`
	Excludes           any `json:"excludes,omitempty"`
	Immutable          any `json:"immutable,omitempty"`
	MemoryType         any `json:"memory_type,omitempty"`
	Prompt             any `json:"prompt,omitempty"`
	Rerank             any `json:"rerank,omitempty"`
	KeywordSearch      any `json:"keyword_search,omitempty"`
	FilterMemories     any `json:"filter_memories,omitempty"`
	OnlyMetadata       any `json:"only_metadata_based_search,omitempty"`
	Criteria           any `json:"criteria,omitempty"`
	ExportInstructions any `json:"export_instructions,omitempty"`
}

// metadata is what a note keeps of it.
func (b Beside) metadata() (map[string]any, error) {
	all := map[string]any{}
	for k, v := range b.Metadata {
		all[k] = v
	}
	if b.AppID != "" {
		all[appKey] = b.AppID
	}
	if b.ExpirationDate != "" {
		if _, err := daybook.ParseAsOf(b.ExpirationDate); err != nil {
			return nil, daybook.Errorf(daybook.Invalid, "expiration_date: %w", err)
		}
		all[expiresKey] = b.ExpirationDate
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, daybook.CheckMetadata(all)
}

// fromFilters takes the scope keys that a filter fixes.
func (k *ScopeKeys) fromFilters(filters map[string]any) {
	for name, at := range map[string]*string{"user_id": &k.UserID, "agent_id": &k.AgentID, "run_id": &k.RunID} {
		if v, ok := filters[name].(string); ok && *at == "" && v != anything {
			*at = v
		}
	}
}

// Added is a memory that was added.
type Added struct {
	ID     string `json:"id"`
	Memory string `json:"memory"`
	Event  string `json:"event,omitempty" doc:"ADD, or NOOP where it was there already."`
}

// added lists what a receipt is for.
func added(scope daybook.Scope, r daybook.Receipt, notes []daybook.Note) []Added {
	all := []Added{}
	for i, id := range r.IDs {
		a := Added{ID: memoryID(scope, daybook.Note{ID: daybook.NoteID(id)})}
		if i < len(notes) {
			a.Memory = notes[i].Text
		}
		switch {
		case r.Known == 0:
			a.Event = "ADD"
		case r.Added == 0:
			a.Event = "NOOP"
		}
		all = append(all, a)
	}
	return all
}

// V3Receipt is the answer to POST /v3/memories/add.
type V3Receipt struct {
	Message string  `json:"message"`
	Status  string  `json:"status" doc:"PENDING until it is learned from, then SUCCEEDED."`
	EventID string  `json:"event_id" doc:"GET /v1/event/{id} tells how far it is."`
	Results []Added `json:"results"`
	Commit  string  `json:"commit"`
}

func (s *Server) mem0Add() {
	alias(s, endpoint{method: http.MethodPost, path: "/v3/memories/add", id: "mem0_add", summary: "Keep messages (mem0)", right: Write},
		nil, s.v3Add)
	alias(s, endpoint{method: http.MethodPost, path: "/memories", id: "mem0_add_unversioned", summary: "Keep messages (mem0, self-hosted)", right: Write}, nil, s.addMessages)
}

func (s *Server) v3Add(ctx context.Context, in *addInput) (*struct{ Body V3Receipt }, error) {
	got, err := s.addMessages(ctx, in)
	if err != nil {
		return nil, err
	}
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	out := &struct{ Body V3Receipt }{V3Receipt{
		Message: "kept, and learned from", Status: statusDone, EventID: eventID(scope, got.Body.Commit), Results: got.Body.Results, Commit: got.Body.Commit.String(),
	}}
	if got.Body.Job != "" && in.Body.Ack != AckIndexed {
		out.Body.Message, out.Body.Status = "kept; it will be learned from in the background", statusWaiting
	}
	return out, nil
}

// unlearned keeps notes and learns nothing from them.
func (s *Server) unlearned(ctx context.Context, scope daybook.Scope, message string, notes []daybook.Note) (Receipt, error) {
	r, _, err := s.worker.Engine().WithLearner(nil).AddLater(ctx, scope, CallerOf(ctx).By(message), notes)
	return Receipt{Receipt: r}, err
}

// numbered makes one id of the caller's into one for each of several notes.
func numbered(id string, i, of int) string {
	if id == "" || of == 1 {
		return id
	}
	return id + "#" + strconv.Itoa(i+1)
}
