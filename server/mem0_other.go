package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
)

// Pong says that a key is good.
type Pong struct {
	Status    string `json:"status"`
	OrgID     string `json:"org_id" doc:"Clients ask for one."`
	ProjectID string `json:"project_id" doc:"The tenant."`
}

// Statuses of an event, in mem0's words.
const (
	statusDone    = "SUCCEEDED"
	statusWaiting = "PENDING"
	statusFailed  = "FAILED"
)

// WriteEvent is what became of a write.
type WriteEvent struct {
	ID        string    `json:"id"`
	EventID   string    `json:"event_id"`
	EventType string    `json:"event_type"`
	Status    string    `json:"status"`
	Error     string    `json:"error,omitempty"`
	Results   []Added   `json:"results"`
	CreatedAt time.Time `json:"created_at"`
}

const eventPrefix = "evt_"

// eventID names a commit among all scopes.
func eventID(scope daybook.Scope, commit daybook.CommitID) string {
	return eventPrefix + scopeTag(scope) + "_" + commit.String()[:24]
}

type mem0ExportInput struct {
	Body struct {
		Selecting
		Schema any `json:"schema,omitempty" doc:"Not applied: the export has the shape of docs/mem0.md."`
	}
}

type mem0ExportGet struct {
	Body struct {
		Selecting
		ID string `json:"memory_export_id,omitempty" maxLength:"20000"`
	}
}

// Export is what is remembered, and what is believed of it.
type Export struct {
	Memories []Memory        `json:"memories"`
	Facts    []daybook.State `json:"facts" doc:"What holds now."`
}

func (s *Server) mem0Other() {
	alias(s, endpoint{method: http.MethodGet, path: "/v1/ping", id: "mem0_ping", summary: "Whether a key is good (mem0)", right: Read}, nil,
		func(ctx context.Context, _ *struct{}) (*struct{ Body Pong }, error) {
			return &struct{ Body Pong }{Pong{Status: "ok", OrgID: "daybook", ProjectID: cmp.Or(CallerOf(ctx).Tenant, "default")}}, nil
		})
	alias(s, endpoint{method: http.MethodGet, path: "/v1/event/{id}", id: "mem0_event", summary: "How far a write is (mem0)", right: Read}, nil, s.event)
	alias(s, endpoint{method: http.MethodGet, path: "/v1/events", id: "mem0_events", summary: "Writes, newest first (mem0)", right: Read}, nil, s.events)
	alias(s, endpoint{method: http.MethodPost, path: "/v1/exports", id: "mem0_create_export", summary: "Prepare an export (mem0)", right: Read}, nil, s.createExport)
	alias(s, endpoint{method: http.MethodPost, path: "/v1/exports/get", id: "mem0_get_export", summary: "What is remembered, and what is believed (mem0)", right: Read}, nil, s.getExport)
	for pattern, instead := range map[string]string{
		"POST /v1/summary":           "POST /v1/ask answers questions, GET /v1/facts lists what holds",
		"POST /v1/feedback":          "POST /v1/retract withdraws what is wrong, PUT /v1/memories/{id} corrects it",
		"POST /configure":            "the server is configured where it is started: 'daybook serve --help'",
		"/v2/profiles/jobs":          "profiles need no jobs: GET /v2/entities/user/{id}/profile is always up to date",
		"/v2/profiles/jobs/{id}":     "profiles need no jobs: GET /v2/entities/user/{id}/profile is always up to date",
		"/v2/profiles/settings":      "profiles have no settings: they are the facts that hold",
		"/api/v1/webhooks/{rest...}": "webhooks are at /v1/webhooks",
		"/api/v1/orgs/{rest...}":     "there are no organizations or projects: a key belongs to a tenant ('daybook key create')",
	} {
		s.notOffered(pattern, instead)
	}
}

