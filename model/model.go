package model

import (
	"context"

	"daybook"
)

// Encoder turns texts into vectors.
//
// Encode returns one unit-length row per text, in order; an empty text gets a
// vector too. The role says what the texts are to each other: see As. It may be
// called from many goroutines at once. Errors carry a daybook.Kind: Invalid for
// a text or a role it cannot take, Unavailable when a remote model does not
// serve or the context ends, Corrupt when what it reads is damaged.
type Encoder interface {
	Encode(ctx context.Context, as As, texts []string) (Vectors, error)
}

// As is the role in which texts are encoded. Models trained to find passages by
// questions want to be told which is which; others give the same vector for
// every role. All roles give vectors of one space.
//
// An index stores what AsPassage gives and is asked with what AsQuery gives.
type As string

// The roles.
const (
	AsText    As = ""        // texts of equal standing: are these two alike?
	AsQuery   As = "query"   // what is asked of an index
	AsPassage As = "passage" // what an index stores
)

// prefix returns what a model wants before a text in this role, given what it
// wants before queries and passages; a role that is none of the three is Invalid.
func (as As) prefix(query, passage string) (string, error) {
	switch as {
	case AsText:
		return "", nil
	case AsQuery:
		return query, nil
	case AsPassage:
		return passage, nil
	}
	return "", daybook.Errorf(daybook.Invalid, "cannot encode as %q, want %q, %q or nothing", string(as), string(AsQuery), string(AsPassage))
}

// Vectors are rows of one encoder's space. Rows of different encoders must
// never be compared, so they carry the encoder's id.
type Vectors struct {
	Encoder string    // id of the encoder that made them, stable across runs
	Dim     int       // length of one row
	Data    []float32 // rows one after another, len = rows × Dim
}

// Row returns the i-th vector; it aliases Data.
func (v Vectors) Row(i int) []float32 { return v.Data[i*v.Dim : (i+1)*v.Dim] }

// Len returns the number of rows.
func (v Vectors) Len() int {
	if v.Dim == 0 {
		return 0
	}
	return len(v.Data) / v.Dim
}

// Reranker scores each text against one query; higher is better, and scores of
// one call are comparable with each other only.
type Reranker interface {
	Rerank(ctx context.Context, query string, texts []string) ([]float32, error)
}

// Entailer judges whether each premise entails its hypothesis.
type Entailer interface {
	Entail(ctx context.Context, pairs []Pair) ([]Verdict, error)
}

// Pair is one question to an Entailer.
type Pair struct{ Premise, Hypothesis string }

// Verdict is a probability for each of the three outcomes; they add up to 1.
type Verdict struct{ Entail, Neutral, Contradict float32 }

// Completer asks a language model for one reply.
type Completer interface {
	Complete(ctx context.Context, req Request) (Reply, error)
}
