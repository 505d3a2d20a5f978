package tree

import (
	"slices"
	"strings"

	"daybook"
	"daybook/xpath"
)

// build puts the query together from what was found.
func (r *reading) build() (*Plan, error) {
	plan := &Plan{Intent: r.intent, By: "templates", Node: r.node, Set: r.set}
	if err := r.findWhere(plan); err != nil {
		return nil, err
	}
	target, anchors, inner := r.split()
	shift := r.shifted(target)
	pred, aggregate := r.predicate(target)
	if r.intent == Add {
		anchors = r.containers(anchors)
	}
	steps := r.steps(anchors)
	switch {
	case target == nil && pred == nil && len(steps) == 0 && r.version == nil:
		return nil, r.puzzled()
	case r.intent == Add && target == nil && len(steps) > 0 && r.inner(steps[len(steps)-1].Type):
	case target == nil:
		plan.One = r.loose(&steps, anchors, pred)
	default:
		s := xpath.Step{Descend: true, Type: target.typ, At: target.step.At, Pred: target.step.Pred}
		if pred == nil && len(inner) > 0 && r.inner(target.typ) && target.bare() {
			s.Pred = r.having(*target, inner[0])
		}
		if pred != nil {
			s.Pred, plan.One = r.weighed(*target, inner, pred, aggregate), !target.plural || aggregate.best && r.inner(target.typ)
		}
		if len(steps) > 0 && r.directly(anchors, target.typ) {
			s.Descend = false
		}
		if s.Pred != nil {
			s.Shift = shift
		}
		steps = append(steps, s)
	}
	plan.Query.Steps = r.below(steps)
	if r.intent == Add {
		return plan, r.finishAdd(plan, steps)
	}
	if r.says(r.main, "all", "every", "any", "each", "everything", "anything", "wherever", "whatever") {
		plan.One = false
	}
	return plan, r.finishEdit(plan)
}

// findWhere reads where a move goes to: the last container that "to" leads to.
func (r *reading) findWhere(plan *Plan) error {
	if r.intent != Move {
		return nil
	}
	for i := len(r.mentions) - 1; i >= 0; i-- {
		m := r.mentions[i]
		if !m.bare() && slices.Contains([]string{"to", "into", "under", "onto"}, m.prep) {
			plan.Where.Steps = r.steps([]mention{m})
			r.mentions = slices.Delete(r.mentions, i, i+1)
			return nil
		}
	}
	return daybook.Errorf(daybook.Invalid, "the request is not understood: it does not say where to move something")
}

func (r *reading) puzzled() error {
	if r.says(r.main, "it", "they", "them", "that", "those", "this", "these") {
		return daybook.Errorf(daybook.Invalid, "the request is not understood: it takes up something that was said before, and every request is read alone; name what you mean")
	}
	return daybook.Errorf(daybook.Invalid, "the request is not understood: it names neither a kind of node (%s) nor one of them nor what to look for; say it in other words, or give a query", strings.Join(r.contentTypes(), ", "))
}

// below puts the step to a version before the others.
func (r *reading) below(steps []xpath.Step) []xpath.Step {
	if r.version == nil {
		return steps
	}
	return append([]xpath.Step{*r.version}, steps...)
}

// split tells what is asked for from the containers that narrow it down and from
// what stands below it.
func (r *reading) split() (target *mention, anchors, inner []mention) {
	first, last := r.span(r.main)
	for i := range r.mentions {
		m := &r.mentions[i]
		inMain := m.first >= first && m.last <= last
		if target == nil && inMain && (m.prep == "" || m.partOf) && m.step.Pred == nil && !r.anchored(m) {
			target = m
		}
	}
	if r.intent == Add {
		target = r.container(target)
	}
	whole := r.says(r.main, "whole", "entire") // not only where the talk was of
	for _, m := range r.mentions {
		switch {
		case whole && r.words[m.first].sentence != r.main:
		case target == nil && !m.bare():
			anchors = append(anchors, m)
		case target == nil || m == *target:
		case r.schema.Below(m.typ, target.typ) && !m.bare():
			anchors = append(anchors, m)
		case r.schema.Below(target.typ, m.typ):
			inner = append(inner, m)
		}
	}
	if target == nil { // a bare type with a preposition: "for each day"
		for i := range r.mentions {
			if m := &r.mentions[i]; m.bare() && !r.anchored(m) && (r.intent != Read || len(r.mentions) == 1) && target == nil {
				target = m
			}
		}
	}
	return target, anchors, inner
}

