package model

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzSSE checks that events come out the same however the bytes arrive, and
// that every line of data in a finished event comes out once.
func FuzzSSE(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "data: a\r\n\r\n", "data: a\r\r", "data:a\ndata:b\n\n", ": ping\n\ndata: x\n\n", "event: m\nid: 1\ndata: x\n\n",
		"data: cut", "data\n\n", "\ufeffdata: x\n\n", "data: a\n\r\n", "\n\n\n", "data: [DONE]\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := gather(t, strings.NewReader(text))
		dripped := gather(t, iotest.OneByteReader(strings.NewReader(text)))
		if strings.Join(whole, "\x00") != strings.Join(dripped, "\x00") || len(whole) != len(dripped) {
			t.Fatalf("%q: %q at once, %q byte by byte", text, whole, dripped)
		}
		lines := 0
		for _, e := range whole {
			lines += strings.Count(e, "\n") + 1
		}
		if lines > strings.Count(text, "data:") {
			t.Fatalf("%q gave %q", text, whole)
		}
	})
}

func gather(t *testing.T, r io.Reader) []string {
	t.Helper()
	var all []string
	for data, err := range events(r) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

func TestEvents(t *testing.T) {
	tests := map[string][]string{
		"data: a\n\ndata: b\n\n":               {"a", "b"},
		"data: a\r\n\r\ndata:b\r\r":            {"a", "b"},
		"data: a\ndata: b\n\n":                 {"a\nb"},
		": ping\n\nevent: x\ndata: a\n\n":      {"a"},
		"data: a\n\ndata: cut off":             {"a"},
		"data: a\n\ndata: line but no end\n":   {"a"},
		"data:  two spaces\n\nretry: 10\n\n\n": {" two spaces"},
	}
	for text, want := range tests {
		if got := gather(t, strings.NewReader(text)); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestEventsPassOnErrors(t *testing.T) {
	broken := errors.New("broken")
	var last error
	for _, err := range events(io.MultiReader(strings.NewReader("data: a\n\n"), iotest.ErrReader(broken))) {
		last = err
	}
	if !errors.Is(last, broken) {
		t.Errorf("got %v", last)
	}
}

// FuzzReply feeds any bytes to what reads completions, pieces and vectors.
func FuzzReply(f *testing.F) {
	f.Add(`{"choices":[{"message":{"content":"x"}}]}`)
	f.Add(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`)
	f.Add(`{"data":[{"index":0,"embedding":[1,2]}]}`)
	f.Add(`{"error":{"message":{"a":1}}}`)
	client, err := NewOpenAI(Endpoint{BaseURL: "http://localhost", Model: "m"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = client.parseReply([]byte(text))
		var reply Reply
		var ended bool
		_, _ = client.parsePiece(text, &reply, &ended)
		_ = serverSaid([]byte(text))
		_ = client.wire.clean(text)
		if row, err := parseVector([]byte(text)); err == nil && len(row) == 0 {
			t.Fatal("a vector without numbers")
		}
	})
}
