package daybook

import (
	"encoding/json"
	"strings"
	"time"
)

// Note is one verbatim message or document chunk. It is never changed.
type Note struct {
	ID       NoteID    `json:"id"`
	SourceID string    `json:"source_id,omitempty"` // the caller's own id; makes adding idempotent
	Session  string    `json:"session,omitempty"`   // the conversation or document it belongs to
	Time     time.Time `json:"time"`                // when it was said
	Speaker  string    `json:"speaker,omitempty"`
	Text     string    `json:"text"`
	Echoes   []Echo    `json:"echoes,omitempty"` // in the order of the text
	// Corrects is the note in whose place this one was put; of several, the first.
	Corrects NoteID `json:"corrects,omitempty"`
	// Metadata is what the caller keeps beside the text. Nothing is learned from it.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Echo is a stretch of a note's text, the bytes [Start, End), that repeats what was
// returned from the memory. It is no new evidence: nothing is learned from it.
type Echo struct {
	Start int      `json:"start"`
	End   int      `json:"end"`
	Of    []NoteID `json:"of,omitempty"` // the notes that it was returned from; it is erased with them
}

// ExpiresKey is the key of a note's metadata that says until when it is to be listed and
// found, for those who ask so.
const ExpiresKey = "expiration_date"

// Own returns the note with spaces in place of its echoes: what is learned from it,
// and what it is found by. Every other byte stays where it is.
func (n Note) Own() Note {
	if len(n.Echoes) == 0 {
		return n
	}
	text := []byte(n.Text)
	for _, e := range n.Echoes {
		for i := max(e.Start, 0); i < min(e.End, len(text)); i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	n.Text = string(text)
	return n
}

// Named returns the note with its id. A note with the caller's own id is the
// same note whenever that id comes again; without one, session, time, speaker
// and text together make it the same.
func (n Note) Named() Note {
	n.Time = n.Time.UTC()
	if n.SourceID != "" {
		n.ID = NoteID(hashID(NotePrefix, "source", n.SourceID))
	} else {
		n.ID = NoteID(hashID(NotePrefix, "content", n.Session, n.Time.Format(time.RFC3339Nano), n.Speaker, n.Text))
	}
	return n
}

// Passage is the note as it is searched for: who said it, and what; nothing where
// there are no words.
func (n Note) Passage() string {
	if strings.TrimSpace(n.Text) == "" {
		return ""
	}
	if n.Speaker == "" {
		return n.Text
	}
	return n.Speaker + ": " + n.Text
}

// Validate reports what keeps the note from being stored.
func (n Note) Validate() error {
	if n.Text == "" {
		return Errorf(Invalid, "text is empty")
	}
	if err := CheckText("text", n.Text); err != nil {
		return err
	}
	for _, f := range []struct{ name, value string }{
		{"id", n.SourceID}, {"session", n.Session}, {"speaker", n.Speaker},
	} {
		if err := CheckName(f.name, f.value); err != nil {
			return err
		}
	}
	if n.Time.IsZero() {
		return Errorf(Invalid, "time is missing")
	}
	if err := CheckMetadata(n.Metadata); err != nil {
		return err
	}
	last := 0
	for _, e := range n.Echoes {
		if _, ok := (Quote{Start: e.Start, End: e.End}).In(n.Text); !ok || e.Start < last {
			return Errorf(Invalid, "an echo does not lie in the text")
		}
		last = e.End
	}
	return checkYears(n.Time)
}

// MaxMetadata is how many bytes a note's metadata may have as JSON.
const MaxMetadata = 64 << 10

// CheckMetadata reports why metadata cannot be kept.
func CheckMetadata(m map[string]any) error {
	if len(m) == 0 {
		return nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		return Errorf(Invalid, "metadata: %w", err)
	}
	if len(data) > MaxMetadata {
		return Errorf(Invalid, "metadata is %d bytes long; at most %d are kept", len(data), MaxMetadata)
	}
	return nil
}

// Entity is a person, a place or a thing.
type Entity struct {
	ID   EntityID `json:"id"`
	Name string   `json:"name"`
	Kind string   `json:"kind,omitempty"` // person, place, organisation, thing; empty when not known
}

// Merge says that two entities are one: From is known as Into from then on.
// Splitting From undoes it.
type Merge struct {
	From EntityID `json:"from"`
	Into EntityID `json:"into"`
	Why  string   `json:"why,omitempty"`
}
