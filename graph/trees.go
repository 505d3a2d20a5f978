package graph

import (
	"cmp"
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

// Trees lists the trees of the scope by name. It reads the heads of their
// versions, not their nodes.
func (b *Book) Trees() ([]TreeInfo, error) {
	infos := map[string]*TreeInfo{}
	for o, err := range b.ops(kindKey('h')) {
		if err != nil {
			return nil, err
		}
		t := infos[o.Tree.Tree]
		if t == nil {
			t = &TreeInfo{Name: o.Tree.Tree}
			infos[o.Tree.Tree] = t
		}
		t.Versions++
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
	daybook.Sort(list, func(a, b TreeInfo) int { return cmp.Compare(a.Name, b.Name) })
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
	daybook.Sort(edits, func(a, b TreeRecord) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Part, b.Part))
	})
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
		ops = append(ops, o)
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
			var o *op
			if err == nil {
				o, err = decode(c)
			}
			if err != nil {
				delete(s.trees, name)
				return nil, err
			}
			entry.ops = append(entry.ops, o)
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

// heads returns the heads of a tree's versions that the book sees, in force or
// not, in the order of their versions.
func (b *Book) heads(name string) ([]*op, error) {
	var heads []*op
	for o, err := range b.raw(treeHeadKey(name)) {
		if err != nil {
			return nil, err
		}
		heads = append(heads, o)
	}
	daybook.Sort(heads, func(a, b *op) int { return cmp.Compare(a.Tree.Version, b.Tree.Version) })
	return heads, nil
}

// inForce returns how many of the versions are in force, and the current one.
func (b *Book) inForce(heads []*op) (n int, current *op) {
	for _, o := range heads {
		if !b.undone[o.Seq] {
			n, current = n+1, o
		}
	}
	return n, current
}

// checkTrees is a Conflict when a tree has another number of versions in force than
// the change was made on.
func (s *stage) checkTrees(want map[string]int) error {
	for name, n := range want {
		heads, err := s.heads(name)
		if err != nil {
			return err
		}
		if have, _ := s.inForce(heads); have != n {
			return s.treeConflict(name, heads)
		}
	}
	return nil
}

func (s *stage) treeConflict(name string, heads []*op) error {
	n, current := s.inForce(heads)
	if n == 0 {
		return daybook.Errorf(daybook.Conflict, "tree %q is not there any more; nothing was written", name)
	}
	mark, err := s.markOf(current.Place)
	if err != nil {
		return err
	}
	return daybook.Errorf(daybook.Conflict, "tree %q is at version %d now (commit %s); the edit was made on an older state, and nothing was written: look at the tree and edit again", name, current.Tree.Version, mark.id.Short())
}

// editTree checks an edit against the tree's versions. The head of a version must
// be made on the current one; its further parts follow in the same commit.
func (s *stage) editTree(e daybook.TreeEdit) error {
	if err := e.Validate(); err != nil {
		return err
	}
	heads, err := s.heads(e.Tree)
	if err != nil {
		return err
	}
	n, current := s.inForce(heads)
	if e.Part > 0 {
		if n == 0 || current.Seq != s.next.Seq || current.Tree.Version != e.Version {
			return daybook.Errorf(daybook.Invalid, "part %d of version %d of tree %q does not follow its head", e.Part, e.Version, e.Tree)
		}
		s.put(body{Op: daybook.Op{Tree: &e}})
		return nil
	}
	base := 0
	if n > 0 {
		base = current.Tree.Version
	}
	if e.Base != base || e.Version != nextVersion(heads) {
		return s.treeConflict(e.Tree, heads)
	}
	s.put(body{Op: daybook.Op{Tree: &e}})
	return nil
}

// TreeHead returns the current version of a tree and how many are in force; 0 for
// none.
func (b *Book) TreeHead(name string) (current, inForce int, err error) {
	heads, err := b.heads(name)
	n, last := b.inForce(heads)
	if n == 0 {
		return 0, 0, err
	}
	return last.Tree.Version, n, err
}

// NextVersion is the number that the next edit of a tree makes. Numbers of
// versions that were reverted are not used again.
func (b *Book) NextVersion(name string) (int, error) {
	heads, err := b.heads(name)
	return nextVersion(heads), err
}

func nextVersion(heads []*op) int {
	if len(heads) == 0 {
		return 1
	}
	return heads[len(heads)-1].Tree.Version + 1
}

// restOfTree is what an edit still says when everything that names the forgotten
// entity is taken out of it. It keeps its version, so that it folds in its place.
// Nothing is left of a tree that is itself named so.
func (e *eraser) restOfTree(o *op) (daybook.TreeEdit, bool, error) {
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
