package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// sound reports whether a part of a sentence that was picked as the value of its
// state can be one by grammar. What it guards against is the talk in which a value
// is picked although the sentence states nothing of the speaker: parts of a larger
// phrase, what hangs on another value, what a thing does to somebody.
func sound(s *english.Sentence, c *english.Clause, v value, relation string) bool {
	if v.first > 0 && s.Tokens[v.first-1].Norm == ":" {
		return true // it is all that the words before the colon lead up to
	}
	for _, unsound := range []func(*english.Sentence, *english.Clause, value) bool{broken, partOfPhrase, possessed, secondArgument, apart, datesOnly, inAside, strangeSubject, proposes} {
		if unsound(s, c, v) {
			return false
		}
	}
	return soundRelation(s, c, v, relation)
}

// soft reports whether a value is of a kind that any talk is full of: a common
// noun, a quality, something done.
func (v value) soft() bool { return soft(v.typ) }

func soft(t Type) bool { return t == Thing || t == Quality || t == Activity }

// broken: it begins or ends in a mark, or in a noun that says nothing by itself.
func broken(s *english.Sentence, _ *english.Clause, v value) bool {
	marks := func(t english.Token) bool {
		return isDash(t) || strings.ContainsAny(t.Norm, "'\"“”‘’,;") && len(t.Norm) <= len("”")
	}
	return marks(s.Tokens[v.first]) || marks(s.Tokens[v.end-1]) || v.end == v.first+1 && s.Tokens[v.first].Norm == "part"
}

// partOfPhrase: "Lord" of "a fan of Lord of the Rings", "books" of "a lot of books".
func partOfPhrase(s *english.Sentence, _ *english.Clause, v value) bool {
	phrase := phraseFrom(s, v.first)
	return phrase > 0 && v.typ != Money && slices.ContainsFunc(s.Phrases, func(p english.NounPhrase) bool { return p.Of == phrase })
}

// possessed: what is the speaker's names a state, and is not the value of one:
// "help my team".
func possessed(s *english.Sentence, _ *english.Clause, v value) bool {
	if v.first > 0 && isFirstPerson(s.Tokens[v.first-1].Norm) && !hasName(s, v) {
		return true
	}
	if v.first > 1 && joiner(s.Tokens[v.first-1].Norm) && slices.ContainsFunc(s.Phrases, func(p english.NounPhrase) bool { return p.End == v.first-1 && isFirstPerson(p.Owner) && !p.Named }) {
		return v.soft() // "my passion and escape"
	}
	phrase := phraseFrom(s, v.first)
	return phrase >= 0 && isFirstPerson(s.Phrases[phrase].Owner) && !hasName(s, v)
}

// secondArgument: what a preposition ties to a verb that has an object of its own is
// not what the clause tells: "make this cake with raspberries", "reading Dune by
// Frank Herbert". It is where the object is the speaker's ("wash my hair with"), and
// after verbs of change.
func secondArgument(s *english.Sentence, c *english.Clause, v value) bool {
	if v.prep == "" || changeVerbs[s.Group(*c).Verb] {
		return false
	}
	return slices.ContainsFunc(c.Objects, func(o int) bool {
		p := s.Phrases[o]
		if !v.soft() && v.prep != "by" && !deictic(s, o) {
			return false
		}
		return p.End <= v.first && !p.Pronoun && !p.Time && !isFirstPerson(p.Owner)
	})
}

// apart: a dash cuts it off from its verb, or it stands between marks before the
// verb and says again what the subject is.
func apart(s *english.Sentence, c *english.Clause, v value) bool {
	g := s.Group(*c)
	if c.Verb < 0 || v.subject {
		return false
	}
	if v.first < g.First && v.prep == "" && v.soft() {
		return true
	}
	if v.first < g.First {
		return v.prep == "" && v.first > 0 && v.end < len(s.Tokens) && s.Tokens[v.end].Tag != "," && strings.ContainsAny(s.Tokens[v.first-1].Norm, ",'\"“‘")
	}
	return slices.ContainsFunc(s.Tokens[min(g.End, v.first):v.first], func(t english.Token) bool { return isDash(t) })
}

