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
	scorer, err := e.scorer(scope, q.Scorer)
	if err != nil {
		return nil, err
	}
	f, err := e.run(ctx, h, q, parsed, scorer)
	if err != nil {
		return nil, err
	}
	e.keepVectors(ctx, scope, q.Tree)
	return f, nil
}

func (e *Engine) run(ctx context.Context, src tree.Source, q Query, parsed xpath.Query, scorer tree.Scorer) (*Found, error) {
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
	mu      sync.Mutex
	models  tree.Models
	made    map[scorerKey]tree.Scorer
	vectors map[scorerKey]*treeVectors
}

// scorerKey tells scorers apart: engines with different encoders share the store.
type scorerKey struct {
	name, encoder string
	scope         daybook.Scope
	memory        bool // it weighs the memory, whose texts are not kept as those of trees are
}

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

// scorer returns what weighs the nodes of a scope's trees.
func (e *Engine) scorer(scope daybook.Scope, name string) (tree.Scorer, error) {
	m := e.treeModels()
	if v := e.treeVectors(scope); v != nil {
		m.Encoder = v
	}
	return e.scorers.scorer(scorerKey{name: name, encoder: e.encoderID(), scope: scope}, m)
}

// memoryScorer returns what weighs the nodes of a scope's memory.
func (e *Engine) memoryScorer(scope daybook.Scope, name string) (tree.Scorer, error) {
	return e.scorers.scorer(scorerKey{name: name, encoder: e.encoderID(), scope: scope, memory: true}, e.treeModels())
}

func (e *Engine) encoderID() string {
	if e.encoder == nil {
		return ""
	}
	return e.encoder.ID()
}

func (s *scorers) scorer(key scorerKey, m tree.Models) (tree.Scorer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made := s.made[key]; made != nil {
		return made, nil
	}
	made, err := tree.NewScorer(key.name, m)
	if err != nil {
		return nil, err
	}
	if s.made == nil || len(s.made) >= maxTrees {
		s.made = map[scorerKey]tree.Scorer{}
	}
	s.made[key] = made
	return made, nil
}
