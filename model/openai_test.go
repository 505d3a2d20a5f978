package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/model"
)

const testKey = "sk-test-0123456789abcdefghij"

// fakeClock never waits and remembers how long it was asked to.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	pauses []time.Duration
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauses = append(c.pauses, d)
	c.now = c.now.Add(d)
	return ctx.Err()
}

// endpoint is a server's address with short waits.
func endpoint(url string) model.Endpoint {
	return model.Endpoint{
		BaseURL: url + "/v1",
		Key:     testKey,
		Model:   "m",
		Timeout: 300 * time.Millisecond,
		Retries: 2,
		Clock:   &fakeClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		Jitter:  func() float64 { return 0 },
	}
}

// serve starts a server and returns a client of it.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*model.Endpoint)) *model.OpenAI {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	e := endpoint(server.URL)
	for _, f := range change {
		f(&e)
	}
	client, err := model.NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func ask(text string) model.Request {
	return model.Request{Purpose: "test", Messages: []model.Message{{Role: model.User, Content: text}}}
}

func completion(text string) string {
	content, _ := json.Marshal(text)
	return fmt.Sprintf(`{"model":"m-1","choices":[{"message":{"content":%s},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":11,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":3}}}`, content)
}

func sendJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// wantTrouble checks the type, kind and trouble of an error, and that it does
// not hold the key.
func wantTrouble(t *testing.T, err error, trouble model.Trouble, kind daybook.Kind) *model.ServerError {
	t.Helper()
	se, ok := errors.AsType[*model.ServerError](err)
	if !ok {
		t.Fatalf("error %v is no ServerError", err)
	}
	if se.Trouble != trouble || daybook.KindOf(err) != kind {
		t.Fatalf("got %q, kind %v, want %q, %v: %v", se.Trouble, daybook.KindOf(err), trouble, kind, err)
	}
	wantNoKey(t, err)
	return se
}

func wantNoKey(t *testing.T, v any) {
	t.Helper()
	for _, text := range []string{fmt.Sprint(v), fmt.Sprintf("%+v", v), fmt.Sprintf("%#v", v)} {
		if strings.Contains(text, testKey) || strings.Contains(text, testKey[:12]) {
			t.Fatalf("the key shows: %s", text)
		}
	}
}

func TestComplete(t *testing.T) {
	var got map[string]any
	var auth, path string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		auth, path = r.Header.Get("Authorization"), r.URL.Path
		_ = json.NewDecoder(r.Body).Decode(&got)
		sendJSON(w, 200, completion("hello"))
	})
	req := ask("hi")
	req.MaxTokens, req.Temperature, req.Seed = 9, 0.5, 42
	reply, err := client.Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Reply{Text: "hello", Model: "m-1", Usage: model.Usage{In: 11, CachedIn: 3, Out: 7}}
	if reply != want {
		t.Errorf("got %+v, want %+v", reply, want)
	}
	if auth != "Bearer "+testKey || path != "/v1/chat/completions" {
		t.Errorf("got %q %q", auth, path)
	}
	if got["max_tokens"] != 9.0 || got["temperature"] != 0.5 || got["seed"] != 42.0 || got["model"] != "m" {
		t.Errorf("body %v", got)
	}
	if strings.Contains(fmt.Sprint(got), "test") {
		t.Errorf("the purpose was sent: %v", got)
	}
}

