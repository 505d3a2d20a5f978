package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// introduced is what people say of themselves in so many words when they introduce
// themselves: their name, their work and whom they work for, what they cannot bear.
// Grammar is sure of it, and a sentence may say several of these at once.
func introduced(s *english.Sentence) (all []Statement) {
	for i := range s.Clauses {
		c := &s.Clauses[i]
		g := s.Group(*c)
		switch {
		case c.Verb < 0 || c.Kind != english.Main || g.Tense == english.Past || g.Tense == english.Future || g.Modal != "":
		case calledMe(s, c):
			all = append(all, selfTold(s, c, "nickname", c.Objects[1]))
		case c.Flags.Has(meantOtherwise) || !saidByI(s, c):
		case g.Verb == "be" && !g.Progressive:
			all = append(all, selfIs(s, c)...)
		case g.Verb == "work":
			all = append(all, worksAs(s, c)...)
		}
	}
	return all
}

// meantOtherwise are clauses that state nothing.
const meantOtherwise = english.Question | english.Imperative | english.Conditional | english.Hypothetical | english.Reported | english.Quoted

// selfTold is a statement that a phrase of a clause is the value of a relation.
func selfTold(s *english.Sentence, c *english.Clause, relation string, phrase int) Statement {
	st := takes(s, c, textOf(s, s.Phrases[phrase].First, fullEnd(s, phrase)), Thing)
	if s.Phrases[phrase].Named {
		st.Type = Name
	}
	st.Relation, st.plain = relation, true
	return st
}

// calledMe reports whether a clause asks for a name: "call me Tom".
func calledMe(s *english.Sentence, c *english.Clause) bool {
	return c.Flags.Has(english.Imperative) && s.Group(*c).Verb == "call" && len(c.Objects) == 2 &&
		s.Tokens[s.Phrases[c.Objects[0]].Head].Norm == "me" && s.Phrases[c.Objects[1]].Named
}

// selfIs reads "I'm Tomas", "I'm a welder at Voith", "I'm allergic to nuts".
func selfIs(s *english.Sentence, c *english.Clause) (all []Statement) {
	if c.Adjective >= 0 && unbearable[s.Tokens[c.Adjective].Norm] {
		for _, p := range c.Preps {
			if p.Token == c.Adjective+1 && (p.Word == "to" || p.Word == "of") && !s.Phrases[p.Phrase].Pronoun {
				all = append(all, eachTold(s, c, s.Tokens[c.Adjective].Norm+" "+p.Word, p.Phrase)...)
			}
		}
	}
	if c.Attribute < 0 {
		return all
	}
	p := s.Phrases[c.Attribute]
	switch {
	case isOwnName(s, p):
		all = append(all, selfTold(s, c, "name", c.Attribute))
	case p.Human && (p.Determiner == "a" || p.Determiner == "an") && !callings[s.Tokens[p.Head].Lemma]:
		if at := employer(s, c); at >= 0 {
			all = append(all, selfTold(s, c, "work as", c.Attribute), selfTold(s, c, "work at", at))
		}
	}
	return all
}

// unbearable are adjectives for what somebody cannot bear.
var unbearable = setOf("allergic intolerant sensitive afraid scared terrified")

// callings are what people are at a place where they do not work.
var callings = setOf("fan regular member volunteer guest student pupil beginner patient customer visitor friend")

// eachTold tells of a phrase and of each that is joined to it.
func eachTold(s *english.Sentence, c *english.Clause, relation string, phrase int) []Statement {
	all := []Statement{selfTold(s, c, relation, phrase)}
	for next := phrase + 1; next < len(s.Phrases) && joinedTo(s, next-1, next) && !s.Phrases[next].Pronoun; next++ {
		all = append(all, selfTold(s, c, relation, next))
	}
	return all
}

// isOwnName reports whether a phrase is a person's name and nothing else.
func isOwnName(s *english.Sentence, p english.NounPhrase) bool {
	if !p.Named || p.Determiner+p.Owner != "" || p.Of >= 0 || p.End-p.First > 3 || p.End < len(s.Tokens) && s.Tokens[p.End].Norm == "of" {
		return false
	}
	return !slices.ContainsFunc(s.Tokens[p.First:p.End], func(t english.Token) bool {
		return !strings.HasPrefix(t.Tag, "NNP") || !startsUpper(t.Text) || !p.Human && english.IsWord(t.Norm)
	})
}

// employer is the name of whom one works at or for, by the prepositions of a clause; -1
// where there is none.
func employer(s *english.Sentence, c *english.Clause) int {
	for _, p := range c.Preps {
		if (p.Word == "at" || p.Word == "for" || p.Word == "with") && s.Phrases[p.Phrase].Named && !s.Phrases[p.Phrase].Time {
			return p.Phrase
		}
	}
	return -1
}

// worksAs reads "I work as a nurse at Voith".
func worksAs(s *english.Sentence, c *english.Clause) (all []Statement) {
	for _, p := range c.Preps {
		if p.Word == "as" && !s.Phrases[p.Phrase].Pronoun {
			all = append(all, selfTold(s, c, "work as", p.Phrase))
		}
	}
	if at := employer(s, c); at >= 0 {
		all = append(all, selfTold(s, c, "work at", at))
	}
	return all
}
