package graph

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"daybook"
	"daybook/store"
)

// known is a fact in force, with where it was recorded and its value in the form
// in which values are compared.
type known struct {
	*daybook.Fact
	place store.Place
	value string
}

func knownFact(o *op) known {
	return known{Fact: o.Fact, place: o.Place, value: daybook.Fold(o.Fact.Object)}
}

// variable collects what the ledger says of one state variable.
type variable struct {
	facts []known
	links []*daybook.Link
	// refused are links that somebody retracted; rules do not make them again.
	refused map[daybook.LinkID]bool
	once    sync.Once
	folded  []*span // what spans returns
	// byFact and clashes are made by spanOf: the period of each fact, and the links
	// that contradict.
	index   sync.Once
	byFact  map[daybook.FactID]*span
	clashes []*daybook.Link
}

// gather folds the operations of one or more state variables: what is asserted
// last and not retracted stays.
func gather(ops []*op) *variable {
	byPlace := func(a, b *op) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Pos, b.Pos)) }
	if !slices.IsSortedFunc(ops, byPlace) {
		slices.SortStableFunc(ops, byPlace)
	}
	ops = slices.CompactFunc(ops, func(a, b *op) bool { return a.Place == b.Place })
	v := &variable{refused: map[daybook.LinkID]bool{}}
	for _, o := range v.inForce(ops) {
		if o.Fact != nil {
			v.facts = append(v.facts, knownFact(o))
		} else if o.Relate != nil {
			v.links = append(v.links, o.Relate)
		}
	}
	v.sort()
	return v
}

// inForce drops what was retracted, and notes the links among it as refused that
// their own judge did not withdraw. An id that was asserted again keeps its first place in the order.
func (v *variable) inForce(ops []*op) []*op {
	if !slices.ContainsFunc(ops, func(o *op) bool { return o.Retract != nil }) {
		return ops // then nothing is asserted twice either
	}
	last := make(map[string]*op, len(ops))
	var order []string
	for _, o := range ops {
		if o.Retract != nil {
			if p := last[o.Retract.Target]; p != nil && p.Relate != nil && o.Retract.By == "" {
				v.refused[p.Relate.ID] = true
			}
			delete(last, o.Retract.Target)
			continue
		}
		id := o.asserts()
		if last[id] == nil {
			order = append(order, id)
		}
		last[id] = o
	}
	var kept []*op
	for _, id := range order {
		if o := last[id]; o != nil {
			delete(last, id) // an id that was asserted again stands in order twice
			kept = append(kept, o)
			if o.Relate != nil {
				delete(v.refused, o.Relate.ID)
			}
		}
	}
	return kept
}

// sort orders the facts by valid time and, where that is equal, by recording.
func (v *variable) sort() {
	slices.SortStableFunc(v.facts, func(a, b known) int {
		return cmp.Or(a.Valid.From.Compare(b.Valid.From), cmp.Compare(a.place.Seq, b.place.Seq), cmp.Compare(a.place.Pos, b.place.Pos))
	})
}

// holds settles how many values the state has at a time. A fact that says so
// outweighs the vocabulary, and of facts that disagree the one for many values
// wins, so that nothing is closed by accident.
func (v *variable) holds() daybook.Cardinality {
	holds := daybook.Many
	if len(v.facts) > 0 {
		holds = Cardinality(v.facts[0].Relation)
	}
	for _, f := range v.facts {
		switch f.Holds {
		case daybook.Many:
			return daybook.Many
		case daybook.OneValue:
			holds = daybook.OneValue
		}
	}
	return holds
}

// end is when a fact stopped holding, by what, and which value took its place; none
// where it only ended.
type end struct {
	at    time.Time
	by    daybook.FactID
	value string
}

// earlier keeps the earlier of two ends; a zero time is no end. Of two at the
// same time it keeps one that a fact made, and of those the one with the smaller
// id, so that the order in which links came does not show.
func (e end) earlier(o end) end {
	switch {
	case o.at.IsZero():
		return e
	case e.at.IsZero() || o.at.Before(e.at):
		return o
	case o.at.Equal(e.at) && o.by != "" && (e.by == "" || o.by < e.by):
		return o
	}
	return e
}

// ends works out which facts were superseded, from the updates links whose two
// facts are both in force.
func (v *variable) ends() map[daybook.FactID]end {
	of := make(map[daybook.FactID]known, len(v.facts))
	for _, f := range v.facts {
		of[f.ID] = f
	}
	ends := make(map[daybook.FactID]end, len(v.links))
	for _, l := range v.links {
		newer, ok := of[daybook.FactID(l.From)]
		older, known := of[daybook.FactID(l.To)]
		if ok && known && closes(l, newer, older) {
			ends[older.ID] = ends[older.ID].earlier(end{newer.Valid.From, newer.ID, newer.Object})
		}
	}
	return ends
}

