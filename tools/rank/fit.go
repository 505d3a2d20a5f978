package main

import (
	"cmp"
	"math"
	"slices"

	"daybook/recall"
	"daybook/tools/newton"
)

// fitter fits weights by Newton's method on a softmax over each question's
// candidates: every note of the evidence should stand before all that are none.
type fitter struct {
	decay   float64
	without []recall.Signal // left out
}

// held is the decay of a weight that is to stay zero.
const held = 1e9

// unfitted signals keep the weights they have: what a language model adds is not in
// these runs, and importance, which comes out between -0.1 and 0.1, breaks ties.
var unfitted = []recall.Signal{recall.Expanded, recall.Important}

// decayOf is how strongly a weight is held to zero.
func (f fitter) decayOf(s recall.Signal) float64 {
	if slices.Contains(unfitted, s) || slices.Contains(f.without, s) {
		return held
	}
	return f.decay
}

func (f fitter) fit(lists []list) (w recall.Signals) {
	loss := f.loss(lists, &w)
	for range 40 {
		gradient, hessian := f.derive(lists, &w)
		step := newton.Solve(hessian, gradient[:])
		next, lower := w, math.Inf(1)
		for size := 1.0; size > 1e-4 && lower > loss; size /= 2 {
			for i := range w {
				next[i] = w[i] - size*step[i]
			}
			lower = f.loss(lists, &next)
		}
		if lower > loss-1e-4 {
			break
		}
		w, loss = next, lower
	}
	for _, s := range unfitted {
		if !slices.Contains(f.without, s) {
			w[s] = recall.Weights()[s]
		}
	}
	return w
}

// loss is what fit makes small.
func (f fitter) loss(lists []list, w *recall.Signals) (sum float64) {
	for i, x := range w {
		sum += f.decayOf(recall.Signal(i)) * x * x / 2
	}
	for _, l := range lists {
		for i, is := range l.IsGold {
			if is {
				scores, most, total := l.against(i, w)
				sum -= (scores[i] - most - math.Log(total)) / float64(l.golds())
			}
		}
	}
	return sum
}

// golds is how much of the evidence is among the candidates.
func (l list) golds() (n int) {
	for _, is := range l.IsGold {
		if is {
			n++
		}
	}
	return n
}

// against scores a note of the evidence and all that is none; total is the sum of
// their exponentials over that of most. Other evidence scores minus infinity.
func (l list) against(gold int, w *recall.Signals) (scores []float64, most, total float64) {
	scores, most = make([]float64, len(l.Signals)), math.Inf(-1)
	for i := range l.Signals {
		scores[i] = math.Inf(-1)
		if i == gold || !l.IsGold[i] {
			scores[i] = l.Signals[i].Score(w)
		}
		most = max(most, scores[i])
	}
	for _, s := range scores {
		total += math.Exp(s - most)
	}
	return scores, most, total
}

// derive returns the first and second derivatives of the loss.
func (f fitter) derive(lists []list, w *recall.Signals) (g recall.Signals, h [][]float64) {
	h = make([][]float64, recall.NumSignals)
	for i := range h {
		h[i] = make([]float64, recall.NumSignals)
		d := f.decayOf(recall.Signal(i))
		g[i], h[i][i] = d*w[i], d
	}
	for _, l := range lists {
		golds := l.golds()
		for i, is := range l.IsGold {
			if is {
				l.add(i, 1/float64(golds), w, &g, h)
			}
		}
	}
	return g, h
}

// add adds one note of the evidence against all that is none.
func (l list) add(gold int, weight float64, w, g *recall.Signals, h [][]float64) {
	scores, most, sum := l.against(gold, w)
	var mean recall.Signals
	for i, s := range scores {
		p := math.Exp(s-most) / sum
		if p < 1e-6 {
			continue
		}
		x := &l.Signals[i]
		for j := range x {
			mean[j] += p * x[j]
			if px := weight * p * x[j]; px != 0 {
				row := h[j]
				for k := range x {
					row[k] += px * x[k]
				}
			}
		}
	}
	x := &l.Signals[gold]
	for j := range x {
		g[j] += weight * (mean[j] - x[j])
		for k := range x {
			h[j][k] -= weight * mean[j] * mean[k]
		}
	}
}

// folds is how many parts the conversations of each data set are dealt into.
const folds = 5

// leaveOut orders every list by weights that were fitted without its conversation.
func (f fitter) leaveOut(lists []list) map[string][]int {
	fold, count := map[string]int{}, map[string]int{}
	for _, l := range lists {
		key := l.Set + l.Conversation
		if _, ok := fold[key]; !ok {
			fold[key] = count[l.Set] % folds
			count[l.Set]++
		}
	}
	orders := map[string][]int{}
	for part := range folds {
		var rest []list
		for _, l := range lists {
			if fold[l.Set+l.Conversation] != part {
				rest = append(rest, l)
			}
		}
		w := f.fit(rest)
		for _, l := range lists {
			if fold[l.Set+l.Conversation] == part {
				orders[l.ID] = l.order(w)
			}
		}
	}
	return orders
}

// order returns the candidates best first.
func (l list) order(w recall.Signals) []int {
	scores, order := make([]float64, len(l.Signals)), make([]int, len(l.Signals))
	for i := range l.Signals {
		order[i] = i
		scores[i] = l.Signals[i].Score(&w)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
