package server

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/recall"
)

// Selecting says which memories are meant.
type Selecting struct {
	ScopeKeys
	AppID       string         `json:"app_id,omitempty" maxLength:"4096"`
	Filters     map[string]any `json:"filters,omitempty" doc:"AND, OR, NOT over fields and metadata; eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, *." nullable:"true"`
	Categories  []string       `json:"categories,omitempty" nullable:"true"`
	StartDate   string         `json:"start_date,omitempty" maxLength:"64"`
	EndDate     string         `json:"end_date,omitempty" maxLength:"64"`
	ShowExpired bool           `json:"show_expired,omitempty"`
	LatestOnly  bool           `json:"latest_only,omitempty" doc:"Leave out what was superseded."`
	Metadata    any            `json:"metadata,omitempty" doc:"Without effect; filters ask for metadata."`
	Page        any            `json:"page,omitempty" doc:"Without effect; a parameter of the address."`
	PageSize    any            `json:"page_size,omitempty" doc:"Without effect; a parameter of the address."`
	WithoutEffect
}

// filter is all that is selected by, in one.
func (q Selecting) filter() (filter, error) {
	m := maps.Clone(q.Filters)
	if m == nil {
		m = map[string]any{}
	}
	var and []any
	add := func(name string, value any) { and = append(and, map[string]any{name: value}) }
	user, err := oneOf("user_id", q.UserID, q.GroupID, q.BankID, q.ContainerTag)
	if err != nil {
		return filter{}, err
	}
	session, err := oneOf("run_id", q.RunID, q.SessionID)
	if err != nil {
		return filter{}, err
	}
	for name, value := range map[string]string{"user_id": user, "agent_id": q.AgentID, "run_id": session, appKey: q.AppID} {
		if value != "" {
			add(name, value)
		}
	}
	if len(q.Categories) > 0 {
		list := make([]any, len(q.Categories))
		for i, c := range q.Categories {
			list[i] = c
		}
		add(categoriesKey, map[string]any{"in": list})
	}
	for op, date := range map[string]string{"gte": q.StartDate, "lte": q.EndDate} {
		if date == "" {
			continue
		}
		if _, _, err := daybook.ParseTime(date); err != nil {
			return filter{}, err
		}
		add("created_at", map[string]any{op: date})
	}
	if len(and) > 0 {
		m = map[string]any{"AND": append(and, any(m))}
	}
	f, err := parseFilter(m)
	if err == nil && !f.scoped() {
		err = daybook.Errorf(daybook.Invalid, "say whose memories: user_id, agent_id, run_id or app_id, in filters")
	}
	return f, err
}

// mostScopes is how many scopes one call looks into.
const mostScopes = 100

// chosen are the scopes that a filter may hold for.
func (s *Server) chosen(ctx context.Context, f filter) ([]daybook.Scope, error) {
	scopes, err := s.visible(ctx, func(scope daybook.Scope) bool { return f.holds(scopeFields(scope)) != no })
	if err == nil && len(scopes) > mostScopes {
		err = daybook.Errorf(daybook.Invalid, "the filters hold for %d users and agents; at most %d are looked into at once: name the user_id", len(scopes), mostScopes)
	}
	return scopes, err
}

// SearchRequest is the body of POST /v3/memories/search.
type SearchRequest struct {
	Selecting
	Query         string  `json:"query" minLength:"1" maxLength:"10000"`
	TopK          int     `json:"top_k,omitempty" minimum:"0" maximum:"1000" doc:"At most so many; 10 if not given."`
	Limit         int     `json:"limit,omitempty" minimum:"0" maximum:"1000" doc:"Another name of top_k."`
	Threshold     float64 `json:"threshold,omitempty" doc:"Least score, between 0 and 1."`
	ReferenceDate When    `json:"reference_date,omitempty" doc:"When it is asked; now if not given."`
}

type searchInput struct{ Body SearchRequest }

// Memories are what was found or listed.
type Memories struct {
	Results []Memory `json:"results"`
}

type memoriesOutput struct{ Body Memories }

type listInput struct {
	Page     int `query:"page" minimum:"0" maximum:"1000000"`
	PageSize int `query:"page_size" minimum:"0" maximum:"1000"`
	Body     Selecting
}

type listQuery struct {
	Page     int `query:"page" minimum:"0" maximum:"1000000"`
	PageSize int `query:"page_size" minimum:"0" maximum:"1000"`
	Limit    int `query:"limit" minimum:"0" maximum:"1000"`
	ScopeKeys
	AppID string `query:"app_id" maxLength:"4096"`
}