func (s *Server) event(ctx context.Context, in *memoryInput) (*struct{ Body WriteEvent }, error) {
	none := daybook.Errorf(daybook.NotFound, "no event %q", in.ID)
	tag, commit, ok := strings.Cut(strings.TrimPrefix(in.ID, eventPrefix), "_")
	if !ok || !strings.HasPrefix(in.ID, eventPrefix) || len(commit) != 24 {
		return nil, none
	}
	scope, ok, err := s.tagged(ctx, tag)
	if err != nil || !ok {
		return nil, cmpErr(err, none)
	}
	e, err := s.eventOf(ctx, scope, commit)
	if kind := daybook.KindOf(err); kind == daybook.NotFound || kind == daybook.Invalid {
		err = none
	}
	return &struct{ Body WriteEvent }{e}, err
}

func (s *Server) eventOf(ctx context.Context, scope daybook.Scope, commit string) (e WriteEvent, err error) {
	entry, err := s.engine.Show(ctx, scope, commit)
	if err != nil {
		return e, err
	}
	job, err := s.engine.Job(ctx, scope, "job_"+entry.ID.String()[:24])
	if err != nil {
		return e, err
	}
	e = WriteEvent{EventType: "ADD", Status: statusDone, Error: job.Error, Results: []Added{}, CreatedAt: entry.RecordedAt}
	e.ID = eventID(scope, entry.ID)
	e.EventID = e.ID
	switch job.State {
	case engine.JobQueued:
		e.Status = statusWaiting
	case engine.JobFailed:
		e.Status = statusFailed
	}
	for _, op := range entry.Ops {
		if op.Observe != nil {
			e.Results = append(e.Results, Added{ID: memoryID(scope, *op.Observe), Memory: op.Observe.Text, Event: "ADD"})
		}
	}
	return e, nil
}

// eventsShown is how many writes are listed.
const eventsShown = 50

func (s *Server) events(ctx context.Context, in *struct{ ScopeKeys }) (*struct {
	Body struct {
		Results []WriteEvent `json:"results"`
	}
}, error) {
	scope, _, err := s.scope(ctx, in.ScopeKeys)
	if err != nil {
		return nil, err
	}
	out := &struct {
		Body struct {
			Results []WriteEvent `json:"results"`
		}
	}{}
	out.Body.Results = []WriteEvent{}
	entries, err := s.engine.Log(ctx, scope, eventsShown)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.Counts["notes"] == 0 {
			continue
		}
		e, err := s.eventOf(ctx, scope, entry.ID.String())
		if err != nil {
			return nil, err
		}
		out.Body.Results = append(out.Body.Results, e)
	}
	return out, nil
}

const exportPrefix = "exp_"

// Prepared is an export that can be fetched.
type Prepared struct {
	ID      string `json:"id"`
	Message string `json:"message"`
}

// createExport makes an id that holds the selection: nothing is kept here, and the export
// is of the moment at which it is fetched.
func (s *Server) createExport(_ context.Context, in *mem0ExportInput) (*struct{ Body Prepared }, error) {
	if _, err := in.Body.filter(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(in.Body.Selecting)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Prepared }{Prepared{ID: exportPrefix + base64.RawURLEncoding.EncodeToString(data), Message: "Memory export is ready. The schema is not applied."}}, nil
}

func (s *Server) getExport(ctx context.Context, in *mem0ExportGet) (*struct{ Body Export }, error) {
	q := in.Body.Selecting
	if in.Body.ID != "" {
		data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(in.Body.ID, exportPrefix))
		if err != nil || json.Unmarshal(data, &q) != nil {
			return nil, daybook.Errorf(daybook.NotFound, "no export %q", in.Body.ID)
		}
	}
	out := &struct{ Body Export }{}
	var err error
	if out.Body.Memories, err = s.selected(ctx, q); err != nil {
		return nil, err
	}
	out.Body.Facts, err = s.factsFor(ctx, q)
	return out, err
}

// factsFor are the facts that hold in the scopes that are selected.
func (s *Server) factsFor(ctx context.Context, q Selecting) ([]daybook.State, error) {
	_, scopes, err := s.meant(ctx, q)
	if err != nil {
		return nil, err
	}
	all := []daybook.State{}
	for _, scope := range scopes {
		states, err := s.engine.Facts(ctx, scope, engine.FactQuery{})
		if err != nil {
			return nil, err
		}
		all = append(all, states...)
	}
	return all, nil
}
