package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/server"
	"daybook/store/sqlite"

	"pgregory.net/rapid"
)

// door is a server under test.
type door struct {
	t    testing.TB
	url  string
	keys *server.Keys
	s    *server.Server
}

// open starts a server that asks for keys.
func open(t testing.TB, set func(*server.Options)) *door {
	d := openUnasked(t, set)
	d.key(server.Key{Tenant: "first", Right: server.Read})
	return d
}

// openUnasked starts a server on a new home, which never had a key, with its background,
// until the test ends.
func openUnasked(t testing.TB, set func(*server.Options)) *door {
	home := t.TempDir()
	st, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(st).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
	keys, err := server.OpenKeys(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	opts := server.Options{Version: "test", Keys: keys, Timeout: 20 * time.Second}
	if set != nil {
		set(&opts)
	}
	s, err := server.New(e, opts)
	if err != nil {
		t.Fatal(err)
	}
	s.SetReady(true)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _ = s.Run(ctx); close(done) }()
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		h.Close()
		cancel()
		<-done
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &door{t, h.URL, keys, s}
}

// key makes a key.
func (d *door) key(k server.Key) string {
	secret, _, err := d.keys.Create(d.t.Context(), k)
	if err != nil {
		d.t.Fatal(err)
	}
	return secret
}

// admin is a key that may do everything in a tenant.
func (d *door) admin(tenant string) string {
	return d.key(server.Key{Tenant: tenant, Right: server.Admin})
}

