package model

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
)

// Pointer is the slot for a model that reads a question and a passage together and
// points at the words that answer.
//
// Point returns what it made of each passage, in order. It may be called from many
// goroutines at once. Errors carry a daybook.Kind: Invalid for a text that it cannot
// take, Unavailable when the context ends.
type Pointer interface {
	Point(ctx context.Context, question string, passages []string) ([]Pointed, error)
}

// Pointed is what a Pointer made of one passage. Its numbers are logits: those of all
// passages of a question can be compared.
type Pointed struct {
	Answers float32 // that the passage answers; 0 is as likely as not
	Words   []PointedWord
}

// PointedWord is a word or mark of a passage, the bytes from Start to End, with how
// likely the answer begins and ends with it.
type PointedWord struct {
	Start, End  int
	First, Last float32
}

// LocalPointer is a Pointer that runs in this process. Words beyond the model's window
// are not looked at.
type LocalPointer struct{ local }

// The embedded pointer: what tools/points changed of the embedded encoder.
//
//go:embed assets/points.dbm
var pointsAsset string

// DefaultPointer returns the pointer inside the binary, which shares the weights of the
// embedded encoder. The first call opens it; all calls share it.
func DefaultPointer() (*LocalPointer, error) { return openPointer() }

var openPointer = sync.OnceValues(func() (*LocalPointer, error) {
	encoder, err := Default()
	if err != nil {
		return nil, err
	}
	p, err := tunedPointer(encoder, pointsAsset)
	if err != nil {
		return nil, fmt.Errorf("open the embedded pointer: %w", err)
	}
	return p, nil
})

// Labels of a pointer's head, by number.
const (
	labelFirst = iota
	labelLast
	labelAnswers // at the class token
	labels
)

// tunedPointer makes a pointer of what a model file changes of an encoder.
func tunedPointer(encoder *LocalEncoder, data string) (*LocalPointer, error) {
	file, err := bert.Parse(data)
	if err != nil {
		return nil, err
	}
	if h := file.Config.Head; h == nil || !h.PerToken || len(h.Labels) != labels {
		return nil, daybook.Errorf(daybook.Invalid, "model %s does not point: its head has not the %d labels of a token", file.Config.Name, labels)
	}
	net, err := encoder.net.Tuned(file)
	if err != nil {
		return nil, err
	}
	return &LocalPointer{local{net: net, file: file, info: describe(file, encoder.info.Kernel, len(data))}}, nil
}

// questionTokens is how much of a question is read.
const questionTokens = 60

// Point implements Pointer.
func (p *LocalPointer) Point(ctx context.Context, question string, passages []string) ([]Pointed, error) {
	asked := p.net.Tokenizer.Encode(nil, question)
	asked = asked[:min(len(asked), questionTokens)]
	inputs, places, out := make([]bert.Input, len(passages)), make([][]pieces, len(passages)), make([]Pointed, len(passages))
	for i, text := range passages {
		if err := checkLength("passage", i, text); err != nil {
			return nil, err
		}
		inputs[i], out[i].Words, places[i] = p.pair(asked, text)
	}
	err := p.net.Run(ctx, inputs, func(i int, states kernel.Matrix) {
		logits := p.net.TokenLogits(states)
		out[i].Answers = logits[labelAnswers]
		for w, at := range places[i] {
			out[i].Words[w].First, out[i].Words[w].Last = logits[at.first*labels+labelFirst], logits[at.last*labels+labelLast]
		}
	})
	if err != nil {
		return nil, fmt.Errorf("point in %d passages: %w", len(passages), err)
	}
	return out, nil
}

// pieces are the places of a word's first and last piece.
type pieces struct{ first, last int }

// pair puts a question and a passage in one sequence. It returns the words of the
// passage that fit, and where their pieces are.
func (p *LocalPointer) pair(asked []int32, passage string) (in bert.Input, words []PointedWord, places []pieces) {
	ids, all := p.net.Tokenizer.EncodeWords(passage)
	in = p.pairInput(asked, ids[:min(len(ids), p.net.Config.MaxTokens-3-len(asked))])
	for _, w := range all {
		at := pieces{in.Second + w.First, in.Second + w.Last - 1}
		if at.last >= len(in.IDs)-1 { // the separator
			break
		}
		words, places = append(words, PointedWord{Start: w.Start, End: w.End}), append(places, at)
	}
	return in, words, places
}
