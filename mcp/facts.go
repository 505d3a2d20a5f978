package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var factsTool = toolOf[factsIn, factsOut](sdk.Tool{
	Name: "facts", Annotations: hints("Facts", true, false),
	Description: "List what is known of a person or thing as subject, relation and value, each with since when it holds. " +
		"Use for a profile (\"what do you know about me?\"), or to check one value before you rely on it. as_of looks at a past time.",
})

type factsIn struct {
	who
	times
	Subject  string `json:"subject,omitempty" jsonschema:"only facts about this person or thing, by name"`
	Relation string `json:"relation,omitempty" jsonschema:"only facts of this relation, such as lives_in"`
	All      bool   `json:"all,omitempty" jsonschema:"also what no longer holds or is only planned"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most so many, 50 if not given, 500 at most"`
}

type factsOut struct {
	Facts []fact `json:"facts"`
	Left  int    `json:"left_out,omitempty" jsonschema:"how many more there are"`
}

// fact is one value of a state.
type fact struct {
	ID         string    `json:"id"`
	Subject    string    `json:"subject"`
	Relation   string    `json:"relation"`
	Object     string    `json:"object"`
	Role       string    `json:"role"`
	Modality   string    `json:"modality,omitempty"`
	ValidFrom  time.Time `json:"valid_from,omitzero"`
	ValidUntil time.Time `json:"valid_until,omitzero"`
	Why        string    `json:"why,omitempty"`
	Sources    []string  `json:"sources,omitempty" jsonschema:"notes that it stands on"`
	RecordedAt time.Time `json:"recorded_at"`
	span       daybook.Span
}

func factOf(subject, relation string, p daybook.Period) fact {
	first := p.Facts[0]
	f := fact{
		ID: string(first.ID), Subject: subject, Relation: cmp.Or(p.Relation, relation), Object: p.Object, Role: string(p.Role), Modality: string(p.Modality),
		ValidFrom: p.Valid.From, ValidUntil: p.Valid.Until, Why: first.Context.Why, RecordedAt: first.RecordedAt, span: p.Valid,
	}
	for _, n := range first.Sources {
		f.Sources = append(f.Sources, string(n))
	}
	return f
}

// line is the fact as text.
func (f fact) line() string {
	said := fmt.Sprintf("%s%s %s: %s, %s (%s)", marked(daybook.Role(f.Role)), quoted(f.Subject), quoted(f.Relation), quoted(f.Object), f.span, f.ID)
	if f.Why != "" {
		said += ", because " + quoted(f.Why)
	}
	return said
}

func (o factsOut) text() string {
	var all []string
	for _, f := range o.Facts {
		all = append(all, f.line())
	}
	if len(all) == 0 {
		all = []string{"nothing is known for that"}
	}
	return lines(left(all, o.Left))
}

// Facts of a read: what is given unasked, and the most.
const (
	usualFacts = 50
	mostFacts  = 500
)

func (c *caller) facts(ctx context.Context, scope daybook.Scope, in factsIn) (out factsOut, err error) {
	at, err := c.at(in.times)
	if err != nil {
		return out, err
	}
	states, err := c.engine.Facts(ctx, scope, engine.FactQuery{Subject: in.Subject, Relation: in.Relation, At: at, All: in.All})
	if err != nil {
		return out, err
	}
	out.Facts, out.Left = atMost(factsOf(states), bounded(in.Limit, usualFacts, mostFacts))
	return out, nil
}

func factsOf(states []daybook.State) []fact {
	all := []fact{}
	for _, st := range states {
		for _, p := range st.Periods {
			all = append(all, factOf(st.Subject.Name, st.Relation, p))
		}
	}
	return all
}

var historyTool = toolOf[historyIn, historyOut](sdk.Tool{
	Name: "history", Annotations: hints("History and changes", true, false),
	Description: "See what changed. With a subject: every value that it had, from when to when, why it changed and who said so; " +
		"use when the user asks how, when or why something changed, or what it was before. " +
		"With since: all that is believed differently since that time; use to catch up after a pause.",
})

type historyIn struct {
	who
	Subject  string `json:"subject,omitempty" jsonschema:"person or thing, by name"`
	Relation string `json:"relation,omitempty" jsonschema:"only this relation, such as lives_in"`
	Since    string `json:"since,omitempty" jsonschema:"a time, as 2026-05-01, or the id of a commit"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most so many changes and values each, 50 if not given, 500 at most"`
}

