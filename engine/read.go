package engine

import (
	"context"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/recall"
	"daybook/store"
)

// FactQuery selects states to read.
type FactQuery struct {
	Subject, Relation string
	Session           string // only values that this session asserts
	At                daybook.AsOf
	All               bool // every period, not only those that hold
}

// Facts returns the states that the query selects. Without All, a state has only
// the periods that hold at the asked time, contested ones included.
func (e *Engine) Facts(ctx context.Context, scope daybook.Scope, q FactQuery) (states []daybook.State, err error) {
	err = e.read(ctx, scope, q.At, func(b *graph.Book) (err error) {
		states, err = b.States(graph.Select{Subject: q.Subject, Relation: q.Relation, Session: q.Session, Holding: !q.All})
		return err
	})
	e.returnedStates(scope, states)
	return states, err
}

// History is a state with how it changed.
type History struct {
	daybook.State
	Transitions []daybook.Transition `json:"transitions"`
}

// History returns every period of the selected states and the transitions
// between them. A subject of which nothing is known is NotFound.
func (e *Engine) History(ctx context.Context, scope daybook.Scope, q FactQuery) ([]History, error) {
	q.All = true
	states, err := e.Facts(ctx, scope, q)
	if err != nil {
		return nil, err
	}
	if len(states) == 0 {
		return nil, daybook.Errorf(daybook.NotFound, "nothing is known of %q in this scope", q.Subject)
	}
	histories := make([]History, len(states))
	for i, st := range states {
		histories[i] = History{st, graph.Transitions(st)}
	}
	return histories, nil
}

// Note returns a note by our id or the caller's.
func (e *Engine) Note(ctx context.Context, scope daybook.Scope, id string) (n daybook.Note, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		n, err = b.Note(id)
		return err
	})
	return n, err
}

// Versions returns a note, by our id, and all that were put in its place, oldest
// first, those that were withdrawn included.
func (e *Engine) Versions(ctx context.Context, scope daybook.Scope, id daybook.NoteID) (all []graph.NoteVersion, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		all, err = b.Versions(id)
		return err
	})
	return all, err
}

// Notes calls yield with each note of a session, or of the scope, in the order
// of recording, until yield errs.
func (e *Engine) Notes(ctx context.Context, scope daybook.Scope, session string, at daybook.AsOf, yield func(daybook.Note) error) error {
	return e.read(ctx, scope, at, func(b *graph.Book) error { return b.Notes(session, yield) })
}

// Listed is what is known of a note without reading it.
type Listed struct {
	At      store.Place
	Time    time.Time // when it was said, to the microsecond
	Session string
	Blank   bool // all of it is an echo
	Expires bool // its metadata has an expiration date
}

// List calls yield with each note of a scope, in the order in which they were said. It
// reads none of them: NotesAt does.
func (e *Engine) List(ctx context.Context, scope daybook.Scope, yield func(Listed) error) error {
	x, err := e.Index(ctx, scope)
	if err != nil {
		return err
	}
	for id := range x.Between(time.Time{}, time.Time{}) {
		n := Listed{At: x.Place(id), Time: x.Time(id), Session: x.Session(id)}
		n.Blank, n.Expires = recall.Marks(x.Card(id))
		if err := yield(n); err != nil {
			return err
		}
	}
	return nil
}

// NotesAt reads listed notes, and calls yield with the number of each and the note, unless
// it went meanwhile.
func (e *Engine) NotesAt(ctx context.Context, scope daybook.Scope, listed []Listed, yield func(int, daybook.Note)) error {
	return e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error {
		for i, l := range listed {
			n, ok, err := b.NoteAt(l.At)
			if err != nil {
				return err
			}
			if ok {
				yield(i, n)
			}
		}
		return nil
	})
}

// Get returns what an id names.
func (e *Engine) Get(ctx context.Context, scope daybook.Scope, id string) (op daybook.Op, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		op, err = b.Get(id)
		return err
	})
	return op, err
}

// Entities lists the entities of the scope.
func (e *Engine) Entities(ctx context.Context, scope daybook.Scope) (all []daybook.Entity, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		all, err = b.Entities()
		return err
	})
	return all, err
}

