package tree

import (
	"context"
	"fmt"
	"strings"

	"daybook"
	"daybook/model"
)

// Ask is one predicate asked of many nodes at once.
type Ask struct {
	Attr, Text string // of the predicate
	Nodes      []*Node
	read       func(i int) (string, error)
	kept       bool // the nodes outlive the query, so what is known of one can be kept by its pointer
	// above is, for each node, the number of the nearest one above it that is asked about,
	// too, or -1; nil where none stands above another, or only an attribute counts.
	above func() []int
}

// TextOf is what the predicate looks at in a node; empty where there is nothing.
func (a *Ask) TextOf(i int) (string, error) { return a.read(i) }

// Scorer says how near what each node says is to the text of a predicate: 0 for
// not at all, 1 for certainly. What it returns must not be changed. It may be called
// from many goroutines at once.
type Scorer interface {
	Name() string
	Score(ctx context.Context, ask *Ask) ([]float64, error)
}

// Models are what scorers may be built on. Any of them may be missing.
type Models struct {
	Encoder   model.Encoder
	Entailer  model.Entailer
	Completer model.Completer
}

// Names of the scorers.
const (
	Blend      = "blend"      // embedding, parts of texts and words together; the default
	Embedding  = "embedding"  // likeness of vectors alone
	Words      = "words"      // share of the predicate's words that the node has
	Same       = "exact"      // the same text or not
	Entailment = "entailment" // does the node's text imply the predicate?
	LLM        = "llm"        // asks a language model
)

// NewScorer returns a scorer by name. It is Invalid for an unknown name and
// Unavailable when the model that it needs is not there. The default is Blend, or
// Words where there is no encoder.
func NewScorer(name string, m Models) (Scorer, error) {
	if name == "" {
		name = Blend
		if m.Encoder == nil {
			name = Words
		}
	}
	missing := func(what string) (Scorer, error) {
		return nil, daybook.Errorf(daybook.Invalid, "scorer %s needs %s, and there is none", name, what)
	}
	switch name {
	case Words:
		return wordScorer{}, nil
	case Same:
		return sameScorer{}, nil
	case Blend, Embedding:
		if m.Encoder == nil {
			return missing("an encoder")
		}
		return &blend{encoder: m.Encoder, name: name}, nil
	case Entailment:
		if m.Entailer == nil {
			return missing("an entailment model")
		}
		return &entailScorer{entailer: m.Entailer}, nil
	case LLM:
		if m.Completer == nil {
			return missing("a language model")
		}
		return &llmScorer{completer: m.Completer}, nil
	}
	return nil, daybook.Errorf(daybook.Invalid, "there is no scorer %q; there are %s, %s, %s, %s, %s, %s", name, Blend, Embedding, Words, Same, Entailment, LLM)
}

// each scores texts one by one.
func each(ask *Ask, score func(text string) float64) ([]float64, error) {
	scores := make([]float64, len(ask.Nodes))
	for i := range scores {
		text, err := ask.TextOf(i)
		if err != nil {
			return nil, err
		}
		scores[i] = score(text)
	}
	return scores, nil
}

type sameScorer struct{}

func (sameScorer) Name() string { return Same }

func (sameScorer) Score(_ context.Context, ask *Ask) ([]float64, error) {
	want := daybook.Fold(ask.Text)
	return each(ask, func(text string) float64 {
		if daybook.Fold(text) == want {
			return 1
		}
		return 0
	})
}

type wordScorer struct{}

func (wordScorer) Name() string { return Words }

func (wordScorer) Score(_ context.Context, ask *Ask) ([]float64, error) {
	want := stems(ask.Text)
	return each(ask, func(text string) float64 { return overlap(want, text) })
}

// entailScorer asks whether a node's text implies that it is about the predicate;
// what is neutral counts for neither side.
type entailScorer struct{ entailer model.Entailer }

func (*entailScorer) Name() string { return Entailment }

func (s *entailScorer) Score(ctx context.Context, ask *Ask) ([]float64, error) {
	var pairs []model.Pair
	var at []int
	scores, err := each(ask, func(text string) float64 {
		if text != "" {
			at = append(at, len(pairs))
			pairs = append(pairs, model.Pair{Premise: text, Hypothesis: "This is about " + ask.Text + "."})
		} else {
			at = append(at, -1)
		}
		return 0
	})
	if err != nil {
		return nil, err
	}
	verdicts, err := s.entailer.Entail(ctx, pairs)
	if err != nil {
		return nil, err
	}
	for i, p := range at {
		if p >= 0 {
			v := verdicts[p]
			scores[i] = float64(v.Entail) / max(1e-9, float64(v.Entail+v.Contradict))
		}
	}
	return scores, nil
}

// llmScorer asks a language model for an array of numbers. Where it gives none
// for a node, that node scores 0.5.
type llmScorer struct{ completer model.Completer }

func (*llmScorer) Name() string { return LLM }

// llmBatch nodes are asked about in one call.
const llmBatch = 40

var scoreSchema = model.MustSchema("scores", `{"type":"object","properties":{"scores":{"type":"array","items":{"type":"number"}}},"required":["scores"],"additionalProperties":false}`)

func (s *llmScorer) Score(ctx context.Context, ask *Ask) ([]float64, error) {
	scores := make([]float64, len(ask.Nodes))
	for from := 0; from < len(scores); from += llmBatch {
		to := min(from+llmBatch, len(scores))
		if err := s.batch(ctx, ask, from, scores[from:to]); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

func (s *llmScorer) batch(ctx context.Context, ask *Ask, from int, scores []float64) error {
	var list strings.Builder
	for i := range scores {
		text, err := ask.TextOf(from + i)
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%d. %s\n", i+1, strings.Join(strings.Fields(text), " "))
		scores[i] = 0.5
	}
	prompt := strings.NewReplacer("{{predicate}}", ask.Text, "{{nodes}}", list.String()).Replace(scorePrompt)
	reply, _, err := model.CompleteJSON[struct{ Scores []float64 }](ctx, s.completer, model.Request{
		Purpose: "tree score", Messages: []model.Message{{Role: model.User, Content: prompt}}, Schema: scoreSchema,
	}, 0)
	if err != nil {
		return err
	}
	for i := range min(len(scores), len(reply.Scores)) {
		scores[i] = max(0, min(1, reply.Scores[i]))
	}
	return nil
}
