package tree

import (
	"fmt"
	"regexp"
	"strings"

	"daybook"
)

var (
	headingLine = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	itemLine    = regexp.MustCompile(`^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)$`)
	fieldTail   = regexp.MustCompile(`\s*\{([^{}]*)\}\s*$`)
)

// parseMarkdown reads a task list: headings are Sections, "- [ ]" and "- [x]" are
// Tasks with a status, other items are Items, deeper indentation stands below. A
// tail {name: text; …} of a line gives attributes; other lines belong to the item
// before them.
func parseMarkdown(text string) (*Node, error) {
	root := &Node{Type: "List"}
	p := &markdown{stack: []outlineLevel{{node: root, heading: 0, indent: -1}}}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		p.line(strings.ReplaceAll(strings.TrimRight(line, "\n \t"), "\t", "    "))
	}
	if len(root.Children) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "read the tree: there is neither a heading nor an item of a list in it")
	}
	// A single heading over everything names the list.
	if len(root.Children) == 1 && root.Children[0].Type == "Section" {
		root.Attrs, root.Children = root.Children[0].Attrs, root.Children[0].Children
	}
	return root, nil
}

type outlineLevel struct {
	node    *Node
	heading int // level of a heading, 0 for the root; items have the greatest
	indent  int
}

const itemLevel = 7

type markdown struct{ stack []outlineLevel }

func (p *markdown) line(line string) {
	if m := headingLine.FindStringSubmatch(line); m != nil {
		p.put(outlineLevel{fielded("Section", "name", m[2]), len(m[1]), -1})
		return
	}
	m := itemLine.FindStringSubmatch(line)
	if m == nil {
		top := p.stack[len(p.stack)-1].node
		if rest := strings.TrimSpace(line); rest != "" {
			top.join("note", rest)
		}
		return
	}
	n := fielded("Item", "description", m[3])
	if m[2] != "" {
		n.Type = "Task"
		status := "Todo"
		if m[2] != " " {
			status = "Done"
		}
		n.Attrs = append(n.Attrs[:1:1], append([]Attr{{"status", status}}, n.Attrs[1:]...)...)
	}
	p.put(outlineLevel{n, itemLevel, len(m[1])})
}

// put hangs a node below the last one that stands higher.
func (p *markdown) put(l outlineLevel) {
	for {
		top := p.stack[len(p.stack)-1]
		if top.heading < l.heading || l.heading == itemLevel && top.heading == itemLevel && top.indent < l.indent {
			top.node.Children = append(top.node.Children, l.node)
			p.stack = append(p.stack, l)
			return
		}
		p.stack = p.stack[:len(p.stack)-1]
	}
}

func fielded(typ, name, text string) *Node {
	n := &Node{Type: typ}
	tail := fieldTail.FindStringSubmatch(text)
	n.Attrs = []Attr{{name, strings.TrimSpace(fieldTail.ReplaceAllString(text, ""))}}
	if tail == nil {
		return n
	}
	for field := range strings.SplitSeq(tail[1], ";") {
		key, value, ok := strings.Cut(field, ":")
		if key = strings.TrimSpace(key); ok && key != "" {
			n.Attrs = append(n.Attrs, Attr{attrName(key), strings.TrimSpace(value)})
		}
	}
	return n
}

// formatMarkdown writes an outline that people can read: inner nodes of the first levels
// are headings, the rest a list, with boxes for nodes that have a status.
func formatMarkdown(n *Node) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", n.Label())
	for _, c := range n.Children {
		c.outline(&out, 2)
	}
	return []byte(out.String())
}

func (n *Node) outline(out *strings.Builder, level int) {
	if len(n.Children) > 0 && level <= 6 {
		fmt.Fprintf(out, "\n%s %s%s\n\n", strings.Repeat("#", level), n.Label(), n.tail())
		for _, c := range n.Children {
			c.outline(out, level+1)
		}
		return
	}
	n.item(out, "")
}

func (n *Node) item(out *strings.Builder, indent string) {
	box := ""
	if status, ok := n.Attr("status"); ok {
		box = "[ ] "
		if done := strings.ToLower(status); done == "done" || done == "completed" {
			box = "[x] "
		}
	}
	fmt.Fprintf(out, "%s- %s%s%s\n", indent, box, n.Label(), n.tail())
	for _, c := range n.Children {
		c.item(out, indent+"  ")
	}
}

// tail are the attributes that the label does not show.
func (n *Node) tail() string {
	var fields []string
	for _, a := range n.Attrs {
		if a[1] != "" && a[1] != n.Label() && a[0] != "status" {
			fields = append(fields, a[0]+": "+strings.NewReplacer(";", ",", "{", "(", "}", ")", "\n", " ").Replace(a[1]))
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return " {" + strings.Join(fields, "; ") + "}"
}
