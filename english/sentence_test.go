package english

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestLongSentencesAreCut holds that a run without an end is cut into parts that are
// short enough, lose nothing but white space and break no letter.
func TestLongSentencesAreCut(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("word ", 5000), strings.Repeat("word, ", 5000), strings.Repeat("x", 9000), strings.Repeat("é", 5000),
		"Short. " + strings.Repeat("a b; ", 2000) + " End.",
	} {
		var joined strings.Builder
		for _, s := range Sentences(text) {
			if len(s.Of(text)) > maxSentence || !utf8.ValidString(s.Of(text)) {
				t.Errorf("a part of %d bytes: %.20q", len(s.Of(text)), s.Of(text))
			}
			joined.WriteString(s.Of(text))
		}
		if bare(joined.String()) != bare(text) {
			t.Errorf("%.20q… lost something", text)
		}
	}
}

func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
