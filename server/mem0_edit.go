package server

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"daybook"
	"daybook/graph"

	"github.com/danielgtaylor/huma/v2"
)

type memoryInput struct {
	ID string `path:"id" maxLength:"4096"`
}

type memoryOutput struct{ Body Memory }

// Clearable is a text that may be left out, given, or cleared with null.
type Clearable struct {
	Given bool
	Text  string
}

// UnmarshalJSON takes a text or null.
func (c *Clearable) UnmarshalJSON(data []byte) error {
	c.Given = true
	if string(data) == "null" {
		return nil
	}
	return json.Unmarshal(data, &c.Text)
}

// Schema describes both.
func (Clearable) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

// UpdateRequest is the body of PUT /v1/memories/{id}.
type UpdateRequest struct {
	Text           string         `json:"text,omitempty" doc:"What it should say."`
	Data           string         `json:"data,omitempty" doc:"Another name of text."`
	Memory         string         `json:"memory,omitempty" doc:"Another name of text."`
	Metadata       map[string]any `json:"metadata,omitempty" doc:"Takes the place of what was there." nullable:"true"`
	Timestamp      When           `json:"timestamp,omitempty"`
	ExpirationDate Clearable      `json:"expiration_date,omitempty"`
	WithoutEffect
}

// text is the new text, by whichever name.
func (u UpdateRequest) text() string { return cmp.Or(u.Text, u.Memory, u.Data) }

type updateInput struct {
	ID   string `path:"id" maxLength:"4096"`
	Body UpdateRequest
}

type deleteInput struct {
	ID           string `path:"id" maxLength:"4096"`
	DeleteLinked string `query:"delete_linked" doc:"true: with all that it superseded." maxLength:"10"`
}

type deleteAllInput struct {
	ScopeKeys
	AppID string `query:"app_id" maxLength:"4096"`
}

// BatchItem is one memory of a batch.
type BatchItem struct {
	MemoryID string `json:"memory_id" maxLength:"4096"`
	UpdateRequest
}

type batchInput struct {
	Body struct {
		Memories []BatchItem `json:"memories" minItems:"1" maxItems:"1000"`
	}
}

func (s *Server) mem0Edit() {
	alias(s, endpoint{method: http.MethodGet, path: "/v1/memories/{id}", id: "mem0_get", summary: "One memory (mem0)", right: Read},
		[]string{"/memories/{id}"}, s.getMemory)
	alias(s, endpoint{method: http.MethodGet, path: "/v1/memories/{id}/history", id: "mem0_history", summary: "How a memory came about, was corrected, and what superseded it (mem0)", right: Read},
		[]string{"/memories/{id}/history"}, s.memoryHistory)
	alias(s, endpoint{method: http.MethodPut, path: "/v1/memories/{id}", id: "mem0_update", summary: "Correct a memory; what it said before stays in its history (mem0)", right: Write},
		[]string{"/memories/{id}"}, s.updateMemory)
	alias(s, endpoint{method: http.MethodDelete, path: "/v1/memories/{id}", id: "mem0_delete", summary: "Erase a memory and all that was learned from it (mem0)", right: Write},
		[]string{"/memories/{id}"}, s.deleteMemory)
	alias(s, endpoint{method: http.MethodDelete, path: "/v1/memories", id: "mem0_delete_all", summary: "Erase the memories of a user, agent or run (mem0)", right: Write},
		[]string{"/memories"}, s.deleteAll)
	alias(s, endpoint{method: http.MethodPut, path: "/v1/batch", id: "mem0_batch_update", summary: "Correct several memories (mem0)", right: Write}, nil, s.batchUpdate)
	alias(s, endpoint{method: http.MethodDelete, path: "/v1/batch", id: "mem0_batch_delete", summary: "Erase several memories (mem0)", right: Write}, nil, s.batchDelete)
}

func (s *Server) getMemory(ctx context.Context, in *memoryInput) (*memoryOutput, error) {
	f, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	m, err := f.memory()
	return &memoryOutput{m}, err
}

func (s *Server) updateMemory(ctx context.Context, in *updateInput) (*memoryOutput, error) {
	f, err := s.update(ctx, in.ID, in.Body)
	if err != nil {
		return nil, err
	}
	m, err := f.memory()
	return &memoryOutput{m}, err
}

