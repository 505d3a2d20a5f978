package engine

import (
	"testing"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

// What a sentence claims is read once, is the same when it is read again, and is kept
// nowhere once its note is forgotten: not even where somebody still asks about it.
func TestClaimsAreKeptUntilForgotten(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e := New(s).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
	defer e.Close() //nolint:errcheck // nothing is kept
	scope := daybook.Scope{User: "u"}
	notes := []daybook.Note{{SourceID: "1", Speaker: "Ana", Text: "I live in Lisbon."}, {SourceID: "2", Speaker: "Ana", Text: "I moved to Oslo, so I live there now."}}
	if _, err := e.Add(t.Context(), scope, By{Author: "test"}, notes); err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		t.Helper()
		found, err := e.Recall(t.Context(), scope, recall.Question{Text: "Where does Ana live now?"}, daybook.AsOf{})
		if err != nil || len(found.Rows) == 0 {
			t.Fatalf("%d rows, %v", len(found.Rows), err)
		}
		return string(found.Rows[0].Role) + " " + found.Rows[0].Reason + " " + found.Rows[0].Text
	}
	first := ask()
	kept := e.said.of(scope).claims
	side := ledgerSide{claims: kept}
	for range 2 {
		if c, ok := side.claimOf(notes[0].Named(), "Lisbon"); !ok || c.Object != "Lisbon" {
			t.Fatalf("the note gives %q, %t", c.Object, ok)
		}
	}
	if len(kept.young) == 0 || len(kept.values.young) == 0 {
		t.Fatalf("%d claims and %d of values are kept", len(kept.young), len(kept.values.young))
	}
	if again := ask(); again != first {
		t.Errorf("%q, then %q", first, again)
	}
	if _, err := e.Forget(t.Context(), scope, By{Author: "test"}, graph.Forget{IDs: []string{"2"}}); err != nil {
		t.Fatal(err)
	}
	if now := e.said.of(scope).claims; now == kept || len(now.young)+len(now.old)+len(now.values.young)+len(now.values.old) > 0 {
		t.Errorf("%d claims are kept after the erasure", len(now.young)+len(now.old)+len(now.values.young)+len(now.values.old))
	}
	ask()
	for at := range e.said.of(scope).claims.values.young {
		if at.note == notes[1].Named().ID {
			t.Errorf("the claim of a value of the erased note is kept: %+v", at)
		}
	}
	for at, c := range e.said.of(scope).claims.young {
		if at.Seq == 1 && at.Pos == 1 || c.Note == notes[1].Named().ID {
			t.Errorf("the claim of the erased note is kept: %+v", c)
		}
	}
}
