package graph

import (
	"slices"
	"time"

	"daybook"
)

// Period is the period that a fact belongs to, with its role at the book's valid time
// and without its facts and its relation; the zero Period for a fact that is not in
// force. It is the one that States has.
//
// Only the facts of its value are looked at, with what is linked to them. They are
// read by keys where they are few; else, and where a state is asked about again and
// again, the state variable is read once and kept.
func (b *Book) Period(f *daybook.Fact) (daybook.Period, error) {
	v, err := b.around(f)
	if err != nil {
		return daybook.Period{}, err
	}
	s := v.spanOf(f.ID)
	if s == nil {
		return daybook.Period{}, nil
	}
	return s.outline(b.validAt, v.contests(s, b.validAt)), nil
}

// fewMates facts of one value, at most, are read by keys to find the period of one of
// them.
const fewMates = 12

// around gathers the part of a state that decides on the period of one fact: the facts
// of its value, the links that end or contradict them, and, where the value holds, for
// each that contradicts one of them the facts of its value in turn.
func (b *Book) around(f *daybook.Fact) (*variable, error) {
	if !b.keepsState(variableOf(f)) {
		v, few, err := gatherAround(b.neighbourhood(), f, fewMates, b.validAt)
		if err != nil || few {
			return v, err
		}
	}
	if b.cache != nil {
		v, _, err := gatherAround(keptStates{b}, f, 0, b.validAt)
		return v, err
	}
	j, err := b.joined(variableOf(f))
	if err != nil {
		return nil, err
	}
	return j.variable, nil
}

// factReader finds facts and what ends or contradicts them.
type factReader interface {
	// mates are the facts in force of one state variable and value; not ok where
	// there may be more than most, if most is not 0.
	mates(f *daybook.Fact, most int) (mates []*op, ok bool, err error)
	// rulings are the links in force by which a fact ends or is contradicted, or by
	// which it ends or contradicts others.
	rulings(f *daybook.Fact) ([]edge, error)
}

// gatherAround is around on what a reader finds; not ok where it is more than most.
func gatherAround(r factReader, f *daybook.Fact, most int, at time.Time) (v *variable, ok bool, err error) {
	p := &part{factReader: r, variable: &variable{}, have: map[string]bool{}}
	rivals, ok, err := p.add(f, most)
	if err != nil || !ok {
		return nil, false, err
	}
	p.sort()
	if s := p.spanOf(f.ID); len(rivals) == 0 || s == nil || !s.holds(at) {
		return p.variable, true, nil // whether it is contested is asked of what holds
	}
	p.variable = &variable{facts: p.facts, links: p.links}
	for i := 0; i < len(rivals) && ok && err == nil; i++ {
		_, ok, err = p.add(rivals[i], most)
	}
	p.sort()
	return p.variable, ok, err
}

// part is a part of a state in the making.
type part struct {
	factReader
	*variable
	have map[string]bool // facts and links by id
	done []*daybook.Fact // one of each value that was added
}

// add takes in the facts of the value of one, with what ends them, and returns those
// that contradict them.
func (p *part) add(f *daybook.Fact, most int) (rivals []*daybook.Fact, ok bool, err error) {
	if slices.ContainsFunc(p.done, func(d *daybook.Fact) bool { return d.Subject == f.Subject && sameValue(d, f) }) {
		return nil, true, nil
	}
	p.done = append(p.done, f)
	mates, ok, err := p.mates(f, most)
	if err != nil || !ok {
		return nil, false, err
	}
	for _, mate := range mates {
		p.know(mate)
		edges, err := p.rulings(mate.Fact)
		if err != nil {
			return nil, false, err
		}
		for _, e := range edges {
			p.relate(e)
			if e.Relate.Kind == daybook.Contradicts {
				rivals = append(rivals, e.from.Fact, e.to.Fact)
			}
		}
	}
	return rivals, most == 0 || len(rivals) <= 2*most, nil
}

// sameValue reports whether two facts of one subject give the same value.
func sameValue(a, b *daybook.Fact) bool {
	return a.Relation == b.Relation && daybook.Fold(a.Object) == daybook.Fold(b.Object)
}

// rules reports whether a link ends or contradicts a fact.
func rules(l *daybook.Link) bool {
	return l != nil && (l.Kind == daybook.Updates || l.Kind == daybook.Contradicts)
}

func (p *part) know(o *op) {
	if id := string(o.Fact.ID); !p.have[id] {
		p.have[id] = true
		p.facts = append(p.facts, knownFact(o))
	}
}

func (p *part) relate(e edge) {
	p.know(e.from)
	p.know(e.to)
	if id := string(e.Relate.ID); !p.have[id] {
		p.have[id] = true
		p.links = append(p.links, e.Relate)
	}
}

// mates implements factReader.
func (n *near) mates(f *daybook.Fact, most int) (mates []*op, ok bool, err error) {
	ops, ok, err := n.few(objectKey(daybook.EntityNamed(f.Object)), most)
	if err != nil || !ok {
		return nil, false, err
	}
	subject := n.book.canonical(f.Subject)
	for _, o := range latest(ops) {
		if o.Fact == nil || n.book.canonical(o.Fact.Subject) != subject || !sameValue(o.Fact, f) {
			continue
		}
		said, err := n.said(o)
		if err != nil {
			return nil, false, err
		}
		if said != nil && said.Fact != nil {
			mates = append(mates, said)
		}
	}
	return mates, true, nil
}

// rulings implements factReader.
func (n *near) rulings(f *daybook.Fact) (all []edge, err error) {
	ops, err := n.under(idKey(string(f.ID)))
	if err != nil {
		return nil, err
	}
	for _, o := range latest(ops) {
		if !rules(o.Relate) {
			continue
		}
		e, err := n.edge(o)
		if err != nil {
			return nil, err
		}
		if e.op != nil && e.from.Fact != nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// spanOf is the period that a fact belongs to; nil when it is not in force.
func (v *variable) spanOf(f daybook.FactID) *span {
	v.index.Do(func() {
		v.byFact = make(map[daybook.FactID]*span, len(v.facts))
		for _, s := range v.spans() {
			for _, f := range s.facts {
				v.byFact[f.ID] = s
			}
		}
		v.clashes = slices.Clone(v.links)
		v.clashes = slices.DeleteFunc(v.clashes, func(l *daybook.Link) bool { return l.Kind != daybook.Contradicts })
	})
	return v.byFact[f]
}

// contests is contested for one span.
func (v *variable) contests(s *span, at time.Time) bool {
	return s.holds(at) && slices.ContainsFunc(v.clashes, func(l *daybook.Link) bool {
		x, y := v.byFact[daybook.FactID(l.From)], v.byFact[daybook.FactID(l.To)]
		return x != y && x != nil && y != nil && (x == s && y.holds(at) || y == s && x.holds(at))
	})
}
