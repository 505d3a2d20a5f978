package extract

import (
	"slices"
	"strings"

	"daybook"
	"daybook/english"
	"daybook/timex"
)

// joint is a place where words say that one thing led to another: inside a
// sentence, or between two that follow each other.
type joint struct {
	kind       daybook.LinkKind
	marker     string // the words, for the justification
	confidence float64
	cause      half
	effect     half
}

// half is one side of a joint: tokens [first, end) of a sentence, said by a clause.
type half struct {
	sentence   *english.Sentence
	clause     *english.Clause
	first, end int
}

// relate links the events that were read from a sentence with each other or with those of the sentence before it, where its words
// say which led to which. A half of a joint that told nothing of its own becomes an
// event when the other half is one, or the words are plain.
func (r *reader) relate(told []sentence, i int) {
	s := &told[i].Sentence
	r.note = told[i].note
	if told[i].bare != nil {
		return // its words are not all the note's
	}
	var prev *english.Sentence
	if i > 0 && told[i-1].note.ID == r.note.ID && told[i-1].bare == nil {
		prev = &told[i-1].Sentence
	}
	j, ok := findJoint(s, prev)
	if !ok || !tells(j.cause) || !tells(j.effect) {
		return
	}
	effect := r.eventOf(j.effect, "")
	cause := r.eventOf(j.cause, effect)
	if effect == "" && cause == "" && j.confidence < 0.8 {
		return
	}
	if effect == "" {
		effect = r.newEvent(j.effect)
	}
	if cause == "" {
		cause = r.newEvent(j.cause)
	}
	if cause == "" || effect == "" || cause == effect {
		return
	}
	r.out.Links = append(r.out.Links, daybook.Link{
		Kind: j.kind, From: string(cause), To: string(effect), Confidence: j.confidence, Why: "“" + j.marker + "”", By: "rule:marker",
	}.Named())
}

// tells reports whether a half says something of the speaker or of a person.
func tells(h half) bool {
	if h.clause == nil || h.clause.Verb < 0 || h.clause.Flags.Has(english.Question|english.Imperative|english.Quoted) {
		return false
	}
	switch h.clause.Who {
	case english.Hearer, english.HearerThing, english.Nobody:
		return false
	}
	return true
}

// eventOf finds the event that was read from a half: one whose value stands in
// it.
func (r *reader) eventOf(h half, not daybook.EventID) daybook.EventID {
	s := h.sentence
	start, end := s.Tokens[h.first].Start, s.Tokens[h.end-1].End
	for _, f := range slices.Backward(r.out.Facts) {
		if !slices.Contains(f.Sources, r.note.ID) {
			break
		}
		if f.Event != not && strings.Contains(r.note.Text[start:end], f.Object) && r.quotes(f.Event, s) {
			return f.Event
		}
	}
	return ""
}

// quotes reports whether an event was read from a sentence of the note.
func (r *reader) quotes(id daybook.EventID, s *english.Sentence) bool {
	for _, e := range slices.Backward(r.out.Events) {
		if e.ID == id {
			return len(e.Quotes) > 0 && e.Quotes[0].Start == s.Start
		}
	}
	return false
}

// newEvent makes an event of a half that no event was read from.
func (r *reader) newEvent(h half) daybook.EventID {
	s := h.sentence
	part := *s
	part.Tokens = s.Tokens[h.first:h.end]
	start, end := part.Tokens[0].Start, part.Tokens[len(part.Tokens)-1].End
	part.Text, part.Span = s.Text[start-s.Start:end-s.Start], english.Span{Start: start, End: end}
	g := s.Group(*h.clause)
	st := Statement{Start: start, End: end, Present: g.Tense == english.Present || g.Perfect}
	st.Modality = modality(h.clause.Flags)
	if h.clause.Flags.Has(english.Negated) && st.Modality == daybook.Hypothetical {
		st.Modality = daybook.Negated // "couldn't"
	}
	speaker := person(r.note.Speaker)
	r.declare(speaker)
	ev := daybook.Event{
		Kind: kind(g, &st), Text: selfContained(&part, r.note.Speaker), Participants: []daybook.EntityID{speaker.ID},
		Modality: st.Modality, Session: r.note.Session, Quotes: []daybook.Quote{{Note: r.note.ID, Start: start, End: end}},
		Time: daybook.Span{From: r.note.Time, Known: daybook.Spoken},
	}
	if a := timex.Anchor(part.Text, r.note.Time); a.Expr.Resolved {
		ev.Time = a.Span
	}
	for _, n := range s.Names() {
		if n.First < h.first || n.End > h.end {
			continue
		}
		if e, ok := r.named(n); ok {
			ev.Participants = append(ev.Participants, e.ID)
		}
	}
	if ev = ev.Named(); ev.Validate() != nil {
		return ""
	}
	r.out.Events = append(r.out.Events, ev)
	return ev.ID
}

