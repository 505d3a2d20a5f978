package timex

import (
	"time"

	"daybook"
)

// between reads a range: "from Monday to Thursday", "between 2 and 4 pm", "4-22
// January", "2014 through 2018".
func (p *parser) between(i int) (node, bool) {
	return longest(p, i, []rule{(*parser).dayRange, (*parser).monthDays, (*parser).clockRange, (*parser).datedClocks, (*parser).dateRange, (*parser).weekRange})
}

// joint reads the word between the two ends of a range.
func (p *parser) joint(i int, opened string) (int, bool) {
	switch {
	case p.is(i, "to", "-", "through", "thru", "until", "till", "til"):
		return i + 1, true
	case opened == "between" && p.is(i, "and"):
		return i + 1, true
	}
	return i, false
}

// opened reads "from" or "between".
func (p *parser) opened(i int) (string, int) {
	if p.is(i, "from", "between") {
		return p.tok(i).text, i + 1
	}
	return "", i
}

// dayRange reads "from 4 to 22 January 1995", "between 3 and 12 of Sept", "4 to 23
// next month", "from 4 to January 22".
func (p *parser) dayRange(i int) (node, bool) {
	opened, j := p.opened(i)
	j = p.skip(j, "the")
	a, end := p.dayNumber(j)
	if a == 0 {
		return node{}, false
	}
	k, ok := p.joint(end, opened)
	if !ok {
		return node{}, false
	}
	last, ok := p.date(k)
	if !ok || last.span.Granularity != daybook.Day || last.float.day == 0 || last.float.month == 0 {
		return p.shiftedDays(a, k)
	}
	y, m, _ := last.span.From.Date()
	if !validDate(y, m, a) || a > last.float.day {
		return node{}, false
	}
	first := p.dayNode(0, time.Date(y, m, a, 0, 0, 0, 0, p.ref.Location()), last.span.Known)
	return p.join(first, last), true
}

// shiftedDays reads the end of "from 4 to 22 this month".
func (p *parser) shiftedDays(a, k int) (node, bool) {
	b, end := p.dayNumber(p.skip(k, "the"))
	month, ok := p.shiftedUnit(p.skip(end, "of", "in"), months)
	if b == 0 || !ok {
		return node{}, false
	}
	y, m, _ := month.span.From.Date()
	if !validDate(y, m, a) || !validDate(y, m, b) {
		return node{}, false
	}
	first := p.dayNode(0, time.Date(y, m, a, 0, 0, 0, 0, p.ref.Location()), daybook.Resolved)
	last := p.dayNode(month.end, time.Date(y, m, b, 0, 0, 0, 0, p.ref.Location()), daybook.Resolved)
	return p.join(first, last), true
}

// monthDays reads "November 19-20", "Nov between 2 and 7, 2018", "June 5th to 9th".
func (p *parser) monthDays(i int) (node, bool) {
	m, j := p.monthName(i)
	if m == 0 {
		return node{}, false
	}
	opened, j := p.opened(j)
	a, end := p.dayNumber(p.skip(j, "the"))
	if a == 0 {
		return node{}, false
	}
	k, ok := p.joint(end, opened)
	k = p.skip(k, "the")
	b, after := p.dayNumber(k)
	if !ok || b == 0 || p.verbal(i, i) && !p.tok(j).ordinal || p.tok(after).kind == mark && p.is(after, "/") {
		return node{}, false
	}
	if other, _ := p.monthName(after); other != 0 {
		return node{}, false
	}
	y, yearEnd := p.yearNumber(after)
	first, ok := p.place(i, yearEnd, float{year: y, month: m, day: a})
	if !ok {
		return node{}, false
	}
	from := first.span.From
	if !validDate(from.Year(), m, b) || b < a {
		return node{}, false
	}
	last := p.dayNode(yearEnd, time.Date(from.Year(), m, b, 0, 0, 0, 0, p.ref.Location()), first.span.Known)
	return p.join(first, last), true
}

