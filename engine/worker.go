package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"daybook"
	"daybook/store"
)

// ErrBusy is in the error of a write that was refused because too much waits to be
// learned from. Its kind is Unavailable.
var ErrBusy = errors.New("too many notes wait to be learned from")

// WorkerOptions bound what a Worker takes on. Zero values mean the defaults.
type WorkerOptions struct {
	Workers    int           // scopes that are worked on at once; half the processors by default
	MaxWaiting int           // notes that may wait before writes are refused; 100,000 by default
	Tries      int           // of a job before it is left alone; 5 by default
	Backoff    time.Duration // after the first try that failed, doubled after each; 1 s by default
	// Failed, where it is set, is told of each job that is left alone.
	Failed func(daybook.Scope, Job)
}

// Worker does in the background what writes leave to be done: it learns from the
// notes that were kept for later, and makes the vectors of all notes, also of those
// that other processes wrote before it began. All of it is found again from the
// store, so that a process may be killed at any time.
type Worker struct {
	engine *Engine
	opts   WorkerOptions

	mu      sync.Mutex
	scopes  map[daybook.Scope]*backlog
	queue   []daybook.Scope
	wake    chan struct{} // holds a token while the queue may have something
	waiting int           // notes that are to be learned from
}

// backlog is what is known of a scope's work.
type backlog struct {
	queued, running bool
	indexed         uint64        // the last commit that nothing is left to do for
	moved           chan struct{} // closed when indexed grows
	waiting         int           // notes that are to be learned from, as far as is known
	came            int           // of them, those that came since the turn began
}

// idleScopes is how many scopes are remembered that have nothing to do.
const idleScopes = 10_000

// NewWorker returns a worker for an engine. Reads go through the engine that Reader
// returns.
func NewWorker(e *Engine, opts WorkerOptions) *Worker {
	if opts.Workers == 0 {
		opts.Workers = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if opts.MaxWaiting == 0 {
		opts.MaxWaiting = 100_000
	}
	if opts.Tries == 0 {
		opts.Tries = 5
	}
	if opts.Backoff == 0 {
		opts.Backoff = time.Second
	}
	return &Worker{engine: e, opts: opts, scopes: map[daybook.Scope]*backlog{}, wake: make(chan struct{}, 1)}
}

// Engine returns the engine that the worker works with: what is added through it is
// learned from at once.
func (w *Worker) Engine() *Engine { return w.engine }

// Reader returns the engine for reads that do not wait for the worker: notes that
// have no vectors yet are found by their words.
func (w *Worker) Reader() *Engine {
	c := *w.engine
	c.lagging = true
	return &c
}

// Add keeps notes durably and leaves the rest to the worker. When too much waits,
// it is Unavailable and holds ErrBusy. The job is empty where nothing is to be
// learned.
func (w *Worker) Add(ctx context.Context, scope daybook.Scope, by By, notes []daybook.Note) (r daybook.Receipt, job string, err error) {
	w.mu.Lock()
	full := w.waiting > 0 && w.waiting+len(notes) > w.opts.MaxWaiting
	w.mu.Unlock()
	if full {
		return r, "", daybook.Errorf(daybook.Unavailable, "%w; try again in a while", ErrBusy)
	}
	r, job, err = w.engine.AddLater(ctx, scope, by, notes)
	if err != nil {
		return r, "", err
	}
	if job != "" {
		w.count(scope, r.Added)
	}
	w.Touch(scope)
	return r, job, nil
}

// Retry makes a failed job wait for its turn again.
func (w *Worker) Retry(ctx context.Context, scope daybook.Scope, id string) (Job, error) {
	before, err := w.engine.Job(ctx, scope, id)
	if err != nil {
		return before, err
	}
	job, err := w.engine.RetryJob(ctx, scope, id)
	if err == nil && before.State == JobFailed {
		w.count(scope, job.Notes)
		w.Touch(scope)
	}
	return job, err
}

// Waiting is how many notes are to be learned from.
func (w *Worker) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting
}

// count notes that more is to be learned from in a scope.
func (w *Worker) count(scope daybook.Scope, notes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.of(scope)
	b.waiting, b.came, w.waiting = b.waiting+notes, b.came+notes, w.waiting+notes
}

// recount sets what waits in a scope right: what a turn left, and what came since.
// Notes that were erased are gone from it.
func (w *Worker) recount(scope daybook.Scope, left []Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.of(scope)
	now := b.came
	for _, j := range left {
		now += j.Notes
	}
	w.waiting += now - b.waiting
	b.waiting = now
}

