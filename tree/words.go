package tree

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"

	"daybook"
)

// functionWords say how words of meaning hang together, and carry none: articles,
// prepositions, pronouns, auxiliaries.
var functionWords = daybook.WordSet(`a an the this that these those some any all every each both no not
	of to in on at by for from with without into onto over under about as than then so if or and but nor
	is are was were be been being am do does did has have had having will would shall should can could may might must
	i me my mine myself you your yours he him his she her hers it its we us our ours they them their theirs
	either neither both who whom whose which what when where why how there here`)

// words splits text into lower-case words; an apostrophe is part of a word.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

func stem(word string) string {
	word = strings.TrimSuffix(strings.Trim(word, "'"), "'s")
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// stems are the stems of a text's words of meaning, or of all its words when
// it has none.
func stems(text string) (out []string) {
	all := words(text)
	for _, w := range all {
		if !functionWords[w] {
			out = append(out, stem(w))
		}
	}
	if len(out) == 0 {
		for _, w := range all {
			out = append(out, stem(w))
		}
	}
	return out
}

// overlap is the share of the wanted stems that a text has.
func overlap(want []string, text string) float64 {
	if len(want) == 0 {
		return 0
	}
	have := map[string]bool{}
	for _, s := range stems(text) {
		have[s] = true
	}
	found := 0
	for _, s := range want {
		if have[s] {
			found++
		}
	}
	return float64(found) / float64(len(want))
}
