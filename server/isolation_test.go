package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// resolve follows the references of a schema.
func resolve(doc, schema map[string]any) map[string]any {
	for {
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema
		}
		schema = doc["components"].(map[string]any)["schemas"].(map[string]any)[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
}

// tenant is one of the two who share a server.
type tenant struct {
	key    string
	secret string // stands in all that it writes
}

// drive makes random requests to every endpoint, for one tenant after the other,
// with ids that either of them was given.
type drive struct {
	d     *door
	t     *rapid.T
	ops   []operation
	doc   map[string]any
	ids   []string
	certs []any          // certificates that either was given
	done  map[string]int // requests that succeeded, by operation
}

// names of properties whose values decide whether a request gets anywhere.
func (g *drive) text(name string, who tenant) string {
	pick := func(values ...string) string { return rapid.SampledFrom(values).Draw(g.t, name) }
	switch name {
	case "user_id":
		return pick("u1", "u2")
	case "agent_id", "run_id", "session_id", "group_id", "bank_id", "containerTag", "min_commit", "session":
		return ""
	case "as_of", "known_at", "valid_at", "invalid_at", "created_at", "now", "valid_from", "timestamp", "time":
		return pick("", "2024-01-01")
	case "valid_until":
		return pick("", "2030")
	case "id", "ref", "ids", "commit", "sources", "why_not", "remove", "node", "parent":
		if len(g.ids) > 0 && rapid.IntRange(0, 9).Draw(g.t, "known") > 0 {
			return rapid.SampledFrom(g.ids).Draw(g.t, name)
		}
		return pick("HEAD", "x")
	case "since", "from", "to":
		return pick("root", "HEAD", "HEAD~1")
	case "memory_id":
		return g.idOf("mem_")
	case "type":
		return pick("user", "agent", "run")
	case "app_id", "custom_id", "start_date", "end_date", "expiration_date", "reference_date", "delete_linked", "memory_export_id":
		return ""
	case "tree", "name":
		return pick("plan", "list")
	case "subject", "entity", "speaker", "me":
		return pick("Ana", "Bo")
	case "query":
		return pick("Where does Ana live?", "What is the word?", "/Memory/Session/Note", "//*", "//Note[node~=\"word\"]")
	case "url":
		return "https://" + who.secret + ".invalid/"
	case "format":
		return "json"
	case "secret":
		return ""
	}
	return pick("I live in "+who.secret+".", "My word is "+who.secret+".", who.secret, `{"type":"Plan","children":[{"type":"Item","text":"`+who.secret+`"}]}`)
}

// idOf is an id of one sort that either tenant was given.
func (g *drive) idOf(prefix string) string {
	some := slices.DeleteFunc(slices.Clone(g.ids), func(id string) bool { return !strings.HasPrefix(id, prefix) })
	if len(some) == 0 {
		return "x"
	}
	return rapid.SampledFrom(some[max(0, len(some)-20):]).Draw(g.t, prefix) // older ones are likely gone
}

func (g *drive) value(name string, schema map[string]any, who tenant, depth int) any {
	if name == "certificate" && len(g.certs) > 0 {
		return rapid.SampledFrom(g.certs).Draw(g.t, name)
	}
	schema = resolve(g.doc, schema)
	if one, ok := schema["oneOf"].([]any); ok {
		schema = resolve(g.doc, rapid.SampledFrom(one).Draw(g.t, name).(map[string]any))
	}
	if enum, ok := schema["enum"].([]any); ok {
		return rapid.SampledFrom(enum).Draw(g.t, name)
	}
	kind, _ := schema["type"].(string)
	if kinds, ok := schema["type"].([]any); ok {
		kind, _ = kinds[0].(string)
	}
	switch kind {
	case "object":
		return g.object(schema, who, depth)
	case "array":
		if depth > 4 {
			return []any{}
		}
		var all []any
		for range rapid.IntRange(1, 3).Draw(g.t, "items") {
			all = append(all, g.value(name, schema["items"].(map[string]any), who, depth+1))
		}
		return all
	case "string":
		return g.text(name, who)
	case "integer", "number":
		return rapid.IntRange(1, 3).Draw(g.t, name)
	case "boolean":
		return rapid.IntRange(0, 3).Draw(g.t, name) == 0
	}
	return g.text(name, who)
}

// selections are properties of which a request takes just one.
var selections = []string{"ids", "tree", "entity", "session", "everything", "user"}

func (g *drive) object(schema map[string]any, who tenant, depth int) map[string]any {
	out := map[string]any{}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	chosen := ""
	if _, choose := properties["everything"]; choose {
		chosen = selections[max(0, rapid.IntRange(-20, len(selections)-1).Draw(g.t, "what"))]
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if chosen != "" && slices.Contains(selections, name) {
			if name == chosen {
				out[name] = g.value(name, properties[name].(map[string]any), who, depth+1)
			}
			continue
		}
		must := slices.Contains(required, any(name)) || name == "user_id"
		if !must && (depth > 4 || rapid.IntRange(0, 3).Draw(g.t, "has "+name) > 0) {
			continue
		}
		if v := g.value(name, properties[name].(map[string]any), who, depth+1); v != "" || must {
			out[name] = v
		}
	}
	return out
}

// request makes a request to an operation.
func (g *drive) request(op operation, who tenant) (path string, body any) {
	query := url.Values{}
	path = op.path
	for part, prefix := range map[string]string{"/jobs/{id}": "job_", "/memories/{id}": "mem_", "/event/{id}": "evt_"} { // few ids are of these
		if id := g.idOf(prefix); strings.Contains(path, part) && id != "x" {
			path = strings.ReplaceAll(path, "{id}", id)
		}
	}
	if strings.Contains(path, "/entities/") {
		path = strings.ReplaceAll(path, "{name}", rapid.SampledFrom([]string{"u1", "u2"}).Draw(g.t, "entity"))
	}
	for _, p := range op.params {
		switch {
		case p.in == "path":
			path = strings.ReplaceAll(path, "{"+p.name+"}", url.PathEscape(fmt.Sprint(g.value(p.name, p.schema, who, 0))))
		case p.in == "query" && (p.required || p.name == "user_id" || rapid.IntRange(0, 3).Draw(g.t, "has "+p.name) == 0):
			query.Set(p.name, fmt.Sprint(g.value(p.name, p.schema, who, 0)))
		}
	}
	if op.raw {
		query.Del("time")
		query.Set("format", "messages")
		body = `[{"role":"user","content":"I live in ` + who.secret + `."}]`
	} else if op.body != nil {
		body = g.value("body", op.body, who, 0)
	}
	return path + "?" + query.Encode(), body
}

var idLike = regexp.MustCompile(`(mem|evt)_[0-9a-f]{16}_[0-9a-z]+|(note|fact|link|ent|hook|job)_[0-9a-z]{16,}|\b[0-9a-f]{64}\b`)

// harvest remembers the ids and certificates that an answer gives away.
func (g *drive) harvest(text string) {
	for _, id := range idLike.FindAllString(text, 20) {
		g.ids = append(g.ids[max(0, len(g.ids)-300):], id)
	}
	var forgotten struct {
		Certificates []any `json:"certificates"`
	}
	if json.Unmarshal([]byte(text), &forgotten) == nil {
		g.certs = append(g.certs, forgotten.Certificates...)
	}
}

// head is the last commit of a tenant's scopes.
func (g *drive) head(who tenant) string {
	var all []string
	for _, user := range []string{"u1", "u2"} {
		_, text := g.d.call(who.key, "GET", "/v1/log?limit=1&user_id="+user, nil)
		all = append(all, text)
	}
	return strings.Join(all, "")
}

// step lets one tenant make one request, and returns what leaked of the other.
func (g *drive) step(me, other tenant) (leak string) {
	op := rapid.SampledFrom(g.ops).Draw(g.t, "op")
	if wipes(op) && rapid.IntRange(0, 19).Draw(g.t, "wipe") > 0 { // or nothing is ever left
		op = g.ops[slices.IndexFunc(g.ops, func(o operation) bool { return o.method == "POST" && o.path == "/v1/memories" })]
	}
	path, body := g.request(op, me)
	res := g.d.send(me.key, op.method, path, body)
	data, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		g.t.Fatal(err)
	}
	text := string(data)
	sent, _ := json.Marshal(body)
	about := fmt.Sprintf("%s %s %s: %d %.600s", op.method, path, sent, res.StatusCode, text)
	if res.StatusCode >= 500 {
		g.t.Fatalf("broke: %s", about)
	}
	if res.StatusCode == http.StatusOK {
		g.done[op.id]++
		g.harvest(text)
	}
	if strings.Contains(text, other.secret) || strings.Contains(fmt.Sprint(res.Header), other.secret) {
		return about
	}
	return ""
}

