package timex

import (
	"strings"
	"time"

	"daybook"
)

// shifted reads "last week", "this past weekend", "the next three days", "the week
// after next".
func (p *parser) shifted(i int) (node, bool) {
	if n, ok := p.afterNext(i); ok {
		return n, true
	}
	if n, ok := p.plainUnit(i); ok {
		return n, true
	}
	j := p.skip(i, "the", "my", "our", "these")
	if p.is(j, "this") && (p.is(j+1, "past") || p.is(j+1, "coming")) {
		j++
	}
	if c, ok := p.count(j); ok && c.end > j && c.n > 0 { // "the 5 past years"
		if k, ok := shifts[p.tok(c.end).text]; ok && k != 0 {
			if u, end := p.unit(c.end + 1); u != noUnit && strings.HasSuffix(p.tok(c.end+1).text, "s") {
				return p.stretch(end, k, lengthOf(u, c.n), u), true
			}
		}
		return node{}, false
	}
	k, ok := shifts[p.tok(j).text]
	if !ok {
		return node{}, false
	}
	if d, ok := p.amount(j + 1); ok && k != 0 && !p.is(j+1, "a", "an") {
		n := p.stretch(d.end, k, d.dur, d.finest)
		n.approx = d.approx
		return n, true
	}
	u, end := p.unit(j + 1)
	if u == noUnit || p.is(end-1, "night", "weekday", "sec", "min", "h") || p.tok(end-1).text != u.String() && u != workdays {
		return node{}, false
	}
	if p.is(j, "last", "past") && p.is(j-1, "the") && j > i && (u == weeks || u == months || u == years) && !p.is(end, "of", "in") {
		return p.stretch(end, -1, lengthOf(u, 1), u), true // "in the last month" ends today
	}
	return p.shiftBy(j, end, u, k)
}

// shiftBy is the kth unit from the reference's.
func (p *parser) shiftBy(j, end int, u unit, k int) (node, bool) {
	switch u {
	case seconds, minutes, workdays:
		return node{}, false
	case hours:
		if k == 0 {
			return node{}, false
		}
		return p.stretch(end, k, Duration{Hours: 1}, u), true
	case days:
		n := p.dayNode(end, p.today.AddDate(0, 0, k), daybook.Resolved)
		n.unresolved = true // "the next day" follows what was told before
		return n, k != 0 || p.is(j, "this")
	case weekends:
		return p.weekend(j, end, k), true
	}
	n := p.wholeNode(end, u, u.add(u.begin(p.today), k))
	n.unresolved = p.is(j, "following") || p.is(j, "previous") && p.is(j-1, "the")
	return n, true
}

// weekend is the last, this or the next one. "Last" and, of what was, "this" are
// the latest that has begun on another day.
func (p *parser) weekend(j, end, k int) node {
	sat := saturday(p.today)
	latest := sat
	if p.today.Before(sat.AddDate(0, 0, 2)) {
		latest = sat.AddDate(0, 0, -7)
	}
	switch {
	case k < 0:
		return p.wholeNode(end, weekends, latest)
	case k > 0 && !p.is(j, "coming", "upcoming"):
		return p.wholeNode(end, weekends, sat.AddDate(0, 0, 7))
	case k == 0 && p.direction(j, end) < 0 && p.today.Before(sat) && p.today.Weekday() != time.Friday:
		return p.wholeNode(end, weekends, latest)
	}
	return p.wholeNode(end, weekends, sat)
}

