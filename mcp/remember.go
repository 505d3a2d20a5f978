package mcp

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"daybook"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var rememberTool = toolOf[rememberIn, rememberOut](sdk.Tool{
	Name: "remember", Annotations: hints("Remember", false, false),
	Description: "Keep what was said. Use when the user states something lasting: about themselves, people they know, plans, preferences, decisions, changes. " +
		"Pass the user's own words, not a summary; pass the messages of a conversation as they are. " +
		"Newer statements supersede older ones by themselves, so never forget something only because it changed. " +
		"Do not use for what you found in the memory, for questions, or for your own reasoning.",
})

type rememberIn struct {
	who
	Text     string    `json:"text,omitempty" jsonschema:"one thing to keep, in the user's own words; or give messages"`
	Messages []message `json:"messages,omitempty" jsonschema:"messages of a conversation, oldest first"`
	Session  string    `json:"session,omitempty" jsonschema:"name of the conversation that they belong to"`
	Time     string    `json:"time,omitempty" jsonschema:"when it was said, as 2026-05-01T10:00:00Z or 2026-05-01; now if not given"`
}

type message struct {
	Role    string `json:"role,omitempty" jsonschema:"user, assistant, system or tool; user if not given"`
	Name    string `json:"name,omitempty" jsonschema:"who speaks, where it is not the user"`
	Content string `json:"content"`
	Time    string `json:"time,omitempty" jsonschema:"when it was said"`
	ID      string `json:"id,omitempty" jsonschema:"your own id: keeping it again changes nothing"`
}

type rememberOut struct {
	Commit     string   `json:"commit"`
	IDs        []string `json:"ids" jsonschema:"of the notes, in order"`
	Added      int      `json:"added"`
	Known      int      `json:"known" jsonschema:"notes that were there already"`
	Learned    int      `json:"learned" jsonschema:"facts that were learned"`
	Echoes     int      `json:"echoes,omitempty" jsonschema:"notes that repeat what the memory returned; nothing is learned from what they repeat"`
	Superseded []value  `json:"superseded" jsonschema:"values that held until now and no longer do"`
	Contested  []value  `json:"contested" jsonschema:"values that now contradict each other"`
	Fallback   string   `json:"fallback,omitempty" jsonschema:"why the language model was no use; the notes are kept all the same"`
}

// value is a fact in short.
type value struct {
	Fact     string `json:"fact"`
	Relation string `json:"relation"`
	Object   string `json:"object"`
}

func (o rememberOut) text() string {
	said := []string{fmt.Sprintf("kept %d, known already %d, learned %d facts; commit %.12s", o.Added, o.Known, o.Learned, o.Commit)}
	if o.Echoes > 0 {
		said = append(said, fmt.Sprintf("%d of them repeat what the memory returned; nothing is learned from what they repeat", o.Echoes))
	}
	for i, id := range o.IDs {
		if i == 20 {
			said = left(said, len(o.IDs)-i)
			break
		}
		said = append(said, id)
	}
	for _, v := range o.Superseded {
		said = append(said, fmt.Sprintf("no longer holds: %s %s (%s)", quoted(v.Relation), quoted(v.Object), v.Fact))
	}
	for _, v := range o.Contested {
		said = append(said, fmt.Sprintf("contested: %s %s (%s)", quoted(v.Relation), quoted(v.Object), v.Fact))
	}
	return lines(said)
}

func (c *caller) remember(ctx context.Context, scope daybook.Scope, in rememberIn) (out rememberOut, err error) {
	notes, err := c.notes(scope, in)
	if err != nil {
		return out, err
	}
	r, err := c.engine.Add(ctx, scope, c.by(""), notes)
	if err != nil {
		return out, err
	}
	out = rememberOut{Commit: r.Commit.String(), IDs: r.IDs, Added: r.Added, Known: r.Known, Learned: r.Learned, Echoes: r.Echoes, Fallback: r.Fallback}
	if out.Superseded, err = c.values(ctx, scope, r.Closed); err != nil {
		return out, err
	}
	out.Contested, err = c.values(ctx, scope, r.Clashes)
	return out, err
}

// notes are the messages of a call.
func (c *caller) notes(scope daybook.Scope, in rememberIn) (notes []daybook.Note, err error) {
	all := in.Messages
	if in.Text != "" {
		all = append([]message{{Content: in.Text}}, all...)
	}
	if len(all) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "remember: give text or messages")
	}
	for i, m := range all {
		n := daybook.Note{
			SourceID: m.ID, Session: cmp.Or(in.Session, c.Session), Text: m.Content, Speaker: scope.Speaker(m.Role, m.Name),
		}
		if when := cmp.Or(m.Time, in.Time); when != "" {
			if n.Time, _, err = daybook.ParseTime(when); err != nil {
				return nil, fmt.Errorf("message %d: %w", i+1, err)
			}
			n.Time = n.Time.Add(time.Duration(i) * time.Microsecond) // in the order given
		}
		notes = append(notes, n)
	}
	return notes, nil
}

// values names facts by what they say.
func (c *caller) values(ctx context.Context, scope daybook.Scope, ids []daybook.FactID) ([]value, error) {
	all := []value{}
	for _, id := range ids {
		op, err := c.engine.Get(ctx, scope, string(id))
		if err != nil {
			return nil, err
		}
		all = append(all, value{string(id), op.Fact.Relation, op.Fact.Object})
	}
	return all, nil
}
