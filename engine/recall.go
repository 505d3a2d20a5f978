package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/index"
	"daybook/model"
	"daybook/recall"
	"daybook/store"
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
	view, err := e.indexAt(ctx, scope, at)
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

// indexAt returns the scope's index as of the known-at time. That of a past time
// is built for the call, from the notes that were in force then, so that what is
// recalled there never changes; it takes as long as opening the scope does.
func (e *Engine) indexAt(ctx context.Context, scope daybook.Scope, at daybook.AsOf) (*index.Snapshot, error) {
	view, err := e.Index(ctx, scope)
	if err != nil || at.KnownAt.IsZero() {
		return view, err
	}
	past := index.New()
	err = e.read(ctx, scope, at, func(b *graph.Book) error {
		if b.Head().ID == view.Head().ID {
			return nil
		}
		change := index.Change{Head: b.Head()}
		err := b.Notes("", func(n daybook.Note) error {
			place, _, err := b.NotePlace(n.ID)
			change.Add = append(change.Add, docOf(place, n))
			return err
		})
		if err != nil {
			return err
		}
		return past.Apply(change)
	})
	if err != nil || past.Snapshot().Head().Seq == 0 {
		return view, err
	}
	err = e.addVectors(ctx, scope, past)
	return past.Snapshot(), err
}

// addVectors puts the vectors of an index's notes into it.
func (e *Engine) addVectors(ctx context.Context, scope daybook.Scope, s *index.Index) error {
	if e.encoder == nil {
		return nil
	}
	return e.store.View(ctx, scope, func(r store.Reader) error {
		c := catcher{r: r, have: s.Snapshot()}
		upTo := store.UpTo(s.Snapshot().Head().Seq)
		return errors.Join(
			c.vectorsIn(ContentSpace, e.encoder.ID(), upTo, upTo.To, s.Apply),
			c.vectorsIn(LatentSpace, latentOf(e.encoder.ID()), upTo, upTo.To, s.Apply))
	})
}

// encodePlan embeds what is behind, and encodes the texts of a plan.
func (e *Engine) encodePlan(ctx context.Context, scope daybook.Scope, plan recall.Plan) (v recall.Vectors, err error) {
	if e.encoder == nil {
		return v, nil
	}
	if err := e.embedNew(ctx, scope); err != nil {
		return v, err
	}
	queries, said := []string{plan.Text}, plan.Statement()
	if topic := plan.Topic(); topic != "" {
		queries = append(queries, topic)
	}
	var asked, stated model.Vectors
	var failed [2]error
	var wait sync.WaitGroup
	wait.Go(func() { asked, failed[0] = e.encoder.Encode(ctx, model.AsQuery, queries) })
	if said != "" {
		wait.Go(func() { stated, failed[1] = e.encoder.Encode(ctx, model.AsPassage, []string{said}) })
	}
	wait.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return v, fmt.Errorf("encode the question: %w", err)
	}
	v.Query = asked.Row(0)
	if len(queries) > 1 {
		v.Topic = asked.Row(1)
	}
	if said != "" {
		v.Statement = stated.Row(0)
	}
	return v, nil
}
