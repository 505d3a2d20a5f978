package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is one sentence, read. Offsets are those of the text that was read.
type Sentence struct {
	Span
	Text    string
	Tokens  []Token
	Phrases []NounPhrase
	Groups  []VerbGroup
	Clauses []Clause // in the order of their verbs
	units   []unit
}

// Kind says how a clause hangs in its sentence.
type Kind string

// Kinds of clauses.
const (
	Main       Kind = "main"       // also a coordinated one
	Adverbial  Kind = "adverbial"  // because, when, if, …
	Complement Kind = "complement" // that, whether; what was said, thought, heard
	Relative   Kind = "relative"   // who, which, that
	Reduced    Kind = "reduced"    // infinitive, gerund or participle
)

// Who says whose state a clause speaks of.
type Who string

// Subjects.
const (
	Nobody       Who = ""              // no subject was found
	Speaker      Who = "speaker"       // I, we, or dropped
	SpeakerThing Who = "speaker thing" // my car; and my manager in "my manager is Lorenzo"
	Hearer       Who = "hearer"        // you
	HearerThing  Who = "hearer thing"  // your car
	Person       Who = "person"        // Anna, she, my dad, the doctor
	PersonThing  Who = "person thing"  // her car, Anna's car
	Thing        Who = "thing"         // it, the car
)

// Prep is a preposition with its noun phrase.
type Prep struct {
	Word   string // lower case
	Token  int
	Phrase int // index in Sentence.Phrases
}

// Clause is a verb with what belongs to it. Indexes are -1 where there is none.
type Clause struct {
	First, End   int // tokens; clauses inside it may lie between
	Kind         Kind
	Parent       int // clause it depends on, or -1
	Depth        int // 0 for main
	Subordinator string
	Subject      int    // phrase
	CoSubjects   []int  // phrases joined to the subject by "and"
	Implicit     bool   // the subject was dropped, shared or understood, not written here
	Who          Who    // whose state
	Role         string // with SpeakerThing, HearerThing, PersonThing and Person by role: the noun: "car", "dad"
	Verb         int    // verb group; -1 in a fragment
	Objects      []int  // phrases
	Attribute    int    // phrase that a linking verb joins to the subject
	Adjective    int    // token of a predicate adjective
	Preps        []Prep
	Times        []int // phrases that name a time, without preposition
	Adverbs      []int // tokens
	Flags        Flags
}

// Read reads a text sentence by sentence.
func Read(text string) []Sentence {
	spans := Sentences(text)
	out := make([]Sentence, len(spans))
	for i, span := range spans {
		out[i] = readSentence(text, span)
	}
	return out
}

// ReadNth is the nth sentence of what Read returns; false where there are fewer.
func ReadNth(text string, n int) (Sentence, bool) {
	spans := Sentences(text)
	if n < 0 || n >= len(spans) {
		return Sentence{}, false
	}
	return readSentence(text, spans[n]), true
}

// ReadSpan reads a part of a text as one sentence.
func ReadSpan(text string, span Span) Sentence { return readSentence(text, span) }

// ReadSentence reads a text as one sentence.
func ReadSentence(text string) Sentence { return readSentence(text, Span{0, len(text)}) }

func readSentence(text string, span Span) Sentence {
	s := Sentence{Span: span, Text: span.Of(text), Tokens: Tokens(span.Of(text))}
	Tag(s.Tokens)
	s.Phrases, s.Groups = chunk(s.Tokens)
	s.units = s.makeUnits()
	s.findClauses()
	s.fillClauses()
	s.flagClauses()
	for i := range s.Tokens {
		s.Tokens[i].Start += span.Start
		s.Tokens[i].End += span.Start
	}
	return s
}

// PhraseText returns a phrase as written; "" for -1.
func (s *Sentence) PhraseText(phrase int) string {
	if phrase < 0 {
		return ""
	}
	np := s.Phrases[phrase]
	return joinTokens(s.Tokens, np.First, np.End)
}

// FullText returns a phrase as written, with what "of" links to it.
func (s *Sentence) FullText(phrase int) string {
	if phrase < 0 {
		return ""
	}
	last := phrase
	for s.Phrases[last].Of >= 0 {
		last = s.Phrases[last].Of
	}
	return joinTokens(s.Tokens, s.Phrases[phrase].First, s.Phrases[last].End)
}

// Head returns the lemma of a phrase's head; "" for -1.
func (s *Sentence) Head(phrase int) string {
	if phrase < 0 {
		return ""
	}
	return s.Tokens[s.Phrases[phrase].Head].Lemma
}

// WholeEnd is where a clause ends together with the clauses that hang on it: of "because
// it kept crashing" behind "crashing".
func (s *Sentence) WholeEnd(clause int) int {
	end := s.Clauses[clause].End
	for k := clause + 1; k < len(s.Clauses); k++ {
		if s.Under(k, clause) {
			end = max(end, s.Clauses[k].End)
		}
	}
	return end
}

// Under reports whether a clause hangs on one before it, by itself or by those between.
func (s *Sentence) Under(clause, other int) bool {
	p := s.Clauses[clause].Parent
	for p > other {
		p = s.Clauses[p].Parent
	}
	return p == other
}

