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
	asked := answer.ReadQuestion(q.Text, "").Seen(q.Now).In(q.View)
	if !asked.OfState() || e.encoder == nil {
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
		all, err := evidence(b, rows, n)
		if err != nil {
			return err
		}
		if all, err = withNamed(b, &asked, all); err != nil {
			return err
		}
		r = answer.Resolve(asked, all, n.background)
		for more := true; more && err == nil; {
			if all, more, err = withFollowers(b, r.Timeline, all); more {
				r = answer.Resolve(asked, all, n.background)
			}
		}
		return err
	})
	return r, err
}

// withSource adds the first note that a fact stands on to the evidence, where it is not
// there, and returns it.
func withSource(b *graph.Book, f *daybook.Fact, all []answer.Evidence) ([]answer.Evidence, *answer.Evidence, error) {
	at := slices.IndexFunc(all, func(e answer.Evidence) bool { return e.ID == f.Sources[0] })
	if at < 0 {
		n, err := b.Note(string(f.Sources[0]))
		if err != nil {
			return all, nil, err
		}
		at, all = len(all), append(all, answer.Evidence{Note: n})
	}
	return all, &all[at], nil
}

// withFollowers adds to the evidence what the ledger says took the place of claims. It
// reports whether there is any that was not there.
func withFollowers(b *graph.Book, timeline []answer.Claim, all []answer.Evidence) (with []answer.Evidence, more bool, err error) {
	for i := range timeline {
		if !timeline[i].Sure {
			continue // what takes the place of another state's would come along
		}
		followers, err := followersOf(b, &timeline[i])
		if err != nil {
			return all, false, err
		}
		for _, f := range followers {
			if slices.ContainsFunc(timeline, func(c answer.Claim) bool { return c.Note == f.Sources[0] }) {
				continue
			}
			var new bool
			if all, new, err = withFollower(b, f, all); err != nil {
				return all, false, err
			}
			more = more || new
		}
	}
	return all, more, nil
}

// followersOf are the facts that the ledger says took the place of what a claim gives.
func followersOf(b *graph.Book, c *answer.Claim) (all []*daybook.Fact, err error) {
	standing, err := b.Standing(c.Note, followerTies)
	if err != nil {
		return nil, err
	}
	for _, t := range standing.Ties {
		given := slices.ContainsFunc(standing.Facts, func(f *daybook.Fact) bool { return string(f.ID) == t.To && f.Object == c.Object })
		if t.Kind != daybook.Updates || !given {
			continue
		}
		op, err := b.Get(t.From)
		if err != nil {
			return nil, err
		}
		if op.Fact != nil && len(op.Fact.Sources) > 0 {
			all = append(all, op.Fact)
		}
	}
	return all, nil
}

// followerTies is how many links of a note are looked at for what took its place.
const followerTies = 8

// withFollower adds a fact that took the place of a claim to the evidence, as a claim
// of its note. It reports false where it was there.
func withFollower(b *graph.Book, f *daybook.Fact, all []answer.Evidence) ([]answer.Evidence, bool, error) {
	all, e, err := withSource(b, f, all)
	if err != nil {
		return all, false, err
	}
	if slices.Contains(e.Follows, f.Object) {
		return all, false, nil
	}
	e.Follows = append(e.Follows, f.Object)
	if !slices.ContainsFunc(e.Claims, func(c answer.Claim) bool { return c.Object == f.Object }) {
		if c, ok := answer.ClaimOf(e.Note, f.Object); ok {
			e.Claims = append(e.Claims, c)
		}
	}
	return all, true, nil
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
