package extract

import (
	"unicode/utf8"

	"daybook"
)

// How much of one note is learned from. The rest is kept, and found by its words like the
// beginning, but one message must not hold up the learning of all others.
const (
	mostLearned   = 32 << 10 // bytes
	mostSentences = 512
)

// Readable is a note with as much of its text as is learned from.
func Readable(n daybook.Note) daybook.Note {
	if len(n.Text) <= mostLearned {
		return n
	}
	end := mostLearned
	for !utf8.RuneStart(n.Text[end]) {
		end--
	}
	n.Text = n.Text[:end]
	return n
}
