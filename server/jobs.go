package server

import (
	"context"
	"net/http"
	"slices"

	"daybook"
	"daybook/engine"
)

type jobsInput struct {
	ScopeKeys
	State    engine.JobState `query:"state" doc:"Only jobs in this state; failed ones are the dead letters." enum:"queued,failed"`
	Everyone bool            `query:"everyone" doc:"Of all scopes that the key is for, and not of one."`
}

// ScopedJob is a job and whose it is.
type ScopedJob struct {
	engine.Job
	UserID  string `json:"user_id,omitempty"`
	AgentID string `json:"agent_id,omitempty"`
}

type jobsOutput struct {
	Body struct {
		Jobs    []ScopedJob `json:"jobs"`
		Waiting int         `json:"waiting" doc:"Notes of these jobs that wait to be learned from."`
	}
}

type jobInput struct {
	ScopeKeys
	ID string `path:"id" maxLength:"100"`
}

type retryInput struct {
	ID   string `path:"id" maxLength:"100"`
	Body struct{ ScopeKeys }
}

type jobOutput struct{ Body ScopedJob }

// jobs adds the endpoints for what is done after a write is acknowledged.
func (s *Server) jobs() {
	register(s, endpoint{http.MethodGet, "/v1/jobs", "jobs", "What is left to be learned, oldest first", Read, "jobs"}, s.listJobs)
	register(s, endpoint{http.MethodGet, "/v1/jobs/{id}", "job", "How far a job is", Read, "jobs"},
		func(ctx context.Context, in *jobInput) (*jobOutput, error) {
			scope, _, err := s.scope(ctx, in.ScopeKeys)
			if err != nil {
				return nil, err
			}
			j, err := s.engine.Job(ctx, scope, in.ID)
			return &jobOutput{ScopedJob{j, scope.User, scope.Agent}}, err
		})
	register(s, endpoint{http.MethodPost, "/v1/jobs/{id}/retry", "retry_job", "Let a failed job be tried again", Write, "jobs"},
		func(ctx context.Context, in *retryInput) (*jobOutput, error) {
			scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
			if err != nil {
				return nil, err
			}
			j, err := s.worker.Retry(ctx, scope, in.ID)
			return &jobOutput{ScopedJob{j, scope.User, scope.Agent}}, err
		})
}

func (s *Server) listJobs(ctx context.Context, in *jobsInput) (*jobsOutput, error) {
	scopes, err := s.scopesFor(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &jobsOutput{}
	out.Body.Jobs = []ScopedJob{}
	for _, sc := range scopes {
		jobs, err := s.engine.Jobs(ctx, sc)
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			if in.State == "" || j.State == in.State {
				out.Body.Jobs = append(out.Body.Jobs, ScopedJob{j, sc.User, sc.Agent})
				out.Body.Waiting += j.Notes
			}
		}
	}
	return out, nil
}

// scopesFor are the scopes whose jobs are listed.
func (s *Server) scopesFor(ctx context.Context, in *jobsInput) ([]daybook.Scope, error) {
	if !in.Everyone {
		scope, _, err := s.scope(ctx, in.ScopeKeys)
		return []daybook.Scope{scope}, err
	}
	all, err := s.engine.Scopes(ctx)
	caller := CallerOf(ctx)
	return slices.DeleteFunc(all, func(sc daybook.Scope) bool { return !caller.Sees(sc) }), err
}
