package extract

import (
	"cmp"
	"slices"
	"strings"

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

// topic names the first thing that a sentence speaks of before a token.
func topic(s *english.Sentence, before int) string {
	for i, p := range s.Phrases {
		if p.End <= before && !p.Pronoun && !p.Time && !vague[s.Tokens[p.Head].Lemma] {
			return bareWords(s, i)
		}
	}
	return ""
}

// passes reports whether a value only says when something was, or of what that is
// not named: "last week", "I enjoy it after work".
func passes(s *english.Sentence, c *english.Clause, v value) bool {
	switch v.typ {
	case Thing:
		return ofUnnamed(s, c)
	case Number:
		return v.prep == "for" && v.end == v.first+1 && !hasDigit(s.Tokens[v.first].Norm)
	}
	if !endsInTime(s, v.end) || hasMoney(textOf(s, v.first, v.end)) || recurs(s, v) && s.Group(*c).Tense != english.Past {
		return false
	}
	for i := v.first; i < v.end; i++ {
		switch s.Tokens[i].Norm {
		case "last", "next", "this", "ago", "yesterday", "today", "tonight", "tomorrow", "past", "previous":
			return true
		}
	}
	g := s.Group(*c)
	once := g.Tense == english.Past && !changeVerbs[g.Verb] && s.Tokens[v.end-1].Tag != "NNPS"
	return c.Who == english.Speaker && (once || g.Verb == "be" && v.prep == "")
}

// adrift reports whether a clause speaks of what the sentence does not name: its
// subject is a pronoun, nothing of the speaker's comes before it, and it has none.
func adrift(s *english.Sentence, c *english.Clause) bool {
	if c.Subject < 0 || !s.Phrases[c.Subject].Pronoun {
		return false
	}
	switch s.Tokens[s.Phrases[c.Subject].Head].Norm {
	case "it", "this", "that", "they", "these", "those":
	default:
		return false
	}
	for i := range min(c.End, len(s.Tokens)) {
		if n := s.Tokens[i].Norm; n == "my" || n == "our" || n == "me" && i > c.First {
			return moving[s.Group(*c).Verb] && i > c.First
		}
	}
	return topic(s, c.First) == "" && !(changes(s) && firstPerson(s))
}

// aims reports whether a clause says what something is for: "… to make room".
func aims(s *english.Sentence, c *english.Clause) bool {
	if c.Kind != english.Reduced || s.Group(*c).Form != english.Infinitive {
		return false
	}
	p := governor(s, c)
	return p == nil || !catenative[s.Group(*p).Verb]
}

// claim makes a state the speaker's where the sentence says so and its subject is
// not somebody with a name: "they collect the trash at my place", "the one who
// signs my papers is Anna". A subject that is itself the value is nobody's state:
// "Anna became my manager". Nor is what is said of something with a name.
func (st *Statement) claim(s *english.Sentence, c *english.Clause, v value) {
	mine := firstPerson(s) || own(s)
	switch st.Who {
	case english.Person, english.PersonThing:
		if v.subject || st.Own && anonymous(st.Subject) {
			st.Who, st.Own = english.Thing, true
		}
	case english.Hearer, english.HearerThing:
		if mine {
			st.Who, st.Own = english.Thing, true
		}
	default:
		named := c.Subject >= 0 && s.Phrases[c.Subject].Named && !s.Phrases[c.Subject].Time
		st.Own = st.Own || mine && (v.subject || !named)
	}
}

// anonymous reports whether a subject names nobody and points at nobody known:
// "they", "the one".
func anonymous(subject string) bool {
	first, _, _ := strings.Cut(strings.ToLower(subject), " ")
	switch first {
	case "they", "the", "one", "someone", "somebody", "everyone", "everybody", "people":
		return true
	}
	return false
}

// ownThing names the first thing before a token that the sentence calls the
// speaker's: what "it" in "I changed my order, it's …" stands for. It is empty where
// there is none.
func ownThing(s *english.Sentence, before int) string {
	for i, p := range s.Phrases {
		if p.First < before && isFirstPerson(p.Owner) {
			if words := bareWords(s, i); words != "" {
				return words
			}
		}
	}
	return ""
}

// ownThings are the nouns of what a sentence calls the speaker's, each once.
func ownThings(s *english.Sentence) (all []string) {
	for _, p := range s.Phrases {
		if noun := s.Tokens[p.Head].Lemma; isFirstPerson(p.Owner) && !p.Named && !slices.Contains(all, noun) {
			all = append(all, noun)
		}
	}
	return all
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
	st.Modality = modality(flags, st.Present)
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

// modality turns the flags of a clause into the way in which it is meant.
func modality(f english.Flags, present bool) daybook.Modality {
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
	case f.Has(english.Temporary), present && f.Has(english.Occasion):
		return daybook.OneOff
	case f.Has(english.Occasion):
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

// changeVerbs say that one state made way for another.
var changeVerbs = setOf("change switch become move replace shift swap upgrade adopt convert transfer relocate reset renew reschedule trade drop quit leave stop")

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

// ownPlace reports whether the subject, or what links to it, is the speaker's: "the
// code to my apartment is …".
func ownPlace(s *english.Sentence, c *english.Clause) bool {
	of := s.Phrases[c.Subject].Of
	if of >= 0 && isFirstPerson(s.Phrases[of].Owner) {
		return true
	}
	for i := c.First; i < c.End && i < len(s.Tokens); i++ {
		if n := s.Tokens[i].Norm; n == "my" || n == "our" {
			return true
		}
	}
	return false
}

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

// subjectOf is the subject as written, where it is neither the speaker nor
// something of the speaker's.
func subjectOf(s *english.Sentence, c *english.Clause) string {
	switch c.Who {
	case english.Speaker, english.SpeakerThing:
		return ""
	}
	return s.FullText(c.Subject)
}

// relation names what a value is a value of: the thing it describes, or the verb
// with what stands between it and the value.
func relation(s *english.Sentence, c *english.Clause, v value) string {
	if v.said != "" {
		return v.said
	}
	if a := c.Attribute; v.subject && a >= 0 && isFirstPerson(s.Phrases[a].Owner) {
		return bareWords(s, a) // "Anna is my manager"
	}
	var parts []string
	if c.Who == english.SpeakerThing || c.Who == english.PersonThing || c.Who == english.Thing && !v.subject {
		parts = append(parts, bareWords(s, c.Subject))
	}
	g := s.Group(*c)
	linking := c.Attribute >= 0 || c.Adjective >= 0 && (being[g.Verb] || linkingOnly[g.Verb]) || g.Verb == "be"
	if !linking && v.typ != Activity {
		parts = append(parts, g.Lemma)
		for _, o := range c.Objects {
			if s.Phrases[o].End <= v.first || v.subject {
				parts = append(parts, bareWords(s, o))
				break
			}
		}
	} else if len(parts) == 0 {
		parts = append(parts, "is")
	}
	if v.prep != "" {
		parts = append(parts, v.prep)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// bareWords are the words of a phrase without determiner, owner and pronouns.
func bareWords(s *english.Sentence, phrase int) string {
	if phrase < 0 || s.Phrases[phrase].Pronoun {
		return ""
	}
	var words []string
	p := s.Phrases[phrase]
	for i := p.First; i < p.End; i++ {
		switch t := s.Tokens[i]; t.Tag {
		case "DT", "PRP$", "POS", "PRP", "PDT":
		default:
			words = append(words, t.Norm)
		}
	}
	return strings.Join(words, " ")
}

// frame is the sentence without what leads up to it, its reason, the given value and
// the clauses to skip, and the lemmas of its content words.
func frame(s *english.Sentence, v value, skip func(*english.Clause) bool) (string, []string) {
	drop := make([]bool, len(s.Tokens))
	for i := range leadInEnd(s) {
		drop[i] = i < v.first
	}
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Verb < 0 || skip(c) || c.Kind == english.Adverbial && (c.Subordinator == "because" || c.Subordinator == "since") {
			for t := c.First; t < c.End && t < len(drop); t++ {
				drop[t] = true
			}
		}
	}
	var b strings.Builder
	var words []string
	for i, t := range s.Tokens {
		switch {
		case i == v.first:
			b.WriteString(" something")
		case i > v.first && i < v.end, drop[i]:
		default:
			if t.Tag != "POS" && !strings.HasPrefix(t.Norm, "'") && t.Norm != "n't" && !isMark(t.Norm) {
				b.WriteByte(' ')
			}
			b.WriteString(t.Text)
			if content(t) {
				words = append(words, t.Lemma)
			}
		}
	}
	return strings.TrimSpace(b.String()), words
}

func isMark(norm string) bool { return len(norm) == 1 && strings.ContainsAny(norm, ".,;:!?") }

// content reports whether a token carries meaning of its own.
func content(t english.Token) bool {
	switch t.Lemma {
	case "be", "have", "do", "now":
		return false
	}
	return strings.HasPrefix(t.Tag, "NN") || strings.HasPrefix(t.Tag, "VB") || strings.HasPrefix(t.Tag, "JJ") || t.Tag == "CD" || strings.HasPrefix(t.Tag, "RB") && len(t.Norm) > 3
}
