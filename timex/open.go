package timex

import (
	"time"

	"daybook"
)

// open reads a range with one end: "since 2016", "until June", "by Friday", "before
// 9 June", "after Christmas", "2018 or later", and "within five days".
func (p *parser) open(i int) (node, bool) {
	if n, ok := p.within(i); ok {
		return n, true
	}
	if n, ok := p.onwards(i); ok {
		return n, true
	}
	if n, ok := p.moreOrLess(i); ok {
		return n, true
	}
	b, j := p.bound(i)
	if b == unbound {
		return p.boundedDay(i)
	}
	other, ok := p.moment(p.skip(j, "about", "around", "at", "least"))
	if !ok || other.open != closed || other.span.From.IsZero() || p.is(i, "up") && p.is(j, "now") {
		return node{}, false
	}
	return p.bounded(other, b, p.endOf(j)), true
}

// boundedDay reads "today before 4pm", "next Friday no later than noon".
func (p *parser) boundedDay(i int) (node, bool) {
	day, ok := p.date(i)
	if !ok || day.span.Granularity != daybook.Day || day.kind != Date || day.approx {
		return node{}, false
	}
	b, j := p.bound(day.end)
	if b == unbound {
		return node{}, false
	}
	c, ok := p.clock(j)
	if !ok || c.bare {
		return node{}, false
	}
	n := node{end: c.end, kind: Time, unresolved: day.unresolved}
	n.span, n.at = c.on(day.span.From)
	n.span.Known = day.span.Known
	return p.bounded(n, b, false), true
}

// bound is how a word bounds time.
type bound byte

const (
	unbound bound = iota
	fromIt        // since: it is in
	pastIt        // after: it is not in
	upToIt        // until, before: it is not in
	withIt        // by, no later than: it is in
)

var boundWords = []struct {
	words []string
	bound bound
}{
	{[]string{"since"}, fromIt},
	{[]string{"starting", "from"}, fromIt},
	{[]string{"starting", "on"}, fromIt},
	{[]string{"starting"}, fromIt},
	{[]string{"beginning", "on"}, fromIt},
	{[]string{"beginning"}, fromIt},
	{[]string{"as", "early", "as"}, fromIt},
	{[]string{"no", "earlier", "than"}, fromIt},
	{[]string{"on", "or", "after"}, fromIt},
	{[]string{"later", "than"}, pastIt},
	{[]string{"after"}, pastIt},
	{[]string{"earlier", "than"}, upToIt},
	{[]string{"sooner", "than"}, upToIt},
	{[]string{"until"}, upToIt},
	{[]string{"till"}, upToIt},
	{[]string{"til"}, upToIt},
	{[]string{"up", "to"}, upToIt},
	{[]string{"on", "or", "before"}, withIt},
	{[]string{"before", "or", "on"}, withIt},
	{[]string{"before"}, upToIt},
	{[]string{"no", "later", "than"}, withIt},
	{[]string{"not", "later", "than"}, withIt},
	{[]string{"as", "late", "as"}, withIt},
	{[]string{"by"}, withIt},
}

// bound reads the words that bound a time on one side.
func (p *parser) bound(i int) (bound, int) {
	for _, b := range boundWords {
		if end, ok := p.seq(i, b.words...); ok {
			return b.bound, end
		}
	}
	return unbound, i
}

// endOf reports whether "the end of" begins at token i: "until the end of June"
// has June in it.
func (p *parser) endOf(i int) bool { return p.is(p.skip(i, "the"), "end") }

// bounded is the range that a time bounds.
func (p *parser) bounded(other node, b bound, wasEnd bool) node {
	n := node{end: other.end, kind: Range, span: other.span, approx: other.approx, unresolved: other.unresolved, open: noEnd}
	exact := other.kind == Time && !other.at.IsZero()
	switch b {
	case pastIt:
		if !exact {
			n.span.From = other.span.Until
		}
	case withIt:
		n.open = noStart
		if exact {
			n.span.Until = other.span.From
		}
	case upToIt:
		n.open = noStart
		if !wasEnd {
			n.span.Until = other.span.From
		}
	}
	return n
}

