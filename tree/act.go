package tree

import (
	"fmt"
	"strings"

	"daybook"
)

// Changes makes the changes of a plan on the nodes that its query found, for the
// version that comes next, and says in words what they do. Move needs the place
// that it goes to. It is Invalid when the plan lacks something.
func (p *Plan) Changes(h *History, found []Weighted, where *Node, next int) ([]daybook.TreeChange, string, error) {
	if len(found) == 0 {
		return nil, "", daybook.Errorf(daybook.NotFound, "no node of the tree fits the request")
	}
	switch p.Intent {
	case Add:
		return p.additions(found, next)
	case Update:
		return p.updates(found)
	case Delete:
		return p.removals(h, found)
	case Move:
		return p.moves(found, where)
	}
	return nil, "", daybook.Errorf(daybook.Invalid, "a request that reads changes nothing")
}

func (p *Plan) additions(found []Weighted, next int) (changes []daybook.TreeChange, said string, err error) {
	if p.Node == nil {
		return nil, "", daybook.Errorf(daybook.Invalid, "the request does not say what to add")
	}
	for i, w := range found {
		id := fmt.Sprintf("v%d.%d", next, i+1)
		changes = append(changes, daybook.TreeChange{Add: &daybook.TreeNode{
			ID: id, Type: p.Node.Type, Attrs: p.Node.Attrs, Text: p.Node.Text, Parent: w.containerID(), At: p.Node.At,
		}})
	}
	n := &Node{Type: p.Node.Type, Attrs: p.Node.Attrs, Text: p.Node.Text}
	return changes, fmt.Sprintf("Added %q to %s", n.Label(), labels(found)), nil
}

// containerID is where children of a found node are put: those of a Version stand below
// the task.
func (w Weighted) containerID() string {
	if w.Type == VersionType && w.Up != nil {
		return w.Up.ID
	}
	return w.ID
}

func (p *Plan) updates(found []Weighted) (changes []daybook.TreeChange, said string, err error) {
	if len(p.Set) == 0 {
		return nil, "", daybook.Errorf(daybook.Invalid, "the request means %s, but does not say what to set; say it as \"set ATTRIBUTE of … to …\"", labels(found))
	}
	var set []string
	for _, a := range p.Set {
		set = append(set, fmt.Sprintf("%s to %q", a[0], a[1]))
	}
	for _, w := range found {
		changes = append(changes, daybook.TreeChange{Set: &daybook.TreeSet{Node: w.ID, Attrs: p.Set}})
	}
	return changes, fmt.Sprintf("Set %s of %s", strings.Join(set, ", "), labels(found)), nil
}

func (p *Plan) removals(h *History, found []Weighted) (changes []daybook.TreeChange, said string, err error) {
	gone := map[string]bool{}
	for _, w := range found {
		gone[w.ID] = true
	}
	current := h.Current()
	for _, w := range found {
		above := false
		for n := current.Parent(w.ID); n != nil; n = current.Parent(n.ID) {
			above = above || gone[n.ID]
		}
		if !above { // what stands below another goes with it
			changes = append(changes, daybook.TreeChange{Remove: w.ID})
		}
	}
	return changes, "Removed " + labels(found), nil
}

func (p *Plan) moves(found []Weighted, where *Node) (changes []daybook.TreeChange, said string, err error) {
	if where == nil {
		return nil, "", daybook.Errorf(daybook.Invalid, "the request does not say where to move %s", labels(found))
	}
	for _, w := range found {
		changes = append(changes, daybook.TreeChange{Move: &daybook.TreeMove{Node: w.ID, Parent: where.ID}})
	}
	return changes, fmt.Sprintf("Moved %s to %s", labels(found), where.Label()), nil
}

// labels names some nodes.
func labels(found []Weighted) string {
	const most = 5
	var names []string
	for i, w := range found {
		if i == most {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(found)-most)
		}
		names = append(names, w.Label())
	}
	return strings.Join(names, ", ")
}
