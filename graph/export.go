package graph

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"daybook"
	"daybook/store"
)

// exportFormat is named in the first line of an export; docs/format.md describes
// the lines.
const exportFormat = "daybook export 1"

// Header is the first line of an export.
type Header struct {
	Format  string           `json:"format"`
	Scope   daybook.Scope    `json:"scope"`
	Head    daybook.CommitID `json:"head"`
	Commits uint64           `json:"commits"`
}

// Line is one commit of an export, whole: importing it gives the same bytes.
type Line struct {
	ID         daybook.CommitID `json:"id"`
	Parent     daybook.CommitID `json:"parent"`
	Seq        uint64           `json:"seq"`
	RecordedAt time.Time        `json:"recorded_at"`
	Author     string           `json:"author"`
	Ops        []LineOp         `json:"ops"`
}

// LineOp is one operation of an exported commit. An erased one has only its
// hash.
type LineOp struct {
	Hash string          `json:"hash"`
	Salt []byte          `json:"salt,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
}

// Export hands out the header and then every commit.
func (b *Book) Export(scope daybook.Scope, header func(Header) error, line func(Line) error) error {
	if err := header(Header{Format: exportFormat, Scope: scope, Head: b.head.ID, Commits: b.head.Seq}); err != nil {
		return err
	}
	for c, err := range b.r.Commits(store.UpTo(b.head.Seq)) {
		if err != nil {
			return err
		}
		l, err := b.exportCommit(c)
		if err != nil {
			return err
		}
		if err := line(l); err != nil {
			return err
		}
	}
	return nil
}

func (b *Book) exportCommit(c store.Commit) (Line, error) {
	leaves, err := b.r.Leaves(c.Seq)
	if err != nil {
		return Line{}, err
	}
	l := Line{ID: c.ID, Parent: c.Parent, Seq: c.Seq, RecordedAt: c.RecordedAt, Author: c.Author, Ops: make([]LineOp, len(leaves))}
	for i, leaf := range leaves {
		l.Ops[i].Hash = hex.EncodeToString(leaf[:])
	}
	for content, err := range b.r.Contents(store.Range{From: c.Seq, To: c.Seq}) {
		if err != nil {
			return l, err
		}
		if content.Pos >= len(l.Ops) {
			return l, daybook.Errorf(daybook.Corrupt, "operation %d.%d does not belong to its commit", content.Seq, content.Pos)
		}
		l.Ops[content.Pos].Salt, l.Ops[content.Pos].Body = content.Salt, json.RawMessage(content.Body)
	}
	return l, nil
}

// CheckHeader reports whether an export can be read.
func CheckHeader(h Header) error {
	if h.Format != exportFormat {
		return daybook.Errorf(daybook.Invalid, "not a daybook export: its format is %q, want %q", h.Format, exportFormat)
	}
	return nil
}

// Import appends the commits of an export, each verified, and returns how many
// were new and whether they erase something. The scope must be empty or hold the beginning of the same history;
// otherwise Import is a Conflict. What the new commits erase is erased here too,
// after which the store must be scrubbed; content that is missing without an
// erasure is Invalid.
func Import(w store.Writer, header Header, lines iter.Seq2[Line, error]) (added int, erased bool, err error) {
	head, err := w.Head()
	if err != nil {
		return 0, false, err
	}
	var last store.Commit
	var erasures []*op
	absent := map[store.Place]bool{}
	for l, err := range lines {
		if err != nil {
			return added, false, err
		}
		c, leaves, contents, err := openLine(l, last)
		if err != nil {
			return added, false, fmt.Errorf("commit %d of the export: %w", last.Seq+1, err)
		}
		last = c
		if c.Seq <= head.Seq {
			if err := sameCommit(w, c); err != nil {
				return added, false, err
			}
			continue
		}
		if err := w.Append(c, leaves, contents); err != nil {
			return added, false, err
		}
		added++
		for pos, o := range l.Ops {
			if o.Body == nil {
				absent[store.Place{Seq: c.Seq, Pos: pos}] = true
			}
		}
		for _, content := range contents {
			if o, err := decode(content); err == nil && o.Erase != nil {
				erasures = append(erasures, o)
			}
		}
	}
	if last.Seq != header.Commits || last.ID != header.Head {
		return added, false, daybook.Errorf(daybook.Invalid, "the export does not end where its header says: it has %d of %d commits", last.Seq, header.Commits)
	}
	return added, len(erasures) > 0, eraseImported(w, erasures, absent)
}

// eraseImported erases what imported erasures name, verifies them, and reports
// content that is absent without one.
func eraseImported(w store.Writer, erasures []*op, absent map[store.Place]bool) error {
	b := &Book{r: w}
	for _, o := range erasures {
		if _, err := b.digest(o.Erase.Targets); err != nil { // the places exist
			return err
		}
		for _, t := range o.Erase.Targets {
			for pos := t.From; pos <= t.To; pos++ {
				at := store.Place{Seq: t.Seq, Pos: pos}
				delete(absent, at)
				if err := eraseAt(w, at); err != nil {
					return err
				}
			}
		}
		if err := b.verifyErase(o); err != nil {
			return err
		}
	}
	for p := range absent {
		return daybook.Errorf(daybook.Invalid, "operation %d.%d of the export has no content, and no erasure explains it", p.Seq, p.Pos)
	}
	return nil
}

// eraseAt erases the content at a place, if there is any.
func eraseAt(w store.Writer, at store.Place) error {
	c, there, err := w.Content(at)
	if err != nil || !there {
		return err
	}
	o, err := decode(c)
	if err != nil {
		return err
	}
	c.Keys = o.keys()
	return w.Erase([]store.Content{c})
}

// sameCommit reports whether the scope holds the commit already. Content that
// was erased here stays erased.
func sameCommit(w store.Writer, c store.Commit) error {
	have, err := commitAt(w, c.Seq)
	if err != nil {
		return err
	}
	if have.ID != c.ID {
		return daybook.Errorf(daybook.Conflict, "the scope has another history: its commit %d is %s and the export's is %s; import into an empty scope", c.Seq, have.ID.Short(), c.ID.Short())
	}
	return nil
}

// openLine verifies one line against its own hashes and the commit before it.
func openLine(l Line, last store.Commit) (store.Commit, []store.Hash, []store.Content, error) {
	c := store.Commit{Seq: l.Seq, ID: l.ID, Parent: l.Parent, RecordedAt: l.RecordedAt.UTC(), Author: l.Author}
	if err := daybook.CheckText("author", l.Author); err != nil {
		return c, nil, nil, err
	}
	var leaves []store.Hash
	var contents []store.Content
	for pos, o := range l.Ops {
		leaf, content, err := openLineOp(store.Place{Seq: l.Seq, Pos: pos}, o)
		if err != nil {
			return c, nil, nil, err
		}
		leaves = append(leaves, leaf)
		if content != nil {
			contents = append(contents, *content)
		}
	}
	switch {
	case last.Seq > 0 && !c.RecordedAt.After(last.RecordedAt):
		return c, nil, nil, daybook.Errorf(daybook.Invalid, "it was not recorded after the commit before it")
	case c.Seq != last.Seq+1 || c.Parent != last.ID:
		return c, nil, nil, daybook.Errorf(daybook.Invalid, "it does not follow from the commit before it")
	case commitID(c, leaves) != c.ID:
		return c, nil, nil, daybook.Errorf(daybook.Corrupt, "its content does not match its id")
	}
	return c, leaves, contents, nil
}

func openLineOp(at store.Place, o LineOp) (leaf store.Hash, content *store.Content, err error) {
	hash, err := hex.DecodeString(o.Hash)
	if err != nil || len(hash) != len(leaf) {
		return leaf, nil, daybook.Errorf(daybook.Invalid, "operation %d has the hash %.80q, which is not 64 hexadecimal digits", at.Pos, o.Hash)
	}
	copy(leaf[:], hash)
	if o.Body == nil {
		return leaf, nil, nil
	}
	if len(o.Salt) != saltSize {
		return leaf, nil, daybook.Errorf(daybook.Invalid, "operation %d has a salt of %d bytes, want %d", at.Pos, len(o.Salt), saltSize)
	}
	if !isCompact(o.Body) {
		return leaf, nil, daybook.Errorf(daybook.Invalid, "operation %d is not compact JSON; an export must keep its bytes", at.Pos)
	}
	if leafHash(o.Salt, o.Body) != leaf {
		return leaf, nil, daybook.Errorf(daybook.Corrupt, "operation %d does not match its hash", at.Pos)
	}
	c := store.Content{Place: at, Salt: o.Salt, Body: o.Body}
	decoded, err := decode(c)
	if err != nil {
		return leaf, nil, err
	}
	if err := decoded.checkForeign(o.Body); err != nil {
		return leaf, nil, fmt.Errorf("operation %d: %w", at.Pos, err)
	}
	if decoded.Revert != nil && decoded.Revert.Seq >= at.Seq {
		return leaf, nil, daybook.Errorf(daybook.Invalid, "operation %d reverts a commit that is not before it", at.Pos)
	}
	c.Keys = decoded.keys()
	return leaf, &c, nil
}

// checkForeign reports whether an operation that this program did not write is
// one that it could have written: one thing said, in the fields it knows.
func (b body) checkForeign(text []byte) error {
	said := 0
	for _, is := range []bool{
		b.Message != "", b.Observe != nil, b.Enrich != nil, b.Entity != nil, b.Event != nil, b.Fact != nil, b.Relate != nil,
		b.Merge != nil, b.Split != nil, b.Tree != nil, b.Retract != nil, b.Revert != nil, b.Erase != nil,
	} {
		if is {
			said++
		}
	}
	if said != 1 {
		return daybook.Errorf(daybook.Invalid, "it says %d things instead of one", said)
	}
	again, err := b.encode()
	if err != nil {
		return err
	}
	if !bytes.Equal(again, text) {
		return daybook.Errorf(daybook.Invalid, "it has fields that this daybook does not know; use the daybook that wrote it")
	}
	return nil
}

// isCompact reports whether exporting the body again would give the same bytes.
func isCompact(body []byte) bool {
	var buf bytes.Buffer
	return json.Compact(&buf, body) == nil && bytes.Equal(buf.Bytes(), body)
}
