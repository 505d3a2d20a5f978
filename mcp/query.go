package mcp

import (
	"context"
	"fmt"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/tree"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var queryTool = toolOf[queryIn, queryOut](sdk.Tool{
	Name: "query", Annotations: hints("Query in Semantic XPath", true, false),
	Description: "Select nodes by structure and meaning in Semantic XPath, from the memory itself or from a tree. " +
		"Use when the place or the order matters: the last session, every note of a day, the second stop of a plan. Otherwise use recall. " +
		`Examples: /Memory/Session[-1]/Note, /Memory/Session/Note[node~="the dentist"], /Itinerary/Day[2]/POI[node~="art museum"].`,
})

type queryIn struct {
	who
	times
	Query string `json:"query" jsonschema:"the query, such as /Memory/Session[-1]/Note"`
	Tree  string `json:"tree,omitempty" jsonschema:"name of the tree to ask; the memory itself if not given"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most so many nodes, 20 if not given, 100 at most"`
}

type queryOut struct {
	Query string `json:"query" jsonschema:"in canonical form"`
	Nodes []node `json:"nodes"`
	Left  int    `json:"left_out,omitempty"`
}

// node is a node that was found.
type node struct {
	ID    string  `json:"id"`
	Type  string  `json:"type"`
	Text  string  `json:"text"`
	Path  string  `json:"path" jsonschema:"a query that names just this node"`
	Score float64 `json:"score"`
}

func (n node) line(i int) string {
	return fmt.Sprintf("[%d] %s %s (%.3f, %s)", i, quoted(n.Type), quoted(n.Text), n.Score, quoted(n.Path))
}

func (o queryOut) text() string {
	var all []string
	for i, n := range o.Nodes {
		all = append(all, n.line(i+1))
	}
	if len(all) == 0 {
		all = []string{"no node fits"}
	}
	return lines(left(all, o.Left))
}

// Nodes of a query: what is given unasked, and the most.
const (
	usualNodes = 20
	mostNodes  = 100
)

func (c *caller) query(ctx context.Context, scope daybook.Scope, in queryIn) (out queryOut, err error) {
	if strings.TrimSpace(in.Query) == "" {
		return out, daybook.Errorf(daybook.Invalid, "query is empty")
	}
	at, err := c.at(in.times)
	if err != nil {
		return out, err
	}
	most := bounded(in.Limit, usualNodes, mostNodes)
	found, err := c.engine.Query(ctx, scope, engine.Query{Text: in.Query, Tree: in.Tree, At: at, Limit: most, Threshold: engine.DefaultThreshold})
	if err != nil {
		return out, err
	}
	return nodesOf(ctx, found, most)
}

func nodesOf(ctx context.Context, found *engine.Found, most int) (out queryOut, err error) {
	report, err := found.Report(ctx, false)
	if err != nil {
		return out, err
	}
	out = queryOut{Query: report.Query, Nodes: []node{}, Left: report.Left}
	kept, more := atMost(report.Nodes, most)
	for _, n := range kept {
		out.Nodes = append(out.Nodes, node{ID: n.ID, Type: n.Type, Text: n.Text, Path: n.Path, Score: n.Score})
	}
	out.Left += more
	return out, nil
}

var treeTool = toolOf[treeIn, treeOut](sdk.Tool{
	Name: "tree", Annotations: hints("Plans and lists", false, false),
	Description: "Keep and change plans, to-do lists, itineraries and other things that are built up over many turns; every edit is a version and none is lost. " +
		"Without arguments it lists them; with a name it shows one; with a name and a request in plain words (\"move the dentist to Friday\") it reads or edits that one; " +
		"with a name and content in Markdown it begins a new one. Use whenever the user works on such a thing, instead of remembering it as text.",
})

type treeIn struct {
	who
	Name    string `json:"name,omitempty" jsonschema:"of the plan or list"`
	Request string `json:"request,omitempty" jsonschema:"what to read or change, in plain words"`
	Content string `json:"content,omitempty" jsonschema:"Markdown headings and list items of a new tree"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only say what the request would change"`
}