func isDash(t english.Token) bool {
	return t.Norm == "-" || t.Norm == "–" || t.Norm == "—" || t.Norm == "--"
}

// datesOnly: it says when something was, counted from the time of speaking: "last
// Fri", "three years" before "ago".
func datesOnly(s *english.Sentence, _ *english.Clause, v value) bool {
	if v.end < len(s.Tokens) && s.Tokens[v.end].Norm == "ago" {
		return true
	}
	if ordinal := s.Tokens[v.end-1].Norm; v.prep == "on" && hasDigit(ordinal) && strings.HasSuffix(ordinal, "th") {
		return true
	}
	switch s.Tokens[v.first].Norm {
	case "last", "next", "all", "yesterday", "today", "tonight", "tomorrow":
		return v.typ == When || v.typ == Name
	}
	return false
}

// inAside: it stands in a clause that says which, when or why, or in a part of one
// that has no tense.
func inAside(s *english.Sentence, c *english.Clause, v value) bool {
	switch c.Kind {
	case english.Adverbial:
		return c.Subordinator != "so" && v.soft()
	case english.Relative:
		return v.soft()
	case english.Reduced:
		if verb := s.Group(*c).Verb; verb == "name" || verb == "call" {
			return false // "a cat named Bailey"
		}
		return (v.soft() || !changes(s) && ownThing(s, v.first) == "") && !states(s, c)
	}
	return false
}

// strangeSubject: a thing that is not the speaker's, or a doing, is the subject, and
// what is said of it is no name, number or time.
func strangeSubject(s *english.Sentence, c *english.Clause, v value) bool {
	if c.Verb < 0 || !v.soft() || v.subject {
		return false
	}
	switch c.Who {
	case english.Thing, english.Nobody:
		if c.Subject >= 0 && s.Phrases[c.Subject].Pronoun {
			return !(changes(s) && s.Group(*c).Verb == "be") && (v.typ == Quality || ownThing(s, v.first) == "")
		}
		return !ownBefore(s, c)
	case english.SpeakerThing, english.PersonThing, english.Person:
		return doingFirst(s, c)
	}
	return false
}

// ownBefore reports whether the subject of a clause is tied to the speaker by words
// before the verb, and does not only point: "the pots outside my window are".
func ownBefore(s *english.Sentence, c *english.Clause) bool {
	if c.Subject >= 0 && (deictic(s, c.Subject) || s.Phrases[c.Subject].Pronoun && ownThing(s, s.Phrases[c.Subject].First) == "") || doingFirst(s, c) {
		return false
	}
	return slices.ContainsFunc(s.Tokens[:s.Group(*c).First], func(t english.Token) bool {
		return t.Norm == "my" || t.Norm == "our" || t.Norm == "i" || t.Norm == "we"
	})
}

// doingFirst reports whether a sentence begins with a gerund that the verb of a
// clause says something of: "Making my customers happy is key".
func doingFirst(s *english.Sentence, c *english.Clause) bool {
	if len(s.Groups) == 0 || s.Groups[0].Form != english.Gerund || s.Groups[0].First > 0 {
		return false
	}
	end := s.Group(*c).First
	return end > 0 && !slices.ContainsFunc(s.Tokens[:end], func(t english.Token) bool { return t.Tag == "," || t.Tag == ":" || isDash(t) })
}

// proposes: what "we" should, could or can do is not done: "we should fight for more
// money", "together we can build a better world".
func proposes(s *english.Sentence, c *english.Clause, _ value) bool {
	if c.Subject < 0 || s.Tokens[s.Phrases[c.Subject].Head].Norm != "we" {
		return false
	}
	for p := c; ; p = &s.Clauses[p.Parent] {
		modal := s.Group(*p).Modal
		if modal == "can" && s.Group(*p).Tense == english.Past {
			modal = "" // "we were able to"
		}
		switch modal {
		case "should", "could", "can", "must", "might", "may", "have to":
			return true
		}
		if p.Parent < 0 {
			return false
		}
	}
}

