package timex

import (
	"cmp"
	"time"

	"daybook"
)

// ordinalOf reads "the first Saturday of June", "the last week of July", "the
// third quarter of 2016", "the last day of the month".
func (p *parser) ordinalOf(i int) (node, bool) {
	j := p.skip(i, "the")
	nth, end := p.ordinal(j)
	if p.is(j, "last", "final") {
		nth, end = -1, j+1
	}
	if end == j || nth == 0 {
		return node{}, false
	}
	if n, ok := p.nthSeveral(end, nth); ok {
		return n, true
	}
	wd, after := p.weekdayName(end)
	u := noUnit
	if after == end {
		if u, after = p.unit(end); u == noUnit || u < days {
			return p.ordinalHalf(end, nth)
		}
	}
	whole, ok := p.container(after)
	if !ok {
		return node{}, false
	}
	n, ok := p.nth(whole, u, time.Weekday(wd), nth)
	n.end = whole.end
	return n, ok
}

// nthSeveral reads "the first two weeks of 2021", "the last four months of last
// year".
func (p *parser) nthSeveral(i, nth int) (node, bool) {
	c, ok := p.exactCount(i)
	if !ok || c.n < 2 || nth != 1 && nth != -1 {
		return node{}, false
	}
	u, end := p.unit(c.end)
	if u < days || !p.is(end, "of", "in") {
		return node{}, false
	}
	whole, ok := p.container(end)
	if !ok {
		return node{}, false
	}
	edge, ok := p.nth(whole, u, 0, nth)
	if !ok {
		return node{}, false
	}
	n := p.join(edge, edge)
	n.end = whole.end
	if nth > 0 {
		n.span.Until = u.add(n.span.From, c.n)
	} else {
		n.span.From = u.add(n.span.Until, -c.n)
	}
	return n, true
}

// container reads the period that something is counted in: "of June", "in this
// month", "next year".
func (p *parser) container(i int) (node, bool) {
	j := p.skip(i, "of", "in")
	if end, ok := p.seq(j, "the", "month"); ok && j > i {
		return p.wholeNode(end, months, p.today), true
	}
	if end, ok := p.seq(j, "the", "year"); ok && j > i {
		return p.wholeNode(end, years, p.today), true
	}
	whole, ok := p.date(j)
	if !ok || j == i && !p.startsPeriod(j) {
		return node{}, false
	}
	g := whole.span.Granularity
	return whole, g == daybook.Month || g == daybook.Year || g == daybook.Season || g == daybook.Decade || g == daybook.Week
}

func (p *parser) startsPeriod(i int) bool {
	_, shift := shifts[p.tok(i).text]
	_, month := monthNames[p.tok(i).text]
	return shift || month || p.tok(i).kind == number && p.tok(i).digits() == 4
}

// nth is the nth weekday (where u is noUnit) or unit of a period.
func (p *parser) nth(whole node, u unit, wd time.Weekday, nth int) (node, bool) {
	s := whole.span
	if u == noUnit {
		day := nthWeekday(s, wd, nth)
		n := p.dayNode(0, day, s.Known)
		return n, !day.IsZero()
	}
	if u == weeks || u == weekends {
		return p.nthWeek(s, u, nth)
	}
	t := u.add(s.From, nth-1)
	if nth < 0 {
		t = u.add(u.begin(s.Until.Add(-time.Second)), nth+1)
	}
	if t.Before(s.From) || !t.Before(s.Until) {
		return node{}, false
	}
	n := p.wholeNode(0, u, t)
	n.span.Known = s.Known
	return n, true
}

// nthWeek counts weeks by their Thursdays, as ISO does, and weekends by their
// Saturdays.
func (p *parser) nthWeek(s daybook.Span, u unit, nth int) (node, bool) {
	wd := time.Thursday
	if u == weekends {
		wd = time.Saturday
	}
	day := nthWeekday(s, wd, nth)
	if day.IsZero() {
		return node{}, false
	}
	n := p.wholeNode(0, u, day)
	n.span.Known = s.Known
	return n, true
}

// ordinalHalf reads "the first half of 2021".
func (p *parser) ordinalHalf(i, nth int) (node, bool) {
	if !p.is(i, "half") {
		return node{}, false
	}
	whole, ok := p.container(i + 1)
	if !ok || nth > 2 {
		return node{}, false
	}
	part := early
	if nth != 1 {
		part = late
	}
	whole.span = slice(whole.span, part)
	return whole, true
}

