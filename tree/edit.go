package tree

import (
	"fmt"
	"slices"
	"strings"

	"daybook"
	"daybook/xpath"
)

// Plant returns the edits that bring an imported tree into the ledger as version
// 1, or as several versions when the file has several.
//
// The tree is brought into one shape: a Root with one task below it, and the content
// below that. Version nodes of the file become versions.
func Plant(name string, file *Node, request string) ([]daybook.TreeEdit, error) {
	root, task, contents := shape(file)
	ids := &namer{taken: map[string]bool{}}
	root.ID, task.ID = ids.name(root.SourceID, "root"), ids.name(task.SourceID, "task")
	var versions []*Version
	var edits []daybook.TreeEdit
	for i, c := range contents {
		prefix := c.prefix()
		for _, n := range c.nodes {
			walk(n, func(n *Node) {
				n.SourceID = strings.TrimPrefix(n.SourceID, prefix)
				n.ID = ids.again(n.SourceID, i > 0)
			})
		}
		e := daybook.TreeEdit{Tree: name, Version: i + 1, Base: i, Request: c.request, Summary: c.summary, Source: c.id, Prefix: prefix}
		if e.Request == "" && len(contents) == 1 {
			e.Request = request
		}
		t := *task
		t.Children = c.nodes
		r := *root
		r.Children = []*Node{&t}
		if i == 0 {
			e.Changes = planted("", &r)
		} else {
			e.Changes = Changes(versions[i-1], &Version{root: &r})
		}
		versions = Fold(versions, []Edit{{TreeEdit: e}})
		edits = append(edits, Split(e)...)
	}
	return edits, checkNodes(edits)
}

// content is one version as a file has it.
type content struct {
	id, summary, request string
	nodes                []*Node
}

// prefix is what stands before the ids of a version's nodes: "v2/" in a file that
// tells versions apart by it.
func (c content) prefix() string {
	if c.id == "" || len(c.nodes) == 0 {
		return ""
	}
	for _, n := range c.nodes {
		if !strings.HasPrefix(n.SourceID, c.id+"/") {
			return ""
		}
	}
	return c.id + "/"
}

// shape finds the root, the task and the versions of an imported tree.
func shape(file *Node) (root, task *Node, contents []content) {
	root, task = file, nil
	switch {
	case file.Type != RootType:
		root, task = &Node{Type: RootType}, file
	case len(file.Children) == 1 && file.Children[0].Type != VersionType:
		task = file.Children[0]
	default:
		task = &Node{Type: "Tree", Attrs: file.Attrs, Text: file.Text, Children: file.Children}
		root = &Node{Type: RootType, SourceID: file.SourceID}
	}
	for _, c := range task.Children {
		if c.Type != VersionType {
			return root, task, []content{{nodes: task.Children}}
		}
		summary, _ := c.Attr("patch_info")
		request, _ := c.Attr("request")
		contents = append(contents, content{c.SourceID, summary, request, c.Children})
	}
	if len(contents) == 0 {
		contents = []content{{}}
	}
	return root, task, contents
}

// namer gives nodes ids: the one in the file where it is good, or a number.
type namer struct {
	taken map[string]bool
	n     int
}

func (s *namer) name(wish, otherwise string) string {
	if wish == "" {
		wish = otherwise
	}
	for s.taken[wish] || wish == "" {
		s.n++
		wish = fmt.Sprintf("n%d", s.n)
	}
	s.taken[wish] = true
	return wish
}

// again is name, but in a later version of a file the same id is the same node.
func (s *namer) again(wish string, later bool) string {
	if later && wish != "" {
		s.taken[wish] = true
		return wish
	}
	return s.name(wish, "")
}

// planted lists a node and all below it as additions.
func planted(parent string, n *Node) []daybook.TreeChange {
	changes := []daybook.TreeChange{{Add: &daybook.TreeNode{ID: n.ID, Source: n.SourceID, Type: n.Type, Attrs: n.Attrs, Text: n.Text, Parent: parent}}}
	for _, c := range n.Children {
		changes = append(changes, planted(n.ID, c)...)
	}
	return changes
}

// maxChanges of one operation; a larger edit is split, so that no single content
// of the ledger gets out of hand.
const maxChanges = 1000