// stretch is a length of time that ends at the reference, or begins after it.
func (p *parser) stretch(end, k int, d Duration, u unit) node {
	n := node{end: end, kind: Range, dur: d, unit: u}
	n.span = daybook.Span{Granularity: daybook.Day, Known: daybook.Resolved}
	switch {
	case u <= hours && k < 0:
		n.span.From, n.span.Until, n.span.Granularity = d.Before(p.ref), p.ref, daybook.Minute
	case u <= hours:
		n.span.From, n.span.Until, n.span.Granularity = p.ref, d.From(p.ref), daybook.Minute
	case u == quarters:
		n.span.From, n.span.Until = d.Before(u.begin(p.today)), u.begin(p.today)
		if k > 0 {
			n.span.From = u.add(u.begin(p.today), 1)
			n.span.Until = d.From(n.span.From)
		}
	case k < 0 && u == workdays:
		n.span.From, n.span.Until = addWorkdays(p.today, -d.Days), p.today
	case k < 0:
		n.span.From, n.span.Until = d.Before(p.today), p.ref
	case u == workdays:
		n.span.From = addWorkdays(p.today, 1)
		n.span.Until = addWorkdays(p.today, d.Days).AddDate(0, 0, 1)
	default:
		n.span.From = p.today.AddDate(0, 0, 1)
		n.span.Until = d.From(n.span.From)
	}
	return n
}

// afterNext reads "the week after next", "the weekend before last".
func (p *parser) afterNext(i int) (node, bool) {
	j := p.skip(i, "the")
	u, end := p.unit(j)
	if u < days || p.is(j, "night", "nights") {
		return node{}, false
	}
	k := 0
	switch {
	case p.is(end, "after") && p.is(p.skip(end+1, "the"), "next"):
		k = 2
	case p.is(end, "before") && p.is(p.skip(end+1, "the"), "last"):
		k = -2
	default:
		return node{}, false
	}
	end = p.skip(end+1, "the") + 1
	if _, named := p.date(end - 1); named {
		return node{}, false // "the week before last Christmas"
	}
	if u == weekends && k < 0 {
		n := p.weekend(i, end, -1)
		return p.wholeNode(end, u, n.span.From.AddDate(0, 0, -7)), true
	}
	return p.wholeNode(end, u, u.add(u.begin(p.today), k)), true
}

// plainUnit reads "the weekend", "my week", "that weekend", "the same month",
// "year to date": a unit that only its article points to.
func (p *parser) plainUnit(i int) (node, bool) {
	if end, ok := p.seq(p.skip(i, "the"), "year", "to", "date"); ok {
		n := p.wholeNode(end, years, p.today)
		n.kind, n.span.Until = Range, p.ref
		return n, p.ref.After(n.span.From)
	}
	if p.is(i, "that", "same") || p.is(i, "the") && p.is(i+1, "same") {
		j := p.skip(i+1, "same")
		u, end := p.unit(j)
		if u < days || u == workdays || p.tok(j).text != u.String() {
			return node{}, false
		}
		n := p.wholeNode(end, u, p.today)
		n.unresolved = true
		return n, true
	}
	u, end := p.unit(i + 1)
	switch {
	case !p.is(i, "the", "my", "our") || u == noUnit || p.tok(i+1).text != u.String():
		return node{}, false
	case u == weekends && !p.is(end, "of", "before", "after"):
		return p.weekend(i, end, 0), true
	case u >= weeks && u <= years && p.is(i-1, "in", "for", "during", "over", "throughout") && p.function(end) && !p.is(end, "of", "before", "after", "when", "that", "i", "we"):
		return p.wholeNode(end, u, p.today), true
	}
	return node{}, false
}

// shiftedName reads "last June", "next winter" is read by season; "this Christmas"
// by holiday.
func (p *parser) shiftedName(i int) (node, bool) {
	j := p.skip(i, "the")
	if p.is(j, "this") && p.is(j+1, "past", "coming") {
		j++
	}
	k, ok := shifts[p.tok(j).text]
	m, end := p.monthName(j + 1)
	if !ok || m == 0 || p.is(j, "current", "present") || p.is(j, "this") && p.verb(j+1) {
		return node{}, false
	}
	if p.is(end-1, ".") {
		end--
	}
	first := time.Date(p.ref.Year(), m, 1, 0, 0, 0, 0, p.ref.Location())
	if k < 0 && !first.Before(months.begin(p.today)) {
		first = first.AddDate(-1, 0, 0)
	}
	if k > 0 && !first.After(p.today) {
		first = first.AddDate(1, 0, 0)
	}
	return p.wholeNode(end, months, first), true
}

