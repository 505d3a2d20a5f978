package engine

import (
	"context"
	"fmt"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/model"
	"daybook/recall"
)

// Recall returns the notes that a question needs, best first, each with its
// reasons. Notes that have no vectors yet are given them first, where the engine
// has an encoder; without one, notes are found by words alone.
func (e *Engine) Recall(ctx context.Context, scope daybook.Scope, q recall.Question, at daybook.AsOf) (recall.Result, error) {
	began := time.Now()
	if q.Now = at.ValidAt; q.Now.IsZero() {
		q.Now = e.ledger.Now()
	}
	plan, err := recall.Read(q)
	if err != nil {
		return recall.Result{}, err
	}
	vectors, err := e.encodePlan(ctx, scope, plan)
	if err != nil {
		return recall.Result{}, err
	}
	view, err := e.Index(ctx, scope)
	if err != nil {
		return recall.Result{}, err
	}
	var result recall.Result
	err = e.read(ctx, scope, at, func(b *graph.Book) (err error) {
		result, err = recall.Find(view, b, plan, vectors)
		return err
	})
	result.TookMS = float64(time.Since(began).Microseconds()) / 1000
	return result, err
}

// encodePlan embeds what is behind, and encodes the texts of a plan.
func (e *Engine) encodePlan(ctx context.Context, scope daybook.Scope, plan recall.Plan) (v recall.Vectors, err error) {
	if e.encoder == nil {
		return v, nil
	}
	if _, err := e.Embed(ctx, scope, nil); err != nil {
		return v, err
	}
	queries := []string{plan.Text}
	if topic := plan.Topic(); topic != "" {
		queries = append(queries, topic)
	}
	query, err := e.encoder.Encode(ctx, model.AsQuery, queries)
	if err != nil {
		return v, fmt.Errorf("encode the question: %w", err)
	}
	v.Query = query.Row(0)
	if len(queries) > 1 {
		v.Topic = query.Row(1)
	}
	said := plan.Statement()
	if said == "" {
		return v, nil
	}
	statement, err := e.encoder.Encode(ctx, model.AsPassage, []string{said})
	if err != nil {
		return v, fmt.Errorf("encode the question as a statement: %w", err)
	}
	v.Statement = statement.Row(0)
	return v, nil
}
