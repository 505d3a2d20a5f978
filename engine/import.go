package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/source"
)

// batchSize notes make one commit of an import: large enough that the sync of a
// commit does not show, small enough to hold the writer's lock briefly.
const batchSize = 2000

// modelBatch is the same where a slow model learns from each batch before it is
// kept.
const modelBatch = 200

func (e *Engine) batchSize() int {
	if e.wantsStates() {
		return modelBatch
	}
	return batchSize
}

// Import is what to take in.
type Import struct {
	// Records reads the records from the first one on. It is called twice, once to
	// check them all and once to keep them, and yields the same both times.
	Records func() iter.Seq2[source.Record, error]
	SkipBad bool // keep the good records beside bad ones
	// Keep, where set, keeps a batch of notes in place of Add.
	Keep func([]daybook.Note) (daybook.Receipt, error)
	// Progress, where set, is told the stage and the records done.
	Progress func(stage string, records int)
}

// ImportResult is what became of the records.
type ImportResult struct {
	daybook.Receipt
	Bad []*source.BadRecord `json:"-"` // records that were skipped
}

// ImportError lists the bad records that kept the others out.
type ImportError struct{ Bad []*source.BadRecord }

func (e *ImportError) Error() string {
	if len(e.Bad) == 1 {
		return e.Bad[0].Error()
	}
	what := "records"
	if e.Bad[0].At.Line > 0 {
		what = "lines"
	}
	return fmt.Sprintf("%v (and %d more bad %s)", e.Bad[0], len(e.Bad)-1, what)
}

func (e *ImportError) Unwrap() error { return e.Bad[0] }

// Import keeps records as notes. All of them are checked first: with a bad one, or
// one whose id the scope knows with another text, nothing is kept unless SkipBad
// is set, and the error is an *ImportError. What the scope has already is counted
// and not added again, so an import that was cut off can simply be run again.
// Where a record's time or session is only assumed and the scope has the note
// with another, that one stands.
func (e *Engine) Import(ctx context.Context, scope daybook.Scope, by By, in Import) (ImportResult, error) {
	if in.Progress == nil {
		in.Progress = func(string, int) {}
	}
	if in.Keep == nil {
		in.Keep = func(notes []daybook.Note) (daybook.Receipt, error) { return e.Add(ctx, scope, by, notes) }
	}
	bad, err := e.checkImport(ctx, scope, in)
	if err != nil {
		return ImportResult{}, err
	}
	list := bad.list()
	if len(list) > 0 && !in.SkipBad {
		return ImportResult{Bad: list}, &ImportError{list}
	}
	receipt, err := e.keepImport(ctx, scope, by, in, bad)
	return ImportResult{receipt, list}, err
}

// numbered is a record with its number among all that were yielded, and what the
// scope knows of its id: the same note, or another.
type numbered struct {
	source.Record
	n            int
	known, other bool
}

// rejected are bad records by number.
type rejected struct {
	byNumber map[int]*source.BadRecord
	last     int
}

func (r *rejected) add(n int, at source.Position, err error) {
	if r.byNumber[n] == nil { // what was found first counts
		r.byNumber[n] = &source.BadRecord{At: at, Err: err}
	}
	r.last = max(r.last, n)
}

// list returns them in the order of the file.
func (r *rejected) list() (bad []*source.BadRecord) {
	for n := 0; n <= r.last && len(bad) < len(r.byNumber); n++ {
		if b := r.byNumber[n]; b != nil {
			bad = append(bad, b)
		}
	}
	return bad
}

