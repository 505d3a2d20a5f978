package extract

import (
	"slices"
	"strings"
	"unicode"

	"daybook"
	"daybook/english"
)

// Type sorts values by their form, so that like is compared with like.
type Type string

// Types of values.
const (
	Name     Type = "name"     // The Copper Kettle, Lorenzo
	Number   Type = "number"   // 150 minutes, C7
	Money    Type = "money"    // $950
	When     Type = "when"     // Tuesdays at dawn, 6:30
	Thing    Type = "thing"    // a latex mattress
	Activity Type = "activity" // selling candles
	Quality  Type = "quality"  // vegan, copper red
)

// value is the part of a clause that tells what holds: tokens [first, end) of the
// sentence.
type value struct {
	first, end int
	typ        Type
	score      float64 // how much it tells
	prep       string  // the preposition before it
	subject    bool    // it is the subject: "Benedict leads my project"
	said       string  // the relation, where it is not to be read off the clause
	mine       bool    // it is the speaker's, whoever the subject is
}

// What a value must tell to make a fact: less where the clause says what holds now
// for the speaker.
const (
	strong  = 1.0
	present = 0.75
)

// bestValue picks the argument of a clause that tells most. Names, numbers and
// times tell more than things, and what is the speaker's own ("my rent") names the
// state and is not its value.
func bestValue(s *english.Sentence, c *english.Clause) (value, bool) {
	var best value
	found := false
	for _, v := range arguments(s, c) {
		if !found || v.score > best.score {
			best, found = v, true
		}
	}
	needed := strong
	if own := c.Who == english.Speaker || c.Who == english.SpeakerThing; own && s.Group(*c).Tense == english.Present {
		needed = present
	}
	return best, found && best.score >= needed
}

// arguments are those of a clause that may be its value.
func arguments(s *english.Sentence, c *english.Clause) (all []value) {
	add := func(phrase int, bonus float64, prep string) {
		if n := len(all); n > 0 && s.Phrases[phrase].First < all[n-1].end && s.Phrases[phrase].First > all[n-1].first {
			return // "Tuesdays and Saturdays": it was taken in
		}
		if v, ok := phraseValue(s, phrase); ok {
			v.score += bonus
			v.prep = prep
			all = append(all, v)
		}
	}
	if c.Attribute >= 0 {
		add(c.Attribute, 1, "")
	}
	if c.Adjective >= 0 {
		all = append(all, adjectiveValue(s, c))
	}
	for _, o := range c.Objects {
		add(o, 0.3, "")
	}
	for _, t := range c.Times {
		add(t, -0.6, "")
	}
	for _, p := range c.Preps {
		if p.Word == "of" {
			continue
		}
		bonus := -0.2
		switch {
		case p.Word == "as" && p.Token == firstPrep(c, s.Group(*c).Main): // "I work as a nurse"
			bonus = 0.2
		case s.Phrases[p.Phrase].Time: // "by ferry in the mornings"
			bonus = -0.7
		}
		add(p.Phrase, bonus, p.Word)
	}
	if gerund, ok := gerundValue(s, c); ok {
		all = append(all, gerund)
	}
	if c.Subject >= 0 && s.Phrases[c.Subject].Named && mentionsSpeaker(s, c) {
		if v, ok := phraseValue(s, c.Subject); ok {
			v.subject = true
			v.typ, v.score = Name, 3
			all = append(all, v)
		}
	}
	return all
}

// predicates reports whether a token may belong to what a verb says of its subject.
func predicates(t english.Token) bool {
	switch {
	case t.Norm == "now", isMark(t.Norm), t.Tag == "CC", t.Tag == "PRP", t.Tag == "TO":
		return false
	case t.Tag == "IN":
		return t.Norm == "of"
	}
	return true
}

// phraseValue weighs a noun phrase as a value, with a second one that "and" joins
// to it.
func phraseValue(s *english.Sentence, phrase int) (value, bool) { return weigh(s, phrase, true) }

// oneValue weighs a noun phrase by itself.
func oneValue(s *english.Sentence, phrase int) (value, bool) { return weigh(s, phrase, false) }

func weigh(s *english.Sentence, phrase int, both bool) (value, bool) {
	p := s.Phrases[phrase]
	if p.Pronoun || yields(s, p.First) || p.First > 0 && s.Tokens[p.First-1].Tag == "POS" { // cut off from its owner
		return value{}, false
	}
	v := value{first: p.First, end: p.End, typ: Thing, score: 1}
	if isFirstPerson(p.Owner) && !p.Named {
		for v.first < v.end && !strings.HasPrefix(s.Tokens[v.first].Tag, "NNP") { // "my place Fridays"
			v.first++
		}
		if v.first == v.end {
			return value{}, false
		}
	}
	v.end = max(v.end, fullEnd(s, phrase))
	v = widen(s, v, both)
	switch text := textOf(s, v.first, v.end); {
	case hasMoney(text):
		v.typ, v.score = Money, 3
	case p.Time && recurs(s, v):
		v.typ, v.score = When, 2.2
	case p.Time:
		v.typ, v.score = When, 1.4
	case hasDigit(text) || startsWithNumber(s, v):
		v.typ, v.score = Number, 2.6
	case hasName(s, v):
		v.typ, v.score = Name, 3
	case vague[s.Tokens[p.Head].Lemma]:
		v.score = 0.2
	case p.Determiner == "the" || p.Determiner == "that" || p.Determiner == "this":
		v.score = 0.8
	}
	return v, true
}

