package graph

import (
	"strings"

	"daybook"
	"daybook/store"
)

// alive returns the operation that asserts an id if that is what was last said
// of it: asserted, and not retracted since. It returns nil otherwise.
func (b *Book) alive(id string) (*op, error) {
	var last *op
	for o, err := range b.ops(idKey(id)) {
		if err != nil {
			return nil, err
		}
		switch {
		case o.asserts() == id:
			last = o
		case o.Retract != nil && o.Retract.Target == id:
			last = nil
		}
	}
	return last, nil
}

// asserts is the id of what the operation puts into the ledger, or "".
func (b body) asserts() string {
	switch {
	case b.Observe != nil:
		return string(b.Observe.ID)
	case b.Entity != nil:
		return string(b.Entity.ID)
	case b.Event != nil:
		return string(b.Event.ID)
	case b.Fact != nil:
		return string(b.Fact.ID)
	case b.Relate != nil:
		return string(b.Relate.ID)
	}
	return ""
}

// Note returns a note by its id, or by the caller's own id. It is NotFound when
// it was never observed, was withdrawn, or was erased.
func (b *Book) Note(id string) (daybook.Note, error) {
	for _, candidate := range []string{id, string(daybook.Note{SourceID: id}.Named().ID)} {
		o, err := b.alive(candidate)
		if err != nil {
			return daybook.Note{}, err
		}
		if o != nil && o.Observe != nil {
			return *o.Observe, nil
		}
	}
	return daybook.Note{}, daybook.Errorf(daybook.NotFound, "no note %q in this scope", id)
}

// Get returns what an id names: a note, entity, event, fact or link.
func (b *Book) Get(id string) (daybook.Op, error) {
	o, err := b.alive(id)
	if err != nil {
		return daybook.Op{}, err
	}
	if o == nil {
		if n, err := b.Note(id); err == nil {
			return daybook.Op{Observe: &n}, nil
		}
		return daybook.Op{}, daybook.Errorf(daybook.NotFound, "nothing in this scope has the id %q", id)
	}
	return o.Op, nil
}

// Notes yields the notes of a session, or of the whole scope, in the order in
// which they were recorded.
func (b *Book) Notes(session string, yield func(daybook.Note) error) error {
	return b.PlacedNotes(session, func(n PlacedNote) error { return yield(n.Note) })
}

// PlacedNotes is Notes with the place of each note.
func (b *Book) PlacedNotes(session string, yield func(PlacedNote) error) error {
	key := kindKey('n')
	if session != "" {
		key = sessionKey(session)
	}
	gone, err := b.retracted(daybook.NotePrefix)
	if err != nil {
		return err
	}
	seen := map[daybook.NoteID]bool{}
	for o, err := range b.ops(key) {
		if err != nil {
			return err
		}
		if o.Observe == nil || before(o.Place, gone[string(o.Observe.ID)]) || seen[o.Observe.ID] {
			continue
		}
		// Only an undone revert or retraction can bring a note back beside one
		// that was added again meanwhile.
		if len(b.undone) > 0 {
			seen[o.Observe.ID] = true
		}
		if err := yield(PlacedNote{o.Place, *o.Observe}); err != nil {
			return err
		}
	}
	return nil
}

// retracted returns, for ids with a prefix, where they were last retracted.
func (b *Book) retracted(prefix string) (map[string]store.Place, error) {
	gone := map[string]store.Place{}
	for o, err := range b.ops(kindKey('r')) {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(o.Retract.Target, prefix) {
			gone[o.Retract.Target] = o.Place
		}
	}
	return gone, nil
}

// Subject finds the entity that people mean by a name or an id.
func (b *Book) Subject(name string) daybook.EntityID {
	if strings.HasPrefix(name, daybook.EntityPrefix) && !strings.Contains(name, " ") {
		return b.canonical(daybook.EntityID(name))
	}
	return b.canonical(daybook.EntityNamed(name))
}

// sameNote is a Conflict when two notes of one id differ.
func sameNote(a *daybook.Note, b daybook.Note) error {
	if a != nil && a.Text == b.Text && a.Speaker == b.Speaker && a.Session == b.Session && a.Time.Equal(b.Time) {
		return nil
	}
	return daybook.Errorf(daybook.Conflict, "note id %q stands for another message already; notes are never changed, so give the new message an id of its own", b.SourceID)
}

// PlacedNote is a note with its place in the ledger.
type PlacedNote struct {
	store.Place
	daybook.Note
}

// NotesIn returns the notes that a range of commits observed, whatever became of
// them later.
func NotesIn(r store.Reader, within store.Range) (notes []PlacedNote, err error) {
	for c, err := range r.ByKey(kindKey('n'), within) {
		if err != nil {
			return nil, err
		}
		o, err := decode(c)
		if err != nil {
			return nil, err
		}
		notes = append(notes, PlacedNote{o.Place, *o.Observe})
	}
	return notes, nil
}

// NoteAt returns the note that was observed at a place, if it is in force.
func (b *Book) NoteAt(at store.Place) (daybook.Note, bool, error) {
	n, ok, err := b.NoteObserved(at)
	if err != nil || !ok {
		return daybook.Note{}, false, err
	}
	if b.untouched(string(n.ID)) {
		return n, true, nil
	}
	live, err := b.alive(string(n.ID))
	return n, err == nil && live != nil && live.Place == at, err
}

// NoteObserved is NoteAt for a caller who knows that the note is in force: it does
// not look whether it is. What the note refers to is shared and must not be changed.
func (b *Book) NoteObserved(at store.Place) (daybook.Note, bool, error) {
	o, err := b.opAt(at)
	if err != nil || o == nil || o.Observe == nil {
		return daybook.Note{}, false, err
	}
	return *o.Observe, true, nil
}

// opAt returns the operation at a place, or nil for one that was erased or never was.
func (b *Book) opAt(at store.Place) (*op, error) {
	keeps := b.cache != nil && at.Seq <= b.head.Seq
	if keeps {
		if o := b.cache.records.at(at, b.turn); o != nil {
			return o, nil
		}
	}
	c, ok, err := b.r.Content(at)
	if err != nil || !ok {
		return nil, err
	}
	o, err := decode(c)
	if err == nil && keeps {
		b.cache.records.keepAt(o, b.turn)
	}
	return o, err
}

// NotePlace returns where a note stands in the ledger; false when it is not in
// force.
func (b *Book) NotePlace(id daybook.NoteID) (store.Place, bool, error) {
	if b.untouched(string(id)) { // then what was first said of it holds
		for o, err := range b.raw(idKey(string(id))) {
			if err != nil {
				return store.Place{}, false, err
			}
			return o.Place, true, nil
		}
	}
	o, err := b.alive(string(id))
	if err != nil || o == nil || o.Observe == nil {
		return store.Place{}, false, err
	}
	return o.Place, true, nil
}