// smallEdit is how many changes stand in the head of a version itself.
const smallEdit = 20

// Split cuts an edit into parts of a size that the ledger likes.
func Split(e daybook.TreeEdit) (parts []daybook.TreeEdit) {
	if len(e.Changes) <= smallEdit {
		return []daybook.TreeEdit{e}
	}
	head := e
	head.Changes = nil // heads are read often, so they stay small
	parts = append(parts, head)
	for chunk := range slices.Chunk(e.Changes, maxChanges) {
		parts = append(parts, daybook.TreeEdit{Tree: e.Tree, Version: e.Version, Part: len(parts), Base: e.Base, Changes: chunk})
	}
	return parts
}

func checkNodes(edits []daybook.TreeEdit) error {
	for _, e := range edits {
		for _, c := range e.Changes {
			if c.Add != nil {
				if err := checkNode(c.Add.Type, c.Add.Attrs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkNode is Invalid for names that no query could say.
func checkNode(typ string, attrs []Attr) error {
	if !xpath.IsName(typ) {
		return daybook.Errorf(daybook.Invalid, "%q cannot be the type of a node: a type is a letter, then letters, digits, '_', '-' and '.'", typ)
	}
	for _, a := range attrs {
		if !xpath.IsName(a[0]) || a[0] == xpath.Node {
			return daybook.Errorf(daybook.Invalid, "%q cannot be the name of an attribute", a[0])
		}
	}
	return nil
}

// Check reports whether every change of an edit can be made on a version: the
// nodes that it speaks of are there, types fit the schema, ids are new. It is
// NotFound or Invalid otherwise.
func Check(v *Version, schema *Schema, changes []daybook.TreeChange) error {
	ed := &editor{root: v.root, version: v, owned: map[string]*Node{}, parents: map[string]string{}}
	for i, c := range changes {
		if err := ed.check(schema, c); err != nil {
			return fmt.Errorf("change %d: %w", i+1, err)
		}
		ed.apply(c)
	}
	return nil
}

func (e *editor) check(schema *Schema, c daybook.TreeChange) error {
	there := func(id string) error {
		if !e.has(id) {
			return daybook.Errorf(daybook.NotFound, "there is no node %q", id)
		}
		return nil
	}
	switch {
	case c.Add != nil:
		if err := there(c.Add.Parent); err != nil {
			return err
		}
		if e.has(c.Add.ID) {
			return daybook.Errorf(daybook.Conflict, "there is a node %q already", c.Add.ID)
		}
		if err := checkNode(c.Add.Type, c.Add.Attrs); err != nil {
			return err
		}
		return e.checkBelow(schema, c.Add.Parent, c.Add.Type)
	case c.Set != nil:
		if err := there(c.Set.Node); err != nil {
			return err
		}
		return checkNode("Node", c.Set.Attrs)
	case c.Move != nil:
		if err := there(c.Move.Node); err != nil {
			return err
		}
		if err := there(c.Move.Parent); err != nil {
			return err
		}
		return e.checkBelow(schema, c.Move.Parent, e.find(c.Move.Node).Type)
	case c.Remove != "":
		if c.Remove == e.root.ID || len(e.root.Children) > 0 && c.Remove == e.root.Children[0].ID {
			return daybook.Errorf(daybook.Invalid, "the whole tree cannot be removed by an edit; 'forget' erases it")
		}
		return there(c.Remove)
	}
	return daybook.Errorf(daybook.Invalid, "it changes nothing")
}

func (e *editor) checkBelow(schema *Schema, parent, typ string) error {
	if parent == e.root.ID || typ == VersionType || typ == RootType {
		return daybook.Errorf(daybook.Invalid, "a %s cannot be put there: content stands below %s", typ, e.root.Children[0].Type)
	}
	at := e.find(parent).Type
	if len(e.root.Children) > 0 && parent == e.root.Children[0].ID {
		at = VersionType // as the schema has it
	}
	return schema.CheckChild(at, typ)
}

// find returns a node without making it this version's own.
func (e *editor) find(id string) *Node {
	if n := e.owned[id]; n != nil {
		return n
	}
	if e.version == nil {
		return nil
	}
	return e.version.index()[id].node
}
