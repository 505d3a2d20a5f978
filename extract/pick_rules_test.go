package extract

import (
	"testing"

	"daybook/english"
)

// TestPickByGrammar names the value where grammar leaves no doubt: parts of known
// wholes, roles, what a relative clause only specifies, doings that "it" stands for,
// shades of colours.
func TestPickByGrammar(t *testing.T) {
	for _, tt := range []struct{ text, value string }{
		{"I was moved to the upper deck of the boat.", "the upper deck"},
		{"I'm listed as the keeper in the match report.", "the keeper"},
		{"The teacher I visit every Tuesday is Ramona.", "Ramona"},
		{"I gave up my old hobby, it's carving spoons now.", "carving spoons"},
		{"My job is repairing clocks.", "repairing clocks"},
		{"I've got olive green curtains in the study.", "olive green curtains"},
	} {
		s := english.ReadSentence(tt.text)
		if got := stateOf(&s, nil); len(got) != 1 || got[0].Object != tt.value {
			t.Errorf("%s: %+v, not %q", tt.text, got, tt.value)
		}
	}
}
