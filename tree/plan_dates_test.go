package tree_test

import (
	"testing"
	"time"

	"daybook"
	"daybook/model"
	"daybook/tree"
)

const trip = `{"type":"Plan","attrs":{"name":"Trip"},"children":[
 {"type":"Day","attrs":{"index":"1","date":"2026-05-01"},"children":[
  {"type":"Stop","attrs":{"name":"Airport","cost":"free"}},{"type":"Meal","attrs":{"name":"Tacos","cost":"15 dollars"}}]},
 {"type":"Day","attrs":{"index":"2","date":"2026-05-02"},"children":[
  {"type":"Stop","attrs":{"name":"Conference keynote","cost":"included"}},{"type":"Stop","attrs":{"name":"Poster session","cost":"included"}},
  {"type":"Meal","attrs":{"name":"Banquet","cost":"80 dollars"}}]},
 {"type":"Day","attrs":{"index":"3","date":"2026-05-03"},"children":[
  {"type":"Stop","attrs":{"name":"San Diego Zoo","cost":"70 dollars"}}]}]}`

// Days are told by their dates and by what comes before or after, and edits land
// on what has the words that were said.
func TestPlannerOnDates(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	file, err := tree.ParseJSON([]byte(trip))
	if err != nil {
		t.Fatal(err)
	}
	edits, err := tree.Plant("t", file, "")
	if err != nil {
		t.Fatal(err)
	}
	h := &tree.History{Name: "t", Versions: fold(nil, edits)}
	scorer, err := tree.NewScorer("", tree.Models{Encoder: enc})
	if err != nil {
		t.Fatal(err)
	}
	planner := tree.Planner{Encoder: enc, Now: time.Date(2026, 4, 30, 9, 0, 0, 0, time.UTC)}
	for request, want := range map[string]string{
		"What is planned on May 2?":               "Banquet; Conference keynote; Poster session",
		"What is planned on 2026-05-03?":          "San Diego Zoo",
		"What happens tomorrow?":                  "Day 1",
		"What happens two days before May 3?":     "Day 1",
		"What is on the day after the keynote?":   "Day 3",
		"Which stop comes after the keynote?":     "Poster session",
		"Change the cost of the zoo to 9 dollars": "San Diego Zoo",
		"Change the date of day 2 to May 5":       "Day 2",
		"Delete everything on May 1":              "Airport; Tacos",
	} {
		plan, err := planner.Plan(t.Context(), h, request)
		if err != nil {
			t.Errorf("%s: %v", request, err)
			continue
		}
		found, err := plan.Select(t.Context(), h, scorer)
		if got := labelsOf(found.Nodes); err != nil || got != want {
			t.Errorf("%s: %s: %s, want %s: %v", request, plan.Query, got, want, err)
		}
	}
	for _, request := range []string{"What is planned on May 9?", "What is planned next Friday?", "Delete it", "Also move that one to day 1", "Change the date of the meal to May 5"} {
		if plan, err := planner.Plan(t.Context(), h, request); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%q was understood as %+v, %v", request, plan, err)
		}
	}
	plan, err := planner.Plan(t.Context(), h, "Change the cost of the zoo to 9 dollars and its name to Zoo visit")
	if err != nil || len(plan.Set) != 2 || plan.Set[0] != (tree.Attr{"name", "Zoo visit"}) || plan.Set[1] != (tree.Attr{"cost", "9 dollars"}) {
		t.Errorf("two attributes: %+v, %v", plan, err)
	}
}
