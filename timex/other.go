package timex

import (
	"time"

	"daybook"
)

// length reads a duration: "three years", "all day", "an hour and a half".
func (p *parser) length(i int) (node, bool) {
	if u, end := p.unit(i + 1); p.is(i, "all", "whole") && u >= days && u <= years && p.tok(i+1).text == u.String() {
		return node{end: end, kind: Length, dur: lengthOf(u, 1), unit: u}, true
	}
	d, ok := p.amount(i)
	if !ok || d.unit == weekends && p.is(i, "a") || p.is(i, "some") && p.is(i+1, d.unit.String()) || p.is(i+1, "night") {
		return node{}, false
	}
	j := p.skip(d.end, "-")
	if p.is(j, "old", "older", "younger") {
		return node{}, false // an age
	}
	if p.is(i, "a", "an") && d.plain && p.rate(i) || p.tok(i-1).text == "." && p.tok(i).glued {
		return node{}, false
	}
	return node{end: d.end, kind: Length, dur: d.dur, unit: d.unit, approx: d.approx}, true
}

// rate reports whether "a month" at token i is "per month", or stands before a
// unit that is only part of a name.
func (p *parser) rate(i int) bool {
	return p.tok(i-1).kind == number || p.is(i-1, "times", "twice", "once", "time", "what", "such", "have", "quite", "thousand", "grand",
		"dollars", "bucks", "k", "hours", "days", "weeks", "months", "percent", "%")
}

var adverbs = map[string]unit{
	"daily": days, "weekly": weeks, "monthly": months, "yearly": years, "annually": years, "nightly": days, "everyday": days,
	"quarterly": quarters, "biweekly": weeks, "hourly": hours, "fortnightly": fortnights,
}

// frequency reads "every Tuesday", "twice a week", "daily", "on weekends".
func (p *parser) frequency(i int) (node, bool) {
	n := node{kind: Frequency}
	if u, ok := adverbs[p.tok(i).text]; ok && p.tok(i).kind == word {
		n.end, n.unit = i+1, u
		return n, true
	}
	if _, ok := weekdayPlurals[p.tok(i).text]; ok {
		n.end, n.unit = i+1, weeks
		return n, true
	}
	if p.is(i, "weekends", "weekdays", "weeknights") {
		n.end, n.unit = i+1, weeks
		return n, true
	}
	if u, end := p.times(i); end > i {
		n.end, n.unit = end, u
		return n, true
	}
	u, end := p.every(i)
	if end == i {
		return node{}, false
	}
	n.unit = u
	if c, ok := p.clock(p.skip(end, "at", "around")); ok && (!c.bare || p.is(end, "at")) {
		end = c.end
	}
	n.end = end
	return n, true
}

// times reads "once a week", "three times a month".
func (p *parser) times(i int) (unit, int) {
	end := i
	if p.is(i, "once", "twice", "thrice") {
		end = i + 1
	} else if c, ok := p.count(i); ok && p.is(c.end, "times", "time") {
		end = c.end + 1
	}
	if end == i || !p.is(end, "a", "an", "per", "each", "every") {
		return noUnit, i
	}
	u, after := p.unit(end + 1)
	if u == noUnit {
		return noUnit, i
	}
	return u, after
}

// every reads "every day", "each Monday", "every other week", "every two years".
func (p *parser) every(i int) (unit, int) {
	if !p.is(i, "every", "each") {
		return noUnit, i
	}
	j := p.skip(i+1, "single", "other", "second", "few", "couple")
	j = p.skip(j, "of")
	if _, end := p.smallNumber(j); end > j {
		j = end
	}
	if u, end := p.unit(j); u != noUnit && !p.is(j, "second", "night") {
		return u, end
	}
	if _, ok := weekdayPlurals[p.tok(j).text+"s"]; ok {
		end := j + 1
		if _, part := partHours[p.tok(end).text]; part {
			end++
		}
		return weeks, end
	}
	t := p.tok(j).text
	switch {
	case partHours[t] != [2]int{}:
		return days, j + 1
	case monthNames[t] != 0 || seasonStart[t] != 0:
		return years, j + 1
	case weekdayNames[t] != 0 || t == "sun":
		return weeks, j + 1
	}
	if day, end := p.holidayName(j); day != nil {
		return years, end
	}
	return noUnit, i
}

var events = []string{"birthday", "anniversary", "wedding", "graduation", "honeymoon", "childhood"}

// unresolved reads words that mean a time which the text alone does not give:
// "when I was ten", "my birthday last year", "the day we met", "recently".
func (p *parser) unresolved(i int) (node, bool) {
	return longest(p, i, []rule{(*parser).whenYoung, (*parser).ownEvent, (*parser).clauseTime, (*parser).beforeEvent, (*parser).vagueAdverb, (*parser).ageYears})
}

// whenYoung reads "when I was ten", "when we were kids", "as a child", "at the age
// of six".
func (p *parser) whenYoung(i int) (node, bool) {
	n := node{kind: Date, unresolved: true, approx: true}
	if end, ok := p.seq(i, "as", "a"); ok && p.is(end, "kid", "child", "teenager", "teen", "boy", "girl", "baby", "toddler") {
		n.end = end + 1
		return n, true
	}
	if end, ok := p.seq(i, "at", "the", "age", "of"); ok {
		if _, after := p.smallNumber(end); after > end {
			n.end = after
			return n, true
		}
	}
	if !p.is(i, "when") || !p.is(i+1, "i", "we", "he", "she", "they", "you") || !p.is(i+2, "was", "were") {
		return node{}, false
	}
	j := p.skip(p.skip(i+3, "about", "around", "only", "just", "still"), "a", "an")
	_, end := p.smallNumber(j)
	switch {
	case end > j:
		if after, ok := p.seq(end, "years", "old"); ok {
			end = after
		}
		n.end = end
	case p.is(j, "kid", "kids", "child", "children", "teen", "teenager", "young", "younger", "little", "boy", "girl", "student"):
		n.end = j + 1
	case p.is(j, "in") && p.is(j+1, "college", "school", "university", "kindergarten"):
		n.end = j + 2
	case p.is(j, "in") && p.is(j+2, "school"):
		n.end = j + 3
	}
	return n, n.end > i
}

