package timex

import (
	"time"

	"daybook"
)

// moment reads a date, a clock time, or both in either order.
func (p *parser) moment(i int) (node, bool) {
	return longest(p, i, []rule{(*parser).now, (*parser).dated, (*parser).clocked, (*parser).looseMorning})
}

// now reads "now", "right now", "at the moment".
func (p *parser) now(i int) (node, bool) {
	n := node{kind: Time, span: daybook.Span{From: p.ref, Until: p.ref.Add(time.Minute), Granularity: daybook.Minute, Known: daybook.Resolved}}
	switch {
	case p.is(i, "right", "just") && p.is(i+1, "now"):
		n.end = i + 2
	case p.is(i, "at") && p.is(i+1, "the") && p.is(i+2, "moment"), p.is(i, "at") && p.is(i+1, "this") && p.is(i+2, "time", "moment"):
		n.end = i + 3
	case p.is(i, "at") && p.is(i+1, "the") && p.is(i+2, "present") && p.is(i+3, "time", "moment"):
		n.end = i + 4
	case p.is(i, "at") && p.is(i+1, "present"):
		n.end = i + 2
	case p.is(i, "now") && p.is(i-1, "between") && p.is(i+1, "and"):
		n.end = i + 1
	case p.is(i, "now") && !p.is(i+1, "that", "and", "then") && !p.is(i-1, "by", "until", "till", "up"):
		n.end = i + 1
	}
	return n, n.end > i
}

// dated reads a date and what makes it finer: "tomorrow morning at 7", "next Friday
// at 3pm".
func (p *parser) dated(i int) (node, bool) {
	n, ok := p.thisPart(i)
	if !ok {
		if n, ok = p.roughDate(i); !ok {
			return node{}, false
		}
		n = p.withPart(n)
		if week, ok := p.weekOf(n); ok {
			n = week
		}
	}
	return p.withClock(n), true
}

// roughDate reads a date after "around" and the like.
func (p *parser) roughDate(i int) (node, bool) {
	j := p.skip(i, "about", "around", "approximately", "roughly", "circa")
	n, ok := p.date(j)
	if ok && j > i {
		n.approx = true
	}
	return n, ok
}

// weekOf reads "Wednesday evening next week": a weekday with its part, moved.
func (p *parser) weekOf(n node) (node, bool) {
	if !n.float.weekday || n.kind != Time {
		return node{}, false
	}
	week, ok := p.shiftedUnit(p.skip(n.end, "of"), weeks)
	if !ok {
		return node{}, false
	}
	day := p.onOrAfter(week.span.From, n.span.From.Weekday())
	shift := day.Sub(midnight(n.span.From))
	n.span.From, n.span.Until, n.end = n.span.From.Add(shift), n.span.Until.Add(shift), week.end
	return n, true
}

// thisPart reads "tonight", "this morning", "last night".
func (p *parser) thisPart(i int) (node, bool) {
	if p.is(i, "tonight", "tonite") {
		return p.partNode(i+1, p.today, "night"), true
	}
	if n, ok := p.partOf(i); ok {
		return n, true
	}
	j := p.skip(i, "earlier", "later")
	name := p.tok(j + 1).text
	if _, ok := partHours[name]; !ok {
		return node{}, false
	}
	switch {
	case p.is(j, "this"):
		return p.partNode(j+2, p.today, name), true
	case p.is(j, "next", "following") && p.is(j-1, "the"):
		n := p.partNode(j+2, p.today.AddDate(0, 0, 1), name)
		n.unresolved = true
		return n, true
	case p.is(j, "last") && name == "night":
		return p.partNode(j+2, p.today.AddDate(0, 0, -1), name), true
	}
	return node{}, false
}

// partOf reads "the morning of July 4th".
func (p *parser) partOf(i int) (node, bool) {
	j := p.skip(i, "the")
	name := p.tok(j).text
	if _, ok := partHours[name]; !ok || j == i || !p.is(j+1, "of") {
		return node{}, false
	}
	day, ok := p.date(p.skip(j+2, "the"))
	if !ok || day.span.Granularity != daybook.Day || day.kind != Date || day.approx || day.unresolved {
		return node{}, false
	}
	n := p.partNode(day.end, day.span.From, name)
	n.span.Known = day.span.Known
	return n, true
}

func (p *parser) partNode(end int, day time.Time, name string) node {
	h := partHours[name]
	y, m, d := day.Date()
	at := func(h int) time.Time { return time.Date(y, m, d, h, 0, 0, 0, day.Location()) }
	return node{end: end, kind: Time, unit: hours, span: daybook.Span{From: at(h[0]), Until: at(h[1]), Granularity: daybook.Hour, Known: daybook.Resolved}}
}

// withPart narrows a day to a part of it: "yesterday evening", "Friday in the
// early afternoon".
func (p *parser) withPart(n node) node {
	if n.span.Granularity != daybook.Day || n.span.From.IsZero() || n.open != closed || n.kind != Date || n.approx {
		return n
	}
	j := n.end
	if end, ok := p.seq(p.skip(j, ","), "in", "the"); ok {
		j = end
	}
	j = p.skip(p.skip(j, "-"), "early", "late", "mid")
	name := p.tok(j).text
	if _, ok := partHours[name]; !ok || p.tok(j).kind != word || name[len(name)-1] == 's' {
		return n
	}
	out := p.partNode(j+1, n.span.From, name)
	out.float, out.span.Known, out.unresolved = n.float, n.span.Known, n.unresolved
	return out
}

