package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is one word, mark or clitic of a text.
type Token struct {
	Span
	Text  string // as it is written
	Norm  string // lower case, straight apostrophe, chat spelling undone: "nt" → "n't"
	Tag   string // Penn tag; empty before [Tag]
	Lemma string // dictionary form; empty before [Tag]
}

// Tokens splits a text as the Penn treebank does: "don't" is "do", "n't", and
// "Melanie's" is "Melanie", "'s". Contractions without their apostrophe (im,
// dont) are split too. Addresses, numbers, mentions and runs of emoji are one
// token each.
func Tokens(text string) []Token {
	tokens := make([]Token, 0, len(text)/4+2)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		n := tokenLen(text[i:], r)
		tokens = appendWord(tokens, text, i, i+n)
		i += n
	}
	return tokens
}

// tokenLen measures the token that s begins with; r is its first rune.
func tokenLen(s string, r rune) int {
	switch {
	case isEmoji(r):
		return runLen(s, isEmoji)
	case r == '.' && strings.HasPrefix(s, ".."):
		return runLen(s, func(r rune) bool { return r == '.' })
	case r == '-' && strings.HasPrefix(s, "--"):
		return runLen(s, func(r rune) bool { return r == '-' })
	case strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "www."):
		return addressLen(s)
	case (r == '@' || r == '#') && len(s) > 1 && isWordRune(rune(s[1])):
		return 1 + runLen(s[1:], isWordRune)
	case unicode.IsDigit(r):
		return numberLen(s)
	case isApostrophe(r) && clitics[strings.ToLower(straight(s[:cliticLen(s)]))]:
		return cliticLen(s)
	case isWordRune(r):
		return wordLen(s)
	}
	return utf8.RuneLen(validRune(r))
}

func validRune(r rune) rune {
	if r == utf8.RuneError {
		return 'x' // one stray byte
	}
	return r
}

func runLen(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '`' }

func addressLen(s string) int {
	n := runLen(s, func(r rune) bool { return !unicode.IsSpace(r) && r != ')' && r != '"' })
	return len(strings.TrimRight(s[:n], ".,!?;:"))
}

// numberLen measures 3, 3.5, 1,200, 7:30, 5k, 2nd, 20%, 90s, 24/7, 10-year.
func numberLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		inner := strings.ContainsRune(".,:/-–", r) && n+size < len(s) && isWordByte(s[n+size])
		if !isWordRune(r) && !inner {
			break
		}
		n += size
	}
	if n < len(s) && s[n] == '%' {
		n++
	}
	return n
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wordLen measures a word with its inner hyphens, apostrophes and dots.
func wordLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !isWordRune(r) && !joins(s, n, r, size) {
			break
		}
		n += size
	}
	word := s[:n]
	if n < len(s) && s[n] == '.' && keepsDot(word) {
		n++
	}
	return n
}

// joins reports whether the mark at n holds two parts of a word together.
func joins(s string, n int, r rune, size int) bool {
	if n+size >= len(s) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s[n+size:])
	if !isWordRune(next) {
		return false
	}
	switch r {
	case '-', '‑', '\'', '’', '&', '@':
		return true
	case ':':
		return n > 0 && unicode.IsUpper(next) // CS:GO
	case '.':
		return !unicode.IsUpper(next) && !strings.HasSuffix(s[:n], "..") || n == 1 || n > 1 && s[n-2] == '.'
	}
	return false
}

func keepsDot(word string) bool {
	lower := strings.ToLower(word)
	return titles[lower] || strings.Contains(word, ".") && len(word) <= 5 ||
		len(word) == 1 && unicode.IsUpper(rune(word[0])) && word != "I" ||
		lower == "etc" || lower == "jr" || lower == "sr" || lower == "inc"
}

// appendWord appends text[start:end] as one token or, with a clitic, as two.
func appendWord(tokens []Token, text string, start, end int) []Token {
	raw := text[start:end]
	lower := strings.ToLower(straight(raw))
	if f, ok := fused[lower]; ok && len(f.first)+len(f.rest) > 0 {
		return append(tokens, newToken(text, start, start+f.at, f.first), newToken(text, start+f.at, end, f.rest))
	}
	at := cliticAt(lower, raw)
	if at <= 0 {
		return append(tokens, newToken(text, start, end, ""))
	}
	return append(tokens, newToken(text, start, start+at, beforeNot[lower]), newToken(text, start+at, end, ""))
}

