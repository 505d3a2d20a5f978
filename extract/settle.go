package extract

import (
	"math"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
)

// bestOf settles what a sentence that was judged to state something says: the one
// value of the state where it is telling or the judge is sure, and what grammar
// finds beside it.
func bestOf(s *sentence, found, state []Statement) []Statement {
	if len(state) == 0 || mood(s, &state[0]) {
		return found
	}
	one := state[0]
	agreed := false
	var beside []Statement
	for _, st := range found {
		if st.Object == one.Object || strings.Contains(one.Object, st.Object) && st.Relation == one.Relation && !strings.Contains(one.Object, " and ") {
			agreed, one.Relation, one.plain = true, st.Relation, st.plain
			continue
		}
		st.Additive = true // it comes beside the state
		beside = append(beside, st)
	}
	if agreed {
		return append([]Statement{one}, beside...)
	}
	if soft(one.Type) && slices.ContainsFunc(found, func(st Statement) bool { return st.plain }) {
		return found
	}
	if stands(s, &one) {
		one.near = s.role == States && s.sure >= sureChange && definite(one.Subject)
		return []Statement{one}
	}
	return found
}

// settle lets the judged role of the sentence settle how the statement is meant;
// grammar keeps what the role does not speak of, and what is wished or denied in so
// many words unless the role is sure.
func (st *Statement) settle(role Role, sure float64) {
	switch role {
	case States:
		if !st.not && !(st.side && st.Modality == daybook.Wished) && (sure >= sureAside || st.Modality != daybook.Wished && st.Modality != daybook.Planned && !st.awhile) {
			st.Modality = daybook.Asserted
		}
		st.Ended, st.Additive = false, st.Additive && sure < sureAside
	case Ended:
		st.Ended = st.Ended || st.not || !st.Present || !st.Changed // "now I shine in writing" goes on
	case Adds:
		st.Additive = true
	case Plans:
		if !st.past && !st.plain && st.Modality != daybook.Hypothetical {
			st.Modality = daybook.Planned
		}
	case Supposes:
		if !st.plain && st.Modality != daybook.Wished {
			st.Modality = daybook.Hypothetical
		}
	case Denies:
		st.Modality = daybook.Reported
	case Excepts:
		if !st.not {
			st.Modality = daybook.OneOff
		}
	case Others:
		switch {
		case st.Unique: // "my roommate is Anna" is the speaker's state whoever Anna is
			st.Modality = daybook.Asserted
		case st.Who != english.Person && st.Who != english.PersonThing:
			st.Modality = daybook.Reported
		}
	}
}

// How likely the role of a sentence, or a value that was picked in it, must be to
// overrule grammar, and how many tokens it may have.
const (
	sureAside    = 0.9
	sureState    = 0.8
	sureChange   = 0.6
	trusted      = 0.4
	longSentence = 26
)

// doubtful is the least sum of the log odds of a role and of the value picked with
// it, for a value to stand that grammar alone does not find.
const doubtful = 0.2

// stands reports whether the value that was picked in a sentence is sure enough to
// stand. Long sentences say more than one thing.
func stands(s *sentence, st *Statement) bool {
	return len(s.Tokens) <= longSentence && odds(s.sure)+odds(st.picked) >= doubtful
}

// odds are the log odds of a chance.
func odds(p float64) float64 { return math.Log(p / max(1-p, 1e-9)) }

// definite reports whether a subject is known to both without more words: "the cat",
// "it", or nothing at all.
func definite(subject string) bool {
	first, _, _ := strings.Cut(strings.ToLower(subject), " ")
	return first == "the" || first == "it" || first == "its" || first == ""
}

// mood reports whether the value of a state is only how somebody feels, points at
// what is not named, or is the hearer's.
func mood(s *sentence, st *Statement) bool {
	words := strings.Fields(strings.ToLower(st.Object))
	if len(words) == 0 || st.command || st.passing {
		return true
	}
	switch words[0] {
	case "this", "that", "these", "those", "your":
		return true
	case "one", "ones", "it":
		if len(words) == 1 {
			return true
		}
	}
	switch st.Who {
	case english.Hearer, english.HearerThing:
		return true
	case english.Thing, english.Nobody:
		if (s.sure < sureChange || st.picked < trusted) && st.Type != Name && st.Type != Number && st.Type != Money && st.Type != When && (!st.linking || !st.Changed && (st.Relation == "is" || st.Relation == "")) {
			return true
		}
	}
	return st.Type == Quality && (moody(words[len(words)-1]) || st.Who != english.SpeakerThing && s.likely < sureState)
}

// movings are verbs that say that a thing has another time, place or number now.
var movings = setOf("move shift slip postpone reschedule relocate change")

// moved reports whether a statement says in so many words that a definite thing has
// another value now: "the launch moved to March 10", "the meeting slipped to Friday".
func (st *Statement) moved() bool {
	words := strings.Fields(st.Relation)
	if st.Who != english.Thing || len(words) < 2 || words[len(words)-1] != "to" || !strings.HasPrefix(strings.ToLower(st.Subject), "the ") {
		return false
	}
	told := st.Type == When || st.Type == Number || st.Type == Money || st.Type == Name
	return told && st.Modality == daybook.Asserted && !st.not && movings[words[len(words)-2]]
}
