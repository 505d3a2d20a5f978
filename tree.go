package daybook

import (
	"strings"
	"time"
)

// TreeEdit makes a version of a tree, or a part of one: a large version is several
// edits of one commit. Folding all edits in the order of their versions gives the
// tree.
type TreeEdit struct {
	Tree    string       `json:"tree"`              // name of the tree
	Version int          `json:"version"`           // the version that it makes; the first is 1
	Part    int          `json:"part,omitempty"`    // 0 for the head of a version; a large one goes on in parts 1, 2, …
	Base    int          `json:"base,omitempty"`    // the version that it was made on; 0 for a new tree
	Request string       `json:"request,omitempty"` // the user's words
	Summary string       `json:"summary,omitempty"` // what was done
	Source  string       `json:"source,omitempty"`  // the version's id in the file that it was imported from
	Prefix  string       `json:"prefix,omitempty"`  // stood before the ids of the version's nodes there
	Made    time.Time    `json:"made,omitzero"`     // when, if not with the commit: what is left after an erasure
	Changes []TreeChange `json:"changes,omitempty"`
}

// TreeChange is one change of a tree. Exactly one field is set.
type TreeChange struct {
	Add    *TreeNode `json:"add,omitempty"`
	Set    *TreeSet  `json:"set,omitempty"`
	Move   *TreeMove `json:"move,omitempty"`
	Remove string    `json:"remove,omitempty"` // id of a node that goes, with all below it
}

// TreeNode is a new node.
type TreeNode struct {
	ID     string      `json:"id"`
	Source string      `json:"source,omitempty"` // its id in the file that it was imported from
	Type   string      `json:"type"`
	Attrs  [][2]string `json:"attrs,omitempty"` // names and texts, in order
	Text   string      `json:"text,omitempty"`
	Parent string      `json:"parent,omitempty"` // none for the root
	At     int         `json:"at,omitempty"`     // place among the parent's children, from 1; 0 for the last
}

// TreeSet gives a node attributes and takes some from it.
type TreeSet struct {
	Node  string      `json:"node"`
	Attrs [][2]string `json:"attrs,omitempty"`
	Unset []string    `json:"unset,omitempty"`
	Text  *string     `json:"text,omitempty"`
}

// TreeMove puts a node elsewhere, with all below it.
type TreeMove struct {
	Node   string `json:"node"`
	Parent string `json:"parent"`
	At     int    `json:"at,omitempty"` // as in TreeNode, counted without the node
}

// Validate reports what keeps the edit from being stored.
func (e TreeEdit) Validate() error {
	if strings.TrimSpace(e.Tree) == "" {
		return Errorf(Invalid, "a tree needs a name")
	}
	if err := CheckName("name of the tree", e.Tree); err != nil {
		return err
	}
	for _, text := range e.Texts() {
		if err := CheckText("tree", text); err != nil {
			return err
		}
	}
	for i, c := range e.Changes {
		if err := c.validate(); err != nil {
			return Errorf(Invalid, "change %d of tree %q: %w", i+1, e.Tree, err)
		}
	}
	return nil
}

func (c TreeChange) validate() error {
	said := 0
	for _, is := range []bool{c.Add != nil, c.Set != nil, c.Move != nil, c.Remove != ""} {
		if is {
			said++
		}
	}
	switch {
	case said != 1:
		return Errorf(Invalid, "it says %d things instead of one", said)
	case c.Add != nil && (c.Add.ID == "" || c.Add.Type == ""):
		return Errorf(Invalid, "a node needs an id and a type")
	case c.Set != nil && c.Set.Node == "", c.Move != nil && (c.Move.Node == "" || c.Move.Parent == ""):
		return Errorf(Invalid, "it does not say which node")
	}
	return nil
}

// Texts returns everything in the edit that people wrote.
func (e TreeEdit) Texts() []string {
	texts := []string{e.Tree, e.Request, e.Summary}
	for _, c := range e.Changes {
		switch {
		case c.Add != nil:
			texts = append(texts, c.Add.Text, c.Add.Source, c.Add.ID)
			for _, a := range c.Add.Attrs {
				texts = append(texts, a[1])
			}
		case c.Set != nil:
			for _, a := range c.Set.Attrs {
				texts = append(texts, a[1])
			}
			if c.Set.Text != nil {
				texts = append(texts, *c.Set.Text)
			}
		}
	}
	return texts
}
