package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"strings"
	"time"

	"daybook"
	"daybook/graph"
)

// The endpoints in the files mem0*.go speak mem0's REST API, so that its published
// clients work unchanged. A memory there is a note here: what was said, word by word, with
// what was learned from it. docs/mem0.md tells what each call does and which are not offered.

// Memory is a note as mem0's clients expect it, with its role.
type Memory struct {
	ID             string         `json:"id"`
	Memory         string         `json:"memory" doc:"What was said."`
	UserID         string         `json:"user_id,omitempty"`
	AgentID        string         `json:"agent_id,omitempty"`
	AppID          string         `json:"app_id,omitempty"`
	RunID          string         `json:"run_id,omitempty"`
	Speaker        string         `json:"speaker,omitempty" doc:"Who said it."`
	Hash           string         `json:"hash,omitempty"`
	Metadata       map[string]any `json:"metadata" doc:"What you gave beside it." nullable:"true"`
	Categories     []string       `json:"categories"`
	CreatedAt      time.Time      `json:"created_at"`
	UpdatedAt      time.Time      `json:"updated_at"`
	ExpirationDate string         `json:"expiration_date,omitempty"`
	Score          float64        `json:"score,omitempty"`
	Role           daybook.Role   `json:"role,omitempty" doc:"Whether it holds: current, historical, transition, contested, planned, aside."`
}

// Keys of a note's metadata that mem0 has fields for.
const (
	appKey        = "app_id"
	categoriesKey = "categories"
	expiresKey    = daybook.ExpiresKey
)

// memoryOf shows a note of a scope.
func memoryOf(scope daybook.Scope, n daybook.Note) Memory {
	m := Memory{
		ID: memoryID(scope, n), Memory: n.Text, UserID: scope.User, AgentID: scope.Agent, RunID: n.Session, Speaker: n.Speaker,
		Categories: []string{}, CreatedAt: n.Time, UpdatedAt: n.Time,
	}
	sum := sha256.Sum256([]byte(n.Text))
	m.Hash = hex.EncodeToString(sum[:16])
	for k, v := range n.Metadata {
		text, _ := v.(string)
		switch list, isList := v.([]any); {
		case k == appKey && text != "":
			m.AppID = text
		case k == expiresKey && text != "":
			m.ExpirationDate = text
		case k == categoriesKey && isList:
			for _, c := range list {
				if s, ok := c.(string); ok {
					m.Categories = append(m.Categories, s)
				}
			}
		default:
			if m.Metadata == nil {
				m.Metadata = map[string]any{}
			}
			m.Metadata[k] = v
		}
	}
	return m
}

// expired reports whether a note's expiration date has passed.
func expired(n daybook.Note, now time.Time) bool {
	date, _ := n.Metadata[expiresKey].(string)
	if date == "" {
		return false
	}
	end, err := daybook.ParseAsOf(date)
	return err == nil && end.Before(now)
}

const memoryPrefix = "mem_"

// memoryID names a note among all scopes: its calls do not say whose it is. A note that was
// put in another's place keeps that one's id.
func memoryID(scope daybook.Scope, n daybook.Note) string {
	return memoryPrefix + scopeTag(scope) + "_" + strings.TrimPrefix(string(cmp.Or(n.Corrects, n.ID)), daybook.NotePrefix)
}

