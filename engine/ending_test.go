package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"daybook/engine"
)

// What was given up is over, in whatever order the notes came, and it is answered so.
func TestGivenUpIsOver(t *testing.T) {
	said := []string{"My bank is Revolut.", "I use Notion for my notes.", "I take ibuprofen every day.", "I go to FitInn after work.", "I left Revolut.", "I no longer use Notion.", "I stopped taking ibuprofen.", "I cancelled FitInn."}
	var first []string
	for _, backwards := range []bool{false, true} {
		e, scope := talked(t, said, backwards)
		states, err := e.Facts(t.Context(), scope, engine.FactQuery{Subject: "user", All: true})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, st := range states {
			for _, p := range st.Periods {
				all = append(all, strings.Join([]string{st.Relation, p.Object, string(p.Role), p.Valid.From.Format(time.DateOnly), p.Valid.Until.Format(time.DateOnly)}, " "))
			}
		}
		for _, over := range []string{"bank Revolut historical 2026-03-01 2026-03-05", "use Notion historical 2026-03-02 2026-03-06", "take ibuprofen historical 2026-03-03 2026-03-07", "goes_to FitInn historical 2026-03-04 2026-03-08"} {
			if !slices.Contains(all, over) {
				t.Errorf("no %q in %q", over, all)
			}
		}
		if first == nil {
			first = all
		} else if !slices.Equal(first, all) {
			t.Errorf("backwards: %q, not %q", all, first)
		}
		a, err := e.Ask(t.Context(), scope, engine.Asked{Text: "Which bank do I use?"})
		if err != nil {
			t.Fatal(err)
		}
		if want := "No longer Revolut (ended 2026-03-05)."; a.Text != want {
			t.Errorf("%q, want %q", a.Text, want)
		}
	}
}