// span is a period under construction.
type span struct {
	relation string
	object   string // as the first fact wrote it
	value    string
	modality daybook.Modality
	from     time.Time
	end      end
	facts    []known
}

// holds reports whether the value was asserted and holds at a time.
func (s *span) holds(t time.Time) bool {
	return s.modality == daybook.Asserted && !t.Before(s.from) && s.open(t)
}

func (s *span) open(t time.Time) bool { return s.end.at.IsZero() || t.Before(s.end.at) }

// valueKey tells values apart. Of joined relations, each has values of its own:
// to like coffee is not to dislike it.
type valueKey struct {
	relation string
	modality daybook.Modality
	value    string
}

// spans groups the facts into values with the time in which each held. Facts
// that assert the same value while it holds belong to one span; a fact that
// knows only its end closes the span that it falls into.
//
// They are worked out once and must not be changed.
func (v *variable) spans() []*span {
	v.once.Do(func() { v.folded = v.foldSpans() })
	return v.folded
}

func (v *variable) foldSpans() []*span {
	ends := v.ends()
	latest := map[valueKey]*span{}
	var all []*span
	var endings []known
	for _, f := range v.facts {
		if f.Valid.From.IsZero() && !f.Valid.Until.IsZero() {
			endings = append(endings, f)
			continue
		}
		key := valueKey{f.Relation, f.Modality, f.value}
		s := latest[key]
		if s == nil || !s.open(f.Valid.From) {
			s = &span{relation: f.Relation, object: f.Object, value: f.value, modality: f.Modality, from: f.Valid.From}
			latest[key] = s
			all = append(all, s)
		}
		s.facts = append(s.facts, f)
		s.end = s.end.earlier(ends[f.ID]).earlier(end{at: f.Valid.Until})
	}
	slices.SortStableFunc(endings, func(a, b known) int { return b.Valid.Until.Compare(a.Valid.Until) })
	all = applyEndings(all, endings)
	slices.SortStableFunc(all, func(a, b *span) int { return a.from.Compare(b.from) })
	return all
}

// applyEndings lets facts of the form "until T" end the spans of their values, the last
// first: each may end the span of its value earlier.
func applyEndings(all []*span, endings []known) []*span {
	if len(endings) == 0 {
		return all
	}
	of := make(map[valueKey][]*span, len(all))
	for _, s := range all {
		key := valueKey{s.relation, s.modality, s.value}
		of[key] = append(of[key], s)
	}
	for _, f := range endings {
		key := valueKey{f.Relation, f.Modality, f.value}
		if made := applyEnding(of[key], f); made != nil {
			all, of[key] = append(all, made), append(of[key], made)
		}
	}
	return all
}

// applyEnding lets a fact of the form "until T" end the one of the spans of its value
// that holds just before T, or makes a span of it and returns that.
func applyEnding(spans []*span, f known) *span {
	for _, s := range spans {
		if s.from.Before(f.Valid.Until) && s.open(f.Valid.Until) {
			s.facts = append(s.facts, f)
			s.end = end{at: f.Valid.Until, by: f.ID}
			return nil
		}
	}
	return &span{relation: f.Relation, object: f.Object, value: f.value, modality: f.Modality, end: end{at: f.Valid.Until}, facts: []known{f}}
}

// contested finds the spans that a contradicts link sets against another span
// holding at the same time.
func (v *variable) contested(spans []*span, at time.Time) map[*span]bool {
	if !slices.ContainsFunc(v.links, func(l *daybook.Link) bool { return l.Kind == daybook.Contradicts }) {
		return nil
	}
	of := map[string]*span{}
	for _, s := range spans {
		for _, f := range s.facts {
			of[string(f.ID)] = s
		}
	}
	contested := map[*span]bool{}
	for _, l := range v.links {
		a, b := of[l.From], of[l.To]
		if l.Kind == daybook.Contradicts && a != b && a != nil && b != nil && a.holds(at) && b.holds(at) {
			contested[a], contested[b] = true, true
		}
	}
	return contested
}

// role says what a span is at a time, and why.
func (s *span) role(at time.Time, contested bool) (daybook.Role, string) {
	switch s.modality {
	case daybook.Planned, daybook.Wished:
		return daybook.RolePlanned, "said as " + string(s.modality)
	case daybook.Hypothetical, daybook.Reported, daybook.Negated, daybook.OneOff:
		return daybook.RoleAside, "said as " + string(s.modality)
	}
	switch {
	case at.Before(s.from):
		return daybook.RolePlanned, "begins " + s.from.Format(time.RFC3339)
	case !s.open(at) && s.end.value != "":
		return daybook.RoleHistorical, fmt.Sprintf("superseded by %q on %s", s.end.value, s.end.at.Format(time.DateOnly))
	case !s.open(at):
		return daybook.RoleHistorical, "ended " + s.end.at.Format(time.DateOnly)
	case contested:
		return daybook.RoleContested, "another value is asserted for the same time"
	}
	return daybook.RoleCurrent, ""
}
