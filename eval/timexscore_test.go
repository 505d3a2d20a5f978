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

// TestScoreTimex measures timex on the specs and fails below 0.85.
func TestScoreTimex(t *testing.T) {
	dir := os.Getenv("DAYBOOK_DATA")
	if dir == "" {
		t.Skip("SKIPPED: DAYBOOK_DATA is not set; timex was not measured on the specs")
	}
	specs, hash, err := eval.LoadTimex(filepath.Join(dir, "time_expressions"))
	if err != nil {
		t.Fatal(err)
	}
	r := eval.ScoreTimex(specs)
	t.Logf("data %.12s", hash)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		t.Logf("%-18s %4d/%4d  %.3f", name, r.Files[name].Right, r.Files[name].N, r.Files[name].Share())
	}
	for _, name := range slices.Sorted(maps.Keys(r.Types)) {
		t.Logf("type %-13s %4d/%4d  %.3f", name, r.Types[name].Right, r.Types[name].N, r.Types[name].Share())
	}
	t.Logf("%-18s %4d/%4d  %.3f", "all", r.All.Right, r.All.N, r.All.Share())
	t.Logf("%-18s %4d/%4d  %.3f", "nothing to find", r.Silence.Right, r.Silence.N, r.Silence.Share())
	for _, why := range slices.Sorted(maps.Keys(r.Excluded)) {
		t.Logf("excluded %4d  %s", r.Excluded[why], why)
	}
	if os.Getenv("DAYBOOK_MISSES") != "" {
		for _, m := range r.Missed {
			t.Logf("MISS %s %d %s %q in %q: want %q got %s", m.File, m.Number, m.Type, m.Text, m.Input, m.Want, shown(m.Got))
		}
	}
	if r.All.N < 500 || r.All.Share() < 0.85 {
		t.Errorf("share %.3f of %d; at least 0.85 is wanted", r.All.Share(), r.All.N)
	}
}

func shown(found []when.Expr) string {
	out := ""
	for _, e := range found {
		out += "[" + e.Text + ": " + string(e.Kind) + " " + e.Span.String() + "]"
	}
	return out
}
