package extract

import (
	"slices"
	"strings"

	"daybook"
	"daybook/english"
)

// plain reports whether a statement is one that grammar alone is sure of: "I" or
// "my …" with a verb in the present that has a name in the vocabulary, in a main
// clause that neither asks nor supposes. No judge of roles is asked about it.
func plain(s *english.Sentence, c *english.Clause, st *Statement) bool {
	const meantOtherwise = english.Question | english.Imperative | english.Conditional | english.Hypothetical | english.Reported | english.Quoted
	g := s.Group(*c)
	if c.Kind != english.Main || c.Flags.Has(meantOtherwise) || g.Tense != english.Present || st.Modality == daybook.OneOff || len(s.Tokens) > longSentence {
		return false
	}
	switch c.Who {
	case english.Speaker:
		return saidByI(s, c) && knownRelation(st.Relation)
	case english.SpeakerThing:
		return st.Unique || strings.HasPrefix(st.Relation, "favo")
	case english.Thing:
		return ofMine(s, c.Attribute) >= 0
	}
	return false
}

// saidByI reports whether the subject of a clause is "I", written or shared with the
// clause before.
func saidByI(s *english.Sentence, c *english.Clause) bool {
	isI := func(p int) bool { return s.Tokens[s.Phrases[p].Head].Norm == "i" }
	return c.Subject >= 0 && (isI(c.Subject) || slices.ContainsFunc(c.CoSubjects, isI))
}

func knownRelation(said string) bool {
	_, known := canonicalOf[strings.ToLower(said)]
	return known
}

// plainOnes are the statements that hold whatever the role of their sentence.
func plainOnes(found []Statement) []Statement {
	return slices.DeleteFunc(found, func(st Statement) bool { return !st.plain })
}
