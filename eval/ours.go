package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"daybook"
	"daybook/engine"
)

// Ours is Daybook itself: an engine on an empty store of its own for each
// conversation, used as anybody would use it. What the engine cannot do yet is
// nil, and a run goes on without it.
type Ours struct {
	// Open opens an engine on an empty store; done closes both and lets go of the
	// store.
	Open func(ctx context.Context) (e *engine.Engine, done func() error, err error)
	// Recall returns up to k rows, best first. ID is the note's SourceID.
	Recall func(ctx context.Context, e *engine.Engine, scope daybook.Scope, q Question, k int) ([]Row, error)
	// Ask answers.
	Ask func(ctx context.Context, e *engine.Engine, scope daybook.Scope, q Question) (Answer, error)
	// Trace says what became of a note.
	Trace func(ctx context.Context, e *engine.Engine, scope daybook.Scope, q Question, id string) (Trail, error)
	// Without are parts that the engine leaves undone, so that what they add shows.
	Without []engine.Part
}

// Name implements System. An engine that leaves parts undone says so, and its results
// are kept apart.
func (o Ours) Name() string {
	if len(o.Without) == 0 {
		return "ours"
	}
	return "ours without " + engine.PartNames(o.Without)
}

// Missing says what the engine cannot do yet that a run needs; empty when it can.
func (o Ours) Missing() string {
	switch {
	case o.Recall == nil:
		return "the engine has no recall yet"
	case o.Open == nil:
		return "no store is wired"
	}
	return ""
}

// addBatch notes are one commit.
const addBatch = 64

var oursScope = daybook.Scope{User: "bench"}

// Build implements System.
func (o Ours) Build(ctx context.Context, c Conversation) (Memory, error) {
	if m := o.Missing(); m != "" {
		return nil, daybook.Errorf(daybook.Invalid, "ours: %s", m)
	}
	e, done, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	m := &ourMemory{system: o, engine: e.Without(o.Without...), done: done}
	if err := errors.Join(m.add(ctx, c), m.state(ctx, c)); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if o.Ask == nil {
		return m, nil
	}
	return &askingMemory{m}, nil
}