func TestCompleteRefusesBadRequests(t *testing.T) {
	client := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("server was called") })
	bad := map[string]model.Request{
		"no messages": {},
		"role":        {Messages: []model.Message{{Role: "wizard", Content: "x"}}},
		"max tokens":  {Messages: ask("x").Messages, MaxTokens: -1},
		"temperature": {Messages: ask("x").Messages, Temperature: 3},
	}
	for name, req := range bad {
		if _, err := client.Complete(t.Context(), req); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBadServers is the list of what real servers and gateways do wrong.
func TestBadServers(t *testing.T) {
	tests := map[string]struct {
		handler http.HandlerFunc
		trouble model.Trouble
		kind    daybook.Kind
		calls   int
	}{
		"html": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!DOCTYPE html><html><body>Welcome to nginx</body></html>")
		}, model.Garbled, daybook.Unavailable, 1},
		"html without content type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<html>login</html>")
		}, model.Garbled, daybook.Unavailable, 1},
		"html 502": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(502)
			_, _ = io.WriteString(w, "<html>Bad Gateway</html>")
		}, model.Broken, daybook.Unavailable, 3},
		"half a json": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 200, completion("hello")[:40])
		}, model.Garbled, daybook.Unavailable, 1},
		"body shorter than promised": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"choices":`)
		}, model.CutOff, daybook.Unavailable, 3},
		"empty": {func(http.ResponseWriter, *http.Request) {}, model.Garbled, daybook.Unavailable, 1},
		"null":  {func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, "null") }, model.Garbled, daybook.Unavailable, 1},
		"no choices": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 200, `{"choices":[]}`)
		}, model.Garbled, daybook.Unavailable, 1},
		"no content": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 200, `{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`)
		}, model.Garbled, daybook.Unavailable, 1},
		"other types": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 200, `{"choices":[{"message":{"content":{"a":1}}}]}`)
		}, model.Garbled, daybook.Unavailable, 1},
		"500": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 500, `{"error":{"message":"boom"}}`)
		}, model.Broken, daybook.Unavailable, 3},
		"error with 200": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 200, `{"error":{"message":"upstream is out"}}`)
		}, model.Broken, daybook.Unavailable, 1},
		"204": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, model.Garbled, daybook.Unavailable, 1},
		"429": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 429, `{"error":{"message":"slow down"}}`)
		}, model.RateLimited, daybook.Unavailable, 3},
		"out of money": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 429, `{"error":{"message":"pay","code":"insufficient_quota"}}`)
		}, model.Rejected, daybook.Invalid, 1},
		"401": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 401, `{"error":{"message":"bad key"}}`)
		}, model.Rejected, daybook.Invalid, 1},
		"404": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, model.Rejected, daybook.Invalid, 1},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
		}, model.Rejected, daybook.Invalid, 1},
		"reset": {func(w http.ResponseWriter, _ *http.Request) { reset(w) }, model.Unreachable, daybook.Unavailable, 3},
		"silence": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, model.TimedOut, daybook.Unavailable, 1},
		"silence after the headers": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"choices"`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, model.TimedOut, daybook.Unavailable, 1},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"x":"`)
			flood(w)
		}, model.TooLarge, daybook.Unavailable, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				test.handler(w, r)
			}, func(e *model.Endpoint) {
				if name == "huge" {
					e.Timeout = 20 * time.Second
				}
			})
			_, err := client.Complete(t.Context(), ask("hi"))
			wantTrouble(t, err, test.trouble, test.kind)
			if int(calls.Load()) != test.calls {
				t.Errorf("%d calls, want %d: %v", calls.Load(), test.calls, err)
			}
		})
	}
}

