package english

import "strings"

// correctTags repairs what a tagger trained on newspapers gets wrong in talk. The
// rules are of grammar: what may follow an auxiliary, a pronoun, a determiner.
// They run in order; later ones see what earlier ones did.
func correctTags(tokens []Token) {
	c := corrector{t: tokens, shouting: isShouting(tokens)}
	for i := range tokens {
		c.shape(i)
		c.clitic(i)
		c.closed(i)
		c.opening(i)
		c.afterAuxiliary(i)
		c.afterPronoun(i)
	}
	for i := range tokens {
		c.like(i)
		c.that(i)
		c.ambiguousName(i)
	}
	c.start()
	c.finite()
	for i := range tokens {
		c.adjective(i)
		c.askedNoun(i)
		c.inverted(i)
		c.nameVerb(i)
		c.afterTo(i)
		c.joined(i)
		c.compound(i)
		c.shade(i)
		c.month(i)
	}
}

// month: "may" and "march" between a preposition and a number are months, however they are
// written: "it's on may 8".
func (c corrector) month(i int) {
	if n := c.t[i].Norm; (n == "may" || n == "march") && i > 0 && (c.tag(i-1) == "IN" || c.tag(i-1) == "TO") && c.tag(i+1) == "CD" {
		c.t[i].Tag = "NNP"
	}
}

// corrector repairs the tags of a sentence. Its rules about single words are in
// correct_word.go, those about the verb that a clause must have in correct_finite.go,
// those about what belongs together in correct_phrase.go.
type corrector struct {
	t        []Token
	shouting bool // most letters are capitals
}

func (c corrector) tag(i int) string {
	if i < 0 || i >= len(c.t) {
		return ""
	}
	return c.t[i].Tag
}

func (c corrector) norm(i int) string {
	if i < 0 || i >= len(c.t) {
		return ""
	}
	return c.t[i].Norm
}

// back returns the nearest token before i that is no adverb or negation.
func (c corrector) back(i int) int {
	i--
	for i >= 0 && (isAdverbTag(c.t[i].Tag) || c.t[i].Norm == "n't") {
		i--
	}
	return i
}

// ahead returns the nearest token after i that is no adverb or negation.
func (c corrector) ahead(i int) int {
	i++
	for i < len(c.t) && (isAdverbTag(c.t[i].Tag) || c.t[i].Norm == "n't") {
		i++
	}
	return i
}

func isAdverbTag(tag string) bool { return tag == "RB" || tag == "RBR" || tag == "RBS" }
func isNounTag(tag string) bool   { return strings.HasPrefix(tag, "NN") }
func isVerbTag(tag string) bool   { return strings.HasPrefix(tag, "VB") }
func isAdjTag(tag string) bool    { return strings.HasPrefix(tag, "JJ") }
func isFinite(tag string) bool {
	return tag == "VBD" || tag == "VBP" || tag == "VBZ" || tag == "MD"
}