// Page is a part of a list.
type Page struct {
	Count    int      `json:"count"`
	Next     *string  `json:"next" nullable:"true"`
	Previous *string  `json:"previous" nullable:"true"`
	Results  []Memory `json:"results"`

	from, to int // which of all it shows
}

func (s *Server) mem0Search() {
	alias(s, endpoint{method: http.MethodPost, path: "/v3/memories/search", id: "mem0_search", summary: "Find memories (mem0)", right: Read},
		[]string{"/v2/memories/search", "/v1/memories/search", "/search"}, s.searchMemories)
	alias(s, endpoint{method: http.MethodPost, path: "/v3/memories", id: "mem0_list", summary: "List memories (mem0)", right: Read},
		[]string{"/v2/memories"}, s.listMemories)
	alias(s, endpoint{method: http.MethodGet, path: "/v1/memories", id: "mem0_get_all", summary: "List memories (mem0)", right: Read},
		[]string{"/memories"}, s.getAll)
}

func (s *Server) searchMemories(ctx context.Context, in *searchInput) (*memoriesOutput, error) {
	q := in.Body
	f, err := q.filter()
	if err != nil {
		return nil, err
	}
	at := daybook.AsOf{}
	if at.ValidAt, err = q.ReferenceDate.parse(); err != nil {
		return nil, err
	}
	scopes, err := s.chosen(ctx, f)
	if err != nil {
		return nil, err
	}
	most := cmp.Or(q.TopK, q.Limit, 10)
	k := most
	if f.narrow() || q.LatestOnly || !q.ShowExpired { // some of what is found may not fit
		k = min(5*most+50, 1000)
	}
	out := &memoriesOutput{Memories{[]Memory{}}}
	for _, scope := range scopes {
		rows, err := s.engine.Recall(ctx, scope, recall.Question{Text: q.Query, K: k}, at)
		if err != nil {
			return nil, err
		}
		for i := range rows.Rows {
			if m, ok := q.fits(f, scope, &rows.Rows[i], s); ok {
				out.Body.Results = append(out.Body.Results, m)
			}
		}
	}
	daybook.Sort(out.Body.Results, func(a, b Memory) int { return cmp.Compare(b.Score, a.Score) })
	out.Body.Results = out.Body.Results[:min(len(out.Body.Results), most)]
	return out, nil
}

// fits shows a row that the request asks for.
func (q *SearchRequest) fits(f filter, scope daybook.Scope, row *recall.Row, s *Server) (m Memory, ok bool) {
	score := likeness(row.Score)
	switch {
	case f.holds(noteFields(scope, row.Note)) != yes, score < q.Threshold, q.LatestOnly && row.Role == daybook.RoleHistorical,
		!q.ShowExpired && expired(row.Note, s.engine.Now()):
		return m, false
	}
	m = memoryOf(scope, row.Note)
	m.Score, m.Role = score, row.Role
	s.metrics.returned(row.Role)
	return m, true
}

func (s *Server) listMemories(ctx context.Context, in *listInput) (*struct{ Body Page }, error) {
	return s.listPage(ctx, in.Body, max(in.Page, 1), cmp.Or(in.PageSize, 100))
}

func (s *Server) getAll(ctx context.Context, in *listQuery) (*struct{ Body Page }, error) {
	return s.listPage(ctx, Selecting{ScopeKeys: in.ScopeKeys, AppID: in.AppID}, max(in.Page, 1), cmp.Or(in.PageSize, in.Limit, 100))
}

// listPage is a page of the memories that are meant, newest first. Where the index tells which
// those are, only the page itself is read.
func (s *Server) listPage(ctx context.Context, q Selecting, n, size int) (*struct{ Body Page }, error) {
	f, scopes, err := s.meant(ctx, q)
	if err != nil {
		return nil, err
	}
	if !f.listable() || q.LatestOnly {
		all, err := s.selectedIn(ctx, q, f, scopes)
		if err != nil {
			return nil, err
		}
		out := pageOf(len(all), n, size)
		out.Results = append(out.Results, all[out.from:out.to]...)
		return &struct{ Body Page }{out}, nil
	}
	all, err := s.listed(ctx, q, f, scopes)
	if err != nil {
		return nil, err
	}
	out := pageOf(len(all), n, size)
	out.Results, err = s.shown(ctx, scopes, all[out.from:out.to])
	return &struct{ Body Page }{out}, err
}

