package answer

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// SpanHidden is how many hidden units the reader has.
const SpanHidden = 24

// SpanReader scores spans: one hidden layer over their signals. tools/reader fits it
// on conversations with questions that were written for the purpose.
type SpanReader struct {
	In     [SpanHidden][spanSignals]float32
	Bias   [SpanHidden]float32
	Direct [spanSignals]float32
	Out    [SpanHidden]float32
	// Hold and HoldBias judge whether the rows hold an answer at all.
	Hold     [holdSignals]float32
	HoldBias float32
}

//go:embed assets/reader.bin
var readerFile []byte

// reader unpacks the fitted reader at the first use.
var reader = sync.OnceValue(func() *SpanReader {
	r := new(SpanReader)
	if n := binary.Size(r); n != len(readerFile) {
		panic(fmt.Sprintf("answer: assets/reader.bin has %d bytes, not %d: make it again with tools/reader", len(readerFile), n))
	}
	if err := binary.Read(bytes.NewReader(readerFile), binary.LittleEndian, r); err != nil {
		panic("answer: assets/reader.bin: " + err.Error())
	}
	return r
})

// Score is how well a span with these signals answers; only differences between the
// spans of one question mean something.
func (r *SpanReader) Score(x *[spanSignals]float32) float64 {
	s := float32(0)
	for i, v := range x {
		s += r.Direct[i] * v
	}
	for h := range r.In {
		z := r.Bias[h]
		for i, v := range x {
			if v != 0 {
				z += r.In[h][i] * v
			}
		}
		if z > 0 {
			s += r.Out[h] * z
		}
	}
	return float64(s)
}

// Holds is how likely rows with these signals hold an answer, in (0, 1).
func (r *SpanReader) Holds(x [holdSignals]float64) float64 {
	return logistic(r.HoldBias, r.Hold[:], x[:])
}

// JoinSpans puts together the best spans of several sentences whose scores are within
// a distance of the best one: what a question for several wants.
func JoinSpans(spans []Span, within float64) (string, []Span) {
	order := slices.Clone(spans)
	slices.SortStableFunc(order, func(a, b Span) int { return cmp.Compare(b.Score, a.Score) })
	var texts []string
	var taken []Span
	for _, s := range order {
		if len(taken) == joinMost || s.Score < order[0].Score-within {
			break
		}
		words := contentWords(s.Text)
		again := slices.ContainsFunc(taken, func(t Span) bool {
			return t.Sentence == s.Sentence || sharedWords(words, contentWords(t.Text)) > 0.5
		})
		if !again {
			texts, taken = append(texts, s.Text), append(taken, s)
		}
	}
	return strings.Join(texts, ", "), taken
}

// joinMost is the most spans of a list.
const joinMost = 6
