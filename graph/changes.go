package graph

import (
	"time"

	"daybook"
	"daybook/store"
)

// NoteChanges are notes that came into force, and places whose notes are no longer
// in force.
type NoteChanges struct {
	Reset  bool         // all that was given before is void
	Head   store.Commit // set with the last changes
	Add    []PlacedNote
	Remove []store.Place
}

// changesBatch notes are given at once.
const changesBatch = 4096

// ChangedNotes gives what became of notes after a commit, the zero Commit for all:
// those added at a time or taken away at a time, in batches. A place may be
// removed that was never given. When the commit is not in this ledger, all is
// given anew, with Reset.
func ChangedNotes(r store.Reader, after store.Commit, give func(NoteChanges) error) error {
	head, err := r.Head()
	if err != nil || head.ID == after.ID {
		return err
	}
	b := newBook(r, head, time.Time{})
	if err := b.loadReverts(); err != nil { // who is who does not matter to notes
		return err
	}
	known, err := isIn(r, head, after)
	if err != nil {
		return err
	}
	if after.Seq == 0 || !known {
		return b.giveAll(after.Seq > 0, give)
	}
	undoing, err := anyOf(r, after.Seq, head.Seq, 'r', 'u', 'x')
	if err != nil {
		return err
	}
	if !undoing {
		return b.giveNew(after.Seq, give)
	}
	return b.giveTouched(after.Seq, give)
}

// Unerased reports whether a commit is in the ledger and nothing was erased since.
func Unerased(r store.Reader, since store.Commit) (bool, error) {
	head, err := r.Head()
	if err != nil {
		return false, err
	}
	known, err := isIn(r, head, since)
	if err != nil || !known {
		return false, err
	}
	erased, err := anyOf(r, since.Seq, head.Seq, 'x')
	return !erased, err
}

// isIn reports whether a commit is in the ledger.
func isIn(r store.Reader, head, c store.Commit) (bool, error) {
	if c.Seq == 0 || c.Seq > head.Seq {
		return c.Seq == 0, nil
	}
	was, err := commitAt(r, c.Seq)
	return was.ID == c.ID, err
}

// giveAll gives every note in force.
func (b *Book) giveAll(reset bool, give func(NoteChanges) error) error {
	withdrawn, err := b.retracted(daybook.NotePrefix)
	if err != nil {
		return err
	}
	batch := NoteChanges{Reset: reset}
	last := map[daybook.NoteID]store.Place{}
	var removed []store.Place
	for o, err := range b.ops(kindKey('n')) {
		if err != nil {
			return err
		}
		if o.Observe == nil || before(o.Place, withdrawn[string(o.Observe.ID)]) {
			continue
		}
		if len(b.undone) > 0 { // only then can a note be in force twice; the later counts
			if old, ok := last[o.Observe.ID]; ok {
				removed = append(removed, old)
			}
			last[o.Observe.ID] = o.Place
		}
		if batch, err = batch.add(o, give); err != nil {
			return err
		}
	}
	if err := give(batch); err != nil {
		return err
	}
	return give(NoteChanges{Head: b.head, Remove: removed})
}

// add takes a note into a batch, and gives the batch when it is full.
func (c NoteChanges) add(o *op, give func(NoteChanges) error) (NoteChanges, error) {
	c.Add = append(c.Add, PlacedNote{o.Place, *o.Observe})
	if len(c.Add) < changesBatch {
		return c, nil
	}
	return NoteChanges{}, give(c)
}

// giveNew gives the notes of later commits, none of which takes anything back.
func (b *Book) giveNew(after uint64, give func(NoteChanges) error) error {
	var batch NoteChanges
	for c, err := range b.r.ByKey(kindKey('n'), store.Range{From: after + 1, To: b.head.Seq}) {
		var o *op
		if err == nil {
			o, err = decode(c)
		}
		if err == nil {
			batch, err = batch.add(o, give)
		}
		if err != nil {
			return err
		}
	}
	batch.Head = b.head
	return give(batch)
}

// giveTouched gives the notes that commits after one speak of, as they stand now.
func (b *Book) giveTouched(after uint64, give func(NoteChanges) error) error {
	t := &touched{r: b.r, notes: map[string]bool{}, commits: map[uint64]bool{}}
	if err := t.within(store.Range{From: after + 1, To: b.head.Seq}); err != nil {
		return err
	}
	c := NoteChanges{Head: b.head, Remove: t.erased}
	for id := range t.notes {
		live, err := b.alive(id)
		if err != nil {
			return err
		}
		for o, err := range b.raw(idKey(id)) {
			if err != nil {
				return err
			}
			if o.Observe == nil {
				continue
			}
			if live != nil && live.Place == o.Place {
				c.Add = append(c.Add, PlacedNote{o.Place, *o.Observe})
			} else {
				c.Remove = append(c.Remove, o.Place)
			}
		}
	}
	return give(c)
}

// touched gathers what commits may have changed of notes.
type touched struct {
	r       store.Reader
	notes   map[string]bool
	erased  []store.Place
	commits map[uint64]bool // that were looked at because they were reverted
}

// within looks at the commits of a range, and at those that they revert.
func (t *touched) within(rg store.Range) error {
	var reverted []uint64
	for _, kind := range []byte{'n', 'r', 'u', 'x'} {
		for c, err := range t.r.ByKey(kindKey(kind), rg) {
			if err != nil {
				return err
			}
			o, err := decode(c)
			if err != nil {
				return err
			}
			switch {
			case o.Observe != nil:
				t.notes[string(o.Observe.ID)] = true
			case o.Retract != nil:
				t.notes[o.Retract.Target] = true
			case o.Revert != nil:
				reverted = append(reverted, o.Revert.Seq)
			case o.Erase != nil:
				t.erase(o.Erase.Targets)
			}
		}
	}
	for _, seq := range reverted {
		if !t.commits[seq] {
			t.commits[seq] = true
			if err := t.within(store.Range{From: seq, To: seq}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *touched) erase(targets []daybook.Erased) {
	for _, e := range targets {
		for pos := e.From; pos <= e.To; pos++ {
			t.erased = append(t.erased, store.Place{Seq: e.Seq, Pos: pos})
		}
	}
}

// OnlyNewNotes reports whether all that was appended after a commit are notes that the
// ledger had never seen.
func OnlyNewNotes(r store.Reader, after uint64) (bool, error) {
	head, err := r.Head()
	if err != nil || head.Seq == after {
		return err == nil, err
	}
	for c, err := range r.Contents(store.Range{From: after + 1, To: head.Seq}) {
		if err != nil {
			return false, err
		}
		o, err := decode(c)
		if err == nil && o.Message != "" {
			continue
		}
		if err != nil || o.Observe == nil || o.Observe.Corrects != "" {
			return false, err
		}
		if seen, err := r.Count(idKey(string(o.Observe.ID))); err != nil || seen > 1 {
			return false, err
		}
	}
	return true, nil
}
