package extract

import (
	"context"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
	"daybook/model"
)

// Reading learns with a reader that was trained on how people write: what each message states, of
// whom, in what way, and what it is about.
type Reading struct {
	Reader model.Reader
	// Grammar finds what plain sentences state, under the names of the vocabulary. What the
	// reader does not take for a statement is not learned.
	Grammar Local
	// By names the reader and its weights in everything that is learned.
	By string
}

// ReadStatement is a statement as it was read: what the judgement on earlier ones goes by.
type ReadStatement struct {
	model.Stated
	Before []model.Said // the message before it
	Stance model.Stance
	Vector []float32
}

// Bounds of what is taken from a reading.
const (
	surelySaid    = 0.4  // that the words state something
	surelyHolds   = 0.5  // that they say how things are; hearsay where it is less
	surelyHolder  = 0.35 // that the holder is the named one; the speaker where it is less
	aboutLike     = 0.3  // how like a name what is said must be to be called so
	namelessAbout = "state"
	readTogether  = 16 // messages; names found in them are known to the next
	longestRead   = 24 // statements of one message
)

// NewReading learns with a reader, and by grammar with an encoder.
func NewReading(r *model.LocalReader, encoder model.Encoder) Reading {
	return Reading{Reader: r, Grammar: Local{Encoder: encoder}, By: "local:" + r.Info().ID}
}

// Judge is what says how new statements bear on earlier ones, and under which name.
func (l Reading) Judge() (model.Reader, string) { return l.Reader, "model:" + l.By }

// WantsStates says that names of what is known help to tell whom a message is about.
func (l Reading) WantsStates() bool { return true }

// Learn reads the notes of a window from From on. The same window gives the same result.
func (l Reading) Learn(ctx context.Context, w Window) (Learned, error) {
	plain, err := l.Grammar.Learn(ctx, w)
	if err != nil || l.Reader == nil {
		return plain, err
	}
	var out Learned // by the reader alone
	confirmed := map[daybook.FactID]bool{}
	names := knownNames(w)
	for at := w.From; at < len(w.Notes); at += readTogether {
		end := min(at+readTogether, len(w.Notes))
		windows := make([]model.Window, 0, end-at)
		for i := at; i < end; i++ {
			windows = append(windows, windowOf(w.Notes, i, names))
		}
		read, err := l.Reader.Statements(ctx, windows)
		if err != nil {
			return Learned{}, err
		}
		for i, statements := range read {
			for _, s := range statements[:min(len(statements), longestRead)] {
				f, ok := l.fact(w.Notes[:at+i+1], windows[i], s)
				if !ok {
					continue
				}
				if g := sameWords(plain.Facts, &f.fact); g != nil {
					g.Read, confirmed[g.ID] = f.fact.Read, true
					continue
				}
				names = remember(names, f.subject.Name)
				f.into(&out)
			}
		}
	}
	plain.keep(confirmed)
	return plain.and(out), nil
}

// sameWords is the fact of the same note that says what another says: one holds the words of the
// other, and both are meant alike.
func sameWords(facts []Fact, f *Fact) *Fact {
	value := daybook.Fold(f.Object)
	for i := range facts {
		g := &facts[i]
		other := daybook.Fold(g.Object)
		if len(g.Sources) > 0 && g.Sources[0] == f.Sources[0] && g.Modality == f.Modality && (strings.Contains(value, other) || strings.Contains(other, value)) {
			return g
		}
	}
	return nil
}

// keep leaves the facts that were confirmed; events, and links between them, stay.
func (l *Learned) keep(confirmed map[daybook.FactID]bool) {
	l.Facts = slices.DeleteFunc(l.Facts, func(f Fact) bool { return !confirmed[f.ID] })
}

// and is what was learned in two ways, each thing once.
func (l Learned) and(o Learned) Learned {
	for _, e := range o.Entities {
		if !slices.ContainsFunc(l.Entities, func(x daybook.Entity) bool { return x.ID == e.ID }) {
			l.Entities = append(l.Entities, e)
		}
	}
	for _, e := range o.Events {
		if !slices.ContainsFunc(l.Events, func(x daybook.Event) bool { return x.ID == e.ID }) {
			l.Events = append(l.Events, e)
		}
	}
	l.Facts = append(l.Facts, o.Facts...)
	return l
}

// knownNames are those who speak in a window, then whom or what is known of, latest first.
func knownNames(w Window) (names []string) {
	for _, n := range w.Notes {
		if n.Speaker != "" && !slices.Contains(names, n.Speaker) {
			names = append(names, n.Speaker)
		}
	}
	for _, k := range slices.Backward(w.States) {
		if !slices.Contains(names, k.Subject.Name) {
			names = append(names, k.Subject.Name)
		}
	}
	return names
}

// mostNames is how many names are kept in mind.
const mostNames = 16

// remember puts a name that was just spoken of behind those who speak.
func remember(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	at := min(len(names), 2)
	names = slices.Insert(slices.Clone(names), at, name)
	return names[:min(len(names), mostNames)]
}

func windowOf(notes []daybook.Note, i int, names []string) model.Window {
	w := model.Window{Known: names, Said: saidIn(notes[i])}
	for _, n := range notes[max(0, i-LookBack):i] {
		w.Before = append(w.Before, saidIn(n))
	}
	return w
}