// Group returns the verb group of a clause; a zero group if it has none.
func (s *Sentence) Group(c Clause) VerbGroup {
	if c.Verb < 0 {
		return VerbGroup{Main: -1, inner: -1}
	}
	return s.Groups[c.Verb]
}

// unit is what clauses are built of: a chunk or a single token.
type unit struct {
	kind   unitKind
	index  int // of the phrase or group; of the token for the rest
	first  int // token
	clause int // which clause it belongs to, or -1
}

type unitKind uint8

const (
	unitOther unitKind = iota
	unitPhrase
	unitGroup
	unitPrep
	unitSub // a subordinator or relative
	unitCC
	unitMark // comma, colon, dash, bracket, quote
	unitAdjective
	unitAdverb
	unitWh
)

func (s *Sentence) makeUnits() []unit {
	units := make([]unit, 0, len(s.Tokens))
	np, g := 0, 0
	for i := 0; i < len(s.Tokens); {
		switch {
		case g < len(s.Groups) && s.Groups[g].First == i:
			units = append(units, unit{unitGroup, g, i, -1})
			i = s.Groups[g].End
			for np < len(s.Phrases) && s.Phrases[np].First < i {
				np++ // the subject inside an inverted group
			}
			g++
		case np < len(s.Phrases) && s.Phrases[np].First == i:
			units = append(units, unit{unitPhrase, np, i, -1})
			i = s.Phrases[np].End
			np++
		default:
			units = append(units, unit{s.tokenUnit(i), i, i, -1})
			i++
		}
	}
	s.markSubordinators(units)
	return units
}

func (s *Sentence) tokenUnit(i int) unitKind {
	t := s.Tokens[i]
	switch {
	case t.Tag == "WP" || t.Tag == "WDT" || t.Tag == "WRB" || t.Tag == "WP$":
		return unitWh
	case t.Tag == "CC":
		return unitCC
	case strings.Contains(`, : ( ) `+"`` ''"+` "`, t.Tag) && t.Tag != "":
		return unitMark
	case t.Tag == "IN" || t.Tag == "TO" || t.Tag == "RP" && prepositions[t.Norm]:
		return unitPrep
	case isAdjTag(t.Tag) || t.Tag == "VBN":
		return unitAdjective
	case isAdverbTag(t.Tag) || t.Tag == "RP":
		return unitAdverb
	}
	return unitOther
}

// markSubordinators decides which prepositions, adverbs and question words begin
// a dependent clause.
func (s *Sentence) markSubordinators(units []unit) {
	for i := range units {
		u := &units[i]
		if u.kind != unitPrep && u.kind != unitWh && u.kind != unitAdverb {
			continue
		}
		norm := s.Tokens[u.index].Norm
		switch {
		case !subordinators[norm]:
		case u.kind == unitWh && i == 0:
			if norm == "when" && !s.isQuestionAt(units, i) || (norm == "where" || norm == "whenever") && !s.isQuestionAt(units, i) {
				u.kind = unitSub
			}
		case u.kind == unitPrep && i+1 < len(units) && units[i+1].kind == unitWh: // "since when"
		case norm == "because" && i+1 < len(units) && s.Tokens[units[i+1].first].Norm == "of":
		case u.kind == unitWh:
			if i > 0 && !s.isQuestionAt(units, i) || i > 0 && units[i-1].kind == unitPhrase {
				u.kind = unitSub
			}
		case s.clauseFollows(units, i+1, norm):
			u.kind = unitSub
		}
	}
}

// isQuestionAt reports whether an inverted verb follows the question word at i.
func (s *Sentence) isQuestionAt(units []unit, i int) bool {
	for j := i + 1; j < len(units) && j < i+4; j++ {
		if units[j].kind == unitGroup {
			g := s.Groups[units[j].index]
			return g.Inverted || strings.HasSuffix(s.Text, "?") && (g.Verb == "be" || i == 0)
		}
	}
	return false
}

// clauseFollows reports whether a subject and a finite verb, or a gerund, come
// after a word that can be a subordinator.
func (s *Sentence) clauseFollows(units []unit, i int, norm string) bool {
	seen := false
	for ; i < len(units); i++ {
		switch u := units[i]; u.kind {
		case unitPhrase:
			seen = seen || !s.Phrases[u.index].Time || norm == "because" || norm == "if"
		case unitGroup:
			g := s.Groups[u.index]
			if g.Form == Gerund || g.Form == Participle {
				return !seen && (norm == "before" || norm == "after" || norm == "while" || norm == "since" || norm == "when" || norm == "once" || norm == "if")
			}
			return seen && g.Form != Infinitive || norm == "if" || norm == "because" || g.Inverted
		case unitMark, unitCC:
			if !seen || s.Tokens[u.first].Norm == "," || u.kind == unitMark {
				return false
			}
		case unitPrep:
			if seen && subordinators[s.Tokens[u.index].Norm] && s.Tokens[u.index].Norm != "as" {
				return false
			}
		}
	}
	return false
}

