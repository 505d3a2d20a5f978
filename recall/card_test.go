package recall

import (
	"reflect"
	"testing"

	"daybook"
)

// What is read off a card is what is read off the note.
func TestCard(t *testing.T) {
	for _, n := range []daybook.Note{
		{Text: "x"},
		{Speaker: "Ana", Text: "I moved to Lisbon in May 2021, and you?"},
		{Speaker: "assistant", Text: "[image: a dog] Naïve — 12 dogs barked twice."},
	} {
		want := newCard(n)
		if got := readCard(Card(n)); !(len(got.terms) == 0 && len(want.terms) == 0) && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: card is %+v, want %+v", n.Text, got, want)
		}
	}
}

func FuzzReadCard(f *testing.F) {
	f.Add(Card(daybook.Note{Speaker: "Ana", Text: "We ate two cakes."}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0xff})
	f.Fuzz(func(_ *testing.T, b []byte) { readCard(b) })
}
