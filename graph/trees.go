package graph

import (
	"cmp"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// TreeRecord is an edit of a tree with the commit that it stands in.
type TreeRecord struct {
	daybook.TreeEdit
	store.Place
	Commit     daybook.CommitID
	RecordedAt time.Time
	Author     string
}

// TreeInfo is a tree in short.
type TreeInfo struct {
	Name       string    `json:"name"`
	Version    int       `json:"version"`  // the current one
	Versions   int       `json:"versions"` // how many are in force
	RecordedAt time.Time `json:"recorded_at"`
}

// Trees lists the trees of the scope by name.
func (b *Book) Trees() ([]TreeInfo, error) {
	infos := map[string]*TreeInfo{}
	seen := map[string]int{}
	for o, err := range b.ops(kindKey('t')) {
		if err != nil {
			return nil, err
		}
		name := o.Tree.Tree
		t := infos[name]
		if t == nil {
			t = &TreeInfo{Name: name}
			infos[name] = t
		}
		if seen[name] != o.Tree.Version {
			seen[name] = o.Tree.Version
			t.Versions++
		}
		if o.Tree.Version >= t.Version {
			mark, err := b.markOf(o.Place)
			if err != nil {
				return nil, err
			}
			t.Version, t.RecordedAt = o.Tree.Version, mark.recordedAt
		}
	}
	list := make([]TreeInfo, 0, len(infos))
	for _, t := range infos {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TreeInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// markOf is mark for an operation that may not be in the ledger yet.
func (b *Book) markOf(at store.Place) (commitMark, error) {
	if b.pending != nil && at.Seq > b.head.Seq {
		return commitMark{}, nil
	}
	return b.mark(at.Seq)
}

// TreeEdits returns the edits of a tree that are in force, in the order of their
// versions. Many calls share what it returns; it must not be changed.
func (b *Book) TreeEdits(name string) ([]TreeRecord, error) {
	ops, err := b.treeOps(name)
	if err != nil {
		return nil, err
	}
	var edits []TreeRecord
	for _, o := range ops {
		if b.undone[o.Seq] {
			continue
		}
		mark, err := b.markOf(o.Place)
		if err != nil {
			return nil, err
		}
		r := TreeRecord{TreeEdit: *o.Tree, Place: o.Place, Commit: mark.id, RecordedAt: mark.recordedAt, Author: mark.author}
		if !r.Made.IsZero() {
			r.RecordedAt = r.Made
		}
		edits = append(edits, r)
	}
	slices.SortStableFunc(edits, func(a, b TreeRecord) int { return cmp.Compare(a.Version, b.Version) })
	return edits, nil
}

// treeCache holds every edit of a tree, in the order of the ledger.
type treeCache struct {
	upTo uint64
	ops  []*op
}

// treeOps returns the operations of a tree that the book sees, reverted ones
// included, through the cache where there is one.
func (b *Book) treeOps(name string) ([]*op, error) {
	if s := b.cache; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if b.newest == s.head.Seq {
			return b.cachedTree(name)
		}
	}
	var ops []*op
	for o, err := range b.raw(treeKey(name)) {
		if err != nil {
			return nil, err
		}
		ops = append(ops, &o)
	}
	return ops, nil
}

func (b *Book) cachedTree(name string) ([]*op, error) {
	s := b.cache
	entry := s.trees[name]
	if entry == nil {
		entry = &treeCache{}
	}
	if entry.upTo < s.head.Seq {
		for c, err := range b.r.ByKey(treeKey(name), store.Range{From: entry.upTo + 1, To: s.head.Seq}) {
			var o op
			if err == nil {
				o, err = decode(c)
			}
			if err != nil {
				delete(s.trees, name)
				return nil, err
			}
			entry.ops = append(entry.ops, &o)
			s.size++
		}
		entry.upTo = s.head.Seq
		s.trees[name] = entry
	}
	n := len(entry.ops)
	for n > 0 && entry.ops[n-1].Seq > b.head.Seq {
		n--
	}
	return entry.ops[:n:n], nil
}

// checkTrees is a Conflict when a tree has another number of edits in force than
// the change was made on.
func (s *stage) checkTrees(want map[string]int) error {
	for name, n := range want {
		edits, err := s.TreeEdits(name)
		if err != nil {
			return err
		}
		if len(edits) != n {
			return treeConflict(name, edits)
		}
	}
	return nil
}

func treeConflict(name string, edits []TreeRecord) error {
	if len(edits) == 0 {
		return daybook.Errorf(daybook.Conflict, "tree %q is not there any more; nothing was written", name)
	}
	last := edits[len(edits)-1]
	return daybook.Errorf(daybook.Conflict, "tree %q is at version %d now (commit %s); the edit was made on an older state, and nothing was written: look at the tree and edit again", name, last.Version, last.Commit.Short())
}

// editTree checks an edit against the tree's versions. The first part of a
// version must be made on the current one; further parts of it follow in the same
// commit.
func (s *stage) editTree(e daybook.TreeEdit) error {
	if err := e.Validate(); err != nil {
		return err
	}
	edits, err := s.TreeEdits(e.Tree)
	if err != nil {
		return err
	}
	current := 0
	if n := len(edits); n > 0 {
		current = edits[n-1].Version
		if edits[n-1].Seq == s.next.Seq && current == e.Version && edits[n-1].Base == e.Base {
			s.put(body{Op: daybook.Op{Tree: &e}})
			return nil
		}
	}
	if e.Base != current {
		return treeConflict(e.Tree, edits)
	}
	next, err := s.NextVersion(e.Tree)
	if err != nil {
		return err
	}
	if e.Version != next {
		return treeConflict(e.Tree, edits)
	}
	s.put(body{Op: daybook.Op{Tree: &e}})
	return nil
}

// NextVersion is the number that the next edit of a tree makes. Numbers of
// versions that were reverted are not used again.
func (b *Book) NextVersion(name string) (int, error) {
	ops, err := b.treeOps(name)
	last := 0
	for _, o := range ops {
		last = max(last, o.Tree.Version)
	}
	return last + 1, err
}

// restOfTree is what an edit still says when everything that names the forgotten
// entity is taken out of it. It keeps its version, so that it folds in its place.
// Nothing is left of a tree that is itself named so.
func (e *eraser) restOfTree(o op) (daybook.TreeEdit, bool, error) {
	named := func(text string) bool {
		for n := range e.names {
			if mentionsName(text, n) {
				return true
			}
		}
		return false
	}
	mark, err := e.book.mark(o.Seq)
	if err != nil || named(o.Tree.Tree) {
		return daybook.TreeEdit{}, false, err
	}
	rest := *o.Tree
	if rest.Made.IsZero() {
		rest.Made = mark.recordedAt
	}
	if named(rest.Request) {
		rest.Request = ""
	}
	if named(rest.Summary) {
		rest.Summary = ""
	}
	rest.Changes = nil
	for _, c := range o.Tree.Changes {
		if c, left := blankChange(c, named); left {
			rest.Changes = append(rest.Changes, c)
		}
	}
	return rest, true, nil
}

// blankChange takes texts with the name out of a change. Nothing is left of one
// that speaks of a node by such an id.
func blankChange(c daybook.TreeChange, named func(string) bool) (daybook.TreeChange, bool) {
	keep := func(attrs [][2]string) (kept [][2]string) {
		for _, a := range attrs {
			if !named(a[1]) {
				kept = append(kept, a)
			}
		}
		return kept
	}
	switch {
	case c.Add != nil:
		n := *c.Add
		n.Attrs = keep(n.Attrs)
		if named(n.Text) {
			n.Text = ""
		}
		if named(n.Source) {
			n.Source = ""
		}
		return daybook.TreeChange{Add: &n}, !named(n.ID) && !named(n.Parent)
	case c.Set != nil:
		set := *c.Set
		set.Attrs = keep(set.Attrs)
		if set.Text != nil && named(*set.Text) {
			set.Text = new(string)
		}
		return daybook.TreeChange{Set: &set}, !named(set.Node)
	case c.Move != nil:
		return c, !named(c.Move.Node) && !named(c.Move.Parent)
	}
	return c, !named(c.Remove)
}