// findClauses makes a clause for each verb group and deals out the units.
func (s *Sentence) findClauses() {
	prev := -1
	for v := range s.units {
		if s.units[v].kind != unitGroup {
			continue
		}
		c := Clause{Parent: -1, Subject: -1, Verb: s.units[v].index, Attribute: -1, Adjective: -1, Kind: Main}
		start := s.openClause(&c, prev, v)
		s.deal(prev, start, v, c.Kind)
		c.First = s.units[start].first
		s.Clauses = append(s.Clauses, c)
		prev = v
	}
	if len(s.Clauses) == 0 && len(s.units) > 0 {
		s.Clauses = append(s.Clauses, Clause{Parent: -1, Subject: -1, Verb: -1, Attribute: -1, Adjective: -1, Kind: Main})
	}
	s.closeClauses()
}

// deal gives the units between two verbs to the clause before start and to the
// new one from start on.
func (s *Sentence) deal(prev, start, v int, kind Kind) {
	clause := len(s.Clauses)
	for u := prev + 1; u < start; u++ {
		if s.units[u].clause < 0 && prev >= 0 {
			s.units[u].clause = clause - 1
		}
	}
	for u := start; u <= v; u++ {
		s.units[u].clause = clause
	}
	if kind == Main {
		for u := range start { // what waited for a finite verb: fronted phrases
			if s.units[u].clause < 0 {
				s.units[u].clause = clause
			}
		}
	}
}

// closeClauses gives what is left to the last clause and sets the ends.
func (s *Sentence) closeClauses() {
	last := len(s.Clauses) - 1
	for u := len(s.units) - 1; u >= 0 && s.units[u].clause < 0; u-- {
		s.units[u].clause = last
	}
	for u := range s.units {
		if s.units[u].clause < 0 {
			s.units[u].clause = 0
		}
	}
	for c := range s.Clauses {
		first, end := -1, 0
		for u, x := range s.units {
			if x.clause != c {
				continue
			}
			if first < 0 {
				first = x.first
			}
			end = len(s.Tokens)
			if u+1 < len(s.units) {
				end = s.units[u+1].first
			}
		}
		s.Clauses[c].First, s.Clauses[c].End = max(first, 0), end
	}
}

// openClause finds subject, kind and parent of the clause whose verb is the unit
// v, and returns the unit where it starts.
func (s *Sentence) openClause(c *Clause, prev, v int) int {
	g := s.Groups[c.Verb]
	index := len(s.Clauses)
	if g.Form == Infinitive || g.Form == Gerund || g.Form == Participle {
		return s.openReduced(c, prev, v, index)
	}
	sub := s.lastSub(prev, v)
	subject := s.findSubject(max(prev, sub), v)
	if sub < 0 && subject >= 0 && s.resumes(prev, subject, v) {
		subject = -1
	}
	if g.Form == Base && prev >= 0 && sub < 0 && s.takesBare(prev, v) {
		return s.openReduced(c, prev, v, index)
	}
	if prev == 0 && sub < 0 && s.Clauses[0].Kind == Reduced && s.Groups[0].Form == Gerund && !s.hasComma(prev, v) && !s.hasCC(prev, v) {
		return v // "Trying new classes is fun": the gerund is the subject
	}
	if g.inner >= 0 {
		c.Subject = s.phraseAtToken(g.inner)
	} else if subject >= 0 {
		c.Subject = s.units[subject].index
		c.CoSubjects = s.coSubjects(max(prev, sub), subject, prev)
	}
	if len(c.CoSubjects) > 0 {
		last := c.Subject
		c.Subject, c.CoSubjects = c.CoSubjects[0], append(c.CoSubjects[1:], last)
	}
	if sub >= 0 {
		s.openSubordinate(c, sub, index)
		return sub
	}
	if subject < 0 {
		return s.openBare(c, prev, v, index)
	}
	return s.openWithSubject(c, prev, subject, index)
}

// takesBare reports whether a bare verb depends on the one before it: "help
// improve", "make it happen", "let me know". "Let's" leads a clause of its own.
func (s *Sentence) takesBare(prev, v int) bool {
	g := s.Groups[s.units[prev].index]
	if !bareVerbs[g.Verb] || g.Verb == "be" || s.hasCC(prev, v) || s.hasComma(prev, v) {
		return false
	}
	return !(g.Verb == "let" && g.End < len(s.Tokens) && s.Tokens[g.End].Norm == "'s")
}

// resumes reports whether the verb v goes on with the subject that a relative
// clause interrupted: "The woman who lives next door is …".
func (s *Sentence) resumes(prev, subject, v int) bool {
	if prev < 0 || s.Clauses[len(s.Clauses)-1].Kind != Relative || s.unclaimed() < 0 {
		return false
	}
	return !s.hasCC(prev, v) && !s.hasComma(prev, subject)
}

func (s *Sentence) phraseAtToken(token int) int {
	for i, np := range s.Phrases {
		if np.First == token {
			return i
		}
	}
	return -1
}

// lastSub returns the last subordinator between two verbs, or -1.
func (s *Sentence) lastSub(prev, v int) int {
	for u := v - 1; u > prev; u-- {
		if s.units[u].kind == unitSub {
			return u
		}
	}
	return -1
}