// update puts a corrected note in a memory's place: the new one is kept first and the old
// one withdrawn then, so that whatever happens in between, nothing is lost.
func (s *Server) update(ctx context.Context, id string, u UpdateRequest) (found, error) {
	f, err := s.find(ctx, id)
	if err != nil {
		return f, err
	}
	now, ok := f.current()
	if !ok {
		return f, daybook.Errorf(daybook.NotFound, "the memory was withdrawn")
	}
	n, err := u.apply(now.Note)
	if err != nil {
		return f, err
	}
	n.ID, n.Corrects, n.Echoes = "", f.first, nil
	n.SourceID = id + "#" + strconv.Itoa(len(f.versions)+1)
	if _, err := s.add(ctx, f.scope, "", []daybook.Note{n}, AckCommit); err != nil {
		return f, err
	}
	by := CallerOf(ctx).By("")
	if _, err := s.worker.Engine().Retract(context.WithoutCancel(ctx), f.scope, by, string(now.ID), "corrected"); err != nil {
		return f, err
	}
	f.versions, err = s.engine.Versions(ctx, f.scope, f.first)
	return f, err
}

// apply is the note as the request wants it.
func (u UpdateRequest) apply(n daybook.Note) (daybook.Note, error) {
	if u.text() == "" && u.Metadata == nil && u.Timestamp == "" && !u.ExpirationDate.Given {
		return n, daybook.Errorf(daybook.Invalid, "give text, metadata, timestamp or expiration_date")
	}
	n.Text = cmp.Or(u.text(), n.Text)
	if t, err := u.Timestamp.parse(); err != nil {
		return n, err
	} else if !t.IsZero() {
		n.Time = t
	}
	old := n.Metadata
	beside := Beside{Metadata: old}
	if u.Metadata != nil {
		beside.Metadata = u.Metadata
		beside.AppID, _ = old[appKey].(string)
		beside.ExpirationDate, _ = old[expiresKey].(string)
	}
	if u.ExpirationDate.Given {
		beside.ExpirationDate = u.ExpirationDate.Text
	}
	var err error
	if n.Metadata, err = beside.metadata(); err == nil && u.ExpirationDate.Given && u.ExpirationDate.Text == "" {
		delete(n.Metadata, expiresKey)
	}
	return n, err
}

func (s *Server) deleteMemory(ctx context.Context, in *deleteInput) (*MessageOutput, error) {
	f, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	ids := f.ids()
	if strings.EqualFold(in.DeleteLinked, "true") {
		if ids, err = s.linked(ctx, f.scope, ids); err != nil {
			return nil, err
		}
	}
	return s.erase(ctx, "Memory deleted successfully!", f.scope, graph.Forget{IDs: ids})
}

// ids are those of all versions.
func (f found) ids() (ids []string) {
	for _, v := range f.versions {
		ids = append(ids, string(v.ID))
	}
	return ids
}

// erase forgets, and returns the certificate.
func (s *Server) erase(ctx context.Context, message string, scope daybook.Scope, what graph.Forget) (*MessageOutput, error) {
	cert, err := s.engine.Forget(context.WithoutCancel(ctx), scope, CallerOf(ctx).By(""), what)
	if err != nil {
		return nil, err
	}
	out := said(message)
	out.Body.Certificates = []graph.Certificate{cert}
	return out, nil
}

// linked adds the notes that were superseded by given ones, and by those.
func (s *Server) linked(ctx context.Context, scope daybook.Scope, ids []string) ([]string, error) {
	for i := 0; i < len(ids) && len(ids) < 10_000; i++ {
		changes, err := s.supersededBy(ctx, scope, daybook.NoteID(ids[i]))
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if !c.older && !slices.Contains(ids, string(c.other.ID)) {
				ids = append(ids, string(c.other.ID))
			}
		}
	}
	return ids, nil
}

func (s *Server) deleteAll(ctx context.Context, in *deleteAllInput) (*MessageOutput, error) {
	q := Selecting{ScopeKeys: in.ScopeKeys, AppID: in.AppID, ShowExpired: true}
	f, err := q.filter()
	if err != nil {
		return nil, err
	}
	scopes, err := s.visible(ctx, func(scope daybook.Scope) bool { return f.holds(scopeFields(scope)) != no })
	if err != nil {
		return nil, err
	}
	what := graph.Forget{All: true}
	session, _ := oneOf("run_id", in.RunID, in.SessionID)
	switch {
	case in.AppID != "":
		return s.deleteEach(ctx, f, scopes)
	case session != "":
		what = graph.Forget{Session: session}
	}
	return s.eraseIn(ctx, "Memories deleted successfully!", scopes, what)
}

