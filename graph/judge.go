package graph

import (
	"slices"

	"daybook"
)

// judgeName is who makes the judgements in this file.
const judgeName = "rule:one-value"

// judge returns the links that guarded superseding asks for and that are not in
// the ledger yet. A fact closes an older one when both are of the same state
// variable, the state holds one value at a time, both are asserted, the values
// differ, and the newer is later in valid time. Values asserted for the same
// instant contradict each other, and neither is closed.
//
// What is returned depends only on the facts in force, not on the order in which
// they came.
func (v *variable) judge() []daybook.Link {
	if v.holds() != daybook.OneValue {
		return nil
	}
	var needed []daybook.Link
	var open []known
	for group := range sameTime(v.assertions()) {
		needed = append(needed, clashes(group)...)
		var still []known
		for _, old := range open {
			if newer, replaced := otherValue(group, old); replaced {
				update := link(daybook.Updates, newer, old, "a later value of a relation that holds one at a time")
				if !v.refused[update.ID] { // where somebody refused it, old is still open for the next
					needed = append(needed, update)
					continue
				}
			}
			if old.Valid.Until.IsZero() || old.Valid.Until.After(group[0].Valid.From) {
				still = append(still, old)
			}
		}
		open = append(still, group...)
	}
	return v.missing(append(needed, v.overlaps()...))
}

// overlaps links facts of which only the end is known with other values that were
// asserted for a time before that end: which of them held is open. A fact that
// merely ends a value of its own is none of them.
func (v *variable) overlaps() (links []daybook.Link) {
	asserted := v.assertions()
	for _, f := range v.facts {
		if f.Modality != daybook.Asserted || !f.Valid.From.IsZero() || f.Valid.Until.IsZero() {
			continue
		}
		begun := func(o known) bool { return o.Valid.From.Before(f.Valid.Until) }
		if slices.ContainsFunc(asserted, func(o known) bool { return o.value == f.value && begun(o) }) {
			continue
		}
		for _, o := range asserted {
			if o.value != f.value && begun(o) {
				links = append(links, link(daybook.Contradicts, o, f, "another value for an overlapping time"))
			}
		}
	}
	return links
}

// assertions are the facts that can supersede or be superseded, in valid time.
func (v *variable) assertions() (all []known) {
	for _, f := range v.facts {
		if f.Modality == daybook.Asserted && !f.Valid.From.IsZero() {
			all = append(all, f)
		}
	}
	return all
}

// sameTime yields runs of facts that begin at the same instant.
func sameTime(facts []known) func(func([]known) bool) {
	return func(yield func([]known) bool) {
		for len(facts) > 0 {
			n := 1
			for n < len(facts) && facts[n].Valid.From.Equal(facts[0].Valid.From) {
				n++
			}
			if !yield(facts[:n]) {
				return
			}
			facts = facts[n:]
		}
	}
}

// otherValue finds a fact in the group that gives another value than old, if old
// still holds when the group begins.
func otherValue(group []known, old known) (known, bool) {
	if !old.Valid.Until.IsZero() && !old.Valid.Until.After(group[0].Valid.From) {
		return known{}, false
	}
	for _, f := range group {
		if f.value != old.value {
			return f, true
		}
	}
	return known{}, false
}

// mostClashes is how many values of one instant are each linked with all others. Further
// ones are linked with the first only: they are contested as well, and links do not grow
// with the square of the values.
const mostClashes = 32

// clashes links each two values that the group asserts for one instant.
func clashes(group []known) (links []daybook.Link) {
	var values []known
	known := map[string]bool{}
	for _, f := range group {
		if known[f.value] {
			continue
		}
		known[f.value] = true
		others := values
		if len(others) > mostClashes {
			others = others[:1]
		}
		for _, seen := range others {
			links = append(links, link(daybook.Contradicts, f, seen, "another value for the same instant"))
		}
		values = append(values, f)
	}
	return links
}

func link(kind daybook.LinkKind, newer, older known, why string) daybook.Link {
	about := []daybook.Variable{variableOf(newer.Fact)}
	if v := variableOf(older.Fact); v != about[0] {
		about = append(about, v)
	}
	return daybook.Link{
		Kind: kind, From: string(newer.ID), To: string(older.ID),
		Confidence: 1, Why: why, By: judgeName, About: about,
	}.Named()
}

// missing drops the links that are in force, and those that somebody retracted:
// a rule does not overrule a person.
func (v *variable) missing(needed []daybook.Link) (links []daybook.Link) {
	have := map[daybook.LinkID]bool{}
	for _, l := range v.links {
		have[l.ID] = true
	}
	for _, l := range needed {
		if !have[l.ID] && !v.refused[l.ID] {
			links = append(links, l)
		}
	}
	return links
}
