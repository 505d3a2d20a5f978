package graph

import (
	"slices"

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
	v, whole, err := b.around(f)
	if err != nil {
		return daybook.Period{}, err
	}
	s := v.spanOf(f.ID)
	if s == nil {
		return daybook.Period{}, nil
	}
	contested, err := b.contests(v, s, whole)
	return s.outline(b.validAt, contested), err
}

// fewMates facts of one value, at most, are read by keys to find the period of one of
// them.
const fewMates = 12

// around gathers the part of a state that decides on the periods of one value: its facts,
// and the links that end or contradict them. It may be the whole state.
func (b *Book) around(f *daybook.Fact) (v *variable, whole bool, err error) {
	if b.cache == nil {
		v, few, err := gatherAround(b.neighbourhood(), f, fewMates)
		if err != nil || few {
			return v, false, err
		}
		j, err := b.joined(variableOf(f))
		if err != nil {
			return nil, false, err
		}
		return j.variable, true, nil
	}
	key := foldKey{relation: f.Relation, value: daybook.Fold(f.Object)}
	j, err := b.folded(b.canonical(f.Subject), key, func() (*joint, error) {
		if !b.keepsState(variableOf(f)) {
			v, few, err := gatherAround(b.neighbourhood(), f, fewMates)
			if err != nil || few {
				return &joint{variable: v}, err
			}
		}
		v, _, err := gatherAround(keptStates{b}, f, 0)
		return &joint{variable: v}, err
	})
	if err != nil {
		return nil, false, err
	}
	return j.variable, false, nil
}

// contests reports whether a span holds and a link sets it against another that does.
// Where v is not the whole state, it has all of the span's value only.
func (b *Book) contests(v *variable, s *span, whole bool) (bool, error) {
	if !s.holds(b.validAt) {
		return false, nil
	}
	for _, l := range v.clashes {
		other, id := v.byFact[daybook.FactID(l.To)], l.To
		if s != v.byFact[daybook.FactID(l.From)] {
			other, id = v.byFact[daybook.FactID(l.From)], l.From
			if s != v.byFact[daybook.FactID(l.To)] {
				continue
			}
		}
		if other == nil || other == s {
			continue
		}
		if !whole && (other.relation != s.relation || other.value != s.value) {
			at := slices.IndexFunc(other.facts, func(k known) bool { return string(k.ID) == id })
			part, _, err := b.around(other.facts[at].Fact)
			if err != nil {
				return false, err
			}
			other = part.spanOf(daybook.FactID(id))
		}
		if other != nil && other.holds(b.validAt) {
			return true, nil
		}
	}
	return false, nil
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
func gatherAround(r factReader, f *daybook.Fact, most int) (v *variable, ok bool, err error) {
	p := &part{factReader: r, variable: &variable{}, have: map[string]bool{}}
	ok, err = p.add(f, most)
	p.sort()
	return p.variable, ok, err
}

// part is a part of a state in the making.
type part struct {
	factReader
	*variable
	have map[string]bool // facts and links by id
}

// add takes in the facts of the value of one, with what ends or contradicts them.
func (p *part) add(f *daybook.Fact, most int) (ok bool, err error) {
	mates, ok, err := p.mates(f, most)
	if err != nil || !ok {
		return false, err
	}
	rivals := 0
	for _, mate := range mates {
		p.know(mate)
		edges, err := p.rulings(mate.Fact)
		if err != nil {
			return false, err
		}
		for _, e := range edges {
			p.relate(e)
			if e.Relate.Kind == daybook.Contradicts {
				rivals++
			}
		}
	}
	return most == 0 || rivals <= most, nil
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
