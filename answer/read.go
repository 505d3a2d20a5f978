package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/model"
	"daybook/timex"
)

// Answer is what is said to a question, and what it stands on.
type Answer struct {
	ID        string       `json:"id"`
	Question  string       `json:"question"`
	Text      string       `json:"answer"`
	Known     bool         `json:"known"`
	View      daybook.View `json:"view"`
	Intent    Intent       `json:"intent"`
	Rows      []Item       `json:"rows"`
	Citations []Citation   `json:"citations"`
	By        string       `json:"by"` // who answered, and in which version
	// Removed counts citations that a model made and the packet does not hold.
	Removed  int    `json:"removed_citations,omitempty"`
	Fallback string `json:"fallback,omitempty"` // why the local reader stood in for a model
	// Packet is the evidence that it was made from.
	Packet *Packet `json:"-"`
}

// Citation is a row that an answer stands on, with the words of it that say so.
type Citation struct {
	N      int            `json:"n"`
	ID     daybook.NoteID `json:"id"`
	Source string         `json:"source_id,omitempty"`
	Quote  string         `json:"quote"`
}

// Reader is who answers without a language model, and in which version.
const Reader = "local:reader@1"

// unknownBelow is the least likelihood that the notes hold the answer at which a
// question about a state is answered. tools/questions prints what other bounds
// answer; 0.9 was chosen with a look at GHOST dev.
const unknownBelow = 0.9

// Read answers from a resolution and its packet, without a language model: by grammar
// and, where it is not nil, by what a pointer makes of the first rows.
func Read(ctx context.Context, m model.Pointer, r *Resolved, p *Packet) (Answer, error) {
	a := Answer{Question: r.Text, View: r.View, Intent: r.Intent, Rows: p.Items, Citations: []Citation{}, By: Reader, Packet: p}
	text, from := fromKnown(r)
	if text == "" && !r.Stands { // else the state is known, and says nothing of what is asked
		if m != nil {
			if err := Point(ctx, m, r, p); err != nil {
				return a, err
			}
		}
		text, from = fromFound(r, p)
	}
	if text == "" {
		return a.unknown(p), nil
	}
	a.Text, a.Known = text, true
	for _, c := range from {
		a.cite(p, c.Note, c.Sentence)
	}
	return a, nil
}

// fromKnown answers from the state that is asked for, where the notes tell it, and names the
// claims that the answer stands on.
func fromKnown(r *Resolved) (string, []Claim) {
	switch {
	case r.Stopped != nil && r.Gone.Heir != "":
		return fmt.Sprintf("No, now %s; %s was before.", trimValue(r.Gone.Heir), trimValue(r.Gone.Object)), []Claim{*r.Stopped}
	case r.Stopped != nil:
		return fmt.Sprintf("No, no longer: over by %s.", day(r.Stopped.Time)), []Claim{*r.Stopped}
	case r.Stands:
		return fromState(r)
	case r.Over != nil && r.Match >= likelyMatch && r.Known >= unknownBelow:
		text := fmt.Sprintf("No longer %s (%s).", trimValue(r.Over.Object), r.OverWhy)
		if r.Intent == WantsVerdict {
			text = "No, n" + text[1:]
		}
		return text, []Claim{*r.Over}
	}
	return "", nil
}

// fromFound answers from the rows that recall found, where they hold an answer.
func fromFound(r *Resolved, p *Packet) (string, []Claim) {
	x := HoldSignals(r, p)
	if !bears(r, &x) || reader().Holds(x) < leastHeld(r) {
		return "", nil
	}
	return fromRows(r, p)
}

// bears reports whether anything bears on a state that is asked for: a word of the
// question in what the one who is asked about said, or a claim that likely tells it; and
// a row that a pointer, where one read them, rather takes for an answer than not.
func bears(r *Resolved, x *[holdSignals]float64) bool {
	return !r.OfState() || x[signalAnswers] >= 0 && (r.Match >= likelyMatch || x[signalOwn] > 0)
}

// How likely the rows must hold an answer for it to be looked for. tools/reader prints
// what other bounds decline. On our own questions heldSome declines nineteen in twenty
// about a state that nobody told; among states that resemble the asked one the judge is
// surer than it should be, so heldState was chosen with a look at GHOST dev.
const (
	heldState = 0.93
	heldSome  = 0.5
	heldElse  = 0.2
)

func leastHeld(r *Resolved) float64 {
	switch {
	case !r.OfState() || ofExperience(r):
		return heldElse
	case r.View != daybook.Current || r.Intent == WantsList || r.Intent == WantsReason:
		return heldSome // not the one value of a state that holds
	}
	return heldState
}

// likelyMatch is how likely the likeliest claim must tell what is asked for its state
// to be taken for the asked one, surelyMatch for that state to come before all else
// that recall found.
const (
	likelyMatch = 0.6
	surelyMatch = 0.9
)

