package timex

import (
	"time"

	"daybook"
)

// dateRules read times of a day or coarser. The list is a function, for the rules
// refer to it through date.
func dateRules() []rule {
	return []rule{
		(*parser).dayWord, (*parser).numericDate, (*parser).monthDay, (*parser).dayMonth, (*parser).monthYear,
		(*parser).weekday, (*parser).weekWeekday, (*parser).dayOfMonth, (*parser).shifted, (*parser).shiftedName,
		(*parser).ordinalOf, (*parser).edge, (*parser).remainder, (*parser).season, (*parser).quarter,
		(*parser).year, (*parser).decade, (*parser).holiday, (*parser).distance, (*parser).neighbour, (*parser).weekNumber,
	}
}

const deepest = 12 // nested dates: "the day after the week of …"

// date reads the longest time of a day or coarser that begins at token i.
func (p *parser) date(i int) (node, bool) {
	if i < 0 || i >= len(p.toks) || p.depth > deepest || !p.leads(i) {
		return node{}, false
	}
	if n := p.dates[i]; n != nil {
		return *n, n.end > i
	}
	p.depth++
	n, ok := longest(p, i, dateRules())
	p.depth--
	if !ok {
		n = node{}
	}
	p.dates[i] = &n
	return n, ok
}

func (p *parser) dayNode(end int, day time.Time, known daybook.Known) node {
	return node{end: end, kind: Date, span: daybook.Span{From: day, Until: day.AddDate(0, 0, 1), Granularity: daybook.Day, Known: known}}
}

func (p *parser) wholeNode(end int, u unit, t time.Time) node {
	return node{end: end, kind: Date, span: u.whole(t), unit: u}
}

// dayWord reads "today", "the day before yesterday", "the other day".
func (p *parser) dayWord(i int) (node, bool) {
	switch {
	case p.is(i, "today", "2day"):
		return p.dayNode(i+1, p.today, daybook.Resolved), true
	case p.is(i, "tomorrow", "tmrw", "tmr", "tomorow", "tommorow", "tommorrow"):
		return p.dayNode(i+1, p.today.AddDate(0, 0, 1), daybook.Resolved), true
	case p.is(i, "yesterday", "yday"):
		return p.dayNode(i+1, p.today.AddDate(0, 0, -1), daybook.Resolved), true
	}
	if n, ok := p.endShort(i); ok {
		return n, true
	}
	if end, ok := p.seq(i, "the", "other", "day"); ok {
		n := node{end: end, kind: Date, approx: true, at: p.today.AddDate(0, 0, -3)}
		n.span = daybook.Span{From: p.today.AddDate(0, 0, -7), Until: p.today, Granularity: daybook.Day, Known: daybook.Resolved}
		return n, true
	}
	return node{}, false
}

// endShort reads EOD, EOM and EOY: the end of the day, month or year.
func (p *parser) endShort(i int) (node, bool) {
	var n node
	switch {
	case p.is(i, "eod"):
		return p.dayEnd(p.dayNode(i+1, p.today, daybook.Resolved)), true
	case p.is(i, "eom"):
		n = p.wholeNode(i+1, months, p.today)
	case p.is(i, "eoy"):
		n = p.wholeNode(i+1, years, p.today)
	default:
		return node{}, false
	}
	n.span, n.approx = slice(n.span, ending), true
	return n, true
}

// place puts a date that lacks its year, or its month, on the calendar.
func (p *parser) place(i, end int, f float) (node, bool) {
	known := daybook.Resolved
	if f.year != 0 {
		known = daybook.Stated
	}
	day, ok := p.onWeekday(i, f)
	if !ok {
		day, ok = p.settle(f, p.direction(i, end))
	}
	if !ok {
		return node{}, false
	}
	n := p.dayNode(end, day, known)
	if f.day == 0 {
		n.span = months.whole(day)
		n.span.Known = known
	}
	n.float = f
	return n, true
}

