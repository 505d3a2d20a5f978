package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// mean reads how the statement is meant, from the flags of its clause and from
// the clauses beside it.
func (st *Statement) mean(s *english.Sentence, c *english.Clause) {
	g, flags := s.Group(*c), c.Flags
	if announced(s, c) {
		flags &^= english.Wish | english.Plan
	}
	st.Present = g.Tense == english.Present || g.Perfect
	st.Additive = flags.Has(english.Additive)
	st.Ended = flags.Has(english.Ended)
	st.Changed = flags.Has(english.Replaces) || changes(s)
	st.Unique = c.Who == english.SpeakerThing && c.Attribute >= 0 && !s.Phrases[c.Subject].Plural
	st.Own = c.Who == english.Speaker || c.Who == english.SpeakerThing || mentionsSpeaker(s, c) || c.Subject >= 0 && ownPlace(s, c)
	st.Why = reason(s)
	st.Things = ownThings(s)
	st.Modality = modality(flags)
	if st.Modality == daybook.OneOff && !flags.Has(english.Temporary) && lasting[nameOf(st.Relation)] {
		st.Modality = daybook.Asserted // who moved last weekend lives there
	}
	if st.Modality == daybook.Asserted && g.Progressive && !g.Perfect && st.Present && nameOf(st.Relation) == visited {
		st.Modality = daybook.Planned // "we're checking out a new trail"
	}
	st.awhile = flags.Has(english.Temporary)
	if st.Modality == daybook.Asserted && denied(s, c) {
		st.Modality = daybook.Reported
	}
	st.Kind = kind(g, st)
	st.begun = begun(s, c)
	st.not, st.past, st.linking = g.Negated, g.Tense == english.Past || g.Perfect, isLinking(s, c)
	st.side = c.Kind == english.Reduced || c.Kind == english.Relative || c.Kind == english.Adverbial
	st.command = flags.Has(english.Imperative|english.Question) || len(s.Groups) > 0 && s.Groups[0].Verb == "let"
}

// announced reports whether a clause is what somebody wants to tell, and not what they
// want: "I wanted to let you know I joined a gym".
func announced(s *english.Sentence, c *english.Clause) bool {
	if c.Kind != english.Complement || c.Parent < 0 || s.Group(*c).Form != english.Finite {
		return false
	}
	switch s.Group(s.Clauses[c.Parent]).Verb {
	case "know", "tell", "say", "share", "show", "mention", "announce":
		return true
	}
	return false
}

// modality turns the flags of a clause into the way in which it is meant.
func modality(f english.Flags) daybook.Modality {
	switch {
	case f.Has(english.Reported):
		return daybook.Reported
	case f.Has(english.Conditional | english.Hypothetical):
		return daybook.Hypothetical
	case f.Has(english.Wish):
		return daybook.Wished
	case f.Has(english.Plan):
		return daybook.Planned
	case f.Has(english.Negated):
		return daybook.Negated
	case f.Has(english.Temporary | english.Occasion):
		return daybook.OneOff
	case f.Has(english.Hedged):
		return daybook.Hypothetical
	}
	return daybook.Asserted
}

// denied finds a clause beside c that takes it back: "…, but that's not true".
func denied(s *english.Sentence, c *english.Clause) bool {
	for i := range s.Clauses {
		o := &s.Clauses[i]
		if o == c || !o.Flags.Has(english.Negated) || o.Subject < 0 || o.First < c.First {
			continue
		}
		head := s.Tokens[s.Phrases[o.Subject].Head].Norm
		if g := s.Group(*o); (head == "that" || head == "it" || head == "this" || head == "which") && g.Verb == "be" {
			return true
		}
	}
	return false
}

// changes reports whether any clause of the sentence tells of a change, or an
// adverb sets the present against the past.
func changes(s *english.Sentence) bool {
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Kind == english.Adverbial {
			continue
		}
		if g := s.Group(*c); c.Verb >= 0 && changeVerbs[g.Verb] && !c.Flags.Has(english.Wish|english.Plan|english.Hypothetical|english.Conditional) {
			return true
		}
	}
	for _, t := range s.Tokens {
		if t.Norm == "now" || t.Norm == "nowadays" || t.Norm == "anymore" || t.Norm == "instead" {
			return true
		}
	}
	return false
}

// changeVerbs say that one state made way for another.
var changeVerbs = setOf("change switch become move replace shift swap upgrade adopt convert transfer relocate reset renew reschedule trade drop quit leave stop")

// likings are verbs of preference.
var likings = setOf("like love enjoy prefer hate dislike adore fancy favor favour")

// begun reports whether a clause says that what it tells of was begun: "I started playing
// the guitar five years ago".
func begun(s *english.Sentence, c *english.Clause) bool {
	starts := func(c *english.Clause) bool {
		g := s.Group(*c)
		return (g.Verb == "start" || g.Verb == "begin" || g.Lemma == "take up") && !g.Negated
	}
	return starts(c) || c.Parent >= 0 && c.Kind == english.Reduced && starts(&s.Clauses[c.Parent])
}

func kind(g english.VerbGroup, st *Statement) daybook.EventKind {
	switch {
	case st.Modality == daybook.Planned || st.Modality == daybook.Wished:
		return daybook.Plan
	case likings[g.Verb]:
		return daybook.Preference
	case st.Present || st.Changed:
		return daybook.StateChange
	}
	return daybook.Action
}

// reason returns what the sentence gives as its reason.
func reason(s *english.Sentence) string {
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Kind == english.Adverbial && (c.Subordinator == "because" || c.Subordinator == "since" || c.Subordinator == "as") {
			first := c.First
			for first < c.End && s.Tokens[first].Norm == c.Subordinator {
				first++
			}
			return strings.Trim(textOf(s, first, s.WholeEnd(i)), " .,;!")
		}
	}
	return ""
}
