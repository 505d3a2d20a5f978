package model

import (
	"context"
	"fmt"

	"daybook"
	"daybook/model/internal/bert"
	"daybook/model/internal/kernel"
)

// LocalEncoder is an Encoder that runs in this process.
//
// A text longer than the model's window is cut into windows that overlap; its
// vector is the normalised mean of theirs. Invalid UTF-8 is left out. A text
// over 16 MiB is Invalid.
type LocalEncoder struct{ local }

const maxTextBytes = 16 << 20

// checkLength refuses a text that is too long to be read.
func checkLength(what string, i int, text string) error {
	if len(text) > maxTextBytes {
		return daybook.Errorf(daybook.Invalid, "%s %d has %d bytes, more than %d", what, i, len(text), maxTextBytes)
	}
	return nil
}

// OpenEncoder loads an encoder from a model file made by Import.
func OpenEncoder(path string) (*LocalEncoder, error) {
	l, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return asEncoder(l)
}

func asEncoder(l *local) (*LocalEncoder, error) {
	if l.info.Dim == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "model %s is made to %s, not to encode", l.info.Name, l.info.Task)
	}
	return &LocalEncoder{*l}, nil
}

// ID is the id that this encoder's vectors carry.
func (e *LocalEncoder) ID() string { return e.info.ID }

// Dim is the length of a vector.
func (e *LocalEncoder) Dim() int { return e.info.Dim }

// Encode implements Encoder; the model file says what stands before queries and
// passages.
func (e *LocalEncoder) Encode(ctx context.Context, as As, texts []string) (Vectors, error) {
	prefix, err := as.prefix(e.net.Config.QueryPrefix, e.net.Config.PassagePrefix)
	if err != nil {
		return Vectors{}, err
	}
	windows, first, err := e.windows(texts, prefix)
	if err != nil {
		return Vectors{}, err
	}
	return e.pooled(ctx, windows, first)
}

// pooled runs windows, of which those from first[t] to first[t+1] are of text t.
func (e *LocalEncoder) pooled(ctx context.Context, windows []bert.Input, first []int) (Vectors, error) {
	return e.pooledWith(ctx, windows, first, func(int, kernel.Matrix) {})
}

// pooledWith is pooled that also shows the last hidden states of each window.
func (e *LocalEncoder) pooledWith(ctx context.Context, windows []bert.Input, first []int, show func(window int, states kernel.Matrix)) (Vectors, error) {
	out := e.vectors(len(first) - 1)
	if len(windows) == len(first)-1 { // the usual case: no text is long
		if err := e.run(ctx, windows, out.Data, show); err != nil {
			return Vectors{}, err
		}
		return out, nil
	}
	pooled := e.vectors(len(windows))
	if err := e.run(ctx, windows, pooled.Data, show); err != nil {
		return Vectors{}, err
	}
	for t := range len(first) - 1 {
		meanOf(out.Row(t), pooled.Data[first[t]*e.info.Dim:first[t+1]*e.info.Dim])
	}
	return out, nil
}

// EncodeWindows encodes passages for an index that keeps several vectors of a
// long one: a row per window, those of passage i from first[i] to first[i+1].
// Taking the nearest window finds more than the mean of all does.
func (e *LocalEncoder) EncodeWindows(ctx context.Context, passages []string) (v Vectors, first []int, err error) {
	windows, first, err := e.windows(passages, e.net.Config.PassagePrefix)
	if err != nil {
		return Vectors{}, nil, err
	}
	v = e.vectors(len(windows))
	if err := e.run(ctx, windows, v.Data, func(int, kernel.Matrix) {}); err != nil {
		return Vectors{}, nil, err
	}
	return v, first, nil
}

func (e *LocalEncoder) vectors(rows int) Vectors {
	return Vectors{Encoder: e.info.ID, Dim: e.info.Dim, Data: make([]float32, rows*e.info.Dim)}
}

// run writes one unit vector per window to rows, and shows its hidden states.
func (e *LocalEncoder) run(ctx context.Context, windows []bert.Input, rows []float32, show func(window int, states kernel.Matrix)) error {
	err := e.net.Run(ctx, windows, func(i int, states kernel.Matrix) {
		show(i, states)
		v := rows[i*e.info.Dim : (i+1)*e.info.Dim]
		e.net.Pool(v, states)
		bert.Unit(v)
	})
	if err != nil {
		return fmt.Errorf("encode %d windows: %w", len(windows), err)
	}
	return nil
}

// meanOf sets dst to the normalised mean of rows of its length.
func meanOf(dst, rows []float32) {
	for i, v := range rows {
		dst[i%len(dst)] += v
	}
	bert.Unit(dst)
}

// windows tokenises texts; the windows of text t are first[t] to first[t+1].
func (e *LocalEncoder) windows(texts []string, prefix string) (windows []bert.Input, first []int, err error) {
	before := e.net.Tokenizer.Encode(nil, prefix)
	windows, first = make([]bert.Input, 0, len(texts)), make([]int, 1, len(texts)+1)
	var ids []int32
	for i, text := range texts {
		if err := checkLength("text", i, text); err != nil {
			return nil, nil, err
		}
		ids = e.net.Tokenizer.Encode(ids[:0], text)
		windows = e.cut(windows, before, ids)
		first = append(first, len(windows))
	}
	return windows, first, nil
}

// cut appends the windows of one text, each with the class token and the prefix
// before it and the separator behind it.
func (e *LocalEncoder) cut(windows []bert.Input, before, ids []int32) []bert.Input {
	size := max(1, e.net.Config.MaxTokens-2-len(before))
	step := max(1, size-e.net.Config.Overlap)
	for at := 0; ; at += step {
		end := min(at+size, len(ids))
		w := make([]int32, 0, len(before)+end-at+2)
		w = append(append(w, e.net.Tokenizer.Class), before...)
		w = append(append(w, ids[at:end]...), e.net.Tokenizer.Separator)
		w = w[:min(len(w), e.net.Config.MaxTokens)]
		windows = append(windows, bert.Input{IDs: w, Second: len(w)})
		if end == len(ids) {
			return windows
		}
	}
}
