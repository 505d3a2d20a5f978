package engine

import (
	"context"
	"io"
	"log/slog"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/index"
	"daybook/store"
)

// shelvedNotes is from how many notes on an index is kept when the engine closes, to
// be read by the next: one of fewer is built in no time.
const shelvedNotes = 2000

// indexMade says what an index is made with: another encoder, another judge of
// sentences or another way to make cards and terms makes another index. The number
// goes up with either of the latter.
func (e *Engine) indexMade() string {
	if e.encoder == nil {
		return "4"
	}
	return "4 " + e.encoder.ID() + " " + extract.JudgeMark()
}

// shelveAll keeps the indexes that took long to build, or have grown since they were
// kept, with the sentences that were heard. What cannot be kept is built again by the
// next engine; that is no failure of this one.
func (e *Engine) shelveAll(ctx context.Context) {
	for scope, view := range e.indexes.All() {
		lists, heard := e.said.of(scope).lists()
		size := shelvedSize(view, lists)
		had, _ := e.shelved.Load(scope)
		before, _ := had.(int)
		if view.Len() < shelvedNotes || size-before < size/20 {
			continue
		}
		if err := e.shelve(ctx, scope, view, lists, heard); err != nil {
			slog.Warn("the index was not kept, and will be built again", "scope", scope.String(), "error", err)
		}
	}
}

// shelvedSize is how much is kept, in notes and sentences.
func shelvedSize(view *index.Snapshot, lists []index.List) int {
	size := view.Len()
	for _, l := range lists {
		size += l.Space.Len()
	}
	return size
}

// shelve keeps an index and lists that were made of the ledger up to a commit, unless
// something was erased since.
func (e *Engine) shelve(ctx context.Context, scope daybook.Scope, view *index.Snapshot, lists []index.List, heard store.Commit) error {
	shelf, ok := e.store.(store.Shelf)
	if !ok {
		return nil
	}
	return shelf.Shelve(ctx, scope,
		func(w io.Writer) error { return view.Save(w, e.indexMade(), lists...) },
		func(r store.Reader) (bool, error) {
			whole, err := graph.Unerased(r, view.Head())
			if err != nil || !whole || len(lists) == 0 {
				return whole, err
			}
			return graph.Unerased(r, heard)
		})
}

// unshelve returns the index that was kept, or nil. One that is damaged or was made
// otherwise is as good as none: the next one takes its place.
func (e *Engine) unshelve(scope daybook.Scope) (view *index.Snapshot) {
	shelf, ok := e.store.(store.Shelf)
	if !ok {
		return nil
	}
	var lists []index.List
	err := shelf.Shelved(scope, func(r io.Reader, size int64) (err error) {
		view, lists, err = index.Load(r, size, e.indexMade())
		return err
	})
	if err != nil {
		if daybook.KindOf(err) != daybook.Invalid {
			slog.Warn("the kept index is of no use, and is built again", "scope", scope.String(), "error", err)
		}
		return nil
	}
	if view != nil {
		e.shelved.Store(scope, shelvedSize(view, lists))
		e.said.of(scope).take(lists, view.Head())
	}
	return view
}

// discard removes the index that was kept of a scope.
func (e *Engine) discard(ctx context.Context, scope daybook.Scope) error {
	shelf, ok := e.store.(store.Shelf)
	if !ok {
		return nil
	}
	e.shelved.Delete(scope)
	return shelf.Discard(ctx, scope)
}
