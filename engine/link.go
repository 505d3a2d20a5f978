package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/index"
	"daybook/store"
)

// stateSpace is the space of the vectors of sentences that assert a state. They are
// always of the encoder that the judge was fitted on, whatever notes are found by.
const stateSpace = extract.JudgeEncoder + "#state"

// linkFacts judges which facts of the scope the new ones update or contradict, and
// which judgements they overturn. It also returns the commit on which they were
// judged.
//
// What is linked in the end depends on which statements there are, not on the
// order in which they came: a statement also changes how those around it stand to
// each other, and links between them are added and withdrawn as that asks for.
func (e *Engine) linkFacts(ctx context.Context, scope daybook.Scope, facts []extract.Fact) (ops []daybook.Op, head uint64, err error) {
	if e.without[Links] || !slices.ContainsFunc(facts, func(f extract.Fact) bool { return f.Stated != nil }) {
		return nil, 0, nil
	}
	known := e.stated.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		if err := e.follow(r, known); err != nil {
			return err
		}
		head = known.upTo
		book, err := graph.Open(r, daybook.AsOf{}, e.ledger.Now())
		if err != nil {
			return err
		}
		ops, err = linkAll(book, known, facts)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("link %d facts: %w", len(facts), err)
	}
	return ops, head, nil
}

// linkAll judges the new statements subject by subject.
func linkAll(book *graph.Book, known *statedFacts, facts []extract.Fact) (ops []daybook.Op, err error) {
	views := map[daybook.EntityID]*view{}
	var order []*view
	for _, f := range facts {
		if f.Stated == nil {
			continue
		}
		v := views[f.Subject]
		if v == nil {
			v = &view{book: book, ledger: known.of(f.Subject), near: map[int][]neighbour{}}
			views[f.Subject] = v
			order = append(order, v)
		}
		v.add(f)
	}
	for _, v := range order {
		links, err := v.judge()
		if err != nil {
			return nil, err
		}
		ops = append(ops, links...)
	}
	return ops, nil
}

// view is the statements of a subject with those that are about to be appended.
// What is in the ledger is left as it is: the append may fail.
type view struct {
	book   *graph.Book
	ledger *circle
	fresh  []stated            // numbered after those in the ledger
	near   map[int][]neighbour // of the fresh, and of those whose list they change
}

// twins are the statements that give the same value as one, without it.
func (v *view) twins(i int) (all []int) {
	value := v.at(i).value
	for _, part := range partsOf(value) {
		for _, j := range v.ledger.valued[part] {
			if o := v.at(j).value; j != i && (part == value || o == part) {
				all = append(all, j)
			}
		}
	}
	for k := range v.fresh {
		if j := len(v.ledger.all) + k; j != i && oneValue(v.fresh[k].value, value) {
			all = append(all, j)
		}
	}
	return all
}

func (v *view) at(i int) *stated {
	if n := len(v.ledger.all); i >= n {
		return &v.fresh[i-n]
	}
	return &v.ledger.all[i]
}

// list returns the nearest of a statement among all.
func (v *view) list(i int) []neighbour {
	if l, ok := v.near[i]; ok {
		return l
	}
	return v.ledger.list(i)
}

// add takes in a new statement, among its neighbours.
func (v *view) add(f extract.Fact) {
	if _, known := v.ledger.at[f.ID]; known || slices.ContainsFunc(v.fresh, func(s stated) bool { return s.fact.ID == f.ID }) {
		return
	}
	s := newStated(f.Fact, index.Pack(f.Vector))
	read := f.Stated.At(index.Unpack(s.vector)) // as it will be read from the ledger
	s.read = &read
	v.take(s)
}

// take finds the neighbours of a new statement.
func (v *view) take(s stated) {
	i := len(v.ledger.all) + len(v.fresh)
	var own []neighbour
	for j := range i {
		n, ok := meet(&s, v.at(j), j)
		if !ok {
			continue
		}
		if reaches(own, n) {
			own = insert(own, n)
		}
		v.meets(j, neighbour{at: i, like: n.like, id: s.fact.ID})
	}
	v.fresh = append(v.fresh, s)
	v.near[i] = own
}

