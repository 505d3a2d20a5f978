package recall

import (
	"encoding/binary"
	"slices"

	"daybook"
	"daybook/index"
)

// card is what ranking must know of a note's text. It is made once, when the note is
// indexed, so that a candidate need not be read to be ranked.
type card struct {
	traits
	speaker string
	length  int      // of the text, in bytes
	terms   []string // the different content words of its beginning, sorted
}

func newCard(n daybook.Note) card {
	terms := slices.Compact(slices.Sorted(slices.Values(index.Terms(start(n.Text)))))
	terms = slices.DeleteFunc(terms, index.IsFunctionWord)
	return card{traits: readTraits(n.Text), speaker: n.Speaker, length: len(n.Text), terms: terms}
}

// Card returns what is kept of a note in the index: see index.Doc.
func Card(n daybook.Note) []byte {
	c := newCard(n)
	out := binary.AppendUvarint(nil, c.bits())
	out = binary.AppendUvarint(out, uint64(c.length))
	out = appendText(out, c.speaker)
	for _, t := range c.terms {
		out = appendText(out, t)
	}
	return out
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// readCard reads what Card wrote. Of bytes that it did not write it makes what it
// can.
func readCard(b []byte) (c card) {
	text := string(b) // all parts share it
	number := func() uint64 {
		n, size := binary.Uvarint(b[len(b)-len(text):])
		text = text[max(size, 0):]
		return n
	}
	part := func() (p string) {
		n := min(number(), uint64(len(text)))
		p, text = text[:n], text[n:]
		return p
	}
	c.traits = traitsOf(number())
	c.length, c.speaker = int(number()), part()
	for len(text) > 0 {
		before := len(text)
		c.terms = append(c.terms, part())
		if len(text) == before {
			break
		}
	}
	return c
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
	return []*bool{&t.firstPerson, &t.secondPerson, &t.firstPast, &t.asks, &t.time, &t.number, &t.name, &t.image}
}
