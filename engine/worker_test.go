package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/graph"
	"daybook/model"
	"daybook/store/sqlite"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// background runs a worker until the test ends, or until stop is called.
func background(t *testing.T, e *engine.Engine, opts engine.WorkerOptions) (w *engine.Worker, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	w = engine.NewWorker(e, opts)
	done := make(chan struct{})
	go func() { _ = w.Run(ctx); close(done) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return w, stop
}

func at(day int) time.Time { return time.Date(2024, 1, day, 9, 0, 0, 0, time.UTC) }

var story = []daybook.Note{
	{Session: "s1", Speaker: "Ana", Time: at(1), Text: "My dentist is Dr. Weiss."},
	{Session: "s1", Speaker: "Ben", Time: at(1).Add(time.Minute), Text: "I live in Rome."},
	{Session: "s2", Speaker: "Ana", Time: at(9), Text: "I changed dentists, I go to Dr. Moreau now because the old practice closed."},
	{Session: "s3", Speaker: "Ben", Time: at(20), Text: "I moved to Oslo last week."},
}

// What is learned later is what would have been learned at once.
func TestLearningLaterIsTheSame(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e := open(t).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
	now, later := daybook.Scope{User: "now"}, daybook.Scope{User: "later"}
	w, _ := background(t, e, engine.WorkerOptions{})
	var last daybook.Receipt
	for _, n := range story {
		if _, err := e.Add(t.Context(), now, engine.By{Author: "t"}, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
		if last, _, err = w.Add(t.Context(), later, engine.By{Author: "t"}, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Wait(t.Context(), later, last.Seq); err != nil {
		t.Fatal(err)
	}
	facts := func(sc daybook.Scope) []daybook.State {
		states, err := e.Facts(t.Context(), sc, engine.FactQuery{All: true, At: daybook.AsOf{ValidAt: at(25)}})
		if err != nil {
			t.Fatal(err)
		}
		return states
	}
	recorded := cmpopts.IgnoreFields(daybook.RecordedFact{}, "RecordedAt", "Commit")
	if diff := cmp.Diff(facts(now), facts(later), recorded, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-at once +later):\n%s", diff)
	}
	if len(facts(now)) < 2 {
		t.Errorf("only %d states were learned", len(facts(now)))
	}
	if jobs, err := e.Jobs(t.Context(), later); err != nil || len(jobs) > 0 || w.Waiting() != 0 {
		t.Errorf("%d jobs and %d notes are left, %v", len(jobs), w.Waiting(), err)
	}
}

// fickle is a learner that fails while it is told to.
type fickle struct {
	extract.Local
	fails atomic.Bool
}

func (f *fickle) Learn(ctx context.Context, w extract.Window) (extract.Learned, error) {
	if f.fails.Load() {
		return extract.Learned{}, daybook.Errorf(daybook.Unavailable, "no learning today")
	}
	return f.Local.Learn(ctx, w)
}

// A job that fails again and again is left alone, told of, found after a restart, and
// can be tried again.
func TestFailedJob(t *testing.T) {
	home := t.TempDir()
	learner := &fickle{}
	learner.fails.Store(true)
	start := func() *engine.Engine {
		s, err := sqlite.Open(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		return engine.New(s).WithLearner(learner)
	}
	e := start()
	failed := make(chan engine.Job, 1)
	w, stop := background(t, e, engine.WorkerOptions{Tries: 2, Backoff: time.Millisecond, Failed: func(_ daybook.Scope, j engine.Job) { failed <- j }})
	scope := daybook.Scope{User: "a"}
	r, id, err := w.Add(t.Context(), scope, engine.By{Author: "t"}, story[:1])
	if err != nil || r.Added != 1 || id == "" {
		t.Fatalf("%+v %q %v", r, id, err)
	}
	if err := w.Wait(t.Context(), scope, r.Seq); err != nil {
		t.Fatal(err)
	}
	if j := <-failed; j.ID != id || j.State != engine.JobFailed || j.Tries != 2 || j.Error == "" {
		t.Errorf("told of %+v", j)
	}
	stop()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = start()
	t.Cleanup(func() { _ = e.Close() })
	jobs, err := e.Jobs(t.Context(), scope)
	if err != nil || len(jobs) != 1 || jobs[0].ID != id || jobs[0].State != engine.JobFailed {
		t.Fatalf("after the restart: %+v %v", jobs, err)
	}
	learner.fails.Store(false)
	w, stop = background(t, e, engine.WorkerOptions{})
	defer stop()
	if j, err := w.Retry(t.Context(), scope, id); err != nil || j.State != engine.JobQueued {
		t.Fatalf("%+v %v", j, err)
	}
	for {
		j, err := e.Job(t.Context(), scope, id)
		if err != nil {
			t.Fatal(err)
		}
		if j.State == engine.JobDone {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Job(t.Context(), scope, "job_0123456789abcdef01234567"); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("a job that is not there: %v", err)
	}
}

// Work that a process left undone is found by the next.
func TestWorkIsTakenUp(t *testing.T) {
	e := open(t).WithLearner(extract.Local{})
	scope := daybook.Scope{User: "a"}
	for i := range 5 {
		if _, _, err := e.AddLater(t.Context(), scope, engine.By{Author: "t"}, []daybook.Note{{Text: fmt.Sprint("note ", i), Time: at(i + 1)}}); err != nil {
			t.Fatal(err)
		}
	}
	w, _ := background(t, e, engine.WorkerOptions{})
	if err := w.Wait(t.Context(), scope, 5); err != nil {
		t.Fatal(err)
	}
	if jobs, err := e.Jobs(t.Context(), scope); err != nil || len(jobs) != 0 {
		t.Errorf("%+v %v", jobs, err)
	}
}

func TestTooMuchWaits(t *testing.T) {
	e := open(t).WithLearner(extract.Local{})
	w := engine.NewWorker(e, engine.WorkerOptions{MaxWaiting: 2}) // nobody works
	scope := daybook.Scope{User: "a"}
	if _, _, err := w.Add(t.Context(), scope, engine.By{Author: "t"}, story[:2]); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.Add(t.Context(), scope, engine.By{Author: "t"}, story[2:3])
	if daybook.KindOf(err) != daybook.Unavailable || !errors.Is(err, engine.ErrBusy) {
		t.Errorf("%v, want ErrBusy", err)
	}
	// What was erased waits no longer.
	if _, err := e.Forget(t.Context(), scope, engine.By{Author: "t"}, graph.Forget{All: true}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { _ = w.Run(ctx); close(done) }()
	for deadline := time.Now().Add(20 * time.Second); w.Waiting() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d notes still wait", w.Waiting())
		}
	}
	cancel()
	<-done
}