type treeOut struct {
	Trees   []treeInfo `json:"trees,omitempty"`
	Name    string     `json:"name,omitempty"`
	Version int        `json:"version,omitempty"`
	Content string     `json:"content,omitempty" jsonschema:"the tree in Markdown"`
	Nodes   []node     `json:"nodes,omitempty" jsonschema:"what the request means"`
	Summary string     `json:"summary,omitempty" jsonschema:"what was changed"`
	Commit  string     `json:"commit,omitempty" jsonschema:"of the change; none where nothing was written"`
}

type treeInfo struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
}

func (o treeOut) text() string {
	var all []string
	for _, t := range o.Trees {
		all = append(all, fmt.Sprintf("tree %s, version %d", quoted(t.Name), t.Version))
	}
	if o.Name != "" {
		all = append(all, fmt.Sprintf("tree %s, version %d", quoted(o.Name), o.Version))
	}
	for _, l := range strings.Split(strings.TrimSpace(o.Content), "\n") {
		if l != "" {
			indent := len(l) - len(strings.TrimLeft(l, " "))
			all = append(all, strings.Repeat(" ", min(indent, 40))+quoted(l))
		}
	}
	for i, n := range o.Nodes {
		all = append(all, n.line(i+1))
	}
	if o.Summary != "" {
		all = append(all, "changed: "+quoted(o.Summary))
	}
	if len(all) == 0 {
		all = []string{"there are no plans or lists yet"}
	}
	return lines(all)
}

func (c *caller) tree(ctx context.Context, scope daybook.Scope, in treeIn) (treeOut, error) {
	switch {
	case in.Name == "" && in.Request+in.Content == "":
		return c.trees(ctx, scope)
	case in.Name == "":
		return treeOut{}, daybook.Errorf(daybook.Invalid, "tree: give the name of the tree")
	case in.Request != "" && in.Content != "":
		return treeOut{}, daybook.Errorf(daybook.Invalid, "tree: give a request, or the content of a new tree, and not both")
	case in.Content != "":
		return c.plant(ctx, scope, in)
	case in.Request != "":
		return c.do(ctx, scope, in)
	}
	return c.show(ctx, scope, in.Name)
}

func (c *caller) trees(ctx context.Context, scope daybook.Scope) (out treeOut, err error) {
	all, err := c.engine.Trees(ctx, scope)
	for _, t := range all {
		out.Trees = append(out.Trees, treeInfo{t.Name, t.Version})
	}
	return out, err
}

func (c *caller) show(ctx context.Context, scope daybook.Scope, name string) (out treeOut, err error) {
	h, err := c.engine.Tree(ctx, scope, name, daybook.AsOf{})
	if err != nil {
		return out, err
	}
	content, err := tree.Format(tree.Markdown, h.Current().Root())
	return treeOut{Name: name, Version: h.Current().Number, Content: string(content)}, err
}

func (c *caller) plant(ctx context.Context, scope daybook.Scope, in treeIn) (out treeOut, err error) {
	if c.ReadOnly {
		return out, errReadOnly
	}
	root, err := tree.Parse(tree.Markdown, []byte(in.Content))
	if err != nil {
		return out, err
	}
	r, err := c.engine.PlantTree(ctx, scope, c.by(""), in.Name, root)
	return treeOut{Name: r.Tree, Version: r.Version, Summary: "began the tree", Commit: r.Commit.String()}, err
}

var errReadOnly = daybook.Errorf(daybook.Invalid, "this connection may only read; nothing was changed")

func (c *caller) do(ctx context.Context, scope daybook.Scope, in treeIn) (out treeOut, err error) {
	done, err := c.engine.Do(ctx, scope, c.by(""), engine.Request{Tree: in.Name, Text: in.Request, DryRun: in.DryRun || c.ReadOnly})
	if err != nil {
		return out, err
	}
	if c.ReadOnly && done.Intent != tree.Read && !in.DryRun {
		return out, errReadOnly
	}
	found, err := nodesOf(ctx, done.Found, mostNodes)
	out = treeOut{Name: in.Name, Nodes: found.Nodes, Summary: done.Summary}
	if done.Receipt != nil {
		out.Version, out.Commit = done.Receipt.Version, done.Receipt.Commit.String()
	}
	return out, err
}
