package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/engine"
	"daybook/graph"
	"daybook/recall"
)

// fuse is a context that is cancelled when it was looked at so often.
type fuse struct {
	context.Context
	left atomic.Int64
	once sync.Once
	done chan struct{}
}

func newFuse(ctx context.Context, looks int) *fuse {
	f := &fuse{Context: ctx, done: make(chan struct{})}
	f.left.Store(int64(looks))
	return f
}

func (f *fuse) Done() <-chan struct{} { f.look(); return f.done }

func (f *fuse) Err() error {
	f.look()
	select {
	case <-f.done:
		return context.Canceled
	default:
		return nil
	}
}

func (f *fuse) look() {
	if f.left.Add(-1) < 0 {
		f.once.Do(func() { close(f.done) })
	}
}

type call func(ctx context.Context, e *engine.Engine, n int) error

var theirs = daybook.Scope{User: "u"}

// calls are the engine's calls that take a context, by name. n is another number each time.
func calls(t *testing.T) map[string]call {
	by, now := engine.By{Author: "test"}, daybook.AsOf{}
	text := func(n int) []daybook.Note {
		return []daybook.Note{{SourceID: fmt.Sprint("n", n), Speaker: "Ana", Text: fmt.Sprintf("I live in City%d. My dentist is Dr. Weiss%d.", n, n)}}
	}
	return map[string]call{
		"Add": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Add(ctx, theirs, by, text(n)))
		},
		"AddFact": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.AddFact(ctx, theirs, by, engine.NewFact{Subject: "Ana", Relation: "likes", Object: fmt.Sprint("tea ", n)}))
		},
		"AddLater": func(ctx context.Context, e *engine.Engine, n int) error {
			_, _, err := e.AddLater(ctx, theirs, by, text(n))
			return err
		},
		"Merge": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Merge(ctx, theirs, by, "Ana", "Bob", "test"))
		},
		"Split": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Split(ctx, theirs, by, "Ana", "test"))
		},
		"Retract": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Retract(ctx, theirs, by, "m1", "test"))
		},
		"Revert": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Revert(ctx, theirs, by, "HEAD"))
		},
		"Forget": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Forget(ctx, theirs, by, graph.Forget{IDs: []string{"m2"}}))
		},
		"ForgetIn": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.ForgetIn(ctx, []daybook.Scope{theirs}, by, graph.Forget{IDs: []string{"m3"}}))
		},
		"PlanForget": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.PlanForget(ctx, theirs, graph.Forget{All: true}))
		},
		"Ask": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Ask(ctx, theirs, engine.Asked{Text: "Where do I live?"}))
		},
		"Evidence": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Evidence(ctx, theirs, engine.Asked{Text: "Where do I live?"}))
		},
		"KeepAnswer": func(ctx context.Context, e *engine.Engine, n int) error {
			return e.KeepAnswer(ctx, theirs, engine.Asked{Text: "x"}, answer.Answer{ID: "ans_12345678"})
		},
		"Recall": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Recall(ctx, theirs, recall.Question{Text: "dentist"}, now))
		},
		"Query": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Query(ctx, theirs, engine.Query{Text: "//Note"}))
		},
		"Facts": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Facts(ctx, theirs, engine.FactQuery{}))
		},
		"History": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.History(ctx, theirs, engine.FactQuery{}))
		},
		"Events": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Events(ctx, theirs, engine.EventQuery{}))
		},
		"Entities": func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Entities(ctx, theirs)) },
		"Topics":   func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Topics(ctx, theirs, now)) },
		"Sessions": func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Sessions(ctx, theirs, now)) },
		"Log":      func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Log(ctx, theirs, 10)) },
		"Stats":    func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Stats(ctx, theirs)) },
		"Embed": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Embed(ctx, theirs, func(engine.Embedding) {}))
		},
		"Index":   func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Index(ctx, theirs)) },
		"Reindex": func(ctx context.Context, e *engine.Engine, n int) error { return e.Reindex(ctx) },
		"Check":   func(ctx context.Context, e *engine.Engine, n int) error { return second(e.Check(ctx)) },
		"Scrub":   func(ctx context.Context, e *engine.Engine, n int) error { return e.Scrub(ctx) },
		"Backup": func(ctx context.Context, e *engine.Engine, n int) error {
			return e.Backup(ctx, filepath.Join(t.TempDir(), fmt.Sprint("backup", n)))
		},
		"WriteExport": func(ctx context.Context, e *engine.Engine, n int) error {
			return e.WriteExport(ctx, theirs, io.Discard, func(uint64) {})
		},
		"Import": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Import(ctx, theirs, by, fromText(fmt.Sprintf(`{"id":"i%d","speaker":"Ana","time":"2024-01-01T10:00:00Z","text":"I moved to Town%d."}`, n, n))))
		},
		"Do": func(ctx context.Context, e *engine.Engine, n int) error {
			return second(e.Do(ctx, theirs, by, engine.Request{Tree: "list", Text: "add milk"}))
		},
	}
}

