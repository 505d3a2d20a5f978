package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"daybook"
	"daybook/xpath"
)

// value is a JSON or YAML value that keeps the order of an object's members.
type value struct {
	text    string  // of a string, number or boolean
	items   []value // of a list
	members []member
	kind    byte // 's' text, 'l' list, 'o' object, 0 nothing
}

type member struct {
	name string
	value
}

// maxDepth bounds how deep a file may be nested.
const maxDepth = 200

// ParseJSON reads a tree. Its nodes are objects {"type","id","attrs":{…},"text",
// "children":[…]}, of which only the type must be there. Any other JSON is read
// for its structure: an object is a node of its member's name, plain members are its
// attributes, and a list of objects under "tasks" is nodes of type Task.
func ParseJSON(text []byte) (*Node, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	v, err := readJSON(dec, 0)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = fmt.Errorf("something follows its end")
		}
	}
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "read the tree, byte %d: %w", dec.InputOffset(), err)
	}
	return fromValue(v)
}

func readJSON(dec *json.Decoder, depth int) (value, error) {
	tok, err := dec.Token()
	if err != nil || depth > maxDepth {
		return value{}, orDeep(err)
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '[' {
			return readList(dec, depth)
		}
		return readObject(dec, depth)
	case string:
		return value{text: tok, kind: 's'}, nil
	case nil:
		return value{}, nil
	default:
		return value{text: fmt.Sprint(tok), kind: 's'}, nil
	}
}

func orDeep(err error) error {
	if err == nil {
		err = fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	return err
}

func readList(dec *json.Decoder, depth int) (v value, err error) {
	v.kind = 'l'
	for dec.More() {
		item, err := readJSON(dec, depth+1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	_, err = dec.Token()
	return v, err
}

func readObject(dec *json.Decoder, depth int) (v value, err error) {
	v.kind = 'o'
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return v, err
		}
		inner, err := readJSON(dec, depth+1)
		if err != nil {
			return v, err
		}
		v.members = append(v.members, member{name.(string), inner})
	}
	_, err = dec.Token()
	return v, err
}

func (v value) member(name string) (value, bool) {
	for _, m := range v.members {
		if m.name == name {
			return m.value, true
		}
	}
	return value{}, false
}

// fromValue makes a tree of a value: a list or a foreign object becomes a Root.
func fromValue(v value) (*Node, error) {
	var n *Node
	switch v.kind {
	case 'o':
		n = v.node("Root")
	case 'l':
		n = &Node{Type: "Root"}
		n.addList("item", v)
	default:
		return nil, daybook.Errorf(daybook.Invalid, "a tree is an object or a list, not a single value")
	}
	return n, nil
}

// node reads an object as a node; typ is its type where it names none.
func (v value) node(typ string) *Node {
	n := &Node{Type: typ}
	if t, ok := v.member("type"); ok && xpath.IsName(t.text) {
		n.Type = t.text
	}
	for _, m := range v.members {
		switch {
		case m.name == "type" && n.Type == m.text:
		case m.name == "id" && m.kind == 's':
			n.SourceID = m.text
		case m.name == "text" && m.kind == 's':
			n.Text = m.text
		case m.name == "attrs" && m.kind == 'o':
			for _, a := range m.members {
				n.addMember(a)
			}
		default:
			n.addMember(m)
		}
	}
	return n
}

func (n *Node) addMember(m member) {
	switch {
	case m.kind == 's':
		n.Attrs = append(n.Attrs, Attr{attrName(m.name), m.text})
	case m.kind == 'o':
		n.Children = append(n.Children, m.node(typeName(m.name)))
	case m.kind == 'l' && len(m.items) == 0:
	case m.kind == 'l' && !m.hasObjects() && m.name != "children":
		n.Attrs = append(n.Attrs, Attr{attrName(m.name), m.joined()})
	case m.kind == 'l':
		n.addList(m.name, m.value)
	}
}

func (v value) hasObjects() bool {
	for _, i := range v.items {
		if i.kind != 's' {
			return true
		}
	}
	return false
}

func (v value) joined() string {
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		parts[i] = item.text
	}
	return strings.Join(parts, "; ")
}

func (n *Node) addList(name string, v value) {
	typ := typeName(singular(name))
	for _, item := range v.items {
		switch item.kind {
		case 'o':
			n.Children = append(n.Children, item.node(typ))
		case 's':
			n.Children = append(n.Children, &Node{Type: typ, Text: item.text})
		case 'l':
			inner := &Node{Type: typ}
			inner.addList(name, item)
			n.Children = append(n.Children, inner)
		}
	}
}

// singular is the word for one of them, by the commonest rules of English.
func singular(name string) string {
	switch {
	case name == "children":
		return "node"
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "ss"):
		return name
	}
	return strings.TrimSuffix(name, "s")
}

// typeName makes a name that a query can use as a type: "due task" is DueTask.
func typeName(s string) string {
	var out strings.Builder
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(w)
		out.WriteString(string(unicode.ToUpper(r[0])) + string(r[1:]))
	}
	if name := out.String(); xpath.IsName(name) {
		return name
	}
	return "Node" + out.String()
}

// attrName makes a name that a query can use for an attribute.
func attrName(s string) string {
	if xpath.IsName(s) && s != xpath.Node {
		return s
	}
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, s)
	if !xpath.IsName(name) || name == xpath.Node {
		name = "_" + name
	}
	return name
}