// Wait returns when nothing is left to do for a commit of a scope and those before
// it. A job that failed for good is not waited for.
func (w *Worker) Wait(ctx context.Context, scope daybook.Scope, seq uint64) error {
	for {
		w.mu.Lock()
		b := w.of(scope)
		done, moved := b.indexed >= seq, b.moved
		w.mu.Unlock()
		if done {
			return nil
		}
		w.Touch(scope)
		select {
		case <-moved:
		case <-ctx.Done():
			return daybook.Errorf(daybook.Unavailable, "wait for commit %d to be indexed: %w", seq, ctx.Err())
		}
	}
}

// of returns a scope's backlog; the caller holds the lock.
func (w *Worker) of(scope daybook.Scope) *backlog {
	b := w.scopes[scope]
	if b == nil {
		w.forgetIdle()
		b = &backlog{moved: make(chan struct{})}
		w.scopes[scope] = b
	}
	return b
}

func (w *Worker) forgetIdle() {
	if len(w.scopes) < idleScopes {
		return
	}
	for sc, b := range w.scopes {
		if !b.queued && !b.running && b.waiting == 0 {
			close(b.moved) // whoever waits asks again
			delete(w.scopes, sc)
		}
	}
}

// Touch has the worker look at a scope: something was written or erased there.
func (w *Worker) Touch(scope daybook.Scope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.of(scope); !b.queued {
		b.queued = true
		w.queue = append(w.queue, scope)
		w.signal()
	}
}

func (w *Worker) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx is done. It begins with what an earlier process left.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.takeUp(ctx); err != nil {
		return err
	}
	var wait sync.WaitGroup
	for range w.opts.Workers {
		wait.Go(func() { w.work(ctx) })
	}
	wait.Wait()
	return ctx.Err()
}

// takeUp queues every scope, and counts what waits in it.
func (w *Worker) takeUp(ctx context.Context) error {
	scopes, err := w.engine.Scopes(ctx)
	if err != nil {
		return err
	}
	for _, sc := range scopes {
		jobs, err := w.engine.Jobs(ctx, sc)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			if j.State == JobQueued {
				w.count(sc, j.Notes)
				time.AfterFunc(time.Until(j.after), func() { w.Touch(sc) })
			}
		}
		w.Touch(sc)
	}
	return nil
}

