package tree

import (
	"strings"

	"daybook/xpath"
)

// maxSubtree bounds how much of what stands below a node counts as its text.
const maxSubtree = 4 << 10

// textOf is what a predicate on an attribute, or on the whole node, looks at: the
// attribute's text, or the node's own fields and then those below it.
func (r *runner) textOf(n *Node, attr string) (string, error) {
	if attr != xpath.Node {
		text, _ := n.Attr(attr)
		return text, nil
	}
	var out strings.Builder
	err := r.gather(&out, n)
	return out.String(), err
}

func (r *runner) gather(out *strings.Builder, n *Node) error {
	if own := n.Own(); own != "" {
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		out.WriteString(own)
	}
	if n.Type == VersionType { // what a version did is told by its own fields
		return nil
	}
	below, err := r.src.Children(r.ctx, n, xpath.Any, xpath.Range{})
	for _, c := range below {
		if err != nil || out.Len() > maxSubtree {
			break
		}
		err = r.gather(out, c.Node)
	}
	return err
}