// wipes reports whether an operation erases all that somebody has.
func wipes(op operation) bool {
	return op.path == "/reset" || op.method == "DELETE" && (strings.HasSuffix(op.path, "/memories") || strings.Contains(op.path, "/entities/"))
}

// newDrive gives both tenants something to lose.
func newDrive(d *door, tenants ...tenant) *drive {
	ops, doc := d.operations()
	ops = slices.DeleteFunc(ops, func(o operation) bool { return o.public })
	g := &drive{d: d, ops: ops, doc: doc, done: map[string]int{}}
	for _, who := range tenants {
		for _, user := range []string{"u1", "u2"} {
			for path, body := range map[string]object{
				"/v1/memories": {"messages": []object{{"name": "Ana", "content": "I live in " + who.secret + "."}}, "ack": "indexed"},
				"/v1/facts":    {"subject": "Ana", "relation": "lives_in", "object": who.secret},
				"/v1/trees":    {"name": "plan", "format": "markdown", "content": "# Plan\n\n- [ ] " + who.secret + "\n"},
			} {
				body["user_id"] = user
				status, text := d.call(who.key, "POST", path, body)
				if status != http.StatusOK {
					d.t.Fatalf("%s: %d %s", path, status, text)
				}
				g.harvest(text)
			}
		}
	}
	return g
}

