package timex

import "daybook"

// timePrepositions are words after which a bare month or year is a time.
var timePrepositions = []string{"in", "since", "until", "till", "til", "by", "during", "before", "after", "of", "from", "between",
	"through", "throughout", "around", "about", "circa", "early", "late", "mid", "end", "this", "last", "next", "year", "and", "to", "or",
	"-", "to", "for", "over", "back", "than", "not"}

// strictPrepositions are those that stand before a time and never before a
// person: nobody is met "in June" if June is a friend.
var strictPrepositions = []string{"in", "since", "until", "till", "til", "during", "throughout", "early", "late", "mid", "this", "last",
	"next", "circa", "of", "by", "before", "after", "between"}

// functionWords may follow a complete expression of time; a noun may not ("the
// 9th floor", "2016 apples").
var functionWords = daybook.WordSet(`and or but so to at in on of for from with without by until till as than then when while because if
		that this which who where i we you he she it they my our your his her their its the a an is are was were be been am will would
		can could should shall may might must do did does has have had not no just also too again already still ever even only really
		i'm i'd i've i'll we're we've we'll we'd he'd she'd they'd they're it'd it'll that'd there through between after before about around
		during over into onto via per both all some any each every please what how why let let's thanks later earlier onwards onward
		sharp sometime gonna next last works work went came got`)

// function reports whether the text may go on at token i after a complete
// expression: with its end, a mark, or a word that is no noun.
func (p *parser) function(i int) bool {
	t := p.tok(i)
	return t.kind == mark || t.kind == word && functionWords[t.text]
}

// verbal reports whether the month at token i could as well be a verb or be cut
// off another word ("may", "march", "mar"), with nothing before it to tell.
func (p *parser) verbal(i, start int) bool {
	return p.is(i, "may", "march", "mar") && !p.tok(i).capital && start == i && !p.is(i-1, strictPrepositions...)
}

// verb reports whether the word at token i is the modal "may" or the verb "march",
// not the month: lower case, with a word after it that goes on.
func (p *parser) verb(i int) bool {
	return p.is(i, "may", "march") && !p.tok(i).capital && p.tok(i+1).kind == word && !p.is(i+1, "and", "to", "i", "we", "he", "she", "they")
}

// monthAlone reports whether a month's name without day and year is a month. The
// names that people also bear, and words such as "may", need a preposition.
func (p *parser) monthAlone(i int) bool {
	t := p.tok(i)
	if t.possessive && p.is(i, "april", "may", "june", "august", "jan") {
		return false
	}
	if p.verb(i) {
		return false
	}
	if p.is(i-1, "the") && p.is(i-2, strictPrepositions...) || p.is(i-1, "-") && p.is(i-2, "mid", "early", "late") {
		return true
	}
	switch t.text {
	case "april", "june", "august", "jan":
		return p.is(i-1, strictPrepositions...) && !p.speaks(i+1) || p.rangeWord(i) ||
			p.is(i-1, "from") && p.is(i+1, "to", "until", "till", "through", "on", "onwards")
	case "may", "march", "mar", "dec", "sep":
		if !t.capital && !p.is(i-1, "in", "since", "last", "next", "this", "by", "until", "before", "after", "between", "during") {
			return p.rangeWord(i) && p.is(i-1, "to", "-", "and", "from", "through", "until")
		}
		return p.is(i-1, strictPrepositions...) && !p.speaks(i+1) || p.rangeWord(i)
	}
	return true
}

// rangeWord reports whether the month at token i stands in a range of months.
func (p *parser) rangeWord(i int) bool {
	other := func(j int) bool { return monthNames[p.tok(j).text] != 0 }
	if p.is(i+1, "to", "-", "through", "until", "till", "and") && other(i+2) && (p.tok(i).capital || p.is(i-1, "from", "between")) {
		return true
	}
	return p.is(i-1, "to", "-", "through", "until", "till", "and") &&
		(other(i-2) || p.tok(i-2).kind == number) && (p.tok(i).capital || p.is(i-3, "from", "between"))
}

// speaks reports whether token i is a verb that only a person can be the subject
// of.
func (p *parser) speaks(i int) bool {
	return p.is(i, "said", "says", "told", "asked", "thinks", "thought", "wants", "wanted", "likes", "loves", "loved", "knows", "knew",
		"went", "came", "called", "helped", "gave", "met", "invited", "smiled", "laughed", "agreed", "suggested")
}

// yearAlone reports whether a number of four digits is a year.
func (p *parser) yearAlone(i int) bool {
	t := p.tok(i)
	if p.decimal(i) || p.tok(i+1).glued && p.tok(i+1).kind != mark || t.glued && i > 0 && !p.is(i-1, "(", "-", "\"", "'", "/", "[") {
		return false
	}
	if u, _ := p.unit(i + 1); u != noUnit && !p.tok(i+1).possessive {
		return false
	}
	if p.is(i+1, "-", "/") && p.tok(i+2).kind == number && p.tok(i+2).digits() < 4 || p.chained(i) {
		return false
	}
	if p.is(i-1, "in", "since", "of", "to", "from", "until", "between", "around") && t.val >= 1000 && t.val < 2200 && p.function(i+1) {
		return true
	}
	return t.val >= 1900 && t.val < 2100 && (p.is(i-1, timePrepositions...) || p.yearSubject(i))
}

