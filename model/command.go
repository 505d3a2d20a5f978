package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"daybook"
)

// encodeBatch is how many lines EncodeLines encodes at once.
const encodeBatch = 64

// EncodeLines encodes every line of r in the role given and writes its vector to
// w as one JSON array of numbers, in order: the work of `daybook encode`. A line
// over 16 MiB is Invalid.
func EncodeLines(ctx context.Context, e Encoder, as As, r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriter(w)
	for done := false; !done; {
		var lines []string
		for len(lines) < encodeBatch && !done {
			line, err := readLine(in)
			switch {
			case errors.Is(err, io.EOF):
				done = true
			case err != nil:
				return err
			default:
				lines = append(lines, line)
			}
		}
		if err := encodeTo(ctx, e, as, lines, out); err != nil {
			return err
		}
	}
	return nil
}

// readLine returns the next line without its end; io.EOF when there is none.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, prefix, err := r.ReadLine()
		if errors.Is(err, io.EOF) && (line == nil || len(part) > 0) {
			return "", io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", daybook.Errorf(daybook.Unavailable, "read lines: %w", err)
		}
		line = append(line, part...)
		if len(line) > maxTextBytes {
			return "", daybook.Errorf(daybook.Invalid, "a line has more than %d bytes", maxTextBytes)
		}
		if !prefix || err != nil {
			return string(line), nil
		}
	}
}

func encodeTo(ctx context.Context, e Encoder, as As, lines []string, out *bufio.Writer) error {
	if len(lines) == 0 {
		return nil
	}
	v, err := e.Encode(ctx, as, lines)
	if err != nil {
		return fmt.Errorf("encode lines: %w", err)
	}
	enc := json.NewEncoder(out)
	for i := range v.Len() {
		if err := enc.Encode(v.Row(i)); err != nil {
			return daybook.Errorf(daybook.Unavailable, "write vectors: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return daybook.Errorf(daybook.Unavailable, "write vectors: %w", err)
	}
	return nil
}

// Speed is how fast an encoder is on this machine, now.
type Speed struct {
	TextsPerSecond float64       // in batches of 32 sentences
	Single         time.Duration // the median of one sentence alone
}

// MeasureSpeed encodes sentences of about 22 tokens for about the given time:
// what `daybook models` shows.
func MeasureSpeed(ctx context.Context, e Encoder, about time.Duration) (Speed, error) {
	const sentence = "Amara moved from Lisbon to Trondheim in early autumn because the landlord had sold the old building there."
	batch := make([]string, 32)
	for i := range batch {
		batch[i] = sentence
	}
	single, err := timeEncode(ctx, e, batch[:1], about/2)
	if err != nil {
		return Speed{}, err
	}
	many, err := timeEncode(ctx, e, batch, about/2)
	if err != nil {
		return Speed{}, err
	}
	return Speed{TextsPerSecond: float64(len(batch)) / many.Seconds(), Single: single}, nil
}

// timeEncode returns the median time of encoding texts, warmed up.
func timeEncode(ctx context.Context, e Encoder, texts []string, about time.Duration) (time.Duration, error) {
	var took []time.Duration
	for begin := time.Now(); len(took) < 2 || time.Since(begin) < about; {
		start := time.Now()
		if _, err := e.Encode(ctx, AsText, texts); err != nil {
			return 0, fmt.Errorf("measure speed: %w", err)
		}
		took = append(took, max(time.Since(start), 1))
	}
	return median(took[1:]), nil
}

func median(x []time.Duration) time.Duration {
	slices.Sort(x)
	return x[len(x)/2]
}