// moreOrLess reads "more than two weeks ago", "less than three days after
// tomorrow".
func (p *parser) moreOrLess(i int) (node, bool) {
	if !p.is(i, "more", "less") || !p.is(i+1, "than") {
		return node{}, false
	}
	far, ok := p.distance(i + 2)
	if !ok || far.unresolved || far.kind != Date {
		return node{}, false
	}
	point, from := far.span.From, p.origin(i+2)
	if !far.at.IsZero() {
		point = far.at
	}
	later := point.After(from)
	n := node{end: far.end, kind: Range, span: daybook.Span{From: point, Until: point, Granularity: daybook.Day, Known: daybook.Resolved}}
	switch {
	case p.is(i, "more") && later:
		n.open = noEnd
	case p.is(i, "more"):
		n.open = noStart
	case later:
		n.span.From = from
	default:
		n.span.Until = from
	}
	return n, n.open != closed || n.span.From.Before(n.span.Until)
}

// origin is the time that the distance at token i is counted from.
func (p *parser) origin(i int) time.Time {
	if d, ok := p.amount(i); ok && p.is(d.end, "before", "after", "from", "prior") {
		if other, ok := p.date(p.skip(d.end+1, "to")); ok {
			return other.span.From
		}
	}
	return p.today
}

// within reads "within five days", "within the next year".
func (p *parser) within(i int) (node, bool) {
	if !p.is(i, "within") {
		return node{}, false
	}
	j := p.skip(p.skip(i+1, "the", "a"), "next", "coming", "upcoming", "following")
	if p.is(i+1, "a") {
		j = i + 1
	}
	d, ok := p.amount(j)
	if u, end := p.unit(j); !ok && u != noUnit && j > i+1 {
		d, ok = amount{end: end, dur: lengthOf(u, 1), unit: u, finest: u}, true
	}
	if !ok || p.is(d.end, "of") {
		return node{}, false
	}
	n := node{end: d.end, kind: Range, dur: d.dur, approx: d.approx}
	n.span = daybook.Span{From: p.today, Until: d.dur.From(p.today), Granularity: daybook.Day, Known: daybook.Resolved}
	if d.finest <= hours {
		n.span.From, n.span.Until, n.span.Granularity = p.ref, d.dur.From(p.ref), daybook.Minute
	}
	return n, true
}

// onwards reads "2018 or later", "from June on".
func (p *parser) onwards(i int) (node, bool) {
	j := p.skip(i, "from", "starting")
	other, ok := p.date(j)
	if !ok || other.open != closed || other.span.From.IsZero() {
		return node{}, false
	}
	end := other.end
	switch {
	case p.is(end, "or", "and") && p.is(end+1, "later", "onwards", "onward", "after") && !p.is(end+2, "that") && p.tok(end+2).kind == mark:
		end += 2
	case p.is(end, "onwards", "onward"), p.is(end, "on") && j > i:
		end++
	default:
		return node{}, false
	}
	other.end, other.kind, other.open = end, Range, noEnd
	return other, true
}

// lengthFrom reads "for 3 days from today", "a week starting tomorrow".
func (p *parser) lengthFrom(i int) (node, bool) {
	j := p.skip(i, "for")
	d, ok := p.amount(j)
	if !ok || d.finest < days {
		return node{}, false
	}
	k := p.skip(d.end, ",")
	switch {
	case p.is(k, "starting", "beginning", "commencing"):
		k = p.skip(k+1, "from", "on")
	case p.is(k, "from") && j > i:
		k++
	default:
		return node{}, false
	}
	first, ok := p.date(k)
	if !ok || first.span.From.IsZero() || first.open != closed {
		return node{}, false
	}
	n := node{end: first.end, kind: Range, dur: d.dur, approx: d.approx}
	n.span = daybook.Span{From: first.span.From, Until: d.dur.From(first.span.From), Granularity: daybook.Day, Known: first.span.Known}
	return n, true
}
