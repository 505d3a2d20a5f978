package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/graph"
	"daybook/model"
	"daybook/recall"
)

// stateLeg is how a row was found that recall did not find: it tells of the state
// that is asked for.
const stateLeg = "state"

// timeOf is the time from which a read looks at the world.
func (e *Engine) timeOf(at daybook.AsOf) time.Time {
	if at.ValidAt.IsZero() {
		return e.ledger.Now()
	}
	return at.ValidAt
}

// find searches for a question. Where it asks for a state, the rows get their roles
// and their order from what the notes tell of that state, and the resolution is
// returned, too; it is nil for all other questions.
func (e *Engine) find(ctx context.Context, scope daybook.Scope, q recall.Question, at daybook.AsOf) (recall.Result, *answer.Resolved, error) {
	q.Now = e.timeOf(at)
	return e.findAs(ctx, scope, q, readAs(q), at)
}

// readAs is how a question that has its time is read for the state it may ask for.
func readAs(q recall.Question) answer.Question {
	return answer.ReadQuestion(q.Text, "").Seen(q.Now).In(q.View)
}

// findAs is find for a question that was read.
func (e *Engine) findAs(ctx context.Context, scope daybook.Scope, q recall.Question, asked answer.Question, at daybook.AsOf) (recall.Result, *answer.Resolved, error) {
	if !asked.OfState() || e.encoder == nil || e.without[States] {
		found, err := e.search(ctx, scope, q, at, nil)
		return found, nil, err
	}
	wide := q
	wide.K, wide.Budget = max(q.K, askRows), 0
	aim := aside{Text: model.Text{As: model.AsText, Text: cmp.Or(asked.Statement, asked.Text)}}
	found, err := e.search(ctx, scope, wide, at, &aim)
	if err != nil {
		return found, nil, err
	}
	r, err := e.stateOf(ctx, scope, asked.Embedded(aim.query, aim.vector), found.Rows, at)
	if err != nil {
		return found, nil, fmt.Errorf("find the state that is asked for: %w", err)
	}
	found.Rows = inOrderOf(r, found.Rows)
	return found.Cut(q), r, nil
}

// stateOf finds what the notes tell of the state that a question asks for.
func (e *Engine) stateOf(ctx context.Context, scope daybook.Scope, asked answer.Question, rows []recall.Row, at daybook.AsOf) (r *answer.Resolved, err error) {
	defer stage(ctx, "resolve")()
	n, err := e.sentences(ctx, scope, &asked)
	if err != nil {
		return nil, err
	}
	err = e.read(ctx, scope, at, func(b *graph.Book) error {
		if err := selfNamed(b, scope, &asked); err != nil {
			return err
		}
		all, err := evidence(b, rows, n)
		if err != nil {
			return err
		}
		told := &ledgerSide{Book: b, claims: n.claims, all: all, followers: map[valueOf][]*daybook.Fact{}}
		if err := told.addNamed(&asked); err != nil {
			return err
		}
		r = answer.Resolve(asked, told.all, n.background)
		for more := true; more && err == nil; {
			if more, err = told.addFollowers(r.Timeline); more {
				r = answer.Resolve(asked, told.all, n.background)
			}
		}
		return err
	})
	return r, err
}

// selfNamed makes the user the subject of a question that calls them by the name that
// they said they have, where they speak under another.
func selfNamed(b *graph.Book, scope daybook.Scope, q *answer.Question) error {
	if q.Subject != "" || q.Named == "" {
		return nil
	}
	for _, self := range []string{scope.Speaker("", ""), daybook.Scope{}.Speaker("", "")} {
		periods, err := b.Told(self, "name")
		if err != nil {
			return err
		}
		for _, facts := range periods {
			if answer.SameName(facts[0].Object, q.Named) {
				q.Subject = self
				return nil
			}
		}
	}
	return nil
}

// inOrderOf are the rows in the order and with the roles of a resolution. What only
// the state found joins them.
func inOrderOf(r *answer.Resolved, rows []recall.Row) []recall.Row {
	out := make([]recall.Row, 0, len(r.Rows))
	for i, row := range r.Rows {
		at := slices.IndexFunc(rows, func(f recall.Row) bool { return f.ID == row.ID })
		made := recall.Row{Note: row.Note, Explain: recall.Explain{Legs: map[string]int{stateLeg: i + 1}, Parts: map[string]float64{}}}
		if at >= 0 {
			made = rows[at]
		}
		made.Role, made.Reason = row.Role, row.Reason
		out = append(out, made)
	}
	return out
}
