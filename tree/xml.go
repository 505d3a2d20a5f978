package tree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"daybook"
)

// parseXML reads elements as nodes. An element in lower case that holds only text
// is an attribute of the one around it, and so is a list of such elements; its
// name in upper case makes it a node with text.
func parseXML(text []byte) (*Node, error) {
	dec := xml.NewDecoder(bytes.NewReader(text))
	var root *Node
	var open []*Node
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, daybook.Errorf(daybook.Invalid, "read the tree, byte %d: %w", dec.InputOffset(), err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, daybook.Errorf(daybook.Invalid, "read the tree: %w", orDeep(nil))
			}
			open = append(open, startXML(tok))
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].Text += string(tok)
			}
		case xml.EndElement:
			n := open[len(open)-1]
			open = open[:len(open)-1]
			n.Text = strings.Join(strings.Fields(n.Text), " ")
			if len(open) > 0 {
				open[len(open)-1].addXML(n)
			} else {
				root = n
			}
		}
	}
	if root == nil {
		return nil, daybook.Errorf(daybook.Invalid, "read the tree: there is no element in it")
	}
	root.Type = typeName(root.Type)
	return root, nil
}

func startXML(tok xml.StartElement) *Node {
	n := &Node{Type: tok.Name.Local}
	for _, a := range tok.Attr {
		if a.Name.Local == "id" {
			n.SourceID = a.Value
		} else {
			n.Attrs = append(n.Attrs, Attr{attrName(a.Name.Local), a.Value})
		}
	}
	return n
}

// addXML puts a finished element into the one around it.
func (n *Node) addXML(c *Node) {
	first := []rune(c.Type)[0]
	onlyText := len(c.Children) == 0 && c.SourceID == ""
	switch {
	case unicode.IsLower(first) && onlyText && len(c.Attrs) == 0:
		n.join(attrName(c.Type), c.Text)
	case unicode.IsLower(first) && onlyText && len(c.Attrs) == 1 && c.Text == "":
		n.join(attrName(c.Type), c.Attrs[0][1]) // <highlights><highlight>…
	default:
		c.Type = typeName(c.Type)
		n.Children = append(n.Children, c)
	}
}

// join adds an attribute, to its earlier text where there is one.
func (n *Node) join(name, text string) {
	for i, a := range n.Attrs {
		if a[0] == name {
			n.Attrs[i][1] += "; " + text
			return
		}
	}
	n.Attrs = append(n.Attrs, Attr{name, text})
}

func formatXML(n *Node) ([]byte, error) {
	var out bytes.Buffer
	if err := n.writeXML(&out, ""); err != nil {
		return nil, fmt.Errorf("write the tree as XML: %w", err)
	}
	return out.Bytes(), nil
}

func (n *Node) writeXML(out *bytes.Buffer, indent string) error {
	fmt.Fprintf(out, "%s<%s", indent, n.Type)
	for _, a := range append([]Attr{{"id", n.anyID()}}, n.Attrs...) {
		if a[0] == "id" && a[1] == "" {
			continue
		}
		fmt.Fprintf(out, ` %s="`, a[0])
		if err := xml.EscapeText(out, []byte(a[1])); err != nil {
			return err
		}
		out.WriteByte('"')
	}
	if n.Text == "" && len(n.Children) == 0 {
		out.WriteString("/>\n")
		return nil
	}
	out.WriteByte('>')
	if err := xml.EscapeText(out, []byte(n.Text)); err != nil {
		return err
	}
	if len(n.Children) > 0 {
		out.WriteByte('\n')
		for _, c := range n.Children {
			if err := c.writeXML(out, indent+"  "); err != nil {
				return err
			}
		}
		out.WriteString(indent)
	}
	fmt.Fprintf(out, "</%s>\n", n.Type)
	return nil
}