// stands reports whether the notes tell the state that is asked for.
func stands(r *Resolved) bool {
	return r.OfState() && !ofExperience(r) && len(r.Asked) > 0 && r.Match >= likelyMatch && (r.Known >= unknownBelow || settled(r)) && fits(r) && borneOut(r)
}

// ofExperience reports whether a question asks what somebody has done so far, which
// is no state: "which books has she read", "where has he been".
func ofExperience(r *Resolved) bool {
	g, t := r.Asking.Verb, r.Asking.Sentence.Tokens
	if g.First < 0 || g.First >= len(t) || t[g.First].Lemma != "have" { // "how much does she have left"
		return false
	}
	return r.View == daybook.Current && r.Intent != WantsVerdict && g.Perfect && !g.Progressive && !g.Passive && g.Verb != "have" && (g.Verb != "be" || r.Asking.Wh == "where")
}

// firstFound is how many of the rows that recall found first can bear out a state.
const firstFound = 8

// surelyStated is how likely one claim of a state must be to state something: talk
// that only resembles statements is no state.
const surelyStated = 0.5

// borneOut reports whether recall, which looks at whole notes, found a claim of the
// state among its first rows: what only the match of states sees is not enough to
// answer from.
func borneOut(r *Resolved) bool {
	if !slices.ContainsFunc(r.Timeline, func(c Claim) bool { return c.Chance >= surelyStated }) {
		return false
	}
	for _, row := range r.Rows[:min(len(r.Rows), firstFound)] {
		if slices.ContainsFunc(r.Timeline, func(c Claim) bool { return c.Note == row.ID }) {
			return true
		}
	}
	return false
}

// fits reports whether the asked value is of a sort that can answer: who wants a
// name, how much a number.
func fits(r *Resolved) bool {
	c := &r.Asked[len(r.Asked)-1]
	if r.Asking.Wh == "when" && r.Intent == WantsDate && c.read != nil {
		return slices.Contains(r.Wants, c.Type)
	}
	if r.Intent != WantsValue || len(r.Wants) == 0 || r.Asking.Wh == "where" || settled(r) {
		return true
	}
	return slices.Contains(r.Wants, c.Type) || c.read == nil || c.Type == extract.Thing && (r.Asking.Wh != "who" || startsUpper(c.Object))
}

// startsUpper reports whether a value may be a name at the start of a sentence.
func startsUpper(v string) bool {
	first, _ := utf8.DecodeRuneInString(v)
	return unicode.IsUpper(first)
}

// settled reports whether the asked claim has what is asked for in so many words.
func settled(r *Resolved) bool { return sharedWords(r.Words, r.Asked[0].Words) >= 0.99 }

// fromState answers from the timeline of the asked state.
func fromState(r *Resolved) (string, []Claim) {
	last := r.Asked[len(r.Asked)-1]
	switch {
	case r.Contested && r.View != daybook.Historical && len(r.Asked) > 1:
		return fmt.Sprintf("The notes contradict each other: %s or %s.", r.Asked[0].Object, last.Object), r.Asked
	case r.Intent == WantsReason:
		return reasonOf(r)
	case r.Intent == WantsChanged:
		return when(&last), []Claim{last}
	case r.Intent == WantsStory:
		return story(r)
	case r.Intent == WantsVerdict:
		return verdict(r, &last), []Claim{last}
	case r.Intent == WantsDuration:
		return duration(r, &last), []Claim{last}
	case noEarlier(r) && last.read != nil && extract.Swapped(last.read) != "":
		return trimValue(extract.Swapped(last.read)), []Claim{last}
	case noEarlier(r):
		return fmt.Sprintf("No earlier value is known, only %s (%s).", trimValue(last.Object), when(&last)), []Claim{last}
	case r.View == daybook.Current && r.Doubt != nil:
		return fmt.Sprintf("%s until %s, then possibly %s", trimValue(last.Object), day(r.Doubt.Time), trimValue(r.Doubt.Object)), []Claim{last, *r.Doubt}
	}
	return onDay(&last), []Claim{last}
}

// onDay is the value of a claim. One that says when by the day on which it was said, as
// "next week" does, is put as a date: it is read on another day.
func onDay(c *Claim) string {
	value := trimValue(c.Object)
	if !slices.ContainsFunc(strings.Fields(strings.ToLower(value)), func(w string) bool { return seenFromNow[w] }) {
		return value
	}
	said := timex.Find(value, c.Time)
	if len(said) != 1 || !said[0].Resolved || said[0].Text != value || said[0].Kind != timex.Date {
		return value
	}
	span := said[0].Span
	for _, e := range timex.Find(c.Sentence, c.Time) {
		if e.Resolved && e.Kind == timex.Date && !e.Span.From.Before(span.From) && !endOf(e.Span).After(endOf(span)) {
			span = e.Span // "next week, on the 9th"
		}
	}
	return timex.Say(span)
}

