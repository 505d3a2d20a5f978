package tree

import (
	"slices"
	"strings"

	"daybook/xpath"
)

// aggregation is how the contents of a container speak for it.
type aggregation struct {
	by      xpath.Op
	negated bool
	best    bool // the one that has the most, or the least, of it
}

// predicate makes a predicate of the words that nothing else explained, and says
// how it would speak for a container.
func (r *reading) predicate(target *mention) (xpath.Pred, aggregation) {
	how := aggregation{by: xpath.Max}
	after := 0
	if target != nil {
		after = target.last + 1 // "all days" speaks of the days, "all its stops" of what is in them
	}
	r.markers(0, "directly", "whole", "entire")
	switch {
	case r.markers(0, "most", "mostly", "packed", "average", "share", "overall", "highest", "largest", "busiest", "full", "best"):
		how.by, how.best = xpath.Avg, true
	case r.markers(0, "least", "fewest", "lowest"):
		how = aggregation{xpath.Avg, true, true}
	case r.markers(after, "every", "entirely", "all", "each", "exclusively", "nothing"):
		how.by = xpath.Min
	}
	var parts, but []xpath.Pred
	for _, g := range r.groups() {
		p := r.groupPred(g)
		switch {
		case p == nil:
		case g.except:
			but = append(but, xpath.Not{P: p})
		case g.negated && r.intent != Add && !r.describesContainer():
			parts = append(parts, xpath.Not{P: p})
		case g.negated:
			how.negated = true
			parts = append(parts, p)
		default:
			parts = append(parts, p)
		}
	}
	if len(but) > 0 && len(parts) > 1 { // either of them, except …
		parts = []xpath.Pred{xpath.Join{By: xpath.Max, Parts: parts}}
	}
	parts = append(parts, but...)
	switch len(parts) {
	case 0:
		return nil, how
	case 1:
		return parts[0], how
	}
	if slices.ContainsFunc(parts, func(p xpath.Pred) bool { _, not := p.(xpath.Not); _, exact := p.(xpath.Exact); return not || exact }) {
		return xpath.Join{By: xpath.Product, Parts: parts}, how
	}
	return xpath.Join{By: xpath.Max, Parts: parts}, how
}

// markers reports whether one of these words is said in the main sentence, from
// some word on, and takes it.
func (r *reading) markers(after int, words ...string) (found bool) {
	for i, w := range r.words {
		if w.sentence == r.main && i >= after && slices.Contains(words, w.Norm) {
			r.words[i].taken, found = true, true
		}
	}
	return found
}

// describesContainer reports whether the request is about a container.
func (r *reading) describesContainer() bool {
	return slices.ContainsFunc(r.mentions, func(m mention) bool {
		return m.bare() && r.inner(m.typ) && m.prep == "" && r.words[m.first].sentence == r.main
	})
}

// group is a run of words that say one thing.
type group struct {
	words           []int
	negated, except bool
}

// groups cuts the free words of the main sentence at "or", "and", commas, and
// notes what is denied. Where the main sentence has none, those of the others
// count.
func (r *reading) groups() []group {
	var fallback []group
	for _, s := range append([]int{r.main}, r.others()...) {
		var all []group
		g := group{}
		first, last := r.span(s)
		flush := func(next group) {
			if len(g.words) > 0 {
				all = append(all, g)
			}
			g = next
		}
		for i := first; i <= last; i++ {
			w := r.words[i]
			switch {
			case r.sideRemark(i, last):
				i = last
			case slices.Contains([]string{"except", "besides", "excluding"}, w.Norm), w.Norm == "than" && i > first && r.words[i-1].Norm == "other":
				flush(group{except: true})
			case slices.Contains([]string{"not", "n't", "without", "no", "never", "isn't", "none"}, w.Norm):
				flush(group{negated: true})
			case (w.Norm == "or" || w.Norm == "and" || w.Norm == "," || w.Norm == "nor") && len(g.words) > 0:
				flush(group{negated: g.negated && w.Norm != ",", except: g.except})
			case w.meaningful() && ordinals[w.Norm] == 0:
				g.words = append(g.words, i)
			}
		}
		flush(group{})
		if telling := slices.DeleteFunc(slices.Clone(all), func(g group) bool { return !r.telling(g) }); len(telling) > 0 {
			return telling
		}
		if fallback == nil {
			fallback = all
		}
	}
	return fallback
}

