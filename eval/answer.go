package eval

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// JudgeText measures an answer against acceptable ones by their words, each
// metric against the reference that suits it best (BLEU: against all together):
//
//	exact       1 when the words are the same
//	f1          harmonic mean of precision and recall of the words, counted with repeats
//	set_f1      the same over distinct words, as TRACE, Mem0 and A-Mem count it
//	bleu-1 … 4  see BLEU
//	rouge-l     see RougeL
//
// Words are those of AnswerTokens, but for set_f1, which keeps to its own plain
// ones. Nil without references.
func JudgeText(answer string, references []string) Scores {
	if len(references) == 0 {
		return nil
	}
	got := AnswerTokens(answer)
	s := Scores{"exact": 0, "f1": 0, "set_f1": 0, "rouge-l": 0}
	var refs [][]string
	for _, ref := range references {
		want := AnswerTokens(ref)
		refs = append(refs, want)
		s["exact"] = max(s["exact"], one(slices.Equal(got, want)))
		s["f1"] = max(s["f1"], TokenF1(got, want))
		s["set_f1"] = max(s["set_f1"], SetF1(answer, ref))
		s["rouge-l"] = max(s["rouge-l"], RougeL(got, want))
	}
	for n := 1; n <= 4; n++ {
		s["bleu-"+itoa(n)] = BLEU(got, refs, n)
	}
	return s
}

// AnswerTokens are the words of an answer as they are compared: in lower case,
// without punctuation and articles, and dates in one form, "7 May 2023", however
// they were written ("May 7th, 2023", "2023-05-07", "7 May, 2023", "5/7/2023").
// Punctuation inside a word goes without a trace ("don't" → "dont"), a hyphen or
// a slash parts words.
func AnswerTokens(s string) []string {
	s = strings.ToLower(norm.NFKC.String(s))
	s = normaliseDates(s)
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("-–—/", r):
			return ' '
		case r == '%' || unicode.Is(unicode.Sc, r): // a share, a sum of money
			return r
		case unicode.IsPunct(r) || unicode.IsSymbol(r):
			return -1
		}
		return r
	}, s)
	return slices.DeleteFunc(strings.Fields(s), func(t string) bool { return t == "a" || t == "an" || t == "the" })
}

const monthNames = `(january|february|march|april|may|june|july|august|september|october|november|december|` +
	`jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)`

var (
	isoDate   = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})(?:t\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?z?)?\b`)
	slashDate = regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	dayMonth  = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ` + monthNames + `\b\.?(?:,? (\d{4})\b)?`)
	monthDay  = regexp.MustCompile(`\b` + monthNames + `\b\.? (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?`)
	monthYear = regexp.MustCompile(`\b` + monthNames + `\b\.?,? (\d{4})\b`)
	months    = strings.Fields("january february march april may june july august september october november december")
)

// normaliseDates writes the dates in lower-case text as day, month's name, year,
// with what is known of them. Slashes are read month first.
func normaliseDates(s string) string {
	s = rewrite(isoDate, s, func(m []string) string { return writeDate(m[3], monthNumbered(m[2]), m[1]) })
	s = rewrite(slashDate, s, func(m []string) string { return writeDate(m[2], monthNumbered(m[1]), m[3]) })
	s = rewrite(dayMonth, s, func(m []string) string { return writeDate(m[1], monthNamed(m[2]), m[3]) })
	s = rewrite(monthDay, s, func(m []string) string { return writeDate(m[2], monthNamed(m[1]), m[3]) })
	return rewrite(monthYear, s, func(m []string) string { return writeDate("", monthNamed(m[1]), m[2]) })
}

// rewrite replaces each match by what to makes of its groups; "" leaves it.
func rewrite(re *regexp.Regexp, s string, to func(groups []string) string) string {
	return re.ReplaceAllStringFunc(s, func(match string) string {
		if out := to(re.FindStringSubmatch(match)); out != "" {
			return out
		}
		return match
	})
}

func writeDate(day, month, year string) string {
	if month == "" {
		return ""
	}
	return strings.TrimSpace(strings.TrimLeft(day, "0") + " " + month + " " + year)
}

func monthNumbered(digits string) string {
	n := 0
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	if n < 1 || n > 12 {
		return ""
	}
	return months[n-1]
}

