package extract

import (
	"math"
	"slices"

	"daybook/english"
	"daybook/model"
)

// Mark is what a word of a sentence looks like to the encoder, the bytes from Start
// to End of its text: the log odds that it is part of the value that the sentence
// tells.
type Mark struct {
	Start int     `json:"start"`
	End   int     `json:"end"`
	Score float32 `json:"score"`
}

// mark reads the marks of words off their vectors by the fitted head. The words are
// of the text from an offset on. Vectors of another size give none.
func (p *pickers) mark(words []model.Word, offset int) []Mark {
	if len(words) == 0 || len(words[0].Vector) != vectorDim {
		return nil
	}
	marks := make([]Mark, len(words))
	for i, w := range words {
		score := p.head[vectorDim]
		for k, v := range w.Vector {
			score += v * p.head[k]
		}
		marks[i] = Mark{Start: offset + w.Start, End: offset + w.End, Score: score}
	}
	return marks
}

// evidence is what the marks say of the tokens of a sentence.
type evidence struct {
	scores     []float64 // log odds of each token
	chances    []float64
	sum        float64 // of the chances
	first, end int     // the run of tokens that the marks point out; empty where there is none
}

// surest is as far as log odds count.
const surest = 8

// evidenceOf gives each token the mean of the marks that touch it; one that none
// touches is no value. Without marks it is nil.
func evidenceOf(s *english.Sentence, marks []Mark) *evidence {
	if len(marks) == 0 {
		return nil
	}
	e := &evidence{scores: make([]float64, len(s.Tokens)), chances: make([]float64, len(s.Tokens))}
	for i, t := range s.Tokens {
		sum, n := 0.0, 0
		for _, m := range marks {
			if m.Start < t.End-s.Start && t.Start-s.Start < m.End {
				sum, n = sum+float64(m.Score), n+1
			}
		}
		e.scores[i] = -surest
		if n > 0 {
			e.scores[i] = max(-surest, min(surest, sum/float64(n)))
		}
		e.chances[i] = 1 / (1 + math.Exp(-e.scores[i]))
		e.sum += e.chances[i]
	}
	e.point()
	return e
}

// point finds the run of tokens whose scores have the greatest sum above zero.
func (e *evidence) point() {
	best, sum, from := 0.0, 0.0, 0
	for i, x := range e.scores {
		if sum <= 0 {
			sum, from = 0, i
		}
		if sum += x; sum > best {
			best, e.first, e.end = sum, from, i+1
		}
	}
}

// EvidenceCount is how many signals the marks have of a candidate.
const EvidenceCount = 14

// signals is what the marks say of a candidate; nothing without marks.
func (e *evidence) signals(v value, built form) []float32 {
	if e == nil {
		return nil
	}
	in, sum := e.scores[v.first:v.end], 0.0
	for _, x := range e.chances[v.first:v.end] {
		sum += x
	}
	mean := 0.0
	for _, x := range in {
		mean += x / float64(len(in))
	}
	outside := append(slices.Clone(e.scores[:v.first]), e.scores[v.end:]...)
	greatest := -float64(surest)
	for _, x := range outside {
		greatest = max(greatest, x)
	}
	x := make([]float32, 0, EvidenceCount)
	for _, odds := range []float64{mean, slices.Min(in), greatest, in[0], in[len(in)-1], e.at(v.first - 1), e.at(v.end)} {
		x = append(x, float32(odds/4))
	}
	return append(x,
		float32(2*sum/(float64(len(in))+e.sum)), float32(sum/e.sum), float32(min(e.sum-sum, 4)/2),
		bit(v.first == e.first && v.end == e.end), bit(e.end > e.first && v.first <= e.first && v.end >= e.end), bit(e.end > e.first && v.first >= e.first && v.end <= e.end),
		bit(built == formMarked))
}

// at is the score of a token; there is nothing beyond the ends.
func (e *evidence) at(token int) float64 {
	if token < 0 || token >= len(e.scores) {
		return -surest
	}
	return e.scores[token]
}
