package main

import (
	"fmt"
	"go/format"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"daybook/recall"
)

// sums are what the questions of one group add up to.
type sums struct{ n, r5, r10, r20, pool, mrr float64 }

func (s *sums) mean(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x/s.n), "0") }

// table is the sums by data set, and by data set and category.
type table map[string]*sums

func (t table) at10(name string) string {
	if s := t[name]; s != nil {
		return s.mean(s.r10)
	}
	return ""
}

// measure adds up recall and reciprocal rank.
func measure(lists []list, order func(list) []int) table {
	t := table{}
	for _, l := range lists {
		one := l.measure(order(l))
		for _, name := range []string{l.Set, l.Set + " " + l.Category} {
			if t[name] == nil {
				t[name] = &sums{}
			}
			g := t[name]
			g.n, g.r5, g.r10, g.r20, g.pool, g.mrr = g.n+1, g.r5+one.r5, g.r10+one.r10, g.r20+one.r20, g.pool+one.pool, g.mrr+one.mrr
		}
	}
	return t
}

// measure is for one question.
func (l list) measure(order []int) (s sums) {
	share := 1 / float64(l.Gold)
	for rank, i := range order {
		if !l.IsGold[i] {
			continue
		}
		s.mrr = max(s.mrr, 1/float64(rank+1))
		s.pool += share
		for _, at := range []struct {
			sum *float64
			k   int
		}{{&s.r5, 5}, {&s.r10, 10}, {&s.r20, 20}} {
			if rank < at.k {
				*at.sum += share
			}
		}
	}
	return s
}

// report prints recall and reciprocal rank, by data set and category.
func report(lists []list, order func(list) []int) {
	t := measure(lists, order)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		g := t[name]
		fmt.Printf("  %-34s n %3.0f  R@5 %s  R@10 %s  R@20 %s  pool %s  MRR %s\n", name, g.n, g.mean(g.r5), g.mean(g.r10), g.mean(g.r20), g.mean(g.pool), g.mean(g.mrr))
	}
}

// begin is where the fitted part of the file of weights begins.
const begin = "// weights say how much each signal counts"

// text is the fitted part.
func text(w recall.Signals) string {
	var out strings.Builder
	out.WriteString(begin + ". Fitted by tools/rank;\n// docs/results.md has the run.\nvar weights = Signals{\n")
	for i, v := range w {
		if math.Abs(v) >= 0.0005 {
			fmt.Fprintf(&out, "\t%#v: %.3f,\n", recall.Signal(i), v)
		}
	}
	out.WriteString("}\n")
	return out.String()
}

func print(w recall.Signals) error {
	fmt.Print(text(w))
	return nil
}

// write puts the fitted part into the file of weights.
func write(path string, w recall.Signals) error {
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