func monthNamed(name string) string {
	for _, m := range months {
		if strings.HasPrefix(m, name[:3]) {
			return m
		}
	}
	return ""
}

// TokenF1 is the harmonic mean of precision and recall, repeats counted. Two
// empty sides agree.
func TokenF1(got, want []string) float64 {
	if len(got) == 0 || len(want) == 0 {
		return one(len(got) == len(want))
	}
	common := overlap(counts(got, 1), counts(want, 1))
	return harmonic(common, len(got), len(want))
}

// SetF1 is the F1 over distinct words that TRACE reports (as Mem0 and A-Mem do):
// lower case, the marks . , ! ? taken for spaces, all else left as it is.
func SetF1(answer, reference string) float64 {
	plain := func(s string) map[string]bool {
		s = strings.Map(func(r rune) rune {
			if strings.ContainsRune(".,!?", r) {
				return ' '
			}
			return r
		}, strings.ToLower(s))
		return set(strings.Fields(s))
	}
	got, want := plain(answer), plain(reference)
	common := 0
	for t := range got {
		common += int(one(want[t]))
	}
	return harmonic(common, len(got), len(want))
}

func harmonic(common, got, want int) float64 {
	if common == 0 {
		return 0
	}
	precision, recall := float64(common)/float64(got), float64(common)/float64(want)
	return 2 * precision * recall / (precision + recall)
}

// bleuSmoothing stands for the matches of an order of n-grams that has none.
const bleuSmoothing = 0.1

// BLEU of one sentence, up to n-grams of the order given: the geometric mean of
// the clipped precisions, times the penalty for being shorter than the reference
// nearest in length. It is smoothed as the papers do it (method 1 of Chen and
// Cherry 2014, NLTK's method1 with epsilon 0.1): an order without a match counts
// 0.1 matches, of one n-gram if the sentence is too short to have any. So a right
// answer of one word has a BLEU-4 of 0.18, not 0 and not 1. Without any common
// word it is 0.
func BLEU(got []string, references [][]string, order int) float64 {
	if len(got) == 0 || len(references) == 0 {
		return 0
	}
	logs := 0.0
	for n := 1; n <= order; n++ {
		matched, total := clipped(got, references, n)
		if n == 1 && matched == 0 {
			return 0
		}
		p := float64(matched)
		if matched == 0 {
			p = bleuSmoothing
		}
		logs += math.Log(p / float64(max(1, total)))
	}
	return brevity(len(got), references) * math.Exp(logs/float64(order))
}

// clipped counts the n-grams of got, and those that a reference has as often.
func clipped(got []string, references [][]string, n int) (matched, total int) {
	most := map[string]int{}
	for _, ref := range references {
		for gram, c := range counts(ref, n) {
			most[gram] = max(most[gram], c)
		}
	}
	return overlap(counts(got, n), most), max(0, len(got)-n+1)
}

func brevity(length int, references [][]string) float64 {
	nearest := len(references[0])
	for _, ref := range references[1:] {
		near, so := distance(len(ref), length), distance(nearest, length)
		if near < so || near == so && len(ref) < nearest {
			nearest = len(ref)
		}
	}
	if length > nearest {
		return 1
	}
	return math.Exp(1 - float64(nearest)/float64(length))
}

func distance(a, b int) int { return max(a, b) - min(a, b) }

// RougeL is the harmonic mean of precision and recall of the longest common
// subsequence (Lin 2004, with equal weights).
func RougeL(got, want []string) float64 {
	return harmonic(longestCommon(got, want), len(got), len(want))
}

func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1) // row[j]: of the part of a read so far, and b[:j]
	for _, t := range a {
		diagonal := 0
		for j, u := range b {
			above := row[j+1]
			if t == u {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// counts counts the n-grams.
func counts(tokens []string, n int) map[string]int {
	m := map[string]int{}
	for i := 0; i+n <= len(tokens); i++ {
		m[strings.Join(tokens[i:i+n], " ")]++
	}
	return m
}

// overlap is the size of what two bags have in common.
func overlap(a, b map[string]int) int {
	n := 0
	for gram, c := range a {
		n += min(c, b[gram])
	}
	return n
}
