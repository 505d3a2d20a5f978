package extract

import (
	"strings"

	"daybook/english"
)

// TraitCount is how many traits a sentence has.
const TraitCount = len(traitFlags) + len(traitWho) + 14

var (
	traitFlags = [...]english.Flags{
		english.Question, english.Imperative, english.Conditional, english.Hypothetical, english.Reported, english.Quoted,
		english.Negated, english.Wish, english.Plan, english.Temporary, english.Occasion, english.Additive,
		english.Ended, english.Replaces, english.Habitual, english.Hedged,
	}
	traitWho = [...]english.Who{
		english.Nobody, english.Speaker, english.SpeakerThing, english.Hearer, english.HearerThing,
		english.Person, english.PersonThing, english.Thing,
	}
)

// Traits is what grammar says of a sentence as a whole, as numbers for the fitted
// judge of roles: flags of its clauses, whose state its main clause speaks of,
// tense, and a few words that grammar books list. The order is fixed: the weights
// are by position.
func Traits(s *english.Sentence) []float32 {
	t := make([]float32, 0, TraitCount)
	var all english.Flags
	var main *english.Clause
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Verb < 0 {
			continue
		}
		all |= c.Flags
		if main == nil && c.Kind == english.Main {
			main = c
		}
	}
	for _, f := range traitFlags {
		t = append(t, bit(all.Has(f)))
	}
	who, group := english.Nobody, english.VerbGroup{}
	if main != nil {
		who, group = main.Who, s.Group(*main)
	}
	for _, w := range traitWho {
		t = append(t, bit(who == w))
	}
	return append(t,
		bit(group.Tense == english.Past), bit(group.Tense == english.Present), bit(group.Tense == english.Future),
		bit(group.Perfect), bit(group.Progressive), bit(group.Modal != ""), bit(main == nil),
		bit(firstPerson(s)), bit(own(s)), bit(changes(s)), bit(reason(s) != ""), bit(main != nil && denied(s, main)),
		bit(hasStrongValue(s)), float32(min(len(s.Tokens), 40))/20)
}

func bit(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func firstPerson(s *english.Sentence) bool {
	for _, t := range s.Tokens {
		if t.Norm == "i" || t.Norm == "me" || t.Norm == "we" || t.Norm == "us" {
			return true
		}
	}
	return false
}

func own(s *english.Sentence) bool {
	for _, t := range s.Tokens {
		if n := strings.TrimSuffix(t.Norm, "s"); n == "my" || n == "our" || n == "mine" {
			return true
		}
	}
	return false
}

func hasStrongValue(s *english.Sentence) bool {
	for i := range s.Clauses {
		if c := &s.Clauses[i]; c.Verb >= 0 {
			if _, ok := bestValue(s, c); ok {
				return true
			}
		}
	}
	return false
}
