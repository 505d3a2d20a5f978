package english

import "testing"

// TestShades: a noun before a colour is a shade of it, and no thing of its own.
func TestShades(t *testing.T) {
	for _, tt := range []struct{ text, word, tag string }{
		{"I painted the hall moss green.", "moss", "JJ"},
		{"I painted the hall green.", "hall", "NN"},
		{"They sell coal black paint.", "coal", "JJ"},
		{"My door is sky blue.", "sky", "JJ"},
	} {
		s := ReadSentence(tt.text)
		for _, k := range s.Tokens {
			if k.Norm == tt.word && k.Tag != tt.tag {
				t.Errorf("%s: %s is %s, not %s", tt.text, tt.word, k.Tag, tt.tag)
			}
		}
	}
}

// TestOfOwnThing: what a thing of the speaker's has is the speaker's, what a person of
// the speaker's has is that person's.
func TestOfOwnThing(t *testing.T) {
	for text, want := range map[string]Who{
		"Our club's treasurer is Carmen.": SpeakerThing,
		"My car's insurer is Solid.":      SpeakerThing,
		"My sister's bank is Solid.":      PersonThing,
		"My neighbour's bank is Solid.":   PersonThing,
	} {
		s := ReadSentence(text)
		if got := s.Clauses[0].Who; got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
