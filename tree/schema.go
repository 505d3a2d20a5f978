package tree

import (
	"slices"

	"daybook"
	"daybook/xpath"
)

// Schema is what a tree's data shows of its structure: which types there are,
// with which attributes, and which stand below which. Nobody declares it.
type Schema struct {
	Types []Type `json:"types"` // in the order in which they first come
	below map[string]map[string]bool
}

// Type is one type of node.
type Type struct {
	Name     string   `json:"type"`
	Count    int      `json:"count"`
	Attrs    []string `json:"attributes,omitempty"`
	Parents  []string `json:"parents,omitempty"`
	Children []string `json:"children,omitempty"`
}

// Infer reads the schema off the nodes below and at root.
func Infer(root *Node) *Schema {
	s := &Schema{}
	at := map[string]int{}
	var walk func(parent string, n *Node)
	walk = func(parent string, n *Node) {
		i, known := at[n.Type]
		if !known {
			i = len(s.Types)
			at[n.Type] = i
			s.Types = append(s.Types, Type{Name: n.Type})
		}
		t := &s.Types[i]
		t.Count++
		for _, a := range n.Attrs {
			add(&t.Attrs, a[0])
		}
		if parent != "" {
			add(&t.Parents, parent)
		}
		for _, c := range n.Children {
			add(&s.Types[i].Children, c.Type)
			walk(n.Type, c)
		}
	}
	walk("", root)
	s.close()
	return s
}

func add(list *[]string, name string) {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// close works out which types stand anywhere below which.
func (s *Schema) close() {
	s.below = map[string]map[string]bool{}
	for _, t := range s.Types {
		reach := map[string]bool{}
		queue := slices.Clone(t.Children)
		for len(queue) > 0 {
			c := queue[0]
			queue = queue[1:]
			if reach[c] {
				continue
			}
			reach[c] = true
			if inner, ok := s.Type(c); ok {
				queue = append(queue, inner.Children...)
			}
		}
		s.below[t.Name] = reach
	}
}

// Type returns a type by name.
func (s *Schema) Type(name string) (Type, bool) {
	for _, t := range s.Types {
		if t.Name == name {
			return t, true
		}
	}
	return Type{}, false
}

// Below reports whether nodes of one type stand anywhere below another.
func (s *Schema) Below(parent, typ string) bool { return s.below[parent][typ] }

func (s *Schema) inner(parent, typ string) (types []string) {
	t, _ := s.Type(parent)
	for _, c := range t.Children {
		if typ == xpath.Any && len(s.below[c]) > 0 || s.below[c][typ] {
			types = append(types, c)
		}
	}
	return types
}

// CheckChild is Invalid when nodes of a type are found elsewhere in the tree, and
// never below such a parent: an edit that would put one there is most likely a
// mistake. A type that the tree does not know may stand anywhere.
func (s *Schema) CheckChild(parent, child string) error {
	t, known := s.Type(child)
	if !known || len(t.Parents) == 0 || slices.Contains(t.Parents, parent) {
		return nil
	}
	if p, ok := s.Type(parent); !ok || len(p.Children) == 0 {
		return nil
	}
	return daybook.Errorf(daybook.Invalid, "a %s does not stand below a %s in this tree, but below %v", child, parent, t.Parents)
}
