package server

import (
	"context"
	"net/http"

	"daybook"
	"daybook/graph"
)

// ForgetRequest is the body of POST /v1/forget. Exactly one of its selections is
// given.
type ForgetRequest struct {
	ScopeKeys
	IDs        []string `json:"ids,omitempty" doc:"Ids of notes (ours or yours), facts, events or links." maxItems:"10000"`
	Entity     string   `json:"entity,omitempty" doc:"A person, place or thing, and everything that names it."`
	Tree       string   `json:"tree,omitempty" doc:"A tree, with all its versions."`
	Session    string   `json:"session,omitempty" doc:"One conversation."`
	Everything bool     `json:"everything,omitempty" doc:"All that the scope holds."`
	User       bool     `json:"user,omitempty" doc:"All that is kept of the user, with every agent, or with agent_id alone."`
	DryRun     bool     `json:"dry_run,omitempty" doc:"Only say what would be erased."`
}

type forgetInput struct{ Body ForgetRequest }
type forgetOutput struct {
	Body struct {
		Counts       map[string]int      `json:"counts" doc:"What was erased, or would be, by kind."`
		Certificates []graph.Certificate `json:"certificates" doc:"One for each scope; POST /v1/forget/verify checks them."`
	}
}

type verifyInput struct {
	Body struct {
		Certificate graph.Certificate `json:"certificate"`
	}
}

// erasures adds the endpoints that erase.
func (s *Server) erasures() {
	register(s, endpoint{http.MethodPost, "/v1/forget", "forget", "Erase content and all that was made from it, for good", Write, "erasure"}, s.forget)
	register(s, endpoint{http.MethodPost, "/v1/forget/verify", "verify_certificate", "Check that an erasure is recorded and complete", Read, "erasure"}, s.verify)
}

// selection is what a request asks to forget, and in which scopes.
func (s *Server) selection(ctx context.Context, r ForgetRequest) (what graph.Forget, scopes []daybook.Scope, err error) {
	scope, _, err := s.scope(ctx, r.ScopeKeys)
	if err != nil {
		return what, nil, err
	}
	what = graph.Forget{IDs: r.IDs, Entity: r.Entity, Tree: r.Tree, Session: r.Session, All: r.Everything || r.User}
	given := 0
	for _, is := range []bool{len(r.IDs) > 0, r.Entity != "", r.Tree != "", r.Session != "", r.Everything, r.User} {
		if is {
			given++
		}
	}
	if given != 1 {
		return what, nil, daybook.Errorf(daybook.Invalid, "forget: give one of ids, entity, tree, session, everything and user")
	}
	if !r.User {
		return what, []daybook.Scope{scope}, nil
	}
	scopes, err = s.engine.ScopesOf(ctx, scope)
	return what, scopes, err
}

func (s *Server) forget(ctx context.Context, in *forgetInput) (*forgetOutput, error) {
	what, scopes, err := s.selection(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	out := &forgetOutput{}
	out.Body.Certificates = []graph.Certificate{}
	var holding []daybook.Scope
	if out.Body.Counts, holding, err = s.engine.PlanForgetIn(ctx, scopes, what); err != nil {
		return nil, err
	}
	if len(holding) == 0 {
		return nil, daybook.Errorf(daybook.NotFound, "forget: there is nothing to erase")
	}
	if in.Body.DryRun {
		return out, nil
	}
	// Once begun it is finished, whether or not the caller still listens.
	certs, err := s.engine.ForgetIn(context.WithoutCancel(ctx), holding, CallerOf(ctx).By(""), what)
	out.Body.Certificates = append(out.Body.Certificates, certs...)
	for _, sc := range holding {
		s.worker.Touch(sc)
	}
	return out, err
}

func (s *Server) verify(ctx context.Context, in *verifyInput) (*statusOutput, error) {
	c := in.Body.Certificate
	if !CallerOf(ctx).Sees(c.Scope) {
		return nil, daybook.Errorf(daybook.NotFound, "that erasure is not one of this tenant")
	}
	return status("verified"), s.engine.VerifyCertificate(ctx, c)
}
