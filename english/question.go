package english

import (
	"slices"
	"strings"

	"daybook"
)

// Marks are the words of a question that place it in time.
type Marks uint32

// Marks.
const (
	MarkUsedTo    Marks = 1 << iota // used to
	MarkBefore                      // before, prior to, until, previously, formerly, old, ex-
	MarkAfter                       // after, since then
	MarkFirst                       // first, originally, initially, at first
	MarkLast                        // last
	MarkLatest                      // latest, most recent, newest
	MarkNow                         // now, currently, these days, at the moment, today
	MarkStill                       // still, any more, no longer
	MarkPastDate                    // in 2019, last year, two years ago, back then, as of
	MarkSinceWhen                   // since when, how long, when did it start
	MarkOverTime                    // over time, over the years, history, so far
	MarkChange                      // a verb or noun of change
	MarkStartEnd                    // a verb for the start or the end of something
	MarkBoth                        // asks for then and now
	MarkEver                        // ever, never, how many times
)

// Has reports whether any of the marks is set.
func (m Marks) Has(marks Marks) bool { return m&marks != 0 }

// Asking is a question, read.
type Asking struct {
	Sentence Sentence
	Wh       string // "what", "who", "when", "where", "why", "how", "how many", "how long", "how often", "which"; "" for yes or no
	Asked    string // the noun that is asked for, as written: "car" in "what car"
	YesNo    bool
	Clause   Clause // the main clause that asks
	Verb     VerbGroup
	Subject  string // as written; for "Anna's job" the whole phrase
	Owner    string // "Anna" in "Anna's job"
	Who      Who
	Names    []Name
	Marks    Marks
	Parts    []string // the questions that "and" joins; nil for a single one
	View     daybook.View
}

// ReadQuestion reads one question. A text that is none is read as if it asked for
// what it states. The view follows from grammar alone:
//
//   - Change: a verb or noun of change in the past or perfect; when, why or since
//     when something began or ended; then and now in one question; "over time".
//   - Historical: "used to"; a state verb in the past; a word that looks back
//     (before, previously, originally, first, old, ago, a past date) with a verb
//     that is not about now.
//   - Current: the present, the present perfect of a state, and any of now,
//     still, any more, latest.
//   - Neutral: the rest: single past events, plans, fragments.
func ReadQuestion(text string) Asking {
	q := Asking{Sentence: ReadSentence(strings.TrimSpace(text))}
	s := &q.Sentence
	q.Names = s.Names()
	q.Wh, q.Asked = s.whAsked()
	if i := s.askingClause(); i >= 0 {
		q.Clause = s.Clauses[i]
		q.Verb = s.Group(q.Clause)
		q.Subject = s.FullText(q.Clause.Subject)
		q.Who = q.Clause.Who
		if q.Clause.Subject >= 0 {
			q.Owner = s.Phrases[q.Clause.Subject].Owner
		}
	}
	q.YesNo = q.Wh == "" && (q.Verb.Inverted || q.Clause.Flags.Has(Question))
	q.Marks = s.marks()
	q.Parts = s.parts()
	q.View = q.view()
	return q
}

// askingClause returns the clause that asks: what "tell me" and "do you know" ask
// for, else the first main question, else the first main clause with a verb.
func (s *Sentence) askingClause() int {
	if i := s.wrapped(); i >= 0 {
		return i
	}
	for i, c := range s.Clauses {
		if c.Depth == 0 && c.Verb >= 0 && c.Flags.Has(Question) {
			return i
		}
	}
	return slices.IndexFunc(s.Clauses, func(c Clause) bool { return c.Depth == 0 && c.Verb >= 0 })
}

// wrapped returns the clause inside "Tell me …" or "Do you know …", or -1.
func (s *Sentence) wrapped() int {
	for i := 1; i < len(s.Clauses); i++ {
		c, before := s.Clauses[i], s.Clauses[i-1]
		if c.Subordinator != "" && c.Depth > 0 && before.Depth == 0 && tellVerbs[s.Group(before).Verb] && (before.Flags.Has(Question|Imperative) && before.Who == Hearer) {
			return i
		}
	}
	return -1
}

var tellVerbs = set("tell show explain describe remind know say remember recall")

