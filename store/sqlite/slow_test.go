package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/recall"

	lib "modernc.org/sqlite/lib"
)

// slowly lets do run before each sync of the log while the test lasts.
func slowly(t *testing.T, do func()) {
	t.Helper()
	hook := func(op operation) int32 {
		if op.name == "sync" && op.wal {
			do()
		}
		return lib.SQLITE_OK
	}
	fault.Store(&hook)
	t.Cleanup(func() { fault.Store(nil) })
}

// On a disk whose syncs take 300 ms every writer is answered, each after its own sync.
func TestSlowDiskAnswersWriters(t *testing.T) {
	noLeaks(t)
	const syncTime, writers = 300 * time.Millisecond, 6
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	e := engine.New(s)
	var syncs atomic.Int64
	slowly(t, func() { syncs.Add(1); time.Sleep(syncTime) })
	began := time.Now()
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			if _, err := e.Add(t.Context(), daybook.Scope{}, engine.By{}, []daybook.Note{noteOf(fmt.Sprint(i), "I moved to Lisbon.")}); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	all.Wait()
	t.Logf("%d writers at once: %d syncs, %s", writers, syncs.Load(), time.Since(began).Round(10*time.Millisecond))
	if syncs.Load() > 2*writers {
		t.Errorf("%d commits took %d syncs", writers, syncs.Load())
	}
	began, before := time.Now(), syncs.Load()
	many := make([]daybook.Note, 500)
	for i := range many {
		many[i] = noteOf(fmt.Sprint("many", i), "I moved to Porto.")
	}
	if _, err := e.Add(t.Context(), daybook.Scope{}, engine.By{}, many); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d notes added together: %d syncs, %s", len(many), syncs.Load()-before, time.Since(began).Round(10*time.Millisecond))
	if syncs.Load()-before > 2 {
		t.Errorf("notes that are added together took %d syncs", syncs.Load()-before)
	}
}

// While a writer waits for the disk, questions are answered, and a writer whose time
// is up is told what it waited for and has written nothing.
func TestSlowDiskDelaysNoReader(t *testing.T) {
	noLeaks(t)
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	e := memory(t, s)
	if _, err := e.Add(t.Context(), daybook.Scope{}, engine.By{}, []daybook.Note{noteOf("seed", "My dentist is Dr. Weiss.")}); err != nil {
		t.Fatal(err)
	}
	reads(t, "before", e) // makes the vectors
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	slowly(t, func() { arrived <- struct{}{}; <-release })
	written := make(chan error, 1)
	go func() {
		_, err := e.AddFact(t.Context(), daybook.Scope{}, engine.By{}, engine.NewFact{Subject: "Ana", Relation: "likes", Object: "tea"})
		written <- err
	}()
	<-arrived // the writer is in its sync, and stays there
	readsBehind(t, e)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := e.Add(ctx, daybook.Scope{}, engine.By{}, []daybook.Note{noteOf("late", "I moved.")})
	if daybook.KindOf(err) != daybook.Unavailable || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "waited for") {
		t.Errorf("a writer whose time is up is told: kind %v: %v", daybook.KindOf(err), err)
	}
	close(release)
	if err := <-written; err != nil {
		t.Error(err)
	}
	if hasNote("late")(t.Context(), e) {
		t.Error("what was given up was written")
	}
	verify(t, "afterwards", s, nil)
}

// readsBehind asserts that reads end while a writer does not.
func readsBehind(t *testing.T, e *engine.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	reader := engine.NewWorker(e, engine.WorkerOptions{}).Reader()
	rows, err := reader.Recall(ctx, daybook.Scope{}, recall.Question{Text: "Who is my dentist?"}, daybook.AsOf{})
	if err != nil || len(rows.Rows) != 1 {
		t.Errorf("recall: %d rows, %v", len(rows.Rows), err)
	}
	if _, err := reader.Ask(ctx, daybook.Scope{}, engine.Asked{Text: "Who is Ana's dentist?"}); err != nil {
		t.Errorf("ask: %v", err)
	}
	if states, err := reader.Facts(ctx, daybook.Scope{}, engine.FactQuery{Subject: "Ana", Relation: "likes"}); err != nil || len(states) != 0 {
		t.Errorf("facts: %d states, %v", len(states), err)
	}
}
