package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/index"
	"daybook/model"
	"daybook/store"
)

// Encoder is an encoder that knows the id of its space.
type Encoder interface {
	model.Encoder
	ID() string
}

// WithEncoder returns an engine that finds notes by meaning with this encoder.
// Vectors of another encoder are left alone and never searched with it; Embed
// makes the ones that are missing, from the ledger.
func (e *Engine) WithEncoder(enc Encoder) *Engine {
	c := *e
	c.encoder = enc
	c.indexes = index.NewPool(indexMemory, c.catchUp)
	return &c
}

var errNoEncoder = daybook.Errorf(daybook.Invalid, "this engine has no encoder")

// embedBatch notes are encoded at once; embedCommits commits are looked at
// before what was made of them is kept.
const (
	embedBatch   = 128
	embedCommits = 512
)

// Embedding tells how far a scope's vectors follow its ledger.
type Embedding struct {
	Encoder string `json:"encoder"`
	Vectors int    `json:"vectors"`
	UpTo    uint64 `json:"up_to"` // the last commit that they cover
	Head    uint64 `json:"head"`
}

// Behind is how many commits have no vectors yet.
func (e Embedding) Behind() uint64 { return e.Head - min(e.UpTo, e.Head) }

// Embedding reports on the engine's encoder in a scope.
func (e *Engine) Embedding(ctx context.Context, scope daybook.Scope) (Embedding, error) {
	if e.encoder == nil {
		return Embedding{}, errNoEncoder
	}
	em := Embedding{Encoder: e.encoder.ID()}
	err := e.store.View(ctx, scope, func(r store.Reader) error {
		head, err := r.Head()
		if err != nil {
			return err
		}
		em.Head = head.Seq
		spaces, err := r.Spaces()
		for _, s := range spaces {
			if s.Encoder == em.Encoder {
				em.Vectors, em.UpTo = s.Count, s.UpTo
			}
		}
		return err
	})
	return em, err
}

// Embed makes the vectors that the engine's encoder lacks in a scope. Encoding
// holds no transaction; what is done is kept as it goes, so that an interrupted
// call is taken up by the next. Nothing is written to the ledger. Progress, where
// it is not nil, is called after each step.
func (e *Engine) Embed(ctx context.Context, scope daybook.Scope, progress func(Embedding)) (Embedding, error) {
	for {
		em, err := e.Embedding(ctx, scope)
		if err != nil {
			return em, err
		}
		if progress != nil {
			progress(em)
		}
		if em.Behind() == 0 {
			return em, nil
		}
		upTo := min(em.UpTo+embedCommits, em.Head)
		if err := e.embedRange(ctx, scope, store.Range{From: em.UpTo + 1, To: upTo}); err != nil {
			return em, fmt.Errorf("embed commits %d to %d of scope %s: %w", em.UpTo+1, upTo, scope, err)
		}
	}
}

func (e *Engine) embedRange(ctx context.Context, scope daybook.Scope, within store.Range) error {
	var found []graph.PlacedNote
	err := e.store.View(ctx, scope, func(r store.Reader) (err error) {
		found, err = graph.NotesIn(r, within)
		return err
	})
	if err != nil {
		return err
	}
	for len(found) > embedBatch { // all but the last batch: the space covers the range only then
		if err := e.embedNotes(ctx, scope, found[:embedBatch], within.From-1); err != nil {
			return err
		}
		found = found[embedBatch:]
	}
	return e.embedNotes(ctx, scope, found, within.To)
}

