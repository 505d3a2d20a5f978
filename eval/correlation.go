package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Pearson is the correlation of two lists of the same length; 0 where one of them
// does not vary.
func Pearson(a, b []float64) float64 {
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// Spearman is the correlation of the ranks; equal values have their mean rank.
func Spearman(a, b []float64) float64 { return Pearson(ranksOf(a), ranksOf(b)) }

func ranksOf(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j-1)/2 + 1
		}
		i = j
	}
	return ranks
}

// BootstrapOf gives a statistic of n cases and the interval between the 2.5th and
// the 97.5th percentile of the same over samples drawn from them with
// replacement. The statistic is handed the numbers of the cases that it is over.
func BootstrapOf(n int, seed uint64, statistic func(cases []int) float64) Interval {
	if n == 0 {
		return Interval{}
	}
	cases := make([]int, n)
	for i := range cases {
		cases[i] = i
	}
	whole := statistic(cases)
	rng := rand.New(rand.NewPCG(seed, 0x6461_7962_6f6f_6b))
	draws := make([]float64, intervalDraws)
	for d := range draws {
		for i := range cases {
			cases[i] = rng.IntN(n)
		}
		draws[d] = statistic(cases)
	}
	slices.Sort(draws)
	low, high := percentiles(draws)
	return Interval{N: n, Mean: whole, Low: low, High: high}
}

// pairStatistic is a statistic of two lists over chosen cases.
func pairStatistic(a, b []float64, of func(a, b []float64) float64) func([]int) float64 {
	x, y := make([]float64, len(a)), make([]float64, len(b))
	return func(cases []int) float64 {
		for i, c := range cases {
			x[i], y[i] = a[c], b[c]
		}
		return of(x[:len(cases)], y[:len(cases)])
	}
}
