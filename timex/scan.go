package timex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind byte

const (
	word   tokenKind = 'w'
	number tokenKind = 'n'
	mark   tokenKind = 'p'
)

// token is a word, a run of digits or a single mark of the text.
type token struct {
	start, end int
	text       string // lower case, with a plain apostrophe and without a possessive 's
	kind       tokenKind
	val        int  // of a number
	ordinal    bool // a number with st, nd, rd, th
	glued      bool // no space before it
	capital    bool // begins with a capital
	possessive bool
}

// scan cuts text into tokens. Letters and digits part: "3pm" is two tokens,
// "21st" one.
func scan(text string) []token {
	toks := make([]token, 0, len(text)/4+4)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		var t token
		switch {
		case isDigit(text[i]):
			t = scanNumber(text, i)
		case unicode.IsLetter(r):
			t = scanWord(text, i)
		default:
			t = token{start: i, end: i + size, text: plainMark(r, text[i:i+size]), kind: mark}
		}
		t.glued = len(toks) > 0 && toks[len(toks)-1].end == t.start
		toks = append(toks, t)
		i = t.end
	}
	return toks
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func plainMark(r rune, s string) string {
	switch r {
	case '’', '‘':
		return "'"
	case '–', '—', '~', '‐', '‑':
		return "-"
	}
	return s
}

func scanNumber(text string, i int) token {
	t := token{start: i, kind: number}
	for ; i < len(text) && isDigit(text[i]); i++ {
		if t.val < 1e8 {
			t.val = t.val*10 + int(text[i]-'0')
		}
	}
	t.end = i
	if i+2 <= len(text) && !letterAt(text, i+2) {
		switch strings.ToLower(text[i : i+2]) {
		case "st", "nd", "rd", "th":
			t.ordinal, t.end = true, i+2
		}
	}
	t.text = text[t.start:t.end]
	return t
}

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r)
}

func scanWord(text string, i int) token {
	first, _ := utf8.DecodeRuneInString(text[i:])
	t := token{start: i, kind: word, capital: unicode.IsUpper(first)}
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		apostrophe := (r == '\'' || r == '’') && i > t.start && letterAt(text, i+size)
		if !unicode.IsLetter(r) && !apostrophe {
			break
		}
		i += size
	}
	t.end = i
	t.text = strings.ReplaceAll(strings.ToLower(text[t.start:t.end]), "’", "'")
	if base, ok := strings.CutSuffix(t.text, "'s"); ok {
		t.text, t.possessive = base, true
	}
	return t
}

// digits is the number of digits that a number was written with.
func (t *token) digits() int {
	if t.ordinal {
		return t.end - t.start - 2
	}
	return t.end - t.start
}
