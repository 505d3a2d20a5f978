package engine

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/index"
	"daybook/model"
	"daybook/store"
)

// Engine is safe for use by many goroutines.
type Engine struct {
	store     store.Store
	ledger    graph.Ledger
	cache     *graph.Cache
	encoder   Encoder // nil when notes are not found by meaning
	asked     *askedVectors
	trees     *forest
	scorers   *scorers
	learner   Learner // nil when nothing is learned from notes
	stated    *scopePool[statedFacts]
	bound     *scopePool[readStatements]
	said      *scopePool[sentences]
	completer model.Completer // nil when answers are read by grammar
	reader    model.Reader    // nil when answers are read by grammar
	indexes   *index.Pool
	topics    *topicCache
	// reranker and expander help recall; each may be nil.
	reranker model.Reranker
	expander model.Completer
	// embedded is how far each scope is known to have its vectors, a *reach.
	embedded *sync.Map
	// lagging is set where a Worker makes what reads find notes by.
	lagging bool
	// records is set where what is returned is remembered, in echoes; behind is who
	// writes that down.
	records bool
	echoes  *scopePool[echoes]
	behind  *sync.WaitGroup
	watch   func(daybook.Scope, daybook.Receipt) // nil: nobody is told of commits
	room    *room                                // nil: no limit on questions
	// shelved is how much was read from the store's shelf, by scope.
	shelved *sync.Map
	// kin are the engines on the same store that have indexes of their own.
	kin     *kin
	without map[Part]bool // that are left undone; for measurements
}

// kin are engines of which each was made of another.
type kin struct {
	mu  sync.Mutex
	all []*Engine
}

func (k *kin) join(e *Engine) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, e)
}

// New returns an engine on a store, which it closes with Close.
func New(s store.Store) *Engine {
	e := &Engine{
		store: s, ledger: graph.Ledger{Now: time.Now, Rand: rand.Reader}, cache: &graph.Cache{}, asked: newLately[askedText, []float32](askedTexts),
		stated: newScopePool(newStatedFacts), bound: newScopePool(newReadStatements), said: newScopePool(newSentences), topics: &topicCache{}, trees: &forest{}, scorers: &scorers{}, embedded: &sync.Map{}, shelved: &sync.Map{},
		echoes: newScopePool(newEchoes), behind: &sync.WaitGroup{}, kin: &kin{},
	}
	e.indexes = index.NewPool(indexMemory, e.look, e.catchUp)
	e.kin.join(e)
	return e
}

// WithClock returns an engine that takes its times from now; for tests, demos
// and replays.
func (e *Engine) WithClock(now func() time.Time) *Engine {
	c := *e
	c.ledger.Now = now
	return &c
}

// Close writes down what was returned lately, keeps the indexes for the next engine,
// and closes the store. It does so for all engines that were made of the same one by
// With…; only one of them is closed.
func (e *Engine) Close() error {
	e.behind.Wait()
	for _, scope := range e.echoes.held() {
		e.keepReturned(context.Background(), scope)
	}
	for _, one := range e.kin.all {
		one.indexes.Close()
		one.shelveAll(context.Background())
	}
	return e.store.Close()
}

// Scopes lists the scopes that hold something.
func (e *Engine) Scopes(ctx context.Context) ([]daybook.Scope, error) { return e.store.Scopes(ctx) }

// read opens a book on the scope for the given times.
func (e *Engine) read(ctx context.Context, scope daybook.Scope, at daybook.AsOf, do func(*graph.Book) error) error {
	if err := scope.Validate(); err != nil {
		return err
	}
	if err := e.settle(ctx, scope, at.KnownAt); err != nil {
		return err
	}
	return e.store.View(ctx, scope, func(r store.Reader) error {
		book, err := e.cache.Open(r, scope, at, e.ledger.Now())
		if err != nil {
			return err
		}
		return do(book)
	})
}

// settle makes sure that what is read for a known-at time never changes: a
// writer may have taken its time just before and not have finished. Once such a
// writer is through, every later commit is recorded later than knownAt.
func (e *Engine) settle(ctx context.Context, scope daybook.Scope, knownAt time.Time) error {
	if knownAt.IsZero() {
		return nil
	}
	// Asked before looking, or a writer could still come in ahead of it.
	if err := graph.CheckKnownAt(knownAt, e.ledger.Now()); err != nil {
		return err
	}
	var head store.Commit
	err := e.store.View(ctx, scope, func(r store.Reader) (err error) {
		head, err = r.Head()
		return err
	})
	if err != nil || !head.RecordedAt.Before(knownAt) {
		return err
	}
	if err := e.Writable(ctx, scope); err != nil && !store.CannotWrite(err) { // else nobody writes
		return err
	}
	return nil
}

// Writable waits until nobody writes to the scope and says why it cannot be written, or
// nil.
func (e *Engine) Writable(ctx context.Context, scope daybook.Scope) error {
	return e.store.Update(ctx, scope, func(store.Writer) error { return nil })
}

// apply appends one change.
func (e *Engine) apply(ctx context.Context, scope daybook.Scope, ch graph.Change) (receipt daybook.Receipt, err error) {
	err = e.store.Update(ctx, scope, func(w store.Writer) (err error) {
		receipt, err = e.ledger.Apply(w, ch)
		return err
	})
	if err == nil {
		e.tell(scope, receipt)
	}
	return receipt, err
}

// WithWatch returns an engine that tells of each commit that it makes, once that is
// durable. The function must not wait for long.
func (e *Engine) WithWatch(watch func(daybook.Scope, daybook.Receipt)) *Engine {
	c := *e
	c.watch = watch
	return &c
}

func (e *Engine) tell(scope daybook.Scope, r daybook.Receipt) {
	if e.watch != nil && r.Seq > 0 {
		e.watch(scope, r)
	}
}

// keeper returns the store's housekeeping.
func (e *Engine) keeper() (store.Keeper, error) {
	k, ok := e.store.(store.Keeper)
	if !ok {
		return nil, daybook.Errorf(daybook.Invalid, "this kind of store does not offer that")
	}
	return k, nil
}
