package engine

import (
	"context"

	"daybook/tree"
)

// QueryReport is what a query found, as doors write it.
type QueryReport struct {
	Query  string      `json:"query"` // in canonical form
	Scorer string      `json:"scorer,omitempty"`
	Nodes  []FoundNode `json:"nodes"`
	Left   int         `json:"left_out,omitempty"`
	Steps  []FoundStep `json:"steps"`
}

// FoundNode is a node that a query found.
type FoundNode struct {
	ID       string  `json:"id"`
	SourceID string  `json:"source_id"` // the id in the imported file
	Type     string  `json:"type"`
	Score    float64 `json:"score"`
	Path     string  `json:"path"` // a query that names just this node
	Text     string  `json:"text"`
}

// FoundStep is one step of a query. In, Out and Scores are there when the
// explanation was asked for.
type FoundStep struct {
	Step     string       `json:"step"`
	InCount  int          `json:"in_count"`
	OutCount int          `json:"out_count"`
	In       []StepNode   `json:"in,omitempty"`
	Out      []StepNode   `json:"out,omitempty"`
	Scores   []ScoredNode `json:"scores,omitempty"`
}

// StepNode is a node with its weight before or after a step.
type StepNode struct {
	ID     string  `json:"id"`
	Type   string  `json:"type"`
	Label  string  `json:"label"`
	Weight float64 `json:"weight"`
}

// ScoredNode is what a predicate gave a node, and out of which parts: other
// predicates of the same node, or the evidence of an aggregation.
type ScoredNode struct {
	ID        string       `json:"id"`
	Label     string       `json:"label,omitempty"`
	Predicate string       `json:"predicate"`
	Score     float64      `json:"score"`
	Parts     []ScoredNode `json:"parts,omitempty"`
}

// Report puts what was found into words. With explain, every step lists its nodes
// and scores.
func (f *Found) Report(ctx context.Context, explain bool) (QueryReport, error) {
	r := QueryReport{Query: f.Query.String(), Scorer: f.Scorer, Nodes: []FoundNode{}, Left: f.Left, Steps: []FoundStep{}}
	for _, w := range f.Nodes {
		path, err := tree.Path(ctx, f.Source, w.Place)
		if err != nil {
			return r, err
		}
		n := FoundNode{ID: w.ID, SourceID: w.SourceID, Type: w.Type, Score: w.Weight, Path: path, Text: w.Own()}
		if h, ok := f.Source.(*tree.History); ok {
			n.SourceID = h.SourceOf(w.Place)
		}
		r.Nodes = append(r.Nodes, n)
	}
	for _, s := range f.Steps {
		step := FoundStep{Step: s.Step, InCount: len(s.In), OutCount: len(s.Out)}
		if explain {
			step.In, step.Out = stepNodes(s.In), stepNodes(s.Out)
			if s.Eval != nil {
				for i := range s.Eval.Places {
					step.Scores = append(step.Scores, scored(s.Eval, i))
				}
			}
		}
		r.Steps = append(r.Steps, step)
	}
	return r, nil
}

func stepNodes(set []tree.Weighted) []StepNode {
	nodes := make([]StepNode, len(set))
	for i, w := range set {
		nodes[i] = StepNode{w.ID, w.Type, w.Label(), w.Weight}
	}
	return nodes
}

func scored(e *tree.Eval, i int) ScoredNode {
	n := ScoredNode{ID: e.Places[i].ID, Label: e.Places[i].Label(), Predicate: e.Pred, Score: e.Scores[i]}
	for _, part := range e.Parts {
		if e.Evidence == nil {
			n.Parts = append(n.Parts, scored(part, i))
			continue
		}
		for j := e.Evidence[i]; j < e.Evidence[i+1]; j++ {
			n.Parts = append(n.Parts, scored(part, j))
		}
	}
	return n
}
