package main

import (
	"math"
	"math/rand/v2"

	"daybook/answer"
	"daybook/tools/newton"
)

// What the fit is given. A question whose best span shares less than leastF1 with the
// answer teaches nothing; of the spans that share little only some are looked at.
const (
	epochs    = 14
	rate      = 2e-3
	decay     = 2e-4
	leastF1   = 0.25
	littleF1  = 0.15
	someSpans = 150
)

// fit fits a reader: the better a span answers, the more of the probability over all
// spans of its question it should have.
func fit(all []example, seed uint64) *answer.SpanReader {
	rng := rand.New(rand.NewPCG(seed, 7))
	r, m, v := new(answer.SpanReader), new(answer.SpanReader), new(answer.SpanReader)
	for _, part := range [][]float32{r.Out[:]} {
		random(rng, part)
	}
	for h := range r.In {
		random(rng, r.In[h][:])
	}
	step := 0
	for epoch := range epochs {
		falling := rate * (1 - 0.8*float64(epoch)/epochs)
		for _, at := range rng.Perm(len(all)) {
			x := &all[at]
			if x.best < leastF1 || x.intent == answer.WantsDate {
				continue
			}
			step++
			adam(r, gradient(r, x, rng), m, v, step, falling)
		}
	}
	return r
}

func random(rng *rand.Rand, part []float32) {
	for i := range part {
		part[i] = float32(rng.NormFloat64() * 0.15)
	}
}

// drawn is a span that is looked at, with the values of its hidden units and its
// score, set right for those that were not drawn.
type drawn struct {
	at     int
	hidden [answer.SpanHidden]float32
	score  float64
}

// gradient is that of one question.
func gradient(r *answer.SpanReader, x *example, rng *rand.Rand) *answer.SpanReader {
	some := draw(r, x, rng)
	top, sum, want := math.Inf(-1), 0.0, 0.0
	for _, s := range some {
		top, want = max(top, s.score), want+sharpened(x.f1[s.at])
	}
	for _, s := range some {
		sum += math.Exp(s.score - top)
	}
	grad := new(answer.SpanReader)
	for i := range some {
		s := &some[i]
		d := math.Exp(s.score-top)/sum - sharpened(x.f1[s.at])/want
		if math.Abs(d) > 1e-5 {
			backward(r, grad, s, x.sparse[s.at], float32(d))
		}
	}
	return grad
}

// draw takes all spans that share much with the answer and some of the others.
func draw(r *answer.SpanReader, x *example, rng *rand.Rand) (some []drawn) {
	little := 0
	for _, f := range x.f1 {
		if f < littleF1 {
			little++
		}
	}
	share := min(1, someSpans/float64(max(1, little)))
	for i, f := range x.f1 {
		if f < littleF1 && rng.Float64() >= share {
			continue
		}
		s := forward(r, x.sparse[i])
		s.at = i
		if f < littleF1 {
			s.score -= math.Log(share)
		}
		some = append(some, s)
	}
	return some
}

// sharpened is how much of the probability a span should have: much more for the
// best than for those that are nearly as good.
func sharpened(f1 float64) float64 { return f1 * f1 * f1 * f1 }

// forward is SpanReader.Score on signals of which most are 0.
func forward(r *answer.SpanReader, x []entry) (s drawn) {
	score := float32(0)
	for _, e := range x {
		score += r.Direct[e.at] * e.value
	}
	for h := range r.In {
		z := r.Bias[h]
		for _, e := range x {
			z += r.In[h][e.at] * e.value
		}
		s.hidden[h] = max(0, z)
		score += r.Out[h] * s.hidden[h]
	}
	s.score = float64(score)
	return s
}

// backward adds how the score of a span changes with each weight, d times.
func backward(r, grad *answer.SpanReader, s *drawn, x []entry, d float32) {
	for _, e := range x {
		grad.Direct[e.at] += d * e.value
	}
	for h, z := range s.hidden {
		if z <= 0 {
			continue
		}
		grad.Out[h] += d * z
		grad.Bias[h] += d * r.Out[h]
		for _, e := range x {
			grad.In[h][e.at] += d * r.Out[h] * e.value
		}
	}
}

func adam(r, grad, m, v *answer.SpanReader, step int, rate float64) {
	c1, c2 := 1-math.Pow(0.9, float64(step)), 1-math.Pow(0.999, float64(step))
	w, g, first, second := flat(r), flat(grad), flat(m), flat(v)
	for k := range w {
		for i := range w[k] {
			d := g[k][i] + decay*w[k][i]
			first[k][i] = 0.9*first[k][i] + 0.1*d
			second[k][i] = 0.999*second[k][i] + 0.001*d*d
			w[k][i] -= float32(rate * (float64(first[k][i]) / c1) / (math.Sqrt(float64(second[k][i])/c2) + 1e-8))
		}
	}
}

// flat are the weights that are fitted by descent.
func flat(r *answer.SpanReader) (all [][]float32) {
	for h := range r.In {
		all = append(all, r.In[h][:])
	}
	return append(all, r.Bias[:], r.Direct[:], r.Out[:])
}

// fitHold fits the judge of whether the rows hold an answer, on questions whose state is
// not known: nobody asks it about the others.
func fitHold(r *answer.SpanReader, all []held) {
	var asked []newton.Example
	for _, x := range all {
		if !x.stands {
			asked = append(asked, newton.Example{Signals: x.signals, Yes: x.answers})
		}
	}
	judge := newton.Fit(asked, 0.1, 12)
	for i := range r.Hold {
		r.Hold[i] = float32(judge.Weights[i])
	}
	r.HoldBias = float32(judge.Bias)
}
