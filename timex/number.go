package timex

// count is a number of units in words or digits.
type count struct {
	end    int
	n      int
	half   bool // and a half
	approx bool
	vague  bool // a few, several
}

// count reads "3", "three", "a", "a few", "2.5", "one and a half".
func (p *parser) count(i int) (count, bool) {
	i = p.skip(i, "about", "around", "roughly", "approximately", "almost", "nearly", "over", "another")
	loose := i > 0 && p.is(i-1, "about", "around", "roughly", "approximately", "almost", "nearly", "over")
	c, ok := p.vague(i)
	if !ok {
		c, ok = p.exactCount(i)
	}
	if !ok && i > 0 && p.is(i-1, "another") {
		c, ok = count{end: i, n: 1}, true
	}
	c.approx = c.approx || loose
	return c, ok
}

func (p *parser) exactCount(i int) (count, bool) {
	t := p.tok(i)
	switch {
	case t.kind == number && !t.ordinal && t.val < 5000:
		if p.is(i+1, ".") && p.tok(i+1).glued && p.tok(i+2).kind == number && p.tok(i+2).glued {
			return count{end: i + 3, n: t.val, half: p.tok(i+2).text == "5", approx: p.tok(i+2).text != "5"}, true
		}
		return p.andHalf(count{end: i + 1, n: t.val}), true
	case p.is(i, "a", "an"):
		return count{end: i + 1, n: 1}, true
	}
	n, end := p.cardinal(i)
	if end == i {
		return count{}, false
	}
	return p.andHalf(count{end: end, n: n}), true
}

// andHalf reads "and a half", and "or four" of "three or four".
func (p *parser) andHalf(c count) count {
	if end, ok := p.seq(c.end, "and", "a", "half"); ok {
		c.end, c.half = end, true
	} else if end, ok := p.seq(c.end, "and", "half"); ok {
		c.end, c.half = end, true
	} else if p.is(c.end, "or", "to", "-") {
		if next, end := p.cardinal(c.end + 1); end > c.end+1 && next == c.n+1 {
			c.end, c.approx = end, true
		} else if t := p.tok(c.end + 1); t.kind == number && t.val == c.n+1 && !t.ordinal {
			c.end, c.approx = c.end+2, true
		}
	}
	return c
}

// vague reads "a few", "a couple of", "several".
func (p *parser) vague(i int) (count, bool) {
	i = p.skip(i, "a", "the")
	switch {
	case p.is(i, "few", "several", "some"):
		return count{end: i + 1, n: 3, approx: true, vague: true}, true
	case p.is(i, "couple"):
		return count{end: p.skip(i+1, "of"), n: 2, approx: true}, true
	case p.is(i, "dozen"):
		return count{end: i + 1, n: 12}, true
	}
	return count{}, false
}

// cardinal reads a number of words below 100.
func (p *parser) cardinal(i int) (n, end int) {
	t := p.tok(i)
	if v, ok := tens[t.text]; ok {
		j := p.skip(i+1, "-")
		if u, ok := smallNumbers[p.tok(j).text]; ok && u > 0 && u < 10 {
			return v + u, j + 1
		}
		return v, i + 1
	}
	if v, ok := smallNumbers[t.text]; ok && v > 0 {
		return v, i + 1
	}
	return 0, i
}

// ordinal reads "9th", "ninth", "twenty-first".
func (p *parser) ordinal(i int) (n, end int) {
	t := p.tok(i)
	if t.kind == number && t.ordinal {
		return t.val, i + 1
	}
	if v, ok := tens[t.text]; ok {
		j := p.skip(i+1, "-")
		if u, ok := ordinalWords[p.tok(j).text]; ok && u < 10 {
			return v + u, j + 1
		}
		return 0, i
	}
	if v, ok := ordinalWords[t.text]; ok {
		return v, i + 1
	}
	return 0, i
}

// yearWords reads a year in words: "nineteen ninety nine", "two thousand and
// eighteen", "twenty twenty-two", "nineteen oh five".
func (p *parser) yearWords(i int) (year, end int) {
	if v, ok := smallNumbers[p.tok(i).text]; ok && v > 0 && v < 10 && p.is(i+1, "thousand") {
		return p.thousand(v*1000, i+2)
	}
	century, j := p.cardinal(i)
	if century < 10 || century > 21 {
		return 0, i
	}
	j = p.skip(j, "-")
	if p.is(j, "hundred") {
		if v, end := p.cardinal(p.skip(j+1, "and")); end > p.skip(j+1, "and") {
			return century*100 + v, end
		}
		return century * 100, j + 1
	}
	if p.is(j, "oh", "zero", "o") {
		if v, end := p.cardinal(j + 1); end > j+1 && v < 10 {
			return century*100 + v, end
		}
	}
	if v, end := p.cardinal(j); end > j && v >= 10 {
		return century*100 + v, end
	}
	return 0, i
}

