package timex

import (
	"time"

	"daybook"
)

// clock is a time of day.
type clock struct {
	end         int
	h, m, s     int
	granularity daybook.Granularity
	loose       bool // written without am or pm, or a part of the day
	approx      bool
	bare        bool // a number alone: a time only after "at" and beside a day
}

// clock reads a time of day: "3pm", "10:30", "quarter past three", "noon".
func (p *parser) clock(i int) (clock, bool) {
	j := p.skip(i, "about", "around", "roughly", "approximately", "exactly")
	approx := j > i && !p.is(i, "exactly")
	c, ok := p.clockTime(j)
	if !ok {
		return clock{}, false
	}
	c.approx = c.approx || approx
	if p.is(c.end, "ish") && (p.tok(c.end).glued || p.is(c.end-1, "-")) {
		c.end, c.approx, c.bare = c.end+1, true, false
	}
	c = p.partAfter(c)
	c.end = p.skip(c.end, "sharp")
	if c.loose && c.h >= 1 && c.h <= 5 {
		c.h += 12
	}
	return c, c.h <= 24 && c.m < 60 && c.s < 60
}

func (p *parser) clockTime(i int) (clock, bool) {
	for _, r := range []func(*parser, int) (clock, bool){(*parser).namedHour, (*parser).pastHour, (*parser).digitalTime, (*parser).spokenTime} {
		if c, ok := r(p, i); ok {
			return c, true
		}
	}
	return clock{}, false
}

// namedHour reads "noon", "midnight", "12 noon".
func (p *parser) namedHour(i int) (clock, bool) {
	j := i
	if p.tok(i).kind == number && p.tok(i).val == 12 {
		j++
	}
	switch {
	case p.is(j, "noon", "midday"):
		return clock{end: j + 1, h: 12, granularity: daybook.Hour}, true
	case p.is(j, "noonish"):
		return clock{end: j + 1, h: 12, granularity: daybook.Hour, approx: true}, true
	case p.is(j, "midnight"):
		return clock{end: j + 1, h: 0, granularity: daybook.Hour}, true
	}
	return clock{}, false
}

// pastHour reads "quarter past three", "twenty to five", "half past seven".
func (p *parser) pastHour(i int) (clock, bool) {
	j := p.skip(i, "a")
	m := 0
	switch {
	case p.is(j, "quarter"):
		m, j = 15, j+1
	case p.is(j, "half"):
		m, j = 30, j+1
	default:
		n, end := p.smallNumber(i)
		if end == i {
			return clock{}, false
		}
		m, j = n, p.skip(end, "minutes", "minute", "min", "mins")
		if j == end && n%5 != 0 {
			return clock{}, false
		}
	}
	sign := 1
	switch {
	case p.is(j, "to", "before", "of", "till"):
		sign = -1
		if m != 15 && p.is(j, "of", "before", "till") || m == 30 || m != 15 && p.is(j, "to") && p.is(i-1, "from") {
			return clock{}, false
		}
	case !p.is(j, "past", "after"):
		return clock{}, false
	}
	base, ok := p.hourAfter(j + 1)
	if !ok || m >= 60 {
		return clock{}, false
	}
	if sign < 0 && m != 15 && base.bare && p.tok(i).kind == number && !p.is(j-1, "minutes", "min", "mins", "minute") {
		return clock{}, false // "5 to 6" is a range
	}
	if sign < 0 && m != 15 && p.tok(i).kind == word && !p.is(i-1, "at", "about", "around") && !p.is(j-1, "minutes", "min", "mins", "minute") {
		return clock{}, false
	}
	total := base.h*60 + sign*m
	if total < 0 {
		total += 24 * 60
	}
	base.h, base.m, base.granularity, base.bare = total/60, total%60, daybook.Minute, false
	return base, true
}

func (p *parser) hourAfter(i int) (clock, bool) {
	if c, ok := p.namedHour(i); ok {
		return c, true
	}
	h, end := p.smallNumber(i)
	if end == i || h < 1 || h > 12 || p.decimal(i) && !p.is(i+1, "am", "pm") {
		return clock{}, false
	}
	c := clock{end: end, h: h, loose: true, bare: true, granularity: daybook.Hour}
	return p.halfDay(p.oclock(c)), true
}

func (p *parser) smallNumber(i int) (int, int) {
	if t := p.tok(i); t.kind == number && !t.ordinal && t.digits() <= 2 {
		return t.val, i + 1
	}
	return p.cardinal(i)
}

