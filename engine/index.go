package engine

import (
	"context"

	"daybook"
	"daybook/graph"
	"daybook/index"
	"daybook/recall"
	"daybook/store"
)

// indexMemory is how many bytes the indexes of all scopes may take together.
const indexMemory = 2 << 30

// ContentSpace is the set of an index's vectors that stand for notes as they were
// said, made by the engine's encoder; LatentSpace those that stand for short notes
// with what was said just before.
const (
	ContentSpace = recall.Content
	LatentSpace  = recall.Latent
)

// Index returns the scope's index, up to date with the ledger. Notes that are not
// embedded yet are found by words only.
func (e *Engine) Index(ctx context.Context, scope daybook.Scope) (*index.Snapshot, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	return e.indexes.Snapshot(ctx, scope)
}

// refreshIndex makes sure that nothing erased stays in memory for long: an index
// that is there follows the ledger now, or goes.
func (e *Engine) refreshIndex(ctx context.Context, scope daybook.Scope) {
	e.cache.Drop(scope)
	e.topics.drop(scope)
	e.stated.drop(scope)
	e.bound.drop(scope)
	e.said.drop(scope)
	e.echoes.drop(scope)
	if e.indexes.Peek(scope) == nil {
		return
	}
	if _, err := e.indexes.Snapshot(ctx, scope); err != nil {
		e.indexes.Drop(scope)
	}
}

// look implements index.Look.
func (e *Engine) look(ctx context.Context, scope daybook.Scope) (m index.Mark, err error) {
	m.Covers = map[string]uint64{}
	err = e.store.View(ctx, scope, func(r store.Reader) (err error) {
		if m.Head, err = r.Head(); err != nil || e.encoder == nil {
			return err
		}
		if m.Covers[ContentSpace], err = r.Covers(e.encoder.ID()); err != nil {
			return err
		}
		m.Covers[LatentSpace], err = r.Covers(latentOf(e.encoder.ID()))
		return err
	})
	return m, err
}

// catchUp implements index.CatchUp: all from one snapshot of the store.
func (e *Engine) catchUp(ctx context.Context, scope daybook.Scope, have *index.Snapshot, give func(index.Change) error) error {
	if have.Head().Seq == 0 {
		if kept := e.unshelve(scope); kept != nil {
			if err := give(index.Change{From: kept}); err != nil {
				return err
			}
			have = kept
		}
	}
	return e.store.View(ctx, scope, func(r store.Reader) error {
		c := catcher{r: r, have: have}
		work := ahead(give)
		err := graph.ChangedNotes(r, have.Head(), func(n graph.NoteChanges) error { return work.do(c.notes(n)) })
		if err == nil && e.encoder != nil {
			err = c.vectors(ContentSpace, e.encoder.ID(), work.do)
			if err == nil {
				err = c.vectors(LatentSpace, latentOf(e.encoder.ID()), work.do)
			}
		}
		if done := work.wait(); err == nil {
			err = done
		}
		return err
	})
}

// catcher turns what changed in a ledger into changes of an index.
type catcher struct {
	r       store.Reader
	have    *index.Snapshot
	reset   bool          // nothing of have counts
	removed bool          // notes were taken away, perhaps erased
	back    []store.Place // notes that came back: their vectors must, too
}

// covered is the commit up to which a set's vectors are in the index. What stands
// for a note with the one before it is made anew when notes were taken away.
func (c *catcher) covered(set string) uint64 {
	if c.reset || c.removed && set == LatentSpace {
		return 0
	}
	return c.have.Covers(set)
}

func (c *catcher) notes(n graph.NoteChanges) index.Change {
	c.reset, c.removed = c.reset || n.Reset, c.removed || len(n.Remove) > 0
	change := index.Change{Reset: n.Reset, Head: n.Head, Remove: n.Remove, Add: make([]index.Doc, len(n.Add))}
	for i, note := range n.Add {
		change.Add[i] = docOf(note.Place, note.Note)
		if note.Seq <= max(c.covered(ContentSpace), c.covered(LatentSpace)) {
			c.back = append(c.back, note.Place)
		}
	}
	return change
}

// docOf is what a note is found by.
func docOf(at store.Place, n daybook.Note) index.Doc {
	n = n.Own()
	return index.Doc{
		Place: at, Time: n.Time, Session: n.Session,
		Words: []index.Words{{Field: index.Content, Text: n.Passage()}}, Card: recall.Card(n),
	}
}

// vectorBatch vectors are given at once.
const vectorBatch = 4096

// vectors gives the vectors of one set that the index lacks.
func (c *catcher) vectors(set, encoder string, give func(index.Change) error) error {
	covered := c.covered(set)
	if covered < c.have.Covers(set) && !c.reset {
		if err := give(index.Change{Vectors: []index.Vectors{{Space: set, Reset: true}}}); err != nil {
			return err
		}
	}
	for _, p := range c.back {
		if err := c.vectorsIn(set, encoder, store.Range{From: p.Seq, To: p.Seq}, 0, give); err != nil {
			return err
		}
	}
	head, err := c.r.Head()
	if err != nil {
		return err
	}
	upTo, err := c.r.Covers(encoder)
	if err != nil || upTo <= covered {
		return err
	}
	if more, err := hasVectors(c.r, encoder, covered, head.Seq); err != nil {
		return err
	} else if !more { // the commits since brought no notes
		return give(index.Change{Vectors: []index.Vectors{{Space: set, Dim: c.have.Space(set).Dim(), UpTo: upTo}}})
	}
	return c.vectorsIn(set, encoder, store.Range{From: covered + 1, To: upTo}, upTo, give)
}

// hasVectors reports whether there is any vector after one commit, up to another.
// Asking the store for its spaces would count them all.
func hasVectors(r store.Reader, encoder string, after, upTo uint64) (bool, error) {
	if after >= upTo {
		return false, nil
	}
	for _, err := range r.Vectors(encoder, store.Range{From: after + 1, To: upTo}) {
		return err == nil, err
	}
	return false, nil
}

func (c *catcher) vectorsIn(set, encoder string, within store.Range, upTo uint64, give func(index.Change) error) error {
	batch := index.Vectors{Space: set}
	for v, err := range c.r.Vectors(encoder, within) {
		if err != nil {
			return err
		}
		batch.Dim, batch.Rows = len(v.Data)/2, append(batch.Rows, v)
		if len(batch.Rows) == vectorBatch {
			if err := give(index.Change{Vectors: []index.Vectors{batch}}); err != nil {
				return err
			}
			batch.Rows = nil
		}
	}
	batch.UpTo = upTo
	return give(index.Change{Vectors: []index.Vectors{batch}})
}

// worker makes changes in order while its owner reads the next ones.
type worker struct {
	changes chan index.Change
	failed  chan error // closed when all changes are made; holds the error, if any
}

func ahead(give func(index.Change) error) *worker {
	w := &worker{make(chan index.Change, 2), make(chan error, 1)}
	go func() {
		defer close(w.failed)
		var err error
		for c := range w.changes {
			if err == nil {
				err = give(c)
			}
		}
		if err != nil {
			w.failed <- err
		}
	}()
	return w
}

func (w *worker) do(c index.Change) error { w.changes <- c; return nil }

func (w *worker) wait() error {
	close(w.changes)
	return <-w.failed
}
