package extract

import (
	"cmp"
	"slices"

	"daybook"
	"daybook/english"
)

// Statement is what one clause says: of whom, in which relation, which value.
type Statement struct {
	Start, End int         // the sentence in the note's text
	Who        english.Who // whose state it is, from the speaker's mouth
	Subject    string      // the subject as written when it is not the speaker
	Relation   string      // as written, without the value: "commute by", "main bank"
	Object     string      // the value as written
	Type       Type
	// Frame is the sentence without its value and its reason: what the value is
	// a value of.
	Frame    string
	Words    []string // lemmas of the content words of the frame
	Things   []string // what the sentence calls the speaker's: "bank" of "my main bank"
	Kind     daybook.EventKind
	Modality daybook.Modality
	Why      string  // the reason that was given
	Present  bool    // it holds at the time of speaking, by its tense
	Changed  bool    // it says itself that something changed
	Additive bool    // it comes beside what holds already
	Ended    bool    // it no longer holds
	Unique   bool    // grammar says that there is one: "my bank is"
	Own      bool    // it speaks of something of the speaker's, whatever its subject
	side     bool    // it stands in a clause that depends on another
	command  bool    // it asks for something
	awhile   bool    // it holds for a stretch of time only
	not      bool    // its verb is negated
	past     bool    // its verb tells of the past
	linking  bool    // its verb only says what something is
	picked   float64 // how far the object is to be trusted as the value of the sentence's state
	near     bool    // its subject is a thing that needs no telling which
	passing  bool    // it tells when or what for, and nothing that holds
	givenUp  bool    // its object was given up; it tells no state
	naming   bool    // it tells a name in passing: the sentence is about something else
	heir     string  // what took the place of an object that was given up, where it is said
	begun    bool    // it says that something began, and so goes on
	plain    bool    // its grammar leaves no doubt that the speaker says it of themselves
}

// Read returns the statements of a text in order.
func Read(text string) (all []Statement) {
	for _, s := range english.Read(text) {
		all = append(all, statements(&s)...)
	}
	return all
}

// statements returns what a sentence says, one statement for each clause that has
// a value. Clauses without one ("I switched browsers, …") tell how the others are
// meant.
func statements(s *english.Sentence) (all []Statement) {
	type stated struct {
		clause *english.Clause
		value  value
	}
	var with []stated
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Verb < 0 || !states(s, c) || proposes(s, c, value{}) || doingFirst(s, c) && c.Who != english.Speaker {
			continue
		}
		for _, v := range valuesOf(s, c) {
			if !cutOff(s, v) {
				with = append(with, stated{c, v})
			}
		}
	}
	for _, t := range with {
		st := Statement{Start: s.Start, End: s.End, Who: t.clause.Who}
		if t.value.mine {
			st.Who = english.Speaker
		}
		st.Object, st.Type = textOf(s, t.value.first, t.value.end), t.value.typ
		st.Relation = relation(s, t.clause, t.value)
		st.Frame, st.Words = frame(s, t.value, func(c *english.Clause) bool {
			for _, o := range with {
				if o.clause == c && c != t.clause {
					return true
				}
			}
			return false
		})
		st.Subject = subjectOf(s, t.clause)
		st.mean(s, t.clause)
		st.plain = plain(s, t.clause, &st)
		all = append(all, st)
	}
	return all
}

// cutOff reports whether a value lacks what belongs to it: "a mix" of "a mix of excited
// and scared", "full" of "full of pictures".
func cutOff(s *english.Sentence, v value) bool {
	if v.end < len(s.Tokens) && s.Tokens[v.end].Norm == "of" {
		return true
	}
	return v.typ == Name && datesOnly(s, nil, v) || v.end > v.first+1 && slices.ContainsFunc(s.Tokens[v.first:v.end], func(t english.Token) bool { return t.Tag == "VBD" })
}

// stateOf is the one value of a sentence that was judged to state something: the
// part of it that is likeliest a value by where it stands, among those that can be one
// by grammar. Where none can, it is the likeliest, in passing. Marks may be nil.
func stateOf(s *english.Sentence, marks []Mark) []Statement {
	all := picks(s, marks)
	if len(all) == 0 {
		return nil
	}
	for _, p := range all[:min(len(all), triedPicks)] {
		if st := stateWith(s, p.Candidate, p.trust); !st.passing {
			return []Statement{st}
		}
	}
	return []Statement{stateWith(s, all[0].Candidate, all[0].trust)}
}

