package server

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

// Named is a user or an agent that has memories.
type Named struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	Type          string    `json:"type" enum:"user,agent"`
	TotalMemories int       `json:"total_memories"`
	CreatedAt     time.Time `json:"created_at,omitzero"`
	UpdatedAt     time.Time `json:"updated_at,omitzero"`
}

type entitiesOutput struct {
	Body struct {
		Count    int     `json:"count"`
		Next     *string `json:"next" nullable:"true"`
		Previous *string `json:"previous" nullable:"true"`
		Results  []Named `json:"results"`
	}
}

type entityInput struct {
	Type string `path:"type" doc:"user, agent or run." maxLength:"20"`
	Name string `path:"name" maxLength:"4096"`
}

// Profile is what is known of a user.
type Profile struct {
	Profile         map[string]any `json:"profile" doc:"Values by relation; several where a relation holds many."`
	Status          string         `json:"status" doc:"succeeded, or insufficient_data."`
	EntityType      string         `json:"entity_type"`
	EntityID        string         `json:"entity_id"`
	UpdatedAt       *time.Time     `json:"updated_at" nullable:"true"`
	GenerationCount int            `json:"generation_count" doc:"Facts that it stands on."`
}

func (s *Server) mem0Entities() {
	alias(s, endpoint{method: http.MethodGet, path: "/v1/entities", id: "mem0_entities", summary: "Users and agents that have memories (mem0)", right: Read},
		[]string{"/entities"}, s.entities)
	alias(s, endpoint{method: http.MethodDelete, path: "/v2/entities/{type}/{name}", id: "mem0_delete_entity", summary: "Erase all memories of a user, agent or run (mem0)", right: Write},
		[]string{"/v1/entities/{type}/{name}"}, s.deleteEntity)
	alias(s, endpoint{method: http.MethodGet, path: "/v2/entities/user/{name}/profile", id: "mem0_profile", summary: "What is known of a user (mem0)", right: Read}, nil, s.profile)
	alias(s, endpoint{method: http.MethodPost, path: "/reset", id: "mem0_reset", summary: "Erase every memory of the tenant (mem0, self-hosted)", right: Admin}, nil,
		func(ctx context.Context, _ *struct{}) (*MessageOutput, error) {
			scopes, err := s.visible(ctx, func(daybook.Scope) bool { return true })
			if err != nil {
				return nil, err
			}
			return s.eraseIn(ctx, "All memories reset", scopes, graph.Forget{All: true})
		})
}

func (s *Server) entities(ctx context.Context, _ *struct{}) (*entitiesOutput, error) {
	scopes, err := s.visible(ctx, func(daybook.Scope) bool { return true })
	if err != nil {
		return nil, err
	}
	byName := map[[2]string]*Named{}
	for _, scope := range scopes {
		stats, err := s.engine.Stats(ctx, scope)
		if err != nil {
			return nil, err
		}
		if stats.Notes == 0 {
			continue
		}
		for _, key := range [][2]string{{"user", scope.User}, {"agent", scope.Agent}} {
			if key[1] == "" {
				continue
			}
			n := byName[key]
			if n == nil {
				n = &Named{ID: key[0] + ":" + key[1], Name: key[1], Type: key[0]}
				byName[key] = n
			}
			n.TotalMemories += stats.Notes
			if err := s.span(ctx, scope, n); err != nil {
				return nil, err
			}
		}
	}
	out := &entitiesOutput{}
	out.Body.Results = []Named{}
	for _, n := range byName {
		out.Body.Results = append(out.Body.Results, *n)
	}
	daybook.Sort(out.Body.Results, func(a, b Named) int { return cmp.Or(-cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name)) })
	out.Body.Count = len(out.Body.Results)
	return out, nil
}

// span widens an entity's times to the first and last commit of a scope.
func (s *Server) span(ctx context.Context, scope daybook.Scope, n *Named) error {
	last, err := s.engine.Log(ctx, scope, 1)
	if err != nil || len(last) == 0 {
		return err
	}
	n.UpdatedAt = later(n.UpdatedAt, last[0].RecordedAt)
	if n.CreatedAt.IsZero() {
		first, err := s.engine.Show(ctx, scope, "HEAD~"+itoa(int(last[0].Seq)-1))
		if err != nil {
			return err
		}
		n.CreatedAt = first.RecordedAt
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (s *Server) deleteEntity(ctx context.Context, in *entityInput) (*MessageOutput, error) {
	what := graph.Forget{All: true}
	var of func(daybook.Scope) bool
	switch strings.ToLower(in.Type) {
	case "user":
		of = func(scope daybook.Scope) bool { return scope.User == in.Name }
	case "agent":
		of = func(scope daybook.Scope) bool { return scope.Agent == in.Name }
	case "run":
		of = func(daybook.Scope) bool { return true }
		what = graph.Forget{Session: in.Name}
	default:
		return nil, daybook.Errorf(daybook.Invalid, "entities are of type user, agent or run, not %q", in.Type)
	}
	scopes, err := s.visible(ctx, of)
	if err != nil {
		return nil, err
	}
	out, err := s.eraseIn(ctx, "Entity deleted successfully.", scopes, what)
	if err == nil && len(out.Body.Certificates) == 0 {
		return nil, daybook.Errorf(daybook.NotFound, "no %s %q has memories", strings.ToLower(in.Type), in.Name)
	}
	return out, err
}

func (s *Server) profile(ctx context.Context, in *struct {
	Name string `path:"name" maxLength:"4096"`
}) (*struct{ Body Profile }, error) {
	scopes, err := s.visible(ctx, func(scope daybook.Scope) bool { return scope.User == in.Name })
	if err != nil {
		return nil, err
	}
	if len(scopes) == 0 {
		return nil, daybook.Errorf(daybook.NotFound, "no user %q has memories", in.Name)
	}
	p := Profile{Profile: map[string]any{}, Status: "insufficient_data", EntityType: "user", EntityID: in.Name}
	for _, scope := range scopes {
		states, err := s.engine.Facts(ctx, scope, engine.FactQuery{Subject: in.Name})
		if err != nil {
			return nil, err
		}
		for _, st := range states {
			p.add(st)
		}
	}
	if p.GenerationCount > 0 {
		p.Status = "succeeded"
	}
	return &struct{ Body Profile }{p}, nil
}

// add puts the values of a state that hold into the profile.
func (p *Profile) add(st daybook.State) {
	for _, period := range st.Periods {
		relation := cmp.Or(period.Relation, st.Relation)
		p.GenerationCount++
		if at := period.Facts[0].RecordedAt; p.UpdatedAt == nil || at.After(*p.UpdatedAt) {
			p.UpdatedAt = &at
		}
		switch old := p.Profile[relation].(type) {
		case nil:
			p.Profile[relation] = period.Object
		case string:
			p.Profile[relation] = []string{old, period.Object}
		case []string:
			p.Profile[relation] = append(old, period.Object)
		}
	}
}
