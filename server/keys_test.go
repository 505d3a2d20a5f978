package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook/engine"
	"daybook/server"
	"daybook/store/sqlite"
)

// operation is one operation of the API's description.
type operation struct {
	method, path string
	public       bool
	body         map[string]any // schema of a JSON body, or nil
	raw          bool           // the body is anything
	params       []param
	id           string
}

type param struct {
	name, in string
	schema   map[string]any
	required bool
}

// operations reads /openapi.json, so that no endpoint can be forgotten.
func (d *door) operations() (all []operation, doc map[string]any) {
	doc = get[map[string]any](d, "", "GET", "/openapi.json", nil)
	for path, ops := range doc["paths"].(map[string]any) {
		for method, o := range ops.(map[string]any) {
			op := o.(map[string]any)
			one := operation{method: strings.ToUpper(method), path: path, id: op["operationId"].(string)}
			if sec, ok := op["security"].([]any); ok && len(sec) == 0 {
				one.public = true
			}
			params, _ := op["parameters"].([]any)
			for _, p := range params {
				m := p.(map[string]any)
				required, _ := m["required"].(bool)
				one.params = append(one.params, param{m["name"].(string), m["in"].(string), m["schema"].(map[string]any), required})
			}
			if body, ok := op["requestBody"].(map[string]any); ok {
				content := body["content"].(map[string]any)
				if j, ok := content["application/json"].(map[string]any); ok {
					one.body = j["schema"].(map[string]any)
				} else {
					one.raw = true
				}
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all, doc
}

// filled is the path with something in the place of its parameters.
func (o operation) filled() string {
	for _, p := range o.params {
		if p.in == "path" {
			o.path = strings.ReplaceAll(o.path, "{"+p.name+"}", "x")
		}
	}
	return o.path
}

// Every endpoint but those that tell nothing wants a key, and a key with the right.
func TestEveryEndpointWantsAKey(t *testing.T) {
	d := open(t, func(o *server.Options) { o.Strangers = 1_000_000 })
	reader := d.key(server.Key{Tenant: "acme", Right: server.Read})
	revoked := d.key(server.Key{Tenant: "acme", Right: server.Admin})
	if _, err := d.keys.Revoke(t.Context(), strings.Split(revoked, "_")[1]); err != nil {
		t.Fatal(err)
	}
	var public, writes []string
	ops, _ := d.operations()
	ops = append(ops, operation{method: "GET", path: "/metrics"}, operation{method: "GET", path: "/anything"})
	for _, op := range ops {
		if op.public {
			public = append(public, op.path)
			continue
		}
		for _, key := range []string{"", "nonsense", "dbk_x_y", "dbk_" + strings.Repeat("a", 500), revoked, reader[:len(reader)-1]} {
			if status, text := d.call(key, op.method, op.filled(), nil); status != http.StatusUnauthorized {
				t.Errorf("%s %s with key %.10q: %d %s", op.method, op.path, key, status, text)
			}
		}
		if status, _ := d.call(reader, op.method, op.filled(), nil); status == http.StatusForbidden {
			writes = append(writes, op.id)
		}
	}
	slices.Sort(public)
	if want := []string{"/health", "/health/ready", "/version"}; !slices.Equal(public, want) {
		t.Errorf("without a key: %v, want %v", public, want)
	}
	for _, id := range []string{"add", "add_fact", "forget", "import", "export", "revert", "add_webhook", "plant", "retry_job"} {
		if !slices.Contains(writes, id) {
			t.Errorf("a key that may only read may %s", id)
		}
	}
	for _, header := range []string{"X-API-Key: " + reader, "Authorization: Token " + reader, "Authorization: bearer " + reader, "Authorization: Api-Key " + reader} {
		name, value, _ := strings.Cut(header, ": ")
		req, _ := http.NewRequest("GET", d.url+"/v1/log", nil)
		req.Header.Set(name, value)
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s: %v %v", name, res, err)
		}
		res.Body.Close()
	}
}

// A key for one user opens nothing of another.
func TestKeyForOneUser(t *testing.T) {
	d := open(t, nil)
	d.dentist(d.admin("acme"), "bo")
	ana := d.key(server.Key{Tenant: "acme", Right: server.Admin, Users: []string{"ana"}})
	ops, _ := d.operations()
	for _, op := range ops {
		if op.public || op.raw {
			continue
		}
		path, body := op.filled(), any(nil)
		if op.body != nil {
			body = object{"user_id": "bo", "query": "dentist", "messages": "x", "commit": "HEAD", "id": "x", "subject": "Ana", "relation": "r", "object": "o",
				"name": "t", "content": "{}", "request": "x", "changes": []object{{"remove": "x"}}, "version": 1}
			body = d.only(op, body.(object))
		} else {
			path += "?user_id=bo&subject=Ana&since=root&everyone=true"
		}
		if status, text := d.call(ana, op.method, path, body); strings.Contains(text, "Weiss") || strings.Contains(text, "Moreau") {
			t.Errorf("%s %s: %d %s", op.method, op.path, status, text)
		}
	}
	if status, _ := d.call(ana, "POST", "/v1/recall", object{"user_id": "bo", "query": "dentist"}); status != http.StatusForbidden {
		t.Errorf("recall for another user: %d", status)
	}
	d.dentist(ana, "ana")
	if _, text := d.call(ana, "POST", "/v1/recall", object{"query": "dentist"}); !strings.Contains(text, "Weiss") {
		t.Errorf("the only user is not the default: %s", text)
	}
}

// only keeps the fields that an operation's body has.
func (d *door) only(op operation, body object) object {
	_, doc := d.operations()
	schema := resolve(doc, op.body)
	properties, _ := schema["properties"].(map[string]any)
	kept := object{}
	for k, v := range body {
		if _, ok := properties[k]; ok {
			kept[k] = v
		}
	}
	return kept
}

// keysOf opens the keys of a home, as a process does.
func keysOf(t *testing.T, home string) (*server.Keys, func()) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(st)
	keys, err := server.OpenKeys(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return keys, func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What several processes change at the same time is all in force.
func TestKeysChangeAtOnce(t *testing.T) {
	home := t.TempDir()
	var processes []*server.Keys
	for range 3 {
		keys, end := keysOf(t, home)
		defer end()
		processes = append(processes, keys)
	}
	const n = 21
	var all sync.WaitGroup
	ids, secrets := make([]string, n), make([]string, n)
	for i := range n {
		all.Go(func() {
			secret, key, err := processes[i%3].Create(t.Context(), server.Key{Tenant: "t", Right: server.Read})
			if err != nil {
				t.Error(err)
			}
			ids[i], secrets[i] = key.ID, secret
		})
	}
	all.Wait()
	if list, err := processes[0].List(t.Context()); err != nil || len(list) != n {
		t.Fatalf("%d of %d keys are there, %v", len(list), n, err)
	}
	for i := range n { // and a new one for each that is revoked
		all.Go(func() {
			if _, err := processes[i%3].Revoke(t.Context(), ids[i]); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, _, err := processes[(i+1)%3].Create(t.Context(), server.Key{Tenant: "t", Right: server.Read}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	fresh, end := keysOf(t, home)
	defer end()
	for i, secret := range secrets {
		if _, ok, err := fresh.Find(t.Context(), secret); ok || err != nil {
			t.Errorf("key %d was revoked and opens: %v", i, err)
		}
	}
	if list, err := fresh.List(t.Context()); err != nil || len(list) != 2*n {
		t.Errorf("%d of %d keys are there, %v", len(list), 2*n, err)
	}
}

// The first key closes a server that runs, and revoking the last does not open it.
func TestRevokingTheLastKeyOpensNothing(t *testing.T) {
	d := openUnasked(t, nil)
	status := func() int {
		status, _ := d.call("", "GET", "/v1/stats", nil)
		return status
	}
	if got := status(); got != http.StatusOK {
		t.Fatalf("a home that never had a key answers %d", got)
	}
	_, key, err := d.keys.Create(t.Context(), server.Key{Tenant: "t", Right: server.Admin})
	if err != nil {
		t.Fatal(err)
	}
	if got := status(); got != http.StatusUnauthorized {
		t.Errorf("with a key, without it: %d", got)
	}
	if _, err := d.keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != http.StatusUnauthorized {
		t.Errorf("after the last key was revoked: %d", got)
	}
}

func TestKeysAreHashed(t *testing.T) {
	home := t.TempDir()
	keys, end := keysOf(t, home)
	secret, key, err := keys.Create(t.Context(), server.Key{Tenant: "acme", Right: server.Write, Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	end()
	data, err := os.ReadFile(filepath.Join(home, sqlite.FileName))
	if err != nil || !strings.Contains(string(data), key.ID) || strings.Contains(string(data), strings.Split(secret, "_")[2]) {
		t.Errorf("%v; the file must hold the id of the key and not its secret", err)
	}
	keys, end = keysOf(t, home)
	defer end()
	other, endOther := keysOf(t, home)
	defer endOther()
	if found, ok, err := other.Find(t.Context(), secret); err != nil || !ok || found.ID != key.ID || found.Tenant != "acme" {
		t.Errorf("%+v %v %v", found, ok, err)
	}
	if _, err := keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) { // the other sees it without a restart
		_, ok, err := other.Find(t.Context(), secret)
		if err == nil && !ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the revoked key still opens: %v", err)
		}
	}
	if _, _, err := keys.Create(t.Context(), server.Key{Right: "all"}); err == nil {
		t.Error("a right that there is not")
	}
}

// Without keys, pages of other sites and names that were made to point here are
// refused.
func TestForeignPages(t *testing.T) {
	d := open(t, func(o *server.Options) { o.Keys = nil; o.Origins = []string{"https://app.example"} })
	try := func(set func(*http.Request)) int {
		req, err := http.NewRequest("POST", d.url+"/v1/memories", strings.NewReader(`{"messages":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		set(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusOK && req.Header.Get("Origin") != "" && res.Header.Get("Access-Control-Allow-Origin") != req.Header.Get("Origin") {
			t.Error("an allowed site is not told so")
		}
		return res.StatusCode
	}
	for want, set := range map[int][]func(*http.Request){
		http.StatusOK: {
			func(*http.Request) {},
			func(r *http.Request) { r.Header.Set("Origin", "https://app.example") },
		},
		http.StatusForbidden: {
			func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
			func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
			func(r *http.Request) { r.Host = "evil.example" },
		},
	} {
		for i, s := range set {
			if got := try(s); got != want {
				t.Errorf("case %d for %d: %d", i, want, got)
			}
		}
	}
}
