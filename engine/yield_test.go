package engine

import (
	"testing"
	"time"
)

// The worker makes way while questions wait for room, until too much waits for itself.
func TestWorkerMakesWay(t *testing.T) {
	e := (&Engine{}).WithRoom(1)
	w := NewWorker(e, WorkerOptions{MaxWaiting: 100})
	leave, err := e.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if w.yields() || w.turnNotes() != turnNotes {
		t.Error("it makes way where nobody waits")
	}
	entered := make(chan struct{})
	go func() {
		defer close(entered)
		if leave, err := e.enter(t.Context()); err == nil {
			leave()
		}
	}()
	for deadline := time.Now().Add(time.Minute); !e.room.busy(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody is seen to wait")
		}
	}
	if !w.yields() || w.turnNotes() != shortNotes {
		t.Error("it does not make way")
	}
	began := time.Now()
	w.rest(t.Context(), 10*time.Millisecond)
	if time.Since(began) < 10*time.Millisecond {
		t.Error("it does not rest")
	}
	w.waiting = 50
	if w.yields() {
		t.Error("it makes way where too much waits to be learned from")
	}
	leave()
	<-entered
	if w.waiting = 0; w.yields() {
		t.Error("it makes way when nobody waits any more")
	}
}
