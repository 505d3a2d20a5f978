package server

import (
	"context"
	"net/http"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/tree"
)

// QueryRequest is the body of POST /v1/query.
type QueryRequest struct {
	ScopeKeys
	MinCommit
	Query     string   `json:"query" doc:"Query in Semantic XPath; docs/query.md has the language." minLength:"1" maxLength:"20000" example:"//Day[3]/POI[node~=\"museum\"]"`
	Tree      string   `json:"tree,omitempty" doc:"Tree to ask; the memory itself if not given."`
	Scorer    string   `json:"scorer,omitempty" doc:"What weighs ~=." enum:"blend,embedding,words,exact,entailment,llm"`
	Limit     int      `json:"limit,omitempty" doc:"At most so many nodes of a query that weighs them." minimum:"1" maximum:"10000" default:"100"`
	Threshold *float64 `json:"threshold,omitempty" doc:"Leave out nodes of a query that weighs them below this weight."`
	KnownAt   string   `json:"known_at,omitempty" doc:"As the ledger knew it at this time."`
	Explain   bool     `json:"explain,omitempty" doc:"Show every step, with the score of each node and its parts."`
}

type queryInput struct{ Body QueryRequest }
type queryOutput struct{ Body engine.QueryReport }

// queries adds the endpoint for Semantic XPath.
func (s *Server) queries() {
	register(s, endpoint{http.MethodPost, "/v1/query", "query", "Ask a tree, or the memory itself, in Semantic XPath", Read, "trees"}, s.query)
}

func (s *Server) query(ctx context.Context, in *queryInput) (*queryOutput, error) {
	q := in.Body
	scope, _, at, err := s.reading(ctx, q.ScopeKeys, Times{KnownAt: q.KnownAt}, q.MinCommit)
	if err != nil {
		return nil, err
	}
	threshold := engine.DefaultThreshold
	if q.Threshold != nil {
		threshold = *q.Threshold
	}
	found, err := s.engine.Query(ctx, scope, engine.Query{Text: q.Query, Tree: q.Tree, Scorer: q.Scorer, At: at, Limit: q.Limit, Threshold: threshold})
	if err != nil {
		return nil, err
	}
	report, err := found.Report(ctx, q.Explain)
	return &queryOutput{report}, err
}

type treesInput struct{ ScopeKeys }
type treesOutput struct {
	Body struct {
		Trees []graph.TreeInfo `json:"trees"`
	}
}

// PlantRequest is the body of POST /v1/trees.
type PlantRequest struct {
	ScopeKeys
	Name    string `json:"name" doc:"Name of the tree." minLength:"1"`
	Format  string `json:"format,omitempty" enum:"json,xml,yaml,markdown" default:"json"`
	Content string `json:"content" doc:"The tree as text in that format." minLength:"1"`
}

type plantInput struct{ Body PlantRequest }
type treeReceiptOutput struct{ Body engine.TreeReceipt }

type treeInput struct {
	ScopeKeys
	Name    string `path:"name"`
	Version int    `query:"version" doc:"Version to show; the current one by default." minimum:"0"`
	Format  string `query:"format" doc:"How content is written." enum:"json,xml,yaml,markdown" default:"json"`
}

type treeOutput struct {
	Body struct {
		Name     string        `json:"name"`
		Version  int           `json:"version"`
		Content  string        `json:"content"`
		Versions []treeVersion `json:"versions" doc:"Newest first."`
	}
}

type treeVersion struct {
	Version    int              `json:"version"`
	Base       int              `json:"base,omitempty"`
	Request    string           `json:"request,omitempty"`
	Summary    string           `json:"summary,omitempty"`
	RecordedAt time.Time        `json:"recorded_at"`
	Author     string           `json:"author"`
	Commit     daybook.CommitID `json:"commit"`
}

// DoRequest is the body of POST /v1/trees/{name}/do.
type DoRequest struct {
	ScopeKeys
	Request string `json:"request" doc:"What you want, in plain words." minLength:"1" maxLength:"10000" example:"add a coffee break on the second day"`
	Scorer  string `json:"scorer,omitempty" enum:"blend,embedding,words,exact,entailment,llm"`
	DryRun  bool   `json:"dry_run,omitempty" doc:"Only say what would be done."`
	Explain bool   `json:"explain,omitempty"`
}

type doInput struct {
	Name string `path:"name"`
	Body DoRequest
}

type doOutput struct {
	Body struct {
		engine.Done
		engine.QueryReport
	}
}

// EditRequest is the body of POST /v1/trees/{name}/edit.
type EditRequest struct {
	ScopeKeys
	Base    int                  `json:"base,omitempty" doc:"Version that the changes were made on; if the tree has gone on since, nothing is written." minimum:"0"`
	Message string               `json:"message,omitempty" doc:"What was asked for."`
	Changes []daybook.TreeChange `json:"changes" minItems:"1" maxItems:"10000"`
}

