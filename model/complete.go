package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"daybook"
)

// Role says who speaks a Message.
type Role string

// The three roles every chat server knows.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Request is one question to a Completer. The zero value of every field but
// Messages is a sensible default.
type Request struct {
	Purpose     string    // what the call is for, such as "extract"; for the accounts only, never sent
	Messages    []Message // oldest first, at least one
	Schema      *Schema   // what the reply must look like; nil asks for free text
	MaxTokens   int       // most tokens to write; 0 leaves it to the server
	Temperature float64   // 0 asks for the likeliest reply
	Seed        int64     // for servers that can repeat themselves; 0 sends none
}

// Check returns an Invalid error when no server could take the request.
func (r Request) Check() error {
	if len(r.Messages) == 0 {
		return daybook.Errorf(daybook.Invalid, "complete %s: no messages", r.label())
	}
	for i, m := range r.Messages {
		if m.Role != System && m.Role != User && m.Role != Assistant {
			return daybook.Errorf(daybook.Invalid, "complete %s: message %d has role %q", r.label(), i, m.Role)
		}
	}
	if r.MaxTokens < 0 {
		return daybook.Errorf(daybook.Invalid, "complete %s: max tokens is %d", r.label(), r.MaxTokens)
	}
	if !(r.Temperature >= 0 && r.Temperature <= 2) { // also refuses NaN, which JSON cannot carry
		return daybook.Errorf(daybook.Invalid, "complete %s: temperature is %v, want 0 to 2", r.label(), r.Temperature)
	}
	return nil
}

// label names the request in errors and accounts.
func (r Request) label() string {
	if r.Purpose == "" {
		return "unnamed"
	}
	return r.Purpose
}

// Reply is what a Completer said.
type Reply struct {
	Text   string `json:"text"`
	Model  string `json:"model"` // as the server names it
	Usage  Usage  `json:"usage"`
	Stop   Stop   `json:"stop,omitempty"`
	Cached bool   `json:"-"` // no model was called: the reply comes from a recording
}

// Usage counts the tokens of one or more calls. Its zero value means that the
// server did not say.
type Usage struct {
	In       int `json:"in,omitempty"`        // tokens read
	CachedIn int `json:"cached_in,omitempty"` // of In, those the server had cached and bills for less
	Out      int `json:"out,omitempty"`       // tokens written, those of thinking included
}

func (u Usage) plus(v Usage) Usage {
	return Usage{In: u.In + v.In, CachedIn: u.CachedIn + v.CachedIn, Out: u.Out + v.Out}
}

// Stop says why the model stopped writing.
type Stop string

// The ways to stop. A server that gives no reason is taken to have finished.
const (
	Finished Stop = ""
	CutShort Stop = "length"  // MaxTokens or the context was reached
	Withheld Stop = "refused" // the model or a filter declined to answer
)

// Streamer is the talent of a Completer that can give a reply piece by piece.
//
// Stream yields chunks of text as they come. After the last one it yields a
// chunk whose Reply is set, with the whole text and the usage. An error ends the
// sequence and has the kinds of Complete; what was yielded before it stays
// good as a beginning. Breaking off the loop ends the call.
type Streamer interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Chunk is a piece of a streamed reply.
type Chunk struct {
	Text  string
	Reply *Reply // set on the last chunk, which has no text
}

// Stream asks c for a reply piece by piece when it can, and for the whole reply
// as one piece when it cannot. It promises what Streamer does.
func Stream(ctx context.Context, c Completer, req Request) iter.Seq2[Chunk, error] {
	if s, ok := c.(Streamer); ok {
		return s.Stream(ctx, req)
	}
	return func(yield func(Chunk, error) bool) {
		reply, err := c.Complete(ctx, req)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		yieldReply(yield, reply)
	}
}

// yieldReply yields a reply that came in one piece.
func yieldReply(yield func(Chunk, error) bool, reply Reply) {
	if reply.Text != "" && !yield(Chunk{Text: reply.Text}, nil) {
		return
	}
	yield(Chunk{Reply: &reply}, nil)
}

