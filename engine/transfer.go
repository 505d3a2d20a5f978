package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"daybook"
	"daybook/graph"
)

// WriteExport writes a scope as JSON lines, without loss. Progress, where it is not
// nil, is told the number of each commit.
func (e *Engine) WriteExport(ctx context.Context, scope daybook.Scope, out io.Writer, progress func(seq uint64)) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // the bodies must keep their bytes
	err := e.Export(ctx, scope,
		func(h graph.Header) error { return enc.Encode(h) },
		func(l graph.Line) error {
			if progress != nil {
				progress(l.Seq)
			}
			return enc.Encode(l)
		})
	return errors.Join(err, w.Flush())
}

// ReadExport takes what WriteExport wrote into a scope, all of it or nothing. It
// returns the header and how many commits were new.
func (e *Engine) ReadExport(ctx context.Context, scope daybook.Scope, in io.Reader, progress func(seq, of uint64)) (header graph.Header, added int, err error) {
	dec := json.NewDecoder(bufio.NewReader(in))
	if err := dec.Decode(&header); err != nil {
		return header, 0, daybook.Errorf(daybook.Invalid, "the first line is not the header of an export: %w", err)
	}
	added, err = e.ImportLedger(ctx, scope, header, exportLines(dec, func(seq uint64) {
		if progress != nil {
			progress(seq, header.Commits)
		}
	}))
	return header, added, err
}

func exportLines(dec *json.Decoder, progress func(seq uint64)) iter.Seq2[graph.Line, error] {
	return func(yield func(graph.Line, error) bool) {
		for n := 2; ; n++ {
			var l graph.Line
			err := dec.Decode(&l)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(l, daybook.Errorf(daybook.Invalid, "line %d: %w", n, err))
				return
			}
			progress(l.Seq)
			if !yield(l, nil) {
				return
			}
		}
	}
}
