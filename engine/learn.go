package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/store"
)

// Learner reads notes and says what they state. It writes nothing, and whatever
// slow work it does happens while no transaction is open.
type Learner interface {
	Learn(ctx context.Context, w extract.Window) (extract.Learned, error)
}

// WithLearner returns an engine that learns from the notes that are added. Without
// one, notes are kept and nothing is learned from them.
func (e *Engine) WithLearner(l Learner) *Engine {
	c := *e
	c.learner = l
	return &c
}

// lesson is what is learned from the notes of one Add.
type lesson struct {
	ops      []daybook.Op
	facts    []extract.Fact
	said     []extract.Said
	merges   []daybook.Merge
	links    []daybook.Op
	dropped  int
	fallback []string                // why a model was no use, each reason once
	read     map[daybook.NoteID]bool // the notes that it was learned from
	// settles are notes in the ledger that were waiting to be learned from.
	settles []store.Place
}

// message is a commit message that also says where a model was no use.
func (l lesson) message(given string) string {
	why := strings.Join(l.fallback, "; ")
	switch {
	case why == "":
		return given
	case given == "":
		return "learned locally: " + why
	}
	return given + " (learned locally: " + why + ")"
}

// learn reads the notes that the scope does not have yet, each in its session with
// the notes around it. Notes that say no time are given one.
func (e *Engine) learn(ctx context.Context, scope daybook.Scope, notes []daybook.Note) (lesson, error) {
	var windows []extract.Window
	err := e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		windows, err = e.windows(b, notes)
		return err
	})
	if err != nil {
		return lesson{}, err
	}
	return e.learnFrom(ctx, scope, windows, notes)
}

// learnFrom reads the windows that hold the notes.
func (e *Engine) learnFrom(ctx context.Context, scope daybook.Scope, windows []extract.Window, notes []daybook.Note) (lesson, error) {
	all := lesson{read: map[daybook.NoteID]bool{}}
	var known []extract.Known
	for _, w := range windows {
		w.States = append(w.States, known...)
		learned, err := e.learner.Learn(ctx, w)
		if err != nil {
			return lesson{}, fmt.Errorf("learn from %d notes: %w", len(w.Notes)-w.From, err)
		}
		all.add(learned)
		for _, n := range w.Notes[w.From:] {
			all.read[n.ID] = all.read[n.ID] || !w.Read[n.ID]
		}
		if e.wantsStates() {
			known = append(known, knownFrom(learned)...)
		}
	}
	if err := e.finish(all.context(ctx), scope, &all); err != nil {
		return all, err
	}
	same, err := e.resolve(all.context(ctx), scope, all, notes)
	all.ops = append(all.ops, same...)
	return all, err
}