// meant are the filter of a request and the scopes that it may hold for.
func (s *Server) meant(ctx context.Context, q Selecting) (filter, []daybook.Scope, error) {
	f, err := q.filter()
	if err != nil {
		return f, nil, err
	}
	scopes, err := s.chosen(ctx, f)
	return f, scopes, err
}

// entry is a memory that was listed and not read.
type entry struct {
	scope int // number of its scope
	engine.Listed
}

// listed are the memories that are meant, newest first, by a filter that is listable.
func (s *Server) listed(ctx context.Context, q Selecting, f filter, scopes []daybook.Scope) (all []entry, err error) {
	now := s.engine.Now()
	for number, scope := range scopes {
		var dated []engine.Listed
		err := s.engine.List(ctx, scope, func(n engine.Listed) error {
			switch {
			case n.Blank || f.holds(listedFields(scope, n)) != yes:
			case n.Expires && !q.ShowExpired:
				dated = append(dated, n)
			default:
				all = append(all, entry{number, n})
			}
			return ctx.Err()
		})
		if err == nil && len(dated) > 0 {
			err = s.engine.NotesAt(ctx, scope, dated, func(i int, n daybook.Note) {
				if !expired(n, now) {
					all = append(all, entry{number, dated[i]})
				}
			})
		}
		if err != nil {
			return nil, err
		}
	}
	daybook.Sort(all, func(a, b entry) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.scope, b.scope), cmp.Compare(a.At.Seq, b.At.Seq), cmp.Compare(a.At.Pos, b.At.Pos))
	})
	return all, nil
}

// shown reads memories that were listed.
func (s *Server) shown(ctx context.Context, scopes []daybook.Scope, some []entry) ([]Memory, error) {
	out := []Memory{}
	for len(some) > 0 { // those of one scope at a time
		scope, n := scopes[some[0].scope], 1
		for n < len(some) && some[n].scope == some[0].scope {
			n++
		}
		of := make([]engine.Listed, n)
		for i := range of {
			of[i] = some[i].Listed
		}
		err := s.engine.NotesAt(ctx, scope, of, func(_ int, note daybook.Note) { out = append(out, memoryOf(scope, note)) })
		if err != nil {
			return nil, err
		}
		some = some[n:]
	}
	return out, nil
}

// selected are the memories that are meant, newest first.
func (s *Server) selected(ctx context.Context, q Selecting) ([]Memory, error) {
	f, scopes, err := s.meant(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.selectedIn(ctx, q, f, scopes)
}

// selectedIn reads all notes of the scopes. What an agent only sent back is no memory.
func (s *Server) selectedIn(ctx context.Context, q Selecting, f filter, scopes []daybook.Scope) (all []Memory, err error) {
	all = []Memory{}
	now := s.engine.Now()
	for _, scope := range scopes {
		err := s.engine.Notes(ctx, scope, "", daybook.AsOf{}, func(n daybook.Note) error {
			if ctx.Err() != nil {
				return daybook.Errorf(daybook.Unavailable, "list memories: %w", ctx.Err())
			}
			if f.holds(noteFields(scope, n)) != yes || !q.ShowExpired && expired(n, now) || strings.TrimSpace(n.Own().Text) == "" {
				return nil
			}
			all = append(all, memoryOf(scope, n))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if q.LatestOnly {
		if all, err = s.latest(ctx, all); err != nil {
			return nil, err
		}
	}
	daybook.Sort(all, func(a, b Memory) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return all, nil
}

// latest leaves out the memories whose facts were all superseded.
func (s *Server) latest(ctx context.Context, all []Memory) (kept []Memory, err error) {
	kept = []Memory{}
	for _, m := range all {
		changes, err := s.supersessions(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(changes, func(c supersession) bool { return c.older }) {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// pageOf is the n-th page of so many memories, still without them.
func pageOf(count, n, size int) Page {
	p := Page{Count: count, Results: []Memory{}, from: min((n-1)*size, count), to: min(n*size, count)}
	at := func(n int) *string {
		link := "?" + url.Values{"page": {strconv.Itoa(n)}, "page_size": {strconv.Itoa(size)}}.Encode()
		return &link
	}
	if p.to < count {
		p.Next = at(n + 1)
	}
	if n > 1 {
		p.Previous = at(n - 1)
	}
	return p
}
