package eval

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// How GHOST finds a value in an answer. All of it must do what the data set's
// score.py does, to the letter: letters, digits and spaces are Unicode's here as
// they are there, where regexp's \w, \d, \s and \b know only ASCII.

var numerals = func() map[string]string {
	m := map[string]string{"litres": "litre", "liters": "litre", "liter": "litre", "percent": "%"}
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		m[w] = itoa(i)
	}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth") {
		m[w] = itoa(i+1) + ordinalSuffix(i+1)
	}
	return m
}()

var (
	dropped   = set(strings.Fields("a an the my your his her their"))
	stopWords = set(strings.Fields("a an the my your his her their and at of on in with to for by is was every only it i s"))
	valueWord = regexp.MustCompile(`\p{Nd}+(?:[.:]\p{Nd}+)*(?:st|nd|rd|th)?|[a-z]+\p{Nd}*|%`)
)

// Words that mark a clause as being about another state than the current one,
// about another than a past one, as an abstention, as a conflict.
var (
	marksPast = wholeWords(`was|were|used to|previous(ly)?|former(ly)?|earlier|before|until|no longer|instead of|rather than|` +
		`replac[\p{L}\p{N}_]+|original(ly)?|old|initially|at first|not|isn't|wasn't|had been|prior|historical|superseded|from`)
	marksPresent = wholeWords(`now|current(ly)?|today|later|since|changed to|switched to|moved to|became|new|then|these days|` +
		`nowadays|present(ly)?|latest|after|instead of|not|superseded by|replaced by|updated to|until`)
	marksAbstention = wholeWords(`no (information|record|mention|evidence|memory|data|answer)|` +
		`not (mentioned|stated|known|specified|recorded|available|enough)|never (mentioned|stated|said|told)|unknown|` +
		`don'?t know|do not know|cannot (say|tell|determine|answer)|can'?t (say|tell|determine|answer)|unanswerable|abstain|` +
		`nothing (about|stored|recorded)|insufficient|(doesn'?t|does not|didn'?t|did not) (say|mention|state)`)
	marksConflict = wholeWords(`conflict[\p{L}\p{N}_]*|contradict[\p{L}\p{N}_]*|contested|inconsisten[\p{L}\p{N}_]*|unclear|` +
		`disput[\p{L}\p{N}_]*|ambiguous|two different|both|either`)
)