// findJoint finds the first joint of a sentence with itself or with the one before.
func findJoint(s, prev *english.Sentence) (joint, bool) {
	if j, ok := backward(s, prev); ok {
		return j, true
	}
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Verb < 0 {
			continue
		}
		for _, find := range []func(*english.Sentence, int) (joint, bool){becauseJoint, soJoint, whichJoint} {
			if j, ok := find(s, i); ok {
				return j, true
			}
		}
	}
	return joint{}, false
}

// becauseJoint reads "A because B": B led to A, or kept it from being.
func becauseJoint(s *english.Sentence, i int) (joint, bool) {
	c := &s.Clauses[i]
	if c.Kind != english.Adverbial || c.Subordinator != "because" || c.Parent < 0 {
		return joint{}, false
	}
	cause := wholeOf(s, i)
	for cause.first < cause.end-1 && (s.Tokens[cause.first].Norm == "because" || s.Tokens[cause.first].Norm == "just") {
		cause.first++
	}
	of := c.Parent
	for s.Clauses[of].Kind == english.Reduced && s.Clauses[of].Parent >= 0 && s.Clauses[of].Parent < of { // "excited to go because": not the going
		of = s.Clauses[of].Parent
	}
	effect := wholeOf(s, of)
	if effect.first <= c.First && c.First < effect.end {
		effect.end = c.First
	}
	return joint{leads(s, s.Clauses[of]), "because", 0.9, cause, effect}, effect.first < effect.end
}

// soJoint reads "A, so B" and "A, so that B".
func soJoint(s *english.Sentence, i int) (joint, bool) {
	c := &s.Clauses[i]
	purpose := c.Subordinator == "that" && c.First > 0 && s.Tokens[c.First-1].Norm == "so" || c.Subordinator == "that" && s.Tokens[c.First].Norm == "so"
	therefore := i > 0 && c.Kind == english.Main && hasAdverb(s, c, "therefore", "consequently", "hence", "thus")
	plain := c.Kind == english.Main && c.Subordinator == "so" && beginsClause(s, c)
	if i == 0 || !purpose && !therefore && !plain {
		return joint{}, false
	}
	cause := wholeOf(s, i-1)
	for before := i - 1; before > 0 && s.Clauses[before].Parent >= 0; before-- {
		cause = wholeOf(s, s.Clauses[before].Parent)
	}
	effect := wholeOf(s, i)
	effect.first = c.First
	for effect.first < effect.end-1 && (joins(s, effect.first) || purpose && s.Tokens[effect.first].Norm == "that") {
		effect.first++
	}
	cause.end = min(cause.end, c.First)
	kind := leads(s, *c)
	if purpose || kind == daybook.Causes && able(s, c) {
		kind = daybook.Enables
	}
	return joint{kind, "so", 0.7, cause, effect}, cause.first < cause.end
}

// beginsClause reports whether the "so" of a clause stands before a subject: in "so
// glad" and "so much" it tells of a degree.
func beginsClause(s *english.Sentence, c *english.Clause) bool {
	for i := max(0, c.First-1); i < c.End-1; i++ {
		if s.Tokens[i].Norm != "so" {
			continue
		}
		next := s.Tokens[i+1]
		for _, tag := range []string{"PRP", "DT", "NN", "EX"} {
			if strings.HasPrefix(next.Tag, tag) {
				return true
			}
		}
		return next.Norm == "maybe" || next.Norm == "now"
	}
	return false
}

// joins reports whether a token only joins what stands on its two sides.
func joins(s *english.Sentence, i int) bool {
	n := s.Tokens[i].Norm
	return isMark(n) || n == "so" || n == "and" || n == "but"
}

// Verbs that say how one thing bears on another.
var (
	enabling   = setOf("let allow enable help")
	causing    = setOf("make lead cause get push force inspire motivate encourage")
	preventing = setOf("keep stop prevent")
)

// whichJoint reads "A, which let me B".
func whichJoint(s *english.Sentence, i int) (joint, bool) {
	c := &s.Clauses[i]
	if c.Kind != english.Relative || c.Subordinator != "which" || c.Parent < 0 || i+1 >= len(s.Clauses) || s.Clauses[i+1].Parent != i {
		return joint{}, false
	}
	verb := s.Group(*c).Verb
	var kind daybook.LinkKind
	switch {
	case enabling[verb]:
		kind = daybook.Enables
	case causing[verb]:
		kind = daybook.Causes
	case preventing[verb]:
		kind = daybook.Prevents
	default:
		return joint{}, false
	}
	cause := wholeOf(s, c.Parent)
	cause.end = min(cause.end, c.First)
	return joint{kind, "which " + verb, 0.8, cause, wholeOf(s, i+1)}, cause.first < cause.end
}

