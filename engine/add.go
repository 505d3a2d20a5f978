package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"daybook"
	"daybook/graph"
)

// By says who writes and why.
type By struct {
	Author  string // who or what; not erasable, so no personal data belongs here
	Message string
}

// Add observes notes as one commit, with what was learned from them. Notes that
// the scope has already are counted and not added again; a note without a time is
// given the time of recording.
func (e *Engine) Add(ctx context.Context, scope daybook.Scope, by By, notes []daybook.Note) (daybook.Receipt, error) {
	notes = slices.Clone(notes)
	echoes, err := e.markEchoes(ctx, scope, notes)
	if err != nil {
		return daybook.Receipt{}, err
	}
	var learned lesson
	if e.learner != nil {
		if learned, err = e.learn(ctx, scope, notes); err != nil { // slow: no transaction is open
			return daybook.Receipt{}, err
		}
	}
	ops := make([]daybook.Op, len(notes), len(notes)+len(learned.ops))
	for i := range notes {
		ops[i].Observe = &notes[i]
	}
	change := graph.Change{Author: by.Author, Message: learned.message(by.Message), Ops: append(ops, learned.ops...)}
	receipt, err := e.teach(learned.context(ctx), scope, change, learned)
	receipt.Dropped, receipt.Fallback, receipt.Echoes = learned.dropped, strings.Join(learned.fallback, "; "), echoes
	return receipt, err
}

// NewFact is a fact as people state it: the subject by name.
type NewFact struct {
	Subject    string // a name
	Relation   string
	Object     string
	Valid      daybook.Span
	Holds      daybook.Cardinality
	Modality   daybook.Modality
	Context    daybook.Context
	Confidence float64
	Sources    []string // note ids, ours or the caller's
	Session    string
	// Supersedes are facts of the same subject, of whatever relation, that end where this
	// one begins, by the judgement of who states it: by their ids, or by the id of a note
	// for all that it says of the subject.
	Supersedes []string
}

// AddFact asserts a fact, and closes what it supersedes: by its relation, and by the
// caller's word.
func (e *Engine) AddFact(ctx context.Context, scope daybook.Scope, by By, f NewFact) (daybook.Receipt, error) {
	sources, err := e.noteIDs(ctx, scope, f.Sources)
	if err != nil {
		return daybook.Receipt{}, err
	}
	if strings.HasPrefix(f.Subject, daybook.EntityPrefix) {
		return daybook.Receipt{}, daybook.Errorf(daybook.Invalid, "fact: give the subject's name, not its id %s", f.Subject)
	}
	if daybook.Fold(f.Subject) == "" {
		return daybook.Receipt{}, daybook.Errorf(daybook.Invalid, "fact has an empty subject")
	}
	superseded, err := e.statedIn(ctx, scope, f.Subject, f.Supersedes)
	if err != nil {
		return daybook.Receipt{}, err
	}
	entity := daybook.Entity{ID: daybook.EntityNamed(f.Subject), Name: strings.TrimSpace(f.Subject)}
	fact := daybook.Fact{
		Subject: entity.ID, Relation: f.Relation, Object: f.Object, Valid: f.Valid, Holds: f.Holds, Modality: f.Modality,
		Context: f.Context, Confidence: f.Confidence, Sources: sources, Session: f.Session,
	}
	ops := []daybook.Op{{Entity: &entity}, {Fact: &fact}}
	for _, old := range superseded {
		ops = append(ops, daybook.Op{Relate: &daybook.Link{Kind: daybook.Updates, To: old, Confidence: 1, Why: "so stated", By: statedBy(by)}})
	}
	return e.apply(ctx, scope, graph.Change{Author: by.Author, Message: by.Message, Ops: ops})
}

// statedIn turns ids of facts, and of notes that state some of the subject, into ids of
// facts.
func (e *Engine) statedIn(ctx context.Context, scope daybook.Scope, subject string, refs []string) (ids []string, err error) {
	if len(refs) == 0 {
		return nil, nil
	}
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error {
		for _, ref := range refs {
			if strings.HasPrefix(ref, daybook.FactPrefix) {
				ids = append(ids, ref)
				continue
			}
			stated, err := assertedIn(b, ref, b.Subject(subject))
			if err != nil {
				return err
			}
			ids = append(ids, stated...)
		}
		return nil
	})
	return ids, err
}