// ageYears reads "in my twenties", "in her early 30s".
func (p *parser) ageYears(i int) (node, bool) {
	if !p.is(i, "in") || !p.is(i+1, "my", "his", "her", "their", "our", "your") {
		return node{}, false
	}
	j := p.skip(p.skip(i+2, "early", "late", "mid"), "-")
	n := node{kind: Date, unresolved: true, approx: true}
	switch t := p.tok(j); {
	case decadeWords[t.text] != 0 || p.is(j, "teens", "childhood", "youth"):
		n.end = j + 1
	case t.kind == number && t.digits() == 2 && p.is(j+1, "s"):
		n.end = j + 2
	}
	return n, n.end > i
}

// ownEvent reads "my birthday last year", "our wedding in 2019"; the span is what
// the words beside it give.
func (p *parser) ownEvent(i int) (node, bool) {
	if !p.is(i, "my", "our", "his", "her", "their", "your") && !p.tok(i).possessive {
		return node{}, false
	}
	j := i + 1
	if _, end := p.ordinal(j); end > j {
		j = end
	}
	if !p.is(j, events...) || !p.is(i-1, "on", "for", "since", "at", "during", "before", "after", "until", "by") && !p.yearFollows(j+1) {
		return node{}, false
	}
	n := node{end: p.skip(j+1, "day", "party"), kind: Date, unresolved: true}
	if when, ok := p.date(p.skip(n.end, "in")); ok && when.open == closed && when.kind == Date {
		n.end, n.span = when.end, when.span
		n.unresolved = when.span.Granularity != daybook.Day
	}
	return n, true
}

func (p *parser) yearFollows(i int) bool {
	n, ok := p.date(p.skip(i, "in"))
	return ok && n.span.Granularity == daybook.Year
}

// clauseTime reads "the day we met", "the summer I moved": a unit that a clause
// tells.
func (p *parser) clauseTime(i int) (node, bool) {
	if !p.is(i, "the") || !p.unitOrSeason(i+1) || p.is(i-1, "over", "during") {
		return node{}, false
	}
	j := p.skip(i+2, "that", "when")
	if !p.is(j, "we", "i", "he", "she", "they", "you") || p.tok(j+1).kind != word || p.cue(j+1) >= 0 && !p.is(j+1, "first", "finally") {
		return node{}, false
	}
	end := j + 2
	if p.is(j+1, "was", "were", "first", "finally", "got", "had") && p.tok(end).kind == word {
		end++
	}
	return node{end: end, kind: Date, unresolved: true}, true
}

func (p *parser) unitOrSeason(i int) bool {
	u, _ := p.unit(i)
	t := p.tok(i).text
	return u >= days && u <= years && (t == u.String() || t == "night") || u == weekends || seasonStart[t] != 0 || t == "morning" || t == "evening"
}

// beforeEvent reads "the summer before college", "the day after the wedding".
func (p *parser) beforeEvent(i int) (node, bool) {
	if !p.is(i, "the") || !p.unitOrSeason(i+1) || !p.is(i+2, "before", "after", "of") {
		return node{}, false
	}
	j := p.skip(i+3, "the", "my", "our", "his", "her", "their")
	if p.tok(j).kind != word || functionWords[p.tok(j).text] || p.is(i+2, "of") && !p.is(j, events...) {
		return node{}, false
	}
	if _, dated := p.date(j); dated {
		return node{}, false
	}
	return node{end: j + 1, kind: Date, unresolved: true}, true
}

// vagueAdverb reads "recently", "a while ago", "soon", "these days".
func (p *parser) vagueAdverb(i int) (node, bool) {
	n := node{kind: Date, unresolved: true, approx: true, end: i + 1}
	recent := daybook.Span{From: p.today.AddDate(0, 0, -30), Until: p.ref.Add(time.Minute), Granularity: daybook.Day, Known: daybook.Resolved}
	switch {
	case p.is(i, "recently"):
		n.span = recent
		n.span.Until = p.ref
	case p.is(i, "lately", "nowadays"):
		n.span = recent
	case p.is(i, "these") && p.is(i+1, "days"):
		n.span, n.end = recent, i+2
	case p.is(i, "someday"):
		n.span, n.open = daybook.Span{From: p.ref, Granularity: daybook.Day, Known: daybook.Resolved}, noEnd
	case p.is(i, "soon") && !p.is(i-1, "as", "too") && !p.is(i+1, "as"):
		n.span, n.open = daybook.Span{From: p.ref, Granularity: daybook.Day, Known: daybook.Resolved}, noEnd
	default:
		j := p.skip(i, "a", "quite")
		j = p.skip(p.skip(p.skip(p.skip(j, "not"), "so", "too", "that"), "a"), "long", "little")
		if p.is(j, "ago") && p.is(j-1, "long") && j > i {
			n.span, n.open, n.end = daybook.Span{Until: p.today, Granularity: daybook.Day, Known: daybook.Resolved}, noStart, j+1
			return n, true
		}
		if p.is(j, "while", "time") && p.is(j+1, "ago", "back") && j > i {
			n.span, n.open, n.end = daybook.Span{Until: p.today, Granularity: daybook.Day, Known: daybook.Resolved}, noStart, j+2
			return n, true
		}
		return node{}, false
	}
	return n, true
}
