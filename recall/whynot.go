package recall

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"daybook"
	"daybook/index"
)

// Absence says what became of a note that somebody asked after.
type Absence struct {
	Note   daybook.NoteID     `json:"note"`
	Reason string             `json:"reason"`
	Rank   int                `json:"rank"` // among all candidates; 0 when it was none
	Of     int                `json:"of"`   // how many candidates there were
	Score  float64            `json:"score"`
	Needed float64            `json:"needed"`           // the score of the last row that was returned
	Legs   map[string]int     `json:"legs,omitempty"`   // that found it
	Parts  map[string]float64 `json:"parts,omitempty"`  // of its score
	Behind map[string]float64 `json:"behind,omitempty"` // where the last row returned had more
}

// whyNot says what became of a note. A note that is not there is NotFound.
func (p *pool) whyNot(id string, rows []Row) (*Absence, error) {
	note, err := p.book.Note(id)
	if err != nil {
		return nil, err
	}
	a := &Absence{Note: note.ID, Of: len(p.all)}
	place, _, err := p.book.NotePlace(note.ID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(p.all, func(c *candidate) bool { return p.Place(c.id) == place })
	if id, ok := p.Find(place); ok && at < 0 && p.wasCut(id, a) {
		return a, nil
	}
	if at < 0 {
		a.Reason = "no leg found it: neither its meaning nor its words are close enough to the question"
		return a, nil
	}
	if _, err := p.read(p.all[at]); err != nil {
		return nil, err
	}
	row := p.row(p.all[at])
	a.Rank, a.Score, a.Legs, a.Parts = at+1, row.Score, row.Explain.Legs, row.Explain.Parts
	returned := slices.ContainsFunc(rows, func(r Row) bool { return r.ID == note.ID })
	switch {
	case returned:
		a.Reason = wasReturned
	case at < p.plan.K:
		a.Reason = "the budget of tokens was spent before it"
	default:
		a.Reason = "others scored higher"
		a.behind(rows)
	}
	return a, nil
}

// wasCut says so where a note was found but is not among those that are ranked.
func (p *pool) wasCut(id index.ID, a *Absence) bool {
	at := slices.IndexFunc(p.cut, func(c *candidate) bool { return c.id == id })
	if at >= 0 {
		a.Reason, a.Legs = fmt.Sprintf("it was found, but only the best %d by a first look are ranked", readRows), p.cut[at].legs()
	}
	return at >= 0
}

// What can become of a note.
const (
	wasReturned  = "it was returned"
	wasOvertaken = "rows of the state that is asked for stand before it"
)

// among sets the reason right where other rows are returned than were found.
func (a *Absence) among(rows []Row) {
	returned := slices.ContainsFunc(rows, func(r Row) bool { return r.ID == a.Note })
	switch {
	case returned:
		a.Reason, a.Behind = wasReturned, nil
	case a.Reason == wasReturned:
		a.Reason = wasOvertaken
	}
}

// behind compares a note with the last row that was returned.
func (a *Absence) behind(rows []Row) {
	if len(rows) == 0 {
		return
	}
	last := rows[len(rows)-1]
	a.Needed, a.Behind = last.Score, map[string]float64{}
	for name, part := range last.Explain.Parts {
		if less := part - a.Parts[name]; less > 0 {
			a.Behind[name] = less
		}
	}
}

// String is one line for a person.
func (a *Absence) String() string {
	s := fmt.Sprintf("%s: %s", a.Note, a.Reason)
	if a.Rank > 0 {
		s += fmt.Sprintf("; number %d of %d by score (%.2f)", a.Rank, a.Of, a.Score)
	}
	if len(a.Behind) == 0 {
		return s
	}
	names := slices.SortedFunc(maps.Keys(a.Behind), func(x, y string) int {
		if a.Behind[x] != a.Behind[y] {
			return sign(a.Behind[y] - a.Behind[x])
		}
		return strings.Compare(x, y)
	})
	for i, n := range names[:min(len(names), 3)] {
		names[i] = fmt.Sprintf("%s %.2f", n, a.Behind[n])
	}
	return s + fmt.Sprintf(", needed %.2f; behind in %s", a.Needed, strings.Join(names[:min(len(names), 3)], ", "))
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
