package main

import (
	"cmp"
	"math"
	"slices"

	"daybook/recall"
)

// fitter fits weights by Newton's method on a softmax over each question's
// candidates: every note of the evidence should stand before all that are none.
type fitter struct {
	decay, assistedDecay float64
	without              []recall.Signal // left out
}

// unassisted signals count the same whoever talks; unfitted ones cannot be fitted to
// notes alone and keep the weights they have.
var (
	unassisted = []recall.Signal{
		recall.WordsRank, recall.WindowCover, recall.Passage, recall.Topic, recall.SessionBest, recall.FirstPerson, recall.SecondPerson,
		recall.FirstPast, recall.Answers, recall.InWindow, recall.SpeaksOf, recall.Opening, recall.Specific, recall.Image, recall.Recent,
	}
	unfitted = []recall.Signal{recall.Important, recall.Linked, recall.Expanded}
)

// held is the decay of a weight that is to stay zero.
const held = 1e9

// decayOf is how strongly a weight is held to zero.
func (f fitter) decayOf(i int) float64 {
	s := recall.Signal(i % recall.NumSignals)
	switch {
	case slices.Contains(unfitted, s), slices.Contains(f.without, s), i >= recall.NumSignals && slices.Contains(unassisted, s):
		return held
	case i >= recall.NumSignals:
		return f.assistedDecay
	}
	return f.decay
}

// both is the plain weights and then those that an assistant adds.
const both = 2 * recall.NumSignals

type vector [both]float64

func (f fitter) fit(lists []list) recall.WeightSet {
	var w vector
	loss := f.loss(lists, &w)
	for range 40 {
		gradient, hessian := f.derive(lists, &w)
		step := solve(hessian, gradient)
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
	set := weightSet(&w)
	for _, s := range unfitted {
		set.Plain[s] = recall.Weights().Plain[s]
	}
	return set
}

func weightSet(w *vector) (set recall.WeightSet) {
	copy(set.Plain[:], w[:recall.NumSignals])
	copy(set.Assisted[:], w[recall.NumSignals:])
	return set
}

// loss is what fit makes small.
func (f fitter) loss(lists []list, w *vector) (sum float64) {
	for i, x := range w {
		sum += f.decayOf(i) * x * x / 2
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
func (l list) against(gold int, w *vector) (scores []float64, most, total float64) {
	set := weightSet(w)
	scores, most = make([]float64, len(l.Signals)), math.Inf(-1)
	for i := range l.Signals {
		scores[i] = math.Inf(-1)
		if i == gold || !l.IsGold[i] {
			scores[i] = set.Score(&l.Signals[i], l.Assist)
		}
		most = max(most, scores[i])
	}
	for _, s := range scores {
		total += math.Exp(s - most)
	}
	return scores, most, total
}

// derive returns the first and second derivatives of the loss.
func (f fitter) derive(lists []list, w *vector) (g vector, h [][]float64) {
	h = make([][]float64, both)
	for i := range h {
		h[i] = make([]float64, both)
		d := f.decayOf(i)
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
func (l list) add(gold int, weight float64, w, g *vector, h [][]float64) {
	scores, most, sum := l.against(gold, w)
	var mean vector
	n := both
	if l.Assist == 0 {
		n = recall.NumSignals
	}
	for i, s := range scores {
		p := math.Exp(s-most) / sum
		if p < 1e-6 {
			continue
		}
		x := l.features(i)
		for j := range n {
			mean[j] += p * x[j]
			if px := weight * p * x[j]; px != 0 {
				row := h[j]
				for k := range n {
					row[k] += px * x[k]
				}
			}
		}
	}
	x := l.features(gold)
	for j := range n {
		g[j] += weight * (mean[j] - x[j])
		for k := range n {
			h[j][k] -= weight * mean[j] * mean[k]
		}
	}
}

func (l list) features(i int) (x vector) {
	for j, v := range l.Signals[i] {
		x[j], x[recall.NumSignals+j] = v, l.Assist*v
	}
	return x
}

// solve solves h·x = g by elimination with pivots.
func solve(h [][]float64, g vector) (x vector) {
	n := len(h)
	for c := range n {
		p := c
		for r := c; r < n; r++ {
			if math.Abs(h[r][c]) > math.Abs(h[p][c]) {
				p = r
			}
		}
		h[c], h[p], g[c], g[p] = h[p], h[c], g[p], g[c]
		for r := c + 1; r < n; r++ {
			f := h[r][c] / h[c][c]
			for k := c; k < n; k++ {
				h[r][k] -= f * h[c][k]
			}
			g[r] -= f * g[c]
		}
	}
	for r := n - 1; r >= 0; r-- {
		x[r] = g[r]
		for k := r + 1; k < n; k++ {
			x[r] -= h[r][k] * x[k]
		}
		x[r] /= h[r][r]
	}
	return x
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
func (l list) order(w recall.WeightSet) []int {
	scores, order := make([]float64, len(l.Signals)), make([]int, len(l.Signals))
	for i := range l.Signals {
		order[i] = i
		scores[i] = w.Score(&l.Signals[i], l.Assist)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
