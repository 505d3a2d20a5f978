package tree_test

import (
	"fmt"
	"slices"
	"testing"

	"daybook"
	"daybook/tree"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var sameNodes = cmp.Options{cmpopts.IgnoreUnexported(tree.Node{}), cmpopts.EquateEmpty()}

// plant makes the first version of a small plan.
func plant(t testing.TB) []*tree.Version {
	t.Helper()
	file := &tree.Node{Type: "Plan", SourceID: "p"}
	for d := range 3 {
		day := &tree.Node{Type: "Day", SourceID: fmt.Sprintf("d%d", d), Attrs: []tree.Attr{{"index", fmt.Sprint(d + 1)}}}
		for i := range 3 {
			day.Children = append(day.Children, &tree.Node{Type: "Stop", SourceID: fmt.Sprintf("d%d.s%d", d, i), Attrs: []tree.Attr{{"name", fmt.Sprint("stop ", i)}}})
		}
		file.Children = append(file.Children, day)
	}
	edits, err := tree.Plant("plan", file, "import")
	if err != nil {
		t.Fatal(err)
	}
	return fold(nil, edits)
}

func fold(versions []*tree.Version, edits []daybook.TreeEdit) []*tree.Version {
	var all []tree.Edit
	for _, e := range edits {
		all = append(all, tree.Edit{TreeEdit: e})
	}
	return tree.Fold(versions, all)
}

// drawChange draws a change that can be made on a version.
func drawChange(rt *rapid.T, v *tree.Version, n int) daybook.TreeChange {
	var days, stops []string
	for _, d := range v.Task().Children {
		days = append(days, d.ID)
		for _, s := range d.Children {
			stops = append(stops, s.ID)
		}
	}
	day := rapid.SampledFrom(days).Draw(rt, "day")
	at := rapid.IntRange(0, 4).Draw(rt, "at")
	kind := rapid.SampledFrom([]string{"add", "set", "move", "remove", "shift"}).Draw(rt, "kind")
	if len(stops) == 0 {
		kind = "add"
	}
	switch kind {
	case "set":
		return daybook.TreeChange{Set: &daybook.TreeSet{Node: rapid.SampledFrom(stops).Draw(rt, "stop"), Attrs: [][2]string{{"name", fmt.Sprint("changed ", n)}}}}
	case "move":
		return daybook.TreeChange{Move: &daybook.TreeMove{Node: rapid.SampledFrom(stops).Draw(rt, "stop"), Parent: day, At: at}}
	case "shift":
		return daybook.TreeChange{Move: &daybook.TreeMove{Node: day, Parent: v.Task().ID, At: at}}
	case "remove":
		return daybook.TreeChange{Remove: rapid.SampledFrom(stops).Draw(rt, "stop")}
	}
	return daybook.TreeChange{Add: &daybook.TreeNode{ID: fmt.Sprintf("new%d", n), Type: "Stop", Parent: day, At: at, Attrs: [][2]string{{"name", fmt.Sprint("new ", n)}}}}
}

// Older versions stay as they were, any two versions can be made of each other by
// their changes, and a node is where the index says.
func TestLawVersions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		versions := plant(t)
		var shots []*tree.Node
		shot := func() { shots = append(shots, deep(versions[len(versions)-1].Root())) }
		shot()
		for n := range rapid.IntRange(1, 8).Draw(rt, "edits") {
			v := versions[len(versions)-1]
			var changes []daybook.TreeChange
			for i := range rapid.IntRange(1, 3).Draw(rt, "changes") {
				c := drawChange(rt, v, 10*n+i)
				if tree.Check(v, tree.Infer(v.Root()), append(slices.Clone(changes), c)) == nil {
					changes = append(changes, c)
				}
			}
			versions = fold(versions, []daybook.TreeEdit{{Tree: "plan", Version: v.Number + 1, Changes: changes}})
			shot()
		}
		for i, v := range versions {
			if diff := cmp.Diff(shots[i], v.Root(), sameNodes); diff != "" {
				rt.Fatalf("version %d changed later:\n%s", v.Number, diff)
			}
			if j := rapid.IntRange(0, len(versions)-1).Draw(rt, "other"); j != i {
				w := versions[j]
				made := fold(versions[:i+1], []daybook.TreeEdit{{Tree: "plan", Version: 99, Changes: tree.Changes(v, w)}})
				if diff := cmp.Diff(shots[j], made[len(made)-1].Root(), sameNodes); diff != "" {
					rt.Fatalf("version %d made of %d by %v:\n%s", w.Number, v.Number, tree.Changes(v, w), diff)
				}
			}
			checkIndex(rt, v, v.Root(), nil)
		}
	})
}

func deep(n *tree.Node) *tree.Node {
	c := *n
	c.Children, c.Attrs = nil, slices.Clone(n.Attrs)
	for _, child := range n.Children {
		c.Children = append(c.Children, deep(child))
	}
	return &c
}

func checkIndex(rt *rapid.T, v *tree.Version, n, parent *tree.Node) {
	if v.Find(n.ID) != n || v.Parent(n.ID) != parent {
		rt.Fatalf("version %d: node %s is not where the index has it", v.Number, n.ID)
	}
	for _, c := range n.Children {
		checkIndex(rt, v, c, n)
	}
}