// digitalTime reads 10:30, 8:00:31, 3pm, 2.30pm, 1140 a.m.
func (p *parser) digitalTime(i int) (clock, bool) {
	t := p.tok(i)
	if t.kind != number || t.ordinal || t.digits() > 4 {
		return clock{}, false
	}
	c := clock{end: i + 1, h: t.val, granularity: daybook.Hour, loose: true, bare: true}
	if two := p.tok(i + 2); p.is(i+1, ":") && p.tok(i+1).glued && two.kind == number && two.glued && two.digits() == 2 && t.digits() <= 2 && t.val < 25 {
		c = clock{end: i + 3, h: t.val, m: two.val, granularity: daybook.Minute, loose: t.digits() == 1 || t.val > 9 && t.val < 13}
		if three := p.tok(i + 4); p.is(i+3, ":") && p.tok(i+3).glued && three.kind == number && three.glued && three.digits() == 2 {
			c.end, c.s, c.granularity = i+5, three.val, daybook.Instant
		}
	} else if p.is(i+1, ".") && p.tok(i+1).glued && two.kind == number && two.glued && two.digits() == 2 && t.digits() <= 2 && two.val < 60 {
		c = clock{end: i + 3, h: t.val, m: two.val, granularity: daybook.Minute, loose: true, bare: true}
	} else if t.digits() >= 3 {
		c.h, c.m, c.granularity = t.val/100, t.val%100, daybook.Minute
		if h := p.halfDay(c); h.end == c.end || c.h > 12 || h.end == c.end+1 && !p.is(c.end, "am", "pm") {
			return clock{}, false
		}
	}
	c = p.oclock(c)
	if c.bare && p.afterNumber(c.end) {
		return clock{}, false
	}
	c = p.halfDay(c)
	return c, c.h <= 24 && c.m < 60
}

// afterNumber reports whether what follows says that a bare number counts
// something: a unit, a share, a noun, another number.
func (p *parser) afterNumber(i int) bool {
	t := p.tok(i)
	if p.is(i, "%", "/", "°", "$", "th", "percent") || t.kind == number || t.glued && p.is(i, ".", ",", "-", "'", "+") && p.tok(i+1).glued {
		if p.is(i, "-") && p.tok(i+1).kind == number {
			return false
		}
		return true
	}
	if u, _ := p.unit(i); u != noUnit {
		return true
	}
	return false
}

// spokenTime reads "seven", "eight forty", "seven thirty pm".
func (p *parser) spokenTime(i int) (clock, bool) {
	h, end := p.cardinal(i)
	if end == i || h > 12 {
		return clock{}, false
	}
	c := clock{end: end, h: h, granularity: daybook.Hour, loose: true, bare: true}
	if m, after := p.cardinal(p.skip(end, "-")); after > end && m >= 10 && m < 60 {
		c.end, c.m, c.granularity = after, m, daybook.Minute
	}
	if u, _ := p.unit(c.end); u != noUnit {
		return clock{}, false
	}
	return p.halfDay(p.oclock(c)), true
}

func (p *parser) oclock(c clock) clock {
	if p.is(c.end, "o'clock", "oclock") {
		c.end, c.bare = c.end+1, false
	} else if end, ok := p.seq(c.end, "o", "clock"); ok {
		c.end, c.bare = end, false
	}
	return c
}

// halfDay reads am and pm in the ways they are written.
func (p *parser) halfDay(c clock) clock {
	var pm bool
	var end int
	switch {
	case p.is(c.end, "am", "pm"):
		pm, end = p.is(c.end, "pm"), c.end+1
	case p.is(c.end, "a", "p") && p.is(c.end+1, ".") && p.is(c.end+2, "m"):
		pm, end = p.is(c.end, "p"), c.end+3
		if p.is(end, ".") && p.tok(end).glued == p.tok(c.end+1).glued {
			end++
		}
	case p.is(c.end, "a", "p") && p.is(c.end+1, "m"):
		pm, end = p.is(c.end, "p"), c.end+2
	case p.is(c.end, "a", "p") && p.tok(c.end).glued && p.tok(c.end-1).kind == number && p.function(c.end+1):
		pm, end = p.is(c.end, "p"), c.end+1
	default:
		return c
	}
	if c.h > 12 && !pm || c.h == 0 && pm {
		return c
	}
	c.end, c.loose, c.bare = end, false, false
	switch {
	case pm && c.h < 12:
		c.h += 12
	case !pm && c.h == 12:
		c.h = 0
	}
	return c
}

// partAfter reads "in the morning", "at night" after a clock time.
func (p *parser) partAfter(c clock) clock {
	j := c.end
	if end, ok := p.seq(j, "in", "the"); ok {
		j = end
	} else if p.is(j, "at") && p.is(j+1, "night") {
		j++
	} else {
		return c
	}
	if _, ok := partHours[p.tok(j).text]; !ok {
		return c
	}
	c.end, c.bare = j+1, false
	return c.inPart(p.tok(j).text)
}

// inPart turns the hour into the half of the day that a part of the day is in.
func (c clock) inPart(name string) clock {
	hours := partHours[name]
	if c.loose && hours[0] >= 12 && c.h < 12 && (name != "night" || c.h >= 5) {
		c.h += 12
	}
	c.loose = false
	return c
}

// on puts the clock time on a day.
func (c clock) on(day time.Time) (daybook.Span, time.Time) {
	y, m, d := day.Date()
	at := time.Date(y, m, d, c.h, c.m, c.s, 0, day.Location())
	s := daybook.Span{From: at, Until: c.granularity.End(at), Granularity: c.granularity, Known: daybook.Resolved}
	if c.granularity == daybook.Instant {
		s.Until = at.Add(time.Second)
	}
	return s, at
}