// findSubject walks back from the verb to the noun phrase that is its subject:
// past adverbs, times and prepositional phrases, up to a boundary.
func (s *Sentence) findSubject(from, v int) int {
	fallback := -1
	for u := v - 1; u > from; u-- {
		switch x := s.units[u]; x.kind {
		case unitPhrase:
			prep := u > 0 && s.units[u-1].kind == unitPrep
			switch {
			case prep:
				u--
			case s.Phrases[x.index].Time:
				if fallback < 0 {
					fallback = u
				}
			default:
				return u
			}
		case unitCC:
			return fallback
		case unitMark:
			if u == v-1 && s.isApposition(u, from) {
				return u - 3
			}
			if s.Tokens[x.first].Norm != "," || u == v-1 {
				return fallback
			}
			if fallback < 0 {
				return -1
			}
		}
	}
	return fallback
}

// isApposition reports whether the comma at u closes a second name of the
// phrase before it: "My boss, Lena, is".
func (s *Sentence) isApposition(u, from int) bool {
	return u-3 > from && s.units[u-1].kind == unitPhrase && s.units[u-2].kind == unitMark && s.units[u-3].kind == unitPhrase &&
		(u-4 <= from || s.units[u-4].kind != unitPrep)
}

// coSubjects returns the phrases joined to the subject by "and" or commas, in
// order, if no verb comes before them that they could belong to.
func (s *Sentence) coSubjects(from, subject, prev int) []int {
	if prev > from || from >= 0 && s.units[from].kind == unitGroup {
		return nil
	}
	var out []int
	for u := subject; u-2 > from; u -= 2 {
		link, np := s.units[u-1], s.units[u-2]
		joins := link.kind == unitCC && s.Tokens[link.first].Norm != "but" || link.kind == unitMark && s.Tokens[link.first].Norm == "," && len(out) > 0
		if !joins || np.kind != unitPhrase || s.Phrases[np.index].Time || u-3 > from && s.units[u-3].kind == unitPrep {
			break
		}
		out = append([]int{np.index}, out...)
	}
	return out
}

// openSubordinate sets up a clause that a subordinator opens.
func (s *Sentence) openSubordinate(c *Clause, sub, index int) {
	norm := s.Tokens[s.units[sub].first].Norm
	c.Subordinator = norm
	c.Parent = index - 1
	before := -1
	if sub > 0 && s.units[sub-1].kind == unitPhrase {
		before = s.units[sub-1].index
	} else if sub > 1 && s.units[sub-1].kind == unitMark && s.units[sub-2].kind == unitPhrase {
		before = s.units[sub-2].index
	}
	switch norm {
	case "who", "which", "whose", "whom":
		c.Kind = Relative
		if before < 0 {
			c.Kind = Complement
		}
		s.takeAntecedent(c, before)
	case "that", "where":
		c.Kind = Complement
		told := index > 0 && s.Clauses[index-1].Verb >= 0 && clauseVerbs[s.Groups[s.Clauses[index-1].Verb].Verb]
		if before >= 0 && !s.Phrases[before].Pronoun && (!told || c.Subject < 0) {
			c.Kind = Relative
			s.takeAntecedent(c, before)
		}
	case "whether", "what", "how", "why":
		c.Kind = Complement
	case "so":
		c.Kind, c.Parent = Main, -1
	case "if":
		c.Kind = Adverbial
		if index > 0 && askVerbs[s.Groups[s.Clauses[index-1].Verb].Verb] {
			c.Kind = Complement
		}
	default:
		c.Kind = Adverbial
	}
	s.setDepth(c)
}

var askVerbs = set("ask wonder know see check decide tell remember")

func (s *Sentence) takeAntecedent(c *Clause, before int) {
	if c.Subject < 0 && before >= 0 {
		c.Subject, c.Implicit = before, true
	}
}

func (s *Sentence) setDepth(c *Clause) {
	switch {
	case c.Kind == Main:
		c.Depth = 0
	case c.Parent >= 0:
		c.Depth = s.Clauses[c.Parent].Depth + 1
	default:
		c.Depth = 1
	}
}

// openBare sets up a finite clause without a subject of its own: a shared one
// after "and", the antecedent of a relative clause that has ended, an
// imperative, or a dropped "I".
func (s *Sentence) openBare(c *Clause, prev, v, index int) int {
	g := s.Groups[c.Verb]
	if c.Subject >= 0 { // inverted: "did you …"
		return s.startAfterMark(prev, v)
	}
	if prev >= 0 {
		before := s.Clauses[index-1]
		if before.Kind == Relative || before.Kind == Reduced && before.Parent < 0 || before.Kind == Reduced && s.units[prev+0].clause == index-1 && s.unclaimed() >= 0 {
			if np := s.unclaimed(); np >= 0 {
				c.Subject = np
				return v
			}
		}
		if g.Form == Base && s.Groups[before.Verb].Form == Infinitive && s.hasCC(prev, v) {
			c.Kind = Reduced
		}
		if s.hasCC(prev, v) || g.Form == Finite && s.hasComma(prev, v) {
			s.share(c, before, index-1)
			return s.startAfterMark(prev, v)
		}
		if before.Kind == Reduced && before.Subject < 0 && g.Form == Finite {
			return v // "Hiking is fun": the gerund is the subject
		}
	}
	if inverted := s.invertedSubject(v); inverted >= 0 {
		c.Subject = inverted
		return s.startAfterMark(prev, v)
	}
	c.Implicit = g.Inverted || !s.asksSubject(prev, v)
	return s.startAfterMark(prev, v)
}

