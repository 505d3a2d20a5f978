package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"daybook"
)

// HTTP is a server as a system under test. It speaks the memory API that most
// servers understand: memories are added as messages under a user, searched, and
// deleted at the end. Each conversation is a user of its own, and each note is
// added by itself, in order, with its time and its id as metadata.
//
// What the server returns is taken for a note by the source_id in its metadata,
// else by its text: the same as a note's, or part of one, or around one. What is
// like no note keeps its place in the ranking and counts as a miss.
type HTTP struct {
	base   string
	auth   string
	client *http.Client
	wait   func(context.Context, time.Duration) error
}

// Time for a request. A server may ask a language model for each note.
const (
	httpTimeout  = 2 * time.Minute
	httpAttempts = 4
	httpMaxBody  = 16 << 20
)

// NewHTTP returns the system at a base address, such as http://localhost:8000.
// The value of the Authorization header is sent when it is not empty. The error
// is Invalid.
func NewHTTP(base, authorization string) (*HTTP, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, daybook.Errorf(daybook.Invalid, "%q is no address of a server such as http://localhost:8000", base)
	}
	return &HTTP{base: strings.TrimRight(base, "/"), auth: authorization, client: &http.Client{Timeout: httpTimeout}, wait: sleep}, nil
}

// Name implements System.
func (h *HTTP) Name() string {
	_, host, _ := strings.Cut(h.base, "://")
	return "http:" + host
}

// Version implements Versioned: the whole address. What the server does is not in
// it; one that has changed is measured without what was kept.
func (h *HTTP) Version() string { return h.base }

// Build implements System.
func (h *HTTP) Build(ctx context.Context, c Conversation) (Memory, error) {
	m := &httpMemory{server: h, user: "daybook-bench-" + strings.Map(fileRune, c.ID), lines: newNoteFinder(c)}
	if err := m.find(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name(), err)
	}
	for i, n := range c.Notes {
		if err := m.add(ctx, n); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: add note %d of %d: %w", h.Name(), i+1, len(c.Notes), err), m.Close())
		}
	}
	return m, nil
}

// httpMemory is one conversation on the server.
type httpMemory struct {
	server   *HTTP
	user     string
	memories string // path of memories
	search   string // path of search; "" until one has answered
	lines    noteFinder
}

// Paths that servers have, the usual ones first.
var (
	addPaths    = []string{"/v1/memories", "/memories", "/v1/memories/"}
	searchPaths = []string{"/v1/memories/search", "/search", "/v1/search", "/v1/memories/search/", "/memories/search"}
)

// find empties the user, which a run that was cut off may have left, and learns
// which path the server has.
func (m *httpMemory) find(ctx context.Context) error {
	var err error
	for _, path := range addPaths {
		err = m.server.call(ctx, http.MethodDelete, path+"?user_id="+url.QueryEscape(m.user), nil, nil)
		if err == nil {
			m.memories = path
			return nil
		}
		if !missingPath(err) {
			return err
		}
	}
	// A server may say "not found" for a user without memories.
	m.memories = addPaths[0]
	return nil
}

type httpMessage struct {
	Role    string `json:"role"`
	Name    string `json:"name,omitempty"`
	Content string `json:"content"`
}

func (m *httpMemory) add(ctx context.Context, n daybook.Note) error {
	body := map[string]any{
		"messages":  []httpMessage{messageOf(n)},
		"user_id":   m.user,
		"run_id":    n.Session,
		"timestamp": n.Time.UTC().Format(time.RFC3339),
		"metadata":  map[string]string{"source_id": n.SourceID, "session": n.Session, "speaker": n.Speaker, "time": n.Time.UTC().Format(time.RFC3339)},
	}
	if n.Session == "" {
		delete(body, "run_id")
	}
	return m.tryPaths(&m.memories, addPaths, func(path string) error { return m.server.call(ctx, http.MethodPost, path, body, nil) })
}

