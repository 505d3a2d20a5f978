package server

import (
	"context"
	"net/http"

	"daybook"
	"daybook/engine"
	"daybook/recall"
)

// Times fix the two clocks of a read.
type Times struct {
	AsOf    string `json:"as_of,omitempty" query:"as_of" doc:"What held in the world at this time." example:"2026-05-01"`
	KnownAt string `json:"known_at,omitempty" query:"known_at" doc:"As the ledger knew it at this time."`
}

func (s *Server) times(t Times) (daybook.AsOf, error) {
	return engine.ParseAsOf(t.AsOf, t.KnownAt, s.engine.Now())
}

// RecallRequest is the body of POST /v1/recall.
type RecallRequest struct {
	ScopeKeys
	Times
	Query   string       `json:"query" doc:"What is asked." minLength:"1" maxLength:"10000" example:"Where does Alice live?"`
	K       int          `json:"k,omitempty" doc:"At most so many rows." minimum:"1" maximum:"1000" default:"10"`
	View    daybook.View `json:"view,omitempty" doc:"Which state is asked for; by default what the question itself says." enum:"current,historical,change,neutral"`
	Budget  int          `json:"budget_tokens,omitempty" doc:"Most tokens of all rows together; 0 means no limit." minimum:"0"`
	Explain bool         `json:"explain,omitempty" doc:"Say for each row which legs found it and what adds to its score."`
	WhyNot  string       `json:"why_not,omitempty" doc:"A note, to say what became of it."`
}

type recallInput struct{ Body RecallRequest }
type recallOutput struct{ Body *engine.Recalled }

// recalls adds the endpoints that find notes.
func (s *Server) recalls() {
	register(s, endpoint{http.MethodPost, "/v1/recall", "recall", "Find the messages that a question needs, best first", Read, "memory"}, s.recall)
}

func (s *Server) recall(ctx context.Context, in *recallInput) (*recallOutput, error) {
	q := in.Body
	scope, _, err := s.scope(ctx, q.ScopeKeys)
	if err != nil {
		return nil, err
	}
	at, err := s.times(q.Times)
	if err != nil {
		return nil, err
	}
	found, err := s.engine.Recall(ctx, scope, recall.Question{Text: q.Query, K: q.K, View: q.View, Budget: q.Budget, WhyNot: q.WhyNot}, at)
	if err != nil {
		return nil, err
	}
	return &recallOutput{engine.NewRecalled("", found, q.Explain)}, nil
}