// call sends a request and returns its status and body.
func (d *door) call(key, method, path string, body any) (int, string) {
	d.t.Helper()
	res := d.send(key, method, path, body)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func (d *door) send(key, method, path string, body any) *http.Response {
	d.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			d.t.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, d.url+path, in)
	if err != nil {
		d.t.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	return res
}

// get is call for something that must succeed, decoded.
func get[T any](d *door, key, method, path string, body any) (v T) {
	d.t.Helper()
	status, text := d.call(key, method, path, body)
	if status != http.StatusOK {
		d.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		d.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return v
}

type object = map[string]any

// dentist adds two messages that make a state with a past.
func (d *door) dentist(key, user string) server.Receipt {
	d.t.Helper()
	get[server.Receipt](d, key, "POST", "/v1/memories", object{"user_id": user, "timestamp": "2024-01-10",
		"messages": []object{{"name": "Ana", "content": "My dentist is Dr. Weiss."}}})
	return get[server.Receipt](d, key, "POST", "/v1/memories", object{"user_id": user, "timestamp": "2024-03-10", "ack": "indexed",
		"messages": []object{{"name": "Ana", "content": "I changed dentists, I go to Dr. Moreau now because the old practice closed."}}})
}

func TestAddAndAsk(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	r := d.dentist(key, "u")
	if r.Added != 1 || r.Seq == 0 || r.Commit.IsZero() || r.Job == "" {
		t.Errorf("receipt %+v", r)
	}
	got := get[engine.Answered](d, key, "POST", "/v1/ask", object{"user_id": "u", "query": "Who is Ana's dentist?", "min_commit": r.Commit.String()})
	if got.Answer != "Dr. Moreau" || len(got.Citations) == 0 {
		t.Errorf("answer %+v", got)
	}
	found := get[engine.Recalled](d, key, "POST", "/v1/recall", object{"containerTag": "u", "query": "Who was Ana's dentist before?", "k": 2})
	if len(found.Rows) != 2 || found.Commit.IsZero() {
		t.Errorf("recalled %+v", found)
	}
	if j := get[server.ScopedJob](d, key, "GET", "/v1/jobs/"+r.Job+"?user_id=u", nil); j.State != engine.JobDone {
		t.Errorf("job %+v", j)
	}
}

func TestAskStreams(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	d.dentist(key, "u")
	res := d.send(key, "POST", "/v1/ask", object{"user_id": "u", "query": "Who is Ana's dentist?", "stream": true})
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(string(text), "event: answer\ndata: {") || !strings.Contains(string(text), "Dr. Moreau") {
		t.Errorf("%v %v %s", err, res.Header, text)
	}
}

func TestLedgerEndpoints(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	r := d.dentist(key, "u")
	facts := func(query string) string {
		_, text := d.call(key, "GET", "/v1/facts?user_id=u&subject=Ana"+query, nil)
		return text
	}
	if now, then := facts(""), facts("&as_of=2024-02-01"); !strings.Contains(now, "Dr. Moreau") || strings.Contains(now, "Dr. Weiss\"") && !strings.Contains(then, "Dr. Weiss") {
		t.Errorf("facts now %s\nthen %s", now, then)
	}
	if _, text := d.call(key, "GET", "/v1/history?user_id=u&subject=Ana", nil); !strings.Contains(text, `"from":"Dr. Weiss","to":"Dr. Moreau"`) {
		t.Errorf("history %s", text)
	}
	if _, text := d.call(key, "GET", "/v1/changes?user_id=u&since=root", nil); !strings.Contains(text, "My dentist is Dr. Weiss.") {
		t.Errorf("changes %s", text)
	}
	if status, text := d.call(key, "GET", "/v1/changes?user_id=u&since=HEAD", nil); status != 200 || strings.Contains(text, "Weiss") {
		t.Errorf("changes since now: %d %s", status, text)
	}
	launch := get[server.Receipt](d, key, "POST", "/v1/facts", object{"user_id": "u", "subject": "Apollo", "relation": "launch", "object": "3 June", "valid_from": "2024-05-01"})
	moved := object{"user_id": "u", "subject": "Apollo", "relation": "launch_moved", "object": "10 June", "valid_from": "2024-05-02", "supersedes": launch.IDs}
	if closed := get[server.Receipt](d, key, "POST", "/v1/facts", moved).Closed; len(closed) != 1 || string(closed[0]) != launch.IDs[0] {
		t.Errorf("closed %v, stated %v", closed, launch.IDs)
	}
	moved["supersedes"] = []string{"nobody"}
	if status, text := d.call(key, "POST", "/v1/facts", moved); status != http.StatusNotFound {
		t.Errorf("supersedes nothing: %d %s", status, text)
	}
	get[server.Receipt](d, key, "POST", "/v1/revert", object{"user_id": "u", "commit": r.Commit.String()})
	if text := facts(""); strings.Contains(text, "Dr. Moreau") {
		t.Errorf("after the revert: %s", text)
	}
	if status, _ := d.call(key, "POST", "/v1/revert", object{"user_id": "u", "commit": "0123456789"}); status != http.StatusNotFound {
		t.Errorf("a commit that is not there: %d", status)
	}
}

func TestForgetGivesACertificate(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	d.dentist(key, "u")
	type forgotten struct {
		Counts       map[string]int `json:"counts"`
		Certificates []object       `json:"certificates"`
	}
	if plan := get[forgotten](d, key, "POST", "/v1/forget", object{"user_id": "u", "user": true, "dry_run": true}); plan.Counts["notes"] != 2 || len(plan.Certificates) != 0 {
		t.Errorf("plan %+v", plan)
	}
	done := get[forgotten](d, key, "POST", "/v1/forget", object{"user_id": "u", "user": true})
	if len(done.Certificates) != 1 {
		t.Fatalf("%+v", done)
	}
	get[object](d, key, "POST", "/v1/forget/verify", object{"certificate": done.Certificates[0]})
	if status, _ := d.call(d.admin("other"), "POST", "/v1/forget/verify", object{"certificate": done.Certificates[0]}); status != http.StatusNotFound {
		t.Errorf("another tenant's certificate: %d", status)
	}
	if _, text := d.call(key, "GET", "/v1/export?user_id=u", nil); strings.Contains(text, "Weiss") {
		t.Errorf("the export still has it: %s", text)
	}
	if status, _ := d.call(key, "POST", "/v1/forget", object{"user_id": "u"}); status != http.StatusBadRequest {
		t.Errorf("nothing chosen: %d", status)
	}
}

func TestExportAndImport(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	d.dentist(key, "u")
	_, text := d.call(key, "GET", "/v1/export?user_id=u", nil)
	got := get[object](d, key, "POST", "/v1/import?user_id=copy", text)
	if got["format"] != "ledger" || got["commits"] != got["added"] {
		t.Errorf("import %v", got)
	}
	if _, again := d.call(key, "GET", "/v1/export?user_id=copy", nil); strings.ReplaceAll(again, `"copy"`, `"u"`) != text {
		t.Errorf("the copy differs:\n%s\n%s", text, again)
	}
	got = get[object](d, key, "POST", "/v1/import?user_id=v&ack=indexed", `[{"role":"user","content":"I live in Rome.","timestamp":"2024-05-01T00:00:00Z"}]`)
	if got["added"] != 1.0 {
		t.Errorf("import of messages %v", got)
	}
}

func TestPackets(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	got := get[struct {
		Rows   []server.LabelledRow `json:"rows"`
		Text   string               `json:"text"`
		Packet object               `json:"packet"`
	}](d, key, "POST", "/v1/packets", object{"query": "Who is Ana's dentist?", "now": "2024-06-01", "rows": []object{
		{"id": "old", "speaker": "Ana", "text": "My dentist is Dr. Weiss.", "created_at": "2024-01-10"},
		{"id": "new", "speaker": "Ana", "text": "My dentist is Dr. Moreau now.", "created_at": "2024-03-10"},
	}})
	if len(got.Rows) != 2 || got.Rows[0].ID != "new" || got.Rows[0].Role != "current" || got.Rows[1].Role != "historical" || !strings.Contains(got.Text, "Dr. Moreau") {
		t.Errorf("%+v", got)
	}
	if _, text := d.call(key, "GET", "/v1/log", nil); !strings.Contains(text, `"commits":[]`) {
		t.Errorf("something was kept: %s", text)
	}
}

func TestTrees(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	plan := "# Trip\n\n- [ ] Day one\n  - [ ] Visit the museum\n- [ ] Day two\n"
	got := get[object](d, key, "POST", "/v1/trees", object{"user_id": "u", "name": "trip", "format": "markdown", "content": plan})
	if got["version"] != 1.0 {
		t.Fatalf("%v", got)
	}
	if status, _ := d.call(key, "POST", "/v1/trees", object{"user_id": "u", "name": "trip", "format": "markdown", "content": plan}); status != http.StatusConflict {
		t.Errorf("planted twice: %d", status)
	}
	found := get[engine.QueryReport](d, key, "POST", "/v1/query", object{"user_id": "u", "tree": "trip", "query": `//*[node~="museum"]`})
	if len(found.Nodes) == 0 {
		t.Fatalf("%+v", found)
	}
	get[object](d, key, "POST", "/v1/trees/trip/edit", object{"user_id": "u", "base": 1, "changes": []object{{"remove": found.Nodes[0].ID}}})
	shown := get[object](d, key, "GET", "/v1/trees/trip?user_id=u&format=markdown", nil)
	if shown["version"] != 2.0 || strings.Contains(shown["content"].(string), "museum") {
		t.Errorf("%v", shown)
	}
	get[object](d, key, "POST", "/v1/trees/trip/rollback", object{"user_id": "u", "version": 1})
	if status, text := d.call(key, "POST", "/v1/query", object{"user_id": "u", "query": "//[["}); status != http.StatusBadRequest {
		t.Errorf("a malformed query: %d %s", status, text)
	}
}

func TestKindsAreStatuses(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	for _, c := range []struct {
		method, path string
		body         any
		want         int
	}{
		{"POST", "/v1/memories", object{"messages": []object{}}, http.StatusBadRequest},
		{"POST", "/v1/memories", object{"messages": "x", "timestamp": "yesterday"}, http.StatusBadRequest},
		{"POST", "/v1/memories", object{"messages": "x", "user_id": "a", "group_id": "b"}, http.StatusBadRequest},
		{"POST", "/v1/memories", object{"messages": "a\x00b"}, http.StatusBadRequest},
		{"POST", "/v1/memories", "{", http.StatusBadRequest},
		{"POST", "/v1/memories", object{"message": "x"}, http.StatusUnprocessableEntity},
		{"POST", "/v1/recall", object{"query": "x", "min_commit": "0123456789"}, http.StatusNotFound},
		{"POST", "/v1/ask", object{"query": "x", "llm": true}, http.StatusBadRequest},
		{"GET", "/v1/history?subject=Nobody", nil, http.StatusNotFound},
		{"GET", "/v1/nothing", nil, http.StatusNotFound},
		{"GET", "/v1/recall", nil, http.StatusMethodNotAllowed},
	} {
		if status, text := d.call(key, c.method, c.path, c.body); status != c.want {
			t.Errorf("%s %s %v: %d, want %d: %s", c.method, c.path, c.body, status, c.want, text)
		}
	}
	get[object](d, key, "POST", "/v1/memories", object{"messages": []object{{"content": "one", "id": "m1"}}})
	if status, _ := d.call(key, "POST", "/v1/memories", object{"messages": []object{{"content": "two", "id": "m1"}}}); status != http.StatusConflict {
		t.Errorf("another text under the same id: %d", status)
	}
}

func TestLimits(t *testing.T) {
	d := open(t, func(o *server.Options) { o.MaxBody = 2000 })
	key := d.admin("acme")
	if status, _ := d.call(key, "POST", "/v1/memories", object{"messages": strings.Repeat("x", 3000)}); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", status)
	}
	slow := d.key(server.Key{Tenant: "acme", Right: server.Read, PerMinute: 6})
	var last *http.Response
	for range 3 {
		last = d.send(slow, "GET", "/v1/log", nil)
		last.Body.Close()
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("too many requests: %d %v", last.StatusCode, last.Header)
	}
	if status, _ := d.call(key, "GET", "/v1/log", nil); status != http.StatusOK {
		t.Errorf("another key: %d", status)
	}
}

// Where too much waits to be learned from, writers are told to come again.
func TestBackPressure(t *testing.T) {
	d := open(t, func(o *server.Options) { o.Worker.MaxWaiting = 1 })
	key := d.admin("acme")
	var messages []object
	for range 60 {
		messages = append(messages, object{"name": "Ana", "content": "I moved to Rome because my sister lives there, and I like it."})
	}
	for i := range 200 {
		for j := range messages {
			messages[j]["id"] = strings.Repeat("i", i+1) + strings.Repeat("j", j+1)
		}
		res := d.send(key, "POST", "/v1/memories", object{"messages": messages})
		res.Body.Close()
		if res.StatusCode == http.StatusTooManyRequests && res.Header.Get("Retry-After") != "" {
			return
		}
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%d", res.StatusCode)
		}
	}
	t.Error("200 times 60 messages were taken while at most one may wait")
}

