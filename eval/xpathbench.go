package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"daybook"
	"daybook/model"
	"daybook/tree"
	"daybook/xpath"
)

// XPathBench is how trees, queries and requests fare on the gold set of Semantic
// XPath.
type XPathBench struct {
	Hash    string                     `json:"hash"`
	Scorers map[string]XPathScorerFigs `json:"scorers"` // gold queries given, by scorer
	Words   XPathWordsFigs             `json:"words"`   // requests in plain words, no query given, no language model
	Results []XPathAnswer              `json:"results"` // of the requests in plain words
}

// XPathScorerFigs are the figures of one scorer with the gold queries.
type XPathScorerFigs struct {
	Structural  float64 `json:"structural_exact"` // records without ~=, exact set
	StructuralN int     `json:"structural_n"`
	Semantic    float64 `json:"semantic_p_at_gold"`
	SemanticN   int     `json:"semantic_n"`
	Hard        float64 `json:"hard_p_at_gold"` // those that word overlap does not solve
	HardN       int     `json:"hard_n"`
}

// XPathWordsFigs are the figures of requests in plain words. A request counts as
// right when the set of nodes is the gold set, neutral ones left out.
type XPathWordsFigs struct {
	N             int     `json:"n"`
	Exact         float64 `json:"exact_set"`
	NotUnderstood float64 `json:"not_understood"`
	IntentRight   float64 `json:"intent_right"`
	// Flat is dense retrieval over all nodes, told how many to return.
	Flat float64 `json:"flat_exact_set_told_how_many"`
	// FlatCut is the same, cut where the default scorer cuts.
	FlatCut float64 `json:"flat_exact_set"`
}

// XPathAnswer is what became of one request in plain words.
type XPathAnswer struct {
	ID, Request string
	Intent      string
	Query       string // that it was understood as; empty when it was not
	Gold, Got   []string
	Right       bool
	Error       string `json:",omitempty"`
}

// BenchXPath measures on the gold set in a folder.
func BenchXPath(ctx context.Context, path string, encoder model.Encoder) (*XPathBench, error) {
	gold, err := LoadXPath(path)
	if err != nil {
		return nil, err
	}
	b := &goldBench{gold: gold, trees: map[string]*tree.History{}, models: tree.Models{Encoder: encoder}}
	for name := range gold.Trees {
		if b.trees[name], err = readHistory(filepath.Join(path, "trees", name+".json"), name); err != nil {
			return nil, err
		}
	}
	out := &XPathBench{Hash: gold.Hash, Scorers: map[string]XPathScorerFigs{}}
	for _, name := range []string{tree.Words, tree.Embedding, tree.Blend} {
		if out.Scorers[name], err = b.queries(ctx, name); err != nil {
			return nil, err
		}
	}
	out.Words, out.Results, err = b.requests(ctx)
	return out, err
}

type goldBench struct {
	gold   XPathGold
	trees  map[string]*tree.History
	models tree.Models
	shared tree.Scorer
}

// readHistory plants a tree as the engine would, without a ledger.
func readHistory(path, name string) (*tree.History, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, daybook.Errorf(daybook.NotFound, "%w", err)
	}
	root, err := tree.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	edits, err := tree.Plant(name, root, "")
	if err != nil {
		return nil, err
	}
	var all []tree.Edit
	for _, e := range edits {
		all = append(all, tree.Edit{TreeEdit: e})
	}
	return &tree.History{Name: name, Versions: tree.Fold(nil, all)}, nil
}

func (b *goldBench) queries(ctx context.Context, name string) (figs XPathScorerFigs, err error) {
	scorer, err := tree.NewScorer(name, b.models)
	if err != nil {
		return figs, err
	}
	for _, r := range b.gold.Requests {
		q, err := xpath.Parse(r.Query)
		if err != nil {
			return figs, fmt.Errorf("%s: %w", r.ID, err)
		}
		h := b.trees[r.Tree]
		found, err := tree.Run(ctx, h, q, scorer)
		if err != nil {
			return figs, fmt.Errorf("%s: %w", r.ID, err)
		}
		s := scoreXPath(wantedOf(r), hitsOf(h, found.Nodes), nil)
		switch {
		case !r.NeedsSemantics:
			figs.Structural, figs.StructuralN = figs.Structural+s["exact"], figs.StructuralN+1
			continue
		case !r.LexicalSolves:
			figs.Hard, figs.HardN = figs.Hard+s["P@k"], figs.HardN+1
		}
		figs.Semantic, figs.SemanticN = figs.Semantic+s["P@k"], figs.SemanticN+1
	}
	figs.Structural /= max(1, float64(figs.StructuralN))
	figs.Semantic /= max(1, float64(figs.SemanticN))
	figs.Hard /= max(1, float64(figs.HardN))
	return figs, nil
}

func wantedOf(r XPathRequest) XPathWanted {
	return XPathWanted{ID: r.ID, Tree: r.Tree, Kind: r.Kind, Op: r.Op, Gold: r.Gold, Acceptable: r.Acceptable, NeedsSemantics: r.NeedsSemantics}
}

