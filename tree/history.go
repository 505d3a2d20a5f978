package tree

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"daybook"
	"daybook/xpath"
)

// History is a tree with all its versions, as a Source: below the task stands a
// Version node for each, oldest first. A step that names Version sees all of
// them; any other step sees the current one only, and need not name it: in
// /Plan/Day and //Day the current version is meant.
type History struct {
	Name     string
	Versions []*Version // in force, oldest first; never none
	InForce  int        // versions in force, those without any node included
	// Then returns the history as it was recorded at a time, or nil when the tree
	// was not there yet. It may be nil.
	Then   func(ctx context.Context, at time.Time) (*History, error)
	once   sync.Once
	root   *Node
	levels []*Node // the Version nodes
	schema *Schema
}

// Current is the newest version.
func (h *History) Current() *Version { return h.Versions[len(h.Versions)-1] }

// At returns a version by number, 0 for the current one.
func (h *History) At(number int) (*Version, error) {
	if number == 0 {
		return h.Current(), nil
	}
	for _, v := range h.Versions {
		if v.Number == number {
			return v, nil
		}
	}
	return nil, daybook.Errorf(daybook.NotFound, "tree %q has no version %d; the current one is %d", h.Name, number, h.Current().Number)
}

// Schema is what the current version shows of the tree's structure.
func (h *History) Schema() *Schema {
	h.build()
	return h.schema
}

// build makes the nodes of the Version level.
func (h *History) build() {
	h.once.Do(func() {
		current := h.Current().root
		if current == nil {
			current = &Node{ID: "root", Type: RootType}
		}
		root := *current
		for i, v := range h.Versions {
			h.levels = append(h.levels, h.level(v, i))
		}
		if len(root.Children) > 0 {
			task := *root.Children[0]
			task.Children = []*Node{h.levels[len(h.levels)-1]}
			task.of = h
			root.Children = []*Node{&task}
		}
		root.of = h
		h.root = &root
		h.schema = Infer(&root)
	})
}

// level is the node that stands for a version. Its attributes are what the paper
// and we ask versions by.
func (h *History) level(v *Version, i int) *Node {
	ended := ""
	if i+1 < len(h.Versions) {
		ended = h.Versions[i+1].Summary
	}
	n := &Node{ID: fmt.Sprintf("v%d", v.Number), SourceID: v.Source, Type: VersionType, Attrs: []Attr{
		{"number", fmt.Sprint(v.Number)}, {"patch_info", v.Summary}, {"request", v.Request}, {"ended_by", ended},
		{"recorded_at", v.RecordedAt.UTC().Format(time.RFC3339)},
	}}
	if n.SourceID == "" {
		n.SourceID = n.ID
	}
	if task := v.Task(); task != nil {
		n.Children = task.Children
	}
	return n
}

// RootType is the type of every tree's root.
const RootType = "Root"

func (h *History) kept() {}

// Root implements Source.
func (h *History) Root(context.Context) (*Node, error) {
	h.build()
	return h.root, nil
}

// ofTask returns the history whose task a node is, or nil.
func ofTask(n *Node) *History {
	if h := n.of; h != nil && n != h.root {
		return h
	}
	return nil
}

// Children implements Source.
func (h *History) Children(_ context.Context, parent *Node, typ string, at xpath.Range) ([]Child, error) {
	of := ofTask(parent) // h, or another time's that as-of went over to
	switch {
	case of == nil || typ == xpath.Any:
		return ChildrenOf(parent.Children, typ, at), nil
	case typ == VersionType:
		return ChildrenOf(of.levels, typ, at), nil
	}
	return ChildrenOf(of.levels[len(of.levels)-1].Children, typ, at), nil
}

// Inner implements Source. What the schema says holds for the current version
// only; in others everything is looked at.
func (h *History) Inner(parent *Place, typ string) []string {
	if typ == VersionType {
		if ofTask(parent.Node) != nil || parent.in != nil {
			return nil
		}
		return []string{xpath.Any}
	}
	if parent.of != nil && parent.of != h || parent.in != nil && parent.in != h.levels[len(h.levels)-1] {
		return []string{xpath.Any}
	}
	return h.schema.inner(parent.Type, typ)
}

// AsOf implements Past.
func (h *History) AsOf(ctx context.Context, p *Place, at AsOf) (*Place, error) {
	if h.Then == nil {
		return nil, daybook.Errorf(daybook.Invalid, "tree %q has no past that as-of could read", h.Name)
	}
	then, err := h.Then(ctx, at)
	if err != nil || then == nil {
		return nil, err
	}
	then.build()
	place := &Place{Node: then.root}
	if p.Up == nil {
		return place, nil
	}
	if len(then.root.Children) == 0 {
		return nil, nil
	}
	level := then.levels[len(then.levels)-1]
	for i, n := range []*Node{then.root.Children[0], level} {
		place = &placed(place, []Child{{n, 0}})[0]
		if i == 0 && ofTask(p.Node) != nil || n.ID == p.ID {
			return place, nil
		}
	}
	return descendTo(then.Current(), place, p.ID), nil
}

// descendTo returns the place of a node of a version below the place of the
// version, or nil.
func descendTo(v *Version, level *Place, id string) *Place {
	var path []*Node
	n := v.Find(id)
	for ; n != nil && n != v.Task(); n = v.Parent(n.ID) {
		path = append(path, n)
	}
	if n == nil {
		return nil
	}
	place := level
	for _, n := range slices.Backward(path) {
		place = &placed(place, []Child{{n, slices.Index(place.Children, n)}})[0]
	}
	return place
}

// SourceOf is the id that a found node had in the imported file.
func (h *History) SourceOf(p *Place) string {
	if p.Type == VersionType || p.SourceID == "" || p.in == nil {
		return p.SourceID
	}
	for i, n := range h.levels {
		if n == p.in {
			return h.Versions[i].Prefix + p.SourceID
		}
	}
	return p.SourceID
}
