package english

import (
	"slices"
	"strings"
)

// Flags say how a clause is meant. A dependent clause has those of the clause it
// stands under, where they carry over: what is wished, planned or reported there
// is so here.
type Flags uint32

// Flags.
const (
	Question     Flags = 1 << iota // asks
	Imperative                     // tells somebody to do it
	Conditional                    // under an "if", or the "if" itself
	Hypothetical                   // would, could, might; "as if"
	Reported                       // somebody else's word: said, heard, apparently, according to
	Quoted                         // between quotation marks
	Negated                        // not so
	Wish                           // wanted, not so yet
	Plan                           // meant to be, or coming
	Temporary                      // for a bounded time: for now, until Friday, this week only
	Occasion                       // on one occasion: yesterday, last night, once
	Additive                       // besides what holds already: also, too, another
	Ended                          // no longer: used to, not any more, stopped
	Replaces                       // in place of something: instead of, switched from X to Y
	Habitual                       // usually, every day
	Hedged                         // I think, maybe, probably
)

var flagNames = []string{"question", "imperative", "conditional", "hypothetical", "reported", "quoted", "negated", "wish", "plan", "temporary", "occasion", "additive", "ended", "replaces", "habitual", "hedged"}

// Has reports whether any of the flags is set.
func (f Flags) Has(flags Flags) bool { return f&flags != 0 }

