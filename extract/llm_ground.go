package extract

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"daybook"
	"daybook/timex"
)

// ground is what the notes of a part say, for holding a reply against it.
type ground struct {
	part
	speakers map[string]bool   // folded
	stems    map[string]bool   // beginnings of words, with names of known subjects
	byNote   []map[string]bool // the same for the text of each note
	text     string            // all of it, folded, words parted by single blanks and no marks
}

// stemLetters is how many first letters two forms of a word share.
const stemLetters = 4

func newGround(p part) ground {
	g := ground{part: p, speakers: map[string]bool{}}
	var all []string
	for _, n := range p.notes {
		if n.Speaker != "" {
			g.speakers[daybook.Fold(n.Speaker)] = true
		}
		words := plainWords(n.Text)
		g.byNote = append(g.byNote, stemsOf(words))
		all = append(append(all, plainWords(n.Speaker)...), words...)
	}
	for _, k := range p.states {
		all = append(all, plainWords(k.Subject.Name)...)
	}
	g.stems = stemsOf(all)
	g.text = " " + strings.Join(all, " ") + " "
	return g
}

// plainWords are the words of a text, folded, without marks.
func plainWords(text string) []string {
	return strings.FieldsFunc(daybook.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func stemsOf(words []string) map[string]bool {
	stems := make(map[string]bool, len(words))
	for _, w := range words {
		stems[stem(w)] = true
	}
	return stems
}

func stem(word string) string {
	n := 0
	for i := range word {
		if n == stemLetters {
			return word[:i]
		}
		n++
	}
	return word
}

// speaks reports whether a name is that of a speaker.
func (g ground) speaks(name string) bool { return g.speakers[daybook.Fold(name)] }

// uses reports whether the notes hold these words in this order.
func (g ground) uses(words string) bool {
	plain := strings.Join(plainWords(words), " ")
	return plain != "" && strings.Contains(g.text, " "+plain+" ")
}

// share is how much of a text's longer words the notes use, in any form.
func (g ground) share(text string) float64 {
	used, all := 0, 0
	for _, w := range plainWords(text) {
		if len(w) < stemLetters && !startsDigit(w) {
			continue
		}
		all++
		if g.stems[stem(w)] {
			used++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(used) / float64(all)
}

// bears reports whether a short text says what the notes do: half of its words are
// theirs, in any form, and so is every number.
func (g ground) bears(text string) bool {
	words := plainWords(text)
	used := 0
	for _, w := range words {
		switch {
		case g.stems[stem(w)]:
			used++
		case startsDigit(w):
			return false
		}
	}
	return len(words) > 0 && 2*used >= len(words)
}

// lenders are the notes that a text has words of which its own notes do not hold:
// for each word the nearest note before them, else the first one that does.
func (g ground) lenders(text string, own []daybook.NoteID) (ids []daybook.NoteID) {
	held, last := map[string]bool{}, 0
	for i, n := range g.notes {
		if slices.Contains(own, n.ID) {
			last = i
			maps.Copy(held, g.byNote[i])
			maps.Copy(held, stemsOf(plainWords(n.Speaker)))
		}
	}
	for _, w := range plainWords(text) {
		if len(w) < stemLetters && !startsDigit(w) || held[stem(w)] {
			continue
		}
		if i := g.lender(stem(w), last); i >= 0 && !slices.Contains(ids, g.notes[i].ID) {
			ids = append(ids, g.notes[i].ID)
		}
	}
	return ids
}

// lender is the note that a word comes from, or -1.
func (g ground) lender(stemmed string, last int) int {
	for i := last; i >= 0; i-- {
		if g.byNote[i][stemmed] {
			return i
		}
	}
	return slices.IndexFunc(g.byNote, func(stems map[string]bool) bool { return stems[stemmed] })
}

func startsDigit(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

var wordRef = regexp.MustCompile(`\[\[(\d{1,4}):(\d{1,5})(?:-(\d{1,5}))?\]\]`)

// expand replaces references such as [[3:5-7]] by the words that they name, without
// the marks around them. It reports false when one names words that are not there.
func (g ground) expand(text string) (string, bool) {
	ok := true
	text = wordRef.ReplaceAllStringFunc(strings.TrimSpace(text), func(ref string) string {
		m := wordRef.FindStringSubmatch(ref)
		note, _ := strconv.Atoi(m[1]) // digits, and few
		from, _ := strconv.Atoi(m[2])
		to := from
		if m[3] != "" {
			to, _ = strconv.Atoi(m[3])
		}
		if note < 1 || note > len(g.notes) {
			ok = false
			return ""
		}
		words := g.notes[note-1].Text
		start, end, found := wordRange(words, from, to)
		ok = ok && found
		return strings.TrimFunc(oneLine(words[start:end]), unicode.IsPunct)
	})
	return text, ok
}

// wordRange finds the words from and to, both counted from 1 and included, as
// bytes of the text.
func wordRange(text string, from, to int) (start, end int, ok bool) {
	if from < 1 || from > to {
		return 0, 0, false
	}
	n, in := 0, false
	for i, r := range text {
		switch space := unicode.IsSpace(r); {
		case !space && !in:
			in = true
			if n++; n == from {
				start = i
			}
		case space && in:
			if in = false; n == to {
				return start, i, true
			}
		}
	}
	if in && n == to {
		return start, len(text), true
	}
	return 0, 0, false
}

// locate finds a quote in the note's text: by its numbers, or, where it repeats
// the words and the numbers point elsewhere, by the words if they stand there
// once.
func locate(text string, q replyQuote) (start, end int, ok bool) {
	start, end, ok = wordRange(text, q.From, q.To)
	if strings.TrimSpace(q.Text) == "" {
		return start, end, ok
	}
	if ok && oneLine(text[start:end]) == oneLine(q.Text) {
		return start, end, true
	}
	if start, end, ok = find(text, q.Text); !ok {
		return 0, 0, false
	}
	_, _, again := find(text[end:], q.Text)
	return start, end, !again
}

// find finds words in a text, whatever blanks part them there; upper and lower
// case are the same where letters keep their length.
func find(text, words string) (start, end int, ok bool) {
	if lower := strings.ToLower(text); len(lower) == len(text) {
		text, words = lower, strings.ToLower(words)
	}
	parts := strings.Fields(words)
	if len(parts) == 0 {
		return 0, 0, false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], parts[0])
		if at < 0 {
			return 0, 0, false
		}
		start = from + at
		if end, ok = follows(text, start, parts); ok && whole(text, start, end) {
			return start, end, true
		}
		from = start + len(parts[0])
	}
}

// follows reports whether the parts stand in the text from start on, and where
// they end.
func follows(text string, start int, parts []string) (end int, ok bool) {
	end = start
	for i, p := range parts {
		rest := text[end:]
		trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
		if i > 0 && len(trimmed) == len(rest) || !strings.HasPrefix(trimmed, p) {
			return 0, false
		}
		end += len(rest) - len(trimmed) + len(p)
	}
	return end, true
}

// whole reports whether a stretch cuts no word in two.
func whole(text string, start, end int) bool {
	letter := func(r rune, _ int) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, first := letter(utf8.DecodeLastRuneInString(text[:start])), letter(utf8.DecodeRuneInString(text[start:]))
	last, after := letter(utf8.DecodeLastRuneInString(text[:end])), letter(utf8.DecodeRuneInString(text[end:]))
	return !(before && first) && !(last && after)
}

// resolve reads the time that words of a note name. What has no year or week of
// its own goes by the verbs around it, so the whole note is read.
func resolve(n daybook.Note, start, end int, ahead bool) (daybook.Span, bool) {
	if a := timex.Anchor(n.Text, n.Time); a.Expr.Resolved && a.Expr.Start < end && start < a.Expr.End {
		return a.Span, true // knows lengths too: "I have played for four months"
	}
	for _, e := range timex.Find(n.Text, n.Time) {
		if e.Start < end && start < e.End && e.Resolved && (!e.Span.From.IsZero() || !e.Span.Until.IsZero()) {
			return e.Span, true
		}
	}
	words := n.Text[start:end]
	if ahead {
		words = "will be " + words
	}
	for _, e := range timex.Find(words, n.Time) {
		if e.Resolved && (!e.Span.From.IsZero() || !e.Span.Until.IsZero()) {
			return e.Span, true
		}
	}
	return daybook.Span{}, false
}
