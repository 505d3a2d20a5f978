package recall

import (
	"slices"
	"testing"

	"daybook"
	"daybook/index"
)

// What is read off a card is what is read off the note.
func TestCard(t *testing.T) {
	for _, n := range []daybook.Note{
		{Text: "x"},
		{Speaker: "Ana", Text: "I moved to Lisbon in May 2021, and you?"},
		{Speaker: "Ana", Text: "Please always answer in French. I would rather read it."},
		{Speaker: "assistant", Text: "[image: a dog] Naïve — 12 dogs barked twice."},
	} {
		c := readCard(Card(n))
		if c.traits != readTraits(n.Text) || c.speaker != n.Speaker || c.length != len(n.Text) {
			t.Errorf("%q: card is %+v", n.Text, c)
		}
		want := slices.Compact(slices.Sorted(slices.Values(index.Terms(n.Text))))
		want = slices.DeleteFunc(want, index.IsFunctionWord)
		var got []string
		for term := range c.terms() {
			got = append(got, string(term))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: the words of the card are %q, want %q", n.Text, got, want)
		}
	}
}

func FuzzReadCard(f *testing.F) {
	f.Add(Card(daybook.Note{Speaker: "Ana", Text: "We ate two cakes."}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0xff})
	f.Fuzz(func(_ *testing.T, b []byte) {
		for range readCard(b).terms() { //nolint:revive // it must come to an end
		}
	})
}