// recurs reports whether a time comes back: it names a day of the week.
func recurs(s *english.Sentence, v value) bool {
	for i := v.first; i < v.end; i++ {
		if t := s.Tokens[i]; strings.HasSuffix(strings.TrimSuffix(t.Norm, "s"), "day") && strings.HasPrefix(t.Tag, "NNP") {
			return true
		}
	}
	return false
}

// vague nouns stand for something that was said elsewhere.
var vague = setOf("thing one something anything nothing everything lot bit way kind sort time today stuff it case point fact moment day people someone anyone everyone somebody anybody everybody nobody other others ya")

// adjectiveValue is a predicate adjective with the words that belong to it:
// "I'm vegan", "my hair is copper red".
func adjectiveValue(s *english.Sentence, c *english.Clause) value {
	first := c.Adjective
	for first > 0 && strings.HasPrefix(s.Tokens[first-1].Tag, "JJ") {
		first--
	}
	end := c.Adjective + 1
	for end < len(s.Tokens) && strings.HasPrefix(s.Tokens[end].Tag, "JJ") { // "super thrilled"
		end++
	}
	v := value{first: first, end: end, typ: Quality, score: 0.9}
	if c.Who == english.SpeakerThing {
		v.score = 1.5 // a quality of something of one's own
	}
	return v
}

// gerundValue reads "my side hustle is selling candles": what looks like a
// progressive verb is what the thing is.
func gerundValue(s *english.Sentence, c *english.Clause) (value, bool) {
	g := s.Group(*c)
	if c.Who != english.SpeakerThing || !g.Progressive || s.Phrases[c.Subject].Human || g.Main < 0 {
		return value{}, false
	}
	v := value{first: g.Main, end: g.Main + 1, typ: Activity, score: 1.2}
	if len(c.Objects) > 0 && s.Phrases[c.Objects[0]].First == v.end {
		v.end = s.Phrases[c.Objects[0]].End
		v.score = 2
	}
	return v, true
}

// widen takes in what stands beside a value and belongs to it: the rest of a
// phrase that was cut in two, a second of two joined by "and", the hour of a day.
func widen(s *english.Sentence, v value, both bool) value {
	for _, p := range s.Phrases {
		joined := both && p.First == v.end+1 && v.end < len(s.Tokens) && (s.Tokens[v.end].Norm == "and" || s.Tokens[v.end].Norm == "or" || s.Tokens[v.end].Norm == "&") && sameForm(s, v, p)
		cut := p.First == v.end && (!p.Time || s.Tokens[v.end-1].Tag == "CD") // a phrase cut in two, or "$900 a month"
		hour := p.First == v.end+1 && p.Time && v.end < len(s.Tokens) && s.Tokens[v.end].Tag == "IN" && endsInTime(s, v.end)
		if !p.Pronoun && (cut || joined || hour) && p.End > v.end {
			v.end = p.End
		}
	}
	return v
}

// endsInTime reports whether the phrase that ends before a token names a time.
func endsInTime(s *english.Sentence, end int) bool {
	return slices.ContainsFunc(s.Phrases, func(p english.NounPhrase) bool { return p.End == end && p.Time })
}

// sameForm reports whether a phrase looks like a second value beside the first.
func sameForm(s *english.Sentence, v value, p english.NounPhrase) bool {
	return p.Owner == "" && s.Tokens[v.end-1].Tag == s.Tokens[p.End-1].Tag
}

func textOf(s *english.Sentence, first, end int) string {
	if first >= end {
		return ""
	}
	base := s.Start
	return s.Text[s.Tokens[first].Start-base : s.Tokens[end-1].End-base]
}

func hasMoney(text string) bool { return strings.ContainsAny(text, "$€£¥") }

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

func startsWithNumber(s *english.Sentence, v value) bool { return s.Tokens[v.first].Tag == "CD" }

// hasName reports whether the value holds a proper noun.
func hasName(s *english.Sentence, v value) bool {
	for i := v.first; i < v.end; i++ {
		if strings.HasPrefix(s.Tokens[i].Tag, "NNP") {
			return true
		}
	}
	return false
}

func setOf(words string) map[string]bool { return daybook.WordSet(words) }

// yields reports whether what begins at a token is what something else takes the place
// of: "instead of Acme", "rather than Acme", "in place of Acme".
func yields(s *english.Sentence, first int) bool {
	if first < 2 {
		return false
	}
	switch a, b := s.Tokens[first-2].Norm, s.Tokens[first-1].Norm; b {
	case "of":
		return a == "instead" || a == "place" && first > 2 && s.Tokens[first-3].Norm == "in"
	case "than":
		return a == "rather"
	}
	return false
}