func (e *Engine) embedNotes(ctx context.Context, scope daybook.Scope, notes []graph.PlacedNote, upTo uint64) error {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Passage()
	}
	vectors := make([]store.Vector, len(notes))
	if len(notes) > 0 {
		made, err := e.encoder.Encode(ctx, model.AsPassage, texts)
		if err != nil {
			return err
		}
		if made.Encoder != e.encoder.ID() || made.Len() != len(notes) {
			return daybook.Errorf(daybook.Internal, "encoder %s returned %d vectors of %s for %d texts", e.encoder.ID(), made.Len(), made.Encoder, len(notes))
		}
		for i, n := range notes {
			vectors[i] = store.Vector{Place: n.Place, Data: index.Pack(made.Row(i))}
		}
	}
	return e.store.Update(ctx, scope, func(w store.Writer) error {
		return w.PutVectors(e.encoder.ID(), upTo, vectors)
	})
}

// DropSpace removes the vectors of the engine's encoder; Embed makes them anew.
func (e *Engine) DropSpace(ctx context.Context, scope daybook.Scope) error {
	return e.dropSpaces(ctx, scope, func(encoder string) bool { return encoder == e.encoder.ID() })
}

// DropOtherSpaces removes the vectors of every encoder but the engine's own.
func (e *Engine) DropOtherSpaces(ctx context.Context, scope daybook.Scope) error {
	return e.dropSpaces(ctx, scope, func(encoder string) bool { return encoder != e.encoder.ID() })
}

func (e *Engine) dropSpaces(ctx context.Context, scope daybook.Scope, which func(encoder string) bool) error {
	if e.encoder == nil {
		return errNoEncoder
	}
	return e.store.Update(ctx, scope, func(w store.Writer) error {
		spaces, err := w.Spaces()
		if err != nil {
			return err
		}
		for _, s := range spaces {
			if !which(s.Encoder) {
				continue
			}
			if err := w.DropVectors(s.Encoder); err != nil {
				return err
			}
		}
		return nil
	})
}

// KeepEmbedded embeds what is written, in every scope, until ctx is done: after
// a change of encoder it makes all vectors anew while reads and writes go on. A
// failure is logged and tried again.
func (e *Engine) KeepEmbedded(ctx context.Context, every time.Duration) error {
	if e.encoder == nil {
		return errNoEncoder
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := e.embedAll(ctx); err != nil && !errors.Is(err, context.Canceled) {
			slog.Warn("embedding fell behind and will be tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (e *Engine) embedAll(ctx context.Context) error {
	scopes, err := e.store.Scopes(ctx)
	if err != nil {
		return err
	}
	for _, sc := range scopes {
		if _, err := e.Embed(ctx, sc, nil); err != nil {
			return err
		}
	}
	return nil
}

// Likeness is a note with its likeness to a question.
type Likeness struct {
	daybook.Note
	Score float32 `json:"score"`
}

// Nearest returns the k notes in force that are most like the question. Only
// vectors of the engine's own encoder are looked at. When they do not cover the
// ledger yet, the missing ones are made first.
func (e *Engine) Nearest(ctx context.Context, scope daybook.Scope, question string, k int) ([]Likeness, error) {
	if _, err := e.Embed(ctx, scope, nil); err != nil {
		return nil, err
	}
	query, err := e.encoder.Encode(ctx, model.AsQuery, []string{question})
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	var found []Likeness
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		book, err := graph.Open(r, daybook.AsOf{}, e.ledger.Now())
		if err != nil {
			return err
		}
		// Some may be withdrawn; ask for more until there are enough.
		for ask := 2 * k; ; ask *= 2 {
			hits, err := index.Nearest(r, e.encoder.ID(), query.Row(0), ask)
			if err != nil {
				return err
			}
			if found, err = inForce(book, hits, k); err != nil || len(found) == k || len(hits) < ask {
				return err
			}
		}
	})
	return found, err
}

// inForce keeps the first k hits whose notes are in force.
func inForce(b *graph.Book, hits []index.Hit, k int) (found []Likeness, err error) {
	for _, h := range hits {
		n, ok, err := b.NoteAt(h.Place)
		if err != nil {
			return nil, err
		}
		if ok && len(found) < k {
			found = append(found, Likeness{n, h.Score})
		}
	}
	return found, nil
}
