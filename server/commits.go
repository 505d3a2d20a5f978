package server

import (
	"context"
	"net/http"

	"daybook/engine"
	"daybook/graph"
)

type logInput struct {
	ScopeKeys
	Limit int `query:"limit" doc:"At most so many commits." minimum:"1" maximum:"10000" default:"50"`
}

type logOutput struct {
	Body struct {
		Commits []graph.LogEntry `json:"commits"`
	}
}

type commitInput struct {
	ScopeKeys
	Ref string `path:"ref" doc:"Id of a commit, the beginning of it, HEAD or HEAD~n." maxLength:"64"`
}

type commitOutput struct{ Body graph.LogEntry }

type diffInput struct {
	ScopeKeys
	From string `query:"from" doc:"A commit, HEAD~n or root." default:"HEAD~1" maxLength:"64"`
	To   string `query:"to" doc:"A commit or HEAD." default:"HEAD" maxLength:"64"`
}

type changesInput struct {
	ScopeKeys
	MinCommit
	Since string `query:"since" required:"true" doc:"A commit, or a time." maxLength:"64" example:"2026-05-01"`
}

type diffOutput struct{ Body graph.Diff }

// RevertRequest is the body of POST /v1/revert.
type RevertRequest struct {
	ScopeKeys
	Commit  string `json:"commit" doc:"Id of the commit, or the beginning of it, HEAD or HEAD~n." minLength:"1" maxLength:"64"`
	Message string `json:"commit_message,omitempty" doc:"Why."`
}

type revertInput struct{ Body RevertRequest }

type statsInput struct{ ScopeKeys }
type statsOutput struct{ Body engine.Stats }

// commits adds the endpoints for the ledger.
func (s *Server) commits() {
	register(s, endpoint{http.MethodGet, "/v1/log", "log", "Commits, newest first", Read, "ledger"}, s.listCommits)
	register(s, endpoint{http.MethodGet, "/v1/commits/{ref}", "commit", "One commit with its operations", Read, "ledger"},
		func(ctx context.Context, in *commitInput) (*commitOutput, error) {
			scope, _, err := s.scope(ctx, in.ScopeKeys)
			if err != nil {
				return nil, err
			}
			entry, err := s.engine.Show(ctx, scope, in.Ref)
			return &commitOutput{entry}, err
		})
	register(s, endpoint{http.MethodGet, "/v1/diff", "diff", "What was believed after one commit and not after another", Read, "ledger"},
		func(ctx context.Context, in *diffInput) (*diffOutput, error) {
			scope, _, err := s.scope(ctx, in.ScopeKeys)
			if err != nil {
				return nil, err
			}
			d, err := s.engine.Diff(ctx, scope, in.From, in.To)
			return &diffOutput{d}, err
		})
	register(s, endpoint{http.MethodGet, "/v1/changes", "changes", "What changed since a commit or a time", Read, "ledger"},
		func(ctx context.Context, in *changesInput) (*diffOutput, error) {
			scope, _, _, err := s.reading(ctx, in.ScopeKeys, Times{}, in.MinCommit)
			if err != nil {
				return nil, err
			}
			d, err := s.engine.Changes(ctx, scope, in.Since)
			return &diffOutput{d}, err
		})
	register(s, endpoint{http.MethodPost, "/v1/revert", "revert", "Undo one commit and only it", Write, "ledger"}, s.revert)
	register(s, endpoint{http.MethodGet, "/v1/stats", "stats", "Count what a scope holds", Read, "ledger"},
		func(ctx context.Context, in *statsInput) (*statsOutput, error) {
			scope, _, err := s.scope(ctx, in.ScopeKeys)
			if err != nil {
				return nil, err
			}
			st, err := s.engine.Stats(ctx, scope)
			st.Bytes = 0 // of the whole store: not this tenant's to know
			return &statsOutput{st}, err
		})
}

func (s *Server) listCommits(ctx context.Context, in *logInput) (*logOutput, error) {
	scope, _, err := s.scope(ctx, in.ScopeKeys)
	if err != nil {
		return nil, err
	}
	entries, err := s.engine.Log(ctx, scope, in.Limit)
	out := &logOutput{}
	out.Body.Commits = append([]graph.LogEntry{}, entries...)
	return out, err
}

func (s *Server) revert(ctx context.Context, in *revertInput) (*receiptOutput, error) {
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	receipt, err := s.engine.Revert(ctx, scope, CallerOf(ctx).By(in.Body.Message), in.Body.Commit)
	return &receiptOutput{Receipt{Receipt: receipt}}, err
}
