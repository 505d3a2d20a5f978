package timex

import (
	"time"

	"daybook"
)

// distance reads "two days ago", "in a month", "three weeks from tomorrow", "a week
// before 9 June", "three days later".
func (p *parser) distance(i int) (node, bool) {
	if p.is(i, "in") {
		return p.distanceIn(i)
	}
	if p.is(i, "years", "months", "weeks", "days", "ages", "decades") && p.is(i+1, "ago") {
		n := node{end: i + 2, kind: Date, unresolved: true, approx: true, open: noStart}
		n.span = daybook.Span{Until: p.today, Granularity: daybook.Day, Known: daybook.Resolved}
		return n, true
	}
	if n, ok := p.countedDays(i); ok {
		return n, true
	}
	d, ok := p.amount(i)
	if !ok {
		return node{}, false
	}
	switch {
	case p.is(d.end, "ago", "back", "earlier"):
		n := p.apart(d.end+1, p.ref, d, -1)
		n.unresolved = p.is(d.end, "earlier")
		if p.is(n.end, "today") && d.finest >= weeks && n.end > 0 {
			return p.dayNode(n.end+1, n.at, daybook.Resolved), true // "three years ago today"
		}
		return n, !p.is(d.end, "back") || p.function(d.end+1)
	case p.is(d.end, "later") && p.is(d.end+1, "this", "in", "than"):
		return node{}, false
	case p.is(d.end, "later", "hence", "afterwards"):
		n := p.apart(d.end+1, p.ref, d, 1)
		n.unresolved = p.is(d.end, "later", "afterwards")
		return n, true
	}
	if end, ok := p.seq(d.end, "from", "now"); ok {
		return p.apart(end, p.ref, d, 1), true
	}
	if end, ok := p.seq(d.end, "in", "the", "future"); ok {
		return p.apart(end, p.ref, d, 1), true
	}
	sign := 1
	switch {
	case p.is(d.end, "before", "prior"):
		sign = -1
	case !p.is(d.end, "after", "from", "past"):
		return node{}, false
	}
	other, ok := p.date(p.skip(d.end+1, "to"))
	if !ok || d.finest < days || other.span.From.IsZero() {
		return node{}, false
	}
	n := p.apart(other.end, other.span.From, d, sign)
	if d.finest == weeks && other.span.Granularity == daybook.Day && !d.approx && !n.at.IsZero() {
		n = p.dayNode(other.end, n.at, daybook.Resolved) // "two weeks after Easter" counts from a day
	}
	n.unresolved = other.unresolved
	return n, true
}

// distanceIn reads "in three weeks", "in a month or two".
func (p *parser) distanceIn(i int) (node, bool) {
	j := p.skip(i+1, "just", "only", "exactly")
	d, ok := p.amount(j)
	if !ok || p.is(d.end, "ago", "of") || p.is(j, "the") {
		return node{}, false
	}
	if p.direction(i, d.end) < 0 && !p.is(d.end, "from", "time") && !p.is(i-1, "back") {
		// "I read it in two days" is a length.
		return node{start: i, end: d.end, kind: Length, dur: d.dur, approx: d.approx, unit: d.unit}, true
	}
	end := p.skip(d.end, "time")
	if e, ok := p.seq(end, "from", "now"); ok {
		end = e
	} else if e, ok := p.seq(end, "from", "today"); ok {
		end = e
	}
	return p.apart(end, p.ref, d, 1), true
}

// apart is the time that lies a period before or after another.
func (p *parser) apart(end int, from time.Time, d amount, sign int) node {
	n := node{end: end, kind: Date, approx: d.approx, unit: d.unit}
	n.at = d.dur.move(from, sign)
	if d.unit == workdays {
		n.at = addWorkdays(from, sign*d.n)
	}
	if y := n.at.Year(); y < 1 || y > 9990 {
		return node{}
	}
	u := d.finest
	if u <= hours {
		n.kind = Time
		n.span = minutes.whole(n.at)
		if u == hours {
			n.span.Granularity = daybook.Hour
		}
		return n
	}
	n.at = midnight(n.at)
	if d.unit == weekends {
		return weekendsApart(n, from, sign*d.n)
	}
	n.span = u.whole(n.at)
	if d.vague {
		return p.vagueSpan(n, from, d, sign)
	}
	if n.span.Granularity == daybook.Day {
		n.at = time.Time{}
	}
	return n
}

