package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"daybook"
	"daybook/extract"
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
	c.encoder, c.embedded, c.shelved = enc, &sync.Map{}, &sync.Map{}
	c.topics, c.said, c.asked = &topicCache{}, newScopePool(newSentences), newLately[askedText, []float32](askedTexts)
	c.indexes = index.NewPool(indexMemory, c.look, c.catchUp)
	c.kin.join(&c)
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
	Vectors int    `json:"vectors"` // of notes as they were said; a long one has several
	Latent  int    `json:"latent"`  // of notes with what was said before them
	UpTo    uint64 `json:"up_to"`   // the last commit that they cover
	Head    uint64 `json:"head"`

	content uint64 // what the vectors of notes as they were said cover alone
}

// Behind is how many commits have no vectors yet.
func (e Embedding) Behind() uint64 { return e.Head - min(e.UpTo, e.Head) }

// latentOf is the id under which the store keeps an encoder's latent vectors.
func latentOf(encoder string) string { return encoder + latentSuffix }

const latentSuffix = "+latent"

// Embedding reports on the engine's encoder in a scope.
func (e *Engine) Embedding(ctx context.Context, scope daybook.Scope) (Embedding, error) {
	if e.encoder == nil {
		return Embedding{}, errNoEncoder
	}
	var em Embedding
	err := e.store.View(ctx, scope, func(r store.Reader) (err error) {
		if em, err = e.embedding(r); err != nil {
			return err
		}
		return em.count(r)
	})
	return em, err
}

// embeddedUpTo is Embedding without the counts.
func (e *Engine) embeddedUpTo(ctx context.Context, scope daybook.Scope) (em Embedding, err error) {
	err = e.store.View(ctx, scope, func(r store.Reader) (err error) {
		em, err = e.embedding(r)
		return err
	})
	return em, err
}

// embedding is how far the vectors go, without counting them.
func (e *Engine) embedding(r store.Reader) (Embedding, error) {
	em := Embedding{Encoder: e.encoder.ID()}
	head, err := r.Head()
	if err != nil {
		return em, err
	}
	em.Head = head.Seq
	if em.content, err = r.Covers(em.Encoder); err != nil {
		return em, err
	}
	latent, err := r.Covers(latentOf(em.Encoder))
	em.UpTo = min(em.content, latent)
	return em, err
}

// count counts the vectors, which takes the longer the more there are.
func (em *Embedding) count(r store.Reader) error {
	spaces, err := r.Spaces()
	for _, s := range spaces {
		switch s.Encoder {
		case em.Encoder:
			em.Vectors = s.Count
		case latentOf(em.Encoder):
			em.Latent = s.Count
		}
	}
	return err
}

// Embed makes the vectors that the engine's encoder lacks in a scope: of each
// note as it was said, and with what was said before it. Encoding holds no
// transaction; what is done is kept as it goes, so that an interrupted call is
// taken up by the next. Nothing is written to the ledger. Progress, where it is
// not nil, is called after each step.
func (e *Engine) Embed(ctx context.Context, scope daybook.Scope, progress func(Embedding)) (Embedding, error) {
	if _, err := e.embedBehind(ctx, scope, func() error {
		em, err := e.Embedding(ctx, scope)
		if err == nil && progress != nil {
			progress(em)
		}
		return err
	}); err != nil {
		return Embedding{}, err
	}
	return e.Embedding(ctx, scope)
}

// embedBehind embeds until nothing is behind; step is called before each step.
func (e *Engine) embedBehind(ctx context.Context, scope daybook.Scope, step func() error) (Embedding, error) {
	if e.encoder == nil {
		return Embedding{}, errNoEncoder
	}
	for {
		if err := step(); err != nil {
			return Embedding{}, err
		}
		em, err := e.embeddedUpTo(ctx, scope)
		if err != nil || em.Behind() == 0 {
			return em, err
		}
		upTo := min(em.UpTo+embedCommits, em.Head)
		if em.UpTo < em.content { // only the latent ones were dropped
			upTo = min(upTo, em.content)
		}
		if err := e.embedRange(ctx, scope, em, upTo); err != nil {
			return em, fmt.Errorf("embed commits %d to %d of scope %s: %w", em.UpTo+1, upTo, scope, err)
		}
	}
}