// join makes a range of two times. The last member is in it.
func (p *parser) join(first, last node) node {
	n := node{end: last.end, kind: Range, approx: first.approx || last.approx, unresolved: first.unresolved || last.unresolved}
	n.span = daybook.Span{From: first.span.From, Until: last.span.Until, Granularity: first.span.Granularity, Known: last.span.Known}
	if first.span.Known == daybook.Resolved {
		n.span.Known = daybook.Resolved
	}
	if n.kind == Range && !last.at.IsZero() && last.kind == Time {
		n.span.Until = last.at
	}
	return n
}

// dateRange reads a range of two dates.
func (p *parser) dateRange(i int) (node, bool) {
	opened, j := p.opened(p.skipIn(i))
	first, ok := p.moment(j)
	if !ok || first.open != closed || first.span.From.IsZero() || first.float.clock {
		return node{}, false
	}
	k, ok := p.joint(first.end, opened)
	if !ok {
		return node{}, false
	}
	last, ok := p.moment(k)
	if !ok || last.span.From.IsZero() || last.open != closed || last.float.clock || opened == "" && first.kind == Range {
		return node{}, false
	}
	first, last, ok = p.align(first, last)
	if !ok {
		return node{}, false
	}
	n := p.join(first, last)
	return n, n.span.From.Before(n.span.Until)
}

// skipIn skips the "in" of "in 2014 through 2018".
func (p *parser) skipIn(i int) int {
	if p.is(i, "in") && p.tok(i+1).kind == number {
		return i + 1
	}
	return i
}

// align resolves an end that lacks its year, month or week by the other end.
func (p *parser) align(first, last node) (node, node, bool) {
	ff, lf := first.float, last.float
	switch {
	case ff.month != 0 && ff.year == 0 && lf.year != 0:
		first = p.moved(first, lf.year)
		if first.span.From.After(last.span.From) {
			first = p.moved(first, lf.year-1)
		}
	case lf.weekday && !last.span.From.After(first.span.From):
		last = p.shiftNode(last, p.onOrAfter(first.span.From.AddDate(0, 0, 1), last.span.From.Weekday()))
	case ff.weekday && lf.weekday && last.span.From.Sub(first.span.From) > 7*24*time.Hour:
		last = p.shiftNode(last, last.span.From.AddDate(0, 0, -7))
	case ff.month != 0 && ff.year == 0 && lf.month != 0 && p.holdsNow(first, last):
		first = p.moved(first, first.span.From.Year()-1)
		return p.align(node{span: first.span, kind: first.kind, approx: first.approx}, last)
	case lf.month != 0 && lf.year == 0:
		last = p.moved(last, first.span.From.Year())
		if !last.span.From.After(first.span.From) {
			last = p.moved(last, first.span.From.Year()+1)
		}
	case lf.day != 0 && lf.month == 0:
		y, m, _ := first.span.From.Date()
		if lf.day <= first.span.From.Day() {
			m++
		}
		last = p.shiftNode(last, time.Date(y, m, lf.day, 0, 0, 0, 0, p.ref.Location()))
	}
	return first, last, !last.span.From.Before(first.span.From)
}

// holdsNow reports whether a range of two months without a year lies around the
// reference if it begins a year before first.
func (p *parser) holdsNow(first, last node) bool {
	from := first.span.From.AddDate(-1, 0, 0)
	until := p.moved(last, from.Year()).span.Until
	if !until.After(from) {
		until = until.AddDate(1, 0, 0)
	}
	return first.span.From.After(p.ref) && until.After(p.ref)
}

// moved puts a month or a day of a month into another year.
func (p *parser) moved(n node, year int) node {
	return p.shiftNode(n, n.span.From.AddDate(year-n.span.From.Year(), 0, 0))
}

