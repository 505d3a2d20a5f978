package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// liked are what a verb of liking has for its object: things, doings or both ("I like
// hiking and animals"). Where a thing comes first, an infinitive behind it says what for.
func liked(s *english.Sentence, c *english.Clause) []value {
	things, done := objects(s, c), doings(s, c)
	switch {
	case len(done) == 0 && len(things) == 0:
		return likedQuality(s, c)
	case len(done) == 0 || len(things) > 0 && things[0].first == s.Group(*c).End && things[0].end < done[0].first:
		return things
	}
	return append(done, joinedThings(s, c, done[len(done)-1])...)
}

// likedQuality reads an adjective that stands for a thing: "I love purple".
func likedQuality(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	if c.Adjective != g.End || c.Adjective+1 < len(s.Tokens) && strings.HasPrefix(s.Tokens[c.Adjective+1].Tag, "NN") || moody(s.Tokens[c.Adjective].Norm) {
		return nil
	}
	return []value{{first: c.Adjective, end: c.Adjective + 1, typ: Thing, score: strong, said: g.Lemma}}
}

// qualityOf reads an adjective that stands for a thing behind a verb of the
// vocabulary: "I speak French and Spanish", "I eat vegan".
func qualityOf(s *english.Sentence, c *english.Clause) (all []value) {
	if g := s.Group(*c); len(c.Objects) > 0 || !knownRelation(g.Lemma) || isLinking(s, c) {
		return nil
	}
	all = likedQuality(s, c)
	for len(all) > 0 {
		next := all[len(all)-1].end + 1
		if next >= len(s.Tokens) || !joiner(s.Tokens[next-1].Norm) || s.Tokens[next].Tag != "JJ" {
			break
		}
		all = append(all, value{first: next, end: next + 1, typ: Thing, score: strong, said: s.Group(*c).Lemma})
	}
	return all
}

// joinedThings are things that "and" or a comma joins to what somebody likes to do,
// where that is a single word: what is joined to more may belong to its last part.
func joinedThings(s *english.Sentence, c *english.Clause, done value) (all []value) {
	if done.end > done.first+1 {
		return nil
	}
	end := done.end
	for i, p := range s.Phrases {
		if p.First != end+1 || end >= len(s.Tokens) || !joiner(s.Tokens[end].Norm) && s.Tokens[end].Norm != "," {
			continue
		}
		if v, ok := oneValue(s, i); ok && !deictic(s, i) && !yours(s, i) && !empty(s, i) && !subjectHere(s, i) {
			v.said = s.Group(*c).Lemma
			all, end = append(all, v), v.end
		}
	}
	return all
}

// subjectHere reports whether a phrase is the subject of a clause.
func subjectHere(s *english.Sentence, phrase int) bool {
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return c.Subject == phrase && !c.Implicit })
}