// String lists the flags, in a fixed order.
func (f Flags) String() string {
	var names []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// carried are the flags that a clause hands down to what depends on it.
const carried = Wish | Plan | Reported | Hypothetical | Conditional | Hedged

// aside are the flags that a verb and its bare infinitive or gerund share: "went
// hiking yesterday".
const aside = Temporary | Occasion | Habitual | Additive | Replaces

// flagClauses sets the flags: first what a clause says itself, then what it has
// from the clauses around it.
func (s *Sentence) flagClauses() {
	for i := range s.Clauses {
		c := &s.Clauses[i]
		c.Flags = s.verbFlags(*c) | s.wordFlags(*c) | s.moodFlags(i)
	}
	for i := range s.Clauses {
		s.inherit(i)
	}
	s.flagConditions()
}

// verbFlags reads the verb group.
func (s *Sentence) verbFlags(c Clause) Flags {
	if c.Verb < 0 {
		return 0
	}
	g := s.Groups[c.Verb]
	var f Flags
	if g.Negated || s.hasNegativeNoun(c) {
		f |= Negated
	}
	if g.Tense == Future {
		f |= Plan
	}
	if g.UsedTo {
		f |= Ended
	}
	if wishVerbs[g.Verb] && g.Form != Gerund || isWouldLike(s, g) {
		f |= Wish
	}
	switch {
	case isWouldLike(s, g):
	case g.Modal == "would" || g.Modal == "could" || g.Modal == "might" || g.Modal == "may":
		f |= Hypothetical
	}
	return f | s.planFlags(c, g)
}

// hasNegativeNoun: "I have no car", "nobody came".
func (s *Sentence) hasNegativeNoun(c Clause) bool {
	for _, np := range append([]int{c.Subject, c.Attribute}, c.Objects...) {
		if np < 0 || np == c.Subject && c.Implicit {
			continue
		}
		p := s.Phrases[np]
		switch norm := s.Tokens[p.Head].Norm; {
		case p.Determiner == "no" || p.Determiner == "neither" || norm == "nobody" || norm == "nothing" || norm == "none":
			return true
		}
	}
	return false
}

// isWouldLike: would like, would love, would prefer, 'd rather.
func isWouldLike(s *Sentence, g VerbGroup) bool {
	if g.Modal != "would" {
		return false
	}
	switch g.Verb {
	case "like", "love", "prefer", "hate":
		return true
	}
	for i := g.First; i < g.End; i++ {
		if s.Tokens[i].Norm == "rather" {
			return true
		}
	}
	return false
}

// planFlags finds what is meant to be done: planning, thinking of, looking
// forward to, and the present progressive of a future time.
func (s *Sentence) planFlags(c Clause, g VerbGroup) Flags {
	switch {
	case planVerbs[g.Verb] && (g.Verb != "think" && g.Verb != "consider" && g.Verb != "mean" && g.Verb != "expect" || g.Progressive && s.thinksOf(g)) && g.Form != Participle && !g.Passive:
		return Plan
	case g.Lemma == "look forward", g.Negated && g.Modal == "can" && g.Verb == "wait":
		return Plan
	case (g.Progressive || g.Form == Gerund && c.Kind == Main) && g.Tense != Past && (s.hasFutureTime(c) || s.hasBareDate(c)):
		return Plan
	case g.Tense == Present && g.Form == Finite && s.hasFutureTime(c) && !g.Perfect:
		return Plan
	}
	return 0
}

// thinksOf: "thinking of moving", "thinking about a new car".
func (s *Sentence) thinksOf(g VerbGroup) bool {
	return g.Verb != "think" || g.End < len(s.Tokens) && (s.Tokens[g.End].Norm == "of" || s.Tokens[g.End].Norm == "about")
}

// hasFutureTime: tomorrow, tonight, next week, in two weeks, soon.
// hasBareDate reports whether a clause is dated by a month or day and nothing more: what
// is going on then is to come, as in "moving to Lund in June".
func (s *Sentence) hasBareDate(c Clause) bool {
	return slices.ContainsFunc(c.Preps, func(p Prep) bool {
		np := s.Phrases[p.Phrase]
		head := s.Tokens[np.Head].Norm
		return (p.Word == "in" && months[head] || p.Word == "on" && weekdays[head]) && np.End == np.First+1
	})
}

func (s *Sentence) hasFutureTime(c Clause) bool {
	for _, np := range c.Times {
		if s.isFutureTime(np) {
			return true
		}
	}
	for _, p := range c.Preps {
		np := s.Phrases[p.Phrase]
		if np.Time && (s.isFutureTime(p.Phrase) || p.Word == "in" && s.Tokens[np.First].Tag == "CD" && len(s.Tokens[np.First].Norm) < 4 && s.Tokens[np.Head].Tag != "CD") {
			return true
		}
	}
	return slices.ContainsFunc(c.Adverbs, func(i int) bool { return s.Tokens[i].Norm == "soon" })
}

func (s *Sentence) isFutureTime(np int) bool {
	p := s.Phrases[np]
	head := s.Tokens[p.Head].Norm
	if head == "tomorrow" || head == "tonight" {
		return true
	}
	return s.Tokens[p.First].Norm == "next" || p.First+1 < p.End && s.Tokens[p.First+1].Norm == "next" && s.Tokens[p.First].Norm == "the" && p.End-p.First == 3
}

// phraseFlags are expressions that set a flag wherever they stand in a clause.
// "_" stands for one word.
var phraseFlags = compilePhrases(map[Flags]string{
	Temporary: "for now|for the moment|for the time being|for the next|for the week|for the day|for the weekend|for the summer|for the winter|just for|just today|just tonight|just this|only this|only today|only for|this once|this one|this time only|" +
		"this week only|this month only|today only|temporarily|for a few days|for a few weeks|for a while|for a couple|for a bit|as a one-off|one-off|one time only|just once|only once|on loan|at the moment only|in the meantime|until further notice|" +
		"as an exception|for one night|for one day|for one week|filling in|standing in",
	Additive: "also|as well|another|in addition|on top of|additionally|besides|plus|a second|along with|too|one more|an extra",
	Ended:    "no longer|not any more|n't any more|any longer|anymore|any more|former|formerly|previously|back then|in the past",
	Replaces: "instead of|instead|rather than|in place of|replaced|replaces|replacing|swapped|switched from|moved from|changed from|went from|over to|no more",
	Habitual: "usually|always|often|every day|every week|every morning|every night|every evening|every month|every year|every weekend|normally|typically|regularly|daily|weekly|most days|on weekends|sometimes|tend to|each day|each morning|these days|nowadays",
	Reported: "apparently|supposedly|allegedly|according to|rumor has|rumour has|reportedly|word is|they say|people say",
	Hedged:   "maybe|probably|perhaps|possibly|i think|i guess|i believe|not sure|i suppose|might|kind of",
	Wish:     "if only|would rather|'d rather|dream of",
	Plan:     "about to",
	Occasion: "yesterday|last night|this morning|this afternoon|last weekend|the other day|earlier today|one time|once when|just now|a moment ago",
})

type phraseFlag struct {
	words []string
	flag  Flags
}

// compilePhrases indexes expressions by their first word.
func compilePhrases(table map[Flags]string) map[string][]phraseFlag {
	out := map[string][]phraseFlag{}
	for flag, text := range table {
		for _, phrase := range strings.Split(text, "|") {
			words := strings.Fields(phrase)
			out[words[0]] = append(out[words[0]], phraseFlag{words, flag})
		}
	}
	return out
}

// wordFlags reads the adverbs and set expressions of a clause.
func (s *Sentence) wordFlags(c Clause) Flags {
	var f Flags
	for _, u := range s.units {
		if u.clause < 0 || s.Clauses[u.clause].Verb != c.Verb {
			continue
		}
		for i := u.first; i < s.unitEnd(u); i++ {
			f |= s.expressionAt(i)
		}
	}
	g := s.Group(c)
	if f.Has(Ended) && !s.endedHolds(c, g) {
		f &^= Ended
	}
	if f.Has(Ended) && strings.Contains(strings.ToLower(joinTokens(s.Tokens, c.First, c.End)), "no longer") {
		f |= Negated
	}
	if s.boundedTime(c, g) {
		f |= Temporary
	}
	if g.Tense != Past && !(c.Kind == Reduced && c.Parent >= 0 && s.Group(s.Clauses[c.Parent]).Tense == Past) {
		f &^= Occasion
	}
	if (g.Verb == "stop" || g.Verb == "quit" || g.Lemma == "give up") && !g.Negated && g.Tense == Past {
		f |= Ended
	}
	if s.fromTo(c, g) {
		f |= Replaces
	}
	return f
}

func (s *Sentence) unitEnd(u unit) int {
	switch u.kind {
	case unitPhrase:
		return s.Phrases[u.index].End
	case unitGroup:
		return s.Groups[u.index].End
	}
	return u.first + 1
}

func (s *Sentence) expressionAt(i int) Flags {
	var f Flags
	for _, p := range phraseFlags[s.Tokens[i].Norm] {
		if s.matches(i, p.words) && s.isMeant(i, p) {
			f |= p.flag
		}
	}
	return f
}

func (s *Sentence) matches(i int, words []string) bool {
	if i+len(words) > len(s.Tokens) {
		return false
	}
	for k, w := range words {
		if s.Tokens[i+k].Norm != w {
			return false
		}
	}
	return true
}

// isMeant rules out other readings: "too big", "as well as", "just for fun",
// "all over to".
func (s *Sentence) isMeant(i int, p phraseFlag) bool {
	next := ""
	if j := i + len(p.words); j < len(s.Tokens) {
		next = s.Tokens[j].Tag
	}
	switch strings.Join(p.words, " ") {
	case "too":
		return next == "" || next == "." || next == "," || next == "SYM" || next == "CC"
	case "just this", "only this", "this one", "just for", "only for":
		j := i + len(p.words)
		return j < len(s.Tokens) && (nowWords[s.Tokens[j].Norm] || timeNouns[s.Tokens[j].Norm] || s.Tokens[j].Norm == "once" || s.Tokens[j].Norm == "time" || j+1 < len(s.Tokens) && timeNouns[s.Tokens[j+1].Lemma])
	case "for the next":
		return true
	case "over to":
		return s.Tokens[max(i-1, 0)].Lemma == "switch" || s.Tokens[max(i-1, 0)].Lemma == "change"
	case "this morning", "this afternoon", "plus", "besides":
		return true
	case "might":
		return s.Tokens[i].Tag == "MD"
	case "for a while":
		return true
	}
	return true
}

// endedHolds: "any more" ends something only under a negation; "previously" and
// the like only with a past verb.
func (s *Sentence) endedHolds(c Clause, g VerbGroup) bool {
	text := strings.ToLower(joinTokens(s.Tokens, c.First, c.End))
	if strings.Contains(text, "no longer") || g.UsedTo {
		return true
	}
	if strings.Contains(text, "any more") || strings.Contains(text, "anymore") || strings.Contains(text, "any longer") {
		return g.Negated || s.hasNegativeNoun(c)
	}
	return g.Tense == Past
}

// boundedTime: "until Friday", "for two days" of what is not perfect. What stands
// between subject and verb belongs to the subject ("my goal for the year is"), a clock time is
// no length, and what takes hours or minutes in the present is measured, not bounded.
func (s *Sentence) boundedTime(c Clause, g VerbGroup) bool {
	for _, p := range c.Preps {
		np := s.Phrases[p.Phrase]
		if !np.Time || np.First < g.First && c.Subject >= 0 && np.First > s.Phrases[c.Subject].First {
			continue
		}
		head := s.Tokens[np.Head].Lemma
		switch p.Word {
		case "until", "till":
			if g.Tense != Past && !g.Negated {
				return true
			}
		case "for":
			short := shortTimes[head]
			if g.Tense != Past {
				short = longTimes[head] && !np.hasNo(s.Tokens)
			}
			if !g.Perfect && short {
				return true
			}
		}
	}
	return false
}

// shortTimes bound what is told in the past, longTimes what is told in the present.
var (
	shortTimes = set("minute hour day night week weekend")
	longTimes  = set("day night week weekend fortnight month year season semester term quarter spring summer autumn fall winter holiday while bit couple few now")
)

func (np NounPhrase) hasNo(t []Token) bool { return t[np.First].Norm == "no" }

// fromTo: a verb of change with both "from" and "to".
func (s *Sentence) fromTo(c Clause, g VerbGroup) bool {
	if !changeVerbs[g.Verb] && g.Verb != "go" {
		return false
	}
	has := func(word string) bool {
		return slices.ContainsFunc(c.Preps, func(p Prep) bool { return p.Word == word && !s.Phrases[p.Phrase].Time })
	}
	return has("from") && has("to") || g.Verb == "replace" && has("with")
}

// moodFlags reads what kind of sentence a clause is part of.
func (s *Sentence) moodFlags(i int) Flags {
	c := s.Clauses[i]
	g := s.Group(c)
	var f Flags
	if s.isAsked(i) {
		f |= Question
	}
	lets := c.Subject >= 0 && s.Tokens[s.Phrases[c.Subject].First].Norm == "'s"
	if g.Form == Base && c.Kind == Main && (c.Subject < 0 || lets) && !f.Has(Question) && !feelingVerbs[g.Verb] {
		f |= Imperative
	}
	if (c.Subordinator == "if" && c.Kind == Adverbial || c.Subordinator == "unless") && !s.isAside(c) {
		f |= Conditional
	}
	if c.Kind == Complement && (c.Subordinator == "if" || c.Subordinator == "whether") {
		f |= Question
	}
	if c.Verb >= 0 && s.isQuoted(s.Groups[c.Verb].First) {
		f |= Quoted
	}
	return f
}

// isAside reports whether a condition is one of telling it, and not of what is told:
// "if anyone asks", "if you must know", "if I remember right".
func (s *Sentence) isAside(c Clause) bool {
	if c.Subject < 0 || c.Subordinator != "if" {
		return false
	}
	switch s.Tokens[s.Phrases[c.Subject].Head].Norm {
	case "you", "anyone", "anybody", "someone", "somebody", "i":
		return askingVerbs[s.Group(c).Verb] && len(c.Objects) == 0
	}
	return false
}

var askingVerbs = set("ask wonder know mind care remember recall")

// isAsked reports whether a main clause is a question.
func (s *Sentence) isAsked(i int) bool {
	c := s.Clauses[i]
	if c.Depth > 0 {
		return false
	}
	g := s.Group(c)
	marked := strings.Contains(s.Text[max(0, len(s.Text)-4):], "?")
	if g.Inverted && c.First+2 > 0 && (marked || s.startsWithWh(c) || doForms[s.Tokens[g.First].Norm] || s.Tokens[g.First].Tag == "MD" || g.First == c.First) {
		return true
	}
	return marked && (i == len(s.Clauses)-1 || s.Clauses[i+1].Depth > 0 || s.startsWithWh(c))
}

func (s *Sentence) startsWithWh(c Clause) bool {
	for i := c.First; i < c.End && i < c.First+3; i++ {
		if strings.HasPrefix(s.Tokens[i].Tag, "W") {
			return true
		}
	}
	return false
}

// isQuoted reports whether an odd number of quotation marks comes before a
// token, and one after.
func (s *Sentence) isQuoted(token int) bool {
	open, after := false, false
	for i, t := range s.Tokens {
		if t.Norm != `"` && t.Norm != "“" && t.Norm != "”" {
			continue
		}
		if i < token {
			open = !open
		} else {
			after = true
		}
	}
	return open && after
}

// inherit hands flags down from the clause that i depends on.
func (s *Sentence) inherit(i int) {
	c := &s.Clauses[i]
	if c.Parent < 0 || c.Parent >= i {
		return
	}
	parent := s.Clauses[c.Parent]
	pg := s.Group(parent)
	switch c.Kind {
	case Complement:
		c.Flags |= parent.Flags & (Wish | Reported | Hedged | Conditional)
		if sayVerbs[pg.Verb] && (parent.Who != Speaker || pg.Verb == "hear" || pg.Verb == "read") {
			c.Flags |= Reported
		}
		if pg.Negated && (pg.Verb == "think" || pg.Verb == "believe" || pg.Verb == "say") {
			c.Flags |= Negated
		}
		if pg.Verb == "think" || pg.Verb == "guess" || pg.Verb == "believe" || pg.Verb == "suppose" || pg.Verb == "doubt" {
			c.Flags |= Hedged
		}
	case Reduced:
		if c.Subordinator == "" {
			s.Clauses[c.Parent].Flags |= c.Flags & aside
			c.Flags |= parent.Flags & aside
		}
		if c.Subordinator == "" || c.Subordinator == "of" || c.Subordinator == "about" || c.Subordinator == "to" || c.Subordinator == "on" {
			c.Flags |= parent.Flags & carried
			c.Flags |= s.reducedFlags(parent, pg, s.Group(*c))
		}
	}
}

// reducedFlags: what is not wanted, refused, stopped or tried is not so.
func (s *Sentence) reducedFlags(parent Clause, pg, g VerbGroup) Flags {
	switch {
	case (pg.Verb == "stop" || pg.Verb == "quit" || pg.Lemma == "give up") && g.Form == Gerund:
		return Ended
	case pg.Negated && (pg.Modal == "" || pg.Verb == "want"):
		return Negated
	case pg.Verb == "decide" || pg.Verb == "plan" || pg.Verb == "agree" || pg.Verb == "promise" || pg.Verb == "hope":
		return Plan
	case pg.Verb == "refuse" || pg.Verb == "fail" || pg.Verb == "forget":
		return Negated
	}
	return parent.Flags & Ended
}

// flagConditions marks the clause that an "if" belongs to, and a "while" clause
// that bounds its main clause in time.
func (s *Sentence) flagConditions() {
	for i := range s.Clauses {
		c := s.Clauses[i]
		matrix := s.matrixOf(i)
		if matrix < 0 || c.Kind != Adverbial {
			continue
		}
		g := s.Group(c)
		switch {
		case c.Flags.Has(Conditional):
			s.Clauses[matrix].Flags |= Conditional
		case c.Subordinator == "while" && (g.Progressive || g.Passive || s.isAway(c)) && c.Who != s.Clauses[matrix].Who:
			s.Clauses[matrix].Flags |= Temporary
		case (c.Subordinator == "until" || c.Subordinator == "till") && !s.Clauses[matrix].Flags.Has(Negated) && s.Group(s.Clauses[matrix]).Tense != Past:
			s.Clauses[matrix].Flags |= Temporary
		}
	}
}

// isAway: "while my car is in the shop", "while she is away".
func (s *Sentence) isAway(c Clause) bool {
	g := s.Group(c)
	return g.Verb == "be" && g.Tense == Present && (len(c.Preps) > 0 || len(c.Adverbs) > 0)
}

// matrixOf returns the main clause that an adverbial clause belongs to: the one
// before it, or the next if it comes first.
func (s *Sentence) matrixOf(i int) int {
	for j := i - 1; j >= 0; j-- {
		if s.Clauses[j].Kind == Main {
			return j
		}
	}
	for j := i + 1; j < len(s.Clauses); j++ {
		if s.Clauses[j].Kind == Main {
			return j
		}
	}
	return -1
}