// weekday reads "Friday", "last Friday", "Friday the 13th", "Friday next week".
func (p *parser) weekday(i int) (node, bool) {
	j, shift, named := i, 0, false
	if p.is(j, "on") && p.tok(j+1).kind == word {
		j++
	}
	if p.is(j, "the", "this") && p.is(j+1, "past", "coming", "following", "previous", "next", "last") {
		j++
	}
	if k, ok := shifts[p.tok(j).text]; ok {
		j, shift, named = j+1, k, true
	}
	wd, end := p.weekdayName(j)
	if end == j || !named && (i < j && !p.weekAfter(end) || p.is(i-1, "a", "an")) {
		return node{}, false
	}
	if !named {
		if n, ok := p.weekdayQualified(i, time.Weekday(wd), end); ok {
			return n, true
		}
	}
	n := p.dayNode(end, p.weekdayDay(i, end, time.Weekday(wd), shift, named), daybook.Resolved)
	if p.is(j-1, "coming", "upcoming") {
		n = p.dayNode(end, p.onOrAfter(p.today.AddDate(0, 0, 1), time.Weekday(wd)), daybook.Resolved)
	}
	n.float = float{weekday: !named}
	return n, true
}

func (p *parser) weekAfter(i int) bool {
	j := p.skip(p.skip(i, "of"), "the")
	_, ok := p.shiftedUnit(j, weeks)
	return ok
}

func (p *parser) weekdayDay(i, end int, wd time.Weekday, shift int, named bool) time.Time {
	switch {
	case shift < 0:
		return p.latestBefore(p.today, wd)
	case shift > 0:
		return p.onOrAfter(monday(p.today).AddDate(0, 0, 7), wd)
	case named:
		return p.onOrAfter(monday(p.today), wd)
	}
	before, after := p.latestBefore(p.today, wd), p.onOrAfter(p.today, wd)
	day, _ := p.choose(before, after, p.direction(i, end))
	return day
}

func (p *parser) latestBefore(t time.Time, wd time.Weekday) time.Time {
	return t.AddDate(0, 0, -((int(t.Weekday())-int(wd)+6)%7 + 1))
}

func (p *parser) onOrAfter(t time.Time, wd time.Weekday) time.Time {
	return t.AddDate(0, 0, (int(wd)-int(t.Weekday())+7)%7)
}

// weekdayQualified reads what may follow a weekday: "the 13th", "next week", "of
// this week".
func (p *parser) weekdayQualified(i int, wd time.Weekday, end int) (node, bool) {
	if week, ok := p.shiftedUnit(p.skip(end, "of", "in"), weeks); ok {
		return p.dayNode(week.end, p.onOrAfter(week.span.From, wd), daybook.Resolved), true
	}
	if far, ok := p.distance(p.skip(end, ",")); ok && far.unit >= weeks && far.kind == Date && !far.at.IsZero() {
		return p.dayNode(far.end, p.onOrAfter(monday(far.at), wd), daybook.Resolved), true
	}
	j := p.skip(p.skip(end, ","), "the")
	d, after := p.dayNumber(j)
	if d == 0 || !p.tok(after-1).ordinal && !p.is(j-1, "the") && (d <= 12 || p.tok(j).kind == word) {
		return node{}, false
	}
	if c, ok := p.clock(after); !p.function(after) && (!ok || c.bare) {
		return node{}, false
	}
	if m, _ := p.monthName(p.skip(after, "of")); m != 0 {
		return node{}, false
	}
	for k := range 24 { // the nearest month in which that day is that weekday
		for _, t := range []time.Time{p.candidate(float{day: d}, -k), p.candidate(float{day: d}, k)} {
			if !t.IsZero() && t.Weekday() == wd {
				return p.dayNode(after, t, daybook.Resolved), true
			}
		}
	}
	return node{}, false
}

// weekWeekday reads "next week on Friday", "last week Sunday".
func (p *parser) weekWeekday(i int) (node, bool) {
	week, ok := p.shiftedUnit(i, weeks)
	if !ok {
		return node{}, false
	}
	j := p.skip(p.skip(week.end, ","), "on")
	wd, end := p.weekdayName(j)
	if end == j {
		return node{}, false
	}
	return p.dayNode(end, p.onOrAfter(week.span.From, time.Weekday(wd)), daybook.Resolved), true
}

