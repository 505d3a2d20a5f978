package english

import (
	"slices"
	"strings"

	"daybook"
)

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
	text = strings.TrimSpace(text)
	if len(text) > maxQuestion {
		text = strings.ToValidUTF8(text[:maxQuestion], "")
	}
	q := Asking{Sentence: ReadSentence(text)}
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
	q.YesNo = len(s.Tokens) > 0 && q.Wh == "" && (q.Verb.Inverted || q.Clause.Flags.Has(Question)) && !q.requests()
	q.Marks = s.marks()
	q.Parts = s.parts()
	q.View = q.view()
	return q
}

// maxQuestion is how many bytes of a question are read by grammar, whose cost grows with the
// square of the clauses. What people ask is far shorter.
const maxQuestion = 4 << 10

// requests reports whether a question asks the hearer to do something: "can you list",
// "would you go over". Neither yes nor no answers that.
func (q *Asking) requests() bool {
	for i, t := range q.Sentence.Tokens[1:] {
		if q.Who == Hearer && t.Norm == "you" && requestModals[q.Sentence.Tokens[i].Norm] {
			return true
		}
	}
	return false
}

var requestModals = set("can could will would")

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
		if np.First <= token && token <= np.Head && !np.Pronoun && np.Owner == "" && np.Determiner == "" && (!np.Named || np.End == np.First+1 && isAllUpper(s.Tokens[np.Head].Text)) {
			return joinTokens(s.Tokens, token, np.End)
		}
	}
	return ""
}

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