// yearSubject reports whether a number of four digits that no preposition
// introduces is a year all the same: "2022 was hard", "(2016)", "2014-2018".
func (p *parser) yearSubject(i int) bool {
	switch {
	case i == 0 && p.tok(i+1).kind == mark && i+2 >= len(p.toks): // all that was said
		return true
	case p.is(i-1, "(") && p.is(i+1, ")"), p.is(i+1, "was", "has", "will", "had"):
		return true
	case p.is(i+1, "-", "to", "through", "or", "onwards") && p.tok(i-1).kind == mark:
		return true
	}
	return p.is(i+1, "-", "to", "through", "or", "and") && p.function(i-1) && !p.is(i-1, "at", "the", "a") &&
		(p.tok(i+2).kind == number || p.is(i+2, "later", "after", "onwards"))
}

// chained reports whether the number i follows another one with a dash, as in a
// phone number; two years in a row may.
func (p *parser) chained(i int) bool {
	if !p.is(i-1, "-", "/") || p.tok(i-2).kind != number {
		return false
	}
	return p.tok(i-2).digits() != 4 || p.is(i-3, "-", "/") && p.tok(i-3).glued || p.is(i+1, "-", "/") && p.tok(i+1).glued
}

// weekdayName reads a weekday. A short name must be told from "sat", "sun" and
// "wed" by a capital or by the word before it.
func (p *parser) weekdayName(i int) (wd int, end int) {
	t := p.tok(i)
	d, ok := weekdayNames[t.text]
	if !ok || t.kind != word {
		return 0, i
	}
	end = i + 1
	if len(t.text) <= 5 {
		if !p.shortWeekday(i) {
			return 0, i
		}
		if p.is(end, ".") && p.tok(end).glued && end+1 < len(p.toks) && !p.tok(end+1).capital {
			end++
		}
	}
	return int(d), end
}

func (p *parser) shortWeekday(i int) bool {
	t := p.tok(i)
	if next := p.tok(i + 2); p.is(i+1, "-") && next.glued && next.kind == word && weekdayNames[next.text] == 0 && monthNames[next.text] == 0 {
		return false // "sun-dried"
	}
	_, shift := shifts[p.tok(i-1).text]
	if shift || p.is(i-1, "on", "every", "each", "or", "until", "by") {
		return !p.is(i, "sun") || !p.is(i-1, "by", "or") || t.capital
	}
	if p.is(i-1, "week", "from", "to", "-") && !p.is(i, "sun", "sat", "wed") {
		return true
	}
	next := p.tok(i + 1)
	switch t.text {
	case "sat", "sun", "wed", "mon", "fri":
		return t.capital && !p.is(i-1, "the", "a", "an", "my") && (i > 0 && !p.sentenceStart(i) || next.kind != word) && !next.capital
	}
	return t.capital || p.is(i, "tues", "thurs", "thur", "weds")
}

func (p *parser) sentenceStart(i int) bool {
	return i == 0 || p.is(i-1, ".", "!", "?", ":", "\"")
}

// refused reports whether what was read is no time after all, by what stands
// around it.
func (p *parser) refused(n node) bool {
	first, before, after := p.tok(n.start), p.tok(n.start-1), p.tok(n.end)
	if first.kind == number && n.start > 0 && first.glued && (before.kind == word || p.is(n.start-1, "$", "€", "£", "#", ".", "+", "=", "_")) {
		return true
	}
	if last := p.tok(n.end - 1); last.kind == number && after.glued && p.is(n.end, "%", "°", "€", "£", "_", "=") {
		return true
	}
	if first.kind == number && first.glued && p.is(n.start-1, "-") && p.tok(n.start-1).glued && p.tok(n.start-2).kind == number {
		return true
	}
	if first.glued && n.start > 0 && p.is(n.start-1, "/", "@", "&", "_", "=") && p.tok(n.start-1).glued {
		return true
	}
	return n.kind == Length && p.idiom(n)
}

// idiom reports whether a duration is a way of speaking: "wait a second", "a
// minute!", "one day", "24 hours a day".
func (p *parser) idiom(n node) bool {
	if n.unit == quarters && p.is(n.end, "of", "to", "past") {
		return true
	}
	if n.end-n.start != 2 || !p.is(n.start, "a", "one", "any") {
		return false
	}
	return p.is(n.end-1, "second", "sec", "minute", "min", "moment", "day", "night") && !p.is(n.start-1, "for", "in", "within", "took", "takes")
}
