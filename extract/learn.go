package extract

import (
	"context"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
	"daybook/model"
	"daybook/timex"
)

// Window is what is learned from at once: notes of one session in the order in
// which they were said. Notes before From are known already and only look on.
type Window struct {
	Notes []daybook.Note
	From  int
	// Read are notes from From on that were learned from before: a model, which
	// would put them into other words, does not read them again.
	Read map[daybook.NoteID]bool
	// States are values that hold now of those who speak or are spoken of.
	States []Known
}

// Known is a value that is known to hold of a subject, under its name.
type Known struct {
	Subject daybook.Entity
	Fact    daybook.Fact
}

// LookBack is how many earlier notes of its session a note is read with.
const LookBack = 4

// Learned is what was read out of notes, ready for the ledger. Entities come
// before what names them, events before the facts they assert.
type Learned struct {
	Entities    []daybook.Entity
	Enrichments []daybook.Enrichment
	Events      []daybook.Event
	Facts       []Fact
	Merges      []daybook.Merge // names that stand for one entity
	Links       []daybook.Link  // between events above; from facts above to known ones
	// Said are the sentences that may tell of a state, whether or not a fact was
	// made of them: what questions are matched with.
	Said []Said
	// Dropped counts what a model said and the notes do not bear out.
	Dropped int
	// Fallback says why the local extractor stood in for a model; empty when it
	// did not.
	Fallback string
}

// Fact is a fact with the statement it was read from. Stated is set for an
// assertion of a state: what linking compares.
type Fact struct {
	daybook.Fact
	Stated *Stated
	Vector []float32 // of the sentence; nil without an encoder
	Heir   string    // what took the place of a thing that was given up; empty where it is not said
	// Read is set where a reader found the statement.
	Read *ReadStatement
}

// Said is a sentence of a note, by its position among the note's sentences, with
// its vector.
type Said struct {
	Note   daybook.NoteID
	Index  int
	Vector []float32
}

// By is who makes what the local extractor finds, and in which version.
const By = "local:extract@1"

// Local learns by grammar and, where it has an encoder, by the fitted judge of
// roles over sentence vectors. It is safe for use by many at once.
type Local struct {
	Encoder model.Encoder // nil: by grammar alone
}

// Learn reads the notes of a window from From on. The same window gives the same
// result.
func (l Local) Learn(ctx context.Context, w Window) (Learned, error) {
	var out Learned
	var told []sentence
	out.Enrichments = enrichments(w)
	for i := w.From; i < len(w.Notes); i++ {
		heard := Heard{Note: w.Notes[i]}
		if i > 0 {
			heard.Before = &w.Notes[i-1]
		}
		said := sentencesOf(heard)
		if len(said) > 0 && said[0].index == 0 && said[0].before == "" {
			said[0].before = askedBy(w.Notes[:i], heard.Speaker)
		}
		told = append(told, said...)
	}
	if err := l.judge(ctx, told, &out); err != nil {
		return Learned{}, err
	}
	r := reader{out: &out, seen: map[daybook.EntityID]bool{}}
	for i := range told {
		r.read(&told[i])
		r.relate(told, i)
	}
	return out, nil
}

// Heard is a note with the one before it in its session, or nil.
type Heard struct {
	daybook.Note
	Before *daybook.Note
}

// Hear returns the sentences of notes that may tell of a state, and learns nothing
// else. Without an encoder there are none.
func (l Local) Hear(ctx context.Context, notes []Heard) ([]Said, error) {
	var out Learned
	var told []sentence
	for _, n := range notes {
		told = append(told, sentencesOf(n)...)
	}
	err := l.judge(ctx, told, &out)
	return out.Said, err
}

// sentence is a sentence of a note with what was found out about it.
type sentence struct {
	english.Sentence
	note     daybook.Note
	index    int // among the sentences of the note
	vector   []float32
	variable []float32
	role     Role
	sure     float64   // that it states something
	traits   []float32 // what it was judged by beside the vector
	likely   float64   // that its role is the right one
	marks    []Mark    // which of its words are its value; nil where that is not known
	judged   bool
	before   string // the question right before it, or what somebody else said last
	asks     bool   // a question follows in the same sentence: "…, and you?"
	// bare is the answer in the note that the sentence was made of, and asked the note
	// with its question; nil for a sentence that stands there as it is.
	bare  *english.Span
	asked daybook.NoteID
}