func (p *parser) thousand(year, i int) (int, int) {
	if v, ok := smallNumbers[p.tok(i).text]; ok && v > 0 && v < 10 && p.is(i+1, "hundred") {
		year, i = year+v*100, i+2
	}
	if v, end := p.cardinal(p.skip(i, "and")); end > p.skip(i, "and") {
		return year + v, end
	}
	return year, i
}

// unit reads a unit; "business days" and "working days" are workdays.
func (p *parser) unit(i int) (unit, int) {
	if p.is(i, "business", "working", "work") && p.is(i+1, "day", "days") {
		return workdays, i + 2
	}
	if p.is(i, "calendar") && p.is(i+1, "year", "month", "week") {
		i++
	}
	t := p.tok(i)
	if t.kind != word {
		return noUnit, i
	}
	u := units[t.text]
	if u == noUnit || t.text == "h" && !t.glued {
		return noUnit, i
	}
	return u, i + 1
}

// amount is a duration with what is left of the words: its coarsest and finest
// unit, and whether it is vague.
type amount struct {
	end     int
	dur     Duration
	n       int  // of the first unit
	unit    unit // the first one
	finest  unit
	approx  bool
	vague   bool // a few, several
	plain   bool // one unit, counted whole
	counted bool // began with a number, not with "a"
}

// amount reads "three years", "1 month and 21 days", "a year and a half", "half
// an hour".
func (p *parser) amount(i int) (amount, bool) {
	if d, ok := p.halfUnit(i); ok {
		return d, true
	}
	first, ok := p.countedUnit(i)
	if !ok {
		return amount{}, false
	}
	d := first
	for {
		if end, ok := p.seq(d.end, "and", "a", "half"); ok && d.plain {
			d.end, d.plain = end, false
			d.dur = d.dur.plus(halfOf(d.unit))
			return d, true
		}
		if end, ok := p.seq(d.end, "or", "two"); ok && d.n == 1 {
			d.end, d.approx = end, true
			return d, true
		}
		next, ok := p.countedUnit(p.skip(d.end, "and", ","))
		if !ok || next.unit == first.unit || !next.counted {
			return d, true
		}
		d.end, d.plain, d.approx = next.end, false, d.approx || next.approx
		d.dur = d.dur.plus(next.dur)
		d.finest = min(d.finest, next.unit)
	}
}

func (p *parser) countedUnit(i int) (amount, bool) {
	c, ok := p.count(i)
	if !ok {
		return amount{}, false
	}
	j := p.skip(c.end, "-", "more", "full", "whole", "solid")
	if !p.is(c.end-1, "a", "an", "another") {
		j = p.skip(j, "long", "short", "good", "happy")
	}
	u, end := p.unit(j)
	if u == noUnit {
		return amount{}, false
	}
	d := amount{end: end, n: c.n, unit: u, finest: u, approx: c.approx, vague: c.vague, plain: !c.half, counted: !p.is(i, "a", "an")}
	d.dur = lengthOf(u, c.n)
	if c.half {
		d.dur = d.dur.plus(halfOf(u))
	}
	return d, true
}

// halfUnit reads "half a year", "half an hour".
func (p *parser) halfUnit(i int) (amount, bool) {
	if !p.is(i, "half") || !p.is(i+1, "a", "an") {
		return amount{}, false
	}
	u, end := p.unit(i + 2)
	if u == noUnit || halfOf(u).IsZero() {
		return amount{}, false
	}
	return amount{end: end, unit: u, finest: u - 1, dur: halfOf(u), counted: true}, true
}

func lengthOf(u unit, n int) Duration {
	switch u {
	case seconds:
		return Duration{Seconds: n}
	case minutes:
		return Duration{Minutes: n}
	case hours:
		return Duration{Hours: n}
	case weeks, weekends:
		return Duration{Weeks: n}
	case fortnights:
		return Duration{Weeks: 2 * n}
	case months:
		return Duration{Months: n}
	case quarters:
		return Duration{Months: 3 * n}
	case years:
		return Duration{Years: n}
	case decades:
		return Duration{Years: 10 * n}
	case centuries:
		return Duration{Years: 100 * n}
	}
	return Duration{Days: n}
}

func halfOf(u unit) Duration {
	switch u {
	case minutes:
		return Duration{Seconds: 30}
	case hours:
		return Duration{Minutes: 30}
	case days, workdays:
		return Duration{Hours: 12}
	case weeks:
		return Duration{Days: 3}
	case months:
		return Duration{Weeks: 2}
	case years:
		return Duration{Months: 6}
	case decades:
		return Duration{Years: 5}
	case centuries:
		return Duration{Years: 50}
	}
	return Duration{}
}

func (d Duration) plus(e Duration) Duration {
	return Duration{d.Years + e.Years, d.Months + e.Months, d.Weeks + e.Weeks, d.Days + e.Days,
		d.Hours + e.Hours, d.Minutes + e.Minutes, d.Seconds + e.Seconds}
}
