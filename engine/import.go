package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"daybook"
	"daybook/graph"
)

// batchSize notes make one commit of an import: large enough that the sync of a
// commit does not show, small enough to hold the writer's lock briefly.
const batchSize = 2000

// Import is a file of messages to take in.
type Import struct {
	// Open opens the file; it is read twice, once to check it whole and once to
	// keep it.
	Open    func() (io.ReadCloser, error)
	Session string // for messages without one
	SkipBad bool   // keep the good lines of a file with bad ones
	// Progress, where set, is told the stage and the lines done.
	Progress func(stage string, lines int)
}

// ImportResult is what became of the file.
type ImportResult struct {
	daybook.Receipt
	Bad []*LineError `json:"-"` // lines that were skipped
}

// ImportMessages keeps the messages of a file. The whole file is checked first:
// with a bad line, or a message whose id the scope knows with another text,
// nothing is kept unless SkipBad is set, and the error is an *ImportError.
// Messages that the scope has already are counted and not added again, so an
// import that was cut off can simply be run again.
func (e *Engine) ImportMessages(ctx context.Context, scope daybook.Scope, by By, in Import) (ImportResult, error) {
	if in.Progress == nil {
		in.Progress = func(string, int) {}
	}
	bad, err := e.checkMessages(ctx, scope, in)
	if err != nil {
		return ImportResult{}, err
	}
	if len(bad) > 0 && !in.SkipBad {
		return ImportResult{Bad: bad}, &ImportError{bad}
	}
	receipt, err := e.keepMessages(ctx, scope, by, in, bad)
	return ImportResult{receipt, bad}, err
}

// ImportError lists the bad lines that kept a file out.
type ImportError struct{ Bad []*LineError }

func (e *ImportError) Error() string {
	if len(e.Bad) == 1 {
		return e.Bad[0].Error()
	}
	return fmt.Sprintf("%v (and %d more bad lines)", e.Bad[0], len(e.Bad)-1)
}

func (e *ImportError) Unwrap() error { return e.Bad[0] }

// batches reads a file and hands on its good messages in batches; bad lines go
// to reject.
func (in Import) batches(reject func(*LineError), take func([]Message) error) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	var batch []Message
	for m, err := range Messages(f) {
		if bad, ok := errors.AsType[*LineError](err); ok {
			reject(bad)
			continue
		}
		if err != nil {
			return err
		}
		if m.Session == "" {
			m.Session = in.Session
			m.Note = m.Named()
		}
		if batch = append(batch, m); len(batch) == batchSize {
			if err := take(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return take(batch)
}

// checkMessages reads the whole file and returns its bad lines.
func (e *Engine) checkMessages(ctx context.Context, scope daybook.Scope, in Import) (bad []*LineError, err error) {
	seen := map[daybook.NoteID]uint64{}
	seed := maphash.MakeSeed()
	reject := func(l *LineError) { bad = append(bad, l) }
	err = in.batches(reject, func(batch []Message) error {
		for _, m := range batch {
			sum := maphash.String(seed, m.Session+"\x00"+m.Speaker+"\x00"+m.Time.String()+"\x00"+m.Text)
			old, again := seen[m.ID]
			if again && old != sum {
				reject(&LineError{m.Line, daybook.Errorf(daybook.Conflict, "id %q stands on an earlier line with another message", m.SourceID)})
			}
			if !again { // the first line is the one that counts
				seen[m.ID] = sum
			}
		}
		in.Progress("checking", batch[len(batch)-1].Line)
		return e.rejectClashes(ctx, scope, batch, reject)
	})
	slices.SortFunc(bad, func(a, b *LineError) int { return a.Line - b.Line })
	return bad, err
}

func (e *Engine) rejectClashes(ctx context.Context, scope daybook.Scope, batch []Message, reject func(*LineError)) error {
	return e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error {
		if b.Head().Seq == 0 {
			return nil
		}
		for _, m := range batch {
			err := b.Clash(m.Note)
			if err != nil && daybook.KindOf(err) != daybook.Conflict {
				return err
			}
			if err != nil {
				reject(&LineError{m.Line, err})
			}
		}
		return nil
	})
}

// keepMessages adds the good lines in batches, each a durable commit.
func (e *Engine) keepMessages(ctx context.Context, scope daybook.Scope, by By, in Import, bad []*LineError) (total daybook.Receipt, err error) {
	skip := map[int]bool{}
	for _, l := range bad {
		skip[l.Line] = true
	}
	err = in.batches(func(*LineError) {}, func(batch []Message) error {
		var notes []daybook.Note
		for _, m := range batch {
			if !skip[m.Line] {
				notes = append(notes, m.Note)
			}
		}
		r, err := e.Add(ctx, scope, by, notes)
		if err != nil {
			return fmt.Errorf("add lines %d to %d: %w", batch[0].Line, batch[len(batch)-1].Line, err)
		}
		total.Commit, total.Seq = r.Commit, r.Seq
		total.Added += r.Added
		total.Known += r.Known
		in.Progress("keeping", batch[len(batch)-1].Line)
		return nil
	})
	return total, err
}
