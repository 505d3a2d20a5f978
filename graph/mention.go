package graph

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mentions reports whether any text of the operation has the name as words of
// its own. A lower-case word does not count for a name of one word that is
// written with a capital, so that forgetting Will keeps what people will do.
func (b body) mentions(name string) bool {
	return slices.ContainsFunc(b.texts(), func(text string) bool { return mentionsName(text, name) })
}

// texts returns everything in an operation that people wrote.
func (b body) texts() []string {
	switch {
	case b.Observe != nil:
		texts := []string{b.Observe.Text, b.Observe.Speaker, b.Observe.Session, b.Observe.SourceID}
		if len(b.Observe.Metadata) > 0 {
			if data, err := json.Marshal(b.Observe.Metadata); err == nil { // it was read from JSON
				texts = append(texts, string(data))
			}
		}
		return texts
	case b.Enrich != nil:
		return []string{b.Enrich.Text}
	case b.Entity != nil:
		return []string{b.Entity.Name}
	case b.Event != nil:
		return []string{b.Event.Text, b.Event.Why, b.Event.Session}
	case b.Fact != nil:
		return append([]string{b.Fact.Object, b.Fact.Context.Why, b.Fact.Context.Sentiment, b.Fact.Session}, b.Fact.Context.Alternatives...)
	case b.Relate != nil:
		return []string{b.Relate.Why}
	case b.Merge != nil:
		return []string{b.Merge.Why}
	case b.Split != nil:
		return []string{b.Split.Why}
	case b.Tree != nil:
		return b.Tree.Texts()
	case b.Retract != nil:
		return []string{b.Retract.Why}
	}
	return []string{b.Message}
}

func mentionsName(text, name string) bool {
	name = plain(name)
	for rest := plain(text); ; {
		i := indexFold(rest, name)
		if i < 0 {
			return false
		}
		found := rest[i : i+len(name)]
		first, _ := utf8.DecodeRuneInString(found)
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		after, _ := utf8.DecodeRuneInString(rest[i+len(name):])
		if !isWord(before) && !isWord(after) && (found == name || unicode.IsUpper(first) || strings.Contains(name, " ")) {
			return true
		}
		_, size := utf8.DecodeRuneInString(found)
		rest = rest[i+size:]
	}
}

// plain brings text to the form in which daybook.Fold compares names, with its
// case kept: composed characters, single spaces.
func plain(text string) string {
	return strings.Join(strings.Fields(norm.NFKC.String(text)), " ")
}

// isWord reports whether a name that stands next to r is only part of a word.
// Scripts without spaces put names beside other words.
func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// indexFold finds name in text without regard to case.
func indexFold(text, name string) int {
	for i := 0; i+len(name) <= len(text); i++ {
		if utf8.RuneStart(text[i]) && strings.EqualFold(text[i:i+len(name)], name) {
			return i
		}
	}
	return -1
}