func second[T any](_ T, err error) error { return err }

// ledgerOf is the whole ledger of a scope, as an export has it.
func ledgerOf(t *testing.T, e *engine.Engine) string {
	t.Helper()
	var out bytes.Buffer
	if err := e.WriteExport(t.Context(), theirs, &out, func(uint64) {}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Whoever gives up on a call, at whatever moment, leaves a ledger that is as before or has
// what the call adds, and nothing that still runs.
func TestCancelledCalls(t *testing.T) {
	tries, err := strconv.Atoi(os.Getenv("DAYBOOK_TRIALS"))
	if err != nil {
		tries = 150
	}
	e := learning(t)
	by := engine.By{Author: "test"}
	if _, err := e.Add(t.Context(), theirs, by, []daybook.Note{
		{SourceID: "m1", Speaker: "Ana", Text: "I live in Rome."}, {SourceID: "m2", Speaker: "Ana", Text: "My dentist is Dr. Kaya."}, {SourceID: "m3", Speaker: "Ana", Text: "I like tea."},
	}); err != nil {
		t.Fatal(err)
	}
	if err := second(e.Ask(t.Context(), theirs, engine.Asked{Text: "Where do I live?"})); err != nil {
		t.Fatal(err) // what is started once for all is running now
	}
	all := calls(t)
	names := slices.Sorted(maps.Keys(all))
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("DAYBOOK_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("DAYBOOK_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	before, cancelled, done := runtime.NumGoroutine(), 0, 0
	ledger := ledgerOf(t, e)
	for n := range tries {
		name := names[n%len(names)]
		ctx := newFuse(t.Context(), rng.IntN(1<<rng.IntN(10)))
		err := all[name](ctx, e, n)
		ctx.left.Store(0)
		ctx.look()
		switch {
		case errors.Is(err, context.Canceled):
			cancelled++
		case err == nil:
			done++
		case daybook.KindOf(err) == daybook.Internal:
			t.Errorf("%s, cancelled: %v", name, err)
		}
		now := ledgerOf(t, e)
		if err != nil && !strings.HasPrefix(name, "Forget") && name != "Import" && body(now) != body(ledger) {
			t.Errorf("%s failed with %v and changed the ledger", name, err)
		}
		ledger = now
	}
	reports, err := e.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			t.Errorf("%v", r.Damage)
		}
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
	t.Logf("%d calls, %d cancelled, %d finished", tries, cancelled, done)
	if cancelled < tries/4 || done < tries/20 {
		t.Errorf("only %d were cancelled and %d finished", cancelled, done)
	}
}

// body is an export without its first line, which names the head.
func body(export string) string {
	_, rest, _ := strings.Cut(export, "\n")
	return rest
}

// uncancelled are calls with a context that TestCancelledCalls does not make: each is a part
// of one that it makes, or reads in the same way.
var uncancelled = daybook.WordSet(`Relate AddEvent Trace Overlay Embedding DropSpace DropOtherSpaces Nearest Scopes Writable EventLinks Learned ScopesOf PlanForgetIn
	VerifyCertificate Export ImportLedger Jobs Job RetryJob LearnLater Note Versions Notes List NotesAt Get EntityViews Show Commit Changes Diff FindAnswer EventCounts ReadExport
	Trees Tree PlantTree EditTree RollBackTree`)

// Every call that takes a context is cancelled by a test, or named with the reason why not.
func TestCallsAreCancelled(t *testing.T) {
	all, takes := calls(t), reflect.TypeFor[context.Context]()
	e := reflect.TypeFor[*engine.Engine]()
	for i := range e.NumMethod() {
		m := e.Method(i)
		if m.Type.NumIn() < 2 || m.Type.In(1) != takes {
			continue
		}
		if _, tried := all[m.Name]; tried == uncancelled[m.Name] {
			t.Errorf("%s: tried is %t, and left out is %t", m.Name, tried, uncancelled[m.Name])
		}
	}
}
