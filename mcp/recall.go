package mcp

import (
	"context"
	"fmt"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/engine"
	"daybook/recall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var recallTool = toolOf[recallIn, recallOut](sdk.Tool{
	Name: "recall", Annotations: hints("Recall", true, false),
	Description: "Find what was said, word by word, best first, each row labelled with whether it still holds. " +
		"Use before you answer anything that may depend on earlier conversations, and when you need the words, the time or the speaker. " +
		"Put the question in full, with names. For one short answer use ask; for a list of what is known of somebody use facts.",
})

// times fix the two clocks of a read.
type times struct {
	AsOf    string `json:"as_of,omitempty" jsonschema:"what held in the world at this time, as 2026-05-01"`
	KnownAt string `json:"known_at,omitempty" jsonschema:"as the memory knew it at this time"`
}

func (c *caller) at(t times) (daybook.AsOf, error) {
	return engine.ParseAsOf(t.AsOf, t.KnownAt, c.engine.Now())
}

type recallIn struct {
	who
	times
	Query string `json:"query" jsonschema:"what is asked, in plain words"`
	View  string `json:"view,omitempty" jsonschema:"current, historical, change or neutral; by default as the question itself reads"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most so many rows, 10 if not given, 50 at most"`
}

type recallOut struct {
	View   string   `json:"view"`
	Rows   []row    `json:"rows"`
	Paths  []string `json:"paths" jsonschema:"chains of events that lead to the rows"`
	Commit string   `json:"commit" jsonschema:"up to which the memory was read"`
	Missed []string `json:"missed,omitempty" jsonschema:"models that did not do their part"`
}

// row is a note with its role.
type row struct {
	ID      string    `json:"id"`
	Text    string    `json:"text"`
	Speaker string    `json:"speaker,omitempty"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Role    string    `json:"role,omitempty" jsonschema:"current, historical, transition, contested, planned or aside"`
	Reason  string    `json:"reason,omitempty"`
	Score   float64   `json:"score,omitempty"`
}

// line is the row as text.
func (r row) line(n int) string {
	who := "somebody"
	if r.Speaker != "" {
		who = quoted(r.Speaker)
	}
	return fmt.Sprintf("[%d] %s%s %s said: %s (%s)", n, marked(daybook.Role(r.Role)), day(r.Time), who, quoted(r.Text), r.ID)
}

func (o recallOut) text() string {
	var all []string
	for i, r := range o.Rows {
		all = append(all, r.line(i+1))
	}
	if len(all) == 0 {
		all = []string{"nothing is remembered that bears on it"}
	}
	for _, p := range o.Paths {
		all = append(all, "path: "+quoted(p))
	}
	return lines(all)
}

// Rows of a recall: what is given unasked, and the most.
const (
	usualRows = 10
	mostRows  = 50
)

func (c *caller) recall(ctx context.Context, scope daybook.Scope, in recallIn) (out recallOut, err error) {
	if err := daybook.View(in.View).Check("view"); err != nil {
		return out, err
	}
	at, err := c.at(in.times)
	if err != nil {
		return out, err
	}
	found, err := c.engine.Recall(ctx, scope, recall.Question{
		Text: in.Query, K: bounded(in.Limit, usualRows, mostRows), View: daybook.View(in.View),
	}, at)
	if err != nil {
		return out, err
	}
	out = recallOut{View: string(found.View), Rows: []row{}, Paths: []string{}, Commit: found.Commit.String(), Missed: found.Missed}
	for i := range found.Rows {
		r := &found.Rows[i]
		out.Rows = append(out.Rows, row{ID: string(r.ID), Text: r.Text, Speaker: r.Speaker, Time: r.Time, Session: r.Session, Role: string(r.Role), Score: r.Score})
	}
	for _, p := range found.Paths {
		out.Paths = append(out.Paths, p.String())
	}
	return out, nil
}

var askTool = toolOf[askIn, askOut](sdk.Tool{
	Name: "ask", Annotations: hints("Ask", true, false),
	Description: "Get one short answer from the memory with the messages that it stands on, or \"Not known\". " +
		"Use for a question with one answer: what, who, where, when, how many, what changed, why. " +
		"When the answer is not known, say so to the user instead of guessing, or look around with recall.",
})

type askIn struct {
	who
	times
	Question string `json:"question" jsonschema:"the question in full, with names"`
	View     string `json:"view,omitempty" jsonschema:"current, historical, change or neutral; by default as the question itself reads"`
}

type askOut struct {
	Answer    string     `json:"answer"`
	Known     bool       `json:"known"`
	View      string     `json:"view"`
	Citations []citation `json:"citations" jsonschema:"messages that the answer stands on"`
	By        string     `json:"by" jsonschema:"who answered"`
	Fallback  string     `json:"fallback,omitempty" jsonschema:"why the local reader stood in for a model"`
}

type citation struct {
	row
	Quote string `json:"quote" jsonschema:"the words that say so"`
}

func (o askOut) text() string {
	all := []string{"answer: " + quoted(o.Answer)}
	for i, c := range o.Citations {
		all = append(all, c.line(i+1))
	}
	return lines(all)
}

func (c *caller) ask(ctx context.Context, scope daybook.Scope, in askIn) (out askOut, err error) {
	if err := daybook.View(in.View).Check("view"); err != nil {
		return out, err
	}
	at, err := c.at(in.times)
	if err != nil {
		return out, err
	}
	got, err := c.engine.Ask(ctx, scope, engine.Asked{Text: in.Question, View: daybook.View(in.View), At: at})
	if err != nil {
		return out, err
	}
	out = askOut{Answer: got.Text, Known: got.Known, View: string(got.View), Citations: []citation{}, By: got.By, Fallback: got.Fallback}
	for _, cited := range got.Citations {
		for _, it := range got.Rows {
			if it.N == cited.N {
				out.Citations = append(out.Citations, citation{rowOf(it), cited.Quote})
			}
		}
	}
	return out, nil
}

func rowOf(it answer.Item) row {
	return row{
		ID: string(it.ID), Text: it.Text, Speaker: it.Speaker, Time: it.Time, Session: it.Session,
		Role: string(it.Role), Reason: it.Reason, Score: it.Score,
	}
}
