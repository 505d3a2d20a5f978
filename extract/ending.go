package extract

import (
	"daybook"
	"daybook/english"
)

// endings are what a sentence says is over, with nothing in its place: the values of
// states ("I stopped taking ibuprofen", "I quit my job at Voith"), and things that are
// given up whatever they were ("I cancelled FitInn"), as values of the relation Stopped.
func endings(s *english.Sentence) (all []Statement) {
	for _, w := range swaps(s) {
		all = append(all, w.told(s)...)
	}
	for i := range s.Clauses {
		c := &s.Clauses[i]
		lost := parted(s, c)
		if lost < 0 {
			lost = takenOff(s, c)
		}
		if lost >= 0 {
			all = append(all, givenUp(s, c, lost))
			continue
		}
		if !ends(s, c) || swapIn(s, c).old >= 0 {
			continue
		}
		if st, ok := stoppedDoing(s, i); ok {
			all = append(all, st)
			continue
		}
		if stops[s.Group(*c).Lemma] && len(c.Objects) > 0 {
			all = append(all, givenUp(s, c, c.Objects[0]))
		}
		for _, p := range c.Preps {
			switch said := s.Group(*c).Lemma + " " + p.Word; {
			case stops[said] && len(c.Objects) == 0:
				all = append(all, givenUp(s, c, p.Phrase))
			case leaves[s.Group(*c).Verb] && len(c.Objects) > 0 && s.Tokens[s.Phrases[c.Objects[0]].Head].Lemma == "job" && (p.Word == "at" || p.Word == "with"):
				st := selfTold(s, c, "work at", p.Phrase)
				st.Ended = true
				all = append(all, st)
			}
		}
	}
	return all
}

// done reports whether a clause tells of something that was done or has been done.
func done(s *english.Sentence, c *english.Clause) bool {
	g := s.Group(*c)
	past := g.Tense == english.Past || g.Perfect
	return c.Verb >= 0 && c.Kind == english.Main && past && g.Modal == "" && !c.Flags.Has(notDone)
}

// takenOff is the phrase for what somebody ended for the speaker: "she took me off
// ramipril"; -1 where a clause says no such thing.
func takenOff(s *english.Sentence, c *english.Clause) int {
	if !done(s, c) || s.Group(*c).Verb != "take" || len(c.Objects) == 0 || s.Tokens[s.Phrases[c.Objects[0]].Head].Norm != "me" {
		return -1
	}
	for _, p := range c.Preps {
		if p.Word == "off" && !s.Phrases[p.Phrase].Pronoun {
			return p.Phrase
		}
	}
	return -1
}

// notDone are clauses that tell of nothing that was done.
const notDone = meantOtherwise | english.Negated | english.Plan | english.Wish | english.Hedged

// ends reports whether a clause tells of something that the speaker did or has done.
func ends(s *english.Sentence, c *english.Clause) bool {
	return done(s, c) && (saidByI(s, c) || c.Implicit && c.Who == english.Speaker || ourEnd[s.Group(*c).Lemma] && c.Who == english.Speaker)
}

// ourEnd are verbs by which "we" give up what is the speaker's, too.
var ourEnd = setOf("cancel sell drop ditch uninstall")

// parted is the phrase for whom the speaker is no longer together with, or who is no
// longer alive: "Anna and I split up", "our dog died"; -1 where a clause says no such thing.
func parted(s *english.Sentence, c *english.Clause) int {
	if c.Verb < 0 || c.Subject < 0 || c.Implicit {
		return -1
	}
	p, g := s.Phrases[c.Subject], s.Group(*c)
	switch {
	case partings[g.Lemma] && saidByI(s, c) && len(c.CoSubjects) == 1 && (done(s, c) || g.Verb == "split" && g.Tense == english.Present && !c.Flags.Has(notDone)):
	case deaths[g.Lemma] && done(s, c) && (p.Named || isFirstPerson(p.Owner) || p.Determiner == "" && startsUpper(s.Tokens[p.First].Text)):
	default:
		return -1
	}
	if p.Pronoun {
		return -1
	}
	return c.Subject
}

// stops are verbs that say that a thing is no longer used, held or kept, with their
// particles and prepositions.
var stops = map[string]bool{
	"cancel": true, "quit": true, "leave": true, "drop": true, "scrap": true, "abandon": true, "call off": true, "ditch": true, "dump": true, "give up": true, "sell": true, "uninstall": true, "delete": true,
	"unsubscribe from": true, "come off": true, "do with": true, "break up with": true, "split up with": true,
}

// GivesUp reports whether a verb says that something is over.
func GivesUp(g english.VerbGroup) bool { return stops[g.Lemma] || g.Verb == "stop" }

var leaves = setOf("quit leave lose")

// Verbs for two who part, and for the end of a life.
var (
	partings = map[string]bool{"break up": true, "split up": true, "split": true, "separate": true, "divorce": true}
	deaths   = map[string]bool{"die": true, "pass away": true}
)

// stoppedDoing reads "stopped taking ibuprofen": what was done is over.
func stoppedDoing(s *english.Sentence, clause int) (Statement, bool) {
	g := s.Group(s.Clauses[clause])
	if g.Verb != "stop" && g.Verb != "quit" && g.Lemma != "give up" {
		return Statement{}, false
	}
	for k := clause + 1; k < len(s.Clauses); k++ {
		d := &s.Clauses[k]
		doing := s.Group(*d)
		if d.Parent != clause || d.Verb < 0 || doing.Form != english.Gerund {
			continue
		}
		relation, phrase := doing.Lemma, -1
		if len(d.Objects) > 0 {
			phrase = d.Objects[0]
		} else if len(d.Preps) > 0 {
			relation, phrase = doing.Lemma+" "+d.Preps[0].Word, d.Preps[0].Phrase
		}
		if phrase < 0 || s.Phrases[phrase].Pronoun {
			return Statement{}, false
		}
		st := selfTold(s, &s.Clauses[clause], relation, phrase)
		st.Ended = true
		return st, true
	}
	return Statement{}, false
}

// givenUp says that a thing was given up: by its name, where it has one.
func givenUp(s *english.Sentence, c *english.Clause, phrase int) Statement {
	st := selfTold(s, c, Stopped, phrase)
	st.Object = bareWords(s, phrase)
	for _, n := range s.Names() {
		if p := s.Phrases[phrase]; p.First <= n.First && n.End <= p.End {
			st.Object, st.Type = n.Text, Name
		}
	}
	st.Ended, st.givenUp = false, true
	st.Modality, st.Kind, st.Changed = daybook.Asserted, daybook.StateChange, true
	return st
}

// Stopped is the relation of what was given up: a value of any lasting relation that is
// the same thing is over then.
const Stopped = "stopped"

// unending are relations of what took place or is felt: they do not end when a thing is
// given up.
var unending = setOf("stopped likes dislikes wants prefers allergic_to afraid_of bought visited attended started met made won lost joined moved_to is from name nickname birthday age believes")

// Lasting reports whether values of a relation are over when the thing is given up.
func Lasting(relation string) bool { return !unending[relation] }