func TestHealth(t *testing.T) {
	d := open(t, nil)
	d.s.SetReady(false)
	if status, _ := d.call("", "GET", "/health", nil); status != http.StatusOK {
		t.Errorf("health %d", status)
	}
	if status, _ := d.call("", "GET", "/health/ready", nil); status != http.StatusServiceUnavailable {
		t.Errorf("ready before it is: %d", status)
	}
	d.s.SetReady(true)
	if status, _ := d.call("", "GET", "/health/ready/", nil); status != http.StatusOK {
		t.Errorf("ready: %d", status)
	}
	key := d.admin("acme")
	d.dentist(key, "u")
	get[object](d, key, "POST", "/v1/recall", object{"user_id": "u", "query": "dentist"})
	_, text := d.call(key, "GET", "/metrics", nil)
	for _, want := range []string{
		`daybook_requests_total{method="POST",path="POST /v1/memories",status="200"} 2`, "daybook_commits_total ", "daybook_notes_total 2",
		"daybook_facts_superseded_total 1", "daybook_waiting_notes 0", `daybook_stage_seconds_count{stage="find"} 1`, `daybook_rows_total{role="historical"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	res := d.send(key, "GET", "/v1/log", nil)
	defer res.Body.Close()
	if len(res.Header.Get("X-Request-Id")) < 8 {
		t.Errorf("no request id: %v", res.Header)
	}
}

// Whatever an address looks like, nobody is sent elsewhere: clients follow
// redirections of a write in different ways, or not at all.
func TestNobodyIsRedirected(t *testing.T) {
	d := open(t, nil)
	key := d.admin("a")
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	parts := []string{"/", ".", "..", "%", "%2F", "%2e", "%25", "\\", "a", "é", " ", "?", ";", ":"}
	rapid.Check(t, func(rt *rapid.T) {
		id := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(rt, "id"), "")
		if rapid.Bool().Draw(rt, "escaped") {
			id = url.PathEscape(id)
		}
		req, err := http.NewRequest(http.MethodPut, d.url+"/v1/memories/"+id, strings.NewReader(`{"text":"x"}`))
		if err != nil {
			return // no address at all
		}
		req.Header.Set("X-API-Key", key)
		res, err := stay.Do(req)
		if err != nil {
			rt.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode < 400 || res.StatusCode >= 500 {
			rt.Fatalf("PUT %s: %d to %s", req.URL, res.StatusCode, res.Header.Get("Location"))
		}
	})
	for path, want := range map[string]int{
		"//v1/memories/?user_id=u": http.StatusOK, "/v1//memories?user_id=u": http.StatusOK, "/v1/x/../memories/?user_id=u": http.StatusOK,
		"/v1/memories%2F?user_id=u": http.StatusNotFound, "//health//": http.StatusOK,
	} {
		if status, text := d.call(key, http.MethodGet, path, nil); status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}
