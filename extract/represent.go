package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// Limits of what one vector stands for.
const (
	passageBytes = 900 // a longer note is cut into passages
	maxPassages  = 24  // what comes after them is found by words only
)

// Passages cuts a note into what its vectors stand for: the whole note, or, of a
// long one, runs of sentences, each with its speaker. There is at least one.
func Passages(n daybook.Note) []string {
	if len(n.Text) <= passageBytes {
		return []string{n.Passage()}
	}
	var all []string
	begin, end := 0, 0
	for _, s := range english.Sentences(n.Text) {
		if s.End-begin > passageBytes && end > begin {
			all, begin = append(all, passage(n, begin, end)), s.Start
		}
		end = s.End
	}
	if end > begin {
		all = append(all, passage(n, begin, end))
	}
	if len(all) == 0 {
		return []string{n.Passage()}
	}
	return all[:min(len(all), maxPassages)]
}

func passage(n daybook.Note, begin, end int) string {
	n.Text = n.Text[begin:end]
	return n.Passage()
}

// Latent is the text that stands for a note with what was said just before it in
// its session: an answer with its question, a remark with what it is about. It is
// false for a note that stands for itself: a long one, or the first of its session.
func Latent(n daybook.Note, before *daybook.Note) (string, bool) {
	if before == nil || len(n.Text) >= longNote {
		return "", false
	}
	last := *before
	last.Text = strings.TrimSpace(clip(last.Text))
	return last.Passage() + "\n" + n.Passage(), true
}
