package index

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Terms returns what a text is found by, in order and with repetitions: the stems
// of its words, numbers without their commas, and, where they occur, dates, times
// of day and names as one term each:
//
//	went             go
//	twins'           twin
//	1,500            1500
//	seven, 7th       7
//	twenty-five      20 5 25
//	7 May 2023       7 may 2023 @2023-05-07 @2023-05 @05-07
//	7.5.2023         7.5.2023 @2023-05-07 @2023-05 @05-07
//	3pm              3pm @15:00
//	Rosa Luxemburg   rosa luxemburg rosa_luxemburg
func Terms(text string) []string { return terms(text, false) }

// QueryTerms is Terms for a question: any run of up to four words may be a name
// there, because people who ask do not mind their capitals.
func QueryTerms(text string) []string { return terms(text, true) }

func terms(text string, anyName bool) []string {
	ws := scanWords(text)
	out := make([]string, 0, 2*len(ws))
	for i := range ws {
		out = append(out, ws[i].term)
	}
	out = appendTimes(out, ws)
	if anyName {
		return appendRuns(out, ws)
	}
	return appendNames(out, ws)
}

// word is one word of a text.
type word struct {
	folded  string // lower case, without possessive
	term    string // its stem, or the number
	capital bool   // begins with a capital
	number  int    // its value, or -1
	after   byte   // the first byte between it and the next word; 0 at the end
	joined  bool   // nothing but spaces stands before the next word
}

// scanWords cuts a text into words.
func scanWords(text string) []word {
	words := make([]word, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		size := wordLen(text[i:])
		if size == 0 {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		w := newWord(text[i : i+size])
		i += size
		if i < len(text) {
			w.after = text[i]
		}
		w.joined = onlySpaces(text[i:])
		if w.folded != "" {
			words = append(words, w)
		}
	}
	return words
}

// wordLen is the length of the word that s begins with: letters, digits and
// marks, with an apostrophe inside, or a point or comma between digits.
func wordLen(s string) (n int) {
	digit := false
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			digit = unicode.IsDigit(r)
		case n > 0 && (r == '\'' || r == '’') && startsWith(s[n+size:], unicode.IsLetter):
		case digit && (r == '.' || r == ',') && startsWith(s[n+size:], unicode.IsDigit):
		default:
			return n
		}
		n += size
	}
	return n
}

func startsWith(s string, is func(rune) bool) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return is(r)
}

func onlySpaces(s string) bool {
	trimmed := strings.TrimLeft(s, " \t\n")
	return len(trimmed) < len(s) && startsWith(trimmed, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func newWord(s string) word {
	w := word{capital: startsWith(s, unicode.IsUpper), number: -1}
	w.folded = strings.ToLower(s)
	if strings.Contains(w.folded, "’") {
		w.folded = strings.ReplaceAll(w.folded, "’", "'")
	}
	w.folded = strings.TrimSuffix(w.folded, "'s")
	w.term, w.number = stem(w.folded)
	return w
}

// stems remembers what stem made of a word. It is emptied when it grows large.
var stems struct {
	sync.RWMutex
	of map[string]stemmed
}

type stemmed struct {
	term   string
	number int
}

// maxStems words are remembered, of up to maxCached letters.
const (
	maxStems  = 200_000
	maxCached = 16
)

// stem brings a folded word to its term, and says which number it is, or -1.
func stem(folded string) (string, int) {
	stems.RLock()
	s, ok := stems.of[folded]
	stems.RUnlock()
	if ok {
		return s.term, s.number
	}
	s = newStem(folded)
	if len(folded) > maxCached || strings.ContainsAny(folded, "0123456789") {
		return s.term, s.number // seldom seen again, and perhaps not to be kept
	}
	stems.Lock()
	if stems.of == nil || len(stems.of) >= maxStems {
		stems.of = map[string]stemmed{}
	}
	stems.of[strings.Clone(folded)] = s
	stems.Unlock()
	return s.term, s.number
}

func newStem(folded string) stemmed {
	if n, ok := numberWords[folded]; ok {
		return stemmed{itoa(n), n}
	}
	if c := folded[0]; c >= '0' && c <= '9' {
		return numberStem(strings.ReplaceAll(folded, ",", ""))
	}
	if base, ok := irregular[folded]; ok {
		folded = base
	}
	env := snowballstem.NewEnv(folded)
	english.Stem(env)
	return stemmed{strings.Clone(env.Current()), -1}
}

// numberStem is for what begins with a digit: a number, an ordinal, 3pm, 5km.
func numberStem(s string) stemmed {
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	switch s[digits:] {
	case "st", "nd", "rd", "th":
		s = s[:digits]
	}
	if digits != len(s) || digits > 9 {
		return stemmed{strings.Clone(s), -1}
	}
	n := 0
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return stemmed{strings.Clone(s), n}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// two writes a number of up to two digits with two.
func two(n int) string { return string([]byte{byte('0' + n/10%10), byte('0' + n%10)}) }

// maxName is how many words a name has at most.
const maxName = 4

// appendNames adds the names of a text: runs of words with capitals, small words
// allowed inside ("Bank of Scotland"). A longer name is found by each of its
// pairs too.
func appendNames(out []string, ws []word) []string {
	for i := 0; i < len(ws); {
		n := nameLen(ws[i:])
		if n < 2 {
			i++
			continue
		}
		out = append(out, joinName(ws[i:i+n]))
		for j := i; n > 2 && j+1 < i+n; j++ {
			if !functionWords[ws[j].folded] && !functionWords[ws[j+1].folded] {
				out = append(out, joinName(ws[j:j+2]))
			}
		}
		i += n
	}
	return out
}

// nameLen is the length of the name that the words begin with, or 0.
func nameLen(ws []word) int {
	n := 0
	for i := 0; i < len(ws) && i < maxName; i++ {
		small := functionWords[ws[i].folded]
		if small && (i == 0 || !inNames[ws[i].folded]) || !small && !ws[i].capital {
			break
		}
		if !small {
			n = i + 1
		}
		if !ws[i].joined {
			break
		}
	}
	return n
}

// appendRuns adds every run of words that may be a name.
func appendRuns(out []string, ws []word) []string {
	for i := range ws {
		for n := 2; n <= maxName && i+n <= len(ws) && ws[i+n-2].joined; n++ {
			if !functionWords[ws[i].folded] && !functionWords[ws[i+n-1].folded] {
				out = append(out, joinName(ws[i:i+n]))
			}
		}
	}
	return out
}

func joinName(ws []word) string {
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = w.folded
	}
	return strings.Join(parts, "_")
}

// IsFunctionWord reports whether a term is a word that English sentences have
// whatever they speak of. Such words weigh little by their frequency already, so
// that nothing needs to leave them out.
func IsFunctionWord(term string) bool { return functionTerms()[term] }

var functionTerms = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range functionWords {
		term, _ := stem(w)
		set[term] = true
	}
	return set
})
