package eval_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"daybook/eval"
	when "daybook/timex"
)

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
