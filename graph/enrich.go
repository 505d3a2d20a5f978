package graph

import (
	"slices"

	"daybook"
)

// enrich keeps the enriched text of a note. Saying again what is in force
// already changes nothing.
func (s *stage) enrich(e daybook.Enrichment) error {
	if err := e.Validate(); err != nil {
		return err
	}
	if err := s.checkSources(append([]daybook.NoteID{e.Note}, e.From...)); err != nil {
		return err
	}
	old, known, err := s.Enriched(e.Note)
	if err != nil || known && old.Text == e.Text && old.By == e.By && slices.Equal(old.From, e.From) {
		return err
	}
	s.put(body{Op: daybook.Op{Enrich: &e}})
	return nil
}

// Enriched returns the enriched text of a note: the last one in force that was
// made since the note was observed; false when there is none, or the note is not
// in force.
func (b *Book) Enriched(id daybook.NoteID) (last daybook.Enrichment, known bool, err error) {
	note, err := b.alive(string(id))
	if err != nil || note == nil || note.Observe == nil {
		return last, false, err
	}
	for o, err := range b.ops(derivedKey(string(id))) {
		if err != nil {
			return last, false, err
		}
		if o.Enrich != nil && o.Enrich.Note == id && before(note.Place, o.Place) {
			last, known = *o.Enrich, true
		}
	}
	return last, known, nil
}

// checkQuotes reports a quote that does not lie in its note. The notes are known
// to be there.
func (s *stage) checkQuotes(quotes []daybook.Quote) error {
	for _, q := range quotes {
		o, err := s.alive(string(q.Note))
		if err != nil {
			return err
		}
		if _, ok := q.In(o.Observe.Text); !ok {
			return daybook.Errorf(daybook.Invalid, "event quotes bytes %d to %d of %s, which are not whole characters of its %d bytes", q.Start, q.End, q.Note, len(o.Observe.Text))
		}
	}
	return nil
}
