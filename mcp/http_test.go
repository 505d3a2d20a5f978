package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/mcp"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve offers an engine at /mcp and /mcp/{user}, to callers with the key.
func serve(t testing.TB, e *engine.Engine) *httptest.Server {
	t.Helper()
	h := mcp.New(e, "test", quiet).Handler(func(w http.ResponseWriter, r *http.Request) (mcp.Reach, bool) {
		if r.Header.Get("X-API-Key") != "key" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return mcp.Reach{}, false
		}
		reach := mcp.Reach{Scope: daybook.Scope{User: r.PathValue("user")}, Author: "mcp"}
		if reach.Scope.User == "" {
			reach.User = func(string) error { return nil }
		}
		return reach, true
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/mcp/{user}", h)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// withKey sends a key with every request.
type withKey struct{ key string }

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t testing.TB, url, key string) (*client, error) {
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(),
		&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withKey{key}}}, nil)
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return &client{t, s}, err
}

func TestHTTP(t *testing.T) {
	e := newEngine(t)
	s := serve(t, e)
	ana, err := dial(t, s.URL+"/mcp/Ana", "key")
	if err != nil {
		t.Fatal(err)
	}
	ben, err := dial(t, s.URL+"/mcp/Ben", "key")
	if err != nil {
		t.Fatal(err)
	}
	ana.call("remember", args{"text": "My dentist is Dr. Weiss."})
	if _, text := ana.call("recall", args{"query": "dentist"}); !strings.Contains(text, "Weiss") {
		t.Errorf("Ana finds\n%s", text)
	}
	if _, text := ben.call("recall", args{"query": "dentist"}); strings.Contains(text, "Weiss") {
		t.Errorf("Ben finds\n%s", text)
	}
	both, err := dial(t, s.URL+"/mcp", "key")
	if err != nil {
		t.Fatal(err)
	}
	if _, text := both.call("facts", args{"user": "Ana"}); !strings.Contains(text, "Weiss") {
		t.Errorf("the open address finds\n%s", text)
	}
	if _, err := dial(t, s.URL+"/mcp/Ana", "wrong"); err == nil {
		t.Error("a wrong key is let in")
	}
}

// A session id that one user was given, or made up, does not open another's memory.
func TestHTTPKeepsNoSession(t *testing.T) {
	s := serve(t, newEngine(t))
	ana, err := dial(t, s.URL+"/mcp/Ana", "key")
	if err != nil {
		t.Fatal(err)
	}
	ana.call("remember", args{"text": "My dentist is Dr. Weiss."})
	for _, id := range []string{ana.ID(), "made-up"} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"dentist"}}}`
		req, _ := http.NewRequest(http.MethodPost, s.URL+"/mcp/Ben", strings.NewReader(body))
		for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-API-Key": "key", "Mcp-Session-Id": id} {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var said json.RawMessage
		_ = json.NewDecoder(res.Body).Decode(&said)
		_ = res.Body.Close()
		if strings.Contains(string(said), "Weiss") {
			t.Errorf("with session %q Ben is given %s", id, said)
		}
	}
}

// A page of another site cannot call through the user's browser.
func TestHTTPCrossOrigin(t *testing.T) {
	s := serve(t, newEngine(t))
	req, _ := http.NewRequest(http.MethodPost, s.URL+"/mcp/Ana", strings.NewReader(`{}`))
	for k, v := range map[string]string{"Content-Type": "application/json", "X-API-Key": "key", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", res.StatusCode)
	}
}

// Many clients of many users at once each find their own.
func TestHTTPMany(t *testing.T) {
	s := serve(t, newEngine(t))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			user := fmt.Sprintf("user%d", i)
			c, err := dial(t, s.URL+"/mcp/"+user, "key")
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				if _, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "remember", Arguments: args{"text": "My code word is " + user + "."}}); err != nil {
					t.Error(err)
				}
			}
			res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "recall", Arguments: args{"query": "code word"}})
			if err != nil || res.IsError {
				t.Errorf("%v %v", res, err)
				return
			}
			said, _ := json.Marshal(res.StructuredContent)
			for j := range 8 {
				if other := fmt.Sprintf("user%d", j); strings.Contains(string(said), other) != (i == j) {
					t.Errorf("%s is given %s", user, said)
				}
			}
		})
	}
	wait.Wait()
}

// BenchmarkServer is what each HTTP request pays for a server of its own.
func BenchmarkServer(b *testing.B) {
	s := serve(b, newEngine(b))
	c, err := dial(b, s.URL+"/mcp/Ana", "key")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.ListTools(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
