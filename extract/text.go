package extract

import (
	"strings"

	"daybook/english"
)

// selfContained puts a sentence that somebody said of themselves into the third
// person: "I drive a Kia" said by Anna is "Anna drives a Kia".
func selfContained(s *english.Sentence, speaker string) string {
	if speaker == "" {
		return s.Text
	}
	var b strings.Builder
	last := s.Start
	subject := false // the word before was "I": the verb now agrees with a name
	for i, t := range s.Tokens {
		b.WriteString(s.Text[last-s.Start : t.Start-s.Start])
		last = t.End
		word, isSubject := thirdPerson(t, speaker)
		switch {
		case subject && finite(s, i):
			glued := strings.HasPrefix(t.Text, "'") || strings.HasPrefix(t.Text, "’")
			if glued {
				b.WriteByte(' ')
			}
			b.WriteString(agree(t))
			subject = false
		case subject && strings.HasPrefix(t.Tag, "RB"):
			b.WriteString(word)
		default:
			b.WriteString(word)
			subject = isSubject
		}
	}
	b.WriteString(s.Text[last-s.Start:])
	return strings.TrimSpace(b.String())
}

// thirdPerson is the word as a reporter of the speaker would write it.
func thirdPerson(t english.Token, speaker string) (string, bool) {
	switch t.Norm {
	case "i":
		return speaker, true
	case "me", "myself":
		return speaker, false
	case "my", "mine":
		return speaker + "'s", false
	case "to":
		if t.Text == "na" || t.Text == "ta" { // of "wanna", "gotta"
			return " to", false
		}
	case "going":
		return "going", false // of "gonna"
	}
	return t.Text, false
}

// finite reports whether the token is the verb that agrees with the subject.
func finite(s *english.Sentence, i int) bool {
	t := s.Tokens[i]
	return t.Tag == "VBP" || t.Tag == "VBZ" || t.Norm == "am" || t.Norm == "'m" || t.Norm == "'ve" || t.Norm == "was"
}

// agree is a verb of the first person in the third.
func agree(t english.Token) string {
	switch t.Norm {
	case "am", "'m":
		return "is"
	case "have", "'ve":
		return "has"
	case "do":
		return "does"
	case "was":
		return "was"
	}
	if t.Tag == "VBP" {
		return english.ThirdForm(t.Norm)
	}
	return t.Text
}
