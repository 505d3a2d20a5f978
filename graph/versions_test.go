package graph_test

import (
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/store/sqlite"
)

// A note and its correction are two versions of one thing; forgetting the first
// forgets both, with what is kept beside them.
func TestVersions(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s)
	defer e.Close()
	scope, by := daybook.Scope{User: "ana"}, engine.By{Author: "t"}
	add := func(n daybook.Note) daybook.NoteID {
		t.Helper()
		r, err := e.Add(t.Context(), scope, by, []daybook.Note{n})
		if err != nil {
			t.Fatal(err)
		}
		return daybook.NoteID(r.IDs[0])
	}
	first := add(daybook.Note{SourceID: "m", Text: "I live in Rome."})
	second := add(daybook.Note{SourceID: "m#2", Text: "I live in Oslo.", Corrects: first, Metadata: map[string]any{"for": "Tilda"}})
	if _, err := e.Retract(t.Context(), scope, by, string(first), "corrected"); err != nil {
		t.Fatal(err)
	}
	all, err := e.Versions(t.Context(), scope, first)
	if err != nil || len(all) != 2 || all[0].InForce || !all[1].InForce || all[1].ID != second {
		t.Fatalf("%+v %v", all, err)
	}
	plan, err := e.PlanForget(t.Context(), scope, graph.Forget{Entity: "Tilda"})
	if err != nil || plan.Counts["notes"] != 1 {
		t.Errorf("what is kept beside a note is not looked through: %+v %v", plan, err)
	}
	if _, err := e.Forget(t.Context(), scope, by, graph.Forget{IDs: []string{string(first)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Versions(t.Context(), scope, first); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("after forgetting: %v", err)
	}
	if _, err := e.Note(t.Context(), scope, string(second)); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("the correction is still there: %v", err)
	}
}