func (p *parser) shiftNode(n node, from time.Time) node {
	g := n.span.Granularity
	n.span.From, n.span.Until = from, g.End(from)
	n.at = time.Time{}
	return n
}

// weekRange reads "next week between Wednesday and Friday".
func (p *parser) weekRange(i int) (node, bool) {
	week, ok := p.shiftedUnit(i, weeks)
	if !ok {
		return node{}, false
	}
	opened, j := p.opened(p.skip(week.end, ","))
	a, end := p.weekdayName(j)
	k, joined := p.joint(end, opened)
	b, after := p.weekdayName(k)
	if end == j || !joined || after == k {
		return node{}, false
	}
	first := p.dayNode(0, p.onOrAfter(week.span.From, time.Weekday(a)), daybook.Resolved)
	last := p.dayNode(after, p.onOrAfter(first.span.From, time.Weekday(b)), daybook.Resolved)
	return p.join(first, last), true
}

// clockPair is two clock times.
type clockPair struct {
	end          int
	first, last  clock
	bare, opened bool
}

// clocks reads "5 to 6pm", "between 2 and 4 pm", "9am-5".
func (p *parser) clocks(i int) (clockPair, bool) {
	opened, j := p.opened(i)
	a, ok := p.clockTime(j)
	if !ok {
		return clockPair{}, false
	}
	a = p.partAfter(a)
	k, ok := p.joint(a.end, opened)
	if !ok {
		return clockPair{}, false
	}
	b, ok := p.clockTime(k)
	if !ok {
		return clockPair{}, false
	}
	b = p.partAfter(b)
	pair := clockPair{end: b.end, first: a, last: b, bare: a.bare && b.bare, opened: opened != ""}
	pair.settle()
	return pair, true
}

// settle gives a loose time the half of the day of the other.
func (c *clockPair) settle() {
	a, b := &c.first, &c.last
	switch {
	case a.loose && !b.loose && b.h >= 12 && a.h < 12 && a.h+12 < b.h+b.m/60+1 && a.h+12 <= b.h:
		a.h += 12
	case b.loose && !a.loose && b.h <= a.h && b.h < 12:
		b.h += 12
	case a.loose && b.loose:
		if a.h >= 1 && a.h <= 5 {
			a.h += 12
		}
		if b.h < a.h && b.h < 12 || b.h == a.h && b.m <= a.m {
			b.h += 12
		}
	}
}

func (p *parser) clockNode(c clockPair, day time.Time) (node, bool) {
	first, from := c.first.on(day)
	_, until := c.last.on(day)
	if !until.After(from) {
		until = until.AddDate(0, 0, 1)
	}
	first.Until = until
	return node{end: c.end, kind: Range, span: first, at: time.Time{}}, until.After(from)
}

// clockRange reads two clock times and the day after them.
func (p *parser) clockRange(i int) (node, bool) {
	c, ok := p.clocks(i)
	if !ok {
		return node{}, false
	}
	j := p.skip(p.skip(c.end, ","), "on", "of")
	if day, ok := p.date(j); ok && day.span.Granularity == daybook.Day && !day.approx && (c.opened || !c.bare || day.float == float{weekday: true} || day.float == float{}) {
		day = p.withPart(day)
		n, ok := p.clockNode(c, day.span.From)
		n.end = day.end
		return n, ok
	}
	if c.bare {
		return node{}, false
	}
	return p.clockNode(c, p.today)
}

// datedClocks reads a day and two clock times: "Monday from 10 to 12".
func (p *parser) datedClocks(i int) (node, bool) {
	day, ok := p.thisPart(i)
	if !ok {
		if day, ok = p.date(i); !ok || day.span.Granularity != daybook.Day || day.approx || day.span.From.IsZero() {
			return node{}, false
		}
		day = p.withPart(day)
	}
	c, ok := p.clocks(p.skip(day.end, ",", "at"))
	if !ok {
		return node{}, false
	}
	return p.clockNode(c, day.span.From)
}
