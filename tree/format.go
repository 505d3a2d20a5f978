package tree

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"daybook"
)

// Formats that trees are read from and written in.
const (
	JSON     = "json"
	XML      = "xml"
	YAML     = "yaml"
	Markdown = "markdown"
)

// FormatOf guesses the format of a file from its name.
func FormatOf(name string) (string, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return JSON, nil
	case ".xml":
		return XML, nil
	case ".yaml", ".yml":
		return YAML, nil
	case ".md", ".markdown":
		return Markdown, nil
	}
	return "", daybook.Errorf(daybook.Invalid, "%s: its name does not tell the format; it should end in .json, .xml, .yaml or .md", name)
}

// Parse reads a tree in a format.
func Parse(format string, text []byte) (*Node, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		return nil, daybook.Errorf(daybook.Invalid, "read the tree: it is not valid UTF-8")
	}
	switch format {
	case JSON:
		return ParseJSON(text)
	case XML:
		return parseXML(text)
	case YAML:
		return parseYAML(text)
	case Markdown:
		return parseMarkdown(string(text))
	}
	return nil, daybook.Errorf(daybook.Invalid, "trees are read as %s, %s, %s or %s, not %q", JSON, XML, YAML, Markdown, format)
}

// Format writes a node and all below it.
func Format(format string, n *Node) ([]byte, error) {
	switch format {
	case JSON:
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err := enc.Encode(n)
		return out.Bytes(), err
	case XML:
		return formatXML(n)
	case YAML:
		return formatYAML(n)
	case Markdown:
		return formatMarkdown(n), nil
	}
	return nil, daybook.Errorf(daybook.Invalid, "trees are written as %s, %s, %s or %s, not %q", JSON, XML, YAML, Markdown, format)
}

// MarshalJSON writes the node as ParseJSON reads it: {"type","id","attrs","text","children"}.
func (n *Node) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	text := func(s string) {
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(s) // a string always can be
		out.Truncate(out.Len() - 1)
	}
	out.WriteString(`{"type":`)
	text(n.Type)
	if id := n.anyID(); id != "" {
		out.WriteString(`,"id":`)
		text(id)
	}
	out.WriteString(`,"attrs":{`)
	for i, a := range n.Attrs {
		if i > 0 {
			out.WriteByte(',')
		}
		text(a[0])
		out.WriteByte(':')
		text(a[1])
	}
	out.WriteByte('}')
	if n.Text != "" {
		out.WriteString(`,"text":`)
		text(n.Text)
	}
	out.WriteString(`,"children":[`)
	for i, c := range n.Children {
		if i > 0 {
			out.WriteByte(',')
		}
		inner, err := c.MarshalJSON()
		if err != nil {
			return nil, err
		}
		out.Write(inner)
	}
	out.WriteString("]}")
	return out.Bytes(), nil
}

// anyID is the id that the node is known by outside.
func (n *Node) anyID() string {
	if n.SourceID != "" {
		return n.SourceID
	}
	return n.ID
}