// weekNumber reads "week 31", "the week of 9 June", "the month of June".
func (p *parser) weekNumber(i int) (node, bool) {
	j := p.skip(i, "the")
	if end, ok := p.seq(j, "w", "/", "c"); ok {
		return p.unitOf(weeks, end)
	}
	u, end := p.unit(j)
	if u != weeks && u != months && u != weekends || p.tok(j).text != u.String() {
		return node{}, false
	}
	if t := p.tok(end); u == weeks && t.kind == number && !t.ordinal && t.val >= 1 && t.val <= 53 && t.digits() <= 2 {
		if v, _ := p.unit(end + 1); v == noUnit {
			year, after := p.yearNumber(end + 1)
			jan4 := time.Date(cmp.Or(year, p.ref.Year()), 1, 4, 0, 0, 0, 0, p.ref.Location())
			return p.wholeNode(after, weeks, jan4.AddDate(0, 0, 7*(t.val-1))), true
		}
	}
	if !p.is(end, "of", "commencing", "starting", "beginning") {
		return node{}, false
	}
	return p.unitOf(u, p.skip(end+1, "on"))
}

func (p *parser) unitOf(u unit, i int) (node, bool) {
	day, ok := p.date(i)
	if !ok || day.span.From.IsZero() {
		return node{}, false
	}
	from := day.span.From
	if u == weekends && (from.Weekday() == time.Monday || from.Weekday() == time.Tuesday) {
		from = from.AddDate(0, 0, -2)
	}
	n := p.wholeNode(day.end, u, from)
	n.span.Known, n.approx = day.span.Known, day.approx
	return n, true
}

// part is a piece of a period.
type part byte

const (
	early part = iota
	mid
	late
	beginning
	ending
)

var partWords = map[string]part{
	"early": early, "late": late, "mid": mid, "middle": mid, "beginning": beginning, "start": beginning, "end": ending,
}

// edge reads "early 2022", "mid-June", "the end of May", "late last year".
func (p *parser) edge(i int) (node, bool) {
	j := p.skip(p.skip(i, "the"), "very")
	part, ok := partWords[p.tok(j).text]
	if !ok {
		return node{}, false
	}
	k := p.skip(j+1, "-")
	if p.is(j, "early", "late") {
		k = p.skip(k, "in", "on")
	}
	if p.is(j, "beginning", "start", "end", "middle") {
		if !p.is(k, "of") && !p.startsPeriod(k) {
			return node{}, false
		}
		k = p.skip(k, "of")
	}
	whole, ok := p.date(k)
	if u, after := p.unit(k); !ok && u >= days && u <= years && part == ending && p.is(k-1, "of") && p.tok(k).text == u.String() {
		whole, ok = p.wholeNode(after, u, p.today), true
	}
	if u, after := p.unit(k + 1); !ok && p.is(k, "the", "my") && u >= days && u <= years {
		whole, ok = p.wholeNode(after, u, p.today), true
	}
	if !ok || whole.span.From.IsZero() || whole.span.Until.IsZero() {
		return node{}, false
	}
	if _, named := partHours[p.tok(whole.end).text]; named && whole.span.Granularity == daybook.Day && p.is(j, "early", "late") {
		n := p.withPart(whole) // "late Friday night"
		n.approx = true
		return n, n.kind == Time
	}
	if whole.span.Granularity == daybook.Day && (part == beginning && !p.is(k-1, "of") || whole.kind != Date) {
		return node{}, false // "beginning 7 January"
	}
	if whole.span.Granularity == daybook.Day && part == ending {
		return p.dayEnd(whole), true
	}
	whole.span, whole.approx, whole.float = slice(whole.span, part), true, float{}
	return whole, whole.span.From.Before(whole.span.Until)
}

// dayEnd is the last second of a day: "by the end of tomorrow".
func (p *parser) dayEnd(n node) node {
	n.kind, n.at, n.approx = Time, n.span.Until.Add(-time.Second), true
	n.span.From, n.span.Granularity = n.span.Until.Add(-time.Hour), daybook.Hour
	return n
}

// slice is a piece of a span. Days are not cut.
func slice(s daybook.Span, p part) daybook.Span {
	total := int(s.Until.Sub(s.From).Hours()+12) / 24
	if total <= 1 {
		return slice24(s, p)
	}
	at := func(num, den int) time.Time { return s.From.AddDate(0, 0, (total*num+den/2)/den) }
	if s.Granularity == daybook.Year {
		at = func(num, den int) time.Time { return s.From.AddDate(0, 12*num/den, 0) }
	}
	if s.Granularity == daybook.Month {
		at = func(num, den int) time.Time {
			return s.From.AddDate(0, 0, map[[2]int]int{{1, 2}: 15, {1, 3}: 9, {2, 3}: 20}[[2]int{num, den}])
		}
	}
	if s.Granularity == daybook.Week {
		at = func(num, den int) time.Time {
			return s.From.AddDate(0, 0, map[[2]int]int{{1, 2}: 3, {1, 3}: 1, {2, 3}: 5}[[2]int{num, den}])
		}
	}
	third := s.Granularity == daybook.Year
	switch {
	case p == mid:
		s.From, s.Until = at(1, 3), at(2, 3)
	case p == beginning && third:
		s.Until = at(1, 3)
	case p == ending && third:
		s.From = at(2, 3)
	case p == early || p == beginning:
		s.Until = at(1, 2)
	default:
		s.From = at(1, 2)
	}
	s.Granularity = finer(s.Granularity)
	return s
}

