package extract

import (
	"cmp"
	"math"
	"slices"

	"daybook/english"
)

// Stated is a statement of a state with the vector of its variable.
type Stated struct {
	Statement
	Variable []float32
	Sure     float64 // that the sentence states something, in (0, 1)
	traits   []float32
}

// sureEnough is how sure the judge must be that a sentence states something for
// its statement to be compared with others.
const sureEnough = 0.5

// At is the statement as it reads from another vector of its sentence, such as one
// that was kept with less precision.
func (s Stated) At(vector []float32) Stated {
	p := fitted().roles(vector, s.traits)
	s.Variable, s.Sure = VariableOf(vector), p[States]+p[Others]
	return s
}

// Restate reads a statement again from the words of its sentence, by its value and
// the vector that was kept of it.
func Restate(words, object string, vector []float32) (Stated, bool) {
	for _, s := range english.Read(words) {
		if c, ok := as(&s, object); ok {
			return Stated{Statement: stateWith(&s, c, 1), traits: Traits(&s)}.At(vector), true
		}
		for _, st := range statements(&s) {
			if st.Object == object {
				return Stated{Statement: st, traits: Traits(&s)}.At(vector), true
			}
		}
	}
	return Stated{}, false
}

// Standing is how near one statement is to another among all those of its subject
// that give another value.
type Standing struct {
	Rank  int     // how many other values are nearer
	Crowd float64 // how alike the values around it are, by CrowdOf
}

// The values around a statement that tell how crowded its surroundings are: from
// the third nearest on, as the nearest may be of its own state. Those that are less
// alike than CrowdFloor, or missing, count as that alike.
const (
	crowdFrom  = 2
	crowdTo    = 12
	CrowdFloor = 0.2
)

// StrangerCount is how many statements of a subject make a crowd of their own.
// Where there are fewer, strangers stand in for the rest: among few statements
// even two that have nothing to do with each other are nearest.
const StrangerCount = 100

// Strangers returns how alike a variable is to each of the strangers.
func Strangers(variable []float32) []float64 {
	likes := make([]float64, StrangerCount)
	for i := range likes {
		likes[i] = Likeness(variable, fitted().Strangers[i][:])
	}
	return likes
}

// CrowdOf is the mean likeness of the values around a statement, given how alike
// all of them are.
func CrowdOf(likes []float64) float64 {
	top := make([]float64, 0, crowdTo+1)
	for _, s := range likes {
		if s <= CrowdFloor || len(top) == crowdTo && s <= top[crowdTo-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, s, func(a, b float64) int { return cmp.Compare(b, a) })
		top = slices.Insert(top, at, s)[:min(len(top)+1, crowdTo)]
	}
	sum := 0.0
	for i := crowdFrom; i < crowdTo; i++ {
		if i < len(top) {
			sum += top[i]
		} else {
			sum += CrowdFloor
		}
	}
	return sum / (crowdTo - crowdFrom)
}

// pairWeights say from when on two statements of one subject speak of one state;
// pairOf has what each weighs. tools/pairs fitted them on made-up speakers;
// docs/results.md has the run.
var pairWeights = [pairSignals]float64{0.85, 8.18, -0.39, 1.41, 0.86, 0.10, 0.56, -0.24, -0.30, -0.89}

const (
	pairSignals = 10
	pairBias    = -4.38
)

// SameState returns how likely two statements of one subject speak of the same
// state, in (0, 1), by how alike their variables are, how each stands to the other,
// and what they say. It is symmetric: which came first does not matter.
func SameState(a, b *Stated, x, y Standing) float64 {
	return logistic(pairOf(a, b, x, y))
}

// SameStateAtMost is the most that SameState may return for two statements of
// which only the likeness and the standings are known.
func SameStateAtMost(likeness float64, x, y Standing) float64 {
	best := standing(likeness, x, y)
	for i, most := range mostSaid {
		if most > 0 && pairWeights[i] > 0 {
			best[i] = most
		}
	}
	return logistic(best)
}

// mostSaid is the most that a signal of what two statements say can be; of the
// vectors nothing is assumed.
var mostSaid = [pairSignals]float64{3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 2, 9: 1}

func logistic(signals [pairSignals]float64) float64 {
	s := pairBias
	for i, x := range signals {
		s += pairWeights[i] * x
	}
	return 1 / (1 + math.Exp(-s))
}

// PairSignals are what SameState weighs, in a fixed order: tools/pairs fits the
// weights on them.
func PairSignals(a, b *Stated, x, y Standing) []float64 {
	s := pairOf(a, b, x, y)
	return s[:]
}

func pairOf(a, b *Stated, x, y Standing) [pairSignals]float64 {
	s := standing(Likeness(a.Variable, b.Variable), x, y)
	s[3] = overlap(a.Words, b.Words)
	s[4] = real(a.Type == b.Type)
	s[5] = real(a.Changed) + real(b.Changed)
	s[6] = real(a.Unique) + real(b.Unique)
	s[7] = real(a.weak()) + real(b.weak())
	s[8] = real(len(a.Words) == 0) + real(len(b.Words) == 0)
	s[9] = real(a.Unique && b.Unique && overlap(a.Things, b.Things) == 0) // "my bank is", "my card is"
	return s
}

// standing fills in what the vectors tell: likeness, likeness beyond that of the
// surroundings, and the two ranks.
func standing(likeness float64, x, y Standing) (s [pairSignals]float64) {
	s[0] = likeness
	s[1] = likeness - (x.Crowd+y.Crowd)/2
	s[2] = math.Log1p(float64(x.Rank)) + math.Log1p(float64(y.Rank))
	return s
}

// weak reports whether the form of the value tells little of what it is a value of.
func (st *Statement) weak() bool { return st.Type == Thing || st.Type == Quality }

// Telling reports whether the form of the value tells what it may be a value of: a
// name, a number, a time.
func (st *Statement) Telling() bool { return !st.weak() }

// Likeness is the cosine of two variables, which have unit length.
func Likeness(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+3 < len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return float64(s0 + s1 + s2 + s3)
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
