package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"daybook"
	"daybook/engine"

	"github.com/danielgtaylor/huma/v2"
)

// AskRequest is the body of POST /v1/ask.
type AskRequest struct {
	ScopeKeys
	Times
	MinCommit
	Query  string       `json:"query" doc:"What is asked." minLength:"1" maxLength:"10000" example:"Who is Ana's dentist?"`
	View   daybook.View `json:"view,omitempty" doc:"Which state is asked for; by default what the question itself says." enum:"current,historical,change,neutral"`
	Budget int          `json:"budget_tokens,omitempty" doc:"Most tokens of the evidence; 0 means about 2000." minimum:"0" maximum:"1000000"`
	LLM    bool         `json:"llm,omitempty" doc:"Let the language model that the server is set up with write the answer."`
	Stream bool         `json:"stream,omitempty" doc:"Answer with server-sent events, as a request with Accept: text/event-stream does: delta for each piece as it is written, then answer, or error."`
}

type askInput struct {
	Accept string `header:"Accept"`
	Body   AskRequest
}

// asks adds the endpoint that answers. It speaks JSON or server-sent events, so its
// responses are described by hand.
func (s *Server) asks() {
	op := s.operation(endpoint{http.MethodPost, "/v1/ask", "ask", "Answer a question from the memory, with its sources", Read, "memory"})
	answered := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[engine.Answered](), true, "Answered")
	op.Responses = map[string]*huma.Response{"200": {Description: "The answer", Content: map[string]*huma.MediaType{
		"application/json": {Schema: answered}, "text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	handle(s, op, func(ctx context.Context, in *askInput) (*huma.StreamResponse, error) {
		if !in.Body.Stream && !strings.Contains(in.Accept, "text/event-stream") {
			got, err := s.ask(ctx, in.Body, nil)
			if err != nil {
				return nil, err
			}
			return jsonResponse(got), nil
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) { s.askAloud(hc, in.Body) }}, nil
	})
}

func jsonResponse(v any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		enc := json.NewEncoder(hc.BodyWriter())
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v)
	}}
}

// ask answers a question; say is given the pieces of a model's reply as they come.
func (s *Server) ask(ctx context.Context, q AskRequest, say func(string)) (engine.Answered, error) {
	began := time.Now()
	scope, _, at, err := s.reading(ctx, q.ScopeKeys, q.Times, q.MinCommit)
	if err != nil {
		return engine.Answered{}, err
	}
	e := s.engine
	if q.LLM {
		if s.opts.Completer == nil {
			return engine.Answered{}, daybook.Errorf(daybook.Invalid, "llm: this server is set up without a language model")
		}
		e = e.WithCompleter(s.opts.Completer)
	}
	got, err := e.Ask(ctx, scope, engine.Asked{Text: q.Query, View: q.View, At: at, Budget: q.Budget, Say: say})
	if err != nil {
		return engine.Answered{}, err
	}
	for i := range got.Rows {
		s.metrics.returned(got.Rows[i].Role)
	}
	return engine.NewAnswered("", got, time.Since(began)), nil
}

// askAloud answers with server-sent events.
func (s *Server) askAloud(hc huma.Context, q AskRequest) {
	hc.SetHeader("Content-Type", "text/event-stream")
	hc.SetHeader("Cache-Control", "no-store")
	out := hc.BodyWriter()
	send := func(event string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			return
		}
		fmt.Fprintf(out, "event: %s\ndata: %s\n\n", event, data)
		if f, ok := out.(http.Flusher); ok {
			f.Flush()
		}
	}
	got, err := s.ask(hc.Context(), q, func(piece string) { send("delta", map[string]string{"text": piece}) })
	if err != nil {
		send("error", s.problem(hc.Context(), err))
		return
	}
	send("answer", got)
}
