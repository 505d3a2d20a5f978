package recall

import (
	"slices"
	"strings"

	"daybook"
	"daybook/index"
)

// over is a value that was superseded, with the note that gives it and the relation that
// it was the value of.
type over struct {
	note     daybook.NoteID
	relation string
	daybook.Period
}

// fewWords is below how many words a value is said again only by a note that has words
// of its relation, too: too much else is called "Rome" or "next week".
const fewWords = 3

// labelRepeats labels the rows that say again, in the words of it, a value that was
// superseded after they were said. What also has the words of the newer value tells of
// the change, and keeps its role.
func (p *pool) labelRepeats(rows []Row, ends []over) error {
	if len(ends) == 0 {
		return nil
	}
	said := make([]map[string]bool, len(rows))
	for i := range rows {
		said[i] = wordSet(rows[i].Text)
	}
	for _, end := range ends {
		newer, err := p.book.Get(string(end.EndedBy))
		if err != nil {
			return err
		}
		old, after := wordsOfValue(end.relation, end.Object), valueWords{}
		if newer.Fact != nil {
			after = wordsOfValue(newer.Fact.Relation, newer.Fact.Object)
		}
		for i := range rows {
			row := &rows[i]
			if row.Role == daybook.RoleHistorical || row.Time.After(end.Valid.Until) || !old.in(said[i]) || after.in(said[i]) {
				continue
			}
			row.Role, row.Reason, row.Repeats = daybook.RoleHistorical, end.Reason, true
			if !slices.Contains(row.Outdated, end.Object) {
				row.Outdated = append(row.Outdated, end.Object)
			}
		}
	}
	return nil
}

// raise puts what holds before the first row with a value that it took the place of,
// which is told its heir.
func (p *pool) raise(rows []Row, ends []over) error {
	for _, end := range ends {
		notes, err := p.holder(end.EndedBy)
		if err != nil {
			return err
		}
		old := slices.IndexFunc(rows, func(r Row) bool { return r.ID == end.note })
		if len(notes) > 0 {
			rows[old].Heir = notes[0]
		}
		now := slices.IndexFunc(rows, func(r Row) bool { return slices.Contains(notes, r.ID) })
		if now > old {
			row := rows[now]
			copy(rows[old+1:now+1], rows[old:now])
			rows[old] = row
		}
	}
	return nil
}

// mostChanges is how many changes of a state are followed to what holds.
const mostChanges = 100

// holder is where the value stands that holds after a fact and all that superseded it;
// none where nothing holds.
func (p *pool) holder(id daybook.FactID) ([]daybook.NoteID, error) {
	for range mostChanges {
		op, err := p.book.Get(string(id))
		if err != nil || op.Fact == nil {
			return nil, err
		}
		period, err := p.book.Period(op.Fact)
		switch {
		case err != nil:
			return nil, err
		case period.Role == daybook.RoleCurrent:
			return op.Fact.Sources, nil
		case period.EndedBy == "" || period.EndedBy == id:
			return nil, nil
		}
		id = period.EndedBy
	}
	return nil, nil
}

// valueWords are those by which a value is known again: its own, of which none may be
// missing, and those that say what it is the value of, of which half may.
type valueWords struct{ own, of []string }

func wordsOfValue(relation, object string) (w valueWords) {
	of := contentTerms(strings.ReplaceAll(relation, "_", " "))
	value := contentTerms(object)
	for _, t := range value {
		if slices.Contains(of, t) {
			w.of = append(w.of, t)
		} else {
			w.own = append(w.own, t)
		}
	}
	if len(value) < fewWords {
		w.of = of
	}
	return w
}

// in reports whether a text with these words says the value.
func (w valueWords) in(said map[string]bool) bool {
	missing := func(t string) bool { return !said[t] }
	if len(w.own) == 0 || len(w.own) < fewWords && len(w.of) == 0 || slices.ContainsFunc(w.own, missing) {
		return false
	}
	there := 0
	for _, t := range w.of {
		if said[t] {
			there++
		}
	}
	return 2*there >= len(w.of)
}

// contentTerms are the terms of the words of a text that carry its content.
func contentTerms(text string) (terms []string) {
	for _, t := range index.Terms(text) {
		if !index.IsFunctionWord(t) && !strings.ContainsAny(t, "@_") && !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	return terms
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range index.Terms(text) {
		set[t] = true
	}
	return set
}
