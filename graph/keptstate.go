package graph

import (
	"slices"
	"sync"

	"daybook"
	"daybook/store"
)

// keptState is what the ledger says of one state variable under one name of its
// subject, filed by what a read looks for. It is only ever added to, and what is
// reverted or comes later is left out by who reads, so it serves every book.
type keptState struct {
	mu     sync.Mutex
	upTo   uint64              // all up to this commit is here
	said   map[string][]*op    // what asserts or retracts an id, in order, without what folding does not need
	values map[string][]string // the ids of facts by their value
	links  map[string][]string // the ids of links that rule, by the facts at their ends
}

// readAfter times a state variable is asked about before all of it is read.
const readAfter = 4

// keepsState reports whether a state variable is kept, or was asked about so often
// that it should be.
func (b *Book) keepsState(v daybook.Variable) bool {
	s := b.cache
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[v]++
	return s.states[v] != nil || s.asked[v] > readAfter
}

// state returns what is kept of a state variable, up to the book's head at least. The
// caller locks it.
func (s *scopeCache) state(b *Book, v daybook.Variable) (*keptState, error) {
	s.mu.Lock()
	entry := s.states[v]
	if entry == nil || s.turn != b.turn {
		entry = &keptState{said: map[string][]*op{}, values: map[string][]string{}, links: map[string][]string{}}
	}
	if s.turn == b.turn {
		s.states[v] = entry
	}
	s.mu.Unlock()
	added, err := entry.extend(b, v)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size += added
	if err != nil && s.states[v] == entry {
		delete(s.states, v)
	}
	return entry, err
}

// extend reads what was appended up to the book's head.
func (k *keptState) extend(b *Book, v daybook.Variable) (added int, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.upTo >= b.head.Seq {
		return 0, nil
	}
	for c, err := range b.r.ByKey(variableKey(v), store.Range{From: k.upTo + 1, To: b.head.Seq}) {
		if err != nil {
			return added, err
		}
		o := b.cache.records.at(c.Place, b.turn)
		if o == nil {
			if o, err = decode(c); err != nil {
				return added, err
			}
		}
		k.add(o.slim())
		added++
	}
	k.upTo = b.head.Seq
	return added, nil
}

// add files an operation.
func (k *keptState) add(o *op) {
	file := func(under map[string][]string, key, id string) {
		if !slices.Contains(under[key], id) {
			under[key] = append(under[key], id)
		}
	}
	id := o.asserts()
	first := len(k.said[id]) == 0
	switch {
	case o.Retract != nil:
		id = o.Retract.Target
	case o.Fact != nil && first:
		value := daybook.Fold(o.Fact.Object)
		k.values[value] = append(k.values[value], id)
	case rules(o.Relate) && first:
		file(k.links, o.Relate.From, id)
		file(k.links, o.Relate.To, id)
	}
	k.said[id] = append(k.said[id], o)
}

// alive is what asserts an id in a book, the last to do so; nil where it is not in
// force.
func (k *keptState) alive(b *Book, id string) *op {
	for _, o := range slices.Backward(k.said[id]) {
		if o.Seq > b.head.Seq || b.undone[o.Seq] {
			continue
		}
		if o.Retract != nil {
			return nil
		}
		return o
	}
	return nil
}

// slim is the operation with what folding needs of it, and the sources of a fact.
func (o op) slim() *op {
	if f := o.Fact; f != nil {
		o.Fact = &daybook.Fact{ID: f.ID, Subject: f.Subject, Relation: f.Relation, Object: f.Object, Valid: f.Valid, Holds: f.Holds, Modality: f.Modality, Sources: f.Sources}
	}
	if l := o.Relate; l != nil {
		o.Relate = &daybook.Link{ID: l.ID, Kind: l.Kind, From: l.From, To: l.To, About: l.About}
	}
	return &o
}

// toldBy is joined by way of what is kept of states, where there is a cache.
func (b *Book) toldBy(v daybook.Variable) (*joint, error) {
	if b.cache == nil {
		return b.joined(v)
	}
	return b.folded(v.Subject, foldKey{relation: v.Relation, whole: true, slim: true}, func() (*joint, error) {
		j, _, err := b.joinFrom(v, keptStates{b}.variable)
		return j, err
	})
}

// variable is Book.variable on slim operations.
func (b keptStates) variable(v daybook.Variable) (*variable, error) {
	groups := map[daybook.Variable][]*op{}
	for _, subject := range b.aliases(v.Subject) {
		k, err := b.cache.state(b.Book, daybook.Variable{Subject: subject, Relation: v.Relation})
		if err != nil {
			return nil, err
		}
		k.mu.Lock()
		for _, ops := range k.said {
			for _, o := range ops {
				if o.Seq <= b.head.Seq && !b.undone[o.Seq] {
					b.group(groups, o)
				}
			}
		}
		k.mu.Unlock()
	}
	return gather(groups[v]), nil
}

// keptStates finds facts in the state variables that the book's cache keeps.
type keptStates struct{ *Book }

// mates implements factReader; most does not matter.
func (b keptStates) mates(f *daybook.Fact, _ int) (mates []*op, ok bool, err error) {
	value := daybook.Fold(f.Object)
	for _, subject := range b.aliases(f.Subject) {
		k, err := b.cache.state(b.Book, daybook.Variable{Subject: subject, Relation: f.Relation})
		if err != nil {
			return nil, false, err
		}
		k.mu.Lock()
		for _, id := range k.values[value] {
			if o := k.alive(b.Book, id); o != nil {
				mates = append(mates, o)
			}
		}
		k.mu.Unlock()
	}
	return mates, true, nil
}

// rulings implements factReader.
func (b keptStates) rulings(f *daybook.Fact) (all []edge, err error) {
	k, err := b.cache.state(b.Book, variableOf(f))
	if err != nil {
		return nil, err
	}
	var links []*op
	k.mu.Lock()
	for _, id := range k.links[string(f.ID)] {
		if o := k.alive(b.Book, id); o != nil {
			links = append(links, o)
		}
	}
	k.mu.Unlock()
	for _, o := range links {
		e := edge{op: o}
		if e.from, err = b.fact(o.Relate.From, o.Relate.About); err != nil {
			return nil, err
		}
		if e.to, err = b.fact(o.Relate.To, o.Relate.About); err != nil {
			return nil, err
		}
		if e.from != nil && e.to != nil && b.canonical(e.from.Fact.Subject) == b.canonical(e.to.Fact.Subject) {
			all = append(all, e)
		}
	}
	return all, nil
}

// fact finds a fact in force in one of the state variables.
func (b keptStates) fact(id string, in []daybook.Variable) (*op, error) {
	for _, v := range in {
		k, err := b.cache.state(b.Book, v)
		if err != nil {
			return nil, err
		}
		k.mu.Lock()
		o := k.alive(b.Book, id)
		k.mu.Unlock()
		if o != nil {
			return o, nil
		}
	}
	return nil, nil
}
