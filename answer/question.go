package answer

import (
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/timex"
)

// Intent is the sort of answer that a question wants.
type Intent string

// Intents.
const (
	WantsValue    Intent = "value"
	WantsDate     Intent = "date"     // when something happened
	WantsChanged  Intent = "changed"  // when a state changed
	WantsReason   Intent = "reason"   // why
	WantsStory    Intent = "story"    // from what to what
	WantsList     Intent = "list"     // every value
	WantsCount    Intent = "count"    // how many
	WantsVerdict  Intent = "verdict"  // yes or no
	WantsDuration Intent = "duration" // how long
)

// Pick says which of several earlier values a historical question means.
type Pick string

// Picks.
const (
	PickPrevious Pick = "previous" // the one just before the current
	PickFirst    Pick = "first"
	PickAt       Pick = "at" // the one that held at the question's time
)

// Question is a question, read for the state it asks for.
type Question struct {
	Text    string
	View    daybook.View
	Intent  Intent
	Pick    Pick
	Subject string // the name of whose state is asked for; empty when nobody is named
	Self    bool   // asked in the first person: I, my
	Named   string // whom or what it asks about by a name, whether or not they speak
	Sole    string // who alone speaks in the memory, where it names nobody
	Had     string // what it asks whether somebody has: "dog"; empty for other questions
	Called  bool   // it asks what somebody or something of the subject's is called
	Asking  english.Asking
	// Statement is the question in the words in which the subject would have
	// said it.
	Statement string
	State     string         // the name of the state that it asks for, where its words name one
	Words     []string       // lemmas of what it asks about
	Wants     []extract.Type // sorts of value that can answer it; nil when any can
	At        daybook.Span   // the time that it names
	Now       time.Time      // when it is asked
	// Variable is the vector of the state variable that is asked for; nil
	// without an encoder.
	Variable []float32
	// Vector is that of its words, apart from what all questions have in
	// common.
	Vector []float32
}

// ReadQuestion reads a question about the person of that name; an empty name lets
// the question itself say who it is about.
func ReadQuestion(text, subject string) Question {
	q := Question{Text: strings.TrimSpace(text), Asking: english.ReadQuestion(text), Subject: subject}
	q.Self = firstPerson(q.Asking.Sentence)
	if q.Subject == "" && len(q.Asking.Names) > 0 {
		q.Subject = q.Asking.Names[0].Text
	}
	q.Named = namedSubject(&q.Asking)
	q.Had = extract.Had(&q.Asking)
	q.Called = extract.Nameless(&q.Asking) != ""
	q.View = q.Asking.View
	q.Intent = intentOf(q.Asking, q.View)
	if q.Intent == WantsChanged || q.Intent == WantsStory {
		q.View = daybook.Change
	}
	q.Pick = pickOf(q.Asking.Marks)
	q.Statement = english.AsStatement(q.Text, q.Subject)
	q.State = extract.AskedState(&q.Asking)
	q.Words = wordsOf(q.Asking)
	q.Wants = wantsOf(q.Asking)
	return q
}

// namedSubject is the name of whom a question asks about: its subject, or the owner of
// that.
func namedSubject(a *english.Asking) string {
	np := a.Clause.Subject
	if np < 0 || np >= len(a.Sentence.Phrases) {
		return ""
	}
	p := a.Sentence.Phrases[np]
	for _, n := range a.Names {
		if p.First <= n.First && n.End <= p.End && (p.Owner == "" || p.Owner == n.Text) {
			return n.Text
		}
	}
	return ""
}