// asksSubject: "Who called?", "What made it so special?"
func (s *Sentence) asksSubject(prev, v int) bool {
	return slices.ContainsFunc(s.units[prev+1:v], func(u unit) bool {
		norm := s.Tokens[u.first].Norm
		return u.kind == unitWh && (norm == "who" || norm == "what" || norm == "which")
	})
}

// share copies the subject and the place of the clause that "and" continues.
func (s *Sentence) share(c *Clause, before Clause, index int) {
	c.Subject, c.CoSubjects, c.Implicit = before.Subject, before.CoSubjects, true
	c.Who = before.Who
	if before.Kind == Reduced && before.Parent >= 0 && s.Groups[c.Verb].Form == Finite {
		p := s.Clauses[before.Parent]
		c.Subject, c.CoSubjects = p.Subject, p.CoSubjects
		c.Kind, c.Parent, c.Depth, c.Subordinator = p.Kind, p.Parent, p.Depth, p.Subordinator
		return
	}
	c.Kind, c.Parent, c.Depth, c.Subordinator = before.Kind, before.Parent, before.Depth, before.Subordinator
}

func (s *Sentence) hasCC(prev, v int) bool {
	return slices.ContainsFunc(s.units[prev+1:v], func(u unit) bool { return u.kind == unitCC })
}

func (s *Sentence) hasComma(prev, v int) bool {
	return slices.ContainsFunc(s.units[prev+1:v], func(u unit) bool { return u.kind == unitMark })
}

// unclaimed returns the first phrase before the first clause's verb region that
// is no clause's own subject: "The woman who lives next door …".
func (s *Sentence) unclaimed() int {
	for _, u := range s.units {
		if u.kind == unitGroup && u.clause >= 0 && s.Clauses[u.clause].Depth == 0 && s.Clauses[u.clause].Kind == Main {
			return -1
		}
		if u.kind == unitPhrase && u.clause < 0 && !s.Phrases[u.index].Time {
			return u.index
		}
	}
	return -1
}

// invertedSubject returns the phrase after a leading "be": "Is Anna happy?",
// "What is her job?", "There is a café".
func (s *Sentence) invertedSubject(v int) int {
	g := s.Groups[s.units[v].index]
	if g.Verb != "be" && g.Verb != "have" || v+1 >= len(s.units) {
		return -1
	}
	wh := v > 0 && slices.ContainsFunc(s.units[:v], func(u unit) bool { return u.kind == unitWh })
	if !wh && !strings.HasSuffix(s.Text, "?") {
		return -1
	}
	for u := v + 1; u < len(s.units); u++ {
		switch s.units[u].kind {
		case unitPhrase:
			if !s.Phrases[s.units[u].index].Time || u == v+1 {
				return s.units[u].index
			}
		case unitAdverb:
		default:
			return -1
		}
	}
	return -1
}

// startAfterMark returns the unit after the last comma or conjunction before v,
// or v's own region.
func (s *Sentence) startAfterMark(prev, v int) int {
	for u := v - 1; u > prev; u-- {
		if s.units[u].kind == unitCC {
			return u
		}
		if s.units[u].kind == unitMark {
			return u + 1
		}
	}
	if prev < 0 {
		return 0
	}
	for u := prev + 1; u < v; u++ {
		if s.units[u].kind == unitWh {
			return u
		}
	}
	return v
}

// openWithSubject sets up a finite clause with its subject in front.
func (s *Sentence) openWithSubject(c *Clause, prev, subject, index int) int {
	if prev < 0 {
		if subject > 0 && s.units[subject-1].kind == unitPhrase && s.isGap(subject-1, subject) {
			c.Kind, c.Depth = Relative, 1 // "The book Anna gave me is …"
			return subject
		}
		return 0
	}
	for u := subject - 1; u > prev; u-- {
		if s.units[u].kind == unitCC || s.units[u].kind == unitMark {
			s.continueAfter(c, u, index)
			return u
		}
	}
	before := s.Clauses[index-1]
	switch {
	case before.Verb >= 0 && (clauseVerbs[s.Groups[before.Verb].Verb] || s.units[subject-1].kind == unitAdjective): // "make sure we"
		c.Kind, c.Parent = Complement, index-1
	case subject > 0 && s.units[subject-1].kind == unitPhrase && prev < subject-1:
		c.Kind, c.Parent = Relative, index-1
	case before.Kind == Adverbial || before.Kind == Relative || before.Kind == Reduced:
		c.Kind = Main // "When I moved I bought a car"
	default:
		c.Kind, c.Parent = Complement, index-1
		if !clauseVerbs[s.Groups[before.Verb].Verb] {
			c.Kind, c.Parent = Main, -1
		}
	}
	s.setDepth(c)
	return subject
}

// isGap reports whether two phrases in a row are a noun and the subject of a
// relative clause without its pronoun, with another finite verb to come.
func (s *Sentence) isGap(noun, subject int) bool {
	np := s.Phrases[s.units[noun].index]
	if np.Time || np.Pronoun || s.Phrases[s.units[subject].index].Time {
		return false
	}
	finite := 0
	for _, u := range s.units[subject:] {
		if u.kind == unitGroup && s.Groups[u.index].Form == Finite {
			finite++
		}
	}
	return finite > 1
}