// messageOf keeps the roles of a chat; people are users by name.
func messageOf(n daybook.Note) httpMessage {
	switch role := strings.ToLower(n.Speaker); role {
	case "user", "assistant", "system":
		return httpMessage{Role: role, Content: n.Text}
	}
	return httpMessage{Role: "user", Name: n.Speaker, Content: n.Passage()}
}

// tryPaths asks at the path that worked, or at each until one is there, and
// remembers it.
func (m *httpMemory) tryPaths(known *string, paths []string, ask func(path string) error) error {
	if *known != "" {
		err := ask(*known)
		if err == nil || !missingPath(err) {
			return err
		}
	}
	var err error
	for _, path := range paths {
		if err = ask(path); err == nil || !missingPath(err) {
			*known = path
			return err
		}
	}
	return err
}

// httpHit is a memory as servers write it.
type httpHit struct {
	ID        string         `json:"id"`
	Memory    string         `json:"memory"`
	Text      string         `json:"text"`
	Content   string         `json:"content"`
	Score     float64        `json:"score"`
	Role      string         `json:"role"`
	InvalidAt string         `json:"invalid_at"`
	SourceID  string         `json:"source_id"`
	Metadata  map[string]any `json:"metadata"`
}

// httpHits are a bare array, or one under results, memories or data.
type httpHits []httpHit

// UnmarshalJSON reads any of the forms.
func (hits *httpHits) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return json.Unmarshal(data, (*[]httpHit)(hits))
	}
	var wrapped struct {
		Results  []httpHit `json:"results"`
		Memories []httpHit `json:"memories"`
		Data     []httpHit `json:"data"`
	}
	err := json.Unmarshal(data, &wrapped)
	*hits = append(append(wrapped.Results, wrapped.Memories...), wrapped.Data...)
	return err
}

func (m *httpMemory) Recall(ctx context.Context, q Question, k int) ([]Row, error) {
	body := map[string]any{"query": q.Text, "user_id": m.user, "filters": map[string]string{"user_id": m.user}, "top_k": k, "limit": k}
	if !q.AsOf.IsZero() {
		body["reference_date"] = q.AsOf.UTC().Format(time.RFC3339)
	}
	var hits httpHits
	err := m.tryPaths(&m.search, searchPaths, func(path string) error { return m.server.call(ctx, http.MethodPost, path, body, &hits) })
	if err != nil {
		return nil, fmt.Errorf("%s: search: %w", m.server.Name(), err)
	}
	var rows []Row
	for i, hit := range hits {
		role := hit.Role
		if role == "" && hit.InvalidAt != "" {
			role = "superseded"
		}
		score := hit.Score
		if score == 0 {
			score = 1 / float64(i+1)
		}
		for _, id := range m.lines.notes(hit) {
			rows = append(rows, Row{ID: id, Role: role, Score: score})
		}
	}
	return rows[:min(k, len(rows))], nil
}

// Close deletes what was added.
func (m *httpMemory) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), httpTimeout)
	defer cancel()
	err := m.server.call(ctx, http.MethodDelete, m.memories+"?user_id="+url.QueryEscape(m.user), nil, nil)
	if err != nil && !missingPath(err) {
		return fmt.Errorf("%s: delete the memories of %s: %w", m.server.Name(), m.user, err)
	}
	return nil
}

// noteFinder finds the note that a memory is, by id or by text.
type noteFinder struct {
	ids    map[string]bool
	byText map[string]string
	order  []string // folded texts, in the order of the notes
	owner  []string
}

func newNoteFinder(c Conversation) noteFinder {
	f := noteFinder{ids: map[string]bool{}, byText: map[string]string{}}
	for _, n := range c.Notes {
		f.ids[n.SourceID] = true
		for _, text := range []string{n.Text, n.Passage()} {
			folded := foldText(text)
			if _, taken := f.byText[folded]; !taken {
				f.byText[folded] = n.SourceID
			}
		}
		f.order, f.owner = append(f.order, foldText(n.Text)), append(f.owner, n.SourceID)
	}
	return f
}

