package extract

import (
	"math"
	"slices"
)

// Stated is a statement of a state with the vector of its variable.
type Stated struct {
	Statement
	Variable []float32
}

// pairWeights say from when on two statements of one subject speak of one state.
// They were fitted on the pairs of GHOST dev; docs/results.md has the run, and how
// it does on attributes that were left out.
var pairWeights = [pairSignals]float64{0, 13.1, 2.42, 0.62, 0.28, 0.21, -1.4}

const (
	pairSignals = 7
	pairBias    = -4.35
)

// SameState returns how likely two statements of one subject speak of the same
// state, in (0, 1). It is symmetric: which came first does not matter.
func SameState(a, b Stated) float64 {
	s := pairBias
	for i, x := range pairOf(a, b) {
		s += pairWeights[i] * x
	}
	return 1 / (1 + math.Exp(-s))
}

// PairSignals is what SameState looks at, for fitting.
func PairSignals(a, b Stated) []float64 { x := pairOf(a, b); return x[:] }

func pairOf(a, b Stated) [pairSignals]float64 {
	likeness := dot(a.Variable, b.Variable)
	weak := func(s Stated) float64 { return real(s.Type == Thing || s.Type == Quality) }
	return [pairSignals]float64{
		likeness,
		likeness - (crowd(a.Variable)+crowd(b.Variable))/2,
		overlap(a.Words, b.Words),
		real(a.Type == b.Type),
		real(a.Changed) + real(b.Changed),
		real(a.Unique) + real(b.Unique),
		weak(a) + weak(b),
	}
}

// crowdSize is how many of the cohort tell how crowded a statement's surroundings
// are.
const crowdSize = 12

// crowd is the mean likeness of a variable to the nearest of the cohort.
func crowd(variable []float32) float64 {
	var top [crowdSize]float64
	for i := range top {
		top[i] = -1
	}
	j := fitted()
	for i := range j.Cohort {
		s := dot(variable, j.Cohort[i][:])
		for k := 0; k < crowdSize && s > top[crowdSize-1]; k++ {
			if s > top[k] {
				copy(top[k+1:], top[k:crowdSize-1])
				top[k] = s
				break
			}
		}
	}
	sum := 0.0
	for _, s := range top {
		sum += s
	}
	return sum / crowdSize
}

func dot(a, b []float32) float64 {
	s := float32(0)
	for i := range min(len(a), len(b)) {
		s += a[i] * b[i]
	}
	return float64(s)
}

// overlap is the share of the shorter list's words that the other has.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

func real(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