// NonsenseError says that a model answered, and kept answering, with something
// that cannot be used. It comes with kind Unavailable: the caller goes on
// without the model.
type NonsenseError struct {
	Purpose  string
	Attempts int
	Problem  string // what was wrong with the last reply
	Refused  bool   // the model declined to answer
	Text     string // the last reply; user data, so not part of Error
}

func (e *NonsenseError) Error() string {
	return fmt.Sprintf("model gave no usable reply for %s in %d attempts: %s", e.Purpose, e.Attempts, e.Problem)
}

// maxShownBack bounds how many bytes of a bad reply the model gets to see again.
const maxShownBack = 4096

// defaultAttempts is enough for a model that slips, and few enough for one that
// cannot.
const defaultAttempts = 3

// CompleteJSON asks for a reply that fits req.Schema and decodes it into a T.
//
// A reply with fences, chatter around it, trailing commas or missing closing
// brackets is repaired. One that still does not fit is shown back to the model
// with what is wrong, up to attempts calls in all (0 means 3). Then the error is
// a *NonsenseError of kind Unavailable. Errors of c are returned as they come.
// The Reply is the last one, with the usage of all attempts.
func CompleteJSON[T any](ctx context.Context, c Completer, req Request, attempts int) (T, Reply, error) {
	var value T
	if req.Schema == nil {
		return value, Reply{}, daybook.Errorf(daybook.Invalid, "complete %s: no schema to fit", req.label())
	}
	if attempts <= 0 {
		attempts = defaultAttempts
	}
	var spent Usage
	var reply Reply
	var problem error
	for attempt := range attempts {
		var err error
		if reply, err = c.Complete(ctx, req); err != nil {
			return value, Reply{Usage: spent}, err
		}
		spent = spent.plus(reply.Usage)
		reply.Usage = spent
		if reply.Stop == Withheld {
			return value, reply, nonsense(req, attempt+1, reply, errors.New("the model declined to answer"))
		}
		if value, problem = decodeReply[T](req.Schema, reply); problem == nil {
			return value, reply, nil
		}
		req.Messages = complain(req.Messages, reply.Text, problem)
	}
	var zero T
	return zero, reply, nonsense(req, attempts, reply, problem)
}

func nonsense(req Request, attempts int, reply Reply, problem error) error {
	return daybook.Errorf(daybook.Unavailable, "%w", &NonsenseError{
		Purpose:  req.label(),
		Attempts: attempts,
		Problem:  problem.Error(),
		Refused:  reply.Stop == Withheld,
		Text:     reply.Text,
	})
}

// decodeReply finds the first value in the reply that fits the schema. Its
// error says, to the model, what is wrong with the likeliest candidate.
func decodeReply[T any](schema *Schema, reply Reply) (T, error) {
	var problem error
	for candidate := range jsonIn(reply.Text, reply.Stop != CutShort) {
		err := schema.Validate(candidate)
		if err == nil {
			var value T
			if err = json.Unmarshal(candidate, &value); err == nil {
				return value, nil
			}
		}
		if problem == nil {
			problem = err
		}
	}
	var zero T
	switch {
	case reply.Stop == CutShort:
		problem = errors.New("the reply was cut off before its end; say less")
	case problem == nil && reply.Text == "":
		problem = errors.New("the reply was empty")
	case problem == nil:
		problem = errors.New("the reply holds no complete JSON value")
	}
	return zero, problem
}

// complain returns the conversation with the bad reply and what was wrong with
// it added. The caller's messages are left alone.
func complain(messages []Message, text string, problem error) []Message {
	next := append([]Message(nil), messages...)
	if text != "" { // some servers refuse an empty turn
		next = append(next, Message{Assistant, cutText(text, maxShownBack)})
	}
	return append(next, Message{User, fmt.Sprintf(
		"That reply cannot be used: %v. Reply again with one JSON value that fits the schema, and nothing else.", problem)})
}

// cutText returns at most n bytes of s, not splitting a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