// anchored reports whether a bare type only takes up a container that is named
// elsewhere: "Day 5 … on that day".
func (r *reading) anchored(m *mention) bool {
	return m.bare() && slices.ContainsFunc(r.mentions, func(o mention) bool { return o.typ == m.typ && !o.bare() })
}

// container is what an addition goes into: a type that is described, not one that
// is added.
func (r *reading) container(target *mention) *mention {
	for i := range r.mentions {
		if m := &r.mentions[i]; m.bare() && r.inner(m.typ) && !r.anchored(m) && (r.node == nil || r.node.Type != m.typ) {
			return m
		}
	}
	return nil
}

// containers drops what only says at which place an addition comes: "as a fourth
// option".
func (r *reading) containers(anchors []mention) []mention {
	return slices.DeleteFunc(anchors, func(m mention) bool {
		leaf := !r.inner(m.typ)
		if leaf && r.node != nil && m.step.At.From > 0 {
			r.node.At = m.step.At.From
		}
		return leaf
	})
}

// steps leads down the containers, outer ones first.
func (r *reading) steps(anchors []mention) (steps []xpath.Step) {
	order := r.contentTypes()
	daybook.Sort(anchors, func(a, b mention) int { return slices.Index(order, a.typ) - slices.Index(order, b.typ) })
	above := ""
	for _, a := range anchors {
		s := a.step
		s.Type, s.Descend = a.typ, true
		if a.outside && s.Pred != nil {
			s.Pred = xpath.Not{P: s.Pred}
		}
		if t, _ := r.schema.Type(above); above != "" && slices.Contains(t.Children, a.typ) {
			s.Descend = false
		}
		if above != "" && !r.schema.Below(above, a.typ) {
			continue
		}
		steps, above = append(steps, s), a.typ
	}
	return steps
}

// directly reports whether a type stands right below the last container.
func (r *reading) directly(anchors []mention, typ string) bool {
	if len(anchors) == 0 {
		return false
	}
	t, _ := r.schema.Type(anchors[len(anchors)-1].typ)
	return slices.Contains(t.Children, typ)
}

// loose adds the last step of a request that does not say which kind of node it
// means: the container itself, all in it, or what in it fits the words.
func (r *reading) loose(steps *[]xpath.Step, anchors []mention, pred xpath.Pred) (best bool) {
	head := len(anchors) > 0 && anchors[len(anchors)-1].prep == "" // it is itself what is asked for
	contents := r.anywhere("everything", "item", "items", "anything", "things", "thing", "directly") || r.says(r.main, "what") && !head
	switch {
	case pred != nil:
		typ := xpath.Any
		if leaves := r.leafBelow(anchors); len(leaves) == 1 {
			typ = leaves[0]
		} else if len(anchors) == 0 && len(leaves) > 1 {
			if t, _ := r.schema.Type(leaves[0]); len(t.Parents) > 0 { // the innermost nodes, not what holds them
				*steps = append(*steps, xpath.Step{Descend: true, Type: t.Parents[0]})
			}
		}
		*steps = append(*steps, xpath.Step{Descend: len(*steps) == 0 || typ != xpath.Any && !r.directly(anchors, typ), Type: typ, Pred: pred})
		return r.singular()
	case contents && len(*steps) > 0 && r.inner((*steps)[len(*steps)-1].Type):
		at, _ := r.adverb()
		*steps = append(*steps, xpath.Step{Type: xpath.Any, At: at})
	}
	return false
}

// anywhere is says for the whole request.
func (r *reading) anywhere(words ...string) bool {
	return slices.ContainsFunc(r.words, func(w word) bool { return slices.Contains(words, w.Norm) })
}