// context is ctx, or one that outlives it: a caller who gave up on a slow model has
// not given up on the notes.
func (l lesson) context(ctx context.Context) context.Context {
	if len(l.fallback) > 0 {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// finish adds what follows from the lesson as a whole: names that are one, values that
// are over, and the links to what the scope holds.
func (e *Engine) finish(ctx context.Context, scope daybook.Scope, l *lesson) error {
	if len(l.merges)+len(l.facts) > 0 {
		err := e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error {
			ops, err := freshMerges(b, l.merges)
			l.ops = append(l.ops, ops...)
			return errors.Join(err, withEndings(b, l))
		})
		if err != nil {
			return err
		}
	}
	l.ops = append(l.ops, l.links...)
	return nil
}

// teachTries is how often judging starts again because another writer was faster.
const teachTries = 8

// teach appends a change with the judgements on the facts that it brings. They are
// made outside of the transaction, on a ledger that must not have moved when they
// are appended.
func (e *Engine) teach(ctx context.Context, scope daybook.Scope, ch graph.Change, learned lesson) (receipt daybook.Receipt, err error) {
	ops := ch.Ops
	for try := 1; ; try++ {
		links, head, err := e.linkFacts(ctx, scope, learned.facts)
		if err != nil {
			return receipt, err
		}
		bound, upTo, err := e.bindFacts(ctx, scope, learned.facts, links)
		if err != nil {
			return receipt, err
		}
		links, head = append(links, bound...), max(head, upTo)
		ch.Ops = append(slices.Clip(ops), links...)
		err = e.store.Update(ctx, scope, func(w store.Writer) error {
			if same, err := sameJudged(w, head, len(links)); err != nil {
				return err
			} else if !same && try < teachTries {
				return errMoved
			}
			if receipt, err = e.ledger.Apply(w, ch); err != nil {
				return err
			}
			return errors.Join(e.keepStated(w, receipt.Seq, learned.facts), e.keepRead(w, receipt.Seq, learned.facts), e.keepSaid(w, learned.upTo(receipt.Seq), learned), settle(w, learned.settles))
		})
		if !errors.Is(err, errMoved) {
			if err == nil {
				e.tell(scope, receipt)
			}
			return receipt, err
		}
	}
}

// sameJudged reports whether judgements that were made after one commit stand after
// the last: none was made, or nothing but new notes came since, which judging does not
// look at.
func sameJudged(r store.Reader, after uint64, links int) (bool, error) {
	if links+int(after) == 0 {
		return true, nil
	}
	return graph.OnlyNewNotes(r, after)
}

// errMoved says that the ledger is not the one that was judged.
var errMoved = errors.New("the ledger moved")

// add turns what was learned into operations, in the order in which they refer to
// each other.
func (l *lesson) add(learned extract.Learned) {
	for i := range learned.Enrichments {
		l.ops = append(l.ops, daybook.Op{Enrich: &learned.Enrichments[i]})
	}
	for i := range learned.Entities {
		l.ops = append(l.ops, daybook.Op{Entity: &learned.Entities[i]})
	}
	for i := range learned.Events {
		l.ops = append(l.ops, daybook.Op{Event: &learned.Events[i]})
	}
	for i := range learned.Facts {
		l.ops = append(l.ops, daybook.Op{Fact: &learned.Facts[i].Fact})
	}
	for i := range learned.Links {
		l.links = append(l.links, daybook.Op{Relate: &learned.Links[i]})
	}
	l.facts = append(l.facts, learned.Facts...)
	l.said = append(l.said, learned.Said...)
	l.merges = append(l.merges, learned.Merges...)
	l.dropped += learned.Dropped
	if learned.Fallback != "" && !slices.Contains(l.fallback, learned.Fallback) {
		l.fallback = append(l.fallback, learned.Fallback)
	}
}

// windows sorts new notes by session, gives each the time it lacks, and puts the
// notes said just before in front of them. A note that comes late is read with
// those that follow it, too: what they mean may change.
func (e *Engine) windows(b *graph.Book, notes []daybook.Note) ([]extract.Window, error) {
	bySession := map[string][]daybook.Note{}
	var sessions []string
	for i := range notes {
		fresh, err := e.fresh(b, &notes[i])
		if err != nil {
			return nil, err
		}
		if !fresh {
			continue
		}
		n := notes[i].Named()
		if bySession[n.Session] == nil {
			sessions = append(sessions, n.Session)
		}
		bySession[n.Session] = append(bySession[n.Session], n)
	}
	return e.windowsOf(b, sessions, bySession, func(daybook.Note) (bool, error) { return true, nil })
}

// windowsOf puts the notes of sessions among those around them that are known.
func (e *Engine) windowsOf(b *graph.Book, sessions []string, bySession map[string][]daybook.Note, known func(daybook.Note) (bool, error)) ([]extract.Window, error) {
	var windows []extract.Window
	for _, s := range sessions {
		fresh := bySession[s]
		daybook.Sort(fresh, byTime)
		first, last := fresh[0].Time, fresh[len(fresh)-1].Time
		near, err := b.Around(s, first, last, extract.LookBack)
		if err != nil {
			return nil, err
		}
		var around []daybook.Note
		for _, n := range near {
			if ok, err := known(n); err != nil {
				return nil, err
			} else if ok {
				around = append(around, n)
			}
		}
		w := window(around, fresh)
		if e.wantsStates() {
			if w.States, err = statesFor(b, w); err != nil {
				return nil, err
			}
		}
		windows = append(windows, w)
	}
	return windows, nil
}

// fresh reports whether the scope lacks the note, and gives it a time if it has
// none.
func (e *Engine) fresh(b *graph.Book, n *daybook.Note) (bool, error) {
	if n.Time.IsZero() && n.SourceID == "" {
		n.Time = e.ledger.Now().UTC().Truncate(time.Microsecond)
		return true, n.Validate()
	}
	if n.SourceID != "" || !n.Time.IsZero() {
		has, err := b.Has(n.Named().ID)
		if err != nil || has {
			return false, err
		}
	}
	if n.Time.IsZero() {
		n.Time = e.ledger.Now().UTC().Truncate(time.Microsecond)
	}
	return true, n.Validate()
}

// window joins the notes of a session that are known around the fresh ones. What
// lies before the first fresh one only looks on.
func window(around, fresh []daybook.Note) extract.Window {
	all := append(slices.Clone(around), fresh...)
	for i := range all {
		all[i] = extract.Readable(all[i].Own())
	}
	daybook.Sort(all, byTime)
	from := slices.IndexFunc(all, func(n daybook.Note) bool { return n.ID == fresh[0].ID })
	w := extract.Window{Notes: all, From: from, Read: map[daybook.NoteID]bool{}}
	for _, n := range around {
		w.Read[n.ID] = true
	}
	return w
}

func byTime(a, b daybook.Note) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) }