func hitsOf(h *tree.History, nodes []tree.Weighted) (hits []XPathHit) {
	for _, n := range nodes {
		hits = append(hits, XPathHit{ID: h.SourceOf(n.Place), Weight: n.Weight})
	}
	return hits
}

// requests answers the requests in plain words, and lets flat retrieval run
// beside.
func (b *goldBench) requests(ctx context.Context) (figs XPathWordsFigs, answers []XPathAnswer, err error) {
	scorer, err := tree.NewScorer("", b.models)
	if err != nil {
		return figs, nil, err
	}
	for _, r := range b.gold.Requests {
		a, hits, err := b.request(ctx, r, scorer)
		if err != nil {
			return figs, nil, fmt.Errorf("%s: %w", r.ID, err)
		}
		flat, cut, err := b.flat(ctx, r)
		if err != nil {
			return figs, nil, err
		}
		a.Right = scoreXPath(wantedOf(r), hits, nil)["exact"] == 1
		figs.N++
		figs.Exact += one(a.Right)
		figs.NotUnderstood += one(a.Query == "")
		figs.IntentRight += one(a.Intent == r.Op)
		figs.Flat += flat
		figs.FlatCut += cut
		answers = append(answers, a)
	}
	for _, f := range []*float64{&figs.Exact, &figs.NotUnderstood, &figs.IntentRight, &figs.Flat, &figs.FlatCut} {
		*f /= max(1, float64(figs.N))
	}
	return figs, answers, nil
}

func (b *goldBench) request(ctx context.Context, r XPathRequest, scorer tree.Scorer) (XPathAnswer, []XPathHit, error) {
	a := XPathAnswer{ID: r.ID, Request: r.Request, Gold: r.Gold}
	h := b.trees[r.Tree]
	plan, err := tree.Planner{Encoder: b.models.Encoder}.Plan(ctx, h, r.Request)
	if daybook.KindOf(err) == daybook.Invalid {
		a.Error = err.Error()
		return a, nil, nil
	}
	if err != nil {
		return a, nil, err
	}
	a.Intent, a.Query = string(plan.Intent), plan.Query.String()
	found, err := plan.Select(ctx, h, scorer)
	if err != nil {
		return a, nil, err
	}
	hits := hitsOf(h, found.Nodes)
	for i := range hits {
		hits[i].Weight = 1 // what a plan selects, it means
		a.Got = append(a.Got, hits[i].ID)
	}
	return a, hits, nil
}

// flat retrieves nodes by the request alone, as the paper's flat baseline does: it
// is given the number of nodes to return, or cuts where the scorer cuts.
func (b *goldBench) flat(ctx context.Context, r XPathRequest) (told, cut float64, err error) {
	scorer, err := tree.NewScorer(tree.Embedding, b.models)
	if err != nil {
		return 0, 0, err
	}
	h := b.trees[r.Tree]
	q := xpath.Query{Steps: []xpath.Step{{Descend: true, Type: xpath.Any, Pred: xpath.Local{Attr: xpath.Node, Text: r.Request}}}}
	if len(h.Versions) > 1 {
		q.Steps = append([]xpath.Step{{Descend: true, Type: tree.VersionType}}, q.Steps...)
	}
	found, err := tree.Run(ctx, h, q, b.flatScorer(scorer))
	if err != nil {
		return 0, 0, err
	}
	half := 0.5
	hits := hitsOf(h, found.Nodes)
	return scoreXPath(wantedOf(r), hits, nil)["exact@k"], scoreXPath(wantedOf(r), hits, &half)["exact"], nil
}

// flatScorer keeps one scorer for all requests, so that nodes are encoded once.
func (b *goldBench) flatScorer(made tree.Scorer) tree.Scorer {
	if b.shared == nil {
		b.shared = made
	}
	return b.shared
}

// QueryTrees returns what Env.Query wants: it runs queries on trees of the gold
// set with the default scorer of an encoder.
func QueryTrees(encoder model.Encoder) func(context.Context, *XPathNode, string) ([]XPathHit, error) {
	planted := map[*XPathNode]tree.Source{}
	scorer, wrong := tree.NewScorer("", tree.Models{Encoder: encoder})
	return func(ctx context.Context, root *XPathNode, query string) ([]XPathHit, error) {
		q, err := xpath.Parse(query)
		if err := errors.Join(wrong, err); err != nil {
			return nil, err
		}
		if planted[root] == nil {
			planted[root] = tree.NewWhole(root.tree())
		}
		found, err := tree.Run(ctx, planted[root], q, scorer)
		if err != nil {
			return nil, err
		}
		var hits []XPathHit
		for _, n := range found.Nodes {
			hits = append(hits, XPathHit{ID: n.SourceID, Weight: n.Weight})
		}
		return hits, nil
	}
}

// tree copies the node and all below it.
func (n *XPathNode) tree() *tree.Node {
	c := &tree.Node{ID: n.ID, SourceID: n.ID, Type: n.Type}
	for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
		c.Attrs = append(c.Attrs, tree.Attr{name, n.Attrs[name]})
	}
	for _, child := range n.Children {
		c.Children = append(c.Children, child.tree())
	}
	return c
}
