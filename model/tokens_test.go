package model

import "testing"

func TestTokenCount(t *testing.T) {
	e, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 0, "the boat is red": 4, "The boat, it is red.": 7} {
		if got := e.Tokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}
