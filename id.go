package daybook

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Ids are made from content, so that adding the same thing twice gives the same
// id. Each noun has its own type and a readable prefix.
type (
	// NoteID names a note.
	NoteID string
	// EntityID names an entity.
	EntityID string
	// EventID names an event.
	EventID string
	// FactID names a fact.
	FactID string
	// LinkID names a link.
	LinkID string
)

// Prefixes of the ids, by noun.
const (
	NotePrefix   = "note_"
	EntityPrefix = "ent_"
	EventPrefix  = "event_"
	FactPrefix   = "fact_"
	LinkPrefix   = "link_"
)

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// hashID names content: 128 bits of SHA-256 over the parts, each preceded by its
// length so that no two lists of parts run together.
func hashID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		for i := range n {
			n[i] = byte(uint64(len(p)) >> (8 * i))
		}
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return prefix + idEncoding.EncodeToString(h.Sum(nil)[:16])
}

// Fold brings a name to the form in which names are compared: NFKC, lower case,
// single spaces. "  Ada  LOVELACE" and "ada lovelace" fold to the same name.
func Fold(name string) string {
	if isFolded(name) {
		return name
	}
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(name))), " ")
}

// isFolded reports whether name is plainly in folded form: lower-case ASCII with
// single spaces between words. Most names that are compared are.
func isFolded(name string) bool {
	last := byte(' ')
	for i := range len(name) {
		c := name[i]
		if c >= 0x80 || 'A' <= c && c <= 'Z' || c < ' ' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return name == "" || last != ' '
}

// EntityNamed returns the id of the entity that a name stands for when nothing
// more is known than the name.
func EntityNamed(name string) EntityID {
	return EntityID(hashID(EntityPrefix, Fold(name)))
}

// FoldRelation brings a relation to its canonical form: folded, words joined by
// underscores, so that "Lives in" and "lives_in" are one relation.
func FoldRelation(relation string) string {
	return strings.Join(strings.FieldsFunc(Fold(relation), func(r rune) bool {
		return r == ' ' || r == '_' || r == '-'
	}), "_")
}