// backward reads words at the start of a sentence that take up the one before:
// "That's why", "because of that", "as a result", "thanks to that", "so".
func backward(s, prev *english.Sentence) (joint, bool) {
	if prev == nil || len(s.Clauses) == 0 || len(prev.Clauses) == 0 {
		return joint{}, false
	}
	j := joint{kind: daybook.Causes, cause: mainHalf(prev), effect: mainHalf(s)}
	words := opening(s, 4)
	switch {
	case hasPrefix(words, "that is why", "that 's why", "that was why", "this is why", "which is why"):
		if len(s.Clauses) < 2 {
			return j, false
		}
		j.effect, j.marker, j.confidence = wholeOf(s, 1), "that's why", 0.9
		j.effect.first = min(j.effect.first+1, j.effect.end-1)
		if s.Tokens[j.effect.first-1].Norm != "why" {
			j.effect.first = s.Clauses[1].First
		}
	case hasPrefix(words, "because of that", "because of this", "for that reason", "for this reason", "due to that", "due to this"):
		j.marker, j.confidence = "because of that", 0.9
	case hasPrefix(words, "as a result", "as a consequence", "therefore", "consequently"):
		j.marker, j.confidence = "as a result", 0.8
	case hasPrefix(words, "thanks to that", "thanks to this", "thanks to it"):
		j.kind, j.marker, j.confidence = daybook.Enables, "thanks to that", 0.8
	case s.Clauses[0].Subordinator == "so" && hasPrefix(words, "so i ", "so we ", "so my "):
		j.marker, j.confidence = "so", 0.5
	default:
		return j, false
	}
	if j.kind == daybook.Causes && j.effect.clause != nil {
		j.kind = leads(s, *j.effect.clause)
	}
	return j, j.cause.first < j.cause.end && j.effect.first < j.effect.end
}

// leads is what a cause does to a clause: it prevents what could not be.
func leads(s *english.Sentence, c english.Clause) daybook.LinkKind {
	if c.Flags.Has(english.Negated) && able(s, &c) {
		return daybook.Prevents
	}
	return daybook.Causes
}

// able reports whether a clause says what somebody can or could do.
func able(s *english.Sentence, c *english.Clause) bool {
	for i := c.First; i < c.End && i < len(s.Tokens); i++ {
		if l := s.Tokens[i].Norm; l == "can" || l == "could" || l == "ca" || l == "able" {
			return true
		}
	}
	return false
}

// wholeOf is a clause with the clauses that hang on it right after it.
func wholeOf(s *english.Sentence, i int) half {
	c := &s.Clauses[i]
	h := half{s, c, c.First, c.End}
	for k := i + 1; k < len(s.Clauses); k++ {
		if d := &s.Clauses[k]; s.Under(k, i) && d.Subordinator != "because" && d.First >= h.first {
			h.end = max(h.end, d.End)
		}
	}
	for h.first < h.end-1 && joins(s, h.first) {
		h.first++
	}
	if tag := s.Tokens[h.first].Tag; tag[0] == 'V' || tag == "MD" { // its subject is a clause of its own
		h.first = 0
	}
	for h.end > h.first+1 && isMark(s.Tokens[h.end-1].Norm) {
		h.end--
	}
	h.end = min(h.end, len(s.Tokens))
	return h
}

// mainHalf is a sentence as one half, by its first clause with a verb.
func mainHalf(s *english.Sentence) half {
	for i := range s.Clauses {
		if s.Clauses[i].Verb >= 0 {
			return half{s, &s.Clauses[i], 0, len(s.Tokens)}
		}
	}
	return half{sentence: s}
}

func hasAdverb(s *english.Sentence, c *english.Clause, words ...string) bool {
	for i := c.First; i < c.End && i < len(s.Tokens); i++ {
		if slices.Contains(words, s.Tokens[i].Norm) {
			return true
		}
	}
	return false
}

// opening are the first words of a sentence, each followed by a space.
func opening(s *english.Sentence, n int) string {
	var b strings.Builder
	for _, t := range s.Tokens[:min(n, len(s.Tokens))] {
		b.WriteString(strings.ReplaceAll(t.Norm, "’", "'") + " ")
	}
	return b.String()
}

func hasPrefix(words string, starts ...string) bool {
	return slices.ContainsFunc(starts, func(p string) bool { return strings.HasPrefix(words, p) })
}
