package graph

import (
	"regexp"
	"slices"
	"strings"

	"daybook"
	"daybook/store"
)

// LogEntry is a commit in short: how many operations of each kind it holds.
type LogEntry struct {
	daybook.Commit
	Counts   map[string]int `json:"counts"`
	Erased   int            `json:"erased,omitempty"`
	Reverted bool           `json:"reverted,omitempty"`
}

var kindNames = map[byte]string{
	'n': "notes", 'w': "enrichments", 'e': "entities", 'v': "events", 'f': "facts", 'l': "links", 'm': "merges",
	's': "splits", 't': "tree edits", 'r': "retractions", 'u': "reverts", 'x': "erasures",
}

// Log returns up to limit commits that the book sees, newest first; limit 0
// means all of them.
func (b *Book) Log(limit int) ([]LogEntry, error) {
	from := uint64(1)
	if limit > 0 && b.head.Seq > uint64(limit) {
		from = b.head.Seq - uint64(limit) + 1
	}
	var entries []LogEntry
	for seq := from; seq <= b.head.Seq; seq++ {
		e, err := b.entry(seq)
		if err != nil {
			return nil, err
		}
		e.Ops = nil
		entries = append(entries, e)
	}
	slices.Reverse(entries)
	return entries, nil
}

// Show returns one commit with its operations. An erased operation is empty.
func (b *Book) Show(ref string) (LogEntry, error) {
	c, err := b.Resolve(ref)
	if err != nil {
		return LogEntry{}, err
	}
	if c.Seq == 0 {
		return LogEntry{}, daybook.Errorf(daybook.NotFound, "%s is the time before the first commit; there is nothing to show", ref)
	}
	return b.entry(c.Seq)
}

func (b *Book) entry(seq uint64) (LogEntry, error) {
	c, err := b.commit(seq)
	if err != nil {
		return LogEntry{}, err
	}
	leaves, err := b.r.Leaves(seq)
	if err != nil {
		return LogEntry{}, err
	}
	e := LogEntry{
		Commit: daybook.Commit{ID: c.ID, Parent: c.Parent, Seq: seq, RecordedAt: c.RecordedAt, Author: c.Author},
		Counts: map[string]int{}, Erased: len(leaves), Reverted: b.undone[seq],
	}
	ops := make([]daybook.Op, len(leaves))
	for content, err := range b.r.Contents(store.Range{From: seq, To: seq}) {
		if err != nil {
			return e, err
		}
		o, err := decode(content)
		if err != nil {
			return e, err
		}
		if o.Pos >= len(ops) {
			return e, daybook.Errorf(daybook.Corrupt, "operation %d.%d does not belong to its commit", seq, o.Pos)
		}
		e.Erased--
		ops[o.Pos] = o.Op
		if o.kind() == 0 {
			e.Message = o.Message
		} else {
			e.Counts[kindNames[o.kind()]]++
		}
	}
	if e.Message != "" {
		ops = ops[1:] // it stands first and is not an operation
	}
	e.Ops = ops
	return e, nil
}

var (
	hexRef  = regexp.MustCompile(`^[0-9a-f]{4,64}$`)
	headRef = regexp.MustCompile(`^(?i:head)(~([0-9]{1,9}))?$`)
	rootRef = "root"
)

// Resolve finds the commit that people mean by an id, the beginning of an id of
// at least four digits, HEAD or HEAD~n. "root" is the time before the first
// commit and gives the zero commit.
func (b *Book) Resolve(ref string) (store.Commit, error) {
	if ref == rootRef {
		return store.Commit{}, nil
	}
	if m := headRef.FindStringSubmatch(ref); m != nil {
		return b.resolveHead(ref, m[2])
	}
	low := strings.ToLower(ref)
	if !hexRef.MatchString(low) {
		return store.Commit{}, daybook.Errorf(daybook.Invalid, "commit %q is neither an id (4 to 64 hexadecimal digits), nor HEAD, HEAD~n or root", ref)
	}
	found, err := b.r.FindCommits(low, 2)
	if err != nil {
		return store.Commit{}, err
	}
	found = slices.DeleteFunc(found, func(c store.Commit) bool { return c.Seq > b.head.Seq })
	switch len(found) {
	case 0:
		return store.Commit{}, daybook.Errorf(daybook.NotFound, "no commit %s in this scope", ref)
	case 1:
		return found[0], nil
	}
	return store.Commit{}, daybook.Errorf(daybook.Conflict, "several commits begin with %s; give more digits", ref)
}

func (b *Book) resolveHead(ref, back string) (store.Commit, error) {
	var n uint64
	for _, d := range back {
		n = n*10 + uint64(d-'0')
	}
	if n > b.head.Seq {
		return store.Commit{}, daybook.Errorf(daybook.NotFound, "%s lies before the first of %d commits", ref, b.head.Seq)
	}
	if n == b.head.Seq {
		return store.Commit{}, nil
	}
	return commitAt(b.r, b.head.Seq-n)
}
