package eval

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// How an answer about a natural chat is judged. Words are compared as the score.py of the data
// sets does it, so that "contains" is its figure to the digit; "right" differs from it for lists,
// which must name every item, and for yes/no questions, where the answer's yes or no counts.

var (
	thousands   = regexp.MustCompile(`([0-9]),([0-9]{3})`)
	ordinal     = regexp.MustCompile(`([0-9]+)(st|nd|rd|th)\b`)
	notChatWord = regexp.MustCompile(`[^a-z0-9%:.]+`)
	shortMonths = map[string]string{
		"january": "jan", "february": "feb", "march": "mar", "april": "apr", "june": "jun", "july": "jul", "august": "aug",
		"september": "sep", "sept": "sep", "october": "oct", "november": "nov", "december": "dec",
	}
	plainLetters = strings.NewReplacer("ı", "i", "ø", "o")
)

// chatWords are the words of a text as answers are compared: lower case, without accents,
// articles and punctuation, numbers and months in one form.
func chatWords(s string) []string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r) || unicode.Is(unicode.Me, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(s)))
	s = plainLetters.Replace(s)
	for thousands.MatchString(s) {
		s = thousands.ReplaceAllString(s, "$1$2")
	}
	s = ordinal.ReplaceAllString(s, "$1")
	s = innerMarks(notChatWord.ReplaceAllString(s, " "))
	var words []string
	for _, w := range strings.Fields(s) {
		if w == "the" || w == "a" || w == "an" {
			continue
		}
		if short, ok := shortMonths[w]; ok {
			w = short
		}
		words = append(words, w)
	}
	return words
}

// innerMarks keeps a full stop only between digits and a colon only before one.
func innerMarks(s string) string {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '.' && !(digit(i-1) && digit(i+1)) || s[i] == ':' && !digit(i+1) {
			b.WriteByte(' ')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// chatHas reports whether a text holds a phrase as whole words.
func chatHas(text, phrase string) bool { return inARow(chatWords(text), chatWords(phrase)) }

func chatHasAny(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return chatHas(text, p) })
}

var yearWord = regexp.MustCompile(`\b20[0-9][0-9]\b`)

// judgeChat measures the answer to a question about a natural chat:
//
//	contains        the answer holds the gold or another accepted wording (score.py's "right")
//	right           the same; a list has all its items, a yes/no question the right yes or no
//	wrong, declined what else can happen to a question that the chat answers
//	stale_leak      a wrong answer that holds a stale value; of questions that have stale values
//	abstention      of a question that the chat does not answer: it says so
//	over_abstention the same as declined
func judgeChat(q Question, r Result) Scores {
	if q.Absent {
		return Scores{"abstention": one(r.Abstain)}
	}
	contains := !r.Abstain && chatHasAny(r.Answer, q.Answers) && (q.Category != "when" || sameYear(q.Answers[0], r.Answer))
	right := contains
	if !r.Abstain {
		right = rightForm(q, r.Answer, contains)
	}
	s := Scores{
		"contains": one(contains), "right": one(right), "wrong": one(!right && !r.Abstain),
		"declined": one(r.Abstain), "over_abstention": one(r.Abstain),
	}
	if len(q.Chat.Stale) > 0 {
		s["stale_leak"] = one(!r.Abstain && !right && chatHasAny(r.Answer, q.Chat.Stale))
	}
	return s
}

// rightForm judges answers whose form says more than a wording: lists and yes or no.
func rightForm(q Question, answer string, contains bool) bool {
	if len(q.Chat.Items) > 0 {
		return contains || !slices.ContainsFunc(q.Chat.Items, func(item string) bool { return !chatHas(answer, item) })
	}
	gold, said := polarity(q.Answers[0]), polarity(answer)
	if gold != "" && said != "" {
		return gold == said
	}
	return contains
}

// polarity is the yes or no that an answer begins with, or "".
func polarity(answer string) string {
	words := chatWords(answer)
	if len(words) == 0 {
		return ""
	}
	switch words[0] {
	case "yes", "yeah", "yep":
		return "yes"
	case "no", "nope":
		return "no"
	}
	return ""
}

// sameYear is false for a date of another year.
func sameYear(gold, answer string) bool {
	want, got := yearWord.FindAllString(gold, -1), yearWord.FindAllString(answer, -1)
	return len(want) == 0 || len(got) == 0 || slices.ContainsFunc(want, func(y string) bool { return slices.Contains(got, y) })
}
