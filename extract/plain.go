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
	g := s.Group(*c)
	tense := g.Tense == english.Present || g.Tense == english.Past && lasting[nameOf(st.Relation)]
	if c.Kind != english.Main && c.Kind != english.Adverbial && !remarked(s, c) || c.Flags.Has(meantOtherwise) || !tense || st.Modality == daybook.OneOff || len(s.Tokens) > longSentence {
		return false
	}
	switch c.Who {
	case english.Speaker:
		return (saidByI(s, c) || weToo(s, c, st)) && knownRelation(st.Relation) && !(g.Progressive && !g.Perfect && arranged[g.Verb])
	case english.SpeakerThing:
		return st.Unique || strings.HasPrefix(st.Relation, "favo")
	case english.Thing:
		return ofMine(s, c.Attribute) >= 0
	}
	return false
}

// remarked reports whether a clause without a subordinator goes on after a remark:
// "that's cool we have a cat".
func remarked(s *english.Sentence, c *english.Clause) bool {
	if c.Kind != english.Complement || c.Subordinator != "" || c.Parent < 0 {
		return false
	}
	p := &s.Clauses[c.Parent]
	return s.Group(*p).Verb == "be" && p.Adjective >= 0 && (p.Who == english.Thing || p.Who == english.Nobody)
}

// arranged are verbs whose progressive may tell of what is to come: "I'm going to Rome".
var arranged = setOf("go come start begin leave move visit fly travel have get meet join")

// weToo reports whether "we" are the speaker's own and not people at large: in what is
// liked, where one lives, and of a thing that is had.
func weToo(s *english.Sentence, c *english.Clause, st *Statement) bool {
	if c.Subject < 0 || s.Tokens[s.Phrases[c.Subject].Head].Norm != "we" || proposes(s, c, value{}) {
		return false
	}
	switch nameOf(st.Relation) {
	case "likes", "dislikes", "lives_in":
		return true
	case "has":
		first, _, _ := strings.Cut(strings.ToLower(st.Object), " ")
		return first == "a" || first == "an" || st.Type == Number
	}
	return false
}

// saidByI reports whether the subject of a clause is "I", written or shared with the
// clause before.
func saidByI(s *english.Sentence, c *english.Clause) bool {
	isI := func(p int) bool { return s.Tokens[s.Phrases[p].Head].Norm == "i" }
	return c.Subject >= 0 && (isI(c.Subject) || slices.ContainsFunc(c.CoSubjects, isI))
}

// lasting are relations of which the past tells what is so now.
var lasting = setOf("moved_to from married_to birthday")

// nameOf is the vocabulary's name for a relation; empty where it has none.
func nameOf(said string) string { return canonicalOf[strings.ToLower(said)].name }

func knownRelation(said string) bool { return nameOf(said) != "" }

// plainOnes are the statements that hold whatever the role of their sentence.
func plainOnes(found []Statement) []Statement {
	return slices.DeleteFunc(found, func(st Statement) bool { return !st.plain })
}
