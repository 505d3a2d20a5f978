package english

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"daybook"
)

// Span is a part of a text, in bytes: [Start, End).
type Span struct{ Start, End int }

// Of returns the part of text that the span covers.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// Sentences splits a text. The spans are in order, do not overlap, hold no
// surrounding white space, and leave out only white space. A line break ends a
// sentence, as in chat; a full stop does unless it belongs to an abbreviation,
// an initial, a number or an address. What goes on for more than maxSentence bytes
// without an end is cut at white space, so that reading takes time in proportion to
// the length of a text, whatever it is.
func Sentences(text string) []Span {
	var spans []Span
	start := 0
	for i := 0; i < len(text); {
		end := sentenceEnd(text, start, i)
		if end < 0 {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		spans = appendTrimmed(spans, text, start, end)
		start, i = end, end
	}
	return appendTrimmed(spans, text, start, len(text))
}

func appendTrimmed(spans []Span, text string, start, end int) []Span {
	part := text[start:end]
	start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	part = strings.TrimSpace(part)
	for len(part) > maxSentence {
		cut := cutAt(part)
		spans = appendTrimmed(spans, text, start, start+cut)
		rest := strings.TrimLeftFunc(part[cut:], unicode.IsSpace)
		start += len(part) - len(rest)
		part = rest
	}
	if part == "" {
		return spans
	}
	return append(spans, Span{start, start + len(part)})
}

// maxSentence is the most bytes that are read as one sentence.
const maxSentence = 800

// cutAt is where a run that is too long for a sentence is cut: behind the last mark of
// its first maxSentence bytes that a space follows, at their last white space, or
// between two letters where there is none.
func cutAt(part string) int {
	head := part[:maxSentence]
	for _, mark := range []string{"; ", ", "} {
		if i := strings.LastIndex(head, mark); i > maxSentence/2 {
			return i + 1
		}
	}
	if i := strings.LastIndexFunc(head, unicode.IsSpace); i > 0 {
		return i
	}
	cut := maxSentence
	for cut > 1 && !utf8.RuneStart(part[cut]) {
		cut--
	}
	return cut
}

// sentenceEnd returns where the sentence that began at start ends, if a mark at i
// ends it; -1 if none does.
func sentenceEnd(text string, start, i int) int {
	switch c := text[i]; {
	case c == '\n':
		return i + 1
	case c == '!' || c == '?' || c == '.' || strings.HasPrefix(text[i:], "…"):
		return markEnd(text, start, i)
	case c >= utf8.RuneSelf:
		return emojiEnd(text, i)
	}
	return -1
}

// markEnd decides about a full stop, exclamation mark, question mark or ellipsis.
func markEnd(text string, start, i int) int {
	end := i
	for end < len(text) && (strings.IndexByte(".!?", text[end]) >= 0 || strings.HasPrefix(text[end:], "…")) {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	mark := text[i:end]
	closed := end + closersLen(text[end:])
	if closed == len(text) {
		return closed
	}
	next, _ := utf8.DecodeRuneInString(text[closed:])
	if !unicode.IsSpace(next) && !isEmoji(next) {
		return -1
	}
	after := firstRune(text[closed:])
	switch {
	case unicode.IsLower(after) && (closed > end || isEllipsis(mark)):
		return -1
	case mark == "." && isAbbreviation(lastWord(text[start:i]), after):
		return -1
	}
	return closed + emojiLen(text[closed:])
}

func isEllipsis(mark string) bool {
	return strings.Contains(mark, "..") || strings.Contains(mark, "…")
}

// closersLen measures the quotes and brackets that close right after a mark.
func closersLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !strings.ContainsRune(`"'”’)]*`, r) {
			break
		}
		n += size
	}
	return n
}

// emojiLen measures the emoji that follow a mark, spaces before them included.
func emojiLen(s string) int {
	n, end := 0, 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r != ' ' && !isEmoji(r) {
			break
		}
		n += size
		if r != ' ' {
			end = n
		}
	}
	return end
}

// emojiEnd ends a sentence after a run of emoji that a capital letter follows.
func emojiEnd(text string, i int) int {
	r, _ := utf8.DecodeRuneInString(text[i:])
	if !isEmoji(r) {
		return -1
	}
	end := i + emojiLen(text[i:])
	if end < len(text) && text[end] == ' ' && unicode.IsUpper(firstRune(text[end:])) {
		return end
	}
	return -1
}

// firstRune returns the first rune that is neither space, quote nor bracket.
func firstRune(s string) rune {
	for _, r := range s {
		if !unicode.IsSpace(r) && !strings.ContainsRune(`"'“‘([*`, r) {
			return r
		}
	}
	return 0
}

func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`("'“‘`, r) })
	if i < 0 {
		return s
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return s[i+size:]
}

// isAbbreviation reports whether the full stop after word belongs to it, given
// the first letter of what follows.
func isAbbreviation(word string, next rune) bool {
	lower := strings.ToLower(word)
	if titles[lower] {
		return true
	}
	if len(word) == 1 && unicode.IsUpper(rune(word[0])) {
		return word != "I" // an initial
	}
	if abbreviations[lower] || strings.Contains(word, ".") {
		return !unicode.IsUpper(next)
	}
	return false
}

// titles never end a sentence: a name follows.
var titles = set("mr mrs ms dr prof st mt rev gen col capt lt sgt sen rep gov hon vs e.g i.e fig approx dept")

// abbreviations may end a sentence.
var abbreviations = set("etc inc ltd co corp jr sr jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun a.m p.m am pm u.s u.k ph.d b.a m.a no ave blvd rd hrs hr min mins sec lbs oz ft ca ext est")

func isEmoji(r rune) bool {
	switch {
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF, r >= 0x2B00 && r <= 0x2BFF:
		return true
	case r == 0x200D, r == 0xFE0F, r >= 0x1F3FB && r <= 0x1F3FF, r == 0x2764, r == 0x20E3:
		return true
	}
	return false
}

func set(words string) map[string]bool { return daybook.WordSet(words) }
