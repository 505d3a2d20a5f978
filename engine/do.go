package engine

import (
	"context"
	"log/slog"

	"daybook"
	"daybook/tree"
	"daybook/xpath"
)

// Request is something that a user asks of a tree in plain words.
type Request struct {
	Tree   string
	Text   string
	Scorer string // by name; empty for the default
	DryRun bool   // say what would be done, and do nothing
}

// Done is what became of a request.
type Done struct {
	Intent  tree.Intent          `json:"intent"`
	By      string               `json:"by"` // who understood it: templates or llm
	Found   *Found               `json:"-"`
	Changes []daybook.TreeChange `json:"changes,omitempty"`
	Summary string               `json:"summary,omitempty"`
	Receipt *TreeReceipt         `json:"receipt,omitempty"` // of an edit that was written
}

// Do reads or edits a tree as a request asks: it is turned into a query, the query into
// nodes, and these into changes and a new version with the request as its message. A request that is not
// understood is Invalid and changes nothing.
func (e *Engine) Do(ctx context.Context, scope daybook.Scope, by By, req Request) (*Done, error) {
	h, err := e.Tree(ctx, scope, req.Tree, daybook.AsOf{})
	if err != nil {
		return nil, err
	}
	plan, err := e.plan(ctx, h, req.Text)
	if err != nil {
		return nil, err
	}
	scorer, err := e.scorer(req.Scorer)
	if err != nil {
		return nil, err
	}
	res, err := plan.Select(ctx, h, scorer)
	if err != nil {
		return nil, err
	}
	if c := e.treeModels().Completer; c != nil && plan.By == "llm" && len(res.Nodes) > 1 {
		res.Nodes = tree.Verify(ctx, c, req.Text, res.Nodes)
	}
	done := &Done{Intent: plan.Intent, By: plan.By, Found: &Found{Result: res, Source: h, Scorer: scorer.Name()}}
	if plan.Intent == tree.Read {
		return done, nil
	}
	return done, e.act(ctx, scope, by, req, h, plan, scorer, done)
}

// plan understands a request, by the model where there is one and otherwise, or
// when it fails, by templates.
func (e *Engine) plan(ctx context.Context, h *tree.History, text string) (*tree.Plan, error) {
	m := e.treeModels()
	if m.Completer != nil {
		plan, err := tree.PlanWith(ctx, m.Completer, h, text)
		if err == nil {
			return plan, nil
		}
		slog.Warn("the language model did not understand a request; templates are used", "error", err)
	}
	return tree.Planner{Encoder: m.Encoder}.Plan(ctx, h, text)
}

// act turns a plan into changes and writes them.
func (e *Engine) act(ctx context.Context, scope daybook.Scope, by By, req Request, h *tree.History, plan *tree.Plan, scorer tree.Scorer, done *Done) error {
	where, err := e.whereTo(ctx, h, plan, scorer)
	if err != nil {
		return err
	}
	next, err := e.nextVersion(ctx, scope, req.Tree)
	if err != nil {
		return err
	}
	done.Changes, done.Summary, err = plan.Changes(h, done.Found.Nodes, where, next)
	if err != nil || req.DryRun {
		return err
	}
	r, err := e.editTree(ctx, scope, by, TreeEdit{Tree: req.Tree, Request: req.Text, Summary: done.Summary, Changes: done.Changes}, h)
	if err == nil {
		done.Receipt = &r
	}
	return err
}

// whereTo finds the place that a move goes to.
func (e *Engine) whereTo(ctx context.Context, h *tree.History, plan *tree.Plan, scorer tree.Scorer) (*tree.Node, error) {
	if plan.Intent != tree.Move || len(plan.Where.Steps) == 0 {
		return nil, nil
	}
	res, err := tree.Run(ctx, h, xpath.Query{Group: &xpath.Group{Query: plan.Where, At: xpath.Range{From: 1, To: 1}}}, scorer)
	if err != nil || len(res.Nodes) == 0 {
		return nil, err
	}
	return res.Nodes[0].Node, nil
}