// adverb reads a position that belongs to no noun: "the very last thing", "what
// do I do first".
func (r *reading) adverb() (xpath.Range, bool) {
	first, last := r.span(r.main)
	for i := first; i <= last; i++ {
		if n := ordinals[r.words[i].Norm]; n != 0 && !r.words[i].taken {
			return one(n), true
		}
	}
	return xpath.Range{}, false
}

// leafBelow are the innermost types below the last container.
func (r *reading) leafBelow(anchors []mention) (types []string) {
	for _, t := range r.leafTypes() {
		if len(anchors) == 0 || r.schema.Below(anchors[len(anchors)-1].typ, t) {
			types = append(types, t)
		}
	}
	return types
}

// singular reports whether one thing is asked for: "the romantic one", "that
// task", no plural anywhere.
func (r *reading) singular() bool {
	first, last := r.span(r.main)
	for _, w := range r.words[first : last+1] {
		if w.plural() || w.Norm == "any" || w.Norm == "all" || w.Norm == "everything" || w.Norm == "anything" {
			return false
		}
	}
	return true
}

// weighed makes the predicate of a target: on the node itself, or, for a container
// that is described by what is in it, on what stands below.
func (r *reading) weighed(target mention, inner []mention, pred xpath.Pred, how aggregation) xpath.Pred {
	if !r.inner(target.typ) || r.ownValue(target.typ, pred) {
		return pred
	}
	t, _ := r.schema.Type(target.typ)
	s := xpath.Step{Type: xpath.Any, Pred: pred}
	leaves := r.leafBelow([]mention{target})
	switch {
	case len(inner) > 0 && inner[len(inner)-1].step.Pred != nil: // whose breakfast …
		in := inner[len(inner)-1]
		within := r.weighed(mention{typ: in.typ}, nil, pred, how)
		s = xpath.Step{Type: in.typ, Descend: !slices.Contains(t.Children, in.typ), Pred: xpath.Join{By: xpath.Product, Parts: []xpath.Pred{in.step.Pred, within}}}
		return xpath.Agg{By: xpath.Max, Step: s}
	case len(inner) > 0 && !r.inner(inner[len(inner)-1].typ):
		s.Type = inner[len(inner)-1].typ
		s.Descend = !slices.Contains(t.Children, s.Type)
	case len(leaves) == 1:
		s.Type, s.Descend = leaves[0], !slices.Contains(t.Children, leaves[0])
	case len(t.Children) == 1:
		s.Type = t.Children[0]
	}
	var p xpath.Pred = xpath.Agg{By: how.by, Step: s}
	if own := r.describing(t, pred); own != nil && how.by == xpath.Max && !how.negated {
		p = xpath.Join{By: xpath.Max, Parts: []xpath.Pred{own, p}}
	}
	if how.negated {
		p = xpath.Not{P: p}
	}
	return p
}

// having is for containers that are told by the kind of what is in them: "weeks
// with a rest", "days without a meal".
func (r *reading) having(target, inner mention) xpath.Pred {
	t, _ := r.schema.Type(target.typ)
	has := xpath.Agg{By: xpath.Max, Step: xpath.Step{Type: inner.typ, Descend: !slices.Contains(t.Children, inner.typ)}}
	if r.says(r.main, "no", "not", "n't", "without", "never") {
		return xpath.Not{P: has}
	}
	return has
}

// describing is a predicate on what a container says of itself, if it has words
// for that.
func (r *reading) describing(t Type, pred xpath.Pred) xpath.Pred {
	local, ok := pred.(xpath.Local)
	for _, attr := range []string{"note", "description", "summary"} {
		if ok && slices.Contains(t.Attrs, attr) {
			return xpath.Local{Attr: attr, Text: local.Text}
		}
	}
	return nil
}

// ownValue reports whether a predicate compares an attribute that the type itself
// has and that its contents lack, or that it was found on.
func (r *reading) ownValue(typ string, pred xpath.Pred) bool {
	e, ok := pred.(xpath.Exact)
	if !ok {
		return false
	}
	found := false
	walk(r.h.Current().Root(), func(n *Node) {
		if v, has := n.Attr(e.Attr); n.Type == typ && has && v == e.Text {
			found = true
		}
	})
	return found && !r.says(r.main, "task", "tasks")
}
