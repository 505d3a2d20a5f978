package model

import (
	"context"

	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
	"daybook/model/internal/wordpiece"
)

// WordEncoder is the talent of an Encoder that shows what it made of each word in its
// text: the slot for taggers that are fitted on such vectors. An encoder on the other
// side of a network does not have it.
//
// EncodeWords returns what Encode returns for AsText and, in the same pass, calls read
// once for each text with its words in order. Calls for different texts may come at once
// and in any order; what read is given is valid only during the call. Words beyond the
// model's window are not shown.
type WordEncoder interface {
	Encoder
	EncodeWords(ctx context.Context, texts []string, read func(text int, words []Word)) (Vectors, error)
}

// Word is a word or mark of a text, the bytes from Start to End, with the mean of
// the vectors that the model's last layer has for its pieces.
type Word struct {
	Start, End int
	Vector     []float32
}

// EncodeWords implements WordEncoder.
func (e *LocalEncoder) EncodeWords(ctx context.Context, texts []string, read func(text int, words []Word)) (Vectors, error) {
	var windows []bert.Input
	first, places := []int{0}, make([][]wordpiece.Word, len(texts))
	textOf := map[int]int{} // by its first window
	for i, text := range texts {
		if err := checkLength("text", i, text); err != nil {
			return Vectors{}, err
		}
		var ids []int32
		ids, places[i] = e.net.Tokenizer.EncodeWords(text)
		textOf[len(windows)] = i
		windows = e.cut(windows, nil, ids)
		first = append(first, len(windows))
	}
	return e.pooledWith(ctx, windows, first, func(window int, states kernel.Matrix) {
		if i, ok := textOf[window]; ok {
			read(i, e.wordsOf(places[i], states))
		}
	})
}

// wordsOf gives the words that a window holds their vectors.
func (e *LocalEncoder) wordsOf(places []wordpiece.Word, states kernel.Matrix) []Word {
	words := make([]Word, 0, len(places))
	for _, p := range places {
		if p.Last > states.Rows-2 { // the class token and the separator are not of the text
			break
		}
		words = append(words, Word{Start: p.Start, End: p.End, Vector: e.meanState(states, 1+p.First, 1+p.Last)})
	}
	return words
}

// meanState is the mean of some rows; a single one is not copied.
func (e *LocalEncoder) meanState(states kernel.Matrix, from, to int) []float32 {
	if to == from+1 {
		return states.Row(from, e.info.Dim)
	}
	mean := make([]float32, e.info.Dim)
	for i := from; i < to; i++ {
		for j, v := range states.Row(i, e.info.Dim) {
			mean[j] += v / float32(to-from)
		}
	}
	return mean
}
