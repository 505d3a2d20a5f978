package model_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/model"
)

// echo repeats the last message and counts calls.
type echo struct{ calls atomic.Int64 }

func (e *echo) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	e.calls.Add(1)
	return model.Reply{Text: "re: " + req.Messages[len(req.Messages)-1].Content, Model: "echo", Usage: model.Usage{In: 1, Out: 2}}, nil
}

func record(t *testing.T, path string, texts ...string) {
	t.Helper()
	tape, err := model.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	c := tape.Completer(&echo{}, "echo")
	for _, text := range texts {
		if _, err := c.Complete(t.Context(), ask(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tape.Encoder(axis{}, "axis").Encode(t.Context(), model.AsText, texts); err != nil {
		t.Fatal(err)
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	record(t, path, "one", "two")
	tape, err := model.OpenTape(path)
	if err != nil {
		t.Fatal(err)
	}
	c := tape.Completer(nil, "echo")
	req := ask("two")
	req.Purpose = "renamed" // not part of what the model is asked
	reply, err := c.Complete(t.Context(), req)
	want := model.Reply{Text: "re: two", Model: "echo", Usage: model.Usage{In: 1, Out: 2}, Cached: true}
	if err != nil || reply != want {
		t.Errorf("got %+v, %v", reply, err)
	}
	vectors, err := tape.Encoder(nil, "axis").Encode(t.Context(), model.AsText, []string{"two", "one", "two"})
	if err != nil || vectors.Len() != 3 || vectors.Dim != 2 || vectors.Encoder != "axis" || vectors.Row(2)[0] != 1 {
		t.Errorf("got %+v, %v", vectors, err)
	}
	if text := read(t, path); strings.Contains(text, `"hi"`) || strings.Contains(text, "messages") {
		t.Errorf("the tape holds questions:\n%s", text)
	}
}

func TestReplayMiss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	record(t, path, "one")
	tape, err := model.OpenTape(path)
	if err != nil {
		t.Fatal(err)
	}
	misses := map[string]func() error{
		"text":  func() error { _, err := tape.Completer(nil, "echo").Complete(t.Context(), ask("other")); return err },
		"model": func() error { _, err := tape.Completer(nil, "other").Complete(t.Context(), ask("one")); return err },
		"schema": func() error {
			r := ask("one")
			r.Schema = answerSchema
			_, err := tape.Completer(nil, "echo").Complete(t.Context(), r)
			return err
		},
		"temperature": func() error {
			r := ask("one")
			r.Temperature = 1
			_, err := tape.Completer(nil, "echo").Complete(t.Context(), r)
			return err
		},
		"encode": func() error {
			_, err := tape.Encoder(nil, "axis").Encode(t.Context(), model.AsText, []string{"one", "other"})
			return err
		},
	}
	for name, miss := range misses {
		err := miss()
		if daybook.KindOf(err) != daybook.NotFound {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if !strings.Contains(err.Error(), "hash ") || name != "encode" && !strings.Contains(err.Error(), "purpose test") {
			t.Errorf("%s: %v names no hash or purpose", name, err)
		}
	}
}

// TestTapeOrder records the same things in different orders, at once.
func TestTapeOrder(t *testing.T) {
	dir := t.TempDir()
	texts := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	record(t, one, texts...)

	tape, err := model.RecordTape(two)
	if err != nil {
		t.Fatal(err)
	}
	inner := &echo{}
	c, e := tape.Completer(inner, "echo"), tape.Encoder(axis{}, "axis")
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			text := texts[i%len(texts)]
			if reply, err := c.Complete(t.Context(), ask(text)); err != nil || reply.Text != "re: "+text {
				t.Errorf("got %+v, %v", reply, err)
			}
			if _, err := e.Encode(t.Context(), model.AsText, []string{text}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if inner.calls.Load() != int64(len(texts)) {
		t.Errorf("%d calls for %d questions", inner.calls.Load(), len(texts))
	}
	if read(t, one) != read(t, two) {
		t.Error("the same replies made different tapes")
	}
	if err := tape.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := c.Complete(t.Context(), ask("new")); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("recording after the end: %v", err)
	}
}

func TestRecordGoesOnAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	tape, err := model.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tape.Completer(&echo{}, "echo").Complete(t.Context(), ask("one")); err != nil {
		t.Fatal(err)
	}
	// No Close: the process died, and half a line with it.
	if err := os.WriteFile(path, []byte(read(t, path)+`{"kind":"comp`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := model.OpenTape(path); daybook.KindOf(err) != daybook.Corrupt || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("replay of a torn tape: %v", err)
	}
	inner := &echo{}
	again, err := model.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	reply, err := again.Completer(inner, "echo").Complete(t.Context(), ask("one"))
	if err != nil || !reply.Cached || inner.calls.Load() != 0 {
		t.Errorf("got %+v, %v after %d calls", reply, err, inner.calls.Load())
	}
}

func TestBadTapes(t *testing.T) {
	dir := t.TempDir()
	if _, err := model.OpenTape(filepath.Join(dir, "none")); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("missing: %v", err)
	}
	if _, err := model.RecordTape(filepath.Join(dir, "no", "such")); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("no folder: %v", err)
	}
	for name, text := range map[string]string{
		"not json":     "hello\n",
		"no hash":      `{"kind":"complete","reply":{}}` + "\n",
		"no reply":     `{"kind":"complete","hash":"x"}` + "\n",
		"other kind":   `{"kind":"song","hash":"x","reply":{}}` + "\n",
		"short vector": `{"kind":"encode","hash":"x","dim":2,"vector":"AAAA"}` + "\n",
		"bad vector":   `{"kind":"encode","hash":"x","dim":0,"vector":"?"}` + "\n",
	} {
		path := filepath.Join(dir, "bad")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(string) (*model.Tape, error){model.OpenTape, model.RecordTape} {
			if _, err := open(path); daybook.KindOf(err) != daybook.Corrupt {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestFailuresAreNotRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	tape, err := model.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	flaky := model.NewFaultyCompleter(&echo{}, model.InTurn(model.TimeOut, model.NoFault))
	c := tape.Completer(flaky, "echo")
	if _, err := c.Complete(t.Context(), ask("one")); err == nil {
		t.Fatal("no error")
	}
	if reply, err := c.Complete(t.Context(), ask("one")); err != nil || reply.Cached {
		t.Errorf("got %+v, %v", reply, err)
	}
	short := tape.Encoder(model.NewFaultyEncoder(axis{}, model.InTurn(model.Empty)), "axis")
	if _, err := short.Encode(t.Context(), model.AsText, []string{"a"}); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("too few rows: %v", err)
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWaitForRecordingEndsWithContext(t *testing.T) {
	tape, err := model.RecordTape(filepath.Join(t.TempDir(), "tape.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	hang := tape.Completer(model.NewFaultyCompleter(&echo{}, model.InTurn(model.Hang)), "echo")
	first, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = hang.Complete(first, ask("one"))
	}()
	time.Sleep(20 * time.Millisecond)
	second, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := hang.Complete(second, ask("one")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	stop()
	<-done
}

func TestReplayCostsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	record(t, path, "one")
	tape, err := model.OpenTape(path)
	if err != nil {
		t.Fatal(err)
	}
	b := model.NewBudget(0, nil)
	if _, err := b.Completer(tape.Completer(nil, "echo"), "echo").Complete(t.Context(), ask("one")); err != nil {
		t.Fatal(err)
	}
	if got := b.Snapshot(); got.Tokens != 0 || got.Accounts[0].Replayed != 1 || got.Accounts[0].Calls != 0 {
		t.Errorf("got %+v", got)
	}
}
