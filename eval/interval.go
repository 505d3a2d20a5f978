package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// How often is drawn. More draws narrow the noise of the bounds, not the bounds.
const (
	intervalDraws = 1000
	pairDraws     = 10000
)

// Interval is a mean with its 95 % bootstrap interval.
type Interval struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bootstrap gives the mean of the values and the interval between the 2.5th and
// the 97.5th percentile of the means of samples drawn from them with replacement.
// The same values in the same order and the same seed give the same interval.
// Questions are taken as independent; those of one conversation are not quite,
// so the interval is, if anything, too narrow.
func Bootstrap(values []float64, seed uint64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	low, high := percentiles(resample(values, intervalDraws, seed))
	return Interval{N: len(values), Mean: mean(values), Low: low, High: high}
}

// Difference is how much better one system is than another on the same
// questions.
type Difference struct {
	Interval         // of the differences b − a
	P        float64 `json:"p"` // two-sided
}

// Significant reports whether the difference would be this large by chance in
// fewer than 5 of 100 cases.
func (d Difference) Significant() bool { return d.N > 0 && d.P < 0.05 }

// Compare sets b against a, question by question: the paired bootstrap. P is the
// share of samples, drawn from the differences after their mean was taken off,
// whose mean is at least as far from zero as the one observed; one sample is
// added to both counts, so that P is never 0. It panics unless a and b have the
// same length; Pair gives such.
func Compare(a, b []float64, seed uint64) Difference {
	if len(a) != len(b) {
		panic("eval: Compare needs as many values of a as of b")
	}
	if len(a) == 0 {
		return Difference{P: 1}
	}
	diffs := make([]float64, len(a))
	for i := range a {
		diffs[i] = b[i] - a[i]
	}
	means := resample(diffs, pairDraws, seed)
	observed := mean(diffs)
	extreme := 1
	for _, m := range means {
		// Equal means differ in the last bits, by the order of their sums.
		if math.Abs(m-observed) >= math.Abs(observed)-1e-12 {
			extreme++
		}
	}
	low, high := percentiles(means)
	return Difference{
		Interval: Interval{N: len(diffs), Mean: observed, Low: low, High: high},
		P:        float64(extreme) / float64(len(means)+1),
	}
}

// Pair lines up the scores of the questions that both systems have, in the order
// of their ids.
func Pair(a, b map[string]float64) (x, y []float64) {
	var ids []string
	for id := range a {
		if _, ok := b[id]; ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		x, y = append(x, a[id]), append(y, b[id])
	}
	return x, y
}

// resample returns the sorted means of samples as large as values.
func resample(values []float64, draws int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6461_7962_6f6f_6b))
	means := make([]float64, draws)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return means
}

// percentiles returns the 2.5th and the 97.5th of sorted values, between
// neighbours by proportion.
func percentiles(sorted []float64) (low, high float64) {
	return quantile(sorted, 0.025), quantile(sorted, 0.975)
}

func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	i := int(place)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (place-float64(i))*(sorted[i+1]-sorted[i])
}

// mean adds in the order given, as the scorers do; 0 for none.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
