package engine

import (
	"context"
	"crypto/sha256"
	"slices"

	"daybook/model"
)

// askedTexts is how many texts of questions a generation of vectors holds.
const askedTexts = 2048

// askedVectors are the vectors of texts that were made of questions, so that a question
// that is asked again is not encoded again. It knows the texts by their hashes only.
type askedVectors = lately[askedText, []float32]

// askedText is the hash of a text.
type askedText [sha256.Size]byte

// askedAs is the hash of a text with what it is encoded as.
func askedAs(t model.Text) askedText { return sha256.Sum256([]byte(string(t.As) + "\x00" + t.Text)) }

// encodeAsked encodes the texts of a question that were not met lately, all at once.
func (e *Engine) encodeAsked(ctx context.Context, texts []model.Text) ([][]float32, error) {
	rows, keys := make([][]float32, len(texts)), make([]askedText, len(texts))
	var fresh []model.Text
	var at []int
	for i, t := range texts {
		keys[i] = askedAs(t)
		known, ok := e.asked.get(keys[i])
		if !ok {
			fresh, at = append(fresh, t), append(at, i)
		}
		rows[i] = slices.Clone(known)
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
		e.asked.put(keys[i], slices.Clone(made[n]))
	}
	return rows, nil
}
