package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"daybook"
	"daybook/model"
)

func env(vars ...string) func(string) string {
	return func(name string) string {
		for _, v := range vars {
			if key, value, _ := strings.Cut(v, "="); key == name {
				return value
			}
		}
		return ""
	}
}

func TestChatEndpoint(t *testing.T) {
	tests := map[string]struct {
		env             []string
		base, key, name string
		kind            daybook.Kind // when base is empty
	}{
		"openai":            {[]string{"OPENAI_API_KEY=k1", "OPENAI_MODEL=gpt"}, "https://api.openai.com/v1", "k1", "gpt", 0},
		"openai elsewhere":  {[]string{"OPENAI_BASE_URL=http://h/v1", "OPENAI_API_KEY=k1", "OPENAI_MODEL=gpt"}, "http://h/v1", "k1", "gpt", 0},
		"daybook wins":      {[]string{"OPENAI_BASE_URL=http://h/v1", "OPENAI_API_KEY=k1", "OPENAI_MODEL=gpt", "DAYBOOK_LLM_BASE_URL=http://d/v1", "DAYBOOK_LLM_API_KEY=k2", "DAYBOOK_LLM_MODEL=q"}, "http://d/v1", "k2", "q", 0},
		"key stays at home": {[]string{"OPENAI_API_KEY=k1", "DAYBOOK_LLM_BASE_URL=http://d/v1", "DAYBOOK_LLM_MODEL=q"}, "http://d/v1", "", "q", 0},
		"own model only":    {[]string{"OPENAI_API_KEY=k1", "DAYBOOK_LLM_MODEL=q"}, "https://api.openai.com/v1", "k1", "q", 0},
		"nothing":           {nil, "", "", "", daybook.NotFound},
		"a key lies about":  {[]string{"OPENAI_API_KEY=k1"}, "", "", "", daybook.NotFound},
		"no model":          {[]string{"DAYBOOK_LLM_BASE_URL=http://d/v1"}, "", "", "", daybook.Invalid},
		"bad address":       {[]string{"DAYBOOK_LLM_BASE_URL=localhost", "DAYBOOK_LLM_MODEL=q"}, "", "", "", daybook.Invalid},
		"bad scheme":        {[]string{"DAYBOOK_LLM_BASE_URL=file:///etc", "DAYBOOK_LLM_MODEL=q"}, "", "", "", daybook.Invalid},
		"bad key":           {[]string{"OPENAI_API_KEY=a\nb", "OPENAI_MODEL=q"}, "", "", "", daybook.Invalid},
		"bad time-out":      {[]string{"OPENAI_MODEL=q", "DAYBOOK_LLM_TIMEOUT=fast"}, "", "", "", daybook.Invalid},
		"bad concurrency":   {[]string{"OPENAI_MODEL=q", "DAYBOOK_LLM_CONCURRENCY=0"}, "", "", "", daybook.Invalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := model.ChatEndpoint(env(test.env...))
			if test.base == "" {
				if err == nil || daybook.KindOf(err) != test.kind {
					t.Fatalf("got %v, %v, want kind %v", e, err, test.kind)
				}
				return
			}
			if err != nil || e.BaseURL != test.base || string(e.Key) != test.key || e.Model != test.name {
				t.Errorf("got %q %q %q, %v", e.BaseURL, string(e.Key), e.Model, err)
			}
		})
	}
}

func TestEmbedEndpoint(t *testing.T) {
	e, err := model.EmbedEndpoint(env("DAYBOOK_LLM_BASE_URL=http://d/v1", "DAYBOOK_LLM_API_KEY=k2", "DAYBOOK_LLM_MODEL=chat",
		"DAYBOOK_EMBED_MODEL=bge", "DAYBOOK_EMBED_DIM=384", "DAYBOOK_EMBED_TIMEOUT=5s", "DAYBOOK_EMBED_CONCURRENCY=2"))
	if err != nil || e.BaseURL != "http://d/v1" || string(e.Key) != "k2" || e.Model != "bge" || e.Dim != 384 || e.Timeout != 5*time.Second || e.Concurrency != 2 {
		t.Errorf("got %+v, %v", e, err)
	}
	if e.QueryPrefix != "" || e.PassagePrefix != "" {
		t.Errorf("prefixes %q and %q that nobody gave", e.QueryPrefix, e.PassagePrefix)
	}
	e, err = model.EmbedEndpoint(env("DAYBOOK_EMBED_MODEL=e5", "DAYBOOK_EMBED_QUERY_PREFIX=query: ", "DAYBOOK_EMBED_PASSAGE_PREFIX=passage: "))
	if err != nil || e.QueryPrefix != "query: " || e.PassagePrefix != "passage: " {
		t.Errorf("prefixes %q and %q, %v", e.QueryPrefix, e.PassagePrefix, err)
	}
	if _, err := model.EmbedEndpoint(env("OPENAI_API_KEY=k", "OPENAI_MODEL=chat")); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("a chat model was taken for an encoder: %v", err)
	}
	if _, err := model.EmbedEndpoint(env("DAYBOOK_EMBED_MODEL=m", "DAYBOOK_EMBED_DIM=-1")); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestSecretsNeverShow looks for the key wherever an Endpoint may be printed.
func TestSecretsNeverShow(t *testing.T) {
	e := endpoint("http://user:" + testKey + "@localhost")
	wantNoKey(t, e)
	wantNoKey(t, &e)
	if got := fmt.Sprint(e); got != "m at localhost" {
		t.Errorf("got %q", got)
	}
	data, err := json.Marshal(struct{ Key model.Secret }{e.Key})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "key", e.Key, "all", e)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "key", e.Key, "struct", struct{ K model.Secret }{e.Key}, "all", e)
	for _, text := range []string{string(data), log.String(), fmt.Sprintf("%s %v %q %x %d", e.Key, e.Key, e.Key, e.Key, e.Key)} {
		if strings.Contains(text, testKey) || strings.Contains(text, fmt.Sprintf("%x", testKey)) {
			t.Errorf("the key shows: %s", text)
		}
	}
}

