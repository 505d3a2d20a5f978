package eval_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"daybook"
	"daybook/eval"
	when "daybook/timex"
)

// TestAnchorScorer scores a conversation of our own.
func TestAnchorScorer(t *testing.T) {
	at := time.Date(2023, 6, 9, 19, 55, 0, 0, time.UTC) // a Friday
	note := func(id, text string) daybook.Note { return daybook.Note{SourceID: id, Time: at, Text: text} }
	ask := func(answer string, evidence ...string) eval.Question {
		return eval.Question{Category: "temporal", Answers: []string{answer}, Evidence: evidence}
	}
	r := eval.ScoreAnchors(eval.Dataset{Conversations: []eval.Conversation{{
		Notes: []daybook.Note{note("a", "I ran a race last Saturday."), note("b", "The school event was last week."), note("c", "I read it last year."),
			note("d", "We camp next month."), note("e", "I just opened a shop!")},
		Questions: []eval.Question{
			ask("3 June 2023", "a"), ask("The Sunday before 9 June 2023", "a"), ask("The week before 9 June 2023", "b"), ask("2022", "c"),
			ask("5 June 2022", "c"), ask("July 2023", "d"), ask("9 June, 2023", "e"), ask("June 2023", "d", "e"),
			ask("three weeks", "a"), ask("two years ago", "c"), ask("Rome", "a"), {Category: "single-hop", Answers: []string{"2022"}, Evidence: []string{"c"}},
		},
	}}})
	if r.All != (eval.TimexTally{N: 8, Right: 6}) || r.Single != (eval.TimexTally{N: 7, Right: 5}) {
		t.Errorf("all %v, with one note %v; missed %v", r.All, r.Single, r.Missed)
	}
	if len(r.Excluded) != 3 {
		t.Errorf("excluded: %v", r.Excluded)
	}
}

// TestScoreAnchors measures timex.Anchor on LoCoMo's temporal questions and fails
// below 0.75.
func TestScoreAnchors(t *testing.T) {
	dir := os.Getenv("DAYBOOK_DATA")
	if dir == "" {
		t.Skip("SKIPPED: DAYBOOK_DATA is not set; anchors were not measured on LoCoMo")
	}
	path := filepath.Join(dir, "locomo", "locomo_dev.json")
	published, err := eval.LoadLocomo(path)
	if err != nil {
		t.Fatal(err)
	}
	corrected, err := eval.LoadLocomoCorrected(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []eval.Dataset{published, corrected} {
		r := eval.ScoreAnchors(d)
		t.Logf("%s: right %d/%d %.3f, with one gold note %d/%d %.3f, the very interval %d/%d %.3f", d.Name, r.All.Right, r.All.N,
			r.All.Share(), r.Single.Right, r.Single.N, r.Single.Share(), r.Exact.Right, r.Exact.N, r.Exact.Share())
		t.Logf("  always the day of the note: %d/%d %.3f", r.NoteDay.Right, r.NoteDay.N, r.NoteDay.Share())
		for _, g := range slices.Sorted(maps.Keys(r.Groups)) {
			t.Logf("  gold of a %-8s %3d/%3d", g, r.Groups[g].Right, r.Groups[g].N)
		}
		for _, why := range slices.Sorted(maps.Keys(r.Excluded)) {
			t.Logf("  excluded %3d  %s", r.Excluded[why], why)
		}
		if os.Getenv("DAYBOOK_MISSES") != "" {
			for _, m := range r.Missed {
				for i, n := range m.Notes {
					t.Logf("MISS %q %q = %s: %s got %q %s in %q", m.Question, m.Answer, when.Say(m.Gold), n.Time.Format("Mon 2006-01-02"),
						m.Got[i].Expr.Text, when.Say(m.Got[i].Span), n.Text)
				}
			}
		}
		if r.All.N < 80 || r.All.Share() < 0.75 {
			t.Errorf("%s: share %.3f of %d; at least 0.75 is wanted", d.Name, r.All.Share(), r.All.N)
		}
	}
}