// whAsked returns the question word and the noun it asks for.
func (s *Sentence) whAsked() (wh, noun string) {
	inside := s.wrapped() >= 0
	for i, t := range s.Tokens {
		if !strings.HasPrefix(t.Tag, "W") || t.Norm == "that" || i > 0 && !inside && s.isSubordinateToken(i) {
			continue
		}
		wh = t.Norm
		next := i + 1
		if next < len(s.Tokens) && wh == "how" && howWords[s.Tokens[next].Norm] {
			wh = "how " + s.Tokens[next].Norm
			next++
		}
		if wh == "what" && next+1 < len(s.Tokens) && s.Tokens[next].Lemma == "kind" || next < len(s.Tokens) && s.Tokens[next].Lemma == "type" {
			next += 2
		}
		noun = s.nounFrom(next)
		if noun != "" && (wh == "what" || wh == "which") && dateNouns[noun] {
			wh = "when"
		}
		return wh, noun
	}
	return "", ""
}

// dateNouns turn "which" into "when".
var dateNouns = set("day date month year time week season")

var howWords = set("many much long often old far big tall soon frequently")

// isSubordinateToken reports whether the token at i opens a dependent clause.
func (s *Sentence) isSubordinateToken(i int) bool {
	return slices.ContainsFunc(s.units, func(u unit) bool { return u.kind == unitSub && u.first == i })
}

func (s *Sentence) nounFrom(token int) string {
	for _, np := range s.Phrases {
		if np.First <= token && token <= np.Head && !np.Pronoun && np.Owner == "" && np.Determiner == "" && !np.Named {
			return joinTokens(s.Tokens, token, np.End)
		}
	}
	return ""
}

// markPhrases are the expressions behind each mark.
var markPhrases = compileMarks(map[Marks]string{
	MarkUsedTo: "used to|use to",
	MarkBefore: "before|prior to|previously|previous|formerly|former|earlier|past|old|beforehand|until|preceding|back when|ex|prior|in the past|once",
	MarkAfter:  "after|since then|afterwards|following|next",
	MarkFirst:  "first|originally|initially|original|initial|to begin with|in the beginning|to start with|earliest|at first",
	MarkLast:   "last",
	MarkLatest: "latest|most recent|most recently|newest|up to date|current|present",
	MarkNow:    "now|currently|nowadays|these days|at the moment|right now|at present|presently|today|this year|this month|this week|as of now|lately|recently",
	MarkStill:  "still|anymore|any more|no longer|any longer",
	MarkPastDate: "ago|back then|back in|at the time|at that time|last year|last month|last week|last summer|last winter|last spring|last fall|last autumn|as of|in those days|then|when she was|when he was|" +
		"as a child|as a kid|growing up|in college|in high school",
	MarkSinceWhen: "since when|how long",
	MarkOverTime:  "over time|over the years|over the months|over the past|over the last|history|through the years|so far|timeline|progression|evolution",
	MarkEver:      "ever|how many times|how often",
	MarkBoth:      "before and after|then and now|past and present|past and current|used to and|before and now|from what to what|from which",
})

func compileMarks(table map[Marks]string) map[string][]markPhrase {
	out := map[string][]markPhrase{}
	for mark, text := range table {
		for _, phrase := range strings.Split(text, "|") {
			words := strings.Fields(phrase)
			out[words[0]] = append(out[words[0]], markPhrase{words, mark})
		}
	}
	return out
}

type markPhrase struct {
	words []string
	mark  Marks
}

// MarksOf are the words of a clause that place it in time, whether it asks or tells.
func (s *Sentence) MarksOf(c Clause) Marks {
	m := s.marksIn(c.First, min(c.End, len(s.Tokens)))
	if c.Verb >= 0 {
		m |= verbMarks(s.Groups[c.Verb])
	}
	return m
}

// marks reads the words of a question that place it in time.
func (s *Sentence) marks() Marks {
	m := s.marksIn(0, len(s.Tokens))
	for _, c := range s.Clauses {
		if c.Verb >= 0 && c.Kind != Adverbial && c.Kind != Relative && !(c.Kind == Reduced && c.Subordinator != "") {
			m |= verbMarks(s.Groups[c.Verb])
		}
	}
	return m
}

