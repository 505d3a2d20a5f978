package tree

import "fmt"

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
