package timex

import (
	"time"

	"daybook"
)

// holidays are days that English speakers name, by the words of the name. Those
// that states set otherwise are as in the United States.
var holidays = []struct {
	words []string
	day   func(year int, loc *time.Location) time.Time
}{
	{[]string{"christmas", "eve"}, fixed(12, 24)},
	{[]string{"xmas", "eve"}, fixed(12, 24)},
	{[]string{"christmas", "day"}, fixed(12, 25)},
	{[]string{"christmas"}, fixed(12, 25)},
	{[]string{"xmas"}, fixed(12, 25)},
	{[]string{"boxing", "day"}, fixed(12, 26)},
	{[]string{"new", "year", "eve"}, fixed(12, 31)},
	{[]string{"new", "years", "eve"}, fixed(12, 31)},
	{[]string{"nye"}, fixed(12, 31)},
	{[]string{"new", "year", "day"}, fixed(1, 1)},
	{[]string{"new", "years", "day"}, fixed(1, 1)},
	{[]string{"new", "year"}, fixed(1, 1)},
	{[]string{"new", "years"}, fixed(1, 1)},
	{[]string{"valentine", "day"}, fixed(2, 14)},
	{[]string{"valentines", "day"}, fixed(2, 14)},
	{[]string{"valentine"}, fixed(2, 14)},
	{[]string{"st", "patrick", "day"}, fixed(3, 17)},
	{[]string{"april", "fool", "day"}, fixed(4, 1)},
	{[]string{"april", "fools"}, fixed(4, 1)},
	{[]string{"earth", "day"}, fixed(4, 22)},
	{[]string{"may", "day"}, fixed(5, 1)},
	{[]string{"cinco", "de", "mayo"}, fixed(5, 5)},
	{[]string{"juneteenth"}, fixed(6, 19)},
	{[]string{"independence", "day"}, fixed(7, 4)},
	{[]string{"halloween"}, fixed(10, 31)},
	{[]string{"guy", "fawkes", "night"}, fixed(11, 5)},
	{[]string{"veterans", "day"}, fixed(11, 11)},
	{[]string{"thanksgiving", "day"}, nthIn(11, time.Thursday, 4)},
	{[]string{"thanksgiving"}, nthIn(11, time.Thursday, 4)},
	{[]string{"black", "friday"}, after(nthIn(11, time.Thursday, 4), 1)},
	{[]string{"cyber", "monday"}, after(nthIn(11, time.Thursday, 4), 4)},
	{[]string{"labor", "day"}, nthIn(9, time.Monday, 1)},
	{[]string{"labour", "day"}, nthIn(9, time.Monday, 1)},
	{[]string{"memorial", "day"}, nthIn(5, time.Monday, -1)},
	{[]string{"columbus", "day"}, nthIn(10, time.Monday, 2)},
	{[]string{"martin", "luther", "king", "day"}, nthIn(1, time.Monday, 3)},
	{[]string{"mlk", "day"}, nthIn(1, time.Monday, 3)},
	{[]string{"presidents", "day"}, nthIn(2, time.Monday, 3)},
	{[]string{"mother", "day"}, nthIn(5, time.Sunday, 2)},
	{[]string{"mothers", "day"}, nthIn(5, time.Sunday, 2)},
	{[]string{"father", "day"}, nthIn(6, time.Sunday, 3)},
	{[]string{"fathers", "day"}, nthIn(6, time.Sunday, 3)},
	{[]string{"easter", "sunday"}, easter},
	{[]string{"easter", "monday"}, after(easter, 1)},
	{[]string{"easter"}, easter},
	{[]string{"good", "friday"}, after(easter, -2)},
	{[]string{"ash", "wednesday"}, after(easter, -46)},
	{[]string{"palm", "sunday"}, after(easter, -7)},
}

func fixed(m time.Month, d int) func(int, *time.Location) time.Time {
	return func(y int, loc *time.Location) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, loc) }
}

