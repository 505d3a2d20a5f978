package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
)

// longMessages are messages that cost the more the more of them is learned from.
var longMessages = map[string]func(n int) string{
	"the same statement": func(n int) string { return strings.Repeat("I live in Rome. ", n) },
	"values that clash": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "I live in Rome%d. ", i)
		}
		return b.String()
	},
	"one sentence": func(n int) string { return "I like " + strings.Repeat("tea and ", n) + "milk." },
}

// However much one message says, learning from it ends soon.
func TestLongMessagesAreLearnedFromInTime(t *testing.T) {
	for name, text := range longMessages {
		t.Run(name, func(t *testing.T) {
			e := learning(t)
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			r, err := e.Add(ctx, daybook.Scope{User: "u"}, engine.By{}, []daybook.Note{{Text: text(6000), Speaker: "u"}})
			if err != nil || r.Added != 1 {
				t.Fatalf("%+v %v", r, err)
			}
			stats, err := e.Stats(ctx, daybook.Scope{User: "u"})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("learned %d facts: %+v", r.Learned, stats)
		})
	}
}

// A scope with very much to be learned from does not keep the others waiting.
func TestScopesTakeTurns(t *testing.T) {
	e := learning(t)
	w := engine.NewWorker(e, engine.WorkerOptions{Workers: 1})
	heavy, light := daybook.Scope{User: "heavy"}, daybook.Scope{User: "light"}
	for i := range 40 {
		text := fmt.Sprintf("message %d. ", i) + longMessages["the same statement"](6000)
		if _, _, err := w.Add(t.Context(), heavy, engine.By{}, []daybook.Note{{Text: text, Speaker: "u"}}); err != nil {
			t.Fatal(err)
		}
	}
	r, _, err := w.Add(t.Context(), light, engine.By{}, []daybook.Note{{Text: "I live in Oslo.", Speaker: "u"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { _ = w.Run(ctx); close(done) }()
	waiting, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.Wait(waiting, light, r.Seq); err != nil {
		t.Error(err)
	}
	if left := w.Waiting(); left < 10 {
		t.Errorf("the other scope had only %d messages left, so this proves nothing", left)
	}
	began := time.Now()
	stop()
	<-done
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the worker ended after %s", took)
	}
}