// meets puts a new statement among the nearest of another if it is one of them.
func (v *view) meets(j int, n neighbour) {
	if _, changed := v.near[j]; !changed && j < len(v.ledger.all) && v.ledger.surrounded(j, n) {
		return
	}
	if l := v.list(j); reaches(l, n) {
		v.near[j] = insert(slices.Clone(l), n)
	}
}

// judge returns what is to be withdrawn and what is to be added.
func (v *view) judge() (ops []daybook.Op, err error) {
	var add []daybook.Op
	before, after := v.sights()
	pairs, err := v.concerned(before, after)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		was, err := v.before(p, before)
		if err != nil {
			return nil, err
		}
		is, err := v.due(p, after)
		if err != nil {
			return nil, err
		}
		if was.ID == is.ID {
			continue
		}
		if was.ID != "" {
			ops = append(ops, daybook.Op{Retract: &daybook.Retract{Target: string(was.ID), Why: "what was said since tells another state apart", By: linkJudge}})
		}
		if ok, err := v.inForce(p); err != nil {
			return nil, err
		} else if ok && is.ID != "" {
			add = append(add, daybook.Op{Relate: &is})
		}
	}
	return append(ops, add...), nil
}

// concerned are the pairs whose judgement the new statements may change: those of
// which one has another list of neighbours now, all while strangers make way, and
// those that such a statement stands between.
func (v *view) concerned(before, after sight) (pairs []pair, err error) {
	touched := slices.Sorted(maps.Keys(v.near))
	if len(v.ledger.all) < extract.StrangerCount {
		touched = touched[:0]
		for i := range len(v.ledger.all) + len(v.fresh) {
			touched = append(touched, i)
		}
	}
	seen := map[pair]bool{}
	add := func(i, j int) {
		if p := pairOf(i, j); i != j && !seen[p] {
			seen[p] = true
			pairs = append(pairs, p)
		}
	}
	met, err := v.reached(touched, before, after)
	if err != nil {
		return nil, err
	}
	for _, i := range met {
		v.withNear(i, add)
	}
	further, err := v.reached(met, before, after)
	if err != nil {
		return nil, err
	}
	for _, i := range further {
		if err := v.between(i, before, after, add); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// reached are the given statements and those that are likely of one state with one
// of them, without or with the new statements.
func (v *view) reached(from []int, before, after sight) ([]int, error) {
	all := map[int]bool{}
	for _, i := range from {
		all[i] = true
		joined, err := v.joined(i, before, after)
		if err != nil {
			return nil, err
		}
		for _, j := range joined {
			all[j] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// withNear adds a statement's pairs with its neighbours, those it had and has.
func (v *view) withNear(i int, add func(i, j int)) {
	for _, n := range v.list(i) {
		add(i, n.at)
	}
	if i < len(v.ledger.all) {
		for _, n := range v.ledger.list(i) {
			add(i, n.at)
		}
	}
}

// joined are the neighbours that a statement is likely of one state with, without or
// with the new statements.
func (v *view) joined(i int, before, after sight) (all []int, err error) {
	for _, among := range []sight{before, after} {
		if i >= among.size {
			continue
		}
		for _, n := range among.list(i) {
			if v.atMost(i, n.at, among) < mutual {
				continue
			}
			chance, err := v.chance(pairOf(i, n.at), among)
			if err != nil {
				return nil, err
			}
			if chance >= mutual && !slices.Contains(all, n.at) {
				all = append(all, n.at)
			}
		}
	}
	return all, nil
}

// between adds the pairs that a statement may join: those that are surely of its
// state, with each other and with those of its value.
func (v *view) between(i int, before, after sight, add func(i, j int)) error {
	joined, err := v.joined(i, before, after)
	if err != nil || len(joined) == 0 {
		return err
	}
	twins := v.twins(i)
	for k, a := range joined {
		for _, b := range joined[:k] {
			add(a, b)
		}
		for _, b := range twins {
			add(a, b)
		}
	}
	return nil
}