func nthIn(m time.Month, wd time.Weekday, n int) func(int, *time.Location) time.Time {
	return func(y int, loc *time.Location) time.Time {
		return nthWeekday(months.whole(time.Date(y, m, 1, 0, 0, 0, 0, loc)), wd, n)
	}
}

func after(f func(int, *time.Location) time.Time, days int) func(int, *time.Location) time.Time {
	return func(y int, loc *time.Location) time.Time { return f(y, loc).AddDate(0, 0, days) }
}

// holiday reads "Christmas", "last Thanksgiving", "Easter 2018", "the Fourth of
// July" is a day of a month.
func (p *parser) holiday(i int) (node, bool) {
	j, k, shifted := p.skip(i, "the"), 0, false
	if s, ok := shifts[p.tok(j).text]; ok && p.tok(j+1).kind == word {
		j, k, shifted = j+1, s, true
	}
	day, end := p.holidayName(j)
	if day == nil {
		return node{}, false
	}
	loc := p.ref.Location()
	weekend := p.skip(end, "weekend")
	if y, after := p.yearNumber(weekend); y != 0 {
		if weekend > end || p.is(after, "weekend") {
			return p.longWeekend(p.skip(after, "weekend"), day(y, loc)), true
		}
		return p.dayNode(after, day(y, loc), daybook.Stated), true
	}
	y := p.ref.Year()
	before, next := day(y, loc), day(y, loc)
	for !before.Before(p.today) {
		y--
		before = day(y, loc)
	}
	for y = p.ref.Year(); next.Before(p.today); {
		y++
		next = day(y, loc)
	}
	switch {
	case shifted && k < 0:
		return p.dayNode(end, before, daybook.Resolved), true
	case shifted && k > 0:
		return p.dayNode(end, next, daybook.Resolved), true
	case shifted:
		return p.dayNode(end, day(p.ref.Year(), loc), daybook.Resolved), true
	}
	chosen, _ := p.choose(before, next, p.direction(i, end))
	if p.is(end, "weekend") {
		return p.longWeekend(end+1, chosen), true
	}
	return p.dayNode(end, chosen, daybook.Resolved), true
}

// named reads the words of a name; an apostrophe after one is skipped.
func (p *parser) named(i int, words []string) (int, bool) {
	for k, w := range words {
		if p.tok(i).text != w && (w != "st" || !p.is(i, "saint")) {
			return i, false
		}
		i++
		if k < len(words)-1 {
			i = p.skip(i, "'")
		}
	}
	return i, true
}

// longWeekend is the weekend nearest to a holiday, with the holiday.
func (p *parser) longWeekend(end int, day time.Time) node {
	sat := saturday(day)
	if wd := day.Weekday(); wd == time.Monday || wd == time.Tuesday {
		sat = sat.AddDate(0, 0, -7)
	}
	n := p.wholeNode(end, weekends, sat)
	if day.Before(sat) {
		n.span.From = day
	}
	if last := day.AddDate(0, 0, 1); last.After(n.span.Until) {
		n.span.Until = last
	}
	return n
}

func (p *parser) holidayName(i int) (func(int, *time.Location) time.Time, int) {
	if p.tok(i).kind != word {
		return nil, i
	}
	for _, h := range holidays {
		end, ok := p.named(i, h.words)
		if !ok {
			continue
		}
		if p.is(i, "new") && len(h.words) == 2 && (!p.tok(end-1).possessive && p.is(end-1, "year") && !p.tok(end-1).capital && !p.is(i-1, "before", "after", "on", "until") || !p.function(end)) {
			continue // "a new year"
		}
		if p.is(i, "valentine", "may") && !p.tok(i).capital && !p.is(i, "valentine") || p.is(i, "valentine") && len(h.words) == 1 && !p.tok(i).possessive {
			continue
		}
		if len(h.words) == 1 && p.tok(end).kind == word && !p.function(end) && p.is(i, "christmas", "xmas", "easter", "halloween", "thanksgiving") && !p.is(i-1, "on", "at", "last", "next", "this", "for", "by", "before", "after", "since", "until") {
			continue // "a Christmas tree"
		}
		return h.day, end
	}
	return nil, i
}
