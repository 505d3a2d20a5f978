package tree

import (
	"context"
	"fmt"

	"daybook/xpath"
)

// Stepper is the talent of a source that names its nodes in paths itself.
type Stepper interface{ Step(p *Place) string }

// Path is a query that names just the place: /Plan/Version[2]/Day[3].
func Path(ctx context.Context, src Source, p *Place) (string, error) {
	path := ""
	stepper, named := src.(Stepper)
	for ; p.Up != nil; p = p.Up {
		if named {
			path = stepper.Step(p) + path
			continue
		}
		brothers, err := src.Children(ctx, p.Up.Node, p.Type, xpath.Range{})
		if err != nil {
			return "", err
		}
		nodes := make([]*Node, len(brothers))
		for i, b := range brothers {
			nodes[i] = b.Node
		}
		path = pathStep(nodes, p.Node) + path
	}
	return path, nil
}

// pathStep is the step that leads to one of several brothers.
func pathStep(brothers []*Node, n *Node) string {
	at, count := 0, 0
	for _, b := range brothers {
		if b.Type == n.Type {
			count++
		}
		if b == n {
			at = count
		}
	}
	if count == 1 {
		return "/" + n.Type
	}
	return fmt.Sprintf("/%s[%d]", n.Type, at)
}
