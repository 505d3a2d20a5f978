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
	ids   map[string][]string // that each tenant was given, by its secret
	certs []any               // certificates that either was given
	done  map[served]int      // requests that succeeded
	trees map[string]string   // the plan of each tenant, by its secret
}

// served is an operation that succeeded for a tenant.
type served struct{ secret, op string }

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
		if rapid.IntRange(0, 9).Draw(g.t, "known") > 0 {
			return g.idOf("", who)
		}
		return pick("HEAD", "x")
	case "since", "from", "to":
		return pick("root", "HEAD", "HEAD~1")
	case "memory_id":
		return g.idOf("mem_", who)
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

// idOf is an id of one sort, or of any, that the tenant was given, or the other.
func (g *drive) idOf(prefix string, who tenant) string {
	whose := who.secret
	if rapid.IntRange(0, 3).Draw(g.t, "whose") == 0 {
		whose = rapid.SampledFrom(slices.Sorted(maps.Keys(g.ids))).Draw(g.t, "of")
	}
	some := slices.DeleteFunc(slices.Clone(g.ids[whose]), func(id string) bool { return !strings.HasPrefix(id, prefix) })
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

// likely is the body of a request that would hardly ever succeed by chance; nil for all
// other operations.
func (g *drive) likely(op operation, who tenant) any {
	user := rapid.SampledFrom([]string{"u1", "u2"}).Draw(g.t, "user")
	switch op.id {
	case "plant":
		name := fmt.Sprint("tree", rapid.IntRange(1, 1000).Draw(g.t, "tree"))
		return object{"user_id": user, "name": name, "content": `{"type":"Plan","children":[{"type":"Item","text":"` + who.secret + `"}]}`}
	case "edit":
		return object{"user_id": user, "changes": []object{{"set": object{"node": g.node(who), "text": who.secret + fmt.Sprint(rapid.IntRange(1, 1000).Draw(g.t, "text"))}}}}
	case "rollback":
		return object{"user_id": user, "version": rapid.IntRange(1, 4).Draw(g.t, "version")}
	case "do":
		return object{"user_id": user, "request": rapid.SampledFrom([]string{"mark " + who.secret + " as done", "show all tasks"}).Draw(g.t, "request")}
	case "retract":
		return object{"user_id": user, "id": g.idOf(rapid.SampledFrom([]string{"note_", "fact_"}).Draw(g.t, "sort"), who)}
	case "forget":
		return object{"user_id": user, "ids": []string{g.idOf("note_", who)}}
	}
	return nil
}

var nodeID = regexp.MustCompile(`"id\W+(\w+)`)

// node is the id of a node of the plan that either tenant was shown.
func (g *drive) node(who tenant) string {
	shown := rapid.SampledFrom(slices.Sorted(maps.Values(g.trees))).Draw(g.t, "shown")
	return rapid.SampledFrom(nodeID.FindAllStringSubmatch(shown, -1)).Draw(g.t, "node")[1]
}

// request makes a request to an operation.
func (g *drive) request(op operation, who tenant) (path string, body any) {
	query := url.Values{}
	path = op.path
	for part, prefix := range map[string]string{"/jobs/{id}": "job_", "/memories/{id}": "mem_", "/event/{id}": "evt_", "/webhooks/{id}": "hook_"} { // few ids are of these
		if id := g.idOf(prefix, who); strings.Contains(path, part) && id != "x" {
			path = strings.ReplaceAll(path, "{id}", id)
		}
	}
	if strings.Contains(path, "/trees/") {
		path = strings.ReplaceAll(path, "{name}", "plan")
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
	if likely := g.likely(op, who); likely != nil && rapid.IntRange(0, 3).Draw(g.t, "likely") > 0 {
		body = likely
	}
	return path + "?" + query.Encode(), body
}

var idLike = regexp.MustCompile(`(mem|evt)_[0-9a-f]{16}_[0-9a-z]+|(note|fact|link|ent|hook|job)_[0-9a-z]{16,}|\b[0-9a-f]{64}\b`)

// harvest remembers the ids and certificates that an answer gives away.
func (g *drive) harvest(text string, who tenant) {
	for _, id := range idLike.FindAllString(text, 20) {
		g.ids[who.secret] = append(g.ids[who.secret][max(0, len(g.ids[who.secret])-300):], id)
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
	op := g.next(me)
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
		g.done[served{me.secret, op.id}]++
		g.harvest(text, me)
		if wipes(op) {
			g.fill(me)
		}
	}
	if strings.Contains(text, other.secret) || strings.Contains(fmt.Sprint(res.Header), other.secret) {
		return about
	}
	return ""
}

// next is the operation that a tenant tries next: any, or one that never succeeded for it.
func (g *drive) next(me tenant) operation {
	if left := g.left(me); len(left) > 0 && rapid.Bool().Draw(g.t, "left") {
		return rapid.SampledFrom(left).Draw(g.t, "op")
	}
	return rapid.SampledFrom(g.ops).Draw(g.t, "op")
}

// left are the operations that never succeeded for a tenant.
func (g *drive) left(me tenant) []operation {
	return slices.DeleteFunc(slices.Clone(g.ops), func(o operation) bool { return g.done[served{me.secret, o.id}] > 0 })
}

// wipes reports whether an operation erases all that somebody has.
func wipes(op operation) bool {
	return op.path == "/reset" || op.method == "DELETE" && (strings.HasSuffix(op.path, "/memories") || strings.Contains(op.path, "/entities/"))
}

// newDrive gives both tenants something to lose.
func newDrive(d *door, tenants ...tenant) *drive {
	ops, doc := d.operations()
	ops = slices.DeleteFunc(ops, func(o operation) bool { return o.public })
	g := &drive{d: d, ops: ops, doc: doc, ids: map[string][]string{}, done: map[served]int{}, trees: map[string]string{}}
	for _, who := range tenants {
		g.fill(who)
	}
	return g
}

// fill gives a tenant something to lose, as far as it has nothing of the kind.
func (g *drive) fill(who tenant) {
	for _, user := range []string{"u1", "u2"} {
		for path, body := range map[string]object{
			"/v1/memories": {"messages": []object{{"name": "Ana", "content": "I live in " + who.secret + "."}}, "ack": "indexed"},
			"/v1/facts":    {"subject": "Ana", "relation": "lives_in", "object": who.secret},
			"/v1/trees":    {"name": "plan", "format": "markdown", "content": "# Plan\n\n- [ ] " + who.secret + "\n"},
		} {
			body["user_id"] = user
			status, text := g.d.call(who.key, "POST", path, body)
			if status != http.StatusOK && status != http.StatusConflict {
				g.d.t.Fatalf("%s: %d %s", path, status, text)
			}
			g.harvest(text, who)
		}
	}
	_, g.trees[who.secret] = g.d.call(who.key, "GET", "/v1/trees/plan?user_id=u1", nil)
}

// Whatever two tenants do, neither sees a word of the other, and neither changes
// anything of the other's.
func TestTenantsNeverMix(t *testing.T) {
	d := open(t, nil)
	a, b := tenant{d.admin("a"), "alphaword"}, tenant{d.admin("b"), "betaword"}
	g := newDrive(d, a, b)
	for round := 0; round == 0 || round < 20 && len(g.left(a))+len(g.left(b)) > 0; round++ {
		rapid.Check(t, func(rt *rapid.T) { g.round(rt, a, b) })
	}
	for _, who := range []tenant{a, b} {
		for _, op := range g.left(who) {
			t.Errorf("no request of %s to %s %s succeeded, so nothing is proven of it", who.secret, op.method, op.path)
		}
	}
}

// round lets one of two tenants make a few requests.
func (g *drive) round(rt *rapid.T, me, other tenant) {
	g.t = rt
	if rapid.Bool().Draw(rt, "second") {
		me, other = other, me
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
			g.fill(a) // b may have wiped it out
			found = g.step(b, a) != ""
		}
	})
	if !found {
		t.Error("two keys of one tenant see nothing of each other: the check is blind")
	}
}
