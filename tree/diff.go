package tree

import (
	"slices"

	"daybook"
)

// Changes returns what makes version b of version a. Nodes are the same when
// their ids are.
func Changes(a, b *Version) []daybook.TreeChange {
	d := &differ{editor: editor{root: a.root, version: a, owned: map[string]*Node{}, parents: map[string]string{}}, to: b}
	d.node(b.root)
	d.rest()
	return d.changes
}

// Equal reports whether two versions hold the same. One whose planting was reverted
// holds nothing.
func Equal(a, b *Version) bool {
	if a.root == nil || b.root == nil {
		return a.root == b.root
	}
	return len(Changes(a, b)) == 0
}

// differ changes a copy of the one version until it is the other, and notes how.
type differ struct {
	editor
	to      *Version
	changes []daybook.TreeChange
}

func (d *differ) do(c daybook.TreeChange) {
	d.changes = append(d.changes, c)
	d.apply(c)
}

// node makes a node and all below it equal to the other version's. Nodes that go
// stay to the end, lest they take others with them.
func (d *differ) node(n *Node) {
	if was := d.find(n.ID); was != n {
		d.fields(was, n)
		d.children(n)
	}
	for _, c := range n.Children {
		if d.find(c.ID) != c {
			d.node(c)
		}
	}
}

func (d *differ) fields(was, is *Node) {
	set := daybook.TreeSet{Node: is.ID}
	for _, a := range is.Attrs {
		if !slices.Contains(was.Attrs, a) {
			set.Attrs = append(set.Attrs, a)
		}
	}
	for _, a := range was.Attrs {
		if !slices.ContainsFunc(is.Attrs, func(b Attr) bool { return a[0] == b[0] }) {
			set.Unset = append(set.Unset, a[0])
		}
	}
	if was.Text != is.Text {
		set.Text = &is.Text
	}
	if len(set.Attrs)+len(set.Unset) > 0 || set.Text != nil {
		d.do(daybook.TreeChange{Set: &set})
	}
}

// children puts the right nodes below a node, in the right order.
func (d *differ) children(n *Node) {
	at := 0
	for _, want := range n.Children {
		now := d.find(n.ID).Children
		for at < len(now) && now[at].ID != want.ID && !d.belongs(now[at], n) {
			at++
		}
		switch {
		case at < len(now) && now[at].ID == want.ID:
		case !d.has(want.ID):
			d.do(daybook.TreeChange{Add: &daybook.TreeNode{
				ID: want.ID, Source: want.SourceID, Type: want.Type, Attrs: want.Attrs, Text: want.Text, Parent: n.ID, At: place(at, len(now)),
			}})
		default:
			d.do(daybook.TreeChange{Move: &daybook.TreeMove{Node: want.ID, Parent: n.ID, At: d.moveTo(want.ID, n.ID, at)}})
		}
		at++
	}
}

// place is a position to insert at, or 0 for the end.
func place(at, n int) int {
	if at >= n {
		return 0
	}
	return at + 1
}

// moveTo is the position for a move, which counts without the node itself.
func (d *differ) moveTo(id, parent string, at int) int {
	now := d.find(parent).Children
	n := len(now)
	if i := slices.IndexFunc(now, func(c *Node) bool { return c.ID == id }); i >= 0 {
		n--
		if i < at {
			at--
		}
	}
	return place(at, n)
}

// belongs reports whether a child stays below its parent.
func (d *differ) belongs(c, parent *Node) bool {
	p := d.to.Parent(c.ID)
	return p != nil && p.ID == parent.ID
}

// rest removes what the other version does not have.
func (d *differ) rest() {
	var extra []string
	var look func(n *Node)
	look = func(n *Node) {
		for _, c := range n.Children {
			if d.to.Find(c.ID) == nil {
				extra = append(extra, c.ID)
			} else if d.to.Find(c.ID) != c {
				look(c)
			}
		}
	}
	look(d.root)
	for _, id := range extra {
		d.do(daybook.TreeChange{Remove: id})
	}
}

// Difference is what two versions differ in, for people.
type Difference struct {
	From    int           `json:"from"`
	To      int           `json:"to"`
	Added   []Outline     `json:"added,omitempty"`
	Removed []Outline     `json:"removed,omitempty"`
	Changed []FieldChange `json:"changed,omitempty"`
	Moved   []Outline     `json:"moved,omitempty"`
}

// Outline is a node in short.
type Outline struct {
	ID       string `json:"id"`
	SourceID string `json:"source_id,omitempty"`
	Type     string `json:"type"`
	Label    string `json:"label"`
	Path     string `json:"path"`
}

// FieldChange is an attribute with another text; an empty one is none.
type FieldChange struct {
	Outline
	Attr string `json:"attribute"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// Compare tells what version b has that a has not, and the other way round.
func Compare(a, b *Version) Difference {
	d := Difference{From: a.Number, To: b.Number}
	for _, c := range Changes(a, b) {
		switch {
		case c.Add != nil:
			d.Added = append(d.Added, b.outline(c.Add.ID))
		case c.Remove != "":
			d.Removed = append(d.Removed, a.outline(c.Remove))
		case c.Move != nil:
			d.Moved = append(d.Moved, b.outline(c.Move.Node))
		case c.Set != nil:
			d.Changed = append(d.Changed, fieldChanges(a, b, *c.Set)...)
		}
	}
	return d
}

func fieldChanges(a, b *Version, s daybook.TreeSet) (out []FieldChange) {
	was, is, o := a.Find(s.Node), b.Find(s.Node), b.outline(s.Node)
	names := slices.Clone(s.Unset)
	for _, attr := range s.Attrs {
		names = append(names, attr[0])
	}
	if s.Text != nil {
		names = append(names, "text")
	}
	for _, name := range names {
		old, _ := was.Attr(name)
		now, _ := is.Attr(name)
		out = append(out, FieldChange{o, name, old, now})
	}
	return out
}

func (v *Version) outline(id string) Outline {
	n := v.Find(id)
	return Outline{ID: n.ID, SourceID: n.SourceID, Type: n.Type, Label: n.Label(), Path: v.Path(id)}
}

// Path is a query that names just this node: /Plan/Day[2]/POI[1].
func (v *Version) Path(id string) string {
	path := ""
	for n := v.Find(id); n != nil; n = v.Parent(n.ID) {
		parent := v.Parent(n.ID)
		if parent == nil {
			break
		}
		path = pathStep(parent.Children, n) + path
	}
	return path
}
