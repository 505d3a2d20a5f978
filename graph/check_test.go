package graph

import (
	"testing"

	"daybook"
	"daybook/store"
)

// Versions of a tree that do not follow from each other are damage.
func TestCheckNamesVersionsOutOfOrder(t *testing.T) {
	edit := func(seq uint64, pos, version, part, base int) *op {
		return &op{Place: store.Place{Seq: seq, Pos: pos}, body: body{Op: daybook.Op{Tree: &daybook.TreeEdit{Tree: "plan", Version: version, Part: part, Base: base}}}}
	}
	for name, c := range map[string]struct {
		edits []*op
		want  int
	}{
		"sound":            {[]*op{edit(1, 0, 1, 0, 0), edit(1, 1, 1, 1, 0), edit(1, 2, 1, 2, 0), edit(2, 0, 2, 0, 1), edit(4, 0, 4, 0, 2)}, 0},
		"number again":     {[]*op{edit(1, 0, 1, 0, 0), edit(2, 0, 1, 0, 0)}, 1},
		"number goes back": {[]*op{edit(1, 0, 3, 0, 0), edit(2, 0, 2, 0, 1)}, 1},
		"base to come":     {[]*op{edit(1, 0, 1, 0, 0), edit(2, 0, 2, 0, 2)}, 1},
		"base unknown":     {[]*op{edit(1, 0, 1, 0, 0), edit(2, 0, 5, 0, 3)}, 1},
		"part missing":     {[]*op{edit(1, 0, 1, 0, 0), edit(1, 1, 1, 2, 0)}, 1},
		"part elsewhere":   {[]*op{edit(1, 0, 1, 0, 0), edit(2, 0, 1, 1, 0)}, 1},
	} {
		k := &checker{report: &Report{}, trees: map[string]*treeCheck{}}
		for _, o := range c.edits {
			k.tree(o)
		}
		if got := len(k.report.Damage) + len(k.dangling); got != c.want {
			t.Errorf("%s: %v %v, want %d", name, k.report.Damage, k.dangling, c.want)
		}
	}
}
