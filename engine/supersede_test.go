package engine_test

import (
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/recall"
)

// keyed is a memory of two notes, each with a fact that stands on it, of two relations
// of one subject.
func keyed(t *testing.T) (*engine.Engine, daybook.Scope, func(note, relation, object string, days int, supersedes ...string) (daybook.Receipt, error)) {
	e, scope := open(t).WithEncoder(&bag{id: "one"}), daybook.Scope{User: "u"}
	return e, scope, func(note, relation, object string, days int, supersedes ...string) (daybook.Receipt, error) {
		t.Helper()
		at := begin.AddDate(0, 0, days)
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{{SourceID: note, Time: at, Speaker: "system", Text: relation + ": " + object}}); err != nil {
			t.Fatal(err)
		}
		return e.AddFact(t.Context(), scope, by, engine.NewFact{
			Subject: "Acme", Relation: relation, Object: object, Valid: daybook.Span{From: at}, Sources: []string{note}, Supersedes: supersedes,
		})
	}
}

func roleOf(t *testing.T, e *engine.Engine, scope daybook.Scope, note string, at daybook.AsOf) (daybook.Role, string) {
	t.Helper()
	r, err := e.Recall(t.Context(), scope, recall.Question{Text: "When is the launch?", K: 20}, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.SourceID == note {
			return row.Role, row.Reason
		}
	}
	return "", "not there"
}

// A caller's word closes a fact of another relation, named by its id or by its note; the
// notes' roles follow, a past time keeps its own, and withdrawing the link opens it again.
func TestFactSupersedes(t *testing.T) {
	e, scope, state := keyed(t)
	first, err := state("m1", "launch", "3 March in Lisbon", 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := state("m2", "launch_v2", "10 March in Porto", 2, "m1")
	if err != nil || len(second.Closed) != 1 || string(second.Closed[0]) != first.IDs[0] {
		t.Fatalf("closed %v, %v; want %v", second.Closed, err, first.IDs)
	}
	if _, err := state("m3", "launch_v3", "20 March in Braga", 3, second.IDs[0]); err != nil {
		t.Fatal(err)
	}
	now, then := daybook.AsOf{ValidAt: begin.AddDate(0, 1, 0)}, daybook.AsOf{ValidAt: begin.AddDate(0, 0, 1)}
	if role, why := roleOf(t, e, scope, "m1", now); role != daybook.RoleHistorical || !strings.Contains(why, `superseded by "10 March in Porto"`) {
		t.Errorf("m1 is %q, %s", role, why)
	}
	if role, _ := roleOf(t, e, scope, "m2", now); role != daybook.RoleHistorical {
		t.Errorf("m2 is %q", role)
	}
	if role, _ := roleOf(t, e, scope, "m3", now); role != daybook.RoleCurrent {
		t.Errorf("m3 is %q", role)
	}
	if role, _ := roleOf(t, e, scope, "m1", then); role != daybook.RoleCurrent {
		t.Errorf("before the change m1 is %q", role)
	}
	learned, err := e.Learned(t.Context(), scope, "m3", daybook.AsOf{})
	if err != nil || len(learned.Links) != 1 || learned.Links[0].By != "test" {
		t.Fatalf("links %+v, %v", learned.Links, err)
	}
	if _, err := e.Retract(t.Context(), scope, by, string(learned.Links[0].ID), "not so"); err != nil {
		t.Fatal(err)
	}
	if role, _ := roleOf(t, e, scope, "m2", now); role != daybook.RoleCurrent {
		t.Errorf("after the link was withdrawn m2 is %q", role)
	}
}

// What cannot be superseded is refused with its kind, and nothing is written.
func TestFactSupersedesNothing(t *testing.T) {
	e, scope, state := keyed(t)
	if _, err := state("m1", "launch", "3 March in Lisbon", 5); err != nil {
		t.Fatal(err)
	}
	addTexts(t, e, scope, "nothing is stated here")
	for _, c := range []struct {
		days int
		old  string
		kind daybook.Kind
	}{{6, "nobody", daybook.NotFound}, {6, "fact_0000", daybook.NotFound}, {6, "nothing is stated here-0", daybook.NotFound}, {1, "m1", daybook.Invalid}, {5, "m1", daybook.Invalid}} {
		before, err := e.Stats(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.AddFact(t.Context(), scope, by, engine.NewFact{
			Subject: "Acme", Relation: "launch_v2", Object: "10 March", Valid: daybook.Span{From: begin.AddDate(0, 0, c.days)}, Supersedes: []string{c.old},
		})
		if daybook.KindOf(err) != c.kind {
			t.Errorf("supersedes %s: %v; want %s", c.old, err, c.kind)
		}
		if after, _ := e.Stats(t.Context(), scope); after.Commits != before.Commits {
			t.Errorf("supersedes %s wrote a commit", c.old)
		}
	}
}

// Forgetting what superseded opens the old value again, and leaves no trace of the new.
func TestForgetSuperseding(t *testing.T) {
	e, scope, state := keyed(t)
	if _, err := state("m1", "launch", "3 March in Lisbon", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := state("m2", "launch_v2", "10 March in Porto", 2, "m1"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Forget(t.Context(), scope, by, graph.Forget{IDs: []string{"m2"}}); err != nil {
		t.Fatal(err)
	}
	if role, why := roleOf(t, e, scope, "m1", daybook.AsOf{ValidAt: begin.AddDate(0, 1, 0)}); role != daybook.RoleCurrent || strings.Contains(why, "Porto") {
		t.Errorf("m1 is %q, %s", role, why)
	}
}

// A message that says again what was superseded is labelled with it; one that tells of
// the change, one that came after, and one that shares a word are not.
func TestRepeatsAreLabelled(t *testing.T) {
	e, scope, state := keyed(t)
	say := func(id, text string, days int) {
		t.Helper()
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{{SourceID: id, Time: begin.AddDate(0, 0, days), Speaker: "Ana", Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	say("again", "Yes, we launch in Lisbon on the 3rd of March!", 1)
	say("change", "The launch was to be on 3 March in Lisbon, it is on 10 March in Porto.", 1)
	say("word", "Lisbon is lovely in March, launch or no launch.", 1)
	say("late", "Do you remember when the launch was set for 3 March in Lisbon?", 9)
	if _, err := state("m1", "launch", "3 March in Lisbon", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := state("m2", "launch_v2", "10 March in Porto", 2, "m1"); err != nil {
		t.Fatal(err)
	}
	now := daybook.AsOf{ValidAt: begin.AddDate(0, 1, 0)}
	for note, want := range map[string]daybook.Role{"again": daybook.RoleHistorical, "m1": daybook.RoleHistorical, "m2": daybook.RoleCurrent} {
		if role, why := roleOf(t, e, scope, note, now); role != want {
			t.Errorf("%s is %q (%s); want %q", note, role, why, want)
		}
	}
	for _, note := range []string{"change", "word", "late"} {
		if role, why := roleOf(t, e, scope, note, now); role == daybook.RoleHistorical && strings.Contains(why, "Porto") {
			t.Errorf("%s is %q (%s)", note, role, why)
		}
	}
}
