package server

import (
	"context"
	"net/http"

	"daybook"
	"daybook/engine"
)

type factsInput struct {
	ScopeKeys
	Times
	MinCommit
	Subject  string `query:"subject" doc:"Only facts about this subject."`
	Relation string `query:"relation" doc:"Only facts of this relation."`
	All      bool   `query:"all" doc:"Also what no longer holds or is only planned."`
	Limit    int    `query:"limit" doc:"At most so many states." minimum:"1" maximum:"10000" default:"1000"`
}

type factsOutput struct {
	Body struct {
		Facts []daybook.State `json:"facts"`
		Left  int             `json:"left_out,omitempty" doc:"States that the limit left out."`
	}
}

// FactRequest is the body of POST /v1/facts.
type FactRequest struct {
	ScopeKeys
	Subject    string              `json:"subject" doc:"Of whom or what, by name." minLength:"1" example:"Maya"`
	Relation   string              `json:"relation" minLength:"1" example:"lives_in"`
	Object     string              `json:"object" minLength:"1" example:"London"`
	ValidFrom  string              `json:"valid_from,omitempty" doc:"Since when it holds." example:"2024-03-05"`
	ValidUntil string              `json:"valid_until,omitempty" doc:"Until when it holds."`
	Holds      daybook.Cardinality `json:"holds,omitempty" doc:"Whether the relation holds one value at a time, or many." enum:"one,many"`
	Modality   daybook.Modality    `json:"modality,omitempty" doc:"In what way it is meant; an assertion if not given." enum:"planned,wished,hypothetical,reported,negated,one-off"`
	Why        string              `json:"why,omitempty"`
	Confidence float64             `json:"confidence,omitempty" minimum:"0" maximum:"1"`
	Sources    []string            `json:"sources,omitempty" doc:"Ids of the notes that it stands on." maxItems:"1000"`
	Supersedes []string            `json:"supersedes,omitempty" doc:"Ids of facts of the same subject, of whatever relation, that it takes the place of; or of notes that state such facts." maxItems:"1000"`
	Message    string              `json:"commit_message,omitempty" doc:"Why it is written, for the log."`
}

type factInput struct{ Body FactRequest }

type historyInput struct {
	ScopeKeys
	Times
	MinCommit
	Subject  string `query:"subject" required:"true" doc:"Of whom or what."`
	Relation string `query:"relation" doc:"Only this relation."`
}

type historyOutput struct {
	Body struct {
		History []engine.History `json:"history"`
	}
}

// RetractRequest is the body of POST /v1/retract.
type RetractRequest struct {
	ScopeKeys
	ID  string `json:"id" doc:"Id of a note, fact, event or link." minLength:"1"`
	Why string `json:"why,omitempty"`
}

type retractInput struct{ Body RetractRequest }

// facts adds the endpoints for what holds and held.
func (s *Server) facts() {
	register(s, endpoint{http.MethodGet, "/v1/facts", "facts", "What holds: now, at a past time, or as it was known at a past time", Read, "facts"}, s.listFacts)
	register(s, endpoint{http.MethodPost, "/v1/facts", "add_fact", "State a fact; it closes what it supersedes", Write, "facts"}, s.addFact)
	register(s, endpoint{http.MethodGet, "/v1/history", "history", "Every value that a subject had, and how it changed", Read, "facts"}, s.history)
	register(s, endpoint{http.MethodPost, "/v1/retract", "retract", "Withdraw a note, fact, event or link; it stays in the ledger", Write, "facts"}, s.retract)
}

func (s *Server) listFacts(ctx context.Context, in *factsInput) (*factsOutput, error) {
	scope, session, at, err := s.reading(ctx, in.ScopeKeys, in.Times, in.MinCommit)
	if err != nil {
		return nil, err
	}
	states, err := s.engine.Facts(ctx, scope, engine.FactQuery{Subject: in.Subject, Relation: in.Relation, Session: session, At: at, All: in.All})
	out := &factsOutput{}
	out.Body.Facts = append([]daybook.State{}, states[:min(len(states), in.Limit)]...)
	out.Body.Left = len(states) - len(out.Body.Facts)
	return out, err
}

func (s *Server) addFact(ctx context.Context, in *factInput) (*receiptOutput, error) {
	scope, session, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	f := in.Body
	valid, err := daybook.ParseSpan(f.ValidFrom, f.ValidUntil)
	if err != nil {
		return nil, err
	}
	receipt, err := s.engine.AddFact(ctx, scope, CallerOf(ctx).By(f.Message), engine.NewFact{
		Subject: f.Subject, Relation: f.Relation, Object: f.Object, Valid: valid, Holds: f.Holds, Modality: f.Modality,
		Context: daybook.Context{Why: f.Why}, Confidence: f.Confidence, Sources: f.Sources, Session: session, Supersedes: f.Supersedes,
	})
	return &receiptOutput{Receipt{Receipt: receipt}}, err
}

func (s *Server) history(ctx context.Context, in *historyInput) (*historyOutput, error) {
	scope, session, at, err := s.reading(ctx, in.ScopeKeys, in.Times, in.MinCommit)
	if err != nil {
		return nil, err
	}
	out := &historyOutput{}
	out.Body.History, err = s.engine.History(ctx, scope, engine.FactQuery{Subject: in.Subject, Relation: in.Relation, Session: session, At: at})
	return out, err
}

func (s *Server) retract(ctx context.Context, in *retractInput) (*receiptOutput, error) {
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	receipt, err := s.engine.Retract(ctx, scope, CallerOf(ctx).By(in.Body.Why), in.Body.ID, in.Body.Why)
	return &receiptOutput{Receipt{Receipt: receipt}}, err
}