// marksIn are the marks of the tokens [first, end), without those of verbs.
func (s *Sentence) marksIn(first, end int) (m Marks) {
	for i := first; i < end; i++ {
		t := s.Tokens[i]
		reference := s.isReference(i)
		for _, p := range markPhrases[t.Norm] {
			if s.matches(i, p.words) && s.markHolds(i, p) && !(reference && p.mark&(MarkNow|MarkLatest|MarkLast|MarkOverTime) != 0) {
				m |= p.mark
			}
		}
		if t.Tag == "CD" && len(t.Norm) == 4 && (t.Norm[:2] == "19" || t.Norm[:2] == "20") {
			m |= MarkPastDate
		}
		if changeNouns[t.Lemma] && isNounTag(t.Tag) && s.isHead(i) && !reference {
			m |= MarkChange
		}
		if t.Norm == "first" && i+1 < len(s.Tokens) && isVerbTag(s.Tokens[i+1].Tag) {
			m |= MarkStartEnd // "when did she first play"
		}
	}
	return m
}

// isReference reports whether a token stands in a phrase that only says from
// where one looks: "before the latest change", "since the last update".
func (s *Sentence) isReference(token int) bool {
	for _, np := range s.Phrases {
		if token < np.First || token >= np.End {
			continue
		}
		for i := np.First - 1; i >= 0 && i >= np.First-3; i-- {
			if t := s.Tokens[i]; viewpoints[t.Norm] {
				return true
			} else if t.Tag != "TO" && t.Norm != "of" && t.Tag != "DT" {
				break
			}
		}
	}
	return false
}

// viewpoints are the words that open such a phrase.
var viewpoints = set("before after until till prior following preceding during")

func (s *Sentence) isHead(token int) bool {
	return slices.ContainsFunc(s.Phrases, func(np NounPhrase) bool { return np.Head == token })
}

// markHolds rules out other readings: "next" the adjective of a plan, "past" the
// preposition, "then" after "if", "old" in "how old", "since then".
func (s *Sentence) markHolds(i int, p markPhrase) bool {
	prev := ""
	if i > 0 {
		prev = s.Tokens[i-1].Norm
	}
	switch p.words[0] {
	case "old":
		return prev != "how" && len(p.words) == 1 && i+1 < len(s.Tokens) && isNounTag(s.Tokens[i+1].Tag)
	case "next", "following", "once":
		return false
	case "past":
		return isAdjTag(s.Tokens[i].Tag) || isNounTag(s.Tokens[i].Tag)
	case "first":
		return i+1 < len(s.Tokens) && s.Tokens[i+1].Norm != "name"
	case "last":
		return i+1 < len(s.Tokens) && s.Tokens[i+1].Norm != "name"
	case "today", "this", "lately", "recently", "present":
		return p.words[0] != "present" || isAdjTag(s.Tokens[i].Tag)
	case "then":
		return prev != "since"
	case "current":
		return isAdjTag(s.Tokens[i].Tag)
	case "until":
		return i+1 < len(s.Tokens) && s.Tokens[i+1].Norm != "now"
	}
	return true
}

var changeNouns = set("change switch transition update replacement")

// turnVerbs name a change by themselves.
var turnVerbs = set("change switch replace transition shift evolve convert swap become transfer relocate upgrade move trade update differ increase decrease")

func verbMarks(g VerbGroup) Marks {
	var m Marks
	if g.UsedTo {
		m |= MarkUsedTo
	}
	if turnVerbs[g.Verb] || g.Lemma == "go up" || g.Lemma == "go down" {
		m |= MarkChange
	}
	if edgeVerbs[g.Verb] && !g.Passive || g.Lemma == "give up" || g.Lemma == "take up" || g.Lemma == "pick up" {
		m |= MarkStartEnd
	}
	return m
}

// edgeVerbs are about the start or the end of a state.
var edgeVerbs = set("start begin stop quit end cease adopt join leave drop retire abandon hire discontinue resign divorce marry enroll enrol")

// stateVerbs say how things are rather than what happens once.
var stateVerbs = set(`be have live work drive own use like love prefer drink eat play study attend wear keep want believe know speak belong stay hold follow support date subscribe rent reside
ride commute take hate enjoy need practice practise weigh cost sleep favor favour think feel teach lead manage run volunteer report see train major specialize identify`)

// eventVerbs tell what happens once: a date beside them dates an event, and asks for no
// state at that time.
var eventVerbs = set(`happen occur say tell mention ask suggest recommend share show give receive win lose find buy sell send donate organize organise host visit celebrate announce
propose promise create paint perform make meet discover finish complete explore participate face express describe reveal invite thank surprise`)

// TellsEvent reports whether a question asks about something that happened once: "what
// did Anna buy in May?".
func (q *Asking) TellsEvent() bool { return q.Verb.Tense == Past && eventVerbs[q.Verb.Verb] }