// scopeTag stands for a scope in an id. It is no secret, and opens nothing: who may not see
// the scope is not served.
func scopeTag(scope daybook.Scope) string {
	h := sha256.New()
	for _, key := range []string{scope.Tenant, scope.User, scope.Agent} {
		sum := sha256.Sum256([]byte(key))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// found is the note that a memory's id stands for, with all its versions.
type found struct {
	scope    daybook.Scope
	first    daybook.NoteID
	versions []graph.NoteVersion
}

// current is the version in force.
func (f found) current() (graph.NoteVersion, bool) {
	for i := len(f.versions) - 1; i >= 0; i-- {
		if f.versions[i].InForce {
			return f.versions[i], true
		}
	}
	return graph.NoteVersion{}, false
}

// memory shows the version in force with the times of all.
func (f found) memory() (Memory, error) {
	now, ok := f.current()
	if !ok {
		return Memory{}, daybook.Errorf(daybook.NotFound, "the memory was withdrawn; its history is still there")
	}
	m := memoryOf(f.scope, now.Note)
	m.CreatedAt, m.UpdatedAt = f.versions[0].Time, now.RecordedAt
	return m, nil
}

// find looks a memory up by its id, in the scopes that the caller may see.
func (s *Server) find(ctx context.Context, id string) (f found, err error) {
	none := daybook.Errorf(daybook.NotFound, "no memory %q", id)
	tag, note, ok := strings.Cut(strings.TrimPrefix(id, memoryPrefix), "_")
	if !ok || !strings.HasPrefix(id, memoryPrefix) {
		return f, none
	}
	if f.scope, ok, err = s.tagged(ctx, tag); err != nil || !ok {
		return f, cmpErr(err, none)
	}
	f.first = daybook.NoteID(daybook.NotePrefix + note)
	f.versions, err = s.engine.Versions(ctx, f.scope, f.first)
	if daybook.KindOf(err) == daybook.NotFound {
		err = none
	}
	return f, err
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// tagged finds the scope that a tag stands for, of those that the caller may see.
func (s *Server) tagged(ctx context.Context, tag string) (daybook.Scope, bool, error) {
	caller := CallerOf(ctx)
	if known, ok := s.tags.Load(tag); ok {
		scope := known.(daybook.Scope)
		return scope, caller.Sees(scope), nil
	}
	scopes, err := s.engine.Scopes(ctx)
	if err != nil {
		return daybook.Scope{}, false, err
	}
	for _, scope := range scopes {
		s.tags.Store(scopeTag(scope), scope)
	}
	known, ok := s.tags.Load(tag)
	if !ok {
		return daybook.Scope{}, false, nil
	}
	scope := known.(daybook.Scope)
	return scope, caller.Sees(scope), nil
}

// visible are the scopes that the caller may see and a filter may hold for.
func (s *Server) visible(ctx context.Context, may func(daybook.Scope) bool) (all []daybook.Scope, err error) {
	scopes, err := s.engine.Scopes(ctx)
	caller := CallerOf(ctx)
	for _, scope := range scopes {
		if caller.Sees(scope) && may(scope) {
			all = append(all, scope)
		}
	}
	return all, err
}

// likeness brings a score of recall into the range that mem0's thresholds are for.
func likeness(score float64) float64 { return 1 / (1 + math.Exp(-score)) }

// mem0 adds the endpoints.
func (s *Server) mem0() {
	s.mem0Add()
	s.mem0Search()
	s.mem0Edit()
	s.mem0Entities()
	s.mem0Other()
}

// alias registers an endpoint under several paths; the first gives it its id.
func alias[I, O any](s *Server, ep endpoint, more []string, do func(context.Context, *I) (*O, error)) {
	for _, ep := range ep.under(more) {
		register(s, ep, do)
	}
}

// mem0Tag is the group of the endpoints that mem0's clients call.
const mem0Tag = "mem0"

// under returns a mem0 endpoint and what it is under other paths.
func (ep endpoint) under(more []string) []endpoint {
	ep.tag = mem0Tag
	all := []endpoint{ep}
	id := ep.id
	for _, path := range more {
		ep.path, ep.id = path, id+"_"+strings.Trim(strings.NewReplacer("/", "_", "{", "", "}", "").Replace(path), "_")
		all = append(all, ep)
	}
	return all
}

// MessageOutput says that something was done.
type MessageOutput struct {
	Body struct {
		Message      string              `json:"message"`
		Certificates []graph.Certificate `json:"certificates,omitempty" doc:"Of what was erased; POST /v1/forget/verify checks them."`
	}
}

func said(message string) *MessageOutput {
	out := &MessageOutput{}
	out.Body.Message = message
	return out
}

// notOffered answers calls of mem0's platform that have no counterpart here.
func (s *Server) notOffered(pattern, instead string) {
	s.Mount(pattern, Read, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, &refusal{status: http.StatusNotImplemented, detail: "this call of mem0's platform is not offered; " + instead})
	}))
}
