package tree

import (
	"context"
	"strings"

	"daybook/xpath"
)

// Node is one node of a tree. Versions of a tree share the nodes that did not
// change, so a node is never changed and does not know its parent.
type Node struct {
	ID       string // unique in the tree, the same in every version
	SourceID string // the id in the file that it was imported from
	Type     string
	Attrs    []Attr // in the order of the source
	Text     string
	Children []*Node
	of       *History // set for the root and the task of a history
}

// Attr is a name and a text.
type Attr = [2]string

// Attr returns an attribute. The text of the node is its attribute "text".
func (n *Node) Attr(name string) (string, bool) {
	for _, a := range n.Attrs {
		if a[0] == name {
			return a[1], true
		}
	}
	return n.Text, name == "text" && n.Text != ""
}

// Own is what the node itself says: its attributes and its text.
func (n *Node) Own() string {
	parts := make([]string, 0, len(n.Attrs)+1)
	for _, a := range append(n.Attrs[:len(n.Attrs):len(n.Attrs)], Attr{"", n.Text}) {
		if text := strings.TrimSuffix(a[1], "."); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ". ")
}

// Label is the shortest thing to call the node by: its name, title or first
// attribute, or its type.
func (n *Node) Label() string {
	for _, name := range []string{"name", "title", "description", "text"} {
		if v, ok := n.Attr(name); ok && v != "" {
			return v
		}
	}
	for _, a := range n.Attrs {
		if a[1] != "" {
			return n.Type + " " + a[1]
		}
	}
	return n.Type
}

// Source is a tree that queries can walk. It hands out nodes when they are asked
// for, so that a large one need not be held as a whole. Within the life of a
// source the same node is the same pointer.
type Source interface {
	// Root returns the node at which queries begin.
	Root(ctx context.Context) (*Node, error)
	// Children returns the children of one type, or of all for xpath.Any, that
	// stand in a range of positions among those, in order.
	Children(ctx context.Context, parent *Node, typ string, at xpath.Range) ([]Child, error)
	// Inner returns the types of those children below which a node of a type can
	// stand, so that a search for it need not go elsewhere; xpath.Any for all of
	// them, nothing for none.
	Inner(parent *Place, typ string) []string
}

// Child is a node with its place among all its brothers, by which they are put
// in order.
type Child struct {
	*Node
	Pos int
}

// Past is the talent of a source that knows how it was.
type Past interface {
	// AsOf returns a node as it was recorded at a time, or nil when it was not
	// there. Its children are those of that time.
	AsOf(ctx context.Context, place *Place, at AsOf) (*Place, error)
}

// Whole is a Source held in memory as one tree.
type Whole struct {
	root   *Node
	schema *Schema
}

// NewWhole makes a source of the nodes below root.
func NewWhole(root *Node) *Whole { return &Whole{root, Infer(root)} }

// Root implements Source.
func (w *Whole) Root(context.Context) (*Node, error) { return w.root, nil }

// kept says that the nodes outlive the query and never change.
func (w *Whole) kept() {}

// Children implements Source.
func (w *Whole) Children(_ context.Context, parent *Node, typ string, at xpath.Range) ([]Child, error) {
	return ChildrenOf(parent.Children, typ, at), nil
}

// Inner implements Source.
func (w *Whole) Inner(parent *Place, typ string) []string { return w.schema.inner(parent.Type, typ) }

// ChildrenOf picks from brothers as a Source's Children does.
func ChildrenOf(all []*Node, typ string, at xpath.Range) []Child {
	count := 0
	for _, n := range all {
		if typ == xpath.Any || n.Type == typ {
			count++
		}
	}
	from, to := at.Bounds(count)
	if from == to {
		return nil
	}
	picked, seen := make([]Child, 0, to-from), 0
	for i, n := range all {
		if typ != xpath.Any && n.Type != typ {
			continue
		}
		if seen >= from && seen < to {
			picked = append(picked, Child{n, i})
		}
		seen++
	}
	return picked
}