// weekendsApart counts weekends from a day: "two weekends ago" is the one before
// the last. A weekend that the day lies in does not count.
func weekendsApart(n node, from time.Time, count int) node {
	n.at = time.Time{}
	sat := saturday(from)
	if count > 0 && from.Before(sat) {
		count--
	}
	n.span = weekends.whole(sat.AddDate(0, 0, 7*count))
	return n
}

// vagueSpan is where "a few days ago" may lie: two to five units off.
func (p *parser) vagueSpan(n node, from time.Time, d amount, sign int) node {
	near, far := d.unit.begin(d.unit.add(midnight(from), 2*sign)), d.unit.begin(d.unit.add(midnight(from), 5*sign))
	if sign < 0 {
		near, far = far, near
	}
	n.span = daybook.Span{From: near, Until: d.unit.add(far, 1), Granularity: d.unit.granularity(), Known: daybook.Resolved}
	return n
}

// countedDays reads "two Sundays ago", "three Fridays from now".
func (p *parser) countedDays(i int) (node, bool) {
	c, ok := p.exactCount(i)
	if !ok || c.n > 60 || p.is(i, "a", "an") {
		return node{}, false
	}
	wd, ok := weekdayPlurals[p.tok(c.end).text]
	if !ok {
		w, end := p.weekdayName(c.end)
		if end == c.end {
			return node{}, false
		}
		wd = time.Weekday(w)
	}
	switch {
	case p.is(c.end+1, "ago"):
		return p.dayNode(c.end+2, p.latestBefore(p.today, wd).AddDate(0, 0, -7*(c.n-1)), daybook.Resolved), true
	case p.is(c.end+1, "from") && p.is(c.end+2, "now"), p.is(c.end+1, "later"):
		end := c.end + 2
		if p.is(c.end+1, "from") {
			end++
		}
		return p.dayNode(end, p.onOrAfter(p.today.AddDate(0, 0, 1), wd).AddDate(0, 0, 7*(c.n-1)), daybook.Resolved), true
	}
	return node{}, false
}

// neighbour reads "the week before 9 June", "the day after tomorrow", "the Sunday
// before 25 May", "the night before Christmas".
func (p *parser) neighbour(i int) (node, bool) {
	j := p.skip(i, "the")
	wd, end := p.weekdayName(j)
	u, isDay := noUnit, end > j
	if !isDay {
		if u, end = p.unit(j); u < days || p.tok(j).text != u.String() && !p.is(j, "night") {
			return node{}, false
		}
	}
	if !p.is(end, "before", "after", "following", "preceding") {
		return node{}, false
	}
	sign := 1
	if p.is(end, "before", "preceding") {
		sign = -1
	}
	other, ok := p.date(end + 1)
	if !ok && u == days && p.tok(end+1).kind == mark && p.is(i, "the") {
		n := p.dayNode(end+1, p.today.AddDate(0, 0, sign), daybook.Resolved)
		n.unresolved = true // of what was told before
		return n, true
	}
	if !ok || other.span.From.IsZero() || other.span.Until.IsZero() {
		return node{}, false
	}
	n := p.beside(other, u, time.Weekday(wd), isDay, sign)
	n.end, n.unresolved = other.end, other.unresolved
	n.span.Known = other.span.Known
	return n, true
}

// beside is the day, weekday or unit next to another time. A week or month beside
// a day is the seven days, or the month, that touch it.
func (p *parser) beside(other node, u unit, wd time.Weekday, isDay bool, sign int) node {
	from, until := other.span.From, other.span.Until
	switch {
	case isDay && sign < 0:
		return p.dayNode(0, p.latestBefore(midnight(from), wd), daybook.Resolved)
	case isDay:
		return p.dayNode(0, p.onOrAfter(midnight(until), wd), daybook.Resolved)
	case u == weekends && sign < 0:
		sat := p.latestBefore(midnight(from).AddDate(0, 0, -1), time.Saturday)
		if from.Weekday() == time.Monday || sat.AddDate(0, 0, 7).AddDate(0, 0, 1).Before(from) {
			sat = p.latestBefore(midnight(from), time.Saturday)
		}
		return p.wholeNode(0, u, sat)
	case u == weekends:
		return p.wholeNode(0, u, p.onOrAfter(midnight(until), time.Saturday))
	case sign < 0:
		n := p.wholeNode(0, u, from)
		n.span.From, n.span.Until = u.add(from, -1), from
		return n
	}
	n := p.wholeNode(0, u, from)
	n.span.From, n.span.Until = until, u.add(until, 1)
	return n
}