// reset breaks the connection without a reply.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// flood writes until the client has had enough.
func flood(w io.Writer) {
	block := []byte(strings.Repeat("x", 1<<16))
	for range 1 << 12 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func TestTolerantServers(t *testing.T) {
	tests := map[string]struct {
		contentType, body string
		want              model.Reply
	}{
		"wrong content type":  {"text/plain", completion("ok"), model.Reply{Text: "ok", Model: "m-1", Usage: model.Usage{In: 11, CachedIn: 3, Out: 7}}},
		"json called html":    {"text/html", completion("ok"), model.Reply{Text: "ok", Model: "m-1", Usage: model.Usage{In: 11, CachedIn: 3, Out: 7}}},
		"no usage, no model":  {"application/json", `{"choices":[{"message":{"content":"ok"}}]}`, model.Reply{Text: "ok", Model: "m"}},
		"deepseek's cache":    {"application/json", `{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":5,"prompt_cache_hit_tokens":4}}`, model.Reply{Text: "ok", Model: "m", Usage: model.Usage{In: 5, CachedIn: 4}}},
		"nonsense in usage":   {"application/json", `{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":-5,"prompt_cache_hit_tokens":4}}`, model.Reply{Text: "ok", Model: "m"}},
		"cut by length":       {"application/json", `{"choices":[{"message":{"content":"o"},"finish_reason":"length"}]}`, model.Reply{Text: "o", Model: "m", Stop: model.CutShort}},
		"content filter":      {"application/json", `{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`, model.Reply{Model: "m", Stop: model.Withheld}},
		"refusal":             {"application/json", `{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`, model.Reply{Model: "m", Stop: model.Withheld}},
		"empty but an answer": {"application/json", `{"choices":[{"message":{"content":""}}]}`, model.Reply{Model: "m"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				_, _ = io.WriteString(w, test.body)
			})
			reply, err := client.Complete(t.Context(), ask("hi"))
			if err != nil || reply != test.want {
				t.Errorf("got %+v, %v, want %+v", reply, err, test.want)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	tests := map[string]struct {
		header, value string
		want          time.Duration // 0: not waited for
	}{
		"seconds":      {"Retry-After", "7", 7 * time.Second},
		"milliseconds": {"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		"date":         {"Retry-After", "Fri, 02 Jan 2026 03:04:25 GMT", 20 * time.Second},
		"date gone by": {"Retry-After", "Fri, 02 Jan 2026 03:04:00 GMT", 250 * time.Millisecond},
		"nonsense":     {"Retry-After", "soon", 250 * time.Millisecond},
		"negative":     {"Retry-After", "-7", 250 * time.Millisecond},
		"nan":          {"Retry-After", "NaN", 250 * time.Millisecond},
		"too long":     {"Retry-After", "3600", 0},
		"absurd":       {"Retry-After", "1e300", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			clock := &fakeClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					w.Header().Set(test.header, test.value)
					w.WriteHeader(429)
					return
				}
				sendJSON(w, 200, completion("ok"))
			}, func(e *model.Endpoint) { e.Clock = clock })
			_, err := client.Complete(t.Context(), ask("hi"))
			if test.want == 0 {
				se := wantTrouble(t, err, model.RateLimited, daybook.Unavailable)
				if se.RetryAfter < time.Hour || calls.Load() != 1 {
					t.Errorf("retry after %v, %d calls", se.RetryAfter, calls.Load())
				}
				return
			}
			if err != nil || len(clock.pauses) != 1 || clock.pauses[0] != test.want {
				t.Errorf("pauses %v, %v, want %v", clock.pauses, err, test.want)
			}
		})
	}
}

func TestBackoffDoublesWithJitter(t *testing.T) {
	clock := &fakeClock{}
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		func(e *model.Endpoint) {
			e.Clock, e.Retries, e.Jitter = clock, 3, func() float64 { return 0.5 }
		})
	_, err := client.Complete(t.Context(), ask("hi"))
	wantTrouble(t, err, model.Broken, daybook.Unavailable)
	want := []time.Duration{375 * time.Millisecond, 750 * time.Millisecond, 1500 * time.Millisecond}
	if fmt.Sprint(clock.pauses) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", clock.pauses, want)
	}
}

func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(nil)
	e := endpoint(server.URL)
	server.Close()
	clock := &fakeClock{}
	e.Clock = clock
	client, err := model.NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Complete(t.Context(), ask("hi"))
	wantTrouble(t, err, model.Unreachable, daybook.Unavailable)
	if len(clock.pauses) != 0 {
		t.Errorf("waited %v for nobody", clock.pauses)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	_, err := client.Complete(ctx, ask("hi"))
	if !errors.Is(err, context.Canceled) || daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("got %v, kind %v", err, daybook.KindOf(err))
	}
}

