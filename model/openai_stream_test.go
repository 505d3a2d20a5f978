package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/model"
)

// sse sends events and flushes each.
func sse(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", e)
		w.(http.Flusher).Flush()
	}
}

func piece(text string) string {
	return fmt.Sprintf(`{"model":"m-1","choices":[{"delta":{"content":%q}}]}`, text)
}

const lastPiece = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
const usagePiece = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`

// collect reads a stream to its end.
func collect(ctx context.Context, c model.Completer) (text string, reply *model.Reply, err error) {
	for chunk, e := range model.Stream(ctx, c, ask("hi")) {
		text += chunk.Text
		if chunk.Reply != nil {
			reply = chunk.Reply
		}
		err = e
	}
	return text, reply, err
}

func TestStream(t *testing.T) {
	var body []byte
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		sse(w, piece("Hel"), piece("lo"), lastPiece, usagePiece, "[DONE]")
	})
	text, reply, err := collect(t.Context(), client)
	if err != nil || text != "Hello" {
		t.Fatalf("got %q, %v", text, err)
	}
	want := model.Reply{Text: "Hello", Model: "m-1", Usage: model.Usage{In: 3, Out: 2}}
	if reply == nil || *reply != want {
		t.Errorf("got %+v, want %+v", reply, want)
	}
	if !strings.Contains(string(body), `"stream":true`) || !strings.Contains(string(body), `"include_usage":true`) {
		t.Errorf("asked with %s", body)
	}
}

func TestStreamWholeReply(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, completion("all at once")) })
	text, reply, err := collect(t.Context(), client)
	if err != nil || text != "all at once" || reply == nil || reply.Usage.Out != 7 {
		t.Errorf("got %q, %+v, %v", text, reply, err)
	}
}

func TestStreamOfPlainCompleter(t *testing.T) {
	text, reply, err := collect(t.Context(), canned("plain"))
	if err != nil || text != "plain" || reply == nil || reply.Text != "plain" {
		t.Errorf("got %q, %+v, %v", text, reply, err)
	}
}

func TestBadStreams(t *testing.T) {
	tests := map[string]struct {
		handler http.HandlerFunc
		trouble model.Trouble
		text    string
	}{
		"cut half way": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w, piece("Hel"))
		}, model.CutOff, "Hel"},
		"cut in an event": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w, piece("Hel"))
			_, _ = io.WriteString(w, `data: {"choi`)
		}, model.CutOff, "Hel"},
		"connection lost": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w, piece("Hel"))
			reset(w)
		}, model.CutOff, "Hel"},
		"half a json in an event": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w, piece("Hel"), `{"choices":[`, "[DONE]")
		}, model.Garbled, "Hel"},
		"error in the stream": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w, piece("Hel"), `{"error":{"message":"out of memory"}}`)
		}, model.Broken, "Hel"},
		"stall": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			sse(w, piece("Hel"))
			<-r.Context().Done()
		}, model.TimedOut, "Hel"},
		"silence": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, model.TimedOut, ""},
		"html": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>hello</html>")
		}, model.Garbled, ""},
		"huge event": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			_, _ = io.WriteString(w, "data: ")
			flood(w)
		}, model.TooLarge, ""},
		"endless comments": {func(w http.ResponseWriter, _ *http.Request) {
			sse(w)
			for range 1 << 12 {
				if _, err := io.WriteString(w, strings.Repeat(": ping\n", 1<<10)); err != nil {
					return
				}
			}
		}, model.TooLarge, ""},
		"500": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, model.Broken, ""},
		"429": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, model.RateLimited, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, test.handler, func(e *model.Endpoint) {
				if test.trouble == model.TooLarge {
					e.Timeout = 20 * time.Second
				}
			})
			text, reply, err := collect(t.Context(), client)
			wantTrouble(t, err, test.trouble, daybook.Unavailable)
			if text != test.text || reply != nil {
				t.Errorf("got %q, %+v", text, reply)
			}
		})
	}
}

func TestStreamMayBeSlowAsAWhole(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 8 {
			sse(w, piece("x"))
			time.Sleep(60 * time.Millisecond)
		}
		sse(w, lastPiece, "[DONE]")
	}, func(e *model.Endpoint) { e.Timeout = 250 * time.Millisecond })
	if text, _, err := collect(t.Context(), client); err != nil || text != "xxxxxxxx" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestStreamBreakOff(t *testing.T) {
	gone := make(chan struct{})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		sse(w, piece("one"))
		<-r.Context().Done()
		close(gone)
	}, func(e *model.Endpoint) { e.Concurrency, e.Timeout = 1, 10*time.Second })
	for chunk, err := range client.Stream(t.Context(), ask("hi")) {
		if err != nil || chunk.Text != "one" {
			t.Fatalf("got %+v, %v", chunk, err)
		}
		break
	}
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Fatal("the call goes on after the loop")
	}
}

func TestStreamCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		sse(w, piece("one"))
		<-r.Context().Done()
	}, func(e *model.Endpoint) { e.Timeout = 10 * time.Second })
	var last error
	for _, err := range client.Stream(ctx, ask("hi")) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) || daybook.KindOf(last) != daybook.Unavailable {
		t.Errorf("got %v", last)
	}
}
