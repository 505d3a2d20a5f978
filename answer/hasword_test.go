package answer

import "testing"

func TestHasWord(t *testing.T) {
	for _, c := range []struct {
		text, word string
		has        bool
	}{
		{"Ana bakes", "ana", true}, {"bananas", "ana", false}, {"ana's anaconda", "Anaconda", true}, {"Ana", "", false}, {"", "ana", false}, {"", "", false},
		{"xana ana", "ana", true},
	} {
		if hasWord(c.text, c.word) != c.has {
			t.Errorf("%q has %q: %v", c.text, c.word, !c.has)
		}
	}
}
