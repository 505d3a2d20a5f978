package daybook

import (
	"time"
	"unicode/utf8"
)

// Quote is the stretch of a note's verbatim text that an event was read from:
// the bytes [Start, End), both on the boundary of a character.
type Quote struct {
	Note  NoteID `json:"note"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// In returns the quoted words of the note's text; false when the quote does not
// lie in it.
func (q Quote) In(text string) (string, bool) {
	if q.Start < 0 || q.Start >= q.End || q.End > len(text) {
		return "", false
	}
	if !utf8.RuneStart(text[q.Start]) || q.End < len(text) && !utf8.RuneStart(text[q.End]) {
		return "", false
	}
	return text[q.Start:q.End], true
}

// Enrichment is the text of a note in which references are resolved from what
// was said around it. The note itself is never changed; of several enrichments
// the last one in force counts.
type Enrichment struct {
	Note NoteID   `json:"note"`
	Text string   `json:"text"`
	From []NoteID `json:"from,omitempty"` // other notes whose words it holds; it is erased with them
	By   string   `json:"by"`             // what made it
}

// Validate reports what keeps the enrichment from being stored.
func (e Enrichment) Validate() error {
	switch {
	case e.Note == "":
		return Errorf(Invalid, "an enriched text needs its note")
	case e.Text == "":
		return Errorf(Invalid, "the enriched text of %s is empty", e.Note)
	case e.By == "":
		return Errorf(Invalid, "an enriched text needs what made it")
	}
	if err := CheckName("maker of an enriched text", e.By); err != nil {
		return err
	}
	return CheckText("enriched text", e.Text)
}

// EventView is an event with what the fold says of it at the time of reading.
type EventView struct {
	Event
	RecordedAt time.Time `json:"recorded_at"`
	// Validity is 1 for an event that stands, 0 for one that was superseded, and
	// 0.5 for one whose cause was.
	Validity   float64   `json:"validity"`
	ValidUntil time.Time `json:"valid_until,omitzero"` // when it was superseded; it may lie ahead of the asked time
	Reason     string    `json:"reason,omitempty"`     // why the validity is not 1
}

// LinkView is a link as readers see it.
type LinkView struct {
	Link
	// InvalidatedAt is when the event that the link leads on from was
	// superseded; set for causes, enables and prevents.
	InvalidatedAt time.Time `json:"invalidated_at,omitzero"`
	// Of is the link between two facts that this link of their events follows
	// from; empty when the link itself is in the ledger.
	Of         LinkID    `json:"of,omitempty"`
	RecordedAt time.Time `json:"recorded_at"`
}

// Learned is all that stands on one note.
type Learned struct {
	Note     Note           `json:"note"`
	Enriched *Enrichment    `json:"enriched,omitempty"`
	Events   []EventView    `json:"events"`
	Facts    []RecordedFact `json:"facts"`
	Links    []LinkView     `json:"links"` // with an event or fact of the note at either end
}

// EntityView is an entity as readers see it: under all its names, with how much is
// known of it.
type EntityView struct {
	Entity
	Aliases []string `json:"aliases,omitempty"` // names that were merged into it, sorted
	Facts   int      `json:"facts"`             // in force, of which it is the subject
	Events  int      `json:"events"`            // in force, in which it takes part
}
