package recall

import (
	"slices"

	"daybook"
	"daybook/graph"
)

// follow takes in what was learned from the best candidates: the importance of
// their facts, and the notes at the other end of their evolution links, so that
// what was and what came of it are seen together. It reports whether any joined.
func (p *pool) follow() (joined bool, err error) {
	first := slices.Clone(p.all[:min(len(p.all), linkRows)])
	for rank, c := range first {
		if err := p.learn(c); err != nil {
			return false, err
		}
		learned := c.learned
		for _, f := range learned.Facts {
			c.values[Important] = max(c.values[Important], f.Importance)
		}
		for _, l := range learned.Links {
			if !l.Kind.Evolution() {
				continue
			}
			more, err := p.followLink(c, l, rank+1)
			if err != nil {
				return false, err
			}
			joined = joined || more
		}
	}
	return joined, nil
}

// learn looks up what was learned from a candidate, if nobody did.
func (p *pool) learn(c *candidate) error {
	n, err := p.read(c)
	if err != nil || c.learned != nil {
		return err
	}
	learned, err := p.book.Stated(string(n.ID))
	c.learned = &learned
	return err
}

// followLink lets the notes at both ends of a link join the pool.
func (p *pool) followLink(from *candidate, l daybook.LinkView, rank int) (joined bool, err error) {
	for _, end := range []string{l.From, l.To} {
		notes, err := sourcesOf(p.book, end)
		if err != nil {
			return false, err
		}
		for _, id := range notes {
			if id == from.note.ID {
				continue
			}
			c, err := p.join(id)
			if err != nil {
				return false, err
			}
			if c == nil || slices.Contains(c.links, l.ID) {
				continue
			}
			if c.ranks[byLink] == 0 {
				c.ranks[byLink] = rank
			}
			c.values[Linked], joined = 1, true
			c.links = append(c.links, l.ID)
		}
	}
	return joined, nil
}

// sourcesOf are the notes that an event or a fact stands on.
func sourcesOf(b *graph.Book, id string) ([]daybook.NoteID, error) {
	op, err := b.Get(id)
	switch {
	case daybook.KindOf(err) == daybook.NotFound && err != nil:
		return nil, nil
	case err != nil:
		return nil, err
	case op.Event != nil:
		return op.Event.Sources, nil
	case op.Fact != nil:
		return op.Fact.Sources, nil
	}
	return nil, nil
}

// join returns the candidate of a note, new in the pool where it was not there;
// nil for a note that the index does not have.
func (p *pool) join(id daybook.NoteID) (*candidate, error) {
	at, ok, err := p.find(id)
	if err != nil || !ok {
		return nil, err
	}
	if c := p.byID[at]; c != nil {
		return c, nil
	}
	return p.newCandidate(at), nil
}

// roleOrder says which role a note takes that has several.
var roleOrder = []daybook.Role{
	daybook.RoleCurrent, daybook.RoleContested, daybook.RoleTransition, daybook.RolePlanned, daybook.RoleHistorical, daybook.RoleAside,
}

// role is what a note is in the states of the facts that stand on it; empty when
// there are none.
func (p *pool) role(c *candidate) (role daybook.Role, err error) {
	if err := p.learn(c); err != nil {
		return "", err
	}
	var roles []daybook.Role
	for _, f := range c.learned.Facts {
		states, err := p.book.States(graph.Select{Subject: string(f.Subject), Relation: f.Relation})
		if err != nil {
			return "", err
		}
		roles = append(roles, rolesOf(states, f.ID)...)
	}
	for _, r := range roleOrder {
		if slices.Contains(roles, r) {
			return r, nil
		}
	}
	return "", nil
}

// rolesOf are the roles of the periods that a fact asserts.
func rolesOf(states []daybook.State, fact daybook.FactID) (roles []daybook.Role) {
	for _, st := range states {
		for _, p := range st.Periods {
			if slices.ContainsFunc(p.Facts, func(f daybook.RecordedFact) bool { return f.ID == fact }) {
				roles = append(roles, p.Role)
			}
		}
	}
	return roles
}
