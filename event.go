package daybook

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Event is one self-contained sentence distilled from notes.
type Event struct {
	ID           EventID    `json:"id"`
	Kind         EventKind  `json:"kind"`
	Text         string     `json:"text"`
	Participants []EntityID `json:"participants,omitempty"` // sorted
	Time         Span       `json:"time,omitzero"`
	Modality     Modality   `json:"modality,omitempty"`
	Why          string     `json:"why,omitempty"`     // the reason that was given
	Quotes       []Quote    `json:"quotes,omitempty"`  // where the notes say it
	Sources      []NoteID   `json:"sources,omitempty"` // every quoted note is one of them; the others lent words
	Session      string     `json:"session,omitempty"`
	By           string     `json:"by,omitempty"` // what distilled it, and the facts it asserts; no part of its id
}

// EventKind sorts events.
type EventKind string

// Kinds of events.
const (
	Action      EventKind = "action"
	StateChange EventKind = "state_change"
	Preference  EventKind = "preference"
	Plan        EventKind = "plan"
)

// Named returns the event in canonical form with its id. The quoted notes are
// among its sources then.
func (e Event) Named() Event {
	e.Participants = slices.Compact(slices.Sorted(slices.Values(e.Participants)))
	e.Time.From, e.Time.Until = e.Time.From.UTC(), e.Time.Until.UTC()
	e.Sources = slices.Clone(e.Sources)
	for _, q := range e.Quotes {
		if !slices.Contains(e.Sources, q.Note) {
			e.Sources = append(e.Sources, q.Note)
		}
	}
	parts := []string{
		string(e.Kind), e.Text, string(e.Modality), e.Why, e.Session,
		e.Time.From.Format(time.RFC3339Nano), e.Time.Until.Format(time.RFC3339Nano),
		strconv.Itoa(len(e.Participants)),
	}
	for _, p := range e.Participants {
		parts = append(parts, string(p))
	}
	parts = append(parts, strconv.Itoa(len(e.Quotes)))
	for _, q := range e.Quotes {
		parts = append(parts, string(q.Note), strconv.Itoa(q.Start), strconv.Itoa(q.End))
	}
	for _, n := range e.Sources {
		parts = append(parts, string(n))
	}
	e.ID = EventID(hashID(EventPrefix, parts...))
	return e
}

// Validate reports what keeps the event from being stored.
func (e Event) Validate() error {
	switch e.Kind {
	case Action, StateChange, Preference, Plan:
	default:
		return Errorf(Invalid, "event kind %q is not one of action, state_change, preference, plan", e.Kind)
	}
	if e.Text == "" {
		return Errorf(Invalid, "event has no text")
	}
	if err := CheckText("event text", e.Text); err != nil {
		return err
	}
	if err := CheckText("reason", e.Why); err != nil {
		return err
	}
	if err := CheckName("maker of an event", e.By); err != nil {
		return err
	}
	for _, q := range e.Quotes {
		if q.Start < 0 || q.Start >= q.End {
			return Errorf(Invalid, "event quotes bytes %d to %d of %s; a quote has a length", q.Start, q.End, q.Note)
		}
	}
	return e.Time.Validate()
}

// Link is a typed edge between two events or between two facts. Evolution links
// (updates, contradicts, may_update) are judgements: an updates link is what
// closes an older fact, and retracting it opens the fact again.
type Link struct {
	ID         LinkID   `json:"id"`
	Kind       LinkKind `json:"kind"`
	From       string   `json:"from"` // the newer, for evolution links
	To         string   `json:"to"`   // the older, for evolution links
	Confidence float64  `json:"confidence,omitempty"`
	Why        string   `json:"why,omitempty"` // justification; rules keep content out of it
	By         string   `json:"by"`            // who or what judged; see Judged
	// About names the states whose fold must meet the link; set for facts.
	About []Variable `json:"about,omitempty"`
}

// LinkKind sorts links.
type LinkKind string

// Kinds of links: the first four support, the last three tell of evolution.
// MayUpdate is a likely update that did not pass the guard: it closes nothing.
const (
	Causes      LinkKind = "causes"
	Enables     LinkKind = "enables"
	Prevents    LinkKind = "prevents"
	Before      LinkKind = "before"
	Updates     LinkKind = "updates"
	Contradicts LinkKind = "contradicts"
	MayUpdate   LinkKind = "may_update"
)

// Evolution reports whether links of the kind tell how a state changed.
func (k LinkKind) Evolution() bool { return k == Updates || k == Contradicts || k == MayUpdate }

// Judged reports whether a rule or a model made the link: then By is its sort and
// its name with a colon between, such as "rule:one-value".
func (l Link) Judged() bool { return strings.Contains(l.By, ":") }

// Named returns the link with its id: one link of a kind between two ends.
func (l Link) Named() Link {
	l.ID = LinkID(hashID(LinkPrefix, string(l.Kind), l.From, l.To))
	return l
}

// Validate reports what keeps the link from being stored.
func (l Link) Validate() error {
	switch l.Kind {
	case Causes, Enables, Prevents, Before, Updates, Contradicts, MayUpdate:
	default:
		return Errorf(Invalid, "link kind %q is not one of causes, enables, prevents, before, updates, contradicts, may_update", l.Kind)
	}
	if l.From == "" || l.To == "" || l.From == l.To {
		return Errorf(Invalid, "a link needs two different ends")
	}
	if l.By == "" {
		return Errorf(Invalid, "a link needs who or what judged it")
	}
	if !between0And1(l.Confidence) {
		return Errorf(Invalid, "the confidence of a link lies between 0 and 1")
	}
	return CheckText("justification", l.Why)
}