// work takes scopes from the queue. No two take the same scope at once.
func (w *Worker) work(ctx context.Context) {
	for {
		scope, ok := w.next()
		if !ok {
			select {
			case <-w.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		began := time.Now()
		more, err := w.turn(ctx, scope)
		w.rest(ctx, time.Since(began))
		w.finish(scope, more)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			slog.Warn("background work fell behind and will be tried again", "error", err)
			time.AfterFunc(w.opts.Backoff, func() { w.Touch(scope) })
		}
	}
}

func (w *Worker) next() (daybook.Scope, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, sc := range w.queue {
		if b := w.scopes[sc]; !b.running {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			b.queued, b.running = false, true
			if len(w.queue) > 0 {
				w.signal()
			}
			return sc, true
		}
	}
	return daybook.Scope{}, false
}

func (w *Worker) finish(scope daybook.Scope, more bool) {
	w.mu.Lock()
	b := w.scopes[scope]
	b.running = false
	again := b.queued
	w.mu.Unlock()
	if more {
		w.Touch(scope)
	}
	if again || more {
		w.mu.Lock()
		w.signal()
		w.mu.Unlock()
	}
}

// How many notes are learned from in one turn of a scope, and while questions wait: then
// the turns are short, and after each the worker rests as long as it took, up to
// longestRest.
const (
	turnNotes   = 64
	shortNotes  = 8
	longestRest = time.Second
)

// yields reports whether questions wait for room that the worker can make: not so much
// waits to be learned from that writes would soon be refused.
func (w *Worker) yields() bool {
	return w.engine.room.busy() && w.Waiting() < w.opts.MaxWaiting/2
}

func (w *Worker) turnNotes() int {
	if w.yields() {
		return shortNotes
	}
	return turnNotes
}

// rest lets those who ask go first after a turn that took so long.
func (w *Worker) rest(ctx context.Context, took time.Duration) {
	if !w.yields() {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(min(took, longestRest)):
	}
}

// What a turn does at most of what a scope needs, so that one scope does not keep the
// others waiting: how long vectors are made, and how many bytes of notes are learned from.
const (
	turnTime  = 2 * time.Second
	turnBytes = 64 << 10
)

// errTurnOver says that a turn has taken its time.
var errTurnOver = errors.New("the turn is over")

// turn does a part of what a scope needs: its vectors first, by which most is found,
// then the learning. It reports whether more is left.
func (w *Worker) turn(ctx context.Context, scope daybook.Scope) (more bool, err error) {
	head, err := w.engine.head(ctx, scope)
	if err != nil {
		return false, err
	}
	if err := w.engine.represent(ctx, scope, time.Now().Add(turnTime)); err != nil {
		return errors.Is(err, errTurnOver), ignoring(err, errTurnOver)
	}
	w.mu.Lock()
	w.of(scope).came = 0
	w.mu.Unlock()
	jobs, more, err := w.engine.firstJobs(ctx, scope, w.turnNotes())
	if err != nil {
		return false, err
	}
	left, err := w.learn(ctx, scope, jobs)
	if err != nil {
		return false, err
	}
	if more { // how many are left is known when all are looked at
		w.count(scope, notesOf(left)-notesOf(jobs))
	} else {
		w.recount(scope, left)
	}
	indexed := head
	if more {
		indexed = min(indexed, jobs[len(jobs)-1].Seq)
	}
	for _, j := range left {
		indexed = min(indexed, j.Seq-1)
	}
	if w.engine.encoder != nil { // what waits is heard when it is learned from
		if err := w.engine.hear(ctx, scope, indexed); err != nil {
			return false, err
		}
	}
	w.reached(scope, indexed)
	return more || slices.ContainsFunc(left, due), ctx.Err()
}

// notesOf is how many notes jobs have that wait to be learned from.
func notesOf(jobs []Job) (n int) {
	for _, j := range jobs {
		if j.State == JobQueued {
			n += j.Notes
		}
	}
	return n
}

// due reports whether a job may be tried now.
func due(j Job) bool { return j.State == JobQueued && !j.after.After(time.Now()) }

// reached tells those who wait how far the scope is.
func (w *Worker) reached(scope daybook.Scope, indexed uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.of(scope); indexed > b.indexed {
		b.indexed = indexed
		close(b.moved)
		b.moved = make(chan struct{})
	}
}

// learn learns from the first of the jobs that wait, and returns those that are
// left. An error means that nothing can be written now, which is no fault of a job's
// and counts as no try.
func (w *Worker) learn(ctx context.Context, scope daybook.Scope, jobs []Job) (left []Job, err error) {
	var now []Job
	notes := 0
	for _, j := range jobs {
		switch {
		case j.State == JobFailed:
		case !due(j):
			left = append(left, j)
		case len(now) == 0 || notes+j.Notes <= w.turnNotes():
			now, notes = append(now, j), notes+j.Notes
		default:
			left = append(left, j)
		}
	}
	if len(now) == 0 {
		return left, nil
	}
	light, err := w.engine.lightJobs(ctx, scope, now, turnBytes)
	if err != nil {
		return append(now, left...), err
	}
	now, left = now[:light], append(slices.Clone(now[light:]), left...)
	_, err = w.engine.LearnLater(ctx, scope, now)
	if err == nil || store.CannotWrite(err) {
		return left, err
	}
	return append(w.learnEach(ctx, scope, now), left...), nil // one of them is at fault
}

func (w *Worker) learnEach(ctx context.Context, scope daybook.Scope, jobs []Job) (left []Job) {
	for _, j := range jobs {
		_, err := w.engine.LearnLater(ctx, scope, []Job{j})
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return append(left, j)
		}
		failed, err := w.engine.missed(ctx, scope, j, err, w.opts.Tries, w.opts.Backoff)
		if err != nil {
			slog.Warn("a job's failure could not be noted", "job", j.ID, "error", err)
		}
		if failed.State != JobFailed {
			left = append(left, failed)
			time.AfterFunc(time.Until(failed.after), func() { w.Touch(scope) })
			continue
		}
		if w.opts.Failed != nil {
			w.opts.Failed(scope, failed)
		}
	}
	return left
}

// head is the sequence number of a scope's last commit.
func (e *Engine) head(ctx context.Context, scope daybook.Scope) (seq uint64, err error) {
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		c, err := r.Head()
		seq = c.Seq
		return err
	})
	return seq, err
}

// ignoring is err, or nil where it is the one that is expected.
func ignoring(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// represent makes what notes are found by, and brings the index that is in memory,
// if any, up to date. When more is left at the deadline, the error is errTurnOver.
func (e *Engine) represent(ctx context.Context, scope daybook.Scope, deadline time.Time) error {
	if e.encoder != nil {
		err := e.embedSteps(ctx, scope, func() error {
			if time.Now().After(deadline) {
				return errTurnOver
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	if e.indexes.Peek(scope) == nil {
		return nil
	}
	_, err := e.indexes.Snapshot(ctx, scope)
	return err
}