func TestConcurrencyLimit(t *testing.T) {
	var now, most atomic.Int64
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(10 * time.Millisecond)
		sendJSON(w, 200, completion("ok"))
	}, func(e *model.Endpoint) { e.Concurrency, e.Timeout = 3, 10*time.Second })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := client.Complete(t.Context(), ask("hi")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 {
		t.Errorf("%d calls at once, want at most 3", most.Load())
	}
}

func TestWaitForSlotEndsWithContext(t *testing.T) {
	started := make(chan struct{})
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(started)
		<-r.Context().Done()
	}, func(e *model.Endpoint) { e.Concurrency = 1 })
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.Complete(context.Background(), ask("first"))
	}()
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := client.Complete(ctx, ask("second")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	<-done
}

var answerSchema = model.MustSchema("answer", `{
	"type": "object",
	"properties": {"word": {"type": "string"}, "n": {"type": "integer", "minimum": 0}},
	"required": ["word", "n"],
	"additionalProperties": false
}`)

type answer struct {
	Word string `json:"word"`
	N    int    `json:"n"`
}

// TestFormatLadder has a server refuse ever more, and checks that what works is
// remembered.
func TestFormatLadder(t *testing.T) {
	var bodies []map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		bodies = append(bodies, body)
		if format, ok := body["response_format"].(map[string]any); ok {
			sendJSON(w, 400, fmt.Sprintf(`{"error":{"message":"response_format type %s is unavailable now"}}`, format["type"]))
			return
		}
		sendJSON(w, 200, completion(`{"word":"yes","n":1}`))
	})
	req := ask("hi")
	req.Schema = answerSchema
	for range 2 {
		got, _, err := model.CompleteJSON[answer](t.Context(), client, req, 1)
		if err != nil || got != (answer{"yes", 1}) {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if len(bodies) != 4 {
		t.Fatalf("%d calls, want 3 and then 1", len(bodies))
	}
	first := bodies[0]["response_format"].(map[string]any)
	if schema := first["json_schema"].(map[string]any); first["type"] != "json_schema" || schema["strict"] != true || schema["name"] != "answer" {
		t.Errorf("first asked with %v", first)
	}
	if second := bodies[1]["response_format"].(map[string]any); second["type"] != "json_object" {
		t.Errorf("then with %v", second)
	}
	for _, body := range bodies[1:] {
		system := body["messages"].([]any)[0].(map[string]any)
		if system["role"] != "system" || !strings.Contains(system["content"].(string), answerSchema.String()) {
			t.Errorf("no schema in the prompt: %v", body)
		}
	}
}

func TestParametersAreDroppedWhenRefused(t *testing.T) {
	var last map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		last = nil
		_ = json.NewDecoder(r.Body).Decode(&last)
		for _, name := range []string{"max_tokens", "temperature", "seed"} {
			if _, ok := last[name]; ok {
				sendJSON(w, 400, fmt.Sprintf(`{"error":{"message":"Unsupported parameter: '%s' is not supported with this model.","param":"%s"}}`, name, name))
				return
			}
		}
		sendJSON(w, 200, completion("ok"))
	})
	req := ask("hi")
	req.MaxTokens, req.Seed = 5, 1
	if _, err := client.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if last["max_completion_tokens"] != 5.0 {
		t.Errorf("last asked with %v", last)
	}
}

func TestBadValueIsNotNegotiated(t *testing.T) {
	var calls atomic.Int64
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		sendJSON(w, 400, `{"error":{"message":"max_tokens is too large: 5"}}`)
	})
	req := ask("hi")
	req.MaxTokens = 5
	_, err := client.Complete(t.Context(), req)
	wantTrouble(t, err, model.Rejected, daybook.Invalid)
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
}
