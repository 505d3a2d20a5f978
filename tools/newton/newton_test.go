package newton_test

import (
	"math"
	"testing"

	"daybook/tools/newton"
)

// The first pivot is 0, so rows must change places.
func TestSolve(t *testing.T) {
	x := newton.Solve([][]float64{{0, 2, 1}, {1, 1, 1}, {3, 0, -1}}, []float64{7, 6, 0})
	for i, want := range []float64{1, 2, 3} {
		if math.Abs(x[i]-want) > 1e-12 {
			t.Errorf("x[%d] is %v, want %v", i, x[i], want)
		}
	}
}

// With one signal that is 0 or 1 the best judge gives the shares that the examples have.
func TestFitGivesShares(t *testing.T) {
	var all []newton.Example
	for i := range 40 {
		all = append(all, newton.Example{Signals: []float64{0}, Yes: i < 10}, newton.Example{Signals: []float64{1}, Yes: i < 32})
	}
	j := newton.Fit(all, 1e-9, 30)
	for x, want := range []float64{0.25, 0.8} {
		if p := j.Chance([]float64{float64(x)}); math.Abs(p-want) > 1e-6 {
			t.Errorf("the chance at %d is %v, want %v", x, p, want)
		}
	}
}