func foldText(s string) string { return strings.Join(strings.Fields(daybook.Fold(s)), " ") }

// leastShared is how many bytes of text must be shared for one to be part of the
// other: "yes" is part of many notes.
const leastShared = 16

// notes returns the ids of the notes that a memory stands for; one of its own,
// that is no note's, where there is none.
func (f noteFinder) notes(hit httpHit) []string {
	if ids := f.named(hit); len(ids) > 0 {
		return ids
	}
	text := foldText(cmp.Or(hit.Memory, hit.Text, hit.Content))
	if id, ok := f.byText[text]; ok {
		return []string{id}
	}
	for i, note := range f.order {
		inside := len(text) >= leastShared && strings.Contains(note, text)
		around := len(note) >= leastShared && strings.Contains(text, note)
		if inside || around {
			return []string{f.owner[i]}
		}
	}
	return []string{"memory:" + hit.ID}
}

// named returns the notes that the memory names as its sources.
func (f noteFinder) named(hit httpHit) (ids []string) {
	candidates := []any{hit.SourceID, hit.Metadata["source_id"], hit.Metadata["source_ids"], hit.Metadata["sources"]}
	for _, c := range candidates {
		list, ok := c.([]any)
		if !ok {
			list = []any{c}
		}
		for _, v := range list {
			if id, ok := v.(string); ok && f.ids[id] && len(ids) < 8 {
				ids = append(ids, id)
			}
		}
		if len(ids) > 0 {
			return ids
		}
	}
	return nil
}

// statusError is an answer that is not a success.
type statusError struct {
	status int
	method string
	path   string
	said   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s %s: %d %s: %s", e.method, e.path, e.status, http.StatusText(e.status), e.said)
}

func missingPath(err error) bool {
	status, ok := errors.AsType[*statusError](err)
	return ok && (status.status == http.StatusNotFound || status.status == http.StatusMethodNotAllowed)
}

// call makes a request, several times where the server may yet answer. Errors are
// Unavailable, and Invalid when the server refuses what is asked.
func (h *HTTP) call(ctx context.Context, method, path string, body, into any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
	}
	var err error
	for attempt := range httpAttempts {
		if attempt > 0 {
			if wait := h.wait(ctx, time.Duration(1<<attempt)*250*time.Millisecond); wait != nil {
				return daybook.Errorf(daybook.Unavailable, "%w, after: %w", wait, err)
			}
		}
		var again bool
		if again, err = h.once(ctx, method, path, data, into); !again {
			break
		}
	}
	return err
}

// once makes one request and says whether another could help.
func (h *HTTP) once(ctx context.Context, method, path string, data []byte, into any) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, method, h.base+path, bytes.NewReader(data))
	if err != nil {
		return false, daybook.Errorf(daybook.Invalid, "%w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if h.auth != "" {
		req.Header.Set("Authorization", h.auth)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return ctx.Err() == nil, daybook.Errorf(daybook.Unavailable, "no answer from the server: %w", err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, httpMaxBody))
	if err != nil {
		return true, daybook.Errorf(daybook.Unavailable, "%s %s: the answer broke off: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		return refusal(resp.StatusCode, method, path, said)
	}
	if into == nil {
		return false, nil
	}
	if err := json.Unmarshal(said, into); err != nil {
		return false, daybook.Errorf(daybook.Unavailable, "%s %s: the answer is not what was expected: %w; it begins %.80q", method, path, err, said)
	}
	return false, nil
}

func refusal(status int, method, path string, said []byte) (again bool, err error) {
	path, _, _ = strings.Cut(path, "?")
	e := &statusError{status, method, path, strings.TrimSpace(fmt.Sprintf("%.200s", said))}
	again = status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500
	if again {
		return true, daybook.Errorf(daybook.Unavailable, "%w", e)
	}
	return false, daybook.Errorf(daybook.Invalid, "%w", e)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