// slice24 cuts a day at noon, or takes the hours around it.
func slice24(s daybook.Span, p part) daybook.Span {
	noon := s.From.Add(12 * time.Hour)
	switch p {
	case early, beginning:
		s.Until = noon
	case mid:
		s.From, s.Until = noon.Add(-2*time.Hour), noon.Add(2*time.Hour)
	default:
		s.From = noon
	}
	s.Granularity = daybook.Hour
	return s
}

// finer is the granularity of a piece.
func finer(g daybook.Granularity) daybook.Granularity {
	switch g {
	case daybook.Decade:
		return daybook.Year
	case daybook.Year, daybook.Season:
		return daybook.Month
	}
	return daybook.Day
}

// remainder reads "the rest of the week", "earlier this month", "later this year".
func (p *parser) remainder(i int) (node, bool) {
	j := p.skip(i, "the")
	rest, earlier := p.is(j, "rest", "remainder"), p.is(j, "earlier")
	if !rest && !earlier && !p.is(j, "later") {
		return node{}, false
	}
	k := p.skip(j+1, "of", "in")
	if rest && k == j+1 && !p.is(k, "this", "the") {
		return node{}, false
	}
	var whole node
	var ok bool
	if u, after := p.unit(p.skip(k, "the", "my")); u >= days && u <= years && p.skip(k, "the", "my") > j+1 {
		whole, ok = p.wholeNode(after, u, p.today), true
	} else {
		whole, ok = p.date(k)
	}
	if !ok || !whole.span.Holds(p.ref) {
		return node{}, false
	}
	whole.kind, whole.float = Range, float{}
	whole.span.Granularity = daybook.Day
	cut := p.today
	if whole.span.Until.Sub(whole.span.From) <= 25*time.Hour {
		cut, whole.kind, whole.span.Granularity = p.ref, Time, daybook.Hour
	}
	if earlier {
		whole.span.Until = cut
		if !whole.span.From.Before(cut) {
			whole.span.Until = p.ref
		}
	} else {
		whole.span.From = cut
	}
	return whole, whole.span.From.Before(whole.span.Until)
}

// quarter reads "Q3 2016", "2016 Q3", "the third quarter", "H1 2021".
func (p *parser) quarter(i int) (node, bool) {
	j, y := i, 0
	if t := p.tok(j); t.kind == number && t.digits() == 4 && t.val >= 1000 && t.val < 2200 {
		y, j = t.val, p.skip(p.skip(p.skip(j+1, "-", ","), "'"), "the")
	} else {
		if yr, end := p.shiftedYear(i, i); end > i {
			y, j = yr, p.skip(end, "the")
		} else {
			j = p.skip(j, "the")
		}
	}
	q, size, end := p.quarterName(j)
	if q == 0 {
		return node{}, false
	}
	if y == 0 {
		y, end = p.yearNumber(p.skip(end, "-"))
	}
	known := daybook.Stated
	if y == 0 {
		if size == 6 {
			return node{}, false
		}
		known = daybook.Resolved
		day, _ := p.settle(float{month: time.Month((q-1)*size + 1)}, p.direction(i, end))
		y = day.Year()
	}
	from := time.Date(y, time.Month((q-1)*size+1), 1, 0, 0, 0, 0, p.ref.Location())
	return node{end: end, kind: Date, unit: quarters, span: daybook.Span{From: from, Until: from.AddDate(0, size, 0), Granularity: daybook.Season, Known: known}}, true
}

// quarterName reads "Q3", "third quarter" or "H1": the number and how many months
// each has.
func (p *parser) quarterName(i int) (n, size, end int) {
	if t := p.tok(i + 1); p.is(i, "q", "h") && t.glued && t.kind == number && t.val >= 1 && t.digits() == 1 && !t.ordinal {
		if p.is(i, "q") && t.val <= 4 {
			return t.val, 3, i + 2
		}
		if p.is(i, "h") && t.val <= 2 {
			return t.val, 6, i + 2
		}
	}
	if o, after := p.ordinal(i); after > i && o >= 1 && o <= 4 && p.is(p.skip(after, "-"), "quarter") {
		return o, 3, p.skip(after, "-") + 1
	}
	return 0, 0, i
}
