package answer

import (
	"context"
	"fmt"
	"strings"

	"daybook"
	"daybook/model"
)

// Control is what a language model says of a question: the view, and the rows that
// a reader needs, best first.
type Control struct {
	View     daybook.View `json:"view"`
	Selected []int        `json:"selected"`
	Fallback bool         `json:"fallback"` // it is not sure; the rules should decide
}

var controlSchema = model.MustSchema("control", `{"type":"object","properties":{
"view":{"type":"string","enum":["current","historical","change","neutral"]},
"selected":{"type":"array","items":{"type":"integer"}},
"fallback":{"type":"boolean"}},"required":["view","selected","fallback"],"additionalProperties":false}`)

// Rows that the controller sees, and how much of each.
const (
	controlRows  = 10
	controlBytes = 220
	controlPicks = 3
)

// Controlled lets a language model say which view a question asks for and which
// rows come first. The rules stand where it fails, is not sure, or names rows that
// are not there; it can reorder rows and set the view, and never changes a role.
func Controlled(ctx context.Context, c model.Completer, r *Resolved) *Resolved {
	system, user := promptFile("view-1")
	user = strings.NewReplacer("{{question}}", Inline(r.Text), "{{rows}}", rowsFor(r)).Replace(user)
	got, _, err := model.CompleteJSON[Control](ctx, c, model.Request{Purpose: "view", Schema: controlSchema, MaxTokens: 120, Messages: []model.Message{
		{Role: model.System, Content: system}, {Role: model.User, Content: user},
	}}, 2)
	if err != nil || got.Fallback {
		return r
	}
	out := *r
	out.View = got.View
	out.Rows = nil
	taken := map[int]bool{}
	for _, n := range got.Selected[:min(len(got.Selected), controlPicks)] {
		if n >= 1 && n <= min(len(r.Rows), controlRows) && !taken[n-1] {
			taken[n-1] = true
			out.Rows = append(out.Rows, r.Rows[n-1])
		}
	}
	for i, row := range r.Rows {
		if !taken[i] {
			out.Rows = append(out.Rows, row)
		}
	}
	return &out
}

func rowsFor(r *Resolved) string {
	var b strings.Builder
	for i, row := range r.Rows[:min(len(r.Rows), controlRows)] {
		text := Inline(row.Passage())
		if len(text) > controlBytes {
			text = strings.ToValidUTF8(text[:controlBytes], "") + "…"
		}
		fmt.Fprintf(&b, "%d. [%s] %s \"%s\"\n", i+1, labels[row.Role], row.Time.Format("2006-01-02"), text)
	}
	return b.String()
}
