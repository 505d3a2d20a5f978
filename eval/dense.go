package eval

import (
	"context"
	"fmt"

	"daybook"
	"daybook/model"
)

// Dense is the baseline of meaning: the cosine of the question and each turn by
// an encoder, the plain retrieval of the papers.
type Dense struct{ Encoder model.Encoder }

// Name implements System.
func (Dense) Name() string { return "dense" }

// Build implements System.
func (d Dense) Build(ctx context.Context, c Conversation) (Memory, error) {
	return newMeanings(ctx, d.Encoder, c.Notes)
}

// Version implements Versioned: which encoder it is.
func (d Dense) Version() string { return encoderID(d.Encoder) }

// encoderID is the id of an encoder that has one.
func encoderID(e model.Encoder) string {
	if named, ok := e.(interface{ ID() string }); ok {
		return named.ID()
	}
	return ""
}

// meanings are the vectors of one conversation.
type meanings struct {
	noClose
	encoder model.Encoder
	notes   []daybook.Note
	vectors model.Vectors
}

func newMeanings(ctx context.Context, enc model.Encoder, notes []daybook.Note) (*meanings, error) {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Passage()
	}
	vectors, err := enc.Encode(ctx, model.AsPassage, texts)
	if err != nil {
		return nil, fmt.Errorf("encode %d notes: %w", len(notes), err)
	}
	return &meanings{encoder: enc, notes: notes, vectors: vectors}, nil
}

// scores returns the cosine of every note with a question, moved to be positive.
func (m *meanings) scores(ctx context.Context, question string) ([]float64, error) {
	q, err := m.encoder.Encode(ctx, model.AsQuery, []string{question})
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	query := q.Row(0)
	scores := make([]float64, len(m.notes))
	for i := range m.notes {
		var sum float32
		for j, x := range m.vectors.Row(i) {
			sum += x * query[j]
		}
		scores[i] = (float64(sum) + 1) / 2
	}
	return scores, nil
}

func (m *meanings) Recall(ctx context.Context, q Question, k int) ([]Row, error) {
	scores, err := m.scores(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	return best(m.notes, scores, k), nil
}

// Hybrid is the baseline of both: reciprocal rank fusion of BM25 and Dense with
// the usual constant.
type Hybrid struct{ Encoder model.Encoder }

const rrfK = 60

// Name implements System.
func (Hybrid) Name() string { return "hybrid" }

// Build implements System.
func (h Hybrid) Build(ctx context.Context, c Conversation) (Memory, error) {
	m, err := newMeanings(ctx, h.Encoder, c.Notes)
	if err != nil {
		return nil, err
	}
	return &hybridMemory{words: newWords(c.Notes), meanings: m}, nil
}

// Version implements Versioned: which encoder it is.
func (h Hybrid) Version() string { return encoderID(h.Encoder) }

type hybridMemory struct {
	noClose
	words    *words
	meanings *meanings
}

func (m *hybridMemory) Recall(ctx context.Context, q Question, k int) ([]Row, error) {
	dense, err := m.meanings.scores(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	fused := make([]float64, len(dense))
	place := map[string]int{}
	for i, n := range m.words.notes {
		place[n.SourceID] = i
	}
	for _, scores := range [][]float64{m.words.scores(q.Text), dense} {
		for rank, row := range best(m.words.notes, scores, len(scores)) {
			fused[place[row.ID]] += 1 / float64(rrfK+rank+1)
		}
	}
	return best(m.words.notes, fused, k), nil
}