// add takes in the notes, each into its scope.
func (m *ourMemory) add(ctx context.Context, c Conversation) error {
	var names []string
	notes := map[string][]daybook.Note{}
	for _, n := range c.Notes {
		name := c.Apart[n.SourceID]
		if notes[name] == nil {
			names = append(names, name)
		}
		notes[name] = append(notes[name], n)
	}
	for _, name := range names {
		for some := range slices.Chunk(notes[name], addBatch) {
			if _, err := m.engine.Add(ctx, scopeNamed(name), engine.By{Author: "bench"}, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// scopeNamed is a scope beside the asker's; that itself for no name.
func scopeNamed(name string) daybook.Scope {
	scope := oursScope
	scope.Agent = name
	return scope
}

// state tells the engine what the conversation has as keys with values, each as a fact
// that stands on its note.
func (m *ourMemory) state(ctx context.Context, c Conversation) error {
	for _, s := range c.Stated {
		_, err := m.engine.AddFact(ctx, scopeNamed(c.Apart[s.Note]), engine.By{Author: "bench"}, engine.NewFact{
			Subject: s.Subject, Relation: s.Key, Object: s.Value, Holds: daybook.OneValue, Sources: []string{s.Note}, Supersedes: s.Supersedes,
			Valid: daybook.Span{From: s.Time, Known: daybook.Stated},
		})
		if err != nil {
			return fmt.Errorf("state %s of %s: %w", s.Key, s.Note, err)
		}
	}
	return nil
}

type ourMemory struct {
	system Ours
	engine *engine.Engine
	done   func() error
}

func (m *ourMemory) Recall(ctx context.Context, q Question, k int) ([]Row, error) {
	rows, err := m.system.Recall(ctx, m.engine, oursScope, q, k)
	return scorable(rows), err
}

// Trace implements Tracer.
func (m *ourMemory) Trace(ctx context.Context, q Question, id string) (Trail, error) {
	if m.system.Trace == nil {
		return Trail{Rank: unknownRank}, nil
	}
	return m.system.Trace(ctx, m.engine, oursScope, q, id)
}

func (m *ourMemory) Close() error { return m.done() }

// askingMemory is an engine that answers.
type askingMemory struct{ *ourMemory }

// Answer implements Answerer.
func (m *askingMemory) Answer(ctx context.Context, q Question) (Answer, error) {
	a, err := m.system.Ask(ctx, m.engine, oursScope, q)
	a.Rows = scorable(a.Rows)
	return a, err
}

// scorable gives roles the words that the scorers know: what was said and does
// not hold is "other" to them.
func scorable(rows []Row) []Row {
	for i := range rows {
		if rows[i].Role == string(daybook.RoleAside) {
			rows[i].Role = "other"
		}
	}
	return rows
}

// Bank implements Banker: every note that is kept, from the time at which it was
// said. It ends where the last of what it states ended; what it states beside
// keeps it open.
func (m *ourMemory) Bank(ctx context.Context) ([]BankRow, error) {
	ends, err := m.ends(ctx)
	if err != nil {
		return nil, err
	}
	bank := []BankRow{}
	err = m.engine.Notes(ctx, oursScope, "", daybook.AsOf{}, func(n daybook.Note) error {
		bank = append(bank, BankRow{ID: n.SourceID, ValidFrom: n.Time, ValidTo: ends[n.ID]})
		return nil
	})
	return bank, err
}

// ends are the times at which what notes state stopped to hold, by note: zero for
// a note that states something which still holds.
func (m *ourMemory) ends(ctx context.Context) (map[daybook.NoteID]time.Time, error) {
	states, err := m.engine.Facts(ctx, oursScope, engine.FactQuery{All: true})
	if err != nil {
		return nil, err
	}
	ends, open := map[daybook.NoteID]time.Time{}, map[daybook.NoteID]bool{}
	for _, state := range states {
		for _, period := range state.Periods {
			if period.Modality != daybook.Asserted {
				continue
			}
			for _, fact := range period.Facts {
				for _, note := range fact.Sources {
					superseded := period.EndedBy != "" // an action that took its own time was not closed
					open[note] = open[note] || !superseded
					if superseded && period.Valid.Until.After(ends[note]) {
						ends[note] = period.Valid.Until
					}
				}
			}
		}
	}
	for note := range open {
		if open[note] {
			delete(ends, note)
		}
	}
	return ends, nil
}

// Ledger implements Ledgerer: the facts of every state, each with the notes that say it and
// those that ended it.
func (m *ourMemory) Ledger(ctx context.Context) ([]LedgerFact, error) {
	sources, err := m.sourceIDs(ctx)
	if err != nil {
		return nil, err
	}
	states, err := m.engine.Facts(ctx, oursScope, engine.FactQuery{All: true})
	if err != nil {
		return nil, err
	}
	tellers := map[daybook.FactID][]string{}
	for _, state := range states {
		for _, period := range state.Periods {
			for _, fact := range period.Facts {
				tellers[fact.ID] = sources.of(fact.Sources)
			}
		}
	}
	facts := []LedgerFact{}
	for _, state := range states {
		for _, period := range state.Periods {
			for _, fact := range period.Facts {
				closedBy := tellers[period.EndedBy]
				if period.EndedBy == "" && period.Role == daybook.RoleHistorical {
					closedBy = tellers[fact.ID] // it says itself that it is over
				}
				facts = append(facts, LedgerFact{
					Subject: state.Subject.Name, Relation: fact.Relation, Object: fact.Object, Sources: tellers[fact.ID], Role: string(period.Role),
					Asserted: period.Modality == daybook.Asserted, Until: period.Valid.Until, ClosedBy: closedBy,
				})
			}
		}
	}
	return facts, nil
}

// sourceIDs are the ids that the data set has for notes.
type sourceIDs map[daybook.NoteID]string

func (s sourceIDs) of(notes []daybook.NoteID) []string {
	ids := make([]string, len(notes))
	for i, n := range notes {
		ids[i] = s[n]
	}
	return ids
}

func (m *ourMemory) sourceIDs(ctx context.Context) (sourceIDs, error) {
	ids := sourceIDs{}
	err := m.engine.Notes(ctx, oursScope, "", daybook.AsOf{}, func(n daybook.Note) error {
		ids[n.ID] = n.SourceID
		return nil
	})
	return ids, err
}