// continueAfter keeps "if it rains and I am home" together: after a bare "and"
// inside a dependent clause, the clause goes on.
func (s *Sentence) continueAfter(c *Clause, mark, index int) {
	before := s.Clauses[index-1]
	if s.units[mark].kind == unitCC && s.units[mark-1].kind != unitMark && (before.Kind == Adverbial && before.First == 0 || before.Kind == Complement) && s.Tokens[s.units[mark].first].Norm == "and" {
		c.Kind, c.Parent, c.Depth, c.Subordinator = before.Kind, before.Parent, before.Depth, before.Subordinator
	}
}

// openReduced sets up an infinitive, gerund or participle clause. Its subject is
// the object of a verb that moves somebody ("asked Anna to come"), else the
// subject of the clause it hangs on.
func (s *Sentence) openReduced(c *Clause, prev, v, index int) int {
	start := v
	if v > 0 && v-1 > prev && (s.units[v-1].kind == unitPrep || s.units[v-1].kind == unitSub) {
		start = v - 1
		c.Subordinator = s.Tokens[s.units[start].first].Norm
	}
	c.Kind, c.Implicit, c.Depth = Reduced, true, 1
	if prev < 0 {
		return s.openLeading(c, v, start)
	}
	c.Parent = index - 1
	if s.hasCC(prev, v) && s.Clauses[index-1].Kind == Reduced {
		before := s.Clauses[index-1]
		c.Parent, c.Depth, c.Subject = before.Parent, before.Depth, before.Subject
		c.Subordinator = before.Subordinator
		return s.startAfterMark(prev, v)
	}
	g := s.Groups[c.Verb]
	if before := s.Clauses[index-1]; g.Form == Gerund && s.hasCC(prev, v) && before.Verb >= 0 && s.Groups[before.Verb].Progressive && !s.Groups[before.Verb].GoingTo {
		s.share(c, before, index) // "I'm running a studio and offering classes"
		return s.startAfterMark(prev, v)
	}
	s.setDepth(c)
	parent := s.Clauses[c.Parent]
	c.Subject, c.CoSubjects = parent.Subject, parent.CoSubjects
	if g.Form == Base || g.Form == Infinitive && parent.Verb >= 0 && causeVerbs[s.Groups[parent.Verb].Verb] || g.Form != Infinitive && c.Subordinator == "" {
		if o := start - 1; o > prev && s.units[o].kind == unitPhrase && !s.Phrases[s.units[o].index].Time {
			c.Subject = s.units[o].index
		}
	}
	return start
}

var causeVerbs = set("ask tell want help invite encourage force allow teach remind convince persuade need get expect order beg urge advise")

// openLeading reads a gerund or participle that leads its sentence. With no
// finite verb after it, it stands for a clause with a dropped subject: "Going to
// Rome next week".
func (s *Sentence) openLeading(c *Clause, v, start int) int {
	finite := slices.ContainsFunc(s.units[v+1:], func(u unit) bool {
		return u.kind == unitGroup && s.Groups[u.index].Form == Finite
	})
	if np := s.findSubject(-1, v); np >= 0 {
		c.Subject, c.Implicit = s.units[np].index, false
		if !finite {
			c.Kind, c.Depth = Main, 0
			return 0
		}
		c.Kind = Reduced
		return start
	}
	if !finite && s.Groups[c.Verb].Form != Infinitive && start == v {
		c.Kind, c.Depth = Main, 0
		return 0
	}
	return start
}

// fillClauses gives each clause its objects, phrases and adverbs, then decides
// whose state it speaks of.
func (s *Sentence) fillClauses() {
	for u := range s.units {
		s.fill(u)
	}
	for i := range s.Clauses {
		s.separateParticle(&s.Clauses[i])
		s.setWho(&s.Clauses[i])
	}
	for i := range s.Clauses {
		s.leadingSubject(i)
	}
}

// leadingSubject gives a reduced clause in front the subject of the main clause:
// "After moving to Oslo, I …".
func (s *Sentence) leadingSubject(i int) {
	c := &s.Clauses[i]
	if c.Kind != Reduced || c.Parent >= 0 || c.Subject >= 0 {
		return
	}
	for j := i + 1; j < len(s.Clauses); j++ {
		if m := s.Clauses[j]; m.Kind == Main {
			c.Parent, c.Subject, c.Who, c.Role = j, m.Subject, m.Who, m.Role
			return
		}
	}
}

func (s *Sentence) fill(u int) {
	x := s.units[u]
	c := &s.Clauses[x.clause]
	switch x.kind {
	case unitPhrase:
		s.fillPhrase(c, u)
	case unitAdverb:
		c.Adverbs = append(c.Adverbs, x.index)
	case unitAdjective:
		if c.Adjective < 0 && c.Verb >= 0 && x.first >= s.Groups[c.Verb].End {
			c.Adjective = x.index
		}
	}
}

