package recall

import (
	"fmt"
	"slices"

	"daybook"
	"daybook/graph"
)

// follow takes in what was learned from the best candidates: the importance of
// their facts, and the notes at the other end of their evolution links, so that
// what was and what came of it are seen together. It reports whether any joined.
func (p *pool) follow() (joined bool, err error) {
	if p.aids.Flat {
		return false, nil
	}
	first := slices.Clone(p.all[:min(len(p.all), linkRows)])
	for rank, c := range first {
		if err := p.learn(c); err != nil {
			return false, err
		}
		for _, f := range c.learned.Facts {
			c.values[Important] = max(c.values[Important], f.Importance)
		}
		for _, tie := range c.learned.Ties {
			more, err := p.followTie(c, tie, rank+1)
			if err != nil {
				return false, err
			}
			joined = joined || more
		}
	}
	if !p.plan.Wide {
		return joined, nil
	}
	more, err := p.lookAround(first)
	return joined || more, err
}

// learn looks up what was learned from a candidate, if nobody did.
func (p *pool) learn(c *candidate) error {
	n, err := p.read(c)
	if err != nil || c.learned != nil {
		return err
	}
	learned, err := p.book.Standing(n.ID, tiesOfNote)
	c.learned = &learned
	return err
}

// followTie lets the notes at both ends of a link join the pool.
func (p *pool) followTie(from *candidate, tie graph.Tie, rank int) (joined bool, err error) {
	for _, id := range tie.Notes {
		if id == from.note.ID {
			continue
		}
		c, err := p.join(id)
		if err != nil {
			return false, err
		}
		if c == nil || slices.Contains(c.links, tie.Link) {
			continue
		}
		if c.ranks[byLink] == 0 {
			c.ranks[byLink] = rank
		}
		joined = true
		c.links = append(c.links, tie.Link)
	}
	return joined, nil
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

// surelyMeant is how sure it must be that something is a plan or an aside for a note to be labelled
// so: no label is better than a wrong one.
const surelyMeant = 0.9

// standing is what a note is in the states of the facts that stand on it.
type standing struct {
	role     daybook.Role // empty when there are none
	reason   string
	outdated []string // values that it gives and that no longer hold
	over     []over   // those of them that were superseded
}

func (p *pool) standing(c *candidate) (all standing, err error) {
	if err := p.learn(c); err != nil {
		return all, err
	}
	var periods []daybook.Period
	for _, f := range c.learned.Facts {
		period, err := p.book.Period(f)
		if err != nil {
			return all, err
		}
		if period.Role == daybook.RoleHistorical && period.EndedBy != "" {
			all.over = append(all.over, over{c.note.ID, f.Relation, period})
		}
		if period.Modality == daybook.OneOff && p.plan.View == daybook.Neutral {
			continue // what happened once is no aside where nobody asks what holds
		}
		if period.Modality != daybook.Asserted && f.Confidence < surelyMeant {
			continue
		}
		periods = append(periods, period)
	}
	for _, role := range slices.Backward(roleOrder) {
		for _, period := range periods {
			if period.Role != role {
				continue
			}
			all.role, all.reason = role, period.Reason
			if role == daybook.RoleHistorical && !slices.Contains(all.outdated, period.Object) {
				all.outdated = append(all.outdated, period.Object)
			}
		}
	}
	if all.role != daybook.RoleCurrent || p.plan.View == daybook.Neutral {
		return all, nil
	}
	return p.doubted(c, all)
}

// doubted labels what likely was superseded where somebody asks for a state: all that
// a note says is so has a link from something newer that may update it.
func (p *pool) doubted(c *candidate, at standing) (standing, error) {
	newer := ""
	for _, f := range c.learned.Facts {
		i := slices.IndexFunc(c.learned.Ties, func(t graph.Tie) bool {
			return t.Kind == daybook.MayUpdate && t.To == string(f.ID)
		})
		if i < 0 {
			return at, nil
		}
		newer = c.learned.Ties[i].From
	}
	op, err := p.book.Get(newer)
	if err != nil || op.Fact == nil {
		return at, err
	}
	at.role, at.reason = daybook.RoleHistorical, fmt.Sprintf("possibly superseded by %q", op.Fact.Object)
	return at, nil
}
