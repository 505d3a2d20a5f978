package tree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"daybook"
	"daybook/model"
	"daybook/xpath"
)

// planAttempts is how often a model may try to write a query that can be read.
const planAttempts = 3

var planSchema = model.MustSchema("plan", `{"type":"object","properties":{
	"intent":{"type":"string","enum":["read","add","update","delete","move"]},
	"query":{"type":"string"},"one":{"type":"boolean"},"where":{"type":"string"},
	"node":{"type":"object","properties":{"type":{"type":"string"},"attrs":{"type":"object","additionalProperties":{"type":"string"}}},"required":["type"]},
	"set":{"type":"object","additionalProperties":{"type":"string"}}},
	"required":["intent","query"]}`)

// planned is a model's reply.
type planned struct {
	Intent Intent
	Query  string
	One    bool
	Where  string
	Node   *struct {
		Type  string
		Attrs map[string]string
	}
	Set map[string]string
}

// PlanWith lets a language model read a request, grounded in the tree's schema. A
// query that cannot be read is shown back with the byte that is wrong. It is
// Unavailable when the model does not serve or keeps talking nonsense.
func PlanWith(ctx context.Context, c model.Completer, h *History, request string) (*Plan, error) {
	prompt := strings.NewReplacer("{{schema}}", schemaText(h.Schema()), "{{names}}", namesText(h), "{{request}}", request).Replace(planPrompt)
	req := model.Request{Purpose: "tree plan", Messages: []model.Message{{Role: model.User, Content: prompt}}, Schema: planSchema}
	var wrong error
	for range planAttempts {
		said, reply, err := model.CompleteJSON[planned](ctx, c, req, 0)
		if err != nil {
			return nil, err
		}
		plan, err := said.plan()
		if err == nil {
			return plan, nil
		}
		wrong = err
		req.Messages = append(slices.Clone(req.Messages), model.Message{Role: model.Assistant, Content: reply.Text},
			model.Message{Role: model.User, Content: fmt.Sprintf("That cannot be used: %v. Reply again, in the same form.", err)})
	}
	return nil, daybook.Errorf(daybook.Unavailable, "the model wrote no usable query in %d attempts: %w", planAttempts, wrong)
}

// plan reads the queries of a reply.
func (s planned) plan() (*Plan, error) {
	p := &Plan{Intent: s.Intent, One: s.One, By: "llm", Set: sortedAttrs(s.Set)}
	var err error
	if p.Query, err = xpath.Parse(s.Query); err != nil {
		return nil, err
	}
	switch {
	case s.Intent == Add && s.Node == nil:
		return nil, daybook.Errorf(daybook.Invalid, "an addition needs a node")
	case s.Intent == Update && len(s.Set) == 0:
		return nil, daybook.Errorf(daybook.Invalid, "an update needs attributes to set")
	case s.Intent == Move:
		if p.Where, err = xpath.Parse(s.Where); err != nil || s.Where == "" {
			return nil, daybook.Errorf(daybook.Invalid, "a move needs a query for the new container in \"where\"")
		}
	}
	if s.Node != nil {
		p.Node = &NewNode{Type: s.Node.Type, Attrs: sortedAttrs(s.Node.Attrs)}
	}
	return p, nil
}

func sortedAttrs(m map[string]string) (attrs []Attr) {
	for name, text := range m {
		attrs = append(attrs, Attr{name, text})
	}
	daybook.Sort(attrs, func(a, b Attr) int { return strings.Compare(a[0], b[0]) })
	return attrs
}

func schemaText(s *Schema) string {
	var out strings.Builder
	for _, t := range s.Types {
		fmt.Fprintf(&out, "- %s", t.Name)
		if len(t.Attrs) > 0 {
			fmt.Fprintf(&out, " (%s)", strings.Join(t.Attrs, ", "))
		}
		if len(t.Children) > 0 {
			fmt.Fprintf(&out, ", holds %s", strings.Join(t.Children, ", "))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// maxNames is how many names of a type the prompt shows.
const maxNames = 12

func namesText(h *History) string {
	names := map[string][]string{}
	walk(h.Current().Root(), func(n *Node) {
		if label := n.Label(); len(names[n.Type]) < maxNames && !slices.Contains(names[n.Type], label) {
			names[n.Type] = append(names[n.Type], label)
		}
	})
	var out strings.Builder
	for _, t := range h.Schema().Types {
		if len(names[t.Name]) > 0 {
			fmt.Fprintf(&out, "- %s: %s\n", t.Name, strings.Join(names[t.Name], "; "))
		}
	}
	return out.String()
}

var verifySchema = model.MustSchema("keep", `{"type":"object","properties":{"keep":{"type":"array","items":{"type":"integer"}}},"required":["keep"]}`)

// Verify lets a model strike nodes that a request clearly does not mean. Without a
// usable reply, or if it would strike all, everything is kept.
func Verify(ctx context.Context, c model.Completer, request string, nodes []Weighted) []Weighted {
	var list strings.Builder
	for i, n := range nodes {
		fmt.Fprintf(&list, "%d. %s: %s\n", i+1, n.Type, strings.Join(strings.Fields(n.Own()), " "))
	}
	prompt := strings.NewReplacer("{{request}}", request, "{{nodes}}", list.String()).Replace(verifyPrompt)
	reply, _, err := model.CompleteJSON[struct{ Keep []int }](ctx, c, model.Request{
		Purpose: "tree verify", Messages: []model.Message{{Role: model.User, Content: prompt}}, Schema: verifySchema,
	}, 0)
	if err != nil || len(reply.Keep) == 0 {
		return nodes
	}
	var kept []Weighted
	for i, n := range nodes {
		if slices.Contains(reply.Keep, i+1) {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 {
		return nodes
	}
	return kept
}