// batches hands on the good records in batches; bad ones go to reject.
func (e *Engine) batches(ctx context.Context, scope daybook.Scope, in Import, reject *rejected, take func([]numbered) error) error {
	settle := settler{seen: map[daybook.NoteID]daybook.Note{}, sessions: map[string]string{}}
	var batch []numbered
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error { return settle.all(b, batch) })
		if err == nil {
			err = take(batch)
		}
		batch = batch[:0]
		return err
	}
	n := 0
	for r, err := range in.Records() {
		n++
		if bad, ok := errors.AsType[*source.BadRecord](err); ok {
			reject.add(n, bad.At, bad.Err)
			continue
		}
		if err != nil {
			return err
		}
		if batch = append(batch, numbered{Record: r, n: n}); len(batch) == e.batchSize() {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// settler gives records the assumed values that their notes have already, in the
// scope or earlier in the same import. What is new joins the session in which the
// known messages before it are, whatever that is called now.
type settler struct {
	seen     map[daybook.NoteID]daybook.Note
	sessions map[string]string // assumed names → those that stand
}

func (s settler) all(b *graph.Book, batch []numbered) error {
	for i := range batch {
		r := &batch[i]
		old, found, err := inScope(b, r.ID)
		if err != nil {
			return err
		}
		if r.Assumed != (source.Assumed{}) {
			s.settle(r, old, found)
		}
		r.known = found && old.Text == r.Text && old.Speaker == r.Speaker && old.Session == r.Session && old.Time.Equal(r.Time)
		r.other = found && !r.known
	}
	return nil
}

func (s settler) settle(r *numbered, old daybook.Note, found bool) {
	if first, again := s.seen[r.ID]; again {
		old, found = first, true
	}
	if found && r.Assumed.Time {
		r.Time = old.Time
	}
	if r.Assumed.Session {
		if found {
			s.sessions[r.Session] = old.Session
		}
		r.Session = cmp.Or(s.sessions[r.Session], r.Session)
	}
	s.seen[r.ID] = daybook.Note{Time: r.Time, Session: r.Session}
}

func inScope(b *graph.Book, id daybook.NoteID) (daybook.Note, bool, error) {
	if b.Head().Seq == 0 {
		return daybook.Note{}, false, nil
	}
	n, err := b.Note(string(id))
	if daybook.KindOf(err) == daybook.NotFound {
		return n, false, nil
	}
	return n, err == nil, err
}

// checkImport reads all records and returns the bad ones.
func (e *Engine) checkImport(ctx context.Context, scope daybook.Scope, in Import) (*rejected, error) {
	seen := map[daybook.NoteID]uint64{}
	seed := maphash.MakeSeed()
	bad := &rejected{byNumber: map[int]*source.BadRecord{}}
	err := e.batches(ctx, scope, in, bad, func(batch []numbered) error {
		for _, r := range batch {
			sum := maphash.String(seed, r.Session+"\x00"+r.Speaker+"\x00"+r.Time.Format(time.RFC3339Nano)+"\x00"+r.Text)
			old, again := seen[r.ID]
			if again && old != sum {
				bad.add(r.n, r.At, daybook.Errorf(daybook.Conflict, "id %q stands on an earlier line with another message", r.SourceID))
			}
			if !again { // the first one is the one that counts
				seen[r.ID] = sum
			}
			if r.other {
				bad.add(r.n, r.At, daybook.Errorf(daybook.Conflict, "note id %q stands for another message already; notes are never changed, so give the new message an id of its own", r.SourceID))
			}
		}
		in.Progress("checking", batch[len(batch)-1].n)
		return nil
	})
	return bad, err
}

// keepImport adds the good records that are new in batches, each a durable commit.
func (e *Engine) keepImport(ctx context.Context, scope daybook.Scope, by By, in Import, bad *rejected) (total daybook.Receipt, err error) {
	ignore := &rejected{byNumber: map[int]*source.BadRecord{}}
	err = e.batches(ctx, scope, in, ignore, func(batch []numbered) error {
		var notes []daybook.Note
		for _, r := range batch {
			switch {
			case bad.byNumber[r.n] != nil:
			case r.known:
				total.Known++
			default:
				notes = append(notes, r.Note)
			}
		}
		in.Progress("keeping", batch[len(batch)-1].n)
		if len(notes) == 0 {
			return nil
		}
		r, err := in.Keep(notes)
		if err != nil {
			return fmt.Errorf("add what stands from %v to %v: %w", batch[0].At, batch[len(batch)-1].At, err)
		}
		total.Commit, total.Seq = r.Commit, r.Seq
		total.Added += r.Added
		total.Known += r.Known
		total.Learned += r.Learned
		total.Dropped += r.Dropped
		total.Fallback = cmp.Or(total.Fallback, r.Fallback)
		return nil
	})
	if err == nil && total.Added == 0 { // nothing was new: the receipt names the last commit
		var r daybook.Receipt
		r, err = e.Add(ctx, scope, by, nil)
		total.Commit, total.Seq = r.Commit, r.Seq
	}
	return total, err
}
