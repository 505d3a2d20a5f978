package engine

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"daybook/model"
)

// askedTexts is how many texts of questions a generation of vectors holds. There are
// two: what is not asked again while one fills is forgotten.
const askedTexts = 2048

// askedVectors keeps the vectors of texts that were made of questions, so that a
// question that is asked again is not encoded again. It knows the texts by their
// hashes only. The zero value is empty; it is safe for use by many goroutines.
type askedVectors struct {
	mu         sync.Mutex
	young, old map[askedText][]float32
}

// askedText is the hash of a text.
type askedText [sha256.Size]byte

// askedAs is the hash of a text with what it is encoded as.
func askedAs(t model.Text) askedText { return sha256.Sum256([]byte(string(t.As) + "\x00" + t.Text)) }

// get returns a vector of its own, or nil.
func (a *askedVectors) get(key askedText) []float32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := a.young[key]
	if v == nil && a.old[key] != nil {
		v = a.old[key]
		a.keep(key, v)
	}
	return slices.Clone(v)
}

func (a *askedVectors) put(key askedText, v []float32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keep(key, slices.Clone(v))
}

func (a *askedVectors) keep(key askedText, v []float32) {
	if len(a.young) >= askedTexts {
		a.old, a.young = a.young, nil
	}
	if a.young == nil {
		a.young = map[askedText][]float32{}
	}
	a.young[key] = v
}

// encodeAsked encodes the texts of a question that were not met lately, all at once.
func (e *Engine) encodeAsked(ctx context.Context, texts []model.Text) ([][]float32, error) {
	rows, keys := make([][]float32, len(texts)), make([]askedText, len(texts))
	var fresh []model.Text
	var at []int
	for i, t := range texts {
		keys[i] = askedAs(t)
		if rows[i] = e.asked.get(keys[i]); rows[i] == nil {
			fresh, at = append(fresh, t), append(at, i)
		}
	}
	if len(fresh) == 0 {
		return rows, nil
	}
	made, err := model.EncodeEach(ctx, e.encoder, fresh)
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		rows[i] = made[n]
		e.asked.put(keys[i], made[n])
	}
	return rows, nil
}