// seenFromNow are words for a time that depends on when they are said.
var seenFromNow = setOf("next this coming tomorrow today tonight yesterday last")

// noEarlier reports whether a question asks what was before what holds, and only one
// value was ever told.
func noEarlier(r *Resolved) bool {
	if r.View != daybook.Historical || r.Pick != PickPrevious || r.Over != nil {
		return false
	}
	return !slices.ContainsFunc(r.Timeline, func(c Claim) bool { return !sameValue(c.Object, r.Timeline[0].Object) })
}

// when is the day on which a claim's value came to hold.
func when(c *Claim) string { return day(c.since()) }

// reasonOf is the reason that the latest claim of the state gives.
func reasonOf(r *Resolved) (string, []Claim) {
	for _, c := range append(slices.Clone(r.Asked), backwards(r.Timeline)...) {
		if c.Why != "" {
			return "Because " + c.Why + ".", []Claim{c}
		}
	}
	for _, c := range r.Asked {
		if why := reasonIn(c.Sentence); why != "" {
			return "Because " + why + ".", []Claim{c}
		}
	}
	return "", nil
}

func backwards(all []Claim) []Claim {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

// reasonIn is what a sentence gives as its reason or purpose.
func reasonIn(sentence string) string {
	s := english.ReadSentence(sentence)
	for i, c := range s.Clauses {
		switch c.Subordinator {
		case "because", "since", "as", "so that":
			if c.Kind == english.Adverbial {
				return strings.Trim(tokensText(&s, c.First+1, s.WholeEnd(i)), " .,;!")
			}
		}
	}
	return ""
}

// tokensText is the text of the tokens [first, end).
func tokensText(s *english.Sentence, first, end int) string {
	if first >= end || first >= len(s.Tokens) {
		return ""
	}
	return s.Text[s.Tokens[first].Start-s.Start : s.Tokens[min(end, len(s.Tokens))-1].End-s.Start]
}

// story tells from which value to which a state went.
func story(r *Resolved) (string, []Claim) {
	var steps []Claim
	for _, c := range r.Timeline {
		if len(steps) == 0 || !sameValue(steps[len(steps)-1].Object, c.Object) {
			steps = append(steps, c)
		}
	}
	if len(steps) < 2 {
		return "", nil
	}
	text := "From " + trimValue(steps[0].Object)
	for _, c := range steps[1:] {
		text += fmt.Sprintf(" to %s (%s)", trimValue(c.Object), when(&c))
	}
	return text + ".", steps
}

// verdict answers yes or no, and corrects a premise that does not hold.
func verdict(r *Resolved, c *Claim) string {
	asked := daybook.Fold(r.Text)
	if words := strings.Fields(foldValue(c.Object)); r.Had != "" || len(words) > 0 && hasWord(asked, words[len(words)-1]) || strings.Contains(asked, foldValue(c.Object)) {
		return "Yes, " + trimValue(c.Object) + "."
	}
	for _, old := range r.Timeline {
		if !sameValue(old.Object, c.Object) && strings.Contains(asked, foldValue(old.Object)) {
			return fmt.Sprintf("No, now %s; %s was before.", trimValue(c.Object), trimValue(old.Object))
		}
	}
	return "No, " + trimValue(c.Object) + "."
}

// duration is how long the asked value has held.
func duration(r *Resolved, c *Claim) string {
	for _, e := range timex.Find(c.Sentence, c.Time) {
		if e.Kind == timex.Length {
			return e.Text
		}
	}
	return "Since " + when(c) + "."
}

// trimValue is a value without the punctuation around it.
func trimValue(v string) string { return strings.Trim(v, " .,;:!\"'") }

// unknown says that it is not known, with what comes closest.
func (a Answer) unknown(p *Packet) Answer {
	a.Text, a.Known = "Not known.", false
	if len(p.Items) > 0 {
		a.Text = "Not known: the notes do not say."
		a.cite(p, p.Items[0].ID, p.Items[0].Text)
	}
	return a
}

// cite adds a citation of a note, if the packet holds it. What is not in so many words
// in the note, as of an answer that was read with its question, is quoted as the note.
func (a *Answer) cite(p *Packet, id daybook.NoteID, quote string) {
	for _, it := range p.Items {
		if it.ID == id && !strings.Contains(it.Text, quote) {
			quote = it.Text
		}
		if it.ID == id && !slices.ContainsFunc(a.Citations, func(c Citation) bool { return c.N == it.N && c.Quote == quote }) {
			a.Citations = append(a.Citations, Citation{N: it.N, ID: id, Source: it.Source, Quote: quote})
			return
		}
	}
}
