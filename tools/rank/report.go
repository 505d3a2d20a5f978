package main

import (
	"fmt"
	"go/format"
	"maps"
	"os"
	"slices"
	"strings"

	"daybook/recall"
)

// report prints recall and reciprocal rank, by data set and category.
func report(lists []list, order func(list) []int) {
	type sums struct{ n, r5, r10, r20, pool, mrr float64 }
	groups := map[string]*sums{}
	for _, l := range lists {
		found, first := [4]float64{}, 0.0
		for rank, i := range order(l) {
			if !l.IsGold[i] {
				continue
			}
			if first == 0 {
				first = 1 / float64(rank+1)
			}
			for at, k := range []int{5, 10, 20, 1 << 30} {
				if rank < k {
					found[at] += 1 / float64(l.Gold)
				}
			}
		}
		for _, name := range []string{l.Set, l.Set + " " + l.Category} {
			g := groups[name]
			if g == nil {
				g = &sums{}
				groups[name] = g
			}
			g.n++
			g.r5, g.r10, g.r20, g.pool, g.mrr = g.r5+found[0], g.r10+found[1], g.r20+found[2], g.pool+found[3], g.mrr+first
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		fmt.Printf("  %-34s n %3.0f  R@5 %.3f  R@10 %.3f  R@20 %.3f  pool %.3f  MRR %.3f\n", name, g.n, g.r5/g.n, g.r10/g.n, g.r20/g.n, g.pool/g.n, g.mrr/g.n)
	}
}

// begin is where the fitted part of the file of weights begins.
const begin = "// weights say how much each signal counts"

// text is the fitted part.
func text(w recall.WeightSet) string {
	var out strings.Builder
	for i, part := range []struct {
		doc, name string
		values    recall.Signals
	}{
		{begin + ", in talk among people. Fitted by\n// tools/rank; docs/results.md has the run.", "weights", w.Plain},
		{"// assisted are added to the weights in so far as a person talks to an assistant,\n// in long messages.", "assisted", w.Assisted},
	} {
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s\nvar %s = Signals{\n", part.doc, part.name)
		for i, v := range part.values {
			fmt.Fprintf(&out, "\t%#v: %.3f,\n", recall.Signal(i), v)
		}
		out.WriteString("}\n")
	}
	return out.String()
}

func print(w recall.WeightSet) error {
	fmt.Print(text(w))
	return nil
}

// write puts the fitted part into the file of weights.
func write(path string, w recall.WeightSet) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	kept, _, ok := strings.Cut(string(old), begin)
	if !ok {
		return fmt.Errorf("%s has no line that begins with %q", path, begin)
	}
	made, err := format.Source([]byte(kept + text(w)))
	if err != nil {
		return err
	}
	return os.WriteFile(path, made, 0o644)
}