// view derives the view; the rules are in the contract of ReadQuestion.
func (q *Asking) view() daybook.View {
	g, m := q.Verb, q.Marks
	past := g.Tense == Past
	now := m.Has(MarkNow | MarkStill | MarkLatest)
	back := m.Has(MarkBefore | MarkFirst | MarkPastDate | MarkUsedTo)
	switch {
	case q.asksChange(past):
		return daybook.Change
	case g.UsedTo || m.Has(MarkUsedTo):
		return daybook.Historical
	case g.Verb == "" && m.Has(MarkLatest|MarkNow|MarkStill):
		return daybook.Current
	case g.Verb == "" && back:
		return daybook.Historical
	case g.Verb == "", g.Tense == Future:
		return daybook.Neutral
	case q.TellsEvent() && !m.Has(MarkBefore|MarkFirst):
		return daybook.Neutral
	case past && back:
		return daybook.Historical
	case past && m.Has(MarkStill|MarkLatest) && !stateVerbs[g.Verb]:
		return daybook.Current
	case past && m.Has(MarkLast) && stateVerbs[g.Verb]:
		return daybook.Historical
	case past && stateVerbs[g.Verb] && !m.Has(MarkNow) && !q.isEvent():
		return daybook.Historical
	case past:
		return daybook.Neutral
	case g.Perfect && !g.Progressive && m.Has(MarkEver|MarkBefore):
		return daybook.Neutral
	case now:
		return daybook.Current
	case g.Tense == Present && m.Has(MarkBefore|MarkFirst) && g.Verb == "be":
		return daybook.Historical // "What is Anna's previous job?"
	}
	return daybook.Current
}

// asksChange: see ReadQuestion.
func (q *Asking) asksChange(past bool) bool {
	g, m := q.Verb, q.Marks
	whenWhy := q.Wh == "when" || q.Wh == "why" || q.Wh == "how" || q.Wh == "how long" && m.Has(MarkPastDate) || m.Has(MarkSinceWhen) && past
	switch {
	case m.Has(MarkBoth | MarkOverTime), q.sinceWhen():
		return true
	case m.Has(MarkUsedTo|MarkBefore|MarkFirst) && m.Has(MarkNow|MarkLatest) && q.joinsTimes():
		return true
	case m.Has(MarkChange) && (past || g.Perfect || g.Verb == "be" || turnVerbs[g.Verb]) && !m.Has(MarkStill) && g.Tense != Future:
		return true
	case m.Has(MarkStartEnd) && (past || g.Perfect) && (whenWhy || q.YesNo || q.Wh == "what" && q.Asked == ""):
		return true
	}
	return false
}

// sinceWhen asks for the start of a state.
func (q *Asking) sinceWhen() bool {
	t := q.Sentence.Tokens
	return len(t) > 2 && t[0].Norm == "since" && t[1].Norm == "when"
}

// joinsTimes: then and now stand on two sides of "and", "or" or "to".
func (q *Asking) joinsTimes() bool {
	return slices.ContainsFunc(q.Sentence.Tokens, func(t Token) bool {
		return t.Norm == "and" || t.Norm == "versus" || t.Norm == "vs" || t.Norm == "compared" || t.Norm == "to"
	})
}

// isEvent: a past question about one occasion.
func (q *Asking) isEvent() bool {
	s := &q.Sentence
	for _, p := range q.Clause.Preps {
		if head := s.Tokens[s.Phrases[p.Phrase].Head]; eventNouns[head.Lemma] || p.Word == "on" && weekdays[head.Norm] {
			return true
		}
	}
	return q.Clause.Flags.Has(Occasion) || q.Wh == "when" && q.Verb.Verb != "be" || q.Marks.Has(MarkEver)
}

// eventNouns name occasions.
var eventNouns = set("wedding party picnic meeting conference dinner lunch trip concert ceremony funeral festival interview exam match game race show exhibition event barbecue reunion appointment celebration parade workshop")

// parts splits "Where does Anna live and what does she do?" at the "and" before a
// second question word.
func (s *Sentence) parts() []string {
	first := slices.IndexFunc(s.Tokens, func(t Token) bool { return strings.HasPrefix(t.Tag, "W") || t.Tag == "MD" || isAuxWord(t.Norm) })
	if first < 0 {
		return nil
	}
	for i := first + 2; i+1 < len(s.Tokens); i++ {
		next := s.Tokens[i+1]
		if s.Tokens[i].Tag != "CC" || !strings.HasPrefix(next.Tag, "W") && !(isAuxWord(next.Norm) && s.invertedAt(i+1)) {
			continue
		}
		return []string{
			strings.TrimRight(joinTokens(s.Tokens, 0, i), " ,"),
			joinTokens(s.Tokens, i+1, len(s.Tokens)),
		}
	}
	return nil
}

