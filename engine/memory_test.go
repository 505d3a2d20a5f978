package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/tree"
)

// chats are sessions about two things, with an event in each.
func chats(t *testing.T, e *engine.Engine, scope daybook.Scope) (between time.Time) {
	t.Helper()
	for i, text := range []string{
		"The vet saw my dog and gave the dog a new collar.", "My piano teacher likes the concert on the piano.",
		"The dog ran off with its collar at the vet.", "",
	} {
		session := fmt.Sprint("s", i)
		if i == 1 {
			session = `a "quoted" \ name`
		}
		if text == "" {
			text, session = "A note without a session.", ""
		}
		if i == 2 {
			between = e.Now()
			time.Sleep(2 * time.Millisecond)
		}
		n := daybook.Note{Session: session, Speaker: "Ana", Text: text, Time: begin.AddDate(0, 0, i)}.Named()
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
		ev := daybook.Event{Kind: daybook.Action, Text: fmt.Sprint("event ", i), Sources: []daybook.NoteID{n.ID}, Session: session, Time: daybook.Span{From: n.Time}}
		if _, err := e.AddEvent(t.Context(), scope, by, ev); err != nil {
			t.Fatal(err)
		}
	}
	return between
}

func texts(t *testing.T, e *engine.Engine, scope daybook.Scope, query string) (got []string) {
	t.Helper()
	found, err := e.Query(t.Context(), scope, engine.Query{Text: query, Scorer: tree.Words, Threshold: engine.DefaultThreshold})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for _, n := range found.Nodes {
		switch n.Type {
		case "Event":
			got = append(got, n.Text)
		default:
			got = append(got, n.Type+" "+n.SourceID)
		}
	}
	report, err := found.Report(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range report.Nodes { // every path leads back to its node
		again, err := e.Query(t.Context(), scope, engine.Query{Text: n.Path, Threshold: engine.DefaultThreshold})
		if err != nil || len(again.Nodes) != 1 || again.Nodes[0].ID != n.ID {
			t.Errorf("%s does not lead to %s: %v", n.Path, n.ID, err)
		}
	}
	return got
}

// Sessions stand below the memory and below their topics, and hold events beside
// notes; steps see each session once unless they name topics.
func TestQueryTopicsAndEvents(t *testing.T) {
	e, scope := open(t), daybook.Scope{User: "u"}
	between := chats(t, e, scope)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{`//Session`, []string{"Session s0", `Session a "quoted" \ name`, "Session s2", "Session "}},
		{`//Session[-2]/Event`, []string{"event 2"}},
		{`//Session[-1]/Event`, []string{"event 3"}},
		{`//Event`, []string{"event 0", "event 1", "event 2", "event 3"}},
		{`//Topic[name~="dog"]/Session/Event`, []string{"event 0", "event 2"}},
		{`/Memory/Topic[1]/Session[-1]/Event[1]`, []string{"event 2"}},
		{`//Topic[1]//Event`, []string{"event 0", "event 2"}},
		{`//Session[2]/Event[@kind="action"]`, []string{"event 1"}},
	} {
		if got := texts(t, e, scope, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.query, got, c.want)
		}
	}
	for query, want := range map[string][]string{
		`//Session[as-of "%s"]`:                      {"Session s0", `Session a "quoted" \ name`},
		`/Memory/Topic[1]/Session[as-of "%s"]/Event`: {"event 0"},
		`//Session[-1]/Event[as-of "%s"]`:            nil, // it was not there yet
	} {
		query = fmt.Sprintf(query, between.Format(time.RFC3339Nano))
		found, err := e.Query(t.Context(), scope, engine.Query{Text: query})
		var got []string
		if err == nil {
			for _, n := range found.Nodes {
				if n.Type == "Event" {
					got = append(got, n.Text)
				} else {
					got = append(got, n.Type+" "+n.SourceID)
				}
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v: %v", query, got, want, err)
		}
	}
}
