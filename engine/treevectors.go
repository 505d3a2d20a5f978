package engine

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"daybook"
	"daybook/index"
	"daybook/model"
	"daybook/store"
)

// treeVectors is an encoder that keeps the vectors of what a scope's trees say, in
// the store beside the ledger, so that another process need not make them again. They are
// found by a hash of the text. It is safe for use by many goroutines.
type treeVectors struct {
	model.Encoder
	store  store.Store
	scope  daybook.Scope
	space  string
	mu     sync.Mutex
	loaded bool
	made   map[textHash][]byte // packed
	parts  map[store.Place]int // the next free part
	fresh  []textHash          // not in the store yet
}

type textHash [16]byte

// Bounds on what is kept: a few vectors are made again sooner than read, and too
// many are dropped together.
const (
	minTreeVectors = 200
	maxTreeVectors = 400_000
)

// treeSpaceMark ends the name of every space of trees.
const treeSpaceMark = "#tree"

// Encode implements model.Encoder.
func (t *treeVectors) Encode(ctx context.Context, as model.As, texts []string) (model.Vectors, error) {
	if as != model.AsPassage {
		return t.Encoder.Encode(ctx, as, texts)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(ctx); err != nil {
		return model.Vectors{}, err
	}
	hashes := make([]textHash, len(texts))
	var missing []string
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		hashes[i] = textHash(sum[:16])
		if t.made[hashes[i]] == nil && !slices.Contains(missing, text) {
			missing = append(missing, text)
		}
	}
	if err := t.make(ctx, missing); err != nil {
		return model.Vectors{}, err
	}
	var out model.Vectors
	for _, h := range hashes {
		v := index.Unpack(t.made[h])
		out.Dim, out.Data = len(v), append(out.Data, v...)
	}
	out.Encoder = strings.TrimSuffix(t.space, treeSpaceMark)
	return out, nil
}

// make encodes texts. What is returned later is what was packed, so that the
// first process weighs as the next one does.
func (t *treeVectors) make(ctx context.Context, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	made, err := t.Encoder.Encode(ctx, model.AsPassage, texts)
	if err != nil {
		return err
	}
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		h := textHash(sum[:16])
		t.made[h] = index.Pack(made.Row(i))
		t.fresh = append(t.fresh, h)
	}
	return nil
}

// load reads what is in the store, once.
func (t *treeVectors) load(ctx context.Context) error {
	if t.loaded {
		return nil
	}
	t.made, t.parts, t.fresh = map[textHash][]byte{}, map[store.Place]int{}, nil
	err := t.store.View(ctx, t.scope, func(r store.Reader) error {
		for v, err := range r.Vectors(t.space, store.All) {
			if err != nil {
				return err
			}
			if len(v.Data) > len(textHash{}) {
				t.made[textHash(v.Data)] = slices.Clone(v.Data[len(textHash{}):])
			}
			t.parts[v.Place] = v.Part + 1
		}
		return nil
	})
	t.loaded = err == nil
	return err
}

// keep puts new vectors into the store, under an edit of the tree that they are of:
// with its content they are erased. They are derived, so a store that cannot be
// written is no failure.
func (t *treeVectors) keep(ctx context.Context, at store.Place) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fresh) < minTreeVectors {
		return nil
	}
	var put []store.Vector
	for i, h := range t.fresh {
		put = append(put, store.Vector{Place: at, Part: t.parts[at] + i, Data: append(h[:], t.made[h]...)})
	}
	err := t.store.Update(ctx, t.scope, func(w store.Writer) error {
		if len(t.made) > maxTreeVectors {
			t.loaded = false
			return w.DropVectors(t.space)
		}
		return w.PutVectors(t.space, at.Seq, put)
	})
	if store.CannotWrite(err) {
		return nil // they are tried again with the next ones
	}
	t.parts[at] += len(put)
	t.fresh = nil
	return err
}

// treeVectors returns the encoder of a scope's trees, or nil without one whose space
// is known.
func (e *Engine) treeVectors(scope daybook.Scope) *treeVectors {
	enc, ok := e.treeModels().Encoder.(Encoder)
	if !ok {
		return nil
	}
	s := e.scorers
	s.mu.Lock()
	defer s.mu.Unlock()
	key := scorerKey{encoder: enc.ID(), scope: scope}
	v := s.vectors[key]
	if v == nil {
		if s.vectors == nil || len(s.vectors) >= maxTrees {
			s.vectors, s.made = map[scorerKey]*treeVectors{}, nil
		}
		v = &treeVectors{Encoder: enc, store: e.store, scope: scope, space: enc.ID() + treeSpaceMark}
		s.vectors[key] = v
	}
	return v
}

// keepVectors puts what a query over a tree made into the store. The answer stands
// without it, so a failure is logged.
func (e *Engine) keepVectors(ctx context.Context, scope daybook.Scope, name string) {
	at, ok := e.trees.last(scope, name)
	v := e.treeVectors(scope)
	if !ok || v == nil {
		return
	}
	if err := v.keep(ctx, at); err != nil {
		slog.Warn("the vectors of a tree were not kept and will be made again", "tree", name, "error", err)
	}
}

// dropTreeVectors drops the vectors of all trees of a scope: texts of several edits
// go into one vector, so an erasure cannot tell which ones it concerns.
func (e *Engine) dropTreeVectors(w store.Writer, scope daybook.Scope) error {
	e.scorers.forget(scope)
	spaces, err := w.Spaces()
	for _, s := range spaces {
		if err == nil && strings.HasSuffix(s.Encoder, treeSpaceMark) {
			err = w.DropVectors(s.Encoder)
		}
	}
	return err
}

// forget drops what scorers know of a scope.
func (s *scorers) forget(scope daybook.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.vectors {
		if key.scope == scope {
			delete(s.vectors, key)
		}
	}
	for key := range s.made {
		if key.scope == scope {
			delete(s.made, key)
		}
	}
}