// assertedIn are the facts of a subject that a note asserts.
func assertedIn(b *graph.Book, note string, subject daybook.EntityID) (ids []string, err error) {
	n, err := b.Note(note)
	if err != nil {
		return nil, err
	}
	standing, err := b.Standing(n.ID, 0)
	for _, f := range standing.Facts {
		if f.Modality == daybook.Asserted && b.Subject(string(f.Subject)) == subject {
			ids = append(ids, string(f.ID))
		}
	}
	if err == nil && len(ids) == 0 {
		err = daybook.Errorf(daybook.NotFound, "note %s states nothing of that subject; give the id of a fact", note)
	}
	return ids, err
}

// statedBy is who made a judgement that came with a statement. A colon would make it
// a rule's or a model's.
func statedBy(by By) string { return cmp.Or(strings.ReplaceAll(by.Author, ":", " "), "caller") }

// noteIDs turns ids of notes, ours or the caller's, into ours.
func (e *Engine) noteIDs(ctx context.Context, scope daybook.Scope, refs []string) (ids []daybook.NoteID, err error) {
	if len(refs) == 0 {
		return nil, nil
	}
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error {
		for _, ref := range refs {
			n, err := b.Note(ref)
			if err != nil {
				return err
			}
			ids = append(ids, n.ID)
		}
		return nil
	})
	return ids, err
}

// Relate records a judgement on two events or two facts.
func (e *Engine) Relate(ctx context.Context, scope daybook.Scope, by By, l daybook.Link) (daybook.Receipt, error) {
	return e.apply(ctx, scope, graph.Change{Author: by.Author, Message: by.Message, Ops: []daybook.Op{{Relate: &l}}})
}

// AddEvent asserts an event.
func (e *Engine) AddEvent(ctx context.Context, scope daybook.Scope, by By, ev daybook.Event) (daybook.Receipt, error) {
	return e.apply(ctx, scope, graph.Change{Author: by.Author, Message: by.Message, Ops: []daybook.Op{{Event: &ev}}})
}

// Merge makes two names stand for one entity.
func (e *Engine) Merge(ctx context.Context, scope daybook.Scope, by By, from, into, why string) (daybook.Receipt, error) {
	return e.change(ctx, scope, by, func(b *graph.Book) (daybook.Op, error) {
		for _, name := range []string{from, into} {
			if ent, err := b.Entity(b.Subject(name)); err != nil {
				return daybook.Op{}, err
			} else if ent.Name == "" {
				return daybook.Op{}, daybook.Errorf(daybook.NotFound, "merge: no entity %q in this scope", name)
			}
		}
		return daybook.Op{Merge: &daybook.Merge{From: b.Subject(from), Into: b.Subject(into), Why: why}}, nil
	})
}

// Split undoes the merge of a name into another.
func (e *Engine) Split(ctx context.Context, scope daybook.Scope, by By, name, why string) (daybook.Receipt, error) {
	return e.change(ctx, scope, by, func(*graph.Book) (daybook.Op, error) {
		return daybook.Op{Split: &daybook.Split{Entity: daybook.EntityNamed(name), Why: why}}, nil
	})
}

// Retract withdraws a note, event, fact or link, and what was learned from it
// alone. It stays in the ledger.
func (e *Engine) Retract(ctx context.Context, scope daybook.Scope, by By, id, why string) (daybook.Receipt, error) {
	return e.change(ctx, scope, by, func(b *graph.Book) (daybook.Op, error) {
		if n, err := b.Note(id); err == nil {
			id = string(n.ID)
		}
		return daybook.Op{Retract: &daybook.Retract{Target: id, Why: why}}, nil
	})
}

// Revert undoes one commit and only it, by a new commit.
func (e *Engine) Revert(ctx context.Context, scope daybook.Scope, by By, ref string) (daybook.Receipt, error) {
	return e.change(ctx, scope, by, func(b *graph.Book) (daybook.Op, error) {
		c, err := b.Resolve(ref)
		if err == nil && c.Seq == 0 {
			err = daybook.Errorf(daybook.Invalid, "revert: %s is not a commit", ref)
		}
		return daybook.Op{Revert: &daybook.Revert{Commit: c.ID, Seq: c.Seq}}, err
	})
}

// change reads what an operation needs and applies it. The book may be older
// than the write; Apply checks the operation again against what it then sees.
func (e *Engine) change(ctx context.Context, scope daybook.Scope, by By, make func(*graph.Book) (daybook.Op, error)) (daybook.Receipt, error) {
	var op daybook.Op
	err := e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		op, err = make(b)
		return err
	})
	if err != nil {
		return daybook.Receipt{}, err
	}
	return e.apply(ctx, scope, graph.Change{Author: by.Author, Message: by.Message, Ops: []daybook.Op{op}})
}
