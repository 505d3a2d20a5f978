package graph

import (
	"cmp"
	"time"

	"daybook"
	"daybook/store"
)

// NoteVersion is a note, or one that was put in its place.
type NoteVersion struct {
	daybook.Note
	RecordedAt time.Time
	Author     string
	InForce    bool
}

// Versions returns a note, by our id, and all that were put in its place, oldest
// first, those that were withdrawn included. It is NotFound when there is none.
func (b *Book) Versions(id daybook.NoteID) ([]NoteVersion, error) {
	var found []*op
	for _, key := range []store.Key{idKey(string(id)), derivedKey(string(id))} {
		for o, err := range b.ops(key) {
			if err != nil {
				return nil, err
			}
			if o.Observe != nil && (o.Observe.ID == id || o.Observe.Corrects == id) {
				found = append(found, o)
			}
		}
	}
	daybook.Sort(found, func(x, y *op) int { return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Pos, y.Pos)) })
	var all []NoteVersion
	for _, o := range found {
		c, err := b.commit(o.Seq)
		if err != nil {
			return nil, err
		}
		live, err := b.alive(string(o.Observe.ID))
		if err != nil {
			return nil, err
		}
		all = append(all, NoteVersion{*o.Observe, c.RecordedAt, c.Author, live != nil && live.Place == o.Place})
	}
	if len(all) == 0 {
		return nil, daybook.Errorf(daybook.NotFound, "no note %q in this scope", id)
	}
	return all, nil
}
