package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// Candidate is a part of a sentence that may be the value of the state it tells,
// with what its place says of that, as numbers for the fitted picker.
type Candidate struct {
	Text    string    `json:"text"`
	Signals []float32 `json:"signals"`
	value   value
	clause  *english.Clause
}

// Candidates returns the parts of a sentence that may be the value of its state, in
// order: those of grammar and, where its words are marked, the part that the marks
// point out. The order of the signals is fixed: the weights are by position. Without
// marks a candidate has the first SignalCount of them.
func Candidates(s *english.Sentence, marks []Mark) (all []Candidate) {
	e := evidenceOf(s, marks)
	seen := map[[2]int]bool{}
	add := func(first, end int, built form) {
		key := [2]int{first, end}
		if first < 0 || end > len(s.Tokens) || first >= end || seen[key] {
			return
		}
		seen[key] = true
		c := clauseAt(s, first)
		if c == nil || built == formRest && speaks(s, first, end) {
			return
		}
		v := place(s, c, first, end, built)
		all = append(all, Candidate{Text: textOf(s, first, end), Signals: append(signals(s, c, v, built), e.signals(v, built)...), value: v, clause: c})
	}
	for i := range s.Phrases {
		phraseForms(s, i, add)
	}
	for i := range s.Clauses {
		verbForms(s, &s.Clauses[i], add)
	}
	for i, t := range s.Tokens {
		if t.Norm == ":" && i+1 < len(s.Tokens) {
			add(i+1, partEnd(s, i+1), formPart)
		}
	}
	if e != nil {
		add(e.first, e.end, formMarked)
	}
	return all
}

// speaks reports whether a run of tokens holds a clause of its own or asks: such a
// run is no value.
func speaks(s *english.Sentence, first, end int) bool {
	for _, t := range s.Tokens[first:end] {
		if strings.HasPrefix(t.Tag, "W") || t.Tag == "PRP" || t.Tag == "MD" || t.Tag == "VBZ" || t.Tag == "VBP" || t.Tag == "VBD" {
			return true
		}
	}
	return false
}

// form is how a candidate was put together.
type form int

const (
	formPhrase    form = iota // a noun phrase
	formOf                    // with what "of" ties to it
	formPrep                  // with a phrase behind a preposition
	formPreps                 // with two
	formJoined                // with what "and" joins to it
	formCut                   // with the phrase right behind it
	formAdjective             // a predicate adjective
	formDoing                 // a gerund with its object
	formRest                  // what follows the verb
	formPart                  // what follows a colon
	formClock                 // with the words that lead up to a time or number
	formCount
	formMarked // what the marks of the words point out, where grammar has no such part
)

// phraseForms adds a noun phrase, alone and with what may belong to it.
func phraseForms(s *english.Sentence, i int, add func(first, end int, built form)) {
	p := s.Phrases[i]
	if p.Pronoun || s.Vocative(i) || p.Time && deicticTime(s, p) || yields(s, p.First) {
		return
	}
	add(p.First, p.End, formPhrase)
	end := fullEnd(s, i)
	if end < len(s.Tokens) && s.Tokens[end].Tag == "POS" { // "at Hannigan's"
		add(p.First, end+1, formCut)
	}
	if first := clockFirst(s, p.First); first < p.First {
		add(first, end, formClock)
	}
	add(p.First, end, formOf)
	if next := phraseFrom(s, end); next >= 0 {
		add(p.First, fullEnd(s, next), formCut)
	}
	if end < len(s.Tokens) && joiner(s.Tokens[end].Norm) {
		if next := phraseFrom(s, end+1); next >= 0 {
			add(p.First, fullEnd(s, next), formJoined)
		}
	}
	for _, built := range []form{formPrep, formPreps} {
		if end >= len(s.Tokens) || !tiesTo(s.Tokens[end]) {
			return
		}
		next := phraseFrom(s, end+1)
		if next < 0 {
			return
		}
		end = fullEnd(s, next)
		add(p.First, end, built)
	}
}

