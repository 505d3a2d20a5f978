// Package newton answers: which weights make a judge of few signals fit its examples
// best?
//
// The tools that fit such judges share it. Start reading at Fit.
package newton

import (
	"math"
	"slices"
)

// Example is what a judge sees of one case, and whether the answer is yes.
type Example struct {
	Signals []float64
	Yes     bool
}

// Judge is a logistic function of its signals.
type Judge struct {
	Weights []float64
	Bias    float64
}

// Chance is how likely the answer is yes.
func (j Judge) Chance(signals []float64) float64 {
	s := j.Bias
	for i, x := range signals {
		s += j.Weights[i] * x
	}
	return 1 / (1 + math.Exp(-s))
}

// Fit is logistic regression by Newton's method in so many steps. The ridge keeps
// weights small and must be above 0; there must be an example.
func Fit(all []Example, ridge float64, steps int) Judge {
	n := len(all[0].Signals)
	j := Judge{Weights: make([]float64, n)}
	for range steps {
		step := Solve(derive(all, j, ridge))
		for i := range j.Weights {
			j.Weights[i] += step[i]
		}
		j.Bias += step[n]
	}
	return j
}

// derive returns the second and the first derivatives of the log likelihood, turned so
// that a step of Newton's is their quotient. The bias comes last.
func derive(all []Example, j Judge, ridge float64) (hessian [][]float64, gradient []float64) {
	w := append(slices.Clone(j.Weights), j.Bias)
	hessian, gradient = make([][]float64, len(w)), make([]float64, len(w))
	for i := range w {
		hessian[i] = make([]float64, len(w))
		hessian[i][i], gradient[i] = ridge, -ridge*w[i]
	}
	for _, e := range all {
		x, p := append(slices.Clone(e.Signals), 1), j.Chance(e.Signals)
		d := -p
		if e.Yes {
			d++
		}
		for i := range x {
			gradient[i] += d * x[i]
			for k := range x {
				hessian[i][k] += p * (1 - p) * x[i] * x[k]
			}
		}
	}
	return hessian, gradient
}

// Solve returns x with a·x = b, by elimination with pivots. It changes both.
func Solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		p := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p], b[i], b[p] = a[p], a[i], b[p], b[i]
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < n; c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = b[i]
		for c := i + 1; c < n; c++ {
			x[i] -= a[i][c] * x[c]
		}
		x[i] /= a[i][i]
	}
	return x
}