// triedPicks is how many of the likeliest candidates are tried.
const triedPicks = 3

// stateWith is what a sentence states with a given value, trusted so far. A thing whose
// sentence speaks of the speaker is the speaker's: "it's 6:30 these days" after "I reset
// my alarm".
func stateWith(s *english.Sentence, picked Candidate, trust float64) Statement {
	c, v := picked.clause, picked.value
	st := Statement{Start: s.Start, End: s.End, Who: c.Who, Object: picked.Text, Type: v.typ, Relation: relation(s, c, v), Subject: subjectOf(s, c), picked: trust}
	st.passing = presents(s, c) || aims(s, c) || passes(s, c, v) || adrift(s, c) || !sound(s, c, v, st.Relation)
	st.Frame, st.Words = frame(s, v, func(*english.Clause) bool { return false })
	st.mean(s, c)
	if st.Relation == "" || st.Relation == "is" && c.Who == english.Thing {
		st.Relation = cmp.Or(ownThing(s, v.first), topic(s, v.first), st.Relation)
	}
	st.claim(s, c, v)
	return st
}

// loosely is what a sentence states whose clauses give nothing: what follows its
// colon, or the noun phrase that tells most. Nothing but its value is known of it.
func loosely(s *english.Sentence) []Statement {
	var v value
	for i := range s.Phrases {
		if o, ok := oneValue(s, i); ok && (v.end == 0 || o.score >= v.score) {
			v = o
		}
	}
	for i, t := range s.Tokens {
		if t.Norm == ":" && i > 0 && i+2 < len(s.Tokens) {
			v = value{first: i + 1, end: len(s.Tokens) - 1, typ: Thing}
		}
	}
	if v.end == 0 {
		return nil
	}
	st := Statement{Start: s.Start, End: s.End, Who: english.Speaker, Own: true, Present: true, Object: textOf(s, v.first, v.end), Type: v.typ}
	st.Frame, st.Words = frame(s, v, func(*english.Clause) bool { return false })
	return []Statement{st}
}

// states reports whether a clause says something of its own that may hold. What
// gives a reason, a condition or a time for another clause does not; nor does what
// hangs on a verb, unless that verb only says how it is meant ("want to", "decided
// to", "started").
func states(s *english.Sentence, c *english.Clause) bool {
	if c.Flags.Has(english.Question | english.Imperative | english.Quoted) {
		return false
	}
	switch c.Kind {
	case english.Main:
		return !presents(s, c)
	case english.Complement:
		return !presents(s, c) && tellsThat(s, c)
	case english.Reduced:
		p := governor(s, c)
		return c.Subordinator == "" && p != nil && catenative[s.Group(*p).Verb] && (!likings[s.Group(*p).Verb] || p.Flags.Has(english.Wish)) && states(s, p)
	case english.Adverbial:
		return factive[c.Subordinator] && saidByI(s, c) && s.Group(*c).Tense == english.Present
	}
	return false
}

// factive subordinators lead what is so, beside what it is said for.
var factive = setOf("because since although though")

// presents reports whether a clause only shows something: "here's a photo",
// "there are two".
func presents(s *english.Sentence, c *english.Clause) bool {
	first := s.Tokens[c.First].Norm
	return (first == "here" || first == "there") && s.Group(*c).Verb == "be"
}

// tellsThat reports whether what hangs on a verb is told as so: "I think that", "I'm
// glad", and not "make sure that", "what we can do".
func tellsThat(s *english.Sentence, c *english.Clause) bool {
	switch c.Subordinator {
	case "what", "how", "why", "whether", "if", "where", "when", "who", "which":
		return false
	}
	if c.Parent < 0 {
		return true
	}
	p := &s.Clauses[c.Parent]
	return !untold[s.Group(*p).Verb] && !p.Flags.Has(english.Imperative|english.Question)
}

// untold are verbs under which nothing is told as so.
var untold = setOf("make let mean ensure imagine pretend see suggest ask wonder doubt fear worry")

// catenative verbs say of what follows how it is meant, or that it begins or ends.
var catenative = setOf("want hope wish plan decide intend aim dream start begin continue keep manage like love prefer look prepare consider think need")
