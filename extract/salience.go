package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// salience tells how much a statement matters to who remembers it, in (0, 1]: how
// specific its value is, whether it speaks of the speaker, whether it tells of
// something that lasts or changed, how strongly it is felt, and how it is meant.
// What happened once is remembered by it; likings and ties come up again and
// again, and one of them tells little.
func salience(st Statement, feeling string) float64 {
	s := 0.3
	switch st.Type {
	case Name, Number, Money:
		s += 0.3
	case When, Activity:
		s += 0.2
	case Thing:
		s += 0.1
	}
	if st.Who == english.Speaker || st.Who == english.SpeakerThing {
		s += 0.1
	}
	if st.Unique || st.Changed {
		s += 0.15
	}
	if st.Why != "" {
		s += 0.1
	}
	if strings.HasPrefix(feeling, "strong") {
		s += 0.1
	}
	switch {
	case st.Modality == daybook.OneOff, st.Kind == daybook.Action && st.Modality == daybook.Asserted:
		s += 0.15
	case st.Modality != daybook.Asserted:
		s -= 0.15
	case st.Kind == daybook.Preference, st.Additive:
		s -= 0.1
	}
	return min(1, max(0.05, s))
}

var (
	pleased  = setOf("love like enjoy adore great amazing awesome wonderful happy glad excited favorite favourite best fantastic fun perfect proud thrilled beautiful grateful")
	disliked = setOf("hate dislike awful terrible horrible sad angry worst annoying bad disappointed upset frustrated boring afraid scared tired stressed worried miss")
	strongly = setOf("really so very absolutely totally extremely super incredibly completely")
)

// sentiment tells how the speaker feels about what the sentence says: positive or
// negative, "strong" before it where the words are.
func sentiment(s *english.Sentence) string {
	score, strength := 0, ""
	for i, t := range s.Tokens {
		sign := 0
		switch {
		case pleased[t.Lemma]:
			sign = 1
		case disliked[t.Lemma]:
			sign = -1
		case strongly[t.Norm]:
			strength = "strong "
		}
		if i > 0 && (s.Tokens[i-1].Norm == "n't" || s.Tokens[i-1].Norm == "not" || s.Tokens[i-1].Norm == "never") {
			sign = -sign
		}
		score += sign
	}
	if strings.HasSuffix(s.Text, "!") {
		strength = "strong "
	}
	switch {
	case score > 0:
		return strength + "positive"
	case score < 0:
		return strength + "negative"
	}
	return ""
}