// telling reports whether a group has more than verbs: a noun, an adjective, a
// name, a number.
func (r *reading) telling(g group) bool {
	return slices.ContainsFunc(g.words, func(i int) bool {
		tag := r.words[i].Tag
		return tag != "" && strings.ContainsAny(tag[:1], "NJCFR") || strings.HasPrefix(tag, "VBN") || strings.HasPrefix(tag, "VBG")
	})
}

// others are the sentences besides the main one, the nearest first.
func (r *reading) others() (out []int) {
	if slices.ContainsFunc(r.mentions, func(m mention) bool { return !m.bare() }) && r.intent != Update && !r.says(r.main, "it", "they", "them", "that", "those") {
		return nil // a place is named, and that is enough
	}
	for s := r.main - 1; s >= 0; s-- {
		out = append(out, s)
	}
	return out
}

// sideRemark reports whether the rest of the sentence only says why, or what the
// speaker makes of it: "that I might need to reschedule", "because …", "I mean …".
func (r *reading) sideRemark(i, last int) bool {
	if i == last {
		return false
	}
	w, next := r.words[i].Norm, r.words[i+1].Norm
	speaker := next == "i" || next == "we" || next == "i'd" || next == "i'll"
	return slices.Contains([]string{"because", "since", "so"}, w) && i > 2 || (w == "that" || w == "which" || w == "where") && speaker && i > 2
}

// groupPred is the predicate of a group: an attribute that has a value which the words
// name, or the meaning of the words.
func (r *reading) groupPred(g group) xpath.Pred {
	var exact []xpath.Pred
	for _, v := range r.values() {
		if at := r.valueIn(g, v); at != nil {
			exact = append(exact, xpath.Exact{Attr: v.attr, Text: v.text})
			g.words = slices.DeleteFunc(slices.Clone(g.words), func(i int) bool { return slices.Contains(at, i) })
		}
	}
	var rest []string
	for _, i := range g.words {
		rest = append(rest, r.words[i].Text)
	}
	if len(rest) > 0 {
		exact = append(exact, xpath.Local{Attr: xpath.Node, Text: strings.Join(rest, " ")})
	}
	switch len(exact) {
	case 0:
		return nil
	case 1:
		return exact[0]
	}
	return xpath.Join{By: xpath.Product, Parts: exact}
}

// attrValue is a text that an attribute has again and again: a status, a
// priority.
type attrValue struct{ attr, text string }

// maxValues is how many different texts an attribute may have to count as a
// choice among few.
const maxValues = 8

// values lists the choices that attributes of the tree's nodes offer.
func (r *reading) values() (all []attrValue) {
	counts := map[string]map[string]int{}
	var order []string
	walk(r.h.Current().Root(), func(n *Node) {
		for _, a := range n.Attrs {
			if counts[a[0]] == nil {
				counts[a[0]] = map[string]int{}
				order = append(order, a[0])
			}
			counts[a[0]][a[1]]++
		}
	})
	for _, attr := range order {
		if len(counts[attr]) > maxValues || slices.Contains(nameAttrs, attr) {
			continue
		}
		var texts []string
		repeated := 0
		for text, n := range counts[attr] {
			if len(strings.Fields(text)) <= 3 && text != "" {
				texts = append(texts, text)
			}
			repeated = max(repeated, n)
		}
		if repeated < 2 {
			continue
		}
		slices.Sort(texts)
		for _, t := range texts {
			all = append(all, attrValue{attr, t})
		}
	}
	return all
}

// valueIn returns the words of a group that name a value, and the attribute's name
// with them.
func (r *reading) valueIn(g group, v attrValue) (at []int) {
	for _, s := range stems(v.text) {
		i := slices.IndexFunc(g.words, func(i int) bool { return r.words[i].stem == s })
		if i < 0 {
			return nil
		}
		at = append(at, g.words[i])
	}
	name := stems(strings.ReplaceAll(v.attr, "_", " "))
	for _, i := range g.words {
		if slices.Contains(name, r.words[i].stem) {
			at = append(at, i)
		}
	}
	return at
}
