package answer

import (
	"context"
	"math"
	"sort"

	"daybook/model"
)

// pointed is what a pointer made of a row: how likely it answers at all, as a logit, and
// of each word the logarithms of how likely the answer begins with it, among the words
// of all rows, and ends with it, among those of its own.
type pointed struct {
	answers float64
	words   []model.PointedWord
}

// Point lets a pointer read the first rows of a packet together with the question. What
// it makes of them are signals of spans and of whether the rows answer.
func Point(ctx context.Context, m model.Pointer, r *Resolved, p *Packet) error {
	rows := p.found(spanRows)
	passages := make([]string, len(rows))
	for i, it := range rows {
		passages[i] = it.said()
	}
	read, err := m.Point(ctx, r.Text, passages)
	if err != nil {
		return err
	}
	begins := math.Inf(-1)
	for _, x := range read {
		for _, w := range x.Words {
			begins = logAdd(begins, float64(x.Answers+w.First))
		}
	}
	for i, x := range read {
		ends := math.Inf(-1)
		for _, w := range x.Words {
			ends = logAdd(ends, float64(w.Last))
		}
		lead := len(passages[i]) - len(rows[i].Text)
		for k := range x.Words {
			w := &x.Words[k]
			w.Start, w.End = w.Start-lead, w.End-lead
			w.First, w.Last = float32(float64(x.Answers+w.First)-begins), float32(float64(w.Last)-ends)
		}
		rows[i].pointed = &pointed{float64(x.Answers), x.Words}
	}
	return nil
}

// said is a row as a pointer reads it: who said what.
func (it *Item) said() string {
	if it.Speaker == "" {
		return it.Text
	}
	return it.Speaker + ": " + it.Text
}

// logAdd is the logarithm of the sum of two numbers that are given by theirs.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// unlikely is the least logarithm of a likelihood that is told apart.
const unlikely = -12

// span is how likely the answer begins at the byte from and ends at the byte to.
func (x *pointed) span(from, to int) (begins, ends float64) {
	at := func(b int) int {
		return min(sort.Search(len(x.words), func(i int) bool { return x.words[i].End > b }), len(x.words)-1)
	}
	if len(x.words) == 0 || from >= x.words[len(x.words)-1].End {
		return unlikely, unlikely
	}
	return max(unlikely, float64(x.words[at(from)].First)), max(unlikely, float64(x.words[at(to-1)].Last))
}

// best is how likely the likeliest span of a row is, as a logarithm.
func (x *pointed) best() float64 {
	best := math.Inf(-1)
	for i, w := range x.words {
		begins := math.Inf(-1)
		for _, b := range x.words[max(0, i-spanTokens) : i+1] {
			begins = max(begins, float64(b.First))
		}
		best = max(best, begins+float64(w.Last))
	}
	return max(2*unlikely, best)
}
