package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"daybook/server"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is one of two tenants' agents that share a server.
type agent struct {
	key    string
	secret string // stands in all that it writes
	ids    []string
	done   map[string]int // calls that succeeded, by what was called
}

// withHeader sends a key with every request.
type withHeader struct{ key string }

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", h.key)
	return http.DefaultTransport.RoundTrip(r)
}

// dial opens the memory at an address.
func (a *agent) dial(t *testing.T, url string) *sdk.ClientSession {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withHeader{a.key}}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// agentTools are what is tried of each tool, with an id that either tenant was given.
var agentTools = map[string]func(r *rand.Rand, secret, id string) map[string]any{
	"remember": func(r *rand.Rand, secret, id string) map[string]any {
		return map[string]any{"text": fmt.Sprintf("My code word %d is %s, and I live in %s.", r.IntN(100), secret, secret)}
	},
	"recall": func(r *rand.Rand, secret, id string) map[string]any {
		return map[string]any{"query": pick(r, []string{"What is my code word?", "Where does anybody live?", id})}
	},
	"ask": func(r *rand.Rand, secret, id string) map[string]any {
		return map[string]any{"question": pick(r, []string{"What is my code word?", "Where do I live?", "Which words are there?"})}
	},
	"facts": func(r *rand.Rand, secret, id string) map[string]any {
		return pick2(r, map[string]any{"all": true}, map[string]any{"subject": pick(r, []string{"u1", "u2", id})})
	},
	"history": func(r *rand.Rand, secret, id string) map[string]any {
		return pick2(r, map[string]any{"subject": pick(r, []string{"u1", "u2", id})}, map[string]any{"since": pick(r, []string{"2020-01-01", id})})
	},
	"query": func(r *rand.Rand, secret, id string) map[string]any {
		return pick2(r, map[string]any{"query": pick(r, []string{"//*", "/Memory/Session/Note", `//Note[node~="word"]`})}, map[string]any{"query": "//*", "tree": "plan"})
	},
	"tree": func(r *rand.Rand, secret, id string) map[string]any {
		return pick2(r, map[string]any{"name": "plan", "content": "# Plan\n\n- [ ] " + secret + "\n"}, pick2(r, map[string]any{}, map[string]any{"name": "plan", "request": "show all tasks"}))
	},
	"forget": func(r *rand.Rand, secret, id string) map[string]any {
		return map[string]any{"ids": []string{id}, "withdraw": r.IntN(2) == 0}
	},
}

func pick2(r *rand.Rand, a, b map[string]any) map[string]any {
	if r.IntN(2) == 0 {
		return a
	}
	return b
}

var agentIDs = regexp.MustCompile(`(note|fact|event|ent)_[0-9a-z]{16,}|\b[0-9a-f]{64}\b`)

// Whatever the agents of two tenants call, over /mcp and over /mcp/USER, neither sees a
// word of the other. Every tool, resource and prompt succeeds for both at least once.
func TestAgentsOfTenantsNeverMix(t *testing.T) {
	home := t.TempDir()
	e := openHome(t, home)
	keys, err := server.OpenKeys(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	both := []*agent{{secret: "alphaword"}, {secret: "betaword"}}
	for _, a := range both {
		a.done = map[string]int{}
		if a.key, _, err = keys.Create(t.Context(), server.Key{Tenant: a.secret, Right: server.Write}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	s := serveProcess(t, home)
	refusedWithoutKey(t, s.url)
	r := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for _, path := range []string{"/mcp", "/mcp/u1"} {
		for i, a := range both {
			a.act(t, a.dial(t, s.url+path), path, r, both[1-i])
		}
		for i, a := range both { // the first knows the ids of the second by now
			a.act(t, a.dial(t, s.url+path), path, r, both[1-i])
		}
	}
	s.stop()
	for _, a := range both {
		audited(t, home, a)
	}
}

// act calls everything, and goes on with what did not succeed.
func (a *agent) act(t *testing.T, s *sdk.ClientSession, path string, r *rand.Rand, other *agent) {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list.Tools, func(x, y *sdk.Tool) int { return strings.Compare(y.Name, x.Name) }) // remember before forget
	for _, tool := range list.Tools {
		args, ok := agentTools[tool.Name]
		if !ok {
			t.Fatalf("nothing is tried of the tool %s", tool.Name)
		}
		name := path + " " + tool.Name
		for try := 0; try < 4 || a.done[name] == 0 && try < 200; try++ {
			in := args(r, a.secret, a.id(r, other))
			if path == "/mcp" {
				in["user"] = pick(r, []string{"u1", "u2"})
			}
			res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: in})
			a.judge(t, name, in, res, err, err == nil && !res.IsError, other)
		}
	}
	a.read(t, s, path, other)
	for name := range agentTools {
		if a.done[path+" "+name] == 0 {
			t.Errorf("no call of %s %s by %s succeeded, so nothing is proven of it", path, name, a.secret)
		}
	}
}