// EntityViews lists the entities of the scope, most spoken of first, with their
// other names and how much is known of each.
func (e *Engine) EntityViews(ctx context.Context, scope daybook.Scope, at daybook.AsOf) (all []daybook.EntityView, err error) {
	err = e.read(ctx, scope, at, func(b *graph.Book) (err error) {
		all, err = b.EntityViews()
		return err
	})
	return all, err
}

// Log returns up to limit commits, newest first; 0 means all.
func (e *Engine) Log(ctx context.Context, scope daybook.Scope, limit int) (entries []graph.LogEntry, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		entries, err = b.Log(limit)
		return err
	})
	return entries, err
}

// Show returns one commit with its operations.
func (e *Engine) Show(ctx context.Context, scope daybook.Scope, ref string) (entry graph.LogEntry, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		entry, err = b.Show(ref)
		return err
	})
	return entry, err
}

// Commit returns the sequence number and the id of a commit that is named by its id,
// the beginning of it, HEAD, HEAD~n or root.
func (e *Engine) Commit(ctx context.Context, scope daybook.Scope, ref string) (seq uint64, id daybook.CommitID, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error {
		c, err := b.Resolve(ref)
		seq, id = c.Seq, c.ID
		return err
	})
	return seq, id, err
}

// Changes returns what is believed now and was not after a commit, or at a time, and
// the other way round.
func (e *Engine) Changes(ctx context.Context, scope daybook.Scope, since string) (graph.Diff, error) {
	at, err := ParseAsOf("", since, e.ledger.Now())
	if err != nil { // then it names a commit
		return e.Diff(ctx, scope, since, "HEAD")
	}
	from := "root"
	err = e.read(ctx, scope, at, func(b *graph.Book) error {
		if head := b.Head(); head.Seq > 0 {
			from = head.ID.String()
		}
		return nil
	})
	if err != nil {
		return graph.Diff{}, err
	}
	return e.Diff(ctx, scope, from, "HEAD")
}

// Diff compares what was believed after two commits.
func (e *Engine) Diff(ctx context.Context, scope daybook.Scope, a, b string) (d graph.Diff, err error) {
	now := e.ledger.Now()
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		book, err := graph.Open(r, daybook.AsOf{}, now)
		if err != nil {
			return err
		}
		from, err := book.Resolve(a)
		if err != nil {
			return err
		}
		to, err := book.Resolve(b)
		if err != nil {
			return err
		}
		d, err = graph.Compare(r, from, to, now)
		return err
	})
	return d, err
}

// Stats counts a scope, and the bytes of the whole store.
type Stats struct {
	graph.Stats
	Makers map[string]graph.Made `json:"makers,omitempty"` // what was learned, by who or what made it
	Bytes  int64                 `json:"bytes"`
}

// Stats counts what is in force in the scope.
func (e *Engine) Stats(ctx context.Context, scope daybook.Scope) (st Stats, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		if st.Stats, err = b.Stats(); err != nil || st.Commits == 0 {
			return err
		}
		st.Makers, err = b.Makers()
		return err
	})
	if err != nil {
		return st, err
	}
	k, err := e.keeper()
	if err != nil {
		return st, err
	}
	st.Bytes, err = k.Size(ctx)
	return st, err
}

// Now is the engine's clock.
func (e *Engine) Now() time.Time { return e.ledger.Now() }

// ParseAsOf reads both times of a read as people write them. Either may be empty.
func ParseAsOf(validAt, knownAt string, now time.Time) (at daybook.AsOf, err error) {
	if validAt != "" {
		if at.ValidAt, err = daybook.ParseAsOf(validAt); err != nil {
			return at, err
		}
	}
	if knownAt == "" {
		return at, nil
	}
	start, granularity, err := daybook.ParseTime(knownAt)
	if err != nil {
		return at, err
	}
	if at.KnownAt, err = daybook.ParseAsOf(knownAt); err != nil {
		return at, err
	}
	// Today's end lies in the future and means: all that is known by now.
	if granularity != daybook.Instant && !start.After(now) && at.KnownAt.After(now) {
		at.KnownAt = now
	}
	return at, nil
}