func (s *Sentence) fillPhrase(c *Clause, u int) {
	x := s.units[u]
	np := s.Phrases[x.index]
	switch {
	case s.isVocative(u):
	case x.index == c.Subject && !c.Implicit || slices.Contains(c.CoSubjects, x.index):
	case u > 0 && s.units[u-1].kind == unitPrep && s.Tokens[s.units[u-1].index].Norm != "of":
		c.Preps = append(c.Preps, Prep{s.Tokens[s.units[u-1].index].Norm, s.units[u-1].index, x.index})
	case u > 0 && s.units[u-1].kind == unitPrep && s.isOf(x.index):
	case u > 0 && s.units[u-1].kind == unitPrep:
		c.Preps = append(c.Preps, Prep{"of", s.units[u-1].index, x.index})
	case s.Tokens[np.Head].Tag == "EX":
	case u > 1 && s.units[u-1].kind == unitCC && len(c.Preps) > 0 && c.Preps[len(c.Preps)-1].Phrase == x.index-1 && s.units[u-2].kind == unitPhrase:
		last := c.Preps[len(c.Preps)-1]
		c.Preps = append(c.Preps, Prep{last.Word, last.Token, x.index})
	case np.Time && !(c.Verb >= 0 && s.takesTime(c, np)):
		c.Times = append(c.Times, x.index)
	case c.Verb < 0 || np.First < s.Groups[c.Verb].First:
		if c.Verb < 0 {
			c.Objects = append(c.Objects, x.index)
		}
	case linkVerbs[s.Groups[c.Verb].Verb] && c.Attribute < 0 && len(c.Objects) == 0 && s.Groups[c.Verb].Verb != "get" && !s.Groups[c.Verb].Passive && !(s.Groups[c.Verb].Verb == "turn" && np.Owner != ""):
		c.Attribute = x.index
	default:
		c.Objects = append(c.Objects, x.index)
	}
}

// isVocative: a name between a comma and the end, or after a greeting, calls
// somebody: "I'm happy for you, Anna", "It came, Anna, it's here".
func (s *Sentence) isVocative(u int) bool { return s.Vocative(s.units[u].index) }

// Vocative reports whether a phrase only calls somebody.
func (s *Sentence) Vocative(phrase int) bool {
	np := s.Phrases[phrase]
	if !np.Named || np.End-np.First > 2 || np.Owner != "" || np.First == 0 || s.Tokens[np.First-1].Norm != "," && s.Tokens[np.First-1].Tag != "UH" {
		return false
	}
	if np.End == len(s.Tokens) || s.Tokens[np.End].Tag == "." {
		return true
	}
	calls := s.Tokens[np.First-1].Tag == "UH" || np.End+1 < len(s.Tokens) && subjectPronouns[s.Tokens[np.End+1].Norm]
	return (s.Tokens[np.End].Norm == "," || s.Tokens[np.End].Tag == ":" && s.Tokens[np.First-1].Tag == "UH") && calls
}

// takesTime: "my birthday is May 3", "I love Fridays" have a time where others
// have an object.
func (s *Sentence) takesTime(c *Clause, np NounPhrase) bool {
	g := s.Groups[c.Verb]
	verb := g.Verb
	return np.First == g.End && (verb == "be" || timeObjects[verb]) && !nowWords[s.Tokens[np.Head].Norm]
}

var timeObjects = set("love like hate prefer spend take enjoy celebrate need have want")

func (s *Sentence) isOf(phrase int) bool {
	return phrase > 0 && s.Phrases[phrase-1].Of == phrase
}

// separateParticle joins a particle behind the object: "pick the kids up".
func (s *Sentence) separateParticle(c *Clause) {
	if c.Verb < 0 || len(c.Objects) == 0 {
		return
	}
	g := &s.Groups[c.Verb]
	n := s.Phrases[c.Objects[0]].End
	if g.Particle != "" || n >= len(s.Tokens) || !particles[s.Tokens[n].Norm] || !phrasal[g.Verb+" "+s.Tokens[n].Norm] {
		return
	}
	if n+1 < len(s.Tokens) {
		if _, ok := phraseAt(s.Tokens, n+1); ok && s.Tokens[n].Tag == "IN" {
			return
		}
	}
	g.Particle = s.Tokens[n].Norm
	g.Lemma = g.Verb + " " + g.Particle
}

// setWho decides whose state a clause speaks of.
func (s *Sentence) setWho(c *Clause) {
	if c.Subject < 0 {
		c.Who = s.whoImplicit(*c)
		return
	}
	c.Who, c.Role = s.whoOf(c.Subject)
	if s.includesSpeaker(c) {
		c.Who, c.Role = Speaker, "" // "my wife and I"
		return
	}
	if c.Who == Thing && c.Subordinator == "who" {
		c.Who = Person
	}
	if c.Who == Person && c.Role != "" && !c.Implicit && s.isNaming(*c) {
		c.Who = thingOf(s.Phrases[c.Subject].Owner)
		if s.Phrases[c.Subject].Owner == "" {
			c.Who = Thing // "the plumber we trust is Anna"
		}
	}
}

// includesSpeaker reports whether the speaker is one of those joined in the
// subject.
func (s *Sentence) includesSpeaker(c *Clause) bool {
	return slices.ContainsFunc(c.CoSubjects, func(p int) bool {
		return s.Tokens[s.Phrases[p].Head].Norm == "i"
	})
}

