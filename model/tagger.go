package model

import (
	"context"
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
)

// Tag is one labelled word of a text: the bytes from Start to End.
type Tag struct {
	Start, End int
	Label      string
	Score      float32 // probability of the label
}

// LocalTagger labels the words of texts with a token classifier that runs in
// this process.
type LocalTagger struct{ local }

// OpenTagger loads a tagger from a model file made by Import.
func OpenTagger(path string) (*LocalTagger, error) {
	l, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if l.info.Task != "tag" {
		return nil, daybook.Errorf(daybook.Invalid, "model %s is made to %s, not to tag: its head does not label tokens", l.info.Name, l.info.Task)
	}
	return &LocalTagger{*l}, nil
}

// Tag labels every word of every text by its first piece. Words beyond the
// model's window get none.
func (t *LocalTagger) Tag(ctx context.Context, texts []string) ([][]Tag, error) {
	inputs, tags, first := make([]bert.Input, len(texts)), make([][]Tag, len(texts)), make([][]int, len(texts))
	for i, text := range texts {
		inputs[i], tags[i], first[i] = t.words(text)
	}
	labels := t.net.Config.Head.Labels
	err := t.net.Run(ctx, inputs, func(i int, states kernel.Matrix) {
		logits := t.net.TokenLogits(states)
		for w := range tags[i] {
			best, score := likeliest(logits[first[i][w]*len(labels):][:len(labels)])
			tags[i][w].Label, tags[i][w].Score = labels[best], score
		}
	})
	if err != nil {
		return nil, fmt.Errorf("tag %d texts: %w", len(texts), err)
	}
	return tags, nil
}

// words tokenises a text word by word; first[w] is the place of word w's first
// piece.
func (t *LocalTagger) words(text string) (in bert.Input, tags []Tag, first []int) {
	tok := t.net.Tokenizer
	ids := []int32{tok.Class}
	for at := 0; at < len(text); {
		end := wordEnd(text, at)
		pieces := tok.Encode(nil, text[at:end])
		if len(ids)+len(pieces)+1 > t.net.Config.MaxTokens {
			break
		}
		if len(pieces) > 0 {
			tags, first = append(tags, Tag{Start: at, End: end}), append(first, len(ids))
			ids = append(ids, pieces...)
		}
		at = end
	}
	ids = append(ids, tok.Separator)
	return bert.Input{IDs: ids, Second: len(ids)}, tags, first
}

// wordEnd is the end of the run of letters, digits and marks that begins at at,
// or of the single other character there.
func wordEnd(text string, at int) int {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	for i := at; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			if i == at {
				return at + size
			}
			return i
		}
		i += size
	}
	return len(text)
}

// likeliest returns the place of the greatest logit and its probability.
func likeliest(logits []float32) (best int, score float32) {
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v - logits[best]))
	}
	return best, float32(1 / sum)
}
