package graph

import (
	"iter"
	"sort"
	"time"

	"daybook"
	"daybook/store"
)

// Book reads one scope as the ledger knew it at one time. It lives as long as
// the store.Reader under it and is for one goroutine.
type Book struct {
	r       store.Reader
	head    store.Commit // the last commit that this book sees; zero for none
	validAt time.Time
	undone  map[uint64]bool // commits that were reverted
	merged  map[daybook.EntityID]daybook.EntityID
	names   map[daybook.EntityID]daybook.Entity
	commits map[uint64]store.Commit
	cache   *scopeCache // nil when there is none
	turn    int         // of the cache, when the book was opened
	newest  uint64      // the last commit in the reader's snapshot; set with cache
	near    *near       // what was read around events; made by neighbourhood
	// A stage adds operations that are not in the ledger yet, and hides those
	// that are about to be erased.
	pending map[store.Key][]*op
	hidden  map[store.Place]bool
}

// Open opens the book for the given times; now stands in where none is given.
// A known-at time after now is Invalid: what it returns would change.
func Open(r store.Reader, at daybook.AsOf, now time.Time) (*Book, error) {
	b, _, err := bookAt(r, at, now)
	if err != nil {
		return nil, err
	}
	return b, b.load()
}

// bookAt is Open as far as to know which commit is the last that the book sees. It
// also returns the last one of the ledger.
func bookAt(r store.Reader, at daybook.AsOf, now time.Time) (*Book, store.Commit, error) {
	validAt := at.ValidAt
	if validAt.IsZero() {
		validAt = now
	}
	if err := CheckKnownAt(at.KnownAt, now); err != nil {
		return nil, store.Commit{}, err
	}
	newest, err := r.Head()
	head := newest
	if err == nil && !at.KnownAt.IsZero() && head.RecordedAt.After(at.KnownAt) {
		head, err = commitBefore(r, head.Seq, at.KnownAt)
	}
	return newBook(r, head, validAt), newest, err
}

func newBook(r store.Reader, head store.Commit, validAt time.Time) *Book {
	return &Book{r: r, head: head, validAt: validAt, names: map[daybook.EntityID]daybook.Entity{}, commits: map[uint64]store.Commit{}}
}

// CheckKnownAt is Invalid for a time in the future: what is known there would
// still change.
func CheckKnownAt(knownAt, now time.Time) error {
	if knownAt.After(now) {
		return daybook.Errorf(daybook.Invalid, "known-at %s lies in the future; nothing is recorded there yet", knownAt.Format(time.RFC3339))
	}
	return nil
}

// openSeq opens the book right after a commit, or before the first one.
func openSeq(r store.Reader, seq uint64, validAt time.Time) (*Book, error) {
	var head store.Commit
	if seq > 0 {
		var err error
		if head, err = commitAt(r, seq); err != nil {
			return nil, err
		}
	}
	b := newBook(r, head, validAt)
	return b, b.load()
}

// load reads what every read needs: which commits are undone, and which entities
// are one.
func (b *Book) load() error {
	if err := b.loadReverts(); err != nil {
		return err
	}
	return b.loadMerges()
}

// Reader is what the book reads from.
func (b *Book) Reader() store.Reader { return b.r }

// Head is the last commit that the book sees.
func (b *Book) Head() store.Commit { return b.head }

// commitBefore finds the last commit recorded at or before t. Recorded times
// rise with the sequence number.
func commitBefore(r store.Reader, last uint64, t time.Time) (store.Commit, error) {
	var found store.Commit
	var failed error
	sort.Search(int(last), func(i int) bool {
		c, err := commitAt(r, uint64(i)+1)
		if err != nil {
			failed = err
		}
		late := c.RecordedAt.After(t)
		if !late && c.Seq > found.Seq {
			found = c
		}
		return late
	})
	return found, failed
}

func commitAt(r store.Reader, seq uint64) (store.Commit, error) {
	for c, err := range r.Commits(store.Range{From: seq, To: seq}) {
		return c, err
	}
	return store.Commit{}, daybook.Errorf(daybook.Corrupt, "commit %d is missing", seq)
}

// commit returns a commit by number, read once per book.
func (b *Book) commit(seq uint64) (store.Commit, error) {
	if c, ok := b.commits[seq]; ok {
		return c, nil
	}
	c, err := commitAt(b.r, seq)
	if err == nil {
		b.commits[seq] = c
	}
	return c, err
}

// raw yields the operations under a key that the book sees, reverted ones
// included.
func (b *Book) raw(key store.Key) iter.Seq2[*op, error] { return b.rawBy(key, decode) }

