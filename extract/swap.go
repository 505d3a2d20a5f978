package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// swap is a thing that made way for another: phrases of a sentence, -1 where it does not
// name them.
type swap struct {
	clause   *english.Clause
	old, new int
	of       int    // what was changed: "our bank"
	prep     string // before the new one
}

// swaps are what a sentence says that somebody changed for something else: "I switched
// from Notion to Obsidian", "we replaced the Fiesta with a Yaris".
func swaps(s *english.Sentence) (all []swap) {
	for i := range s.Clauses {
		c := &s.Clauses[i]
		w := swapIn(s, c)
		if !done(s, c) || c.Who != english.Speaker && !w.sets(s) {
			continue
		}
		if named := func(p int) bool { return p < 0 || !s.Phrases[p].Pronoun }; (w.old >= 0 || w.of >= 0 && w.new >= 0) && named(w.old) && named(w.new) {
			all = append(all, w)
		}
	}
	return all
}

// swapIn reads the objects and prepositions of a verb that changes one thing for another.
func swapIn(s *english.Sentence, c *english.Clause) swap {
	w, verb := swap{clause: c, old: -1, new: -1, of: -1}, s.Group(*c).Verb
	if len(c.Objects) > 0 && (turning[verb] || setting[verb]) {
		if o := s.Phrases[c.Objects[0]]; isFirstPerson(o.Owner) || o.Determiner == "the" || o.Named {
			w.of = c.Objects[0]
		}
	}
	for _, p := range c.Preps {
		switch {
		case turning[verb] && p.Word == "from":
			w.old = p.Phrase
		case (turning[verb] || w.of >= 0) && p.Word == "to":
			w.new, w.prep = p.Phrase, p.Word
		case len(c.Objects) > 0 && (trading[verb] && p.Word == "for" || verb == "replace" && (p.Word == "with" || p.Word == "by")):
			w.old, w.new, w.prep = c.Objects[0], p.Phrase, p.Word
		}
	}
	return w
}

var (
	turning = setOf("switch change move migrate convert transfer upgrade downgrade")
	trading = setOf("trade swap exchange")
)

// sets reports whether a definite thing gets another time, number or price, whoever did it:
// "they moved the exam to 4 May", "the landlord raised the rent to 900 euros".
func (w swap) sets(s *english.Sentence) bool {
	if w.of < 0 || w.new < 0 || !setting[s.Group(*w.clause).Verb] || s.Phrases[w.of].Named {
		return false
	}
	v, ok := oneValue(s, w.new)
	return ok && (v.typ == When || v.typ == Number || v.typ == Money)
}

// Reset is the new value of a thing that a sentence says was changed: "the rent" of "they
// raised the rent to 900 euros". It is false where it says no such thing.
func Reset(s *english.Sentence) (Statement, bool) {
	for _, w := range swaps(s) {
		if w.sets(s) {
			all := w.told(s)
			return all[len(all)-1], true
		}
	}
	return Statement{}, false
}

// told are the statements of a swap: what was given up, and what took its place, of the
// thing that was changed where it is named ("our bank").
func (w swap) told(s *english.Sentence) []Statement {
	var all []Statement
	if w.old >= 0 {
		all = append(all, givenUp(s, w.clause, w.old))
	}
	if w.new < 0 {
		return all
	}
	st := selfTold(s, w.clause, s.Group(*w.clause).Lemma+" "+w.prep, w.new)
	st.Who, st.Present = english.Speaker, true
	st.Changed = true
	if v, ok := oneValue(s, w.new); ok {
		st.Type = v.typ
	}
	st.Frame, st.Words = frame(s, value{first: s.Phrases[w.new].First, end: fullEnd(s, w.new)}, func(*english.Clause) bool { return false })
	if w.of >= 0 {
		st.Relation, st.Unique = bareWords(s, w.of), true
	}
	if w.old >= 0 {
		all[0].heir = st.Object
	}
	return append(all, st)
}

// Over are what a sentence says is no longer so, each with what took its place where the
// sentence says it.
func Over(s *english.Sentence) (all []Gone) {
	for _, st := range over(s) {
		all = append(all, Gone{st.Object, st.heir})
	}
	return all
}

// Gone is a thing that is no longer used, held or kept, and what is in its place.
type Gone struct{ Object, Heir string }

// Heir is what a text says took the place of a thing; empty where it says nothing of it.
func Heir(text, old string) string {
	for _, s := range english.Read(text) {
		for _, st := range endings(&s) {
			if st.heir != "" && daybook.Fold(st.Object) == daybook.Fold(old) {
				return st.heir
			}
		}
	}
	return ""
}

// over are the statements of what a sentence says is no longer so.
func over(s *english.Sentence) (all []Statement) {
	for _, st := range endings(s) {
		if st.givenUp || st.Ended {
			all = append(all, st)
		}
	}
	return all
}

// amend sets a statement right whose value is what its sentence gives up: the value is
// what took its place, or it is over.
func (st *Statement) amend(s *english.Sentence) {
	for _, o := range over(s) {
		if !strings.Contains(" "+daybook.Fold(st.Object)+" ", " "+daybook.Fold(o.Object)+" ") {
			continue
		}
		if st.Object = o.Object; o.heir != "" {
			st.Object, st.Changed = o.heir, true
			return
		}
		st.Ended = true
		return
	}
}

// Given is what a sentence says is over, where it states nothing else.
func Given(s *english.Sentence) (Statement, bool) {
	all := over(s)
	if len(all) == 0 {
		return Statement{}, false
	}
	st := all[0]
	st.Ended = true
	return st, true
}

// Swapped is what a sentence says that somebody changed for something else; empty where
// it says no such thing.
func Swapped(s *english.Sentence) string {
	for _, w := range swaps(s) {
		if w.old >= 0 {
			return textOf(s, s.Phrases[w.old].First, fullEnd(s, w.old))
		}
	}
	return ""
}
