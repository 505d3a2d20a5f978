package daybook

import (
	"encoding/hex"
	"time"
)

// CommitID is the hash of a commit: of its parent and of all that it holds.
type CommitID [32]byte

// String is the id in hexadecimal.
func (c CommitID) String() string { return hex.EncodeToString(c[:]) }

// Short is the beginning of the id that people are shown and may type.
func (c CommitID) Short() string { return c.String()[:12] }

// IsZero reports whether c is no commit: the parent of the first one.
func (c CommitID) IsZero() bool { return c == CommitID{} }

// MarshalText writes the hexadecimal form, or nothing for no commit.
func (c CommitID) MarshalText() ([]byte, error) {
	if c.IsZero() {
		return nil, nil
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (c *CommitID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*c = CommitID{}
		return nil
	}
	if len(b) != 64 {
		return Errorf(Invalid, "commit id %q is not 64 hexadecimal digits", cut(string(b), 70))
	}
	if _, err := hex.Decode(c[:], b); err != nil {
		return Errorf(Invalid, "commit id %q: %w", b, err)
	}
	return nil
}

// Commit is one append to a scope's ledger.
type Commit struct {
	ID         CommitID  `json:"id"`
	Parent     CommitID  `json:"parent"`
	Seq        uint64    `json:"seq"` // 1 for the first commit of a scope
	RecordedAt time.Time `json:"recorded_at"`
	Author     string    `json:"author"`
	Message    string    `json:"message,omitempty"`
	Ops        []Op      `json:"ops,omitempty"`
}

// Op is one operation of a commit. Exactly one field is set, or none when the
// content was erased.
type Op struct {
	Observe *Note       `json:"observe,omitempty"`
	Enrich  *Enrichment `json:"enrich,omitempty"`
	Entity  *Entity     `json:"entity,omitempty"`
	Event   *Event      `json:"event,omitempty"`
	Fact    *Fact       `json:"fact,omitempty"`
	Relate  *Link       `json:"relate,omitempty"`
	Merge   *Merge      `json:"merge,omitempty"`
	Split   *Split      `json:"split,omitempty"`
	Tree    *TreeEdit   `json:"tree,omitempty"`
	Retract *Retract    `json:"retract,omitempty"`
	Revert  *Revert     `json:"revert,omitempty"`
	Erase   *Erase      `json:"erase,omitempty"`
}

// Split undoes the merge of an entity into another.
type Split struct {
	Entity EntityID `json:"entity"`
	Why    string   `json:"why,omitempty"`
}

// Variable names one state: a subject and a relation.
type Variable struct {
	Subject  EntityID `json:"subject"`
	Relation string   `json:"relation"`
}

// Retract withdraws a note, event, fact or link; it stays in the ledger.
type Retract struct {
	Target string     `json:"target"`
	Why    string     `json:"why,omitempty"`
	About  []Variable `json:"about,omitempty"` // the states whose fold must meet it
	// By is set where a judge withdraws a link of its own that more evidence no
	// longer bears out. That is no refusal: the judge may make the link again.
	By string `json:"by,omitempty"`
}

// Revert undoes one earlier commit and only it.
type Revert struct {
	Commit CommitID `json:"commit"`
	Seq    uint64   `json:"seq"`
}

// Erase tells which operations lost their content. It holds no content itself.
type Erase struct {
	Selector string         `json:"selector"` // id, session, entity, tree or scope: the kind, never the name
	Count    int            `json:"count"`
	Counts   map[string]int `json:"counts"` // by kind of operation, messages left out
	Targets  []Erased       `json:"targets"`
	// Digest is SHA-256 over the place and the hash of every target, in order.
	Digest string `json:"digest"`
}

// Erased is a run of neighbouring operations without content. The commit still
// has their hashes.
type Erased struct {
	Seq  uint64 `json:"seq"`
	From int    `json:"from"` // first position
	To   int    `json:"to"`   // last position
}

// Receipt is what a writer gets once its commit is durable. A write that changed
// nothing has no new commit: Commit is then the head as it was.
type Receipt struct {
	Commit  CommitID `json:"commit"`
	Seq     uint64   `json:"seq"`
	IDs     []string `json:"ids,omitempty"`     // of the notes or facts, new or known, in order
	Added   int      `json:"added"`             // notes or facts that were new
	Known   int      `json:"known"`             // notes or facts that the ledger had already
	Learned int      `json:"learned,omitempty"` // new facts that were learned from the notes
	// Echoes counts notes that repeat what was returned from the memory; nothing was
	// learned from what they repeat.
	Echoes int `json:"echoes,omitempty"`
	// Dropped counts what a model said of the notes and they do not bear out.
	Dropped int `json:"dropped,omitempty"`
	// Fallback says why the local extractor stood in for a model, where it did.
	Fallback string   `json:"fallback,omitempty"`
	Closed   []FactID `json:"closed,omitempty"`  // facts that this commit superseded
	Clashes  []FactID `json:"clashes,omitempty"` // facts that now contradict each other
}