// Seen returns the question as it is asked at a time: the times that it names are
// read from there.
func (q Question) Seen(now time.Time) Question {
	q.Now = now
	for _, e := range timex.Find(q.Text, now) {
		dated := e.Resolved && (e.Kind == timex.Date || e.Kind == timex.Time || e.Kind == timex.Range) && !e.Span.From.IsZero()
		if dated && e.Span.From.Before(now) && (!e.Span.Holds(now) || q.View == daybook.Historical) {
			q.At = e.Span
		}
	}
	if !q.At.From.IsZero() && (q.View == daybook.Historical || q.Asking.Marks.Has(english.MarkPastDate) && !q.Asking.TellsEvent()) && (q.Intent == WantsValue || q.Intent == WantsList) {
		q.View, q.Pick = daybook.Historical, PickAt
	}
	return q
}

// In returns the question with the view that a caller forces; an empty one leaves
// what the question itself says.
func (q Question) In(view daybook.View) Question {
	if view != "" {
		q.View = view
	}
	return q
}

// OfState reports whether the question is about what holds, held or changed.
func (q *Question) OfState() bool {
	return q.View != daybook.Neutral || q.Intent == WantsChanged || q.Intent == WantsStory
}

// WantsEvery reports whether the question asks for every value of the state, or what all
// of them come to.
func (q *Question) WantsEvery() bool {
	return q.Intent == WantsList || q.Intent == WantsCount || q.Intent == WantsStory
}

// By is the time by which what is asked for held: the end of the one that is named, or
// when it is asked.
func (q *Question) By() time.Time {
	if q.Pick == PickAt {
		return endOf(q.At)
	}
	return q.Now
}

func firstPerson(s english.Sentence) bool {
	for _, t := range s.Tokens {
		switch t.Norm {
		case "i", "my", "me", "mine", "myself", "we", "our":
			return true
		}
	}
	return false
}

// intentOf reads the intent off the question word, the noun asked for, and the
// verbs of cause.
func intentOf(a english.Asking, view daybook.View) Intent {
	changed := view == daybook.Change || a.Marks.Has(english.MarkChange)
	switch {
	case asksReason(a):
		return WantsReason
	case asksStory(a, changed):
		return WantsStory
	case asksWhen(a):
		if changed || a.Marks.Has(english.MarkSinceWhen) || tellsOfNew(a) {
			return WantsChanged
		}
		return WantsDate
	case a.Wh == "how long":
		return WantsDuration
	case a.Wh == "how many" && view == daybook.Neutral:
		return WantsCount
	case a.YesNo:
		return WantsVerdict
	case asksSeveral(a):
		return WantsList
	}
	return WantsValue
}

var (
	reasonNouns = setOf("reason motive cause motivation explanation grounds justification")
	causeVerbs  = setOf("make prompt lead cause drive push motivate persuade convince get")
	pointNouns  = setOf("point moment stage occasion day date month year time week weekend season")
)

// asksReason: why; how come; what was the reason; what made her.
func asksReason(a english.Asking) bool {
	s := a.Sentence
	if a.Wh == "why" || len(s.Tokens) > 1 && s.Tokens[0].Norm == "how" && s.Tokens[1].Norm == "come" {
		return true
	}
	for i, t := range s.Tokens {
		if strings.HasPrefix(t.Tag, "NN") && reasonNouns[t.Lemma] {
			return true
		}
		if i > 0 && i < 3 && s.Tokens[0].Norm == "what" && strings.HasPrefix(t.Tag, "VBD") && causeVerbs[t.Lemma] {
			return true
		}
	}
	return len(s.Tokens) > 0 && s.Tokens[len(s.Tokens)-1].Norm == "for" && a.Wh == "what"
}

// asksStory: how did it change; from what to what; what first and what then.
func asksStory(a english.Asking, changed bool) bool {
	if a.Marks.Has(english.MarkBoth) {
		return true
	}
	wh := 0
	for _, t := range a.Sentence.Tokens {
		if strings.HasPrefix(t.Tag, "W") && t.Norm != "that" && t.Norm != "when" {
			wh++
		}
	}
	if wh >= 2 && (changed || a.Marks.Has(english.MarkFirst|english.MarkBefore|english.MarkNow)) {
		return true
	}
	return (a.Wh == "how" || a.Wh == "what") && changed && a.Asked == ""
}

