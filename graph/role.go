package graph

import (
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// Role is what a fact in force is in its state at the book's valid time; empty for
// one that is not in force. It says what States says of the fact's period.
//
// Where few facts have its value, only those are read, with what is linked to them;
// else the state variables that bear on it are, once.
func (b *Book) Role(f *daybook.Fact) (daybook.Role, error) {
	var v *variable
	var enough bool
	var err error
	if !b.knowsState(variableOf(f)) {
		if v, enough, err = b.around(f); err != nil {
			return "", err
		}
	}
	if !enough {
		j, err := b.jointOf(variableOf(f))
		if err != nil {
			return "", err
		}
		v = j.variable
	}
	s := v.spanOf(f.ID)
	if s == nil {
		return "", nil
	}
	role, _ := s.role(b.validAt, v.contests(s, b.validAt))
	return role, nil
}

// fewMates facts of one value, at most, are read to find the role of one of them.
const fewMates = 12

// around gathers the part of a state that decides on the role of one fact: the facts
// of its value, the links that end or contradict them, and for each that contradicts
// one of them the facts of its value in turn. It is false where a value has many
// facts.
func (b *Book) around(f *daybook.Fact) (v *variable, ok bool, err error) {
	part := &part{near: b.neighbourhood(), variable: &variable{}, have: map[string]bool{}}
	rivals, ok, err := part.add(f)
	for i := 0; i < len(rivals) && ok && err == nil; i++ {
		_, ok, err = part.add(rivals[i])
	}
	part.sort()
	return part.variable, ok, err
}

// part is a part of a state in the making.
type part struct {
	*near
	*variable
	have map[string]bool // facts and links by id
}

// add takes in the facts of the value of one, with what ends them, and returns those
// that contradict them.
func (p *part) add(f *daybook.Fact) (rivals []*daybook.Fact, ok bool, err error) {
	mates, ok, err := p.mates(f)
	if err != nil || !ok {
		return nil, false, err
	}
	for _, mate := range mates {
		p.know(mate)
		ops, err := p.under(idKey(string(mate.Fact.ID)))
		if err != nil {
			return nil, false, err
		}
		for _, o := range latest(ops) {
			if o.Relate == nil || o.Relate.Kind != daybook.Updates && o.Relate.Kind != daybook.Contradicts {
				continue
			}
			e, err := p.edge(o)
			if err != nil {
				return nil, false, err
			}
			if e.op == nil || e.from.Fact == nil {
				continue
			}
			p.relate(e)
			if o.Relate.Kind == daybook.Contradicts {
				rivals = append(rivals, e.from.Fact, e.to.Fact)
			}
		}
	}
	return rivals, len(rivals) <= 2*fewMates, nil
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

// mates are the facts in force of one state variable and value; not ok where they are
// among too many.
func (n *near) mates(f *daybook.Fact) (mates []*op, ok bool, err error) {
	ops, ok, err := n.few(objectKey(daybook.EntityNamed(f.Object)), fewMates)
	if err != nil || !ok {
		return nil, false, err
	}
	subject, value := n.book.canonical(f.Subject), daybook.Fold(f.Object)
	for _, o := range latest(ops) {
		if o.Fact == nil || o.Fact.Relation != f.Relation || n.book.canonical(o.Fact.Subject) != subject || daybook.Fold(o.Fact.Object) != value {
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

// jointOf is joined by way of the cache, where the book is of its head.
func (b *Book) jointOf(v daybook.Variable) (*joint, error) {
	if b.cache == nil {
		return b.joined(v)
	}
	b.cache.mu.Lock()
	defer b.cache.mu.Unlock()
	if b.head.ID != b.cache.head.ID {
		return b.joined(v)
	}
	v.Subject = b.canonical(v.Subject)
	return b.cachedJoint(v)
}

// knowsState reports whether a state variable was read before.
func (b *Book) knowsState(v daybook.Variable) bool {
	if b.cache == nil {
		return false
	}
	b.cache.mu.Lock()
	defer b.cache.mu.Unlock()
	v.Subject = b.canonical(v.Subject)
	return b.head.ID == b.cache.head.ID && b.cache.states[v] != nil
}

// stateCache holds what the ledger says of one state variable, and what it folds to.
type stateCache struct {
	upTo uint64
	ops  []*op     // without what folding does not need
	fold *variable // nil when it must be folded again
	// joint is the state that the variable belongs to, made of parts; it holds
	// while they are the folds of their variables.
	joint *joint
	parts map[daybook.Variable]*variable
}

// cachedJoint is joined on the cache. The caller holds its lock.
func (b *Book) cachedJoint(v daybook.Variable) (*joint, error) {
	entry, err := b.cachedState(v)
	if err != nil {
		return nil, err
	}
	fits := entry.joint != nil
	for at, was := range entry.parts {
		part, err := b.cachedState(at)
		if err != nil {
			return nil, err
		}
		fits = fits && part.fold == was
	}
	if fits {
		return entry.joint, nil
	}
	entry.joint, entry.parts, err = b.joinFrom(v, func(at daybook.Variable) (*variable, error) {
		part, err := b.cachedState(at)
		if err != nil {
			return nil, err
		}
		return part.fold, nil
	})
	if err != nil {
		return nil, err
	}
	for _, relation := range entry.joint.relations { // one joint serves all its variables
		part := b.cache.states[daybook.Variable{Subject: v.Subject, Relation: relation}]
		part.joint, part.parts = entry.joint, entry.parts
	}
	return entry.joint, nil
}

// cachedState returns what is known of a state variable up to the head. The caller
// holds the lock of the cache.
func (b *Book) cachedState(v daybook.Variable) (*stateCache, error) {
	s := b.cache
	entry := s.states[v]
	if entry == nil {
		entry = &stateCache{}
		s.states[v] = entry
	}
	if entry.upTo == s.head.Seq && entry.fold != nil {
		return entry, nil
	}
	before := len(entry.ops)
	for _, e := range b.aliases(v.Subject) {
		key := variableKey(daybook.Variable{Subject: e, Relation: v.Relation})
		for c, err := range b.r.ByKey(key, store.Range{From: entry.upTo + 1, To: s.head.Seq}) {
			var o op
			if err == nil {
				o, err = decode(c)
			}
			if err != nil {
				delete(s.states, v)
				return nil, err
			}
			entry.ops = append(entry.ops, o.slim())
		}
	}
	s.size += len(entry.ops) - before
	entry.upTo = s.head.Seq
	if entry.fold == nil || len(entry.ops) > before {
		entry.fold = b.foldOne(v, entry.ops)
	}
	return entry, nil
}

// foldOne folds the operations that are in force of one state variable.
func (b *Book) foldOne(v daybook.Variable, ops []*op) *variable {
	groups := map[daybook.Variable][]*op{}
	for _, o := range ops {
		if !b.undone[o.Seq] {
			b.group(groups, o)
		}
	}
	return gather(groups[v])
}

// slim is the operation with what folding needs of it.
func (o op) slim() *op {
	if f := o.Fact; f != nil {
		o.Fact = &daybook.Fact{ID: f.ID, Subject: f.Subject, Relation: f.Relation, Object: f.Object, Valid: f.Valid, Holds: f.Holds, Modality: f.Modality}
	}
	if l := o.Relate; l != nil {
		o.Relate = &daybook.Link{ID: l.ID, Kind: l.Kind, From: l.From, To: l.To, About: l.About}
	}
	return &o
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
