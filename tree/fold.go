package tree

import (
	"maps"
	"slices"
	"sync"
	"time"

	"daybook"
)

// VersionType is the type of the nodes that stand for versions.
const VersionType = "Version"

// Version is a tree as it was after one edit. It is never changed, and shares with
// its neighbours the nodes that are the same.
type Version struct {
	Number     int
	Base       int
	Request    string // the user's words
	Summary    string // what was done
	Source     string // its id in the file that it was imported from
	Prefix     string // stood before the ids of its nodes there
	RecordedAt time.Time
	Author     string
	Commit     daybook.CommitID
	root       *Node
	mu         sync.Mutex
	places     map[string]where // by id; nil until somebody asks
}

// where is a node and the id of its parent, which the root has not.
type where struct {
	node   *Node
	parent string
}

// Root is the root of the version's nodes; below it stands the task, and below
// that what the tree is about.
func (v *Version) Root() *Node { return v.root }

// Task is the node that all content stands below.
func (v *Version) Task() *Node {
	if v.root == nil || len(v.root.Children) == 0 {
		return nil
	}
	return v.root.Children[0]
}

// Find returns a node by its id, or nil.
func (v *Version) Find(id string) *Node {
	return v.index()[id].node
}

// FindSource returns a node by its id or by the one in the imported file.
func (v *Version) FindSource(id string) *Node {
	if n := v.Find(id); n != nil || v.root == nil {
		return n
	}
	var found *Node
	walk(v.root, func(n *Node) {
		if found == nil && n.SourceID != "" && (n.SourceID == id || v.Prefix+n.SourceID == id) {
			found = n
		}
	})
	return found
}

// Parent returns the parent of a node, or nil for the root.
func (v *Version) Parent(id string) *Node {
	places := v.index()
	return places[places[id].parent].node
}

func (v *Version) index() map[string]where {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.places == nil && v.root != nil {
		v.places = map[string]where{v.root.ID: {node: v.root}}
		walk(v.root, func(n *Node) {
			for _, c := range n.Children {
				v.places[c.ID] = where{c, n.ID}
			}
		})
	}
	return v.places
}

func walk(n *Node, visit func(*Node)) {
	visit(n)
	for _, c := range n.Children {
		walk(c, visit)
	}
}

// Fold applies edits in order and returns the versions that they make. Edits with
// the number of the last version are parts of it. With earlier versions given, the
// edits continue them.
func Fold(earlier []*Version, edits []Edit) []*Version {
	versions := slices.Clone(earlier)
	for i := 0; i < len(edits); {
		j := i + 1
		for j < len(edits) && edits[j].Version == edits[i].Version {
			j++
		}
		versions = append(versions, foldVersion(versions, i > 0, edits[i:j]))
		i = j
	}
	return versions
}

// Edit is an edit with the commit that brought it.
type Edit struct {
	daybook.TreeEdit
	RecordedAt time.Time
	Author     string
	Commit     daybook.CommitID
}

// foldVersion makes the next version. One that nobody else has seen yet hands its
// index on instead of letting it be copied.
func foldVersion(earlier []*Version, unseen bool, parts []Edit) *Version {
	e := parts[0]
	v := &Version{
		Number: e.Version, Base: e.Base, Request: e.Request, Summary: e.Summary, Source: e.Source, Prefix: e.Prefix,
		RecordedAt: e.RecordedAt, Author: e.Author, Commit: e.Commit,
	}
	ed := &editor{owned: map[string]*Node{}, parents: map[string]string{}}
	if len(earlier) > 0 {
		ed.version = earlier[len(earlier)-1]
		ed.root = ed.version.root
	}
	for _, p := range parts {
		for _, c := range p.Changes {
			ed.apply(c)
		}
	}
	v.root = ed.root
	if ed.version != nil && ed.version.root != nil && ed.root != nil {
		v.places = ed.version.index()
		if unseen {
			ed.version.places = nil
		} else {
			v.places = maps.Clone(v.places)
		}
		ed.update(v.places)
	}
	return v
}

// update brings an index of the version before up to date.
func (e *editor) update(places map[string]where) {
	for _, n := range e.removed {
		walk(n, func(n *Node) { delete(places, n.ID) })
	}
	for id, p := range e.parents {
		if p != gone {
			places[id] = where{places[id].node, p}
		}
	}
	for id, n := range e.owned {
		if p, ok := places[id]; ok || id == e.root.ID {
			places[id] = where{n, p.parent}
		}
	}
}

