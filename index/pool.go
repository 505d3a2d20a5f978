package index

import (
	"container/list"
	"context"
	"iter"
	"maps"
	"sync"
	"sync/atomic"

	"daybook"
	"daybook/store"
)

// CatchUp brings a scope's index up to date: it gives the changes since a snapshot,
// in order, and returns when there are no more. A snapshot of an empty scope has no
// head.
type CatchUp func(ctx context.Context, scope daybook.Scope, have *Snapshot, give func(Change) error) error

// Mark is how far a scope goes at one moment: its last commit, and up to where each
// set of vectors is complete.
type Mark struct {
	Head   store.Commit
	Covers map[string]uint64
}

// reaches reports whether the snapshot takes in all up to a mark.
func (v *Snapshot) reaches(m Mark) bool {
	for set, upTo := range m.Covers {
		if v.covers[set] < upTo {
			return false
		}
	}
	return v.head.Seq > m.Head.Seq || v.head.ID == m.Head.ID
}

// Look returns how far a scope goes now. It is called by many at once, and should be
// quick.
type Look func(ctx context.Context, scope daybook.Scope) (Mark, error)

// Pool keeps the indexes of the scopes that were asked for last, within a limit of
// memory. All methods may be called from many goroutines at once.
type Pool struct {
	limit   int
	look    Look
	catchUp CatchUp
	life    context.Context // of the pool: work goes on when those who asked for it do not wait
	end     context.CancelFunc
	working sync.WaitGroup

	mu     sync.Mutex
	scopes map[daybook.Scope]*list.Element
	recent *list.List // of *pooled, the one asked for last in front
	bytes  int
}

// pooled is a scope in a pool.
type pooled struct {
	name     daybook.Scope
	index    *Index
	catching chan struct{} // holds one token while nobody brings it up to date
	loaded   atomic.Bool   // was up to date once
	bytes    int           // guarded by the pool's mutex
}

// NewPool returns a pool that holds up to limit bytes, and always the scope that
// was asked for last. Whoever closes what catchUp reads closes the pool first.
func NewPool(limit int, look Look, catchUp CatchUp) *Pool {
	p := &Pool{limit: limit, look: look, catchUp: catchUp, scopes: map[daybook.Scope]*list.Element{}, recent: list.New()}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Snapshot returns a scope's index, which takes in at least all that was committed
// before the call. The first call for a scope builds it; calls at the same time
// wait for that one and do not repeat it. A caller who gives up does not stop the work,
// which the next one would begin anew; Close does.
func (p *Pool) Snapshot(ctx context.Context, scope daybook.Scope) (*Snapshot, error) {
	s := p.get(scope)
	now, err := p.look(ctx, scope)
	if err != nil {
		return nil, err
	}
	if view := s.index.Snapshot(); s.loaded.Load() && view.reaches(now) {
		return view, nil
	}
	select {
	case <-s.catching:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if view := s.index.Snapshot(); s.loaded.Load() && view.reaches(now) { // while we waited
		s.catching <- struct{}{}
		return view, nil
	}
	done := make(chan error, 1)
	p.working.Go(func() { done <- p.bring(s); s.catching <- struct{}{} })
	select {
	case err := <-done:
		if err != nil {
			return nil, err
		}
		return s.index.Snapshot(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// bring brings a scope up to date; the caller holds its token.
func (p *Pool) bring(s *pooled) error {
	if err := p.catchUp(p.life, s.name, s.index.Snapshot(), s.index.Apply); err != nil {
		if !s.loaded.Load() {
			p.Drop(s.name) // a part of an index is no index
		}
		return err
	}
	s.loaded.Store(true)
	p.weigh(s)
	return nil
}

// Close stops work that is under way, and waits until it has. Snapshots stay readable.
func (p *Pool) Close() {
	p.end()
	p.working.Wait()
}

// Peek returns a scope's index as it is now, without waiting, or nil when the pool
// has none.
func (p *Pool) Peek(scope daybook.Scope) *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.scopes[scope]; e != nil && e.Value.(*pooled).bytes > 0 {
		return e.Value.(*pooled).index.Snapshot()
	}
	return nil
}

// All yields the indexes that the pool has, as they are now.
func (p *Pool) All() iter.Seq2[daybook.Scope, *Snapshot] {
	p.mu.Lock()
	all := map[daybook.Scope]*Snapshot{}
	for scope, e := range p.scopes {
		if s := e.Value.(*pooled); s.bytes > 0 {
			all[scope] = s.index.Snapshot()
		}
	}
	p.mu.Unlock()
	return maps.All(all)
}

func (p *Pool) get(scope daybook.Scope) *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.scopes[scope]; e != nil {
		p.recent.MoveToFront(e)
		return e.Value.(*pooled)
	}
	s := &pooled{name: scope, index: New(), catching: make(chan struct{}, 1)}
	s.catching <- struct{}{}
	p.scopes[scope] = p.recent.PushFront(s)
	return s
}

// overhead is what an empty scope weighs.
const overhead = 1024

// weigh takes note of a scope's size and drops others while there is too much.
func (p *Pool) weigh(s *pooled) {
	size := overhead + s.index.Snapshot().Bytes()
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.scopes[s.name]
	if e == nil || e.Value.(*pooled) != s {
		return // it was dropped meanwhile
	}
	p.bytes += size - s.bytes
	s.bytes = size
	for last := p.recent.Back(); p.bytes > p.limit && last != e; last = p.recent.Back() {
		p.drop(last)
	}
}

// Drop forgets a scope. Snapshots of it stay readable.
func (p *Pool) Drop(scope daybook.Scope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.scopes[scope]; e != nil {
		p.drop(e)
	}
}

func (p *Pool) drop(e *list.Element) {
	s := e.Value.(*pooled)
	p.bytes -= s.bytes
	p.recent.Remove(e)
	delete(p.scopes, s.name)
}

// Bytes is about how much memory the pool's indexes take.
func (p *Pool) Bytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}
