package extract

import (
	"strings"
	"unicode"

	"daybook/english"
)

// Terms returns what a text speaks of: its names as written, and its nouns in
// dictionary form, each as often as it occurs. Times and words that stand for
// anything are left out.
func Terms(text string) (terms []string) {
	for _, span := range english.Sentences(text) {
		s := english.Sentence{Text: span.Of(text), Tokens: english.Tokens(span.Of(text))}
		english.Tag(s.Tokens)
		named := make([]bool, len(s.Tokens))
		for _, n := range s.Names() {
			if n.First == 0 && n.End == 1 && n.Kind == english.OtherName {
				continue // perhaps only the first word of a sentence
			}
			for i := n.First; i < n.End; i++ {
				named[i] = true
			}
			terms = append(terms, n.Text)
		}
		for i, t := range s.Tokens {
			if !named[i] && (t.Tag == "NN" || t.Tag == "NNS") && telling(t.Lemma) {
				terms = append(terms, t.Lemma)
			}
		}
	}
	return terms
}

// telling reports whether a noun can tell one conversation from another.
func telling(lemma string) bool {
	if len(lemma) < 3 || vague[lemma] || commonNouns[lemma] || !unicode.IsLetter(rune(lemma[0])) {
		return false
	}
	return !strings.ContainsAny(lemma, "'’/@.") && !strings.HasSuffix(lemma, "selve")
}

// commonNouns are nouns that any conversation has: times, and what people say to
// each other whatever they speak of.
var commonNouns = setOf(`second minute hour week weekend month year morning afternoon evening night today tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter
	guy hey yeah wow thanks thank hug luck pic photo picture image chat talk word question answer reason idea part side end start number name place area lot ton bunch couple hand mind heart life world man woman person kid friend`)