func saidIn(n daybook.Note) model.Said {
	return model.Said{Speaker: n.Speaker, Time: n.Time, Text: n.Own().Text}
}

// readFact is a fact with what it stands on.
type readFact struct {
	subject daybook.Entity
	event   daybook.Event
	fact    Fact
}

// modalityOf is how a stance is kept. A joke is not.
var modalityOf = map[model.Stance]daybook.Modality{
	model.Holds: daybook.Asserted, model.Rule: daybook.Asserted, model.Ended: daybook.Negated, model.Past: daybook.Asserted, model.Intended: daybook.Planned,
	model.Hypothetical: daybook.Hypothetical, model.Reported: daybook.Reported, model.Denied: daybook.Negated, model.Suggestion: daybook.Wished,
}

// fact makes a fact of a statement of the last of some notes, where it is sure enough and can be kept.
func (l Reading) fact(notes []daybook.Note, w model.Window, s model.Statement) (readFact, bool) {
	n := notes[len(notes)-1].Own()
	modality, kept := modalityOf[s.Stance]
	value := strings.Trim(n.Text[s.Start:s.End], " .,;:!?\"'()")
	if !kept || s.Sure < surelySaid || value == "" || breaksOff(value) {
		return readFact{}, false
	}
	if modality == daybook.Asserted && s.StanceSure < surelyHolds {
		modality = daybook.Reported
	}
	holder := s.Holder
	if s.HolderSure < surelyHolder || daybook.Fold(holder) == "" || !nameable(holder) {
		holder = n.Speaker
	}
	if holder == "" {
		return readFact{}, false
	}
	var f readFact
	f.subject = daybook.Entity{ID: daybook.EntityNamed(holder), Name: oneLine(holder)}
	if holder == n.Speaker {
		f.subject.Kind = "person"
	}
	start, end := sentenceAround(n.Text, s.Start, s.End)
	lenders := standsOn(notes)
	f.event = daybook.Event{
		Kind: daybook.StateChange, Text: strings.TrimSpace(n.Text[start:end]), Participants: []daybook.EntityID{f.subject.ID}, Modality: modality,
		Time: daybook.Span{From: n.Time, Known: daybook.Spoken}, Quotes: []daybook.Quote{{Note: n.ID, Start: start, End: end}}, Session: n.Session, By: l.By, Sources: lenders,
	}
	if modality == daybook.Planned {
		f.event.Kind = daybook.Plan
	}
	f.event = f.event.Named()
	relation, like := knownAbouts().nearest(s.Vector)
	if like < aboutLike {
		relation = namelessAbout
	}
	f.fact.Fact = daybook.Fact{
		Subject: f.subject.ID, Relation: relation, Object: value, Holds: daybook.Many, Modality: modality, Valid: daybook.Span{From: n.Time, Known: daybook.Spoken},
		Confidence: bound(float64(s.Sure*s.StanceSure), 0.05, maxConfidence), Importance: 0.5, Event: f.event.ID, Sources: lenders, Session: n.Session,
	}
	if s.Stance == model.Past {
		f.fact.Valid = daybook.Span{Until: n.Time, Known: daybook.Spoken}
	}
	f.fact.Fact = f.fact.Named()
	f.fact.Read = &ReadStatement{Stated: model.Stated{Said: w.Said, Start: s.Start, End: s.End}, Before: w.Before[max(0, len(w.Before)-1):], Stance: s.Stance, Vector: s.Vector}
	return f, f.event.Validate() == nil && f.fact.Validate() == nil
}

// breaksOff reports whether words end before what they lead up to: "move to".
func breaksOff(value string) bool {
	words := strings.Fields(strings.ToLower(value))
	return unfinished[words[len(words)-1]]
}

var unfinished = daybook.WordSet("a an the to in at of with for from by on my our your his her their and or")

// barely is up to how many words of a note mean little without the note before it.
const barely = 6

// standsOn are the notes that what the last of some notes states stands on, and is erased with: the
// note, and the one before where it has a few words only.
func standsOn(notes []daybook.Note) []daybook.NoteID {
	n := notes[len(notes)-1]
	ids := []daybook.NoteID{n.ID}
	if len(notes) > 1 && len(strings.Fields(n.Own().Text)) <= barely {
		ids = append(ids, notes[len(notes)-2].ID)
	}
	return ids
}

// sentenceAround are the bytes of the sentences that hold some words.
func sentenceAround(text string, start, end int) (int, int) {
	from, to := start, end
	for _, s := range english.Sentences(text) {
		if s.Start <= start && start < s.End {
			from = s.Start
		}
		if s.Start < end && end <= s.End {
			to = s.End
		}
	}
	return from, to
}

// into adds a fact to what was learned, each thing once.
func (f readFact) into(out *Learned) {
	if !slices.ContainsFunc(out.Entities, func(e daybook.Entity) bool { return e.ID == f.subject.ID }) {
		out.Entities = append(out.Entities, f.subject)
	}
	if !slices.ContainsFunc(out.Events, func(e daybook.Event) bool { return e.ID == f.event.ID }) {
		out.Events = append(out.Events, f.event)
	}
	if !slices.ContainsFunc(out.Facts, func(o Fact) bool { return o.ID == f.fact.ID }) {
		out.Facts = append(out.Facts, f.fact)
	}
}