// Whatever two tenants do, neither sees a word of the other, and neither changes
// anything of the other's.
func TestTenantsNeverMix(t *testing.T) {
	d := open(t, nil)
	a, b := tenant{d.admin("a"), "alphaword"}, tenant{d.admin("b"), "betaword"}
	g := newDrive(d, a, b)
	rapid.Check(t, func(rt *rapid.T) {
		g.t = rt
		me, other := a, b
		if rapid.Bool().Draw(rt, "second") {
			me, other = b, a
		}
		before := g.head(other)
		for range 6 {
			if leak := g.step(me, other); leak != "" {
				rt.Fatalf("leaked: %s", leak)
			}
		}
		if after := g.settled(other, before); after != before {
			rt.Fatalf("the other's memory changed from %s to %s", before, after)
		}
	})
	for _, op := range g.ops {
		if g.done[op.id] == 0 {
			t.Logf("no request to %s %s succeeded", op.method, op.path)
		}
	}
	if len(g.done) < len(g.ops)*2/3 {
		t.Errorf("only %d of %d operations ever succeeded", len(g.done), len(g.ops))
	}
}

// settled is the head of a tenant; where only its own background went on, that is
// no change.
func (g *drive) settled(who tenant, before string) string {
	after := g.head(who)
	if after == before || !strings.Contains(after, "learned from") {
		return after
	}
	return before
}

// The test above finds leaks: where both keys open one tenant it says so.
func TestLeaksAreFound(t *testing.T) {
	d := open(t, nil)
	a, b := tenant{d.admin("same"), "alphaword"}, tenant{d.admin("same"), "betaword"}
	g := newDrive(d, a)
	found := false
	rapid.Check(t, func(rt *rapid.T) {
		g.t = rt
		for i := 0; i < 10 && !found; i++ {
			found = g.step(b, a) != ""
		}
	})
	if !found {
		t.Error("two keys of one tenant see nothing of each other: the check is blind")
	}
}