// soundRelation reports whether a value stands to its clause as the relation says.
func soundRelation(s *english.Sentence, c *english.Clause, v value, relation string) bool {
	g := s.Group(*c)
	switch {
	case v.subject:
		return v.typ == When || v.first > g.Main || ofMine(s, c.Attribute) >= 0 || (g.Verb != "be" || c.Attribute >= 0) && !moving[g.Verb] && s.Phrases[c.Subject].Named && tiedToSpeaker(s, c)
	case moving[g.Verb] && c.Who != english.Speaker && v.soft():
		return false // "Tilly brings me so much joy"
	case c.Verb >= 0 && (relation == "is" || relation == "") && (v.soft() || v.typ == Number):
		return v.first >= g.End && (being[g.Verb] || v.typ == Quality && v.first == g.End && !linkingOnly[g.Verb])
	case g.Verb == "be" && v.prep != "" && v.first > g.Main && (v.soft() || v.typ == Name && v.prep == "with"):
		return firstPrep(c, g.Main) == v.first-1 && !(v.soft() && followedBy(s, v, "IN"))
	}
	return true
}

// linkingOnly are verbs that say of a quality how it seems or comes about.
var linkingOnly = setOf("feel seem look sound get taste smell appear")

// tiedToSpeaker reports whether what a clause says of its subject is something of the
// speaker's: "Benedict leads my project", "… took over as my landlord", "… runs the
// project I'm on".
func tiedToSpeaker(s *english.Sentence, c *english.Clause) bool {
	mine := func(phrase int) bool { return isFirstPerson(s.Phrases[phrase].Owner) }
	return slices.ContainsFunc(c.Objects, mine) || speakerRelative(s, c) || slices.ContainsFunc(c.Preps, func(p english.Prep) bool { return mine(p.Phrase) })
}

// followedBy reports whether a token of a tag comes right behind a value.
func followedBy(s *english.Sentence, v value, tag string) bool {
	return v.end < len(s.Tokens) && s.Tokens[v.end].Tag == tag
}

// firstPrep is the first preposition of a clause behind a token, -1 where there is
// none.
func firstPrep(c *english.Clause, after int) int {
	for _, p := range c.Preps {
		if p.Token > after {
			return p.Token
		}
	}
	return -1
}

// passes reports whether a value only says when something was, or of what that is
// not named: "last week", "I enjoy it after work".
func passes(s *english.Sentence, c *english.Clause, v value) bool {
	switch v.typ {
	case Thing:
		return ofUnnamed(s, c)
	case Number:
		return v.prep == "for" && v.end == v.first+1 && !hasDigit(s.Tokens[v.first].Norm)
	}
	if !endsInTime(s, v.end) || hasMoney(textOf(s, v.first, v.end)) || recurs(s, v) && s.Group(*c).Tense != english.Past {
		return false
	}
	for i := v.first; i < v.end; i++ {
		switch s.Tokens[i].Norm {
		case "last", "next", "this", "ago", "yesterday", "today", "tonight", "tomorrow", "past", "previous":
			return true
		}
	}
	g := s.Group(*c)
	once := g.Tense == english.Past && !changeVerbs[g.Verb] && s.Tokens[v.end-1].Tag != "NNPS"
	return c.Who == english.Speaker && (once || g.Verb == "be" && v.prep == "")
}

// adrift reports whether a clause speaks of what the sentence does not name: its
// subject is a pronoun, nothing of the speaker's comes before it, and it has none.
func adrift(s *english.Sentence, c *english.Clause) bool {
	if c.Subject < 0 || !s.Phrases[c.Subject].Pronoun {
		return false
	}
	switch s.Tokens[s.Phrases[c.Subject].Head].Norm {
	case "it", "this", "that", "they", "these", "those":
	default:
		return false
	}
	for i := range min(c.End, len(s.Tokens)) {
		if n := s.Tokens[i].Norm; n == "my" || n == "our" || n == "me" && i > c.First {
			return moving[s.Group(*c).Verb] && i > c.First
		}
	}
	return topic(s, c.First) == "" && !(changes(s) && firstPerson(s))
}

// aims reports whether a clause says what something is for: "… to make room".
func aims(s *english.Sentence, c *english.Clause) bool {
	if c.Kind != english.Reduced || s.Group(*c).Form != english.Infinitive {
		return false
	}
	p := governor(s, c)
	return p == nil || !catenative[s.Group(*p).Verb]
}