func newToken(text string, start, end int, norm string) Token {
	raw := text[start:end]
	if norm == "" {
		norm = normOf(raw)
	}
	return Token{Span: Span{start, end}, Text: raw, Norm: norm}
}

func normOf(raw string) string { return unstretch(strings.ToLower(straight(raw))) }

func straight(s string) string {
	if strings.Contains(s, "’") {
		return strings.ReplaceAll(s, "’", "'")
	}
	return s
}

var clitics = set("'s 'm 're 've 'll 'd")

// beforeNot are the verbs that change before "n't".
var beforeNot = map[string]string{"can't": "can", "won't": "will", "shan't": "shall"}

// fusion is a word that is written as one and read as two.
type fusion struct {
	at          int // length of the first part as written
	first, rest string
}

// fused are contractions without their apostrophe, and fused forms. Those that
// are also words by themselves (ill, well, were, its) are not here.
var fused = map[string]fusion{
	"im": {1, "i", "'m"}, "ive": {1, "i", "'ve"}, "youre": {3, "you", "'re"}, "youve": {3, "you", "'ve"}, "youll": {3, "you", "'ll"},
	"theyre": {4, "they", "'re"}, "theyve": {4, "they", "'ve"}, "weve": {2, "we", "'ve"}, "thats": {4, "that", "'s"},
	"whats": {4, "what", "'s"}, "hes": {2, "he", "'s"}, "shes": {3, "she", "'s"}, "theres": {5, "there", "'s"}, "heres": {4, "here", "'s"},
	"dont": {2, "do", "n't"}, "doesnt": {4, "does", "n't"}, "didnt": {3, "did", "n't"}, "isnt": {2, "is", "n't"}, "arent": {3, "are", "n't"},
	"wasnt": {3, "was", "n't"}, "werent": {4, "were", "n't"}, "havent": {4, "have", "n't"}, "hasnt": {3, "has", "n't"},
	"hadnt": {3, "had", "n't"}, "wouldnt": {5, "would", "n't"}, "couldnt": {5, "could", "n't"}, "shouldnt": {6, "should", "n't"},
	"cant": {2, "can", "n't"}, "wont": {2, "will", "n't"}, "aint": {2, "is", "n't"}, "ain't": {2, "is", "n't"}, "cannot": {3, "can", "not"},
	"gonna": {3, "going", "to"}, "wanna": {3, "want", "to"}, "gotta": {3, "got", "to"},
}

// cliticAt returns where a word splits before its clitic, or 0.
func cliticAt(lower, raw string) int {
	i := strings.LastIndexByte(lower, '\'')
	switch {
	case i <= 0 || len(lower) > len(raw):
		return 0
	case strings.HasSuffix(lower, "n't") && len(lower) > 3:
		return len(raw) - 3 - apostropheGrowth(raw)
	case clitics[lower[i:]]:
		return len(raw) - (len(lower) - i) - apostropheGrowth(raw)
	}
	return 0
}

// apostropheGrowth is how many bytes the last apostrophe takes beyond one.
func apostropheGrowth(raw string) int {
	if strings.LastIndex(raw, "’") > strings.LastIndexByte(raw, '\'') {
		return len("’") - 1
	}
	return 0
}

func cliticLen(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size + runLen(s[size:], unicode.IsLetter)
}

// unstretch undoes letters repeated for emphasis: "sooo" → "so", "loooove" →
// "love". A run of three or more becomes two if that is a known word, else one.
func unstretch(lower string) string {
	if !hasTriple(lower) {
		return lower
	}
	two, one := squeeze(lower, 2), squeeze(lower, 1)
	if isKnownWord(two) && !isKnownWord(one) {
		return two
	}
	return one
}

func hasTriple(s string) bool {
	for i := 2; i < len(s); i++ {
		if s[i] == s[i-1] && s[i] == s[i-2] && s[i] >= 'a' && s[i] <= 'z' && s[i] != 'w' {
			return true
		}
	}
	return false
}

// squeeze shortens runs of three or more equal letters to n.
func squeeze(s string, n int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		run := j - i
		if run > 2 {
			run = n
		}
		b.WriteString(s[i : i+run])
		i = j
	}
	return b.String()
}
