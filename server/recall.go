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

// MinCommit makes a read wait for a write.
type MinCommit struct {
	MinCommit string `json:"min_commit,omitempty" query:"min_commit" doc:"Wait until this commit, which a receipt names, is learned from and found by meaning." maxLength:"64"`
}

// await waits until what a commit brought can be found.
func (s *Server) await(ctx context.Context, scope daybook.Scope, m MinCommit) error {
	if m.MinCommit == "" {
		return nil
	}
	seq, _, err := s.engine.Commit(ctx, scope, m.MinCommit)
	if err != nil {
		return err
	}
	return s.worker.Wait(ctx, scope, seq)
}

// reading is what nearly every read begins with: the scope, the session and the
// times, once what is to be waited for is there.
func (s *Server) reading(ctx context.Context, k ScopeKeys, t Times, m MinCommit) (scope daybook.Scope, session string, at daybook.AsOf, err error) {
	if scope, session, err = s.scope(ctx, k); err != nil {
		return scope, session, at, err
	}
	if at, err = s.times(t); err != nil {
		return scope, session, at, err
	}
	return scope, session, at, s.await(ctx, scope, m)
}

func (s *Server) times(t Times) (daybook.AsOf, error) {
	return engine.ParseAsOf(t.AsOf, t.KnownAt, s.engine.Now())
}

// RecallRequest is the body of POST /v1/recall.
type RecallRequest struct {
	ScopeKeys
	Times
	MinCommit
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
	scope, _, at, err := s.reading(ctx, q.ScopeKeys, q.Times, q.MinCommit)
	if err != nil {
		return nil, err
	}
	found, err := s.engine.Recall(ctx, scope, recall.Question{Text: q.Query, K: q.K, View: q.View, Budget: q.Budget, WhyNot: q.WhyNot}, at)
	if err != nil {
		return nil, err
	}
	for i := range found.Rows {
		s.metrics.returned(found.Rows[i].Role)
	}
	return &recallOutput{engine.NewRecalled("", found, q.Explain)}, nil
}
