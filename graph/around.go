package graph

import (
	"cmp"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// Has reports whether a note is in force.
func (b *Book) Has(id daybook.NoteID) (bool, error) {
	o, err := b.alive(string(id))
	return o != nil && o.Observe != nil, err
}

// aroundCommits is how many of the last commits are looked at first for the notes
// of a session; the next look goes eight times further back.
const aroundCommits = 32

// Around returns the notes of a session that were said from the given instants on
// or between them, up to n before the first and n after the last, in the order in
// which they were said. Late notes apart it reads the end of the ledger only.
func (b *Book) Around(session string, first, last time.Time, n int) ([]daybook.Note, error) {
	for span := uint64(aroundCommits); ; span *= 8 {
		from := uint64(1)
		if b.head.Seq > span {
			from = b.head.Seq - span + 1
		}
		notes, err := b.sessionNotes(session, store.Range{From: from, To: b.head.Seq})
		if err != nil {
			return nil, err
		}
		before, _ := slices.BinarySearchFunc(notes, first, func(x daybook.Note, t time.Time) int { return x.Time.Compare(t) })
		if before < n && from > 1 {
			continue
		}
		after := before
		for after < len(notes) && !notes[after].Time.After(last) {
			after++
		}
		return notes[max(0, before-n):min(len(notes), after+n)], nil
	}
}

// sessionNotes are the notes of a session in force that a range of commits holds,
// by time.
func (b *Book) sessionNotes(session string, within store.Range) ([]daybook.Note, error) {
	if b.head.Seq == 0 {
		return nil, nil
	}
	var notes []daybook.Note
	for c, err := range b.r.ByKey(sessionKey(session), within) {
		if err != nil {
			return nil, err
		}
		o, err := decode(c)
		if err != nil {
			return nil, err
		}
		if o.Observe == nil || b.undone[o.Seq] {
			continue
		}
		if live, err := b.alive(string(o.Observe.ID)); err != nil {
			return nil, err
		} else if live != nil && live.Place == o.Place {
			notes = append(notes, *o.Observe)
		}
	}
	daybook.Sort(notes, func(x, y daybook.Note) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.ID, y.ID))
	})
	return notes, nil
}

// PlacedFact is a fact with its place in the ledger.
type PlacedFact struct {
	store.Place
	daybook.Fact
}

// FactsIn returns the facts that a range of commits asserted, whatever became of
// them later.
func FactsIn(r store.Reader, within store.Range) (facts []PlacedFact, err error) {
	for c, err := range r.ByKey(kindKey('f'), within) {
		if err != nil {
			return nil, err
		}
		o, err := decode(c)
		if err != nil {
			return nil, err
		}
		facts = append(facts, PlacedFact{o.Place, *o.Fact})
	}
	return facts, nil
}

// FactAt returns the fact that was asserted at a place, if it was not erased.
func FactAt(r store.Reader, at store.Place) (daybook.Fact, bool, error) {
	c, ok, err := r.Content(at)
	if err != nil || !ok {
		return daybook.Fact{}, false, err
	}
	o, err := decode(c)
	if err != nil || o.Fact == nil {
		return daybook.Fact{}, false, err
	}
	return *o.Fact, true, nil
}

// Words returns what a note says for a fact in force: the first quote of the event
// that asserts it.
func (b *Book) Words(f daybook.Fact) (string, bool, error) {
	live, err := b.alive(string(f.ID))
	if err != nil || live == nil || f.Event == "" {
		return "", false, err
	}
	event, err := b.alive(string(f.Event))
	if err != nil || event == nil || event.Event == nil || len(event.Event.Quotes) == 0 {
		return "", false, err
	}
	q := event.Event.Quotes[0]
	note, err := b.alive(string(q.Note))
	if err != nil || note == nil || note.Observe == nil {
		return "", false, err
	}
	words, ok := q.In(note.Observe.Text)
	return words, ok, nil
}
