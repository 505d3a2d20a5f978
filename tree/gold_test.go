package tree_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"daybook/eval"
	"daybook/model"
	"daybook/tree"
	"daybook/xpath"
)

// goldDir is the folder of the Semantic XPath gold set.
func goldDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("DAYBOOK_DATA")
	if dir == "" {
		t.Skip("DAYBOOK_DATA is not set: the gold set of Semantic XPath was NOT run")
	}
	return filepath.Join(dir, "semantic_xpath")
}

func readTree(t testing.TB, path string) *tree.Node {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := tree.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// givenScores scores by a table, "node|attr~text"; what is missing scores 0.
type givenScores map[string]float64

func (givenScores) Name() string { return "given" }

func (g givenScores) Score(_ context.Context, ask *tree.Ask) ([]float64, error) {
	scores := make([]float64, len(ask.Nodes))
	for i, n := range ask.Nodes {
		scores[i] = g[n.SourceID+"|"+ask.Attr+"~"+ask.Text]
	}
	return scores, nil
}

func TestGoldGrammar(t *testing.T) {
	dir := goldDir(t)
	gold, err := eval.LoadXPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	src := tree.NewWhole(readTree(t, filepath.Join(dir, "grammar_tree.json")))
	for _, c := range gold.Cases {
		q, err := xpath.Parse(c.Query)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		res, err := tree.Run(t.Context(), src, q, givenScores(c.Scores))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		want := c.Expect
		if c.PerParent != nil {
			want = c.PerParent
		}
		ok := len(want) == len(res.Nodes)
		for i := range want {
			ok = ok && res.Nodes[i].SourceID == want[i].Node && math.Abs(res.Nodes[i].Weight-want[i].Weight) < 1e-6
		}
		if !ok {
			var got []eval.XPathWeight
			for _, n := range res.Nodes {
				got = append(got, eval.XPathWeight{Node: n.SourceID, Weight: n.Weight})
			}
			t.Errorf("%s %s: got %v, want %v", c.ID, c.Query, got, want)
		}
	}
	t.Logf("%d cases", len(gold.Cases))
}

// TestGoldQueries runs the gold queries with the default scorer.
func TestGoldQueries(t *testing.T) {
	dir := goldDir(t)
	gold, err := eval.LoadXPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]tree.Source{}
	for name := range gold.Trees {
		sources[name] = tree.NewWhole(readTree(t, filepath.Join(dir, "trees", name+".json")))
	}
	for _, name := range []string{tree.Words, tree.Embedding, tree.Blend} {
		scorer, err := tree.NewScorer(name, tree.Models{Encoder: enc})
		if err != nil {
			t.Fatal(err)
		}
		var structural, semantic, hard []eval.XPathWanted
		var results []eval.XPathResult
		for _, r := range gold.Requests {
			w := eval.XPathWanted{ID: r.ID, Tree: r.Tree, Kind: r.Kind, Op: r.Op, Gold: r.Gold, Acceptable: r.Acceptable, NeedsSemantics: r.NeedsSemantics}
			switch {
			case !r.NeedsSemantics:
				structural = append(structural, w)
			case !r.LexicalSolves:
				hard = append(hard, w)
				fallthrough
			default:
				semantic = append(semantic, w)
			}
			q, err := xpath.Parse(r.Query)
			if err != nil {
				t.Fatal(err)
			}
			found, err := tree.Run(t.Context(), sources[r.Tree], q, scorer)
			if err != nil {
				t.Fatal(err)
			}
			res := eval.XPathResult{ID: r.ID}
			for _, n := range found.Nodes {
				res.Nodes = append(res.Nodes, eval.XPathHit{ID: n.SourceID, Weight: n.Weight})
			}
			results = append(results, res)
		}
		mean := func(wanted []eval.XPathWanted, metric string, threshold *float64) float64 {
			report, err := eval.ScoreXPath(wanted, results, threshold)
			if err != nil {
				t.Fatal(err)
			}
			return report.Groups["all"].Means[metric]
		}
		half := 0.5
		exact, all, low := mean(structural, "exact", nil), mean(semantic, "P@k", nil), mean(hard, "P@k", nil)
		t.Logf("%s: structural exact %.3f (n %d); semantic P@k %.3f, exact@k %.3f, exact at 0.5 %.3f (n %d); where words do not solve it P@k %.3f (n %d)",
			name, exact, len(structural), all, mean(semantic, "exact@k", nil), mean(semantic, "exact", &half), len(semantic), low, len(hard))
		if name == tree.Blend && (exact < 1 || all < 0.8 || low < 0.6) {
			t.Errorf("below the bar: structural 1, semantic 0.80, where words do not solve it 0.60")
		}
	}
}