// TestServerEchoesSecrets has a server send back everything it was sent, in
// every place that ends up in an error or a reply.
func TestServerEchoesSecrets(t *testing.T) {
	const password = "pa55word-in-the-url"
	const query = "query-secret-value"
	echo := func(r *http.Request) string {
		return fmt.Sprint("you sent ", r.Header, " to ", r.URL.String(), " ", testKey, " ", password, " user:"+password, " ", query, strings.Repeat("x", 290-20), testKey)
	}
	handlers := map[string]http.HandlerFunc{
		"json 401":  func(w http.ResponseWriter, r *http.Request) { sendJSON(w, 401, errorJSON(echo(r))) },
		"json 500":  func(w http.ResponseWriter, r *http.Request) { sendJSON(w, 500, errorJSON(echo(r))) },
		"plain 400": func(w http.ResponseWriter, r *http.Request) { http.Error(w, echo(r), 400) },
		"cut key": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, strings.Repeat("y", 300-10)+testKey, 400)
		},
		"detail":   func(w http.ResponseWriter, r *http.Request) { sendJSON(w, 422, `{"detail":[{"msg":"`+testKey+`"}]}`) },
		"200":      func(w http.ResponseWriter, r *http.Request) { sendJSON(w, 200, errorJSON(echo(r))) },
		"not json": func(w http.ResponseWriter, r *http.Request) { sendJSON(w, 200, testKey) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/"+testKey, http.StatusTemporaryRedirect)
		},
		"stream": func(w http.ResponseWriter, r *http.Request) {
			sse(w, errorJSON(echo(r)))
		},
		"masked": func(w http.ResponseWriter, r *http.Request) {
			sendJSON(w, 401, errorJSON("bad key sk-test-0123*****ghij"))
		},
		"no length": func(w http.ResponseWriter, r *http.Request) { reset(w) },
		"reply": func(w http.ResponseWriter, r *http.Request) {
			reply := completion("your key is " + testKey + ", " + password)
			sendJSON(w, 200, strings.Replace(reply, "m-1", testKey, 1))
		},
	}
	for name, handler := range handlers {
		for _, key := range []model.Secret{testKey, ""} {
			t.Run(fmt.Sprint(name, " with key ", key != ""), func(t *testing.T) {
				server := httptest.NewServer(handler)
				defer server.Close()
				e := endpoint(strings.Replace(server.URL, "http://", "http://user:"+password+"@", 1))
				e.BaseURL += "?api-key=" + query
				e.Key = key
				if key == "" && (name != "json 401" && name != "plain 400" && name != "no length") {
					t.Skip("the server knows no key")
				}
				var shown strings.Builder
				useEverywhere(t, e, &shown)
				for _, secret := range []string{testKey, testKey[:12], password, query} {
					if key == "" && strings.HasPrefix(testKey, secret) {
						continue // not ours then
					}
					if strings.Contains(shown.String(), secret) {
						t.Errorf("%q shows in:\n%s", secret, shown.String())
					}
				}
			})
		}
	}
}

func errorJSON(message string) string {
	text, _ := json.Marshal(message)
	return fmt.Sprintf(`{"error":{"message":%s}}`, text)
}

// useEverywhere calls the endpoint in every way, and gathers all that is
// returned, printed in full, and recorded.
func useEverywhere(t *testing.T, e model.Endpoint, shown *strings.Builder) {
	t.Helper()
	client, err := model.NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	enc, err := model.NewOpenAIEncoder(e)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	tape, err := model.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	budget := model.NewBudget(0, nil)
	completer := budget.Completer(tape.Completer(client, "m"), "m")
	reply, err := completer.Complete(t.Context(), ask("hi"))
	fmt.Fprintf(shown, "%+v %v %+v %#v\n", reply, err, err, err)
	if se, ok := err.(interface{ Unwrap() error }); ok {
		fmt.Fprintf(shown, "%+v\n", se.Unwrap())
	}
	for chunk, err := range client.Stream(t.Context(), ask("hi")) {
		fmt.Fprintf(shown, "%+v %v\n", chunk, err)
	}
	vectors, err := enc.Encode(t.Context(), model.AsText, []string{"hi"})
	fmt.Fprintf(shown, "%+v %+v %s\n", vectors, err, enc.ID())
	fmt.Fprintf(shown, "%+v\n", budget.Snapshot())
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown.Write(data)
}

// TestNoGoroutineLeaks goes through the servers that leave things half done.
func TestNoGoroutineLeaks(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	handlers := []http.HandlerFunc{
		func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		func(w http.ResponseWriter, _ *http.Request) { reset(w) },
		func(w http.ResponseWriter, _ *http.Request) { sse(w, piece("x")) },
		func(w http.ResponseWriter, r *http.Request) {
			sse(w, piece("x"))
			<-r.Context().Done()
		},
		func(w http.ResponseWriter, _ *http.Request) { sse(w, piece("x"), lastPiece, "[DONE]", "trailing") },
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, "{") },
	}
	for _, handler := range handlers {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body [1 << 12]byte
			_, _ = r.Body.Read(body[:])
			handler(w, r)
		}))
		e := endpoint(server.URL)
		e.Timeout = 50 * time.Millisecond
		client, err := model.NewOpenAI(e)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.Complete(t.Context(), ask("hi"))
		_, _, _ = collect(t.Context(), client)
		for range client.Stream(t.Context(), ask("hi")) {
			break
		}
		client.Close()
		server.Close()
	}
}
