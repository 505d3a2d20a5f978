package extract

import (
	"slices"

	"daybook/english"
)

// places are what a preposition ties to a clause without an object: the one that
// tells most, and those joined to it.
func places(s *english.Sentence, c *english.Clause) (all []value) {
	v, ok := bestValue(s, c)
	if objects := before(s, c); len(objects) > 0 && !slices.ContainsFunc(objects, func(o int) bool { return isFirstPerson(s.Phrases[o].Owner) }) {
		return nil // what something unnamed was done with
	}
	if at := beAt(s, c); at != nil {
		return at
	}
	if firstUnnamed(s, c) {
		return nil
	}
	if !ok || v.prep == "" || v.prep == "than" || v.prep == "like" || s.Group(*c).Verb == "be" && !beside[v.prep] {
		return nil
	}
	for _, p := range c.Preps {
		if w, ok := oneValue(s, p.Phrase); ok && p.Word == v.prep && !dashed(s, s.Group(*c).End, p.Token) && p.Token > s.Group(*c).Main && !deictic(s, p.Phrase) && !yours(s, p.Phrase) && !empty(s, p.Phrase) && w.typ == v.typ {
			if w.typ == When && s.Phrases[p.Phrase].Time {
				continue // when it was is the event's time
			}
			w.prep = p.Word
			if c.Who != english.SpeakerThing && c.Who != english.PersonThing && !isLinking(s, c) && len(before(s, c)) == 0 {
				w.said = verbOf(s.Group(*c)) + " " + p.Word
			}
			all = append(all, w)
		}
	}
	return all
}

// firstUnnamed reports whether what a verb takes first is not named: "rely on them for
// strength", "stumbled upon this book from 1900".
func firstUnnamed(s *english.Sentence, c *english.Clause) bool {
	at := firstPrep(c, s.Group(*c).Main)
	return slices.ContainsFunc(c.Preps, func(p english.Prep) bool {
		return p.Token == at && at == s.Group(*c).End && (s.Phrases[p.Phrase].Pronoun || deictic(s, p.Phrase))
	})
}

// dashed reports whether a dash stands between two tokens.
func dashed(s *english.Sentence, from, to int) bool {
	return from < to && slices.ContainsFunc(s.Tokens[from:to], isDash)
}

// beAt reads where somebody is, right behind "be": "I'm in the army".
func beAt(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	if g.Verb != "be" || g.Tense != english.Present || c.Attribute >= 0 || c.Adjective >= 0 && c.Adjective < g.End+1 || len(c.Preps) == 0 {
		return nil
	}
	p := c.Preps[0]
	w, ok := oneValue(s, p.Phrase)
	if !ok || p.Word != "in" && p.Word != "from" || p.Token < g.End || deictic(s, p.Phrase) || yours(s, p.Phrase) || empty(s, p.Phrase) || lightNouns[s.Head(p.Phrase)] || w.typ == When {
		return nil
	}
	w.prep = p.Word
	return []value{w}
}

// verbOf names a verb as a relation: "be draw" where something is done to the
// subject.
func verbOf(g english.VerbGroup) string {
	if g.Passive {
		return "be " + g.Lemma
	}
	return g.Lemma
}

// beside are the prepositions that tell where or of what somebody is.
var beside = setOf("in at from on with of into under near behind outside inside between over against")