type historyOut struct {
	Changes []change `json:"changes" jsonschema:"oldest first"`
	Values  []fact   `json:"values" jsonschema:"every value of the subject; with since, those that are new"`
	Gone    []fact   `json:"gone" jsonschema:"with since: values that are believed no longer, or otherwise"`
	Notes   []row    `json:"notes" jsonschema:"with since: what was said, newest last"`
	Left    int      `json:"left_out,omitempty"`
}

// change is a transition of a state.
type change struct {
	Subject  string    `json:"subject"`
	Relation string    `json:"relation"`
	From     string    `json:"from,omitempty"`
	To       string    `json:"to,omitempty"`
	ValidAt  time.Time `json:"valid_at,omitzero"`
	Learned  time.Time `json:"learned"`
	Why      string    `json:"why,omitempty"`
	Evidence []string  `json:"evidence,omitempty"`
}

func (o historyOut) text() string {
	var all []string
	for _, ch := range o.Changes {
		said := fmt.Sprintf("%s: %s %s from %s to %s", day(ch.ValidAt), quoted(ch.Subject), quoted(ch.Relation), orNothing(ch.From), orNothing(ch.To))
		if ch.Why != "" {
			said += ", because " + quoted(ch.Why)
		}
		all = append(all, said)
	}
	for _, f := range o.Values {
		all = append(all, "value: "+f.line())
	}
	for _, f := range o.Gone {
		all = append(all, "before: "+f.line())
	}
	for i, n := range o.Notes {
		all = append(all, n.line(i+1))
	}
	if len(all) == 0 {
		all = []string{"nothing changed"}
	}
	return lines(left(all, o.Left))
}

func orNothing(v string) string {
	if v == "" {
		return "nothing known"
	}
	return quoted(v)
}

func (c *caller) history(ctx context.Context, scope daybook.Scope, in historyIn) (out historyOut, err error) {
	out = historyOut{Changes: []change{}, Values: []fact{}, Gone: []fact{}, Notes: []row{}}
	most := bounded(in.Limit, usualFacts, mostFacts)
	if in.Since != "" {
		d, err := c.engine.Changes(ctx, scope, in.Since)
		if err != nil {
			return out, err
		}
		out.since(d, in, most)
		return out, nil
	}
	if in.Subject == "" {
		return out, daybook.Errorf(daybook.Invalid, "history: give a subject, or since")
	}
	all, err := c.engine.History(ctx, scope, engine.FactQuery{Subject: in.Subject, Relation: in.Relation})
	if err != nil {
		return out, err
	}
	for _, h := range all {
		out.Values = append(out.Values, factsOf([]daybook.State{h.State})...)
		for _, tr := range h.Transitions {
			out.Changes = append(out.Changes, changeOf(tr))
		}
	}
	out.cut(most)
	return out, nil
}

// since fills in what is believed differently.
func (o *historyOut) since(d graph.Diff, in historyIn, most int) {
	for _, st := range d.States {
		if in.Subject != "" && daybook.Fold(in.Subject) != daybook.Fold(st.Subject.Name) || in.Relation != "" && daybook.FoldRelation(in.Relation) != st.Relation {
			continue
		}
		for _, p := range st.Added {
			o.Values = append(o.Values, factOf(st.Subject.Name, st.Relation, p))
		}
		for _, p := range st.Removed {
			o.Gone = append(o.Gone, factOf(st.Subject.Name, st.Relation, p))
		}
	}
	notes := d.NotesAdded
	o.Left += max(0, len(notes)-most)
	for _, n := range notes[max(0, len(notes)-most):] {
		o.Notes = append(o.Notes, row{ID: string(n.ID), Text: n.Text, Speaker: n.Speaker, Time: n.Time, Session: n.Session})
	}
	o.cut(most)
}

func (o *historyOut) cut(most int) {
	var n, m, k int
	o.Changes, n = atMost(o.Changes, most)
	o.Values, m = atMost(o.Values, most)
	o.Gone, k = atMost(o.Gone, most)
	o.Left += n + m + k
}

func changeOf(tr daybook.Transition) change {
	ch := change{
		Subject: tr.Subject.Name, Relation: tr.Relation, From: tr.From, To: tr.To, ValidAt: tr.ValidAt, Learned: tr.Learned, Why: strings.TrimSpace(tr.Why),
	}
	for _, n := range tr.Evidence {
		ch.Evidence = append(ch.Evidence, string(n))
	}
	return ch
}
