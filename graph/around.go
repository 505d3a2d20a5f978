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
	slices.SortStableFunc(notes, func(x, y daybook.Note) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.ID, y.ID))
	})
	return notes, nil
}