type editInput struct {
	Name string `path:"name"`
	Body EditRequest
}

// RollBackRequest is the body of POST /v1/trees/{name}/rollback.
type RollBackRequest struct {
	ScopeKeys
	Version int    `json:"version" doc:"Version to go back to." minimum:"1"`
	Message string `json:"message,omitempty" doc:"Why."`
}

type rollBackInput struct {
	Name string `path:"name"`
	Body RollBackRequest
}

// trees adds the endpoints for task artifacts.
func (s *Server) trees() {
	register(s, endpoint{http.MethodGet, "/v1/trees", "trees", "The trees of a scope", Read, "trees"}, s.listTrees)
	register(s, endpoint{http.MethodPost, "/v1/trees", "plant", "Take in a plan or list", Write, "trees"}, s.plant)
	register(s, endpoint{http.MethodGet, "/v1/trees/{name}", "tree", "A tree, now or at an older version", Read, "trees"}, s.showTree)
	register(s, endpoint{http.MethodPost, "/v1/trees/{name}/do", "do", "Read or change a tree by a request in plain words", Write, "trees"}, s.do)
	register(s, endpoint{http.MethodPost, "/v1/trees/{name}/edit", "edit", "Change a tree by a list of changes", Write, "trees"}, s.edit)
	register(s, endpoint{http.MethodPost, "/v1/trees/{name}/rollback", "rollback", "Make a new version that is equal to an older one", Write, "trees"}, s.rollBack)
}

func (s *Server) listTrees(ctx context.Context, in *treesInput) (*treesOutput, error) {
	scope, _, err := s.scope(ctx, in.ScopeKeys)
	if err != nil {
		return nil, err
	}
	trees, err := s.engine.Trees(ctx, scope)
	out := &treesOutput{}
	out.Body.Trees = append([]graph.TreeInfo{}, trees...)
	return out, err
}

func (s *Server) plant(ctx context.Context, in *plantInput) (*treeReceiptOutput, error) {
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	file, err := tree.Parse(in.Body.Format, []byte(in.Body.Content))
	if err != nil {
		return nil, err
	}
	r, err := s.engine.PlantTree(ctx, scope, CallerOf(ctx).By("import "+in.Body.Name), in.Body.Name, file)
	return &treeReceiptOutput{r}, err
}

func (s *Server) showTree(ctx context.Context, in *treeInput) (*treeOutput, error) {
	scope, _, err := s.scope(ctx, in.ScopeKeys)
	if err != nil {
		return nil, err
	}
	h, err := s.engine.Tree(ctx, scope, in.Name, daybook.AsOf{})
	if err != nil {
		return nil, err
	}
	v, err := h.At(in.Version)
	if err != nil {
		return nil, err
	}
	text, err := tree.Format(in.Format, v.Task())
	out := &treeOutput{}
	out.Body.Name, out.Body.Version, out.Body.Content = h.Name, v.Number, string(text)
	for i := len(h.Versions) - 1; i >= 0; i-- {
		w := h.Versions[i]
		out.Body.Versions = append(out.Body.Versions, treeVersion{w.Number, w.Base, w.Request, w.Summary, w.RecordedAt.UTC(), w.Author, w.Commit})
	}
	return out, err
}

func (s *Server) do(ctx context.Context, in *doInput) (*doOutput, error) {
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	done, err := s.engine.Do(ctx, scope, CallerOf(ctx).By(""), engine.Request{Tree: in.Name, Text: in.Body.Request, Scorer: in.Body.Scorer, DryRun: in.Body.DryRun})
	if err != nil {
		return nil, err
	}
	out := &doOutput{}
	out.Body.Done = *done
	out.Body.QueryReport, err = done.Found.Report(ctx, in.Body.Explain)
	return out, err
}

func (s *Server) edit(ctx context.Context, in *editInput) (*treeReceiptOutput, error) {
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	r, err := s.engine.EditTree(ctx, scope, CallerOf(ctx).By(in.Body.Message), engine.TreeEdit{
		Tree: in.Name, Base: in.Body.Base, Request: in.Body.Message, Summary: in.Body.Message, Changes: in.Body.Changes,
	})
	return &treeReceiptOutput{r}, err
}

func (s *Server) rollBack(ctx context.Context, in *rollBackInput) (*treeReceiptOutput, error) {
	scope, _, err := s.scope(ctx, in.Body.ScopeKeys)
	if err != nil {
		return nil, err
	}
	r, err := s.engine.RollBackTree(ctx, scope, CallerOf(ctx).By(in.Body.Message), in.Name, in.Body.Version)
	return &treeReceiptOutput{r}, err
}
