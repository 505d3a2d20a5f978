package engine

import (
	"context"
	"slices"
	"strings"

	"daybook"
	"daybook/answer"
	"daybook/graph"
	"daybook/index"
	"daybook/model"
	"daybook/recall"
)

// WithReader returns an engine that lets a reader find the answers to questions.
func (e *Engine) WithReader(r model.Reader) *Engine {
	c := *e
	c.reader = r
	return &c
}

// beforeRead is how many messages before a note it is read with.
const beforeRead = 2

// heardRows are rows with what was said before them.
func (e *Engine) heardRows(ctx context.Context, scope daybook.Scope, rows []recall.Row, at daybook.AsOf) (all []answer.Heard, err error) {
	view, err := e.indexAt(ctx, scope, at)
	if err != nil {
		return nil, err
	}
	err = e.read(ctx, scope, at, func(b *graph.Book) error {
		for _, row := range rows {
			h, err := heardNote(view, b, row.Note)
			if err != nil {
				return err
			}
			all = append(all, h)
		}
		return nil
	})
	return all, err
}

func heardNote(v *index.Snapshot, b *graph.Book, n daybook.Note) (h answer.Heard, err error) {
	h.Note = n
	place, ok, err := b.NotePlace(n.ID)
	if err != nil || !ok {
		return h, err
	}
	id, ok := v.Find(place)
	if !ok {
		return h, nil
	}
	for _, before := range v.Around(id, beforeRead, 0) {
		n, ok, err := b.NoteAt(v.Place(before))
		if err != nil {
			return h, err
		}
		if ok {
			h.Before = append(h.Before, n)
		}
	}
	return h, nil
}

// readQuestion lets the reader look for the answer in the rows that recall found.
func (e *Engine) readQuestion(ctx context.Context, scope daybook.Scope, q Asked, question *answer.Question, rows []recall.Row) (model.Asked, []answer.Candidate, error) {
	asked, err := e.reader.Questions(ctx, []string{q.Text})
	if err != nil {
		return model.Asked{}, nil, err
	}
	notes, err := e.heardRows(ctx, scope, rows[:min(len(rows), answer.RowsRead)], q.At)
	if err != nil {
		return model.Asked{}, nil, err
	}
	found, err := answer.Candidates(ctx, e.reader, q.Text, notes, question.By())
	if err != nil {
		return asked[0], found, err
	}
	found = answer.Held(asked[0], found, e.timeOf(q.At))
	err = e.read(ctx, scope, q.At, func(b *graph.Book) error { return believed(b, asked[0], found) })
	return asked[0], found, err
}

// believed lets the ledger decide between the values of one state: what it says is over is no answer
// to what holds, and what holds is none to what was before. The reader has to see the other value
// as one of that state, too.
func believed(b *graph.Book, asked model.Asked, found []answer.Candidate) error {
	if len(found) == 0 || asked.Kind != "current" && asked.Kind != "historical" {
		return nil
	}
	f, learned, err := factIn(b, &found[0])
	if err != nil || f == nil {
		return err
	}
	other := ""
	if asked.Kind == "current" {
		other, err = successor(b, f)
	} else {
		other = predecessor(learned, f)
	}
	if err != nil || other == "" {
		return err
	}
	op, err := b.Get(other)
	if err != nil || op.Fact == nil || len(op.Fact.Sources) == 0 {
		return err
	}
	at := slices.IndexFunc(found, func(c answer.Candidate) bool { return c.Note.ID == op.Fact.Sources[0] && c.Choice.Other < 0.5 })
	if at > 0 {
		found[at].Choice = found[0].Choice
		found[0], found[at] = found[at], found[0]
	}
	return nil
}

// factIn is the asserted fact that the words of a candidate give, with all that was learned from
// its note; nil where there is none.
func factIn(b *graph.Book, c *answer.Candidate) (*daybook.Fact, daybook.Learned, error) {
	learned, err := b.Learned(string(c.Note.ID))
	if err != nil {
		return nil, learned, err
	}
	words := daybook.Fold(c.Words())
	for i := range learned.Facts {
		f := &learned.Facts[i].Fact
		if value := daybook.Fold(f.Object); f.Modality == daybook.Asserted && (strings.Contains(words, value) || strings.Contains(value, words)) {
			return f, learned, nil
		}
	}
	return nil, learned, nil
}

// mostFollowed is how many changes of a state are followed to what holds.
const mostFollowed = 100

// successor is the fact that holds in the place of one that was superseded; empty where it holds
// itself, or nothing does.
func successor(b *graph.Book, f *daybook.Fact) (string, error) {
	for i := range mostFollowed {
		p, err := b.Period(f)
		switch {
		case err != nil:
			return "", err
		case p.Role == daybook.RoleCurrent && i > 0:
			return string(f.ID), nil
		case p.Role != daybook.RoleHistorical || p.EndedBy == "" || p.EndedBy == f.ID:
			return "", nil
		}
		op, err := b.Get(string(p.EndedBy))
		if err != nil || op.Fact == nil {
			return "", err
		}
		f = op.Fact
	}
	return "", nil
}

// predecessor is the fact that one superseded; empty where there is none.
func predecessor(learned daybook.Learned, f *daybook.Fact) string {
	for _, l := range learned.Links {
		if l.Kind == daybook.Updates && l.From == string(f.ID) {
			return l.To
		}
	}
	return ""
}