// sentencesOf reads the sentences of a note that may state something: said by
// somebody, and not asked; what stands in brackets, as captions do, is not said. A bare
// answer is read with its question. A document and a machine that answers have no states
// of their own.
func sentencesOf(h Heard) (all []sentence) {
	n := h.Note
	if n.Speaker == "" || isAssistant(n.Speaker) {
		return nil
	}
	whole, bare := saidWith(n, h.Before)
	text, before := Readable(n.Own()).Text, ""
	for i, s := range english.Read(text) {
		if i == mostSentences {
			break
		}
		if whole != "" && s.Span == bare {
			all = append(all, sentence{Sentence: english.ReadSentence(whole), note: n, index: i, bare: &bare, asked: h.Before.ID})
			continue
		}
		asks := strings.HasSuffix(s.Text, "?")
		if end := askedFrom(&s); asks && end > 0 {
			s = english.ReadSpan(text, english.Span{Start: s.Start, End: s.Tokens[end-1].End})
		} else if asks {
			before = s.Text
			continue
		}
		if len(s.Tokens) >= 3 && !strings.HasPrefix(s.Text, "[") {
			all = append(all, sentence{Sentence: s, note: n, index: i, before: before, asks: asks})
		}
		before = ""
	}
	return all
}

// judge lets the fitted judge say what role each sentence has.
func (l Local) judge(ctx context.Context, told []sentence, out *Learned) error {
	if l.Encoder == nil || len(told) == 0 {
		return nil
	}
	vectors, err := l.encode(ctx, told)
	if err != nil {
		return err
	}
	if vectors.Encoder != JudgeEncoder || vectors.Dim != vectorDim {
		return nil // another encoder than the judge was fitted on: grammar decides
	}
	for i := range told {
		s := &told[i]
		s.vector = vectors.Row(i)
		s.traits = Traits(&s.Sentence)
		p := fitted().roles(s.vector, s.traits)
		s.role, s.sure, s.judged = best(p), p[States]+p[Others], true
		s.likely = p[s.role]
		if p.tells() >= saidLeast && !s.asks {
			out.Said = append(out.Said, Said{Note: s.note.ID, Index: s.index, Vector: s.vector})
		}
		s.variable = VariableOf(s.vector)
	}
	return nil
}

// encode encodes sentences and marks their words, where the encoder shows them.
func (l Local) encode(ctx context.Context, told []sentence) (model.Vectors, error) {
	texts := make([]string, len(told))
	for i := range told {
		texts[i] = withoutLeadIn(&told[i].Sentence)
	}
	words, ok := l.Encoder.(model.WordEncoder)
	if !ok {
		return l.Encoder.Encode(ctx, model.AsText, texts)
	}
	return words.EncodeWords(ctx, texts, func(i int, of []model.Word) {
		told[i].marks = fittedPickers().mark(of, len(told[i].Text)-len(texts[i]))
	})
}

// withoutLeadIn is the sentence without the words that only lead up to it: what
// stands before a colon without a verb.
func withoutLeadIn(s *english.Sentence) string {
	if first := leadInEnd(s); first > 0 {
		return s.Text[s.Tokens[first].Start-s.Start:]
	}
	return s.Text
}

// leadInEnd is the first token behind the words that only lead up to a sentence.
func leadInEnd(s *english.Sentence) int {
	for i, t := range s.Tokens {
		switch {
		case strings.HasPrefix(t.Tag, "VB") || i > leadIn:
			return 0
		case t.Norm == ":" && i+3 < len(s.Tokens):
			return i + 1
		}
	}
	return 0
}

// leadIn is the most tokens that a lead-in has.
const leadIn = 6

// reader turns sentences into what is learned.
type reader struct {
	note daybook.Note
	last *sentence // that was read before
	out  *Learned
	seen map[daybook.EntityID]bool
}

// read learns from one sentence. Where it was judged, its role decides what of it
// is learned: the one value of a state, or what grammar finds in the rest.
func (r *reader) read(s *sentence) {
	r.note = s.note
	for _, st := range ties(&s.Sentence) {
		r.assert(s, st, person(r.note.Speaker))
	}
	var state []Statement
	if s.judged && s.role != Asks {
		state = stateOf(&s.Sentence, s.marks)
	}
	if len(state) == 1 && state[0].moved() {
		r.assert(s, state[0], person(r.note.Speaker))
		return
	}
	found := append(statements(&s.Sentence), takenUp(s)...)
	if s.judged {
		switch s.role {
		case Asks, Chats, Touches:
			found = plainOnes(found)
		case Views:
			found = slices.DeleteFunc(found, func(st Statement) bool { return !st.plain && (st.Type == Thing || st.Type == Quality) })
		case States, Others:
			found = bestOf(s, found, state)
		}
	}
	for _, st := range slices.Concat(introduced(&s.Sentence), endings(&s.Sentence), namings(r.last, s)) {
		if st.naming && slices.ContainsFunc(found, st.within) {
			continue
		}
		found = slices.DeleteFunc(found, func(f Statement) bool { return st.instead(&f) })
		r.assert(s, st, person(r.note.Speaker))
	}
	r.last = s
	for _, st := range found {
		if s.judged {
			st.settle(s.role, s.likely)
		}
		if subject, ok := r.subject(&st); ok {
			r.assert(s, st, subject)
		}
	}
}