// wholeWords matches any of the alternatives, in any case, where no letter, digit
// or underscore touches it.
func wholeWords(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}_])(?:` + alternatives + `)(?:$|[^\p{L}\p{N}_])`)
}

// foldI makes the Turkish i's plain: score.py ignores the difference where it
// ignores case, and regexp does not.
var foldI = strings.NewReplacer("İ", "i", "ı", "i")

func says(marks *regexp.Regexp, text string) bool { return marks.MatchString(foldI.Replace(text)) }

// valueTokens are the words and numbers of s, without articles, number words as
// digits.
func valueTokens(s string) []string {
	s = strings.ReplaceAll(strings.ToLower(norm.NFKD.String(s)), "\u2019", "'")
	s = joinDigits(s)
	s = strings.ReplaceAll(strings.ReplaceAll(s, "%", " % "), "'s", "")
	var tokens []string
	for _, t := range valueWord.FindAllString(s, -1) {
		if dropped[t] {
			continue
		}
		if n, ok := numerals[t]; ok {
			t = n
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// joinDigits takes out the commas between digits.
func joinDigits(s string) string {
	rs := []rune(s)
	kept := make([]rune, 0, len(rs))
	for i, r := range rs {
		inside := i > 0 && i+1 < len(rs) && unicode.IsDigit(rs[i-1]) && unicode.IsDigit(rs[i+1])
		if r != ',' || !inside {
			kept = append(kept, r)
		}
	}
	return string(kept)
}

// stem takes off a plural s.
func stem(t string) string {
	if utf8.RuneCountInString(t) > 3 && strings.HasSuffix(t, "s") && !strings.HasSuffix(t, "ss") {
		return t[:len(t)-1]
	}
	return t
}

func stems(tokens []string) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = stem(t)
	}
	return out
}

// hasValue reports whether the text holds the value: its words in a row, or all
// its content words in one clause, or its number alone in a very short text.
func hasValue(text, value string) bool {
	want, got := stems(valueTokens(value)), stems(valueTokens(text))
	if inARow(got, want) {
		return true
	}
	core := slices.DeleteFunc(slices.Clone(want), func(t string) bool { return stopWords[t] })
	if len(core) == 0 {
		return false
	}
	for _, c := range clauses(text) {
		if containsAll(stems(valueTokens(c)), core) {
			return true
		}
	}
	first, _ := utf8.DecodeRuneInString(core[0])
	return len(got) <= 4 && unicode.IsDigit(first) && slices.Contains(got, core[0]) && len(core) <= 2 // "7" for "7 hours"
}

func hasAnyValue(text string, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return hasValue(text, v) })
}

// asserts reports whether the answer holds the value in a clause that the excuse
// does not mark. Where the value spans clauses, the answer is the clause.
func asserts(answer, value string, excuse *regexp.Regexp) bool {
	// A mark inside the value itself ("Old Mill") excuses nothing.
	self, err := regexp.Compile(`(?i)` + regexp.QuoteMeta(foldI.Replace(strings.ToValidUTF8(value, "\ufffd"))))
	if err != nil {
		panic("eval: quoted value is no pattern: " + err.Error())
	}
	excused := func(s string) bool { return says(excuse, self.ReplaceAllLiteralString(foldI.Replace(s), " ")) }
	found := false
	for _, c := range clauses(answer) {
		if hasValue(c, value) {
			if found = true; !excused(c) {
				return true
			}
		}
	}
	return !found && hasValue(answer, value) && !excused(answer)
}

// clauses cuts a text at the ends of sentences, commas, dashes, brackets, arrows,
// "but" and "then".
func clauses(text string) []string {
	rs := []rune(joinDigits(text))
	var out []string
	keep := func(clause []rune) {
		if slices.ContainsFunc(clause, func(r rune) bool { return !isSpace(r) }) {
			out = append(out, string(clause))
		}
	}
	start := 0
	for i := 0; i < len(rs); {
		n := separator(rs, i)
		if n == 0 {
			i++
			continue
		}
		keep(rs[start:i])
		i += n
		start = i
	}
	keep(rs[start:])
	return out
}

// separator returns how many runes at i separate two clauses; 0 for none.
func separator(rs []rune, i int) int {
	spaceAt := func(j int) bool { return j < len(rs) && isSpace(rs[j]) }
	switch r := rs[i]; {
	case strings.ContainsRune(".;!?", r) && !afterTitle(rs[:i]):
		if spaceAt(i + 1) {
			return 2
		}
		return int(one(i+1 == len(rs)))
	case r == '\n', r == '(', r == ')', r == '→':
		return 1
	case r == ',' && spaceAt(i+1), r == '-' && i+1 < len(rs) && rs[i+1] == '>':
		return 2
	case isSpace(r):
		j := i + 1
		for j < len(rs) && strings.ContainsRune("-–—", rs[j]) {
			j++
		}
		if j > i+1 && spaceAt(j) {
			return j + 1 - i
		}
	case wordAt(rs, i, "but"):
		return len("but")
	case wordAt(rs, i, "then"):
		return len("then")
	}
	return 0
}

// afterTitle reports whether the text ends in an abbreviation whose full stop
// ends no sentence.
func afterTitle(before []rune) bool {
	for _, title := range []string{"Dr", "Mr", "Ms", "Mrs", "St", "No"} {
		at := len(before) - len(title)
		if at >= 0 && string(before[at:]) == title && (at == 0 || !isWord(before[at-1])) {
			return true
		}
	}
	return false
}

func wordAt(rs []rune, i int, word string) bool {
	end := i + len(word)
	return end <= len(rs) && string(rs[i:end]) == word &&
		(i == 0 || !isWord(rs[i-1])) && (end == len(rs) || !isWord(rs[end]))
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// isSpace adds the four separators of ASCII, which score.py takes as spaces.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

var (
	digitFollows = regexp.MustCompile(`^ \p{Nd}`)
	yearFollows  = regexp.MustCompile(`^,? \p{Nd}{4}`)
)

// hasDate reports whether the answer names the date, given as "2 January 2006",
// in one of the usual ways; the year may be left out where no number stands in
// its place. A date that cannot be read is in no answer.
func hasDate(answer, date string) bool {
	d, err := time.Parse("2 January 2006", date)
	if err != nil {
		return false
	}
	answer = foldI.Replace(answer)
	month := `(?:` + d.Format("January") + `|` + d.Format("Jan") + `)`
	day, year := itoa(d.Day()), itoa(d.Year())
	const begin, ordinal = `(?i)(?:^|[^\p{L}\p{N}_])`, `(?:st|nd|rd|th)?`
	if matches(begin+day+ordinal+`(?: of)? `+month+`\.?,? `+year, answer) ||
		matches(begin+month+`\.? `+day+ordinal+`,? `+year, answer) ||
		strings.Contains(answer, d.Format("2006-01-02")) || strings.Contains(answer, d.Format("01/02/2006")) {
		return true
	}
	return matchesBefore(begin+day+ordinal+` `+month, digitFollows, answer) ||
		matchesBefore(begin+month+` `+day, yearFollows, answer)
}

func matches(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }

// matchesBefore reports whether the pattern matches up to the end of a word with
// what follows not matching next.
func matchesBefore(pattern string, next *regexp.Regexp, s string) bool {
	for _, m := range regexp.MustCompile(pattern).FindAllStringIndex(s, -1) {
		rest := s[m[1]:]
		r, _ := utf8.DecodeRuneInString(rest)
		if (rest == "" || !isWord(r)) && !next.MatchString(rest) {
			return true
		}
	}
	return false
}

// contentRecall is the share of the gold's content words that the answer has.
func contentRecall(answer, gold string) float64 {
	want := slices.DeleteFunc(valueTokens(gold), func(t string) bool { return stopWords[t] })
	if len(want) == 0 {
		return 0
	}
	got := set(stems(valueTokens(answer)))
	n := 0
	for _, t := range stems(want) {
		n += int(one(got[t]))
	}
	return float64(n) / float64(len(want))
}

func inARow(tokens, want []string) bool {
	for i := 0; len(want) > 0 && i+len(want) <= len(tokens); i++ {
		if slices.Equal(tokens[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func containsAll(tokens, want []string) bool {
	have := set(tokens)
	return !slices.ContainsFunc(want, func(t string) bool { return !have[t] })
}

func ordinalSuffix(n int) string {
	switch n {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
