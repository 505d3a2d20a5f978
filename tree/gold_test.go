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

// TestGold holds the bars of the gold set: the queries that it gives, and its
// requests in plain words.
func TestGold(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	b, err := eval.BenchXPath(t.Context(), goldDir(t), enc)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range b.Scorers {
		t.Logf("%s: structural exact %.3f (n %d); semantic P@gold %.3f (n %d); not solved by words %.3f (n %d)",
			name, f.Structural, f.StructuralN, f.Semantic, f.SemanticN, f.Hard, f.HardN)
	}
	w := b.Words
	t.Logf("requests in plain words (n %d): exact set %.3f, not understood %.3f, intent right %.3f; flat retrieval %.3f, told how many %.3f",
		w.N, w.Exact, w.NotUnderstood, w.IntentRight, w.FlatCut, w.Flat)
	if os.Getenv("DAYBOOK_MISSES") != "" {
		for _, a := range b.Results {
			if !a.Right {
				t.Logf("%s %s\n    %s %s %s\n    want %v\n    got  %v", a.ID, a.Request, a.Intent, a.Query, a.Error, a.Gold, a.Got)
			}
		}
	}
	if f := b.Scorers[tree.Blend]; f.Structural < 1 || f.Semantic < 0.8 || f.Hard < 0.6 {
		t.Errorf("below the bars of queries: structural 1, semantic 0.80, not solved by words 0.60")
	}
	if w.Exact < 2*w.Flat {
		t.Errorf("requests in plain words: %.3f is not twice flat retrieval, %.3f", w.Exact, w.Flat)
	}
}