// editor makes the next version: it copies what changes and shares the rest.
type editor struct {
	root    *Node
	version *Version          // that the edit begins with; nil for a new tree
	owned   map[string]*Node  // nodes of this version alone
	parents map[string]string // that differ from the version's, by child
	removed []*Node
}

func (e *editor) parent(id string) (string, bool) {
	if p, ok := e.parents[id]; ok {
		return p, p != gone
	}
	if e.version != nil {
		p, ok := e.version.index()[id]
		return p.parent, ok
	}
	return "", false
}

const gone = "\x00gone"

// has reports whether a node is in the tree.
func (e *editor) has(id string) bool {
	if e.root == nil || id == "" {
		return false
	}
	for id != e.root.ID {
		p, ok := e.parent(id)
		if !ok {
			return false
		}
		id = p
	}
	return true
}

// own returns a node that may be changed, with all above it.
func (e *editor) own(id string) *Node {
	if n := e.owned[id]; n != nil {
		return n
	}
	if id == e.root.ID {
		e.root = e.copied(e.root)
		return e.root
	}
	p, _ := e.parent(id)
	parent := e.own(p)
	i := slices.IndexFunc(parent.Children, func(n *Node) bool { return n.ID == id })
	parent.Children[i] = e.copied(parent.Children[i])
	return parent.Children[i]
}

func (e *editor) copied(n *Node) *Node {
	c := *n
	c.Children, c.Attrs = slices.Clone(n.Children), slices.Clone(n.Attrs)
	e.owned[n.ID] = &c
	return &c
}

// apply makes one change. What it speaks of may be gone when an earlier edit was
// reverted or erased; then it does nothing.
func (e *editor) apply(c daybook.TreeChange) {
	switch {
	case c.Add != nil:
		e.add(*c.Add)
	case c.Set != nil && e.has(c.Set.Node):
		e.set(*c.Set)
	case c.Move != nil && e.has(c.Move.Node) && e.has(c.Move.Parent):
		e.move(*c.Move)
	case c.Remove != "" && e.has(c.Remove) && c.Remove != e.root.ID:
		e.removed = append(e.removed, e.take(c.Remove))
		e.parents[c.Remove] = gone
	}
}

func (e *editor) add(a daybook.TreeNode) {
	n := &Node{ID: a.ID, SourceID: a.Source, Type: a.Type, Attrs: slices.Clone(a.Attrs), Text: a.Text}
	switch {
	case e.root == nil && a.Parent == "":
		e.root = n
	case e.has(a.ID) || !e.has(a.Parent):
		return
	default:
		e.put(e.own(a.Parent), n, a.At)
	}
	e.owned[n.ID] = n
}

func (e *editor) put(parent, n *Node, at int) {
	i := len(parent.Children)
	if at > 0 && at <= i {
		i = at - 1
	}
	parent.Children = slices.Insert(parent.Children, i, n)
	e.parents[n.ID] = parent.ID
}

func (e *editor) set(s daybook.TreeSet) {
	n := e.own(s.Node)
	for _, a := range s.Attrs {
		if i := slices.IndexFunc(n.Attrs, func(b Attr) bool { return b[0] == a[0] }); i >= 0 {
			n.Attrs[i] = a
		} else {
			n.Attrs = append(n.Attrs, a)
		}
	}
	n.Attrs = slices.DeleteFunc(n.Attrs, func(a Attr) bool { return slices.Contains(s.Unset, a[0]) })
	if s.Text != nil {
		n.Text = *s.Text
	}
}

// take removes a node from its parent and returns it.
func (e *editor) take(id string) *Node {
	p, _ := e.parent(id)
	parent := e.own(p)
	i := slices.IndexFunc(parent.Children, func(n *Node) bool { return n.ID == id })
	n := parent.Children[i]
	parent.Children = slices.Delete(parent.Children, i, i+1)
	return n
}

func (e *editor) move(m daybook.TreeMove) {
	if m.Node == e.root.ID {
		return
	}
	for id := m.Parent; id != e.root.ID; id, _ = e.parent(id) {
		if id == m.Node {
			return // not below itself
		}
	}
	n := e.take(m.Node)
	e.put(e.own(m.Parent), n, m.At)
}