// read reads the resources and the prompt.
func (a *agent) read(t *testing.T, s *sdk.ClientSession, path string, other *agent) {
	ctx := context.Background()
	for _, part := range []string{"profile", "changes"} {
		uri := "daybook://memory/" + part
		if path == "/mcp" {
			uri = "daybook://users/u1/" + part
		}
		res, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		a.judge(t, path+" "+part, uri, res, err, err == nil, other)
	}
	in := map[string]string{"question": "What is my code word?"}
	if path == "/mcp" {
		in["user"] = "u1"
	}
	res, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: "answer_from_memory", Arguments: in})
	a.judge(t, path+" prompt", in, res, err, err == nil, other)
	for _, what := range []string{"profile", "changes", "prompt"} {
		if a.done[path+" "+what] == 0 {
			t.Errorf("%s of %s: %v", what, a.secret, err)
		}
	}
}

// id is one that the agent was given, or the other.
func (a *agent) id(r *rand.Rand, other *agent) string {
	from := slices.Concat(a.ids[max(0, len(a.ids)-20):], other.ids[max(0, len(other.ids)-20):], []string{"HEAD"})
	return pick(r, from)
}

// judge counts a call, and fails where its result has a word of the other.
func (a *agent) judge(t *testing.T, name string, in, res any, err error, succeeded bool, other *agent) {
	t.Helper()
	data, _ := json.Marshal(res)
	text := string(data) + fmt.Sprint(err)
	if strings.Contains(text, other.secret) {
		t.Fatalf("%s is shown what is the other's by %s %v: %s", a.secret, name, in, text)
	}
	if succeeded {
		a.done[name]++
		a.ids = append(a.ids, agentIDs.FindAllString(text, 5)...)
	}
}

// refusedWithoutKey knocks at both doors for agents without a key, and with a wrong one.
func refusedWithoutKey(t *testing.T, url string) {
	t.Helper()
	for _, path := range []string{"/mcp", "/mcp/u1"} {
		for _, key := range []string{"", "dbk_x_y"} {
			req, err := http.NewRequest(http.MethodPost, url+path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-API-Key", key)
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with key %q: %d", path, key, res.StatusCode)
			}
		}
	}
}

// audited checks that what an agent wrote is in the audit log, with whose memory it was.
func audited(t *testing.T, home string, a *agent) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(must(t, home, "audit", "--limit", "100000")) {
		var l struct{ Path, Tenant, User string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(l.Path, "/mcp") && l.Tenant == a.secret && (l.User == "u1" || l.User == "u2") {
			lines++
		}
	}
	wrote := 0
	for name, n := range a.done {
		if strings.HasSuffix(name, "remember") || strings.HasSuffix(name, "forget") || strings.HasSuffix(name, "tree") {
			wrote += n
		}
	}
	if lines < wrote {
		t.Errorf("%s wrote %d times, and the audit log has %d lines", a.secret, wrote, lines)
	}
}