// withClock adds a clock time to a day, or to a part of it.
func (p *parser) withClock(n node) node {
	g := n.span.Granularity
	if g != daybook.Day && g != daybook.Hour || n.span.From.IsZero() || n.kind == Range || n.approx && n.kind == Time {
		return n
	}
	j := p.skip(p.skip(n.end, ",", "(", "-"), "at", "@", "for", "from", "starting")
	if p.is(n.end, "t") && p.tok(n.end).glued {
		j = n.end + 1
	}
	_, spoken := p.cardinal(j)
	introduced := j > n.end && p.is(j-1, "at", "@") || spoken > j && p.tok(spoken).kind == word && tens[p.tok(spoken).text] != 0 || p.is(j, "around", "about") || p.is(n.end, ",") && p.is(n.end-1, "tonight", "morning")
	if p.is(j-1, "from") {
		return n
	}
	c, ok := p.clock(j)
	if t := p.tok(j - 1); t.text == "t" && p.is(c.end, "z") && p.tok(c.end).glued {
		c.end++
	}
	if !ok || c.bare && !introduced || p.followedByRange(c.end) {
		return n
	}
	if name := p.partName(n); name != "" {
		c = p.reread(j, c, name)
	}
	if y := p.tok(c.end); n.float.month != 0 && n.float.year == 0 && y.kind == number && y.digits() == 4 && p.yearAfterClock(c.end) {
		n, c.end = p.moved(n, y.val), c.end+1
	}
	s, at := c.on(n.span.From)
	s.Known = n.span.Known
	return node{start: n.start, end: c.end, kind: Time, span: s, at: at, approx: c.approx || n.approx, float: n.float, unresolved: n.unresolved}
}

// yearAfterClock reports whether the number at token i is the year of a date whose
// clock time came first: "Oct 26 15:50:06 2016".
func (p *parser) yearAfterClock(i int) bool {
	v := p.tok(i).val
	return v >= 1900 && v < 2200 && p.function(i+1)
}

// partName is the part of the day that a node was narrowed to.
func (p *parser) partName(n node) string {
	if n.kind != Time {
		return ""
	}
	if name := p.tok(n.end - 1).text; partHours[name] != [2]int{} {
		return name
	}
	if p.is(n.end-1, "tonight", "tonite") {
		return "night"
	}
	return ""
}

// reread reads a clock time again beside a part of the day, which settles its
// half of the day.
func (p *parser) reread(i int, c clock, name string) clock {
	raw, ok := p.clockTime(p.skip(i, "about", "around", "roughly", "approximately", "exactly"))
	if !ok || !raw.loose {
		return c
	}
	part := raw.inPart(name)
	c.h, c.m = part.h, part.m
	return c
}

func (p *parser) followedByRange(i int) bool {
	return p.is(i, "-", "to") && (p.tok(i+1).kind == number && !p.tok(i+1).ordinal)
}

// clocked reads a clock time, and the day after it: "8pm on the 15th", "a quarter
// to seven tomorrow".
func (p *parser) clocked(i int) (node, bool) {
	c, ok := p.clock(i)
	if !ok {
		return node{}, false
	}
	if n, ok := p.clockThenDate(i, c); ok {
		return n, true
	}
	if c.bare && (!p.is(i-1, "at", "@") || p.tok(i).kind == number && p.tok(i).val > 12 || !p.function(c.end) || p.is(c.end, "of", "-", "/") || p.is(i, "one", "1")) {
		if !p.is(c.end-1, "ish") {
			return node{}, false
		}
	}
	s, at := c.on(p.today)
	return node{end: c.end, kind: Time, span: s, at: at, approx: c.approx, float: float{clock: true}}, true
}

func (p *parser) clockThenDate(i int, c clock) (node, bool) {
	j := p.skip(p.skip(c.end, ",", "-"), "on", "of", "in", "at")
	introduced := p.is(i-1, "at", "@", "around")
	day, ok := p.thisPart(j)
	if !ok {
		if day, ok = p.date(j); !ok {
			return node{}, false
		}
		day = p.withPart(day)
	}
	g := day.span.Granularity
	if g != daybook.Day && g != daybook.Hour || day.kind == Range || day.approx || c.bare && !introduced && day.kind != Time || p.is(c.end, "in") && c.bare {
		return node{}, false
	}
	if c.bare && !introduced && p.is(i-1, "to", "-", "and") {
		return node{}, false
	}
	if name := p.partName(day); name != "" {
		c = p.reread(i, c, name)
	}
	if p.partName(day) == "night" && c.h < 5 {
		day.span.From = day.span.From.AddDate(0, 0, 1) // "2am last night"
	}
	s, at := c.on(day.span.From)
	s.Known = day.span.Known
	return node{end: day.end, kind: Time, span: s, at: at, approx: c.approx, float: day.float}, true
}

// looseMorning reads "in the morning", "at night" with no day beside it: a part of
// the reference's day.
func (p *parser) looseMorning(i int) (node, bool) {
	end, ok := p.seq(i, "in", "the")
	if !ok {
		return node{}, false
	}
	end = p.skip(p.skip(end, "early", "late"), "-")
	name := p.tok(end).text
	if _, ok := partHours[name]; !ok || name[len(name)-1] == 's' {
		return node{}, false
	}
	if day, ok := p.date(p.skip(p.skip(end+1, ","), "of", "on")); ok && day.span.Granularity == daybook.Day && day.kind == Date && !day.approx {
		n := p.partNode(day.end, day.span.From, name)
		n.span.Known = day.span.Known
		return n, true
	}
	n := p.partNode(end+1, p.today, name)
	n.approx = true
	if c, ok := p.clock(p.skip(n.end, "at")); ok && (!c.bare || p.is(n.end, "at")) {
		c = p.reread(p.skip(n.end, "at"), c, name)
		n.span, n.at = c.on(p.today)
		n.end, n.approx = c.end, false
	}
	return n, true
}