// instead reports whether a statement that grammar is sure of stands in the place of one
// that was found with its value, or with what it says made way.
func (st *Statement) instead(found *Statement) bool {
	if st.naming {
		return nameOf(found.Relation) == "has" && strings.HasSuffix(found.Object, " "+st.Object)
	}
	if st.heir != "" {
		return strings.Contains(daybook.Fold(found.Object), daybook.Fold(st.Object)) || daybook.Fold(found.Object) == daybook.Fold(st.heir)
	}
	return daybook.Fold(found.Object) == daybook.Fold(st.Object) && !found.Changed
}

// within reports whether a name is part of the value of another statement, which tells more
// of whom it names: "my emergency contact is my aunt Beatriz".
func (st *Statement) within(found Statement) bool {
	first, _, _ := strings.Cut(strings.ToLower(found.Object), " ")
	return (first == "my" || first == "our") && strings.HasSuffix(found.Object, " "+st.Object)
}

// isAssistant reports whether a speaker is the machine of a chat by the names that
// chat formats give it.
func isAssistant(speaker string) bool {
	switch strings.ToLower(speaker) {
	case "assistant", "system", "tool", "ai", "bot", "model", "function":
		return true
	}
	return false
}

// subject finds whom a statement is about. What is said of the hearer or of
// things at large is not learned; of a thing that is near ("the cat gets fed at
// six") it is the speaker's.
func (r *reader) subject(st *Statement) (daybook.Entity, bool) {
	switch st.Who {
	case english.Speaker, english.SpeakerThing:
		return person(r.note.Speaker), true
	case english.Person, english.PersonThing:
		name := ownerName(st.Subject, r.note.Speaker, st.Who == english.PersonThing)
		return person(name), name != ""
	case english.Thing, english.Nobody:
		return person(r.note.Speaker), st.Own || st.near
	}
	return daybook.Entity{}, false
}

func person(name string) daybook.Entity {
	return daybook.Entity{ID: daybook.EntityNamed(name), Name: name, Kind: "person"}
}

// ownerName names a third party: "my dad" is the speaker's dad, "My sister's
// favourite cafe" belongs to the speaker's sister. A pronoun names nobody.
func ownerName(subject, speaker string, thing bool) string {
	name := strings.TrimSpace(subject)
	if thing {
		owner, _, ok := cutOwner(name)
		if !ok {
			return ""
		}
		name = owner
	}
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > 5 {
		return ""
	}
	if first := strings.ToLower(words[0]); first == "my" || first == "our" {
		if n := len(words); n == 3 && isTie(strings.ToLower(words[1])) && startsUpper(words[2]) {
			return words[2] // "my son Peter" is Peter
		}
		words[0] = speaker + "'s"
		return strings.Join(words, " ")
	}
	if !startsUpper(words[0]) || pronouns[strings.ToLower(words[0])] || len(words) == 1 && pronouns[strings.ToLower(name)] {
		return ""
	}
	if lower := strings.ToLower(words[0]); lower == "the" || lower == "a" || lower == "an" || lower == "some" || lower == "people" || lower == "someone" || lower == "everyone" {
		return ""
	}
	return name
}

var pronouns = setOf("he she they it we i you this that these those someone somebody everyone everybody people one nobody who which there what his her their your its all most many some both everything something nothing")

func startsUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// cutOwner splits "my sister's cafe" into the owner and the thing.
func cutOwner(text string) (owner, thing string, ok bool) {
	for _, mark := range []string{"'s ", "’s ", "s' ", "s’ "} {
		if before, after, found := strings.Cut(text, mark); found {
			if mark[0] == 's' {
				before += "s"
			}
			return before, after, true
		}
	}
	return "", "", false
}

