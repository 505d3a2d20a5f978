package model

import (
	"context"
	"fmt"
	"math"
	"strings"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
)

// pairInput puts two texts in one sequence, class A separator B separator. When
// they do not fit, tokens are dropped from the end of the longer one.
func (l *local) pairInput(a, b []int32) bert.Input {
	room := l.net.Config.MaxTokens - 3
	for len(a)+len(b) > room {
		if len(a) > len(b) {
			a = a[:max(len(b), room-len(b))]
		} else {
			b = b[:max(len(a)-1, room-len(a))]
		}
	}
	t := l.net.Tokenizer
	ids := make([]int32, 0, len(a)+len(b)+3)
	ids = append(append(append(ids, t.Class), a...), t.Separator)
	second := len(ids)
	ids = append(append(ids, b...), t.Separator)
	return bert.Input{IDs: ids, Second: second}
}

// classify returns the logits of every input, one per label.
func (l *local) classify(ctx context.Context, inputs []bert.Input) ([][]float32, error) {
	out := make([][]float32, len(inputs))
	err := l.net.Run(ctx, inputs, func(i int, states kernel.Matrix) { out[i] = l.net.Logits(states) })
	if err != nil {
		return nil, fmt.Errorf("classify %d pairs: %w", len(inputs), err)
	}
	return out, nil
}

// LocalReranker is a cross-encoder that runs in this process: it reads query
// and text together. The score is the model's logit, or the difference of its
// two.
type LocalReranker struct{ local }

// OpenReranker loads a reranker from a model file made by Import: a sequence
// classifier with one label, or with two of which the second means relevant.
func OpenReranker(path string) (*LocalReranker, error) {
	l, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if l.info.Task != "rerank" {
		return nil, daybook.Errorf(daybook.Invalid, "model %s is made to %s, not to rerank: it lacks a head of one or two labels", l.info.Name, l.info.Task)
	}
	return &LocalReranker{*l}, nil
}

// Rerank implements Reranker.
func (r *LocalReranker) Rerank(ctx context.Context, query string, texts []string) ([]float32, error) {
	q := r.net.Tokenizer.Encode(nil, query)
	inputs := make([]bert.Input, len(texts))
	for i, text := range texts {
		inputs[i] = r.pairInput(q, r.net.Tokenizer.Encode(nil, text))
	}
	logits, err := r.classify(ctx, inputs)
	if err != nil {
		return nil, err
	}
	scores := make([]float32, len(texts))
	for i, l := range logits {
		scores[i] = l[len(l)-1]
		if len(l) == 2 {
			scores[i] -= l[0]
		}
	}
	return scores, nil
}

// LocalEntailer is a natural-language-inference model that runs in this process.
type LocalEntailer struct {
	local
	entail, neutral, contradict int // places of the labels; -1 when absent
}

// OpenEntailer loads an entailer from a model file made by Import: a sequence
// classifier whose labels name entailment and, usually, neutral and
// contradiction. With the two labels entailment and not_entailment, the second
// counts as neutral.
func OpenEntailer(path string) (*LocalEntailer, error) {
	l, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if l.info.Task != "entail" {
		return nil, daybook.Errorf(daybook.Invalid, "model %s is made to %s, not to judge entailment: no label names it", l.info.Name, l.info.Task)
	}
	e := &LocalEntailer{local: *l, entail: -1, neutral: -1, contradict: -1}
	for i, label := range l.net.Config.Head.Labels {
		switch word := strings.ToLower(label); {
		case strings.Contains(word, "contradict"):
			e.contradict = i
		case strings.Contains(word, "neutral"), strings.HasPrefix(word, "not"):
			e.neutral = i
		case strings.Contains(word, "entail"):
			e.entail = i
		}
	}
	if e.entail < 0 || e.neutral < 0 && e.contradict < 0 {
		return nil, daybook.Errorf(daybook.Invalid, "model %s: labels %v lack entailment or its alternatives", l.info.Name, l.net.Config.Head.Labels)
	}
	return e, nil
}

// Entail implements Entailer.
func (e *LocalEntailer) Entail(ctx context.Context, pairs []Pair) ([]Verdict, error) {
	inputs := make([]bert.Input, len(pairs))
	for i, p := range pairs {
		inputs[i] = e.pairInput(e.net.Tokenizer.Encode(nil, p.Premise), e.net.Tokenizer.Encode(nil, p.Hypothesis))
	}
	logits, err := e.classify(ctx, inputs)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(pairs))
	for i, l := range logits {
		p := probabilities(pick(l, e.entail), pick(l, e.neutral), pick(l, e.contradict))
		verdicts[i] = Verdict{Entail: p[0], Neutral: p[1], Contradict: p[2]}
	}
	return verdicts, nil
}

func pick(logits []float32, i int) float64 {
	if i < 0 {
		return math.Inf(-1)
	}
	return float64(logits[i])
}

// probabilities is the softmax of three logits.
func probabilities(a, b, c float64) [3]float32 {
	most := max(a, b, c)
	ea, eb, ec := math.Exp(a-most), math.Exp(b-most), math.Exp(c-most)
	sum := ea + eb + ec
	return [3]float32{float32(ea / sum), float32(eb / sum), float32(ec / sum)}
}