func asksWhen(a english.Asking) bool {
	if a.Wh == "when" || a.Marks.Has(english.MarkSinceWhen) && a.Wh != "how long" {
		return true
	}
	return (a.Wh == "what" || a.Wh == "which") && pointNouns[strings.ToLower(lastWord(a.Asked))]
}

// tellsOfNew: "when did she first mention the new bank".
func tellsOfNew(a english.Asking) bool {
	for _, t := range a.Sentence.Tokens {
		if t.Norm == "new" || t.Norm == "different" || t.Norm == "another" {
			return true
		}
	}
	return false
}

func lastWord(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// asksSeveral: what is asked for stands in the plural.
func asksSeveral(a english.Asking) bool {
	if a.Wh != "what" && a.Wh != "which" && a.Wh != "who" && a.Wh != "where" {
		return false
	}
	for i, t := range a.Sentence.Tokens {
		if t.Tag == "NNS" && i < 5 && a.Asked != "" && strings.Contains(a.Asked, t.Text) {
			return true
		}
	}
	np := a.Clause.Subject
	return a.Verb.Verb == "be" && np >= 0 && np < len(a.Sentence.Phrases) && a.Sentence.Phrases[np].Plural && !a.Sentence.Phrases[np].Pronoun
}

// pickOf says which earlier value is meant.
func pickOf(m english.Marks) Pick {
	if m.Has(english.MarkFirst) && !m.Has(english.MarkLatest|english.MarkLast) {
		return PickFirst
	}
	return PickPrevious
}

// frameWords say how a question is asked, not what it asks about.
var frameWords = setOf("be have do change use previous current currently first original originally initial initially latest recent recently new old now update " +
	"reason motive cause before after switch become start begin stop mention say tell state nowadays present earlier former formerly moment time day date get go")

// wordsOf are the lemmas of what a question asks about: content words that are
// neither names nor the frame of the question.
func wordsOf(a english.Asking) (words []string) {
	named, called := map[int]bool{}, extract.Nameless(&a) != ""
	for _, n := range a.Names {
		for i := n.First; i < n.End; i++ {
			named[i] = true
		}
	}
	for i, t := range a.Sentence.Tokens {
		content := strings.HasPrefix(t.Tag, "NN") || strings.HasPrefix(t.Tag, "VB") || strings.HasPrefix(t.Tag, "JJ") || t.Tag == "CD"
		if content && !named[i] && !frameWords[t.Lemma] && len(t.Norm) > 1 && !(called && (t.Lemma == "name" || t.Lemma == "call")) {
			words = append(words, t.Lemma)
		}
	}
	return words
}

// wantsOf are the sorts of value that the question word allows.
func wantsOf(a english.Asking) []extract.Type {
	switch a.Wh {
	case "who", "whom", "whose":
		return []extract.Type{extract.Name}
	case "how many", "how old", "how far", "how tall", "how big", "how long":
		return []extract.Type{extract.Number, extract.When}
	case "how much":
		return []extract.Type{extract.Number, extract.Money}
	case "when":
		return []extract.Type{extract.When, extract.Number}
	case "where":
		return []extract.Type{extract.Name, extract.Thing}
	}
	for _, t := range a.Sentence.Tokens {
		switch {
		case strings.HasPrefix(t.Tag, "NN") && timeNouns[t.Lemma]:
			return []extract.Type{extract.When, extract.Number}
		case strings.HasPrefix(t.Tag, "NN") && qualityNouns[t.Lemma]:
			return []extract.Type{extract.Quality}
		}
	}
	return nil
}

// Nouns that say which sort of value is asked for.
var (
	timeNouns    = setOf("day time date hour schedule slot appointment shift weekday")
	qualityNouns = setOf("colour color shade")
)

func setOf(words string) map[string]bool { return daybook.WordSet(words) }