// reach is how far a scope is known to have its vectors.
type reach struct {
	mu   sync.Mutex // of who makes vectors
	upTo atomic.Uint64
}

// fewBehind commits without vectors are not waited for while somebody else makes
// them: what they brought is found by its words meanwhile.
const fewBehind = 16

// embedNew makes the vectors that are missing. Of many who ask at a time one does.
func (e *Engine) embedNew(ctx context.Context, scope daybook.Scope) error {
	return e.embedSteps(ctx, scope, func() error { return nil })
}

// embedSteps is embedNew that calls step before each part and ends with its error.
func (e *Engine) embedSteps(ctx context.Context, scope daybook.Scope, step func() error) error {
	var head store.Commit
	err := e.store.View(ctx, scope, func(r store.Reader) (err error) {
		head, err = r.Head()
		return err
	})
	if err != nil {
		return err
	}
	held, _ := e.embedded.LoadOrStore(scope, &reach{})
	known := held.(*reach)
	if !known.mu.TryLock() {
		if upTo := known.upTo.Load(); upTo > 0 && head.Seq <= upTo+fewBehind {
			return nil
		}
		known.mu.Lock()
	}
	defer known.mu.Unlock()
	if known.upTo.Load() >= head.Seq {
		return nil
	}
	em, err := e.embedBehind(ctx, scope, step)
	if store.CannotWrite(err) {
		return nil // what has no vector is found by its words
	}
	if err == nil {
		known.upTo.Store(em.UpTo)
	}
	return err
}

// embedRange embeds what the commits after em, up to one, observed.
func (e *Engine) embedRange(ctx context.Context, scope daybook.Scope, em Embedding, upTo uint64) error {
	found, err := e.toEmbed(ctx, scope, store.Range{From: em.UpTo + 1, To: upTo})
	if err != nil {
		return err
	}
	found, upTo = lightest(found, upTo)
	for len(found) > embedBatch { // all but the last batch: the space covers the range only then
		if err := e.embedNotes(ctx, scope, em, found[:embedBatch], em.UpTo); err != nil {
			return err
		}
		found = found[embedBatch:]
	}
	return e.embedNotes(ctx, scope, em, found, upTo)
}

// embedBytes of notes are embedded between two looks at whether to go on.
const embedBytes = 64 << 10

// lightest are the notes of the first commits that have so few bytes, of one commit at
// least, and the last of these commits.
func lightest(found []embeddable, upTo uint64) ([]embeddable, uint64) {
	bytes, begin := 0, 0 // begin is where the commit of the note begins
	for i, n := range found {
		if i > 0 && n.Seq != found[i-1].Seq {
			begin = i
		}
		if bytes += len(n.Text); bytes > embedBytes && begin > 0 {
			return found[:begin], found[begin].Seq - 1
		}
	}
	return found, upTo
}

// embeddable is a note with the one before it in its session.
type embeddable struct {
	graph.PlacedNote
	before *daybook.Note
}

// toEmbed reads the notes of a range of commits, each with the one before it.
func (e *Engine) toEmbed(ctx context.Context, scope daybook.Scope, within store.Range) ([]embeddable, error) {
	view, err := e.Index(ctx, scope)
	if err != nil {
		return nil, err
	}
	var found []embeddable
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		notes, err := graph.NotesIn(r, within)
		if err != nil {
			return err
		}
		book, err := graph.Open(r, daybook.AsOf{}, e.ledger.Now())
		if err != nil {
			return err
		}
		for _, n := range notes {
			before, err := noteBefore(view, book, n.Place)
			if err != nil {
				return err
			}
			found = append(found, embeddable{n, before})
		}
		return nil
	})
	return found, err
}