// onWeekday finds the date without a year that falls on the weekday named before
// it: "Friday, June 16" is one of the years in which it is a Friday.
func (p *parser) onWeekday(i int, f float) (time.Time, bool) {
	wd, ok := weekdayNames[p.tok(p.skip(i, "this", "next", "last", "on")).text]
	if !ok || f.year != 0 || f.month == 0 || f.day == 0 {
		return time.Time{}, false
	}
	for k := range 4 {
		for _, t := range []time.Time{p.candidate(f, -k), p.candidate(f, k)} {
			if !t.IsZero() && t.Weekday() == wd {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// settle finds the day (the first of the month where f has no day) that f means,
// before or after the reference as the direction says, or nearest to it.
func (p *parser) settle(f float, dir int) (time.Time, bool) {
	d := max(f.day, 1)
	if f.year != 0 {
		return time.Date(f.year, f.month, d, 0, 0, 0, 0, p.ref.Location()), validDate(f.year, f.month, d)
	}
	var before, after time.Time
	for k := range 17 { // eight years hold a 29 February, sixteen months a 31st
		for _, t := range []time.Time{p.candidate(f, -k), p.candidate(f, k)} {
			if t.IsZero() {
				continue
			}
			if t.After(p.today) || f.day == 0 && t.Equal(months.begin(p.today)) && dir > 0 {
				if after.IsZero() {
					after = t
				}
			} else if before.IsZero() || t.After(before) {
				before = t
			}
		}
	}
	if f.day != 0 && before.Equal(p.today) {
		after = before
	}
	return p.choose(before, after, dir)
}

// candidate is f in the kth year, or month, from the reference's; zero where the
// calendar has no such day.
func (p *parser) candidate(f float, k int) time.Time {
	y, m, d := p.ref.Year(), f.month, max(f.day, 1)
	if m != 0 {
		y += k
	} else {
		first := addMonths(months.begin(p.today), k)
		y, m = first.Year(), first.Month()
	}
	if y < 1 || !validDate(y, m, d) {
		return time.Time{}
	}
	return time.Date(y, m, d, 0, 0, 0, 0, p.ref.Location())
}

func (p *parser) choose(before, after time.Time, dir int) (time.Time, bool) {
	switch {
	case before.IsZero():
		return after, !after.IsZero()
	case after.IsZero() || dir < 0:
		return before, true
	case dir > 0:
		return after, true
	case p.today.Sub(before) <= after.Sub(p.today):
		return before, true
	}
	return after, true
}

// monthName reads a month's name, its full stop, and whether the word alone can
// be another: "may", "march".
func (p *parser) monthName(i int) (time.Month, int) {
	t := p.tok(i)
	m, ok := monthNames[t.text]
	if !ok || t.kind != word {
		return 0, i
	}
	if len(t.text) <= 4 && p.is(i+1, ".") && p.tok(i+1).glued && p.tok(i+2).text != "" {
		return m, i + 2
	}
	return m, i + 1
}

// dayNumber reads the day of a month: "9", "9th", "ninth", "twenty one".
func (p *parser) dayNumber(i int) (int, int) {
	t := p.tok(i)
	if t.kind == number && t.digits() <= 2 && t.val >= 1 && t.val <= 31 && !p.decimal(i) {
		return t.val, i + 1
	}
	if d, end := p.ordinal(i); end > i && d <= 31 && t.kind == word {
		return d, end
	}
	if d, end := p.cardinal(i); end > i && d <= 31 {
		return d, end
	}
	return 0, i
}

// decimal reports whether the number i has a fraction or is one, or belongs to a
// clock time, a price or a share.
func (p *parser) decimal(i int) bool {
	next, after := p.tok(i+1), p.tok(i+2)
	if (p.is(i+1, ".", ":") || p.is(i+1, ",") && after.glued) && next.glued && after.kind == number && after.glued && after.digits() != 4 {
		return true
	}
	return p.is(i+1, "%", "percent", "am", "pm", "°") || p.is(i-1, "$", "€", "£", "#") && p.tok(i).glued
}

// yearNumber reads a year after a date: ", 2023", "2023", "'99", "of 2023", or in
// words. A clock time is not one.
func (p *parser) yearNumber(i int) (int, int) {
	j := p.skip(p.skip(i, ","), "of", "in")
	t := p.tok(j)
	if t.kind == number && t.digits() == 4 && t.val >= 1000 && t.val < 2200 && !t.ordinal && !p.decimal(j) {
		return t.val, j + 1
	}
	if p.is(j, "'") && p.tok(j+1).kind == number && p.tok(j+1).digits() == 2 && p.tok(j+1).glued && !p.is(j+2, "s") {
		return p.fullYear(p.tok(j + 1).val), j + 2
	}
	if t.kind == number && t.digits() == 2 && t.val > 31 && p.is(j-1, "of") && !p.decimal(j) && p.function(j+1) {
		return p.fullYear(t.val), j + 1
	}
	if y, end := p.yearWords(j); end > j && y >= 1000 {
		return y, end
	}
	return p.shiftedYear(j, i)
}

// shiftedYear reads "last year", "next year", "this year" after a date.
func (p *parser) shiftedYear(j, i int) (int, int) {
	j = p.skip(j, "the")
	if k, ok := shifts[p.tok(j).text]; ok && p.is(j+1, "year") {
		return p.ref.Year() + k, j + 2
	}
	return 0, i
}

// fullYear is the year that two digits mean: at most twenty years ahead.
func (p *parser) fullYear(y int) int {
	if y >= 100 {
		return y
	}
	y += floor(p.ref.Year(), 100)
	if y > p.ref.Year()+20 {
		y -= 100
	}
	return y
}

// weekdayPrefix skips "Monday, " before a date.
func (p *parser) weekdayPrefix(i int) int {
	j := p.skip(i, "this", "next", "last", "on")
	if _, ok := weekdayNames[p.tok(j).text]; ok && p.tok(j).kind == word {
		return p.skip(p.skip(j+1, ".", ",", "-", "("), "the")
	}
	return i
}

// monthDay reads "June 9th, 2023", "Oct. 2", "Tuesday, May 9", "Sept the tenth".
func (p *parser) monthDay(i int) (node, bool) {
	start := p.weekdayPrefix(i)
	m, j := p.monthName(start)
	if m == 0 {
		return node{}, false
	}
	j = p.skip(p.skip(j, ",", "-", "/", "."), "the")
	d, end := p.dayNumber(j)
	if _, spoken := p.ordinal(j); d == 0 || p.verbal(start, i) && spoken == j && !p.function(end) {
		return node{}, false
	}
	if u, _ := p.unit(end); u != noUnit && p.tok(j).kind == number && !p.tok(j).ordinal {
		return node{}, false // "in June 3 weeks"
	}
	end = p.closeBracket(i, p.weekdaySuffix(end))
	y, yearEnd := p.yearNumber(end)
	if y == 0 && p.tok(end).glued && p.is(end, "-", "/") {
		if t := p.tok(end + 1); t.kind == number && t.digits() == 4 {
			y, yearEnd = t.val, end+2
		}
	}
	return p.place(i, yearEnd, float{year: y, month: m, day: d})
}

func (p *parser) closeBracket(i, end int) int {
	for k := i; k < end; k++ {
		if p.is(k, "(") && p.is(end, ")") {
			return end + 1
		}
	}
	return end
}

// weekdaySuffix skips " (Tue)" after a date.
func (p *parser) weekdaySuffix(i int) int {
	if _, ok := weekdayNames[p.tok(i+1).text]; ok && p.is(i, "(") && p.is(i+2, ")") {
		return i + 3
	}
	return i
}

// dayMonth reads "9 June", "the 9th of June 2023", "the 20th of next month".
func (p *parser) dayMonth(i int) (node, bool) {
	j := p.skip(p.weekdayPrefix(i), "the")
	d, end := p.dayNumber(j)
	if d == 0 {
		return node{}, false
	}
	end = p.skip(p.skip(end, ".", "-", "/"), "of", "in")
	if m, after := p.monthName(end); m != 0 {
		if p.verbal(end, end) && !p.tok(end).capital && !p.tok(j).ordinal && !p.is(end-1, "of") {
			return node{}, false
		}
		y, yearEnd := p.yearNumber(p.skipGlued(after, "-", "/"))
		if y == 0 {
			yearEnd = after
		}
		return p.place(i, yearEnd, float{year: y, month: m, day: d})
	}
	month, ok := p.shiftedUnit(p.skip(end, "the"), months)
	if !ok || month.end == end || p.tok(j).kind == word && p.is(j, "second") {
		return node{}, false
	}
	t := month.span.From
	return p.place(i, month.end, float{year: t.Year(), month: t.Month(), day: d})
}

func (p *parser) skipGlued(i int, words ...string) int {
	if p.tok(i).glued {
		return p.skip(i, words...)
	}
	return i
}

// shiftedUnit reads "this month", "next week": a unit of that kind with a
// determiner.
func (p *parser) shiftedUnit(i int, want unit) (node, bool) {
	j := p.skip(i, "the", "this")
	k, ok := shifts[p.tok(j).text]
	if !ok && j > i && p.is(j-1, "this") {
		k, ok, j = 0, true, j-1
	}
	u, end := p.unit(j + 1)
	if !ok || u != want || p.tok(j+1).text != u.String() {
		return node{}, false
	}
	return p.wholeNode(end, u, u.add(u.begin(p.today), k)), true
}

// monthYear reads "May 2023", "2023 May", "June of last year", "June".
func (p *parser) monthYear(i int) (node, bool) {
	if t := p.tok(i); t.kind == number && t.digits() == 4 && t.val >= 1000 && t.val < 2200 && !p.decimal(i) {
		if m, end := p.monthName(p.skip(i+1, ",", "-", "/")); m != 0 && (p.tok(end-1).capital || !p.verbal(end-1, end-1)) {
			return p.place(i, end, float{year: t.val, month: m})
		}
		return node{}, false
	}
	m, end := p.monthName(i)
	if m == 0 {
		return node{}, false
	}
	if y, after := p.yearNumber(p.skipGlued(end, "-", "/", ".")); y != 0 {
		return p.place(i, after, float{year: y, month: m})
	}
	if t := p.tok(end); t.kind == number && t.digits() == 2 && t.val > 31 && !p.decimal(end) {
		return p.place(i, end+1, float{year: p.fullYear(t.val), month: m})
	}
	if p.is(end-1, ".") {
		end--
	}
	if !p.monthAlone(i) {
		return node{}, false
	}
	return p.place(i, end, float{month: m})
}

// year reads "2022", "the year 2008", "nineteen ninety nine", "'99".
func (p *parser) year(i int) (node, bool) {
	j := p.skip(i, "the")
	named := p.is(j, "year")
	if named {
		j = p.skip(p.skip(j+1, "of"), ",")
	} else {
		j = i
	}
	y, end := 0, j
	t := p.tok(j)
	switch {
	case t.kind == number && !t.ordinal && (named && t.val >= 1 && t.digits() <= 4 || t.digits() == 4 && p.yearAlone(j)):
		y, end = t.val, j+1
	case p.is(j, "'") && p.tok(j+1).kind == number && p.tok(j+1).digits() == 2 && p.tok(j+1).glued && !p.is(j+2, "s", "'") &&
		p.is(j-1, timePrepositions...):
		y, end = p.fullYear(p.tok(j+1).val), j+2
	case t.kind == word && (named || p.is(j-1, timePrepositions...)):
		y, end = p.yearWords(j)
	}
	if y == 0 || end <= j {
		return node{}, false
	}
	n := p.wholeNode(end, years, time.Date(y, 1, 1, 0, 0, 0, 0, p.ref.Location()))
	n.span.Known, n.float = daybook.Stated, float{year: y}
	return n, true
}

// decade reads "the 90s", "1990's", "the seventies", "the 21st century".
func (p *parser) decade(i int) (node, bool) {
	j := p.skip(i, "the")
	if n, end := p.ordinal(j); end > j && n > 0 && n < 22 && p.is(p.skip(end, "-"), "century") {
		from := time.Date((n-1)*100, 1, 1, 0, 0, 0, 0, p.ref.Location())
		if n == 1 {
			from = time.Date(1, 1, 2, 0, 0, 0, 0, p.ref.Location())
		}
		return node{end: p.skip(end, "-") + 1, kind: Date, span: daybook.Span{From: from, Until: time.Date(n*100, 1, 1, 0, 0, 0, 0, p.ref.Location()),
			Granularity: daybook.Decade, Known: daybook.Stated}}, true
	}
	y, end := p.decadeDigits(j)
	if end == j {
		y, end = p.decadeWord(j, j > i)
	}
	if end == j {
		return node{}, false
	}
	n := p.wholeNode(end, decades, time.Date(y, 1, 1, 0, 0, 0, 0, p.ref.Location()))
	if y >= 1000 {
		n.span.Known = daybook.Stated
	}
	return n, true
}

func (p *parser) decadeDigits(i int) (int, int) {
	j := p.skip(i, "'")
	t := p.tok(j)
	if t.kind != number || t.ordinal || t.val%10 != 0 {
		return 0, i
	}
	end := j + 1
	if p.is(end, "'") && p.tok(end).glued {
		end++
	}
	if !p.is(end, "s") || !p.tok(end).glued && t.digits() != 4 {
		return 0, i
	}
	switch {
	case t.digits() == 4 && t.val >= 1000 && t.val < 2200:
		return t.val, end + 1
	case t.digits() == 2 && !p.is(i-1, "my", "his", "her", "their", "our", "your", "low", "high"):
		return p.fullDecade(t.val), end + 1
	}
	return 0, i
}

func (p *parser) decadeWord(i int, the bool) (int, int) {
	if p.is(i, "noughties") {
		return 2000, i + 1
	}
	if d, ok := decadeWords[p.tok(i).text]; ok && (the || p.is(i-1, "in", "early", "late", "mid")) && d != 10 {
		return p.fullDecade(d), i + 1
	}
	if p.is(i, "two") && p.is(i+1, "thousands") {
		return 2000, i + 2
	}
	if end, ok := p.seq(i, "two", "thousand", "and"); ok && decadeWords[p.tok(end).text] != 0 {
		return 2000 + decadeWords[p.tok(end).text], end + 1
	}
	if c, ok := p.cardinal(i); ok > i && c >= 17 && c <= 20 {
		if d := decadeWords[p.tok(p.skip(i+1, "-")).text]; d != 0 {
			return c*100 + d, p.skip(i+1, "-") + 1
		}
	}
	return 0, i
}

// fullDecade is the latest decade of that name that has begun.
func (p *parser) fullDecade(d int) int {
	y := floor(p.ref.Year(), 100) + d
	if y > p.ref.Year() {
		y -= 100
	}
	return y
}