// deicticTime reports whether a time is told from the time of speaking: "these days",
// "last week".
func deicticTime(s *english.Sentence, p english.NounPhrase) bool {
	switch s.Tokens[p.First].Norm {
	case "this", "these", "that", "those", "last", "next", "today", "tonight", "tomorrow", "yesterday":
		return true
	}
	return false
}

// clockFirst is where a time or a number begins whose first words are no part of its
// phrase: "half past seven", "twice a week", "+1.5".
func clockFirst(s *english.Sentence, first int) int {
	if first == 0 {
		return first
	}
	switch s.Tokens[first-1].Norm {
	case "+", "once", "twice", "thrice", "every":
		return first - 1
	case "past", "to":
		from := first - 2
		if from >= 0 && (s.Tokens[from].Norm == "half" || s.Tokens[from].Norm == "quarter" || s.Tokens[from].Tag == "CD") {
			if from > 0 && s.Tokens[from-1].Norm == "a" {
				from--
			}
			return from
		}
	}
	return first
}

// verbForms adds what a verb says of its subject without a noun phrase.
func verbForms(s *english.Sentence, c *english.Clause, add func(first, end int, built form)) {
	if c.Verb < 0 {
		return
	}
	g := s.Group(*c)
	if c.Adjective >= 0 {
		v := adjectiveValue(s, c)
		add(v.first, v.end, formAdjective)
	}
	if g.Form == english.Gerund || g.Progressive {
		add(g.Main, doingEnd(s, c), formDoing)
	}
	if g.Main >= 0 {
		end := g.Main + 1
		for end < len(s.Tokens) && predicates(s.Tokens[end]) {
			end++
		}
		add(g.Main+1, end, formRest)
	}
}

// partEnd is where a part ends that begins at a token: before the next mark.
func partEnd(s *english.Sentence, from int) int {
	for i := from; i < len(s.Tokens); i++ {
		if isMark(s.Tokens[i].Norm) || s.Tokens[i].Tag == "CC" && s.Tokens[i].Norm == "but" {
			return i
		}
	}
	return len(s.Tokens)
}

// tiesTo reports whether a word can tie a phrase to the one before it.
func tiesTo(t english.Token) bool {
	return t.Tag == "IN" || t.Tag == "TO" || t.Norm == "called" || t.Norm == "named" || t.Norm == "plus" || t.Norm == "past"
}

// clauseAt is the clause that a token belongs to: the one whose verb is nearest
// before it, or the first that begins at or before it.
func clauseAt(s *english.Sentence, token int) *english.Clause {
	var at *english.Clause
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.First <= token && token < c.End && (at == nil || c.First >= at.First) {
			at = c
		}
	}
	if at == nil && len(s.Clauses) > 0 {
		at = &s.Clauses[0]
	}
	return at
}

// place describes a candidate as a value of its clause.
func place(s *english.Sentence, c *english.Clause, first, end int, built form) value {
	v := value{first: first, end: end, typ: typeOf(s, first, end, built)}
	phrase := phraseFrom(s, first)
	if phrase >= 0 {
		v.subject = phrase == c.Subject && !c.Implicit
		for _, p := range c.Preps {
			if p.Phrase == phrase {
				v.prep = p.Word
			}
		}
	}
	return v
}

func typeOf(s *english.Sentence, first, end int, built form) Type {
	v := value{first: first, end: end}
	text := textOf(s, first, end)
	if built == formClock {
		return When
	}
	timed := slices.ContainsFunc(s.Phrases, func(p english.NounPhrase) bool { return p.First == first && p.Time })
	switch {
	case built == formAdjective:
		return Quality
	case built == formDoing:
		return Activity
	case hasMoney(text):
		return Money
	case timed:
		return When
	case hasDigit(text) || startsWithNumber(s, v):
		return Number
	case hasName(s, v):
		return Name
	case built == formRest:
		return Quality
	}
	return Thing
}