// Conjuncts are the questions that a question asks at once: those that "and" joins, or,
// where "and" or "or" joins two things in it, one for each of them:
//
//	What did Ann say about her garden and her job?
//	What did Ann say about her garden?
//	What did Ann say about her job?
//
// It is nil for a question that asks one thing. What holds between two things is one.
func (q *Asking) Conjuncts() []string {
	if len(q.Parts) > 1 {
		return q.Parts
	}
	s := &q.Sentence
	for i, t := range s.Tokens {
		if t.Norm != "and" && t.Norm != "or" {
			continue
		}
		left := slices.IndexFunc(s.Phrases, func(np NounPhrase) bool { return np.End == i && !np.Pronoun })
		right := slices.IndexFunc(s.Phrases, func(np NounPhrase) bool { return np.First == i+1 && !np.Pronoun })
		if left < 0 || right < 0 || s.Phrases[left].First > 0 && s.Tokens[s.Phrases[left].First-1].Norm == "between" {
			continue
		}
		return []string{s.without(i, s.Phrases[right].End), s.without(s.Phrases[left].First, i+1)}
	}
	return nil
}

// without is the text of a sentence without some of its tokens, and without "both".
func (s *Sentence) without(first, end int) string {
	left := slices.Concat(s.Tokens[:first], s.Tokens[end:])
	left = slices.DeleteFunc(left, func(t Token) bool { return t.Norm == "both" })
	return strings.ReplaceAll(joinTokens(left, 0, len(left)), " ?", "?")
}

func (s *Sentence) invertedAt(token int) bool {
	return slices.ContainsFunc(s.Groups, func(g VerbGroup) bool { return g.First == token && g.Inverted })
}

