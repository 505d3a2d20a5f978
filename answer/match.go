package answer

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"daybook/extract"
)

// Sizes of the fitted parts.
const (
	vectorDim   = 384 // of the encoder that they were fitted on
	variableDim = 96  // of extract.VariableOf
	matchCount  = 7
	knownCount  = 7
)

// matcher holds the fitted weights: a map from the vectors of a question to that of
// the state variable it asks for, the judge that says how likely a statement tells
// what is asked, and the judge that says whether anything does. tools/questions
// fits them on sentences written for the purpose.
type matcher struct {
	Mean      [2 * vectorDim]float32
	Map       [2 * vectorDim][variableDim]float32
	Said      [vectorDim]float32 // the mean of the vectors of statements
	Match     [matchCount]float32
	MatchBias float32
	Known     [knownCount]float32
	KnownBias float32
	Group     [groupCount]float32
	GroupBias float32
}

//go:embed assets/questions.bin
var matcherFile []byte

// fitted unpacks the weights at the first use.
var fitted = sync.OnceValue(func() *matcher {
	m := new(matcher)
	extract.Unpack(m, matcherFile, "answer/assets/questions.bin, made by tools/questions")
	return m
})

// Embedded returns the question with the vector of the state variable it asks for.
// Query is the vector of the text as a query, statement that of the Statement (or
// of the text, where that is empty) as a text. Vectors of another size than the map
// was fitted on leave the question as it is.
func (q Question) Embedded(query, statement []float32) Question {
	if len(query) != vectorDim || len(statement) != vectorDim {
		return q
	}
	m := fitted()
	z := make([]float32, variableDim)
	for i := range m.Map {
		x := at(query, statement, i) - m.Mean[i]
		for k, w := range m.Map[i] {
			z[k] += x * w
		}
	}
	q.Variable = unit(z)
	q.Vector = unit(sum(unit(less(query, m.Mean[:vectorDim])), unit(less(statement, m.Mean[vectorDim:]))))
	return q
}

// Centred is the vector of a statement as questions are compared with it: apart
// from what all statements have in common. It is nil for a vector of another size
// than the judges were fitted on.
func Centred(vector []float32) []float32 {
	if len(vector) != vectorDim {
		return nil
	}
	return unit(less(vector, fitted().Said[:]))
}

// SaidMean is what the vectors of all statements have in common.
func SaidMean() []float32 { return fitted().Said[:] }

// WordLikeness measures the likeness of the question's words to a sentence: Likeness of
// Vector and Centred. It is given the products of the sentence's vector, as the encoder
// made it, with Vector, with SaidMean and with itself.
func (q *Question) WordLikeness() func(withVector, withMean, square float32) float64 {
	if len(q.Vector) != vectorDim {
		return func(_, _, _ float32) float64 { return 0 }
	}
	var own, mean float64
	for i, m := range fitted().Said {
		own += float64(q.Vector[i]) * float64(m)
		mean += float64(m) * float64(m)
	}
	return func(withVector, withMean, square float32) float64 {
		length := float64(square) - 2*float64(withMean) + mean
		return (float64(withVector) - own) / math.Sqrt(max(length, 1e-12))
	}
}

func less(a, b []float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

func sum(a, b []float32) []float32 {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func at(a, b []float32, i int) float32 {
	if i < len(a) {
		return a[i]
	}
	return b[i-len(a)]
}

func unit(z []float32) []float32 {
	norm := 0.0
	for _, v := range z {
		norm += float64(v) * float64(v)
	}
	scale := float32(1 / math.Sqrt(max(norm, 1e-12)))
	for k := range z {
		z[k] *= scale
	}
	return z
}

// Background is how like the question the statements of the subject are on the
// whole, by the state that they speak of and by their words: what answers must
// stand out against it.
type Background struct {
	Variable, Vector Spread
	N                int
}

// Spread is a mean with the deviation from it.
type Spread struct{ Mean, Dev float64 }

// BackgroundOf sums up likenesses by state and by words. Where there are few, what
// is usual stands in for the rest: among three statements one always stands out.
func BackgroundOf(variable, vector []float64) Background {
	return Background{Variable: usualVariable.with(variable), Vector: usualVector.with(vector), N: len(variable)}
}

// What is usual between a question and the statements of a conversation that have
// nothing to do with it, and for how many statements it counts. tools/questions
// prints it.
var (
	usualVariable = Spread{Dev: 0.18}
	usualVector   = Spread{Dev: 0.1}
)

const usualCount = 20

// with is the spread of likenesses, taken together with the usual one.
func (s Spread) with(likes []float64) Spread {
	n := float64(len(likes))
	sum, squares := usualCount*s.Mean, usualCount*(s.Dev*s.Dev+s.Mean*s.Mean)
	for _, l := range likes {
		sum, squares = sum+l, squares+l*l
	}
	mean := sum / (n + usualCount)
	return Spread{Mean: mean, Dev: math.Sqrt(max(0, squares/(n+usualCount)-mean*mean))}
}

// Standard is how many deviations a likeness lies above the mean.
func (s Spread) Standard(like float64) float64 { return (like - s.Mean) / max(s.Dev, 0.05) }

// matchSignals are what the judge of matches looks at.
func matchSignals(q *Question, c *Claim, b Background) [matchCount]float64 {
	like, direct := Likeness(q.Variable, c.Variable), Likeness(q.Vector, c.Vector)
	shared := sharedWords(q.Words, c.Words)
	fits := 0.0
	if len(q.Wants) > 0 {
		fits = -1
		if slices.Contains(q.Wants, c.Type) {
			fits = 1
		}
	}
	return [matchCount]float64{like, b.Variable.Standard(like), direct, b.Vector.Standard(direct), shared, real(shared > 0), fits}
}

// standsOut is by how much a claim stands out against the background.
func standsOut(s [matchCount]float64) float64 { return s[1] + s[3] }

// match is how likely the claim tells what the question asks, in (0, 1).
func match(s [matchCount]float64) float64 {
	m := fitted()
	return logistic(m.MatchBias, m.Match[:], s[:])
}

// logistic is the likelihood that fitted weights give signals.
func logistic(bias float32, weights []float32, signals []float64) float64 {
	sum := float64(bias)
	for i, w := range weights {
		sum += float64(w) * signals[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// known is how likely the notes hold the answer: whether the best claim stands out
// against the others. The signals are those of the claims, what stands out most
// first.
func known(best [][matchCount]float64) float64 {
	if len(best) == 0 {
		return 0
	}
	m := fitted()
	shared := 0.0
	for _, s := range best[:min(3, len(best))] {
		shared = max(shared, s[4])
	}
	first, fourth := best[0], best[min(3, len(best)-1)]
	signals := [knownCount]float64{first[0], first[1], first[2], first[3], standsOut(first) - standsOut(fourth), shared, first[6]}
	return logistic(m.KnownBias, m.Known[:], signals[:])
}

// Likeness is the cosine of two vectors of state variables; 0 where one is
// missing.
func Likeness(a, b []float32) float64 {
	sum := float32(0)
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return float64(sum)
}

// sharedWords is the share of the question's words that a claim has.
func sharedWords(asked, said []string) float64 {
	if len(asked) == 0 {
		return 0
	}
	n := 0
	for _, w := range asked {
		if slices.Contains(said, w) {
			n++
		}
	}
	return float64(n) / float64(len(asked))
}

func real(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
