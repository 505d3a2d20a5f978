package graph

import (
	"cmp"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// Select narrows a read of states. Empty fields do not narrow.
type Select struct {
	Subject  string // a name or an entity id
	Relation string
	Session  string // only values that a fact of this session asserts
	Holding  bool   // only what holds at the book's valid time, contested or not
}

// States folds every state that the selection names, sorted by subject name and
// relation, with every period and its role at the book's valid time.
func (b *Book) States(sel Select) ([]daybook.State, error) {
	folded, err := b.fold(sel)
	if err != nil {
		return nil, err
	}
	relation, subject := daybook.FoldRelation(sel.Relation), b.Subject(sel.Subject)
	var states []daybook.State
	for _, j := range folded {
		if sel.Relation != "" && !slices.Contains(j.relations, relation) || sel.Subject != "" && j.subject != subject {
			continue
		}
		st, err := b.state(j, sel)
		if err != nil {
			return nil, err
		}
		if len(st.Periods) > 0 {
			states = append(states, st)
		}
	}
	daybook.Sort(states, func(x, y daybook.State) int {
		return cmp.Or(cmp.Compare(x.Subject.Name, y.Subject.Name), cmp.Compare(x.Subject.ID, y.Subject.ID), cmp.Compare(x.Relation, y.Relation))
	})
	return states, nil
}

// fold folds at least the states that the selection names. One state is read by itself:
// its subject may have many.
func (b *Book) fold(sel Select) ([]*joint, error) {
	if sel.Subject != "" && sel.Relation != "" {
		j, err := b.joined(daybook.Variable{Subject: b.Subject(sel.Subject), Relation: daybook.FoldRelation(sel.Relation)})
		if err != nil || len(j.facts) == 0 {
			return nil, err
		}
		return []*joint{j}, nil
	}
	if sel.Subject != "" && b.cache != nil {
		folded, err := b.foldedSubject(b.Subject(sel.Subject))
		if err != nil || folded != nil {
			return folded, err
		}
	}
	ops, err := b.collect(sel)
	if err != nil {
		return nil, err
	}
	return b.foldAll(ops), nil
}

// Told returns the facts by which a state variable has the values that were asserted of
// it: those of each period, in the order of valid time, with what folding needs of each and
// its sources. They are shared and must not be changed.
func (b *Book) Told(subject, relation string) (periods [][]*daybook.Fact, err error) {
	of := daybook.Variable{Subject: b.Subject(subject), Relation: daybook.FoldRelation(relation)}
	j, err := b.toldBy(of)
	if err != nil {
		return nil, err
	}
	for _, s := range j.spans() {
		if s.relation != of.Relation || s.modality != daybook.Asserted {
			continue
		}
		facts := make([]*daybook.Fact, len(s.facts))
		for i, f := range s.facts {
			facts[i] = f.Fact
		}
		periods = append(periods, facts)
	}
	return periods, nil
}

// foldAll folds operations into states.
func (b *Book) foldAll(ops []*op) []*joint {
	folded := map[daybook.Variable]*variable{}
	for v, group := range b.groupAll(ops) {
		folded[v] = gather(group)
	}
	return join(folded)
}

// collect reads the operations that the selection may need.
func (b *Book) collect(sel Select) (all []*op, err error) {
	if sel.Subject != "" && b.cache != nil {
		fits := true
		for _, e := range b.aliases(b.Subject(sel.Subject)) {
			ops, ok, err := b.subjectOps(e)
			if err != nil {
				return nil, err
			}
			fits = fits && ok
			all = append(all, ops...)
		}
		if fits {
			return all, nil
		}
		all = nil
	}
	for _, key := range b.keysFor(sel) {
		for o, err := range b.ops(key) {
			if err != nil {
				return nil, err
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// keysFor returns the index keys under which the selection's operations stand.
func (b *Book) keysFor(sel Select) (keys []store.Key) {
	if sel.Subject == "" {
		return []store.Key{kindKey('f'), kindKey('l'), kindKey('r')}
	}
	for _, e := range b.aliases(b.Subject(sel.Subject)) {
		keys = append(keys, subjectKey(e))
	}
	return keys
}

// group files an operation under the state variables that it is about, by the
// canonical subject. An operation met under two keys is filed twice, which
// gather mends.
func (b *Book) group(groups map[daybook.Variable][]*op, o *op) {
	for _, v := range o.about() {
		v.Subject = b.canonical(v.Subject)
		groups[v] = append(groups[v], o)
	}
}

// variable folds one state variable.
func (b *Book) variable(v daybook.Variable) (*variable, error) {
	v.Subject = b.canonical(v.Subject)
	groups := map[daybook.Variable][]*op{}
	for _, e := range b.aliases(v.Subject) {
		for o, err := range b.ops(variableKey(daybook.Variable{Subject: e, Relation: v.Relation})) {
			if err != nil {
				return nil, err
			}
			b.group(groups, o)
		}
	}
	return gather(groups[v]), nil
}

// state turns a folded state into what readers see.
func (b *Book) state(folded *joint, sel Select) (daybook.State, error) {
	subject, err := b.Entity(folded.subject)
	if err != nil {
		return daybook.State{}, err
	}
	st := daybook.State{Subject: subject, Relation: folded.relations[0], Holds: folded.holds()}
	if len(folded.relations) > 1 {
		st.Also = folded.relations[1:]
	}
	spans := folded.spans()
	contested := folded.contested(spans, b.validAt)
	for _, s := range spans {
		if sel.Session != "" && !slices.ContainsFunc(s.facts, func(f known) bool { return f.Session == sel.Session }) {
			continue
		}
		if sel.Holding && !s.holds(b.validAt) {
			continue
		}
		p, err := b.period(s, contested[s])
		if err != nil {
			return daybook.State{}, err
		}
		if s.relation != st.Relation {
			p.Relation = s.relation
		}
		st.Periods = append(st.Periods, p)
	}
	return st, nil
}

// outline is the period of a span without its facts.
func (s *span) outline(at time.Time, contested bool) daybook.Period {
	first := s.facts[0].Valid
	p := daybook.Period{
		Object: s.object, Modality: s.modality, EndedBy: s.end.by,
		Valid: daybook.Span{From: s.from, Until: s.end.at, Granularity: first.Granularity, Known: first.Known},
	}
	p.Role, p.Reason = s.role(at, contested)
	return p
}

func (b *Book) period(s *span, contested bool) (daybook.Period, error) {
	p := s.outline(b.validAt, contested)
	for _, f := range s.facts {
		r, err := b.recorded(f.Fact, f.place.Seq)
		if err != nil {
			return p, err
		}
		p.Facts = append(p.Facts, r)
	}
	return p, nil
}

// recorded returns a fact with the commit that brought it.
func (b *Book) recorded(f *daybook.Fact, seq uint64) (daybook.RecordedFact, error) {
	m, err := b.mark(seq)
	return daybook.RecordedFact{Fact: *f, RecordedAt: m.recordedAt, Commit: m.id, Author: m.author}, err
}

// Transitions tells how a state changed, in the order of valid time. Values that
// were not asserted as holding make no transition.
func Transitions(st daybook.State) []daybook.Transition {
	var all []daybook.Transition
	ended := map[daybook.FactID][]*daybook.Period{}
	for i := range st.Periods {
		if p := &st.Periods[i]; p.EndedBy != "" {
			ended[p.EndedBy] = append(ended[p.EndedBy], p)
		}
	}
	for i := range st.Periods {
		p := &st.Periods[i]
		if p.Modality != daybook.Asserted {
			continue
		}
		all = append(all, begin(st, p, ended)...)
		if last, ok := ownEnd(p); ok {
			t := transition(st, last, p.Object, "", p)
			t.FromRelation = p.Relation
			all = append(all, t)
		}
	}
	daybook.Sort(all, func(a, b daybook.Transition) int { return a.ValidAt.Compare(b.ValidAt) })
	return all
}

// begin returns the transitions into a period: from each value that it ended, or
// from nothing.
func begin(st daybook.State, p *daybook.Period, ended map[daybook.FactID][]*daybook.Period) (all []daybook.Transition) {
	var from []daybook.Period // of which the value counts
	for _, f := range p.Facts {
		for _, old := range ended[f.ID] {
			same := func(o daybook.Period) bool { return o.Object == old.Object && o.Relation == old.Relation }
			if old != p && !slices.ContainsFunc(from, same) {
				from = append(from, *old)
			}
		}
	}
	if len(from) == 0 {
		from = []daybook.Period{{}}
	}
	for _, old := range from {
		t := transition(st, p.Facts[0], old.Object, p.Object, p)
		t.ValidAt, t.FromRelation, t.ToRelation = p.Valid.From, old.Relation, p.Relation
		all = append(all, t)
	}
	return all
}

// ownEnd finds the fact that says itself when the period ended.
func ownEnd(p *daybook.Period) (daybook.RecordedFact, bool) {
	for _, f := range p.Facts {
		if !f.Valid.Until.IsZero() && f.Valid.Until.Equal(p.Valid.Until) {
			return f, true
		}
	}
	return daybook.RecordedFact{}, false
}

func transition(st daybook.State, f daybook.RecordedFact, from, to string, p *daybook.Period) daybook.Transition {
	return daybook.Transition{
		Subject: st.Subject, Relation: st.Relation, From: from, To: to, ValidAt: p.Valid.Until,
		Learned: f.RecordedAt, Why: f.Context.Why, Evidence: f.Sources, Fact: f.ID,
	}
}
