package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"daybook"
)

// peer is a memory server in a few lines: it returns, newest first, what shares
// a word with the question.
type peer struct {
	prefix  string // of its paths: "/v1" or ""
	search  string
	form    func(hits []map[string]any) any
	hit     func(text, source string) map[string]any
	trouble int // requests that are answered with 503 first
	added   []map[string]any
	deleted int
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.trouble > 0 {
		p.trouble--
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	switch {
	case r.Method == http.MethodDelete && r.URL.Path == p.prefix+"/memories":
		p.deleted++
		p.added = nil
		fmt.Fprint(w, `{"message":"gone"}`)
	case r.Method == http.MethodPost && r.URL.Path == p.prefix+"/memories":
		p.added = append(p.added, body)
		fmt.Fprint(w, `{"results":[]}`)
	case r.Method == http.MethodPost && r.URL.Path == p.search:
		_ = json.NewEncoder(w).Encode(p.form(p.find(body["query"].(string))))
	default:
		http.NotFound(w, r)
	}
}

func (p *peer) find(query string) (hits []map[string]any) {
	for i := len(p.added) - 1; i >= 0; i-- {
		text := p.added[i]["messages"].([]any)[0].(map[string]any)["content"].(string)
		source := p.added[i]["metadata"].(map[string]any)["source_id"].(string)
		for _, word := range strings.Fields(strings.ToLower(query)) {
			if strings.Contains(strings.ToLower(text), word) {
				hits = append(hits, p.hit(text, source))
				break
			}
		}
	}
	return hits
}

func results(hits []map[string]any) any { return map[string]any{"results": hits} }

func serve(t *testing.T, p *peer) *HTTP {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	h, err := NewHTTP(server.URL, "Token secret")
	if err != nil {
		t.Fatal(err)
	}
	h.wait = func(context.Context, time.Duration) error { return nil }
	return h
}

func TestHTTPSystem(t *testing.T) {
	byID := func(_, source string) map[string]any {
		return map[string]any{"id": "m1", "memory": "something that it made of it", "score": 0.5, "metadata": map[string]any{"source_id": source}}
	}
	byText := func(text, _ string) map[string]any { return map[string]any{"id": "m1", "memory": text} }
	byPart := func(text, _ string) map[string]any {
		return map[string]any{"id": "m1", "text": strings.TrimPrefix(text, "Ana: ") + " (from 1970)"}
	}
	for name, p := range map[string]*peer{
		"hosted, by id":        {prefix: "/v1", search: "/v1/memories/search", form: results, hit: byID},
		"self-hosted, by text": {prefix: "", search: "/search", form: func(h []map[string]any) any { return h }, hit: byText},
		"a part of the text":   {prefix: "/v1", search: "/v1/search", form: func(h []map[string]any) any { return map[string]any{"memories": h} }, hit: byPart},
		"busy at first":        {prefix: "/v1", search: "/v1/memories/search", form: results, hit: byID, trouble: 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := serve(t, p)
			c := conversation("I bought a sailboat in May", "The weather was awful", "My sister teaches physics")
			m, err := h.Build(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.added) != 3 || p.added[0]["user_id"] != "daybook-bench-c" || p.added[0]["timestamp"] != "1970-01-01T00:00:01Z" {
				t.Fatalf("added %v", p.added)
			}
			rows, err := m.Recall(t.Context(), Question{Text: "sailboat sister"}, 5)
			if err != nil || len(rows) != 2 || rows[0].ID != "n2" || rows[1].ID != "n0" {
				t.Errorf("%v, %v", rows, err)
			}
			if err := m.Close(); err != nil || p.deleted == 0 || len(p.added) != 0 {
				t.Errorf("%v, deleted %d times, left %v", err, p.deleted, p.added)
			}
		})
	}
}

// What is like no note keeps its place; what is superseded says so.
func TestHTTPRows(t *testing.T) {
	p := &peer{prefix: "/v1", search: "/v1/memories/search", form: results, hit: func(text, source string) map[string]any {
		if source == "n1" {
			return map[string]any{"id": "x", "memory": "yes"}
		}
		return map[string]any{"id": "y", "memory": text, "invalid_at": "2026-01-01T00:00:00Z"}
	}}
	h := serve(t, p)
	m, err := h.Build(t.Context(), conversation("I bought a sailboat in May", "A sailboat, yes"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	rows, err := m.Recall(t.Context(), Question{Text: "sailboat"}, 5)
	if err != nil || len(rows) != 2 || rows[0].ID != "memory:x" || rows[1].ID != "n0" || rows[1].Role != "superseded" {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestHTTPErrors(t *testing.T) {
	for _, bad := range []string{"", "localhost:8000", "ftp://x", "http://"} {
		if _, err := NewHTTP(bad, ""); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		kind  daybook.Kind
		says  string
	}{
		"no key":   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you?", http.StatusUnauthorized) }, daybook.Invalid, "401 Unauthorized: who are you?"},
		"down":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", 500) }, daybook.Unavailable, "500 Internal Server Error: broken"},
		"no paths": {http.NotFound, daybook.Invalid, "404"},
	} {
		server := httptest.NewServer(c.serve)
		h, err := NewHTTP(server.URL, "")
		if err != nil {
			t.Fatal(err)
		}
		h.wait = func(context.Context, time.Duration) error { return nil }
		_, err = h.Build(t.Context(), conversation("one"))
		if daybook.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), h.Name()) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	garbled := &peer{prefix: "/v1", search: "/v1/memories/search", form: func([]map[string]any) any { return "sorry" }}
	m, err := serve(t, garbled).Build(t.Context(), conversation("one"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Recall(t.Context(), Question{Text: "two"}, 5); daybook.KindOf(err) != daybook.Unavailable || !strings.Contains(err.Error(), "sorry") {
		t.Errorf("a garbled answer: %v", err)
	}
}

// A run that is stopped does not go on trying.
func TestHTTPStops(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }))
	defer server.Close()
	h, err := NewHTTP(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Build(ctx, conversation("one")); daybook.KindOf(err) != daybook.Unavailable {
		t.Error(err)
	}
}