// AsStatement turns a question about somebody into the words in which the
// speaker would have said it: "What coffee does Caroline drink?" asked about
// Caroline gives "I drink coffee"; "Who is Caroline's manager?" gives "my manager
// is". The speaker is recognised by name, by any part of it, or as "you", "the
// user" and the pronouns he, she and they when nobody else is named. A question
// about somebody else keeps its subject.
func AsStatement(question, speaker string) string {
	q := ReadQuestion(question)
	s := &q.Sentence
	if q.Verb.Main < 0 || q.Verb.Verb == "" {
		return firstPerson(s, 0, len(s.Tokens), speaker)
	}
	subject, first := q.subjectWords(speaker)
	words := []string{subject, conjugate(q.Verb, first), q.objectWords(speaker)}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// subjectWords returns the subject in first person, and whether it is "I".
func (q *Asking) subjectWords(speaker string) (words string, first bool) {
	s := &q.Sentence
	if q.Clause.Subject < 0 {
		return "I", true
	}
	np := s.Phrases[q.Clause.Subject]
	last := np.End
	for of := np.Of; of >= 0; of = s.Phrases[of].Of {
		last = s.Phrases[of].End
	}
	words = firstPerson(s, np.First, last, speaker)
	switch words {
	case "me", "I", "i":
		return "I", true
	case "we", "We":
		return "we", true
	}
	return words, false
}

// conjugate writes a verb group in the order of a statement.
func conjugate(g VerbGroup, first bool) string {
	verb := strings.TrimPrefix(g.Lemma, g.Verb)
	base := g.Verb
	var out string
	switch {
	case g.UsedTo:
		out = "used to " + base
	case g.Modal != "":
		out = g.Modal + " " + base
	case g.Tense == Future:
		out = "will " + base
	case g.Perfect && g.Progressive:
		out = "have been " + ingForm(base)
	case g.Perfect:
		out = "have " + participleForm(base)
	case g.Progressive && g.Tense == Past:
		out = "was " + ingForm(base)
	case g.Progressive:
		out = be(first) + " " + ingForm(base)
	case g.Passive && g.Tense == Past:
		out = "was " + participleForm(base)
	case g.Passive:
		out = be(first) + " " + participleForm(base)
	case g.Tense == Past:
		out = PastForm(base)
	case base == "be":
		out = be(first)
	case first:
		out = base
	default:
		out = ThirdForm(base)
	}
	if g.Negated {
		out += " not"
	}
	return out + verb
}

func be(first bool) string {
	if first {
		return "am"
	}
	return "is"
}

func ingForm(base string) string {
	switch {
	case base == "be":
		return "being"
	case strings.HasSuffix(base, "ie"):
		return base[:len(base)-2] + "ying"
	case strings.HasSuffix(base, "e") && !strings.HasSuffix(base, "ee"):
		return base[:len(base)-1] + "ing"
	case doublesLast(base):
		return base + base[len(base)-1:] + "ing"
	}
	return base + "ing"
}

func participleForm(base string) string {
	for _, w := range splitRows(irregularVerbs) {
		if w[0] == base {
			part, _, _ := strings.Cut(w[2], "/")
			return part
		}
	}
	return PastForm(base)
}

// objectWords returns what follows the verb: the noun asked for, then the rest of
// the question as it stands.
func (q *Asking) objectWords(speaker string) string {
	s := &q.Sentence
	g := q.Verb
	from := g.End
	if q.Clause.Subject >= 0 {
		from = max(from, s.Phrases[q.Clause.Subject].End)
		for of := s.Phrases[q.Clause.Subject].Of; of >= 0; of = s.Phrases[of].Of {
			from = max(from, s.Phrases[of].End)
		}
	}
	asked := q.Asked
	if g.Verb == "be" && !g.Inverted && q.Clause.Subject >= 0 && strings.HasPrefix(s.PhraseText(q.Clause.Subject), asked) {
		asked = ""
	}
	return asked + " " + firstPerson(s, from, len(s.Tokens), speaker)
}

// firstPerson writes tokens with the speaker turned into I, me and my, without
// question words and marks.
func firstPerson(s *Sentence, first, end int, speaker string) string {
	var out []string
	for i := first; i < end; i++ {
		t := s.Tokens[i]
		switch {
		case t.Tag == "." || t.Tag == "POS" && len(out) > 0 && out[len(out)-1] == "my":
			continue
		case isSpeaker(t, speaker) || t.Norm == "you" || t.Norm == "user" && len(out) > 0 && out[len(out)-1] == "the":
			out = appendSpeaker(out, s, i)
			for i+1 < end && isSpeaker(s.Tokens[i+1], speaker) {
				i++ // the surname
			}
		case (t.Norm == "she" || t.Norm == "he" || t.Norm == "him" || t.Norm == "they" || t.Norm == "them" || t.Norm == "her" && t.Tag == "PRP") && !s.namesOther(speaker):
			out = appendSpeaker(out, s, i)
		case (t.Norm == "his" || t.Norm == "her" || t.Norm == "their" || t.Norm == "your") && (!s.namesOther(speaker) || t.Norm == "your"):
			out = append(out, "my")
		default:
			out = appendJoined(out, s.Tokens, i, first)
		}
	}
	return strings.Join(out, " ")
}

// appendJoined appends a token; a clitic or a mark is joined to the one before.
func appendJoined(out []string, t []Token, i, first int) []string {
	if i > first && len(out) > 0 && t[i].Start == t[i-1].End {
		out[len(out)-1] += t[i].Text
		return out
	}
	return append(out, t[i].Text)
}

// appendSpeaker appends "my" before a possessive, "I" before a verb, else "me".
func appendSpeaker(out []string, s *Sentence, i int) []string {
	if len(out) > 0 && out[len(out)-1] == "the" {
		out = out[:len(out)-1]
	}
	next := i + 1
	for next < len(s.Tokens) && strings.HasPrefix(s.Tokens[next].Tag, "NNP") {
		next++
	}
	switch {
	case next < len(s.Tokens) && s.Tokens[next].Tag == "POS":
		return append(out, "my")
	case next < len(s.Tokens) && isFinite(s.Tokens[next].Tag):
		return append(out, "I")
	}
	return append(out, "me")
}

func isSpeaker(t Token, speaker string) bool {
	return speaker != "" && slices.Contains(strings.Fields(strings.ToLower(speaker)), t.Norm) && strings.HasPrefix(t.Tag, "NNP")
}

// namesOther reports whether the sentence names a person who is not the speaker.
func (s *Sentence) namesOther(speaker string) bool {
	return slices.ContainsFunc(s.Names(), func(n Name) bool {
		return n.Kind == PersonName && !isSpeaker(s.Tokens[n.First], speaker)
	})
}
