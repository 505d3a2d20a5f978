package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"daybook"
)

// room lets so many questions be worked on at once, and no more: each then takes about
// as long as it would alone, where all at once would take each of them as long as all
// together. Writes make way while it is full. A nil room has no bounds.
type room struct {
	places chan struct{} // one token for each question that is worked on
	inLine atomic.Int32  // questions that wait for a place
	fills  atomic.Uint64 // how often a question took the last place, or had to wait
	freed  chan struct{} // a token when a place has become free
	turn   chan struct{} // the token of the one write that may begin
	yields atomic.Bool   // whether that write makes way
}

// A write begins when a place has been free for a breath, in which those who were just
// answered would ask again, and at the latest after longestYield.
const (
	breath       = 3 * time.Millisecond
	longestYield = 5 * time.Second
)

// WithRoom returns an engine in which at most n questions are worked on at once;
// others wait in line. Notes that are to be learned from later wait until there is
// room, five seconds at most.
func (e *Engine) WithRoom(n int) *Engine {
	c := *e
	c.room = &room{places: make(chan struct{}, n), freed: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	return &c
}

// enter waits for a place; leave, which may be called twice, gives it back.
func (r *room) enter(ctx context.Context) (leave func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	defer stage(ctx, "wait")()
	r.inLine.Add(1)
	defer r.inLine.Add(-1)
	select {
	case r.places <- struct{}{}:
	case <-ctx.Done():
		return nil, daybook.Errorf(daybook.Unavailable, "wait for other questions: %w", ctx.Err())
	}
	if r.full() {
		r.fills.Add(1)
	}
	return sync.OnceFunc(r.leave), nil
}

func (r *room) leave() {
	<-r.places
	select {
	case r.freed <- struct{}{}:
	default: // nobody took the last token
	}
}

func (r *room) full() bool { return len(r.places) == cap(r.places) }

// busy reports whether questions wait for a place, or a write for them.
func (r *room) busy() bool { return r != nil && (r.inLine.Load() > 0 || r.yields.Load()) }

// yield is called before a write and returns when it may begin; done lets the next one
// begin. They go one at a time, because after each its client asks again.
func (r *room) yield(ctx context.Context) (done func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	defer stage(ctx, "yield")()
	within, cancel := context.WithTimeout(ctx, longestYield)
	defer cancel()
	done = func() {}
	select {
	case r.turn <- struct{}{}:
		done = func() { <-r.turn }
		r.settle(within)
	case <-within.Done():
	}
	if ctx.Err() != nil {
		done()
		return nil, daybook.Errorf(daybook.Unavailable, "wait for questions before writing: %w", ctx.Err())
	}
	return done, nil
}

// settle returns when a place has been free for a breath, at once where nothing is asked.
func (r *room) settle(ctx context.Context) {
	if len(r.places) == 0 {
		return
	}
	r.yields.Store(true)
	defer r.yields.Store(false)
	for ctx.Err() == nil {
		fills := r.fills.Load()
		if r.full() {
			select {
			case <-r.freed:
			case <-ctx.Done():
			}
			continue
		}
		select {
		case <-time.After(breath):
		case <-ctx.Done():
		}
		if r.fills.Load() == fills {
			return
		}
	}
}