// noteBefore returns the note before one in its session, or nil.
func noteBefore(v *index.Snapshot, b *graph.Book, at store.Place) (*daybook.Note, error) {
	id, ok := v.Find(at)
	if !ok {
		return nil, nil
	}
	before := v.Around(id, 1, 0)
	if len(before) == 0 {
		return nil, nil
	}
	n, ok, err := b.NoteAt(v.Place(before[0]))
	if err != nil || !ok {
		return nil, err
	}
	if n = n.Own(); n.Passage() == "" {
		return nil, nil
	}
	return &n, nil
}

func (e *Engine) embedNotes(ctx context.Context, scope daybook.Scope, em Embedding, notes []embeddable, upTo uint64) error {
	var content, latent drafts // encoded together, which takes less than one after the other
	for _, n := range notes {
		if n.Note = n.Own(); n.Passage() == "" {
			continue // an echo: the notes that it repeats are found
		}
		for part, text := range extract.Passages(n.Note) {
			if em.UpTo < em.content {
				break
			}
			content.add(n.Place, part, text)
		}
		if text, ok := extract.Latent(n.Note, n.before); ok && !e.without[Latent] {
			latent.add(n.Place, 0, text)
		}
	}
	all := drafts{slices.Concat(content.texts, latent.texts), slices.Concat(content.vectors, latent.vectors)}
	if err := all.encode(ctx, e.encoder); err != nil {
		return err
	}
	content.vectors, latent.vectors = all.vectors[:len(content.texts)], all.vectors[len(content.texts):]
	return e.store.Update(ctx, scope, func(w store.Writer) error {
		return errors.Join(
			w.PutVectors(e.encoder.ID(), max(upTo, em.content), content.vectors),
			w.PutVectors(latentOf(e.encoder.ID()), upTo, latent.vectors))
	})
}

// drafts are vectors being made.
type drafts struct {
	texts   []string
	vectors []store.Vector
}

func (d *drafts) add(at store.Place, part int, text string) {
	d.texts = append(d.texts, text)
	d.vectors = append(d.vectors, store.Vector{Place: at, Part: part})
}

func (d *drafts) encode(ctx context.Context, enc Encoder) error {
	if len(d.texts) == 0 {
		return nil
	}
	made, err := enc.Encode(ctx, model.AsPassage, d.texts)
	if err != nil {
		return err
	}
	if made.Encoder != enc.ID() || made.Len() != len(d.texts) {
		return daybook.Errorf(daybook.Internal, "encoder %s returned %d vectors of %s for %d texts", enc.ID(), made.Len(), made.Encoder, len(d.texts))
	}
	for i := range d.vectors {
		d.vectors[i].Data = index.Pack(made.Row(i))
	}
	return nil
}

// DropSpace removes the vectors of the engine's encoder; Embed makes them anew.
func (e *Engine) DropSpace(ctx context.Context, scope daybook.Scope) error {
	e.embedded.Delete(scope)
	return e.dropSpaces(ctx, scope, func(encoder string) bool { return encoder == e.encoder.ID() || encoder == latentOf(e.encoder.ID()) })
}

// DropOtherSpaces removes the vectors of every encoder but the engine's own.
func (e *Engine) DropOtherSpaces(ctx context.Context, scope daybook.Scope) error {
	keep := []string{e.encoder.ID(), latentOf(e.encoder.ID()), stateSpace, waitingSpace}
	return e.dropSpaces(ctx, scope, func(encoder string) bool { return !slices.Contains(keep, encoder) })
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

// Likeness is a note with its likeness to a question.
type Likeness struct {
	daybook.Note
	Score float32 `json:"score"`
}

// Nearest returns the k notes in force that are most like the question. Only
// vectors of the engine's own encoder are looked at. When they do not cover the
// ledger yet, the missing ones are made first.
func (e *Engine) Nearest(ctx context.Context, scope daybook.Scope, question string, k int) ([]Likeness, error) {
	if e.encoder == nil {
		return nil, errNoEncoder
	}
	if err := e.embedNew(ctx, scope); err != nil {
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