// dayOfMonth reads "the 9th", and "15" after "on".
func (p *parser) dayOfMonth(i int) (node, bool) {
	j := p.skip(i, "the")
	introduced := p.is(i-1, "on", "by", "until", "till", "since", "for", "from", "before", "after", "around", "between", "to", "and", "through", "of")
	d, end := p.dayNumber(j)
	if j > i && p.tok(j).ordinal && (p.tok(end).kind == mark || p.is(end, "at", "works", "is")) && !p.is(i-1, "is", "was", "be", "came", "finished", "in") {
		introduced = true // "let's do the 9th"
	}
	if d == 0 || !introduced || !p.function(end) || p.is(i-1, "and", "to", "through", "of") && !p.tok(j).ordinal {
		return node{}, false
	}
	t := p.tok(j)
	switch {
	case t.kind == word && (j == i || p.tok(end).kind == word || !p.is(i-1, "on", "by", "until", "since", "for") || p.is(end-1, "second")):
		return node{}, false
	case t.kind == number && !t.ordinal && j == i && !p.is(i-1, "on"):
		return node{}, false
	case p.is(end, "of", "%", "/", "'") || p.is(end, "-") && p.tok(end).glued || p.is(end, "in") && !p.is(end+1, "the"):
		return node{}, false
	}
	return p.place(i, end, float{day: d})
}

// season reads "last spring", "the summer of 2016", "in the fall".
func (p *parser) season(i int) (node, bool) {
	j, k, named := p.skip(i, "the", "this"), 0, false
	if s, ok := shifts[p.tok(j).text]; ok {
		k, named, j = s, true, j+1
	} else if j > i && p.is(j-1, "this") {
		named = true
	}
	m, ok := seasonStart[p.tok(j).text]
	if !ok {
		return node{}, false
	}
	end := p.skip(j+1, "time", "season")
	if y, after := p.yearNumber(end); y != 0 {
		return p.seasonNode(after, y, m, daybook.Stated), true
	}
	if y, after := p.yearNumber(p.skip(end, "of")); y != 0 {
		return p.seasonNode(after, y, m, daybook.Stated), true
	}
	if !named && (!p.is(i-1, strictPrepositions...) && !p.is(i-1, "over", "for", "mid") || !p.function(end) || p.is(j, "fall") && j == i) {
		return node{}, false
	}
	if named && j == i+1 && p.is(i, "present") || p.is(end, "roll", "rolls", "break", "cleaning") && !named {
		return node{}, false
	}
	dir := 2 * k
	if !named {
		dir = p.direction(i, end)
	}
	return p.seasonNode(end, p.seasonYear(m, dir), m, daybook.Resolved), true
}

func (p *parser) seasonNode(end, year int, m time.Month, known daybook.Known) node {
	from := time.Date(year, m, 1, 0, 0, 0, 0, p.ref.Location())
	return node{end: end, kind: Date, unit: quarters, span: daybook.Span{From: from, Until: from.AddDate(0, 3, 0), Granularity: daybook.Season, Known: known}}
}

// seasonYear is the year that the season meant begins in. dir is -2 for "last",
// 2 for "next", else the direction of the clause; 0 is the one nearest.
func (p *parser) seasonYear(m time.Month, dir int) int {
	y := p.ref.Year()
	starts := func(y int) time.Time { return time.Date(y, m, 1, 0, 0, 0, 0, p.ref.Location()) }
	switch {
	case dir == -2:
		for starts(y).AddDate(0, 3, 0).After(p.ref) {
			y--
		}
	case dir == 2:
		for !starts(y).After(p.ref) {
			y++
		}
	case dir < 0:
		for starts(y).After(p.ref) {
			y--
		}
	case dir > 0:
		y-- // a winter may have begun last year
		for !starts(y).AddDate(0, 3, 0).After(p.ref) {
			y++
		}
	case starts(y-1).AddDate(0, 3, 0).After(p.ref):
		y--
	}
	return y
}
