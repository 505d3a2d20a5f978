package extract

import "math"

// akinWeights judge two statements by themselves, without their surroundings: what
// a question has at hand. They were fitted on the pairs of GHOST dev.
var akinWeights = [...]float64{13.1, 2.42, 0.62, 0.28, 0.21, -1.4}

const akinBias = -4.35

// AkinAll returns how likely each two statements speak of the same state, in (0, 1),
// when what else the subject said is not at hand; SameState knows better where it is.
func AkinAll(all []Stated) [][]float64 {
	crowds, akins := make([]float64, len(all)), make([][]float64, len(all))
	for i := range all {
		crowds[i], akins[i] = crowd(all[i].Variable), make([]float64, len(all))
		for j := range i {
			akins[i][j] = akin(&all[i], &all[j], crowds[i], crowds[j])
			akins[j][i] = akins[i][j]
		}
	}
	return akins
}

// akin is how likely two statements speak of the same state, given how crowded their
// surroundings are. It is symmetric.
func akin(a, b *Stated, crowdOfA, crowdOfB float64) float64 {
	signals := [len(akinWeights)]float64{
		Likeness(a.Variable, b.Variable) - (crowdOfA+crowdOfB)/2,
		overlap(a.Words, b.Words),
		real(a.Type == b.Type),
		real(a.Changed) + real(b.Changed),
		real(a.Unique) + real(b.Unique),
		real(a.weak()) + real(b.weak()),
	}
	s := akinBias
	for i, x := range signals {
		s += akinWeights[i] * x
	}
	return 1 / (1 + math.Exp(-s))
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
		s := Likeness(variable, j.Cohort[i][:])
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
