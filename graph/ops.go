package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// body is one content as it is stored: an operation, or the commit's message,
// which stands first where there is one.
type body struct {
	Message string `json:"message,omitempty"`
	daybook.Op
}

// op is a decoded operation with its place in the ledger.
type op struct {
	store.Place
	body
	size int // of the content it was read from, in bytes; 0 for one that is being made
}

func decode(c store.Content) (*op, error) {
	o := &op{Place: c.Place, size: len(c.Body)}
	if err := json.Unmarshal(c.Body, &o.body); err != nil {
		return o, daybook.Errorf(daybook.Corrupt, "operation %d.%d cannot be read: %w", c.Seq, c.Pos, err)
	}
	return o, nil
}

// decodeAll decodes contents in their order.
func decodeAll(contents iter.Seq2[store.Content, error]) (ops []*op, err error) {
	for c, err := range contents {
		var o *op
		if err == nil {
			o, err = decode(c)
		}
		if err != nil {
			return nil, err
		}
		ops = append(ops, o)
	}
	return ops, nil
}

// encode writes the operation as it is stored: compact JSON in which text keeps
// its own characters.
func (b body) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		return nil, fmt.Errorf("encode operation: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// kind is the letter that stands for an operation in the index.
func (b body) kind() byte {
	switch {
	case b.Observe != nil:
		return 'n'
	case b.Enrich != nil:
		return 'w'
	case b.Entity != nil:
		return 'e'
	case b.Event != nil:
		return 'v'
	case b.Fact != nil:
		return 'f'
	case b.Relate != nil:
		return 'l'
	case b.Merge != nil:
		return 'm'
	case b.Split != nil:
		return 's'
	case b.Tree != nil:
		return 't'
	case b.Retract != nil:
		return 'r'
	case b.Revert != nil:
		return 'u'
	case b.Erase != nil:
		return 'x'
	}
	return 0
}

// The index holds each operation under the keys by which a read may need it.
// docs/format.md lists them.
func kindKey(kind byte) store.Key { return store.Key([]byte{'k', kind}) }

func hashKey(letter byte, parts ...string) store.Key {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return store.Key(append([]byte{letter}, h.Sum(nil)[:12]...))
}

func idKey(id string) store.Key                   { return hashKey('i', id) }
func sessionKey(session string) store.Key         { return hashKey('s', session) }
func subjectKey(e daybook.EntityID) store.Key     { return hashKey('e', string(e)) }
func objectKey(e daybook.EntityID) store.Key      { return hashKey('o', string(e)) }
func participantKey(e daybook.EntityID) store.Key { return hashKey('p', string(e)) }
func mergeKey(e daybook.EntityID) store.Key       { return hashKey('m', string(e)) }
func treeKey(name string) store.Key               { return hashKey('t', name) }
func treeHeadKey(name string) store.Key           { return hashKey('h', name) }
func derivedKey(id string) store.Key              { return hashKey('d', id) }
func variableKey(v daybook.Variable) store.Key    { return hashKey('v', string(v.Subject), v.Relation) }
func oneKey(v daybook.Variable) store.Key         { return hashKey('h', string(v.Subject), v.Relation) }
func speakerKey(speaker string) store.Key         { return hashKey('b', daybook.Fold(speaker)) }
func wordKey(word string) store.Key               { return hashKey('a', word) }
func inSessionKey(e daybook.EntityID, session string) store.Key {
	return hashKey('c', string(e), session)
}
func monthKey(e daybook.EntityID, t time.Time) store.Key {
	return hashKey('t', string(e), t.UTC().Format("2006-01"))
}
func dayKey(e daybook.EntityID, t time.Time) store.Key {
	return hashKey('t', string(e), t.UTC().Format(time.DateOnly))
}
func variableOf(f *daybook.Fact) daybook.Variable {
	return daybook.Variable{Subject: f.Subject, Relation: f.Relation}
}
func aboutKeys(about []daybook.Variable) (keys []store.Key) {
	for _, v := range about {
		keys = append(keys, variableKey(v), subjectKey(v.Subject))
	}
	return keys
}

// keys returns what the operation is found by, each key once.
func (b body) keys() []store.Key {
	keys := b.allKeys()
	once := keys[:0]
	for _, k := range keys {
		if !slices.Contains(once, k) {
			once = append(once, k)
		}
	}
	return once
}

func (b body) allKeys() []store.Key {
	kind := b.kind()
	if kind == 0 {
		return nil
	}
	keys := []store.Key{kindKey(kind)}
	switch {
	case b.Observe != nil:
		keys = append(keys, idKey(string(b.Observe.ID)), sessionKey(b.Observe.Session))
		if b.Observe.Speaker != "" {
			keys = append(keys, speakerKey(b.Observe.Speaker))
		}
		for _, e := range b.Observe.Echoes {
			keys = append(keys, derivedKeys(e.Of)...)
		}
		if b.Observe.Corrects != "" {
			keys = append(keys, derivedKey(string(b.Observe.Corrects)))
		}
	case b.Enrich != nil:
		keys = append(keys, derivedKey(string(b.Enrich.Note)))
		keys = append(keys, derivedKeys(b.Enrich.From)...)
	case b.Entity != nil:
		keys = append(keys, idKey(string(b.Entity.ID)))
		for _, w := range NameWords(b.Entity.Name) {
			keys = append(keys, wordKey(w))
		}
	case b.Event != nil:
		keys = append(keys, eventKeys(b.Event)...)
	case b.Fact != nil:
		keys = append(keys, factKeys(b.Fact)...)
	case b.Relate != nil:
		keys = append(keys, idKey(string(b.Relate.ID)), idKey(b.Relate.From), idKey(b.Relate.To))
		keys = append(keys, aboutKeys(b.Relate.About)...)
	case b.Merge != nil:
		keys = append(keys, mergeKey(b.Merge.From), mergeKey(b.Merge.Into))
	case b.Split != nil:
		keys = append(keys, mergeKey(b.Split.Entity))
	case b.Tree != nil:
		keys = append(keys, treeKey(b.Tree.Tree))
		if b.Tree.Part == 0 {
			keys = append(keys, kindKey('h'), treeHeadKey(b.Tree.Tree))
		}
	case b.Retract != nil:
		keys = append(keys, idKey(b.Retract.Target))
		keys = append(keys, aboutKeys(b.Retract.About)...)
	}
	return keys
}

func eventKeys(e *daybook.Event) []store.Key {
	keys := []store.Key{idKey(string(e.ID)), sessionKey(e.Session)}
	for _, p := range e.Participants {
		keys = append(keys, participantKey(p), inSessionKey(p, e.Session))
		if !e.Time.From.IsZero() {
			keys = append(keys, monthKey(p, e.Time.From), dayKey(p, e.Time.From))
		}
	}
	return append(keys, derivedKeys(e.Sources)...)
}

func factKeys(f *daybook.Fact) []store.Key {
	keys := []store.Key{
		idKey(string(f.ID)), subjectKey(f.Subject), variableKey(variableOf(f)),
		objectKey(daybook.EntityNamed(f.Object)), sessionKey(f.Session),
	}
	if f.Holds == daybook.OneValue {
		keys = append(keys, oneKey(variableOf(f)))
	}
	if f.Event != "" {
		keys = append(keys, derivedKey(string(f.Event)))
	}
	return append(keys, derivedKeys(f.Sources)...)
}

func derivedKeys(sources []daybook.NoteID) (keys []store.Key) {
	for _, n := range sources {
		keys = append(keys, derivedKey(string(n)))
	}
	return keys
}