// assert files a statement as an event and the fact that the event asserts.
func (r *reader) assert(s *sentence, st Statement, subject daybook.Entity) {
	relation, holds := canonical(st)
	if relation == "" || daybook.Fold(st.Object) == "" || daybook.Fold(st.Object) == daybook.Fold(subject.Name) {
		return
	}
	if s.bare != nil {
		st.Start, st.End = s.bare.Start, s.bare.End
	}
	meant := st.Modality
	if st.Ended && meant == daybook.Negated {
		meant = daybook.Asserted // "I no longer use it": it was so until now
	}
	r.declare(subject)
	ev := daybook.Event{
		Kind: st.Kind, Text: selfContained(&s.Sentence, r.note.Speaker), Participants: []daybook.EntityID{subject.ID},
		Time: r.time(st), Modality: st.Modality, Why: st.Why, Session: r.note.Session, By: By,
		Quotes: []daybook.Quote{{Note: r.note.ID, Start: st.Start, End: st.End}},
	}
	if s.bare != nil {
		ev.Sources = []daybook.NoteID{s.asked}
	}
	for _, n := range s.Names() {
		if e, ok := r.named(n); ok {
			ev.Participants = append(ev.Participants, e.ID)
		}
	}
	ev = ev.Named()
	fact := daybook.Fact{
		Subject: subject.ID, Relation: relation, Object: st.Object, Holds: holds, Modality: meant,
		Valid: r.valid(st, ev.Time), Context: daybook.Context{Why: st.Why, Sentiment: sentiment(&s.Sentence)},
		Confidence: confidence(st), Importance: salience(st, sentiment(&s.Sentence)), Event: ev.ID, Sources: []daybook.NoteID{r.note.ID}, Session: r.note.Session,
	}
	if fact.Validate() != nil || ev.Validate() != nil {
		return
	}
	r.out.Events = append(r.out.Events, ev)
	learned := Fact{Fact: fact.Named(), Vector: s.vector, Heir: st.heir}
	told := (s.role == States || s.role == Others) && s.sure >= sureEnough || st.moved()
	if s.judged && told && !st.givenUp && !st.naming && st.Modality == daybook.Asserted && !st.Additive && !st.Ended && (st.Changed || !besides[relation]) {
		learned.Stated = &Stated{Statement: st, Variable: s.variable, Sure: max(s.sure, sureEnough), traits: s.traits}
	}
	r.out.Facts = append(r.out.Facts, learned)
}

// besides are relations whose values stand beside each other: who likes or fears one thing goes
// on liking and fearing others.
var besides = setOf("likes dislikes wants allergic_to afraid_of")

func (r *reader) declare(e daybook.Entity) {
	if !r.seen[e.ID] {
		r.seen[e.ID] = true
		r.out.Entities = append(r.out.Entities, e)
	}
}

// named declares an entity for a name in a sentence.
func (r *reader) named(n english.Name) (daybook.Entity, bool) {
	if daybook.Fold(n.Text) == "" {
		return daybook.Entity{}, false
	}
	e := daybook.Entity{ID: daybook.EntityNamed(n.Text), Name: n.Text, Kind: string(n.Kind)}
	r.declare(e)
	return e, true
}

// time is when what the statement tells took place: by its own words, or when it
// was said. Words of time inside the value are the value's.
func (r *reader) time(st Statement) daybook.Span {
	text := r.note.Text[st.Start:st.End]
	if at := strings.Index(text, st.Object); at >= 0 && st.Type == When {
		text = text[:at] + strings.Repeat("_", len(st.Object)) + text[at+len(st.Object):]
	}
	if a := timex.Anchor(text, r.note.Time); a.Expr.Resolved {
		return a.Span
	}
	return daybook.Span{From: r.note.Time, Known: daybook.Spoken}
}

// valid is the time in which the fact holds. A state holds from when it is said
// unless the words tell an earlier beginning; an action held while it took place.
func (r *reader) valid(st Statement, told daybook.Span) daybook.Span {
	switch {
	case st.Ended && !told.From.IsZero() && told.From.Before(r.note.Time) && st.plain:
		return daybook.Span{Until: told.From, Granularity: told.Granularity, Known: told.Known}
	case st.Ended && !(st.Kind == daybook.Action && st.past && told.Known != daybook.Spoken):
		return daybook.Span{Until: r.note.Time, Known: daybook.Spoken}
	case st.Kind == daybook.Action && !told.From.IsZero() && !(st.begun && lastingRelation(st.Relation)):
		return told
	case (st.Changed || st.begun) && !told.From.IsZero() && told.From.Before(r.note.Time):
		return daybook.Span{From: told.From, Granularity: told.Granularity, Known: told.Known}
	}
	return daybook.Span{From: r.note.Time, Known: daybook.Spoken}
}

// lastingRelation reports whether what is said of a relation goes on once it began.
func lastingRelation(said string) bool {
	name := nameOf(said)
	return name != "" && Lasting(name)
}

// confidence is how sure grammar can be of a statement.
func confidence(st Statement) float64 {
	c := 0.9
	if st.Type == Thing || st.Type == Quality {
		c -= 0.15
	}
	if st.Who != english.Speaker && st.Who != english.SpeakerThing {
		c -= 0.1
	}
	return c
}
