package tree

import (
	"fmt"

	"daybook"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads YAML as ParseJSON reads JSON.
func parseYAML(text []byte) (*Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "read the tree: %w", err)
	}
	if len(doc.Content) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "read the tree: it is empty")
	}
	budget := maxYAML
	v, err := yamlValue(doc.Content[0], 0, &budget)
	if err != nil {
		return nil, err
	}
	return fromValue(v)
}

// maxYAML bounds the nodes that aliases may blow a file up to.
const maxYAML = 1_000_000

func yamlValue(n *yaml.Node, depth int, budget *int) (v value, err error) {
	if *budget--; depth > maxDepth || *budget < 0 {
		return v, daybook.Errorf(daybook.Invalid, "read the tree: it is too deep or too large")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, depth+1, budget)
	case yaml.ScalarNode:
		if n.Tag != "!!null" {
			v = value{text: n.Value, kind: 's'}
		}
	case yaml.SequenceNode:
		v.kind = 'l'
		for _, c := range n.Content {
			item, err := yamlValue(c, depth+1, budget)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
		}
	case yaml.MappingNode:
		v.kind = 'o'
		for i := 0; i+1 < len(n.Content); i += 2 {
			inner, err := yamlValue(n.Content[i+1], depth+1, budget)
			if err != nil {
				return v, err
			}
			v.members = append(v.members, member{n.Content[i].Value, inner})
		}
	}
	return v, nil
}

func formatYAML(n *Node) ([]byte, error) {
	out, err := yaml.Marshal(n.yaml())
	if err != nil {
		return nil, fmt.Errorf("write the tree as YAML: %w", err)
	}
	return out, nil
}

func (n *Node) yaml() *yaml.Node {
	str := func(s string) *yaml.Node {
		v := &yaml.Node{}
		v.SetString(s)
		return v
	}
	out := &yaml.Node{Kind: yaml.MappingNode}
	put := func(name string, v *yaml.Node) { out.Content = append(out.Content, str(name), v) }
	put("type", str(n.Type))
	if id := n.anyID(); id != "" {
		put("id", str(id))
	}
	if len(n.Attrs) > 0 {
		attrs := &yaml.Node{Kind: yaml.MappingNode}
		for _, a := range n.Attrs {
			attrs.Content = append(attrs.Content, str(a[0]), str(a[1]))
		}
		put("attrs", attrs)
	}
	if n.Text != "" {
		put("text", str(n.Text))
	}
	if len(n.Children) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, c := range n.Children {
			list.Content = append(list.Content, c.yaml())
		}
		put("children", list)
	}
	return out
}
