package model

import (
	"context"

	"daybook/model/internal/bert"
)

// Text is a text with what it is encoded as.
type Text struct {
	As   As
	Text string
}

// EachEncoder is the talent of an Encoder that encodes texts of several kinds at once,
// which takes about as long as one of them.
type EachEncoder interface {
	EncodeEach(ctx context.Context, texts []Text) (Vectors, error)
}

// EncodeEach encodes texts, each as what it says, in one call where the encoder can
// do that and else in one for each kind. Row i is of text i.
func EncodeEach(ctx context.Context, enc Encoder, texts []Text) (rows [][]float32, err error) {
	rows = make([][]float32, len(texts))
	if each, ok := enc.(EachEncoder); ok {
		v, err := each.EncodeEach(ctx, texts)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i] = v.Row(i)
		}
		return rows, nil
	}
	for _, as := range []As{AsQuery, AsPassage, AsText} {
		var of []string
		var at []int
		for i, t := range texts {
			if t.As == as {
				of, at = append(of, t.Text), append(at, i)
			}
		}
		if len(of) == 0 {
			continue
		}
		v, err := enc.Encode(ctx, as, of)
		if err != nil {
			return nil, err
		}
		for i, row := range at {
			rows[row] = v.Row(i)
		}
	}
	return rows, nil
}

// EncodeEach implements EachEncoder.
func (e *LocalEncoder) EncodeEach(ctx context.Context, texts []Text) (Vectors, error) {
	var windows []bert.Input
	first := []int{0}
	for _, t := range texts {
		prefix, err := t.As.prefix(e.net.Config.QueryPrefix, e.net.Config.PassagePrefix)
		if err != nil {
			return Vectors{}, err
		}
		own, _, err := e.windows([]string{t.Text}, prefix)
		if err != nil {
			return Vectors{}, err
		}
		windows = append(windows, own...)
		first = append(first, len(windows))
	}
	return e.pooled(ctx, windows, first)
}