// rawBy is raw with another way to decode. It is not copied into each of its many
// callers.
//
//go:noinline
func (b *Book) rawBy(key store.Key, decode func(store.Content) (*op, error)) iter.Seq2[*op, error] {
	return func(yield func(*op, error) bool) {
		if ops, ok, err := b.listed(key); ok { // a book with a cache is no stage: nothing is pending
			yieldAll(ops, err, yield)
			return
		}
		for c, err := range b.r.ByKey(key, store.UpTo(b.head.Seq)) {
			if b.hidden[c.Place] {
				continue
			}
			var o *op
			if err == nil {
				o, err = decode(c)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
		for _, o := range b.pending[key] {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func yieldAll(ops []*op, err error, yield func(*op, error) bool) {
	for _, o := range ops {
		if !yield(o, nil) {
			return
		}
	}
	if err != nil {
		yield(nil, err)
	}
}

// ops yields the operations under a key that are in force: seen by the book and
// not reverted. It is not copied into each of its many callers.
//
//go:noinline
func (b *Book) ops(key store.Key) iter.Seq2[*op, error] {
	return func(yield func(*op, error) bool) {
		for o, err := range b.raw(key) {
			if err == nil && b.undone[o.Seq] {
				continue
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// loadReverts finds the commits that are undone. A revert may itself be
// reverted; later ones are looked at first, so each is judged before its target.
func (b *Book) loadReverts() error {
	var reverts []*op
	for o, err := range b.raw(kindKey('u')) {
		if err != nil {
			return err
		}
		reverts = append(reverts, o)
	}
	b.undone = map[uint64]bool{}
	for i := len(reverts) - 1; i >= 0; i-- {
		if !b.undone[reverts[i].Seq] {
			b.undone[reverts[i].Revert.Seq] = true
		}
	}
	return nil
}

// loadMerges folds merges and splits in the order in which they were made.
func (b *Book) loadMerges() error {
	var changes []*op
	for _, kind := range []byte{'m', 's'} {
		for o, err := range b.ops(kindKey(kind)) {
			if err != nil {
				return err
			}
			changes = append(changes, o)
		}
	}
	sort.SliceStable(changes, func(i, j int) bool { return before(changes[i].Place, changes[j].Place) })
	b.merged = map[daybook.EntityID]daybook.EntityID{}
	for _, o := range changes {
		switch {
		case o.Split != nil:
			delete(b.merged, o.Split.Entity)
		case !b.leadsTo(o.Merge.Into, o.Merge.From): // a foreign ledger may hold a circle
			b.merged[o.Merge.From] = o.Merge.Into
		}
	}
	return nil
}

// leadsTo reports whether e is known as target, directly or through others.
func (b *Book) leadsTo(e, target daybook.EntityID) bool {
	for e != target {
		into, ok := b.merged[e]
		if !ok {
			return false
		}
		e = into
	}
	return true
}

func before(a, b store.Place) bool {
	return a.Seq < b.Seq || a.Seq == b.Seq && a.Pos < b.Pos
}

// canonical is the entity that e is known as.
func (b *Book) canonical(e daybook.EntityID) daybook.EntityID { return canonicalIn(b.merged, e) }

func canonicalIn(merged map[daybook.EntityID]daybook.EntityID, e daybook.EntityID) daybook.EntityID {
	for {
		into, ok := merged[e]
		if !ok {
			return e
		}
		e = into
	}
}

// aliases returns every entity that is known as the same one as e.
func (b *Book) aliases(e daybook.EntityID) []daybook.EntityID {
	root := b.canonical(e)
	all := []daybook.EntityID{root}
	for from := range b.merged {
		if b.canonical(from) == root {
			all = append(all, from)
		}
	}
	sort.Slice(all[1:], func(i, j int) bool { return all[i+1] < all[j+1] })
	return all
}

// Entity returns the declaration of an entity, or one with only the id.
func (b *Book) Entity(id daybook.EntityID) (daybook.Entity, error) {
	if e, ok := b.names[id]; ok {
		return e, nil
	}
	e := daybook.Entity{ID: id}
	for o, err := range b.ops(idKey(string(id))) {
		if err != nil {
			return e, err
		}
		if o.Entity != nil {
			e = *o.Entity
		}
	}
	b.names[id] = e
	return e, nil
}

// Entities lists every entity under its canonical id, with the names that were
// merged into it.
func (b *Book) Entities() ([]daybook.Entity, error) {
	var all []daybook.Entity
	seen := map[daybook.EntityID]bool{}
	for o, err := range b.ops(kindKey('e')) {
		if err != nil {
			return nil, err
		}
		id := b.canonical(o.Entity.ID)
		if seen[id] {
			continue
		}
		seen[id] = true
		e, err := b.Entity(id)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}