// eraseIn forgets in those of the scopes that have something to forget. Nothing is no
// failure.
func (s *Server) eraseIn(ctx context.Context, message string, scopes []daybook.Scope, what graph.Forget) (*MessageOutput, error) {
	out := said(message)
	var holding []daybook.Scope
	for _, scope := range scopes {
		plan, err := s.engine.PlanForget(ctx, scope, what)
		if daybook.KindOf(err) == daybook.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(plan.Counts) > 0 {
			holding = append(holding, scope)
		}
	}
	if len(holding) == 0 {
		return said("There was nothing to delete."), nil
	}
	certs, err := s.engine.ForgetIn(context.WithoutCancel(ctx), holding, CallerOf(ctx).By(""), what)
	out.Body.Certificates = certs
	return out, err
}

// deleteEach erases the notes that a filter holds for.
func (s *Server) deleteEach(ctx context.Context, f filter, scopes []daybook.Scope) (*MessageOutput, error) {
	out := said("Memories deleted successfully!")
	for _, scope := range scopes {
		var ids []string
		err := s.engine.Notes(ctx, scope, "", daybook.AsOf{}, func(n daybook.Note) error {
			if f.holds(noteFields(scope, n)) == yes {
				ids = append(ids, string(n.ID))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		one, err := s.erase(ctx, "", scope, graph.Forget{IDs: ids})
		if err != nil {
			return nil, err
		}
		out.Body.Certificates = append(out.Body.Certificates, one.Body.Certificates...)
	}
	return out, nil
}

func (s *Server) batchUpdate(ctx context.Context, in *batchInput) (*MessageOutput, error) {
	for _, item := range in.Body.Memories { // all are there, or none is touched
		if _, err := s.find(ctx, item.MemoryID); err != nil {
			return nil, err
		}
	}
	for _, item := range in.Body.Memories {
		if _, err := s.update(ctx, item.MemoryID, item.UpdateRequest); err != nil {
			return nil, err
		}
	}
	return said("Successfully updated " + strconv.Itoa(len(in.Body.Memories)) + " memories"), nil
}

func (s *Server) batchDelete(ctx context.Context, in *batchInput) (*MessageOutput, error) {
	byScope := map[daybook.Scope][]string{}
	for _, item := range in.Body.Memories {
		f, err := s.find(ctx, item.MemoryID)
		if err != nil {
			return nil, err
		}
		byScope[f.scope] = append(byScope[f.scope], f.ids()...)
	}
	out := said("Successfully deleted " + strconv.Itoa(len(in.Body.Memories)) + " memories")
	for scope, ids := range byScope {
		one, err := s.erase(ctx, "", scope, graph.Forget{IDs: ids})
		if err != nil {
			return nil, err
		}
		out.Body.Certificates = append(out.Body.Certificates, one.Body.Certificates...)
	}
	return out, nil
}

// MemoryChange is one entry of a memory's history.
type MemoryChange struct {
	ID           string    `json:"id"`
	MemoryID     string    `json:"memory_id"`
	Input        []Message `json:"input"`
	OldMemory    *string   `json:"old_memory" nullable:"true"`
	NewMemory    *string   `json:"new_memory" nullable:"true"`
	UserID       string    `json:"user_id"`
	Categories   []string  `json:"categories"`
	Event        string    `json:"event" doc:"ADD, UPDATE or DELETE (withdrawn)."`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
	SupersededBy string    `json:"superseded_by,omitempty" doc:"The memory whose statement took the place of this one's."`
	Supersedes   string    `json:"supersedes,omitempty" doc:"The memory whose statement this one took the place of."`
	Relation     string    `json:"relation,omitempty" doc:"What of: the state that changed."`
	OldValue     string    `json:"old_value,omitempty"`
	NewValue     string    `json:"new_value,omitempty"`
	Why          string    `json:"why,omitempty"`
	By           string    `json:"by,omitempty" doc:"Who or what judged, or wrote."`
}

func (s *Server) memoryHistory(ctx context.Context, in *memoryInput) (*struct{ Body []MemoryChange }, error) {
	f, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	all := f.edits(in.ID)
	changes, err := s.supersessions(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	now, _ := f.current()
	for _, c := range changes {
		all = append(all, c.change(f, now.Note, in.ID))
	}
	daybook.Sort(all, func(a, b MemoryChange) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for i := range all {
		all[i].ID = in.ID + "." + strconv.Itoa(i+1)
	}
	return &struct{ Body []MemoryChange }{all}, nil
}

// edits are a memory's versions as changes.
func (f found) edits(id string) (all []MemoryChange) {
	for i, v := range f.versions {
		text := v.Text
		c := MemoryChange{
			MemoryID: id, NewMemory: &text, UserID: f.scope.User, Categories: memoryOf(f.scope, v.Note).Categories, Event: "ADD",
			Input: []Message{{Role: v.Speaker, Content: Content(v.Text)}}, CreatedAt: v.RecordedAt, UpdatedAt: v.RecordedAt, By: v.Author,
		}
		if i > 0 {
			c.Event, c.OldMemory = "UPDATE", &f.versions[i-1].Text
		}
		all = append(all, c)
	}
	if _, ok := f.current(); !ok {
		last := f.versions[len(f.versions)-1]
		all = append(all, MemoryChange{
			MemoryID: id, OldMemory: &last.Text, UserID: f.scope.User, Input: []Message{}, Categories: []string{}, Event: "DELETE",
			CreatedAt: last.RecordedAt, UpdatedAt: last.RecordedAt,
		})
	}
	return all
}

// supersession is a statement of one note that took the place of another's.
type supersession struct {
	older    bool // it is this note's statement that was superseded
	other    daybook.Note
	from, to daybook.Fact
	link     daybook.LinkView
}

func (c supersession) change(f found, own daybook.Note, id string) MemoryChange {
	ch := MemoryChange{
		MemoryID: id, UserID: f.scope.User, Input: []Message{}, Categories: []string{}, Event: "UPDATE", CreatedAt: c.link.RecordedAt, UpdatedAt: c.link.RecordedAt,
		Relation: c.to.Relation, OldValue: c.from.Object, NewValue: c.to.Object, Why: c.link.Why, By: c.link.By,
	}
	mine, theirs := own.Text, c.other.Text
	if c.older {
		ch.OldMemory, ch.NewMemory, ch.SupersededBy = &mine, &theirs, memoryID(f.scope, c.other)
	} else {
		ch.OldMemory, ch.NewMemory, ch.Supersedes = &theirs, &mine, memoryID(f.scope, c.other)
	}
	return ch
}

// supersessions are those of a memory's version in force.
func (s *Server) supersessions(ctx context.Context, id string) ([]supersession, error) {
	f, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	now, ok := f.current()
	if !ok {
		return nil, nil
	}
	return s.supersededBy(ctx, f.scope, now.ID)
}

// supersededBy finds what a note's statements superseded, and what superseded them.
func (s *Server) supersededBy(ctx context.Context, scope daybook.Scope, note daybook.NoteID) (all []supersession, err error) {
	learned, err := s.engine.Learned(ctx, scope, string(note), daybook.AsOf{})
	if daybook.KindOf(err) == daybook.NotFound {
		return nil, nil // withdrawn
	}
	if err != nil {
		return nil, err
	}
	own := map[string]daybook.Fact{}
	for _, f := range learned.Facts {
		own[string(f.ID)] = f.Fact
	}
	for _, l := range learned.Links {
		from, isTo := own[l.To]
		to, isFrom := own[l.From]
		if l.Kind != daybook.Updates || isTo == isFrom {
			continue
		}
		other, err := s.engine.Get(ctx, scope, map[bool]string{true: l.From, false: l.To}[isTo])
		if err != nil {
			return nil, err
		}
		if other.Fact == nil || len(other.Fact.Sources) == 0 {
			continue
		}
		c := supersession{older: isTo, from: from, to: to, link: l}
		if isTo {
			c.to = *other.Fact
		} else {
			c.from = *other.Fact
		}
		if c.other, err = s.engine.Note(ctx, scope, string(other.Fact.Sources[0])); err != nil {
			if daybook.KindOf(err) == daybook.NotFound {
				continue
			}
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
