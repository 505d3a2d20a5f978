package recall

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"daybook"
	"daybook/index"
)

// card is what ranking must know of a note's text. It is made once, when the note is
// indexed, so that a candidate need not be read to be ranked.
type card struct {
	traits
	speaker  string
	length   int     // of the text, in bytes
	rest     []byte  // the different content words of its beginning, sorted: see terms
	specific float64 // below 0 while nobody asked: see specificity
}

// Card returns what is kept of a note in the index: see index.Doc.
func Card(n daybook.Note) []byte {
	t := readTraits(n.Text)
	out := binary.AppendUvarint(nil, marksOf(n))
	out = binary.AppendUvarint(out, t.bits())
	out = binary.AppendUvarint(out, uint64(len(n.Text)))
	out = appendText(out, n.Speaker)
	terms := slices.Compact(slices.Sorted(slices.Values(index.Terms(start(n.Text)))))
	for _, t := range slices.DeleteFunc(terms, index.IsFunctionWord) {
		out = appendText(out, t)
	}
	return out
}

// Marks of a note that those who only list notes must know.
const (
	blank   = 1 << iota // nothing but space: all of it is an echo
	expires             // its metadata has an expiration date
)

func marksOf(n daybook.Note) (marks uint64) {
	if strings.TrimSpace(n.Text) == "" {
		marks |= blank
	}
	if n.Metadata[daybook.ExpiresKey] != nil {
		marks |= expires
	}
	return marks
}

// Marks says what a card tells those who list notes: whether a note has nothing of its
// own, and whether it may expire.
func Marks(card []byte) (isBlank, mayExpire bool) {
	marks, _ := cutNumber(card)
	return marks&blank != 0, marks&expires != 0
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// readCard reads what Card wrote. Of bytes that it did not write it makes what it
// can.
func readCard(b []byte) *card {
	_, b = cutNumber(b) // marks
	bits, b := cutNumber(b)
	length, b := cutNumber(b)
	speaker, b := cutText(b)
	return &card{traits: traitsOf(bits), length: int(length), speaker: string(speaker), rest: b, specific: -1}
}

// terms yields the words of the card.
func (c *card) terms() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := c.rest; len(rest) > 0; {
			var term []byte
			before := len(rest)
			if term, rest = cutText(rest); len(rest) == before || !yield(term) {
				return
			}
		}
	}
}

func cutNumber(b []byte) (uint64, []byte) {
	n, size := binary.Uvarint(b)
	return n, b[max(size, 0):]
}

func cutText(b []byte) (text, rest []byte) {
	n, b := cutNumber(b)
	n = min(n, uint64(len(b)))
	return b[:n], b[n:]
}

// bits are the traits as one number, the first the lowest.
func (t *traits) bits() (bits uint64) {
	for i, set := range t.all() {
		if *set {
			bits |= 1 << i
		}
	}
	return bits
}

func traitsOf(bits uint64) (t traits) {
	for i, set := range t.all() {
		*set = bits>>i&1 == 1
	}
	return t
}

func (t *traits) all() []*bool {
	return []*bool{&t.firstPerson, &t.secondPerson, &t.firstPast, &t.asks, &t.time, &t.number, &t.name, &t.image, &t.instructs, &t.prefers}
}
