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
// has an encoder; without one, notes are found by words alone. Where the question
// asks for a state that the notes tell, the rows stand in the order of that state:
// what is asked for, its other values, and then the rest as it was found.
func (e *Engine) Recall(ctx context.Context, scope daybook.Scope, q recall.Question, at daybook.AsOf) (recall.Result, error) {
	leave, err := e.enter(ctx)
	if err != nil {
		return recall.Result{}, err
	}
	defer leave()
	found, err := e.recall(ctx, scope, q, at)
	e.returnedRows(scope, found.Rows)
	return found, err
}

// enter waits for a place in the room. Nobody waits while others wait for a language
// model.
func (e *Engine) enter(ctx context.Context) (leave func(), err error) {
	if e.expander != nil {
		return func() {}, nil
	}
	return e.room.enter(ctx)
}

// aside is a text that is encoded together with a question, which costs less than by
// itself.
type aside struct {
	model.Text
	query, vector []float32 // of the question, and its own; nil without an encoder
}

// recall is Recall for a caller who has room.
func (e *Engine) recall(ctx context.Context, scope daybook.Scope, q recall.Question, at daybook.AsOf) (recall.Result, error) {
	began := time.Now()
	found, _, err := e.find(ctx, scope, q, at)
	found.TookMS = float64(time.Since(began).Microseconds()) / 1000
	return found, err
}

// search returns the notes that a question needs as recall.Find ranks them, and
// encodes a text aside where there is one.
func (e *Engine) search(ctx context.Context, scope daybook.Scope, q recall.Question, at daybook.AsOf, also *aside) (result recall.Result, err error) {
	plan, err := recall.Read(q)
	if err != nil {
		return result, err
	}
	if e.without[Times] {
		plan.Window = daybook.Span{}
	}
	end := stage(ctx, "encode")
	aids, err := e.aid(ctx, scope, plan, also)
	if err == nil && q.Wide {
		aids.Topics, err = e.Topics(ctx, scope, at)
	}
	end()
	if err != nil {
		return result, err
	}
	end = stage(ctx, "index")
	view, err := e.indexAt(ctx, scope, at)
	end()
	if err != nil {
		return result, err
	}
	end = stage(ctx, "find")
	err = e.read(ctx, scope, at, func(b *graph.Book) (err error) {
		result, err = recall.Find(view, b, plan, aids)
		return err
	})
	end()
	if err == nil && ctx.Err() != nil { // not a failure of the reranker
		err = daybook.Errorf(daybook.Unavailable, "recall: %w", ctx.Err())
	}
	return result, err
}

// WithReranker returns an engine whose recall lets a cross-encoder look at the best
// rows.
func (e *Engine) WithReranker(r model.Reranker) *Engine {
	c := *e
	c.reranker = r
	return &c
}

// WithExpander returns an engine whose recall asks a language model for other ways to
// ask each question, one call each.
func (e *Engine) WithExpander(c model.Completer) *Engine {
	with := *e
	with.expander = c
	return &with
}

// expandWithin is how long recall waits for other ways of asking.
const expandWithin = 5 * time.Second

// aid lets the models do their part before the search: the encoder, and at the same
// time the language model. What the latter fails to do is done without.
func (e *Engine) aid(ctx context.Context, scope daybook.Scope, plan recall.Plan, also *aside) (aids recall.Aids, err error) {
	aids.Flat = e.without[Graph]
	if e.reranker != nil {
		aids.Rerank = func(question string, texts []string) ([]float32, error) {
			return e.reranker.Rerank(ctx, question, texts)
		}
	}
	var asked []string
	var failed error
	var wait sync.WaitGroup
	if e.expander != nil {
		wait.Go(func() {
			within, cancel := context.WithTimeout(ctx, expandWithin)
			defer cancel()
			asked, failed = recall.Expand(within, e.expander, plan)
		})
	}
	aids.Vectors, err = e.encodePlan(ctx, scope, plan, also)
	wait.Wait()
	if err != nil {
		return aids, err
	}
	if failed != nil {
		aids.Missed = append(aids.Missed, "other ways of asking: "+failed.Error())
	}
	aids.Expansions, err = e.encodeExpansions(ctx, asked)
	return aids, err
}

func (e *Engine) encodeExpansions(ctx context.Context, asked []string) (all []recall.Expansion, err error) {
	var vectors model.Vectors
	if e.encoder != nil && len(asked) > 0 {
		if vectors, err = e.encoder.Encode(ctx, model.AsQuery, asked); err != nil {
			return nil, fmt.Errorf("encode other ways of asking: %w", err)
		}
	}
	for i, text := range asked {
		x := recall.Expansion{Text: text}
		if vectors.Len() > i {
			x.Vector = vectors.Row(i)
		}
		all = append(all, x)
	}
	return all, nil
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

// encodePlan embeds what is behind, and encodes the texts of a plan, all at once.
func (e *Engine) encodePlan(ctx context.Context, scope daybook.Scope, plan recall.Plan, also *aside) (v recall.Vectors, err error) {
	v.Parts = recall.PartsOf(plan)
	if e.encoder == nil {
		return v, nil
	}
	if !e.lagging {
		if err := e.embedNew(ctx, scope); err != nil {
			return v, err
		}
	}
	texts, of := []model.Text{{As: model.AsQuery, Text: plan.Text}}, []*[]float32{&v.Query}
	add := func(t model.Text, to *[]float32) {
		if t.Text != "" {
			texts, of = append(texts, t), append(of, to)
		}
	}
	add(model.Text{As: model.AsQuery, Text: plan.Topic()}, &v.Topic)
	add(model.Text{As: model.AsPassage, Text: plan.Statement()}, &v.Statement)
	for i := range v.Parts {
		add(model.Text{As: model.AsQuery, Text: v.Parts[i].Text}, &v.Parts[i].Vector)
	}
	if also != nil {
		add(also.Text, &also.vector)
	}
	rows, err := e.encodeAsked(ctx, texts)
	if err != nil {
		return v, fmt.Errorf("encode the question: %w", err)
	}
	for i, row := range rows {
		*of[i] = row
	}
	if also != nil {
		also.query = v.Query
	}
	if e.without[Vectors] {
		return recall.Vectors{Parts: recall.PartsOf(plan)}, nil
	}
	return v, nil
}