func (s *Sentence) whoImplicit(c Clause) Who {
	g := s.Group(c)
	switch {
	case c.Verb < 0:
		return Nobody
	case c.Kind == Reduced && c.Parent < 0:
		return Nobody
	case c.Kind == Reduced:
		return s.Clauses[c.Parent].Who
	case g.Form == Base && feelingVerbs[g.Verb]:
		return Speaker // "Love this song"
	case g.Form == Base:
		return Hearer
	case !c.Implicit && s.startsWithWh(c) && s.Tokens[c.First].Norm == "who":
		return Person
	case !c.Implicit:
		return Thing // a gerund or a question word is the subject
	case g.Form == Finite && g.Tense == Present && s.Tokens[g.First].Tag == "VBZ":
		return Thing
	}
	return Speaker
}

// feelingVerbs in their base form say what the speaker feels, not what somebody
// should do.
var feelingVerbs = set("love hope miss like hate appreciate guess think wish want need enjoy feel believe prefer know")

// whoOf classifies a noun phrase; role is the noun by which somebody or
// something is tied to its owner.
func (s *Sentence) whoOf(phrase int) (who Who, role string) {
	np := s.Phrases[phrase]
	head := s.Tokens[np.Head]
	switch {
	case np.Pronoun:
		return pronounWho(head.Norm), ""
	case np.Owner != "":
		if np.Human || petNouns[head.Lemma] {
			return Person, head.Lemma
		}
		if s.ownedByThing(np) {
			return Thing, head.Lemma
		}
		if ofOwnThing(np.Owner) {
			return SpeakerThing, head.Lemma
		}
		return thingOf(np.Owner), head.Lemma
	case np.Of >= 0 && !np.Human:
		if owner := s.Phrases[np.Of].Owner; owner != "" && (head.Norm == "one" || head.Norm == "some") {
			return thingOf(owner), s.Tokens[s.Phrases[np.Of].Head].Lemma
		}
		return Thing, head.Lemma
	case np.Named && (np.Human || s.actsLikePerson(phrase)):
		return Person, ""
	case np.Human:
		return Person, head.Lemma
	}
	return Thing, ""
}

// ownedByThing: "its home", "the bike's spot" speak of a thing of a thing.
func (s *Sentence) ownedByThing(np NounPhrase) bool {
	owner := strings.ToLower(np.Owner)
	if owner == "its" {
		return true
	}
	words := strings.Fields(owner)
	last := nounLemma(words[len(words)-1])
	return words[0] == "the" && !personNouns[last] && !isCapital(s.Tokens[max(np.Head-2, np.First)])
}

// ofOwnThing: "our club's treasurer", "my car's insurance" speak of a thing of the
// speaker's own thing, which is the speaker's too. What may be a person is none.
func ofOwnThing(owner string) bool {
	words := strings.Fields(strings.ToLower(owner))
	if len(words) < 2 || words[0] != "my" && words[0] != "our" {
		return false
	}
	last := nounLemma(words[len(words)-1])
	person := personNouns[last] || petNouns[last] || strings.HasSuffix(last, "er") || strings.HasSuffix(last, "or") || strings.HasSuffix(last, "ist") || strings.HasSuffix(last, "ant") || strings.HasSuffix(last, "mate") || strings.HasSuffix(last, "ian")
	return !person && !isCapitalWord(owner)
}

// isCapitalWord reports whether the last word of a text is written as a name.
func isCapitalWord(text string) bool {
	words := strings.Fields(text)
	r, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return unicode.IsUpper(r)
}

// actsLikePerson: a single unknown name that is the subject of a verb that only
// people do.
func (s *Sentence) actsLikePerson(phrase int) bool {
	for _, g := range s.Groups {
		if g.First >= s.Phrases[phrase].End && g.First <= s.Phrases[phrase].End+2 {
			return personVerbs[g.Verb]
		}
		if g.inner == s.Phrases[phrase].First {
			return personVerbs[g.Verb] || g.Verb == "be"
		}
	}
	return false
}

var personVerbs = set("say tell think know love like hate live work move drink eat drive marry study teach want hope wish feel believe speak talk laugh cry call text email visit travel cook prefer enjoy play read write watch wear buy meet ask answer decide plan try learn remember forget quit retire go come sleep walk run swim own have")

func pronounWho(norm string) Who {
	switch norm {
	case "i", "we", "me", "us", "myself", "ourselves", "'s":
		return Speaker
	case "mine":
		return SpeakerThing
	case "you", "yourself":
		return Hearer
	case "yours":
		return HearerThing
	case "he", "she", "him", "her", "they", "them", "someone", "somebody", "everyone", "everybody", "nobody", "anyone", "anybody":
		return Person
	}
	return Thing
}

func thingOf(owner string) Who {
	switch strings.ToLower(owner) {
	case "my", "our":
		return SpeakerThing
	case "your":
		return HearerThing
	}
	return PersonThing
}

// isNaming reports whether a clause says who holds a role: "my manager is
// Lorenzo", "our new dentist is called Dr. Wu". What a role does or is like says
// something about the person instead.
func (s *Sentence) isNaming(c Clause) bool {
	g := s.Group(c)
	if g.Passive && (g.Verb == "call" || g.Verb == "name") {
		return true
	}
	if g.Verb != "be" && g.Verb != "become" || c.Attribute < 0 {
		return false
	}
	np := s.Phrases[c.Attribute]
	return np.Named || np.Human && !np.Pronoun && np.Owner != ""
}
