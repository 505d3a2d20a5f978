package engine

import (
	"context"
	"sync"

	"daybook"
	"daybook/tree"
	"daybook/xpath"
)

// Query is a query in Semantic XPath, over a tree or over the memory itself.
type Query struct {
	Text      string
	Tree      string // name of a tree; empty for the memory
	Scorer    string // by name; empty for the default
	At        daybook.AsOf
	Limit     int     // at most so many nodes, 0 for all; only where the query weighs nodes
	Threshold float64 // at least such a weight; only where the query weighs nodes
}

// What a query returns unless it says otherwise. The paper's program returns 20; sets of
// more than that are common among what people ask of a plan.
const (
	DefaultLimit     = 100
	DefaultThreshold = 0.001
)

// Found is what a query gave: nodes, best first, and every step.
type Found struct {
	*tree.Result
	Source tree.Source
	Scorer string // that weighed the nodes; empty where nothing was weighed
	Left   int    // nodes that the limit and the threshold left out
}

// Query runs a query. A malformed one is Invalid and holds a *xpath.SyntaxError.
func (e *Engine) Query(ctx context.Context, scope daybook.Scope, q Query) (*Found, error) {
	parsed, err := xpath.Parse(q.Text)
	if err != nil {
		return nil, err
	}
	if q.Tree == "" {
		return e.queryMemory(ctx, scope, q, parsed)
	}
	h, err := e.Tree(ctx, scope, q.Tree, q.At)
	if err != nil {
		return nil, err
	}
	return e.run(ctx, h, q, parsed)
}

func (e *Engine) run(ctx context.Context, src tree.Source, q Query, parsed xpath.Query) (*Found, error) {
	scorer, err := e.scorer(q.Scorer)
	if err != nil {
		return nil, err
	}
	most := 0
	if parsed.Weighs() {
		most = q.Limit
	}
	res, err := tree.RunTop(ctx, src, parsed, scorer, most)
	if err != nil {
		return nil, err
	}
	f := &Found{Result: res, Source: src}
	if parsed.Weighs() {
		f.Scorer = scorer.Name()
		res.Nodes = res.Keep(q.Threshold, q.Limit)
		if n := len(res.Steps); n > 0 {
			f.Left = len(res.Steps[n-1].Out) - len(res.Nodes)
		}
	}
	return f, nil
}

// scorers are made once, because they remember what they scored.
type scorers struct {
	mu     sync.Mutex
	models tree.Models
	made   map[scorerKey]tree.Scorer
}

// scorerKey tells scorers apart: engines with different encoders share the store.
type scorerKey struct{ name, encoder string }

// WithTreeModels returns an engine whose queries and requests may use these
// models. Without them it uses the engine's encoder.
func (e *Engine) WithTreeModels(m tree.Models) *Engine {
	c := *e
	c.scorers = &scorers{models: m}
	return &c
}

// treeModels are the models that trees may use.
func (e *Engine) treeModels() tree.Models {
	m := e.scorers.models
	if m.Encoder == nil && e.encoder != nil {
		m.Encoder = e.encoder
	}
	return m
}

func (e *Engine) scorer(name string) (tree.Scorer, error) {
	s := e.scorers
	s.mu.Lock()
	defer s.mu.Unlock()
	key := scorerKey{name, ""}
	if e.encoder != nil {
		key.encoder = e.encoder.ID()
	}
	if made := s.made[key]; made != nil {
		return made, nil
	}
	made, err := tree.NewScorer(name, e.treeModels())
	if err != nil {
		return nil, err
	}
	if s.made == nil {
		s.made = map[scorerKey]tree.Scorer{}
	}
	s.made[key] = made
	return made, nil
}
