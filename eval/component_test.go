package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
	"daybook/model"
)

func TestCorrelation(t *testing.T) {
	for _, c := range []struct {
		a, b              []float64
		pearson, spearman float64
	}{
		{[]float64{1, 2, 3}, []float64{2, 4, 6}, 1, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1, -1},
		// Means 2 and 3; products 2+0+3 = 5 of √(2·14) = 5.2915.
		{[]float64{1, 2, 3}, []float64{1, 2, 6}, 0.944911182523068, 1},
		// Ranks 1, 2.5, 2.5 and 1, 2, 3: 1.5 of √(1.5·2).
		{[]float64{1, 5, 5}, []float64{1, 2, 3}, 0.866025403784439, 0.866025403784439},
		{[]float64{1, 1}, []float64{1, 2}, 0, 0},
	} {
		if p, s := Pearson(c.a, c.b), Spearman(c.a, c.b); !near(p, c.pearson) || !near(s, c.spearman) {
			t.Errorf("%v %v: %v, %v; want %v, %v", c.a, c.b, p, s, c.pearson, c.spearman)
		}
	}
	in := BootstrapOf(4, 7, func(cases []int) float64 { return float64(len(cases)) })
	if in != (Interval{4, 4, 4, 4}) || BootstrapOf(0, 1, nil) != (Interval{}) {
		t.Errorf("%+v", in)
	}
}

// lengths is an encoder whose cosine of two texts is high when they are equally
// long.
type lengths struct{}

func (lengths) Encode(_ context.Context, _ model.As, texts []string) (model.Vectors, error) {
	v := model.Vectors{Dim: 2}
	for _, t := range texts {
		x := float32(min(len(t), 10)) / 10
		v.Data = append(v.Data, x, 1-x)
	}
	return v, nil
}

type constant struct{ model.Verdict }

func (s constant) Entail(_ context.Context, pairs []model.Pair) ([]model.Verdict, error) {
	out := make([]model.Verdict, len(pairs))
	for i := range out {
		out[i] = s.Verdict
	}
	return out, nil
}

func TestSickBench(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sick.txt")
	text := "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n" +
		"1\taaaaaaaaaa\tbbbbbbbbbb\t5\tENTAILMENT\n2\taaaaaaaaaa\tbbbbb\t3\tNEUTRAL\n3\taaaaaaaaaa\tb\t1\tNEUTRAL\n4\taaaaaaaaaa\tbb\t2\tCONTRADICTION\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := Env{Encoder: lengths{}, EncoderName: "lengths", Entailer: constant{model.Verdict{Neutral: 1}}, EntailerName: "neutral", Seed: 1}
	r, err := sickBench(t.Context(), path, env)
	if err != nil || r.Cases != 4 || r.Metrics[0].Name != "Spearman" || !near(r.Metrics[0].Mean, 1) || r.Metrics[2].Mean != 0.5 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := fmt.Sprint(r.Tables[0].Rows[2]); got != "[neutral 0 2 0]" {
		t.Errorf("what was said of neutral pairs: %s", got)
	}
	again, err := sickBench(t.Context(), path, env)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
		t.Errorf("a second run differs: %v, %v", again, err)
	}
	env.Limit = 2
	if r, err := sickBench(t.Context(), path, env); err != nil || r.Cases != 2 {
		t.Errorf("limited: %+v, %v", r, err)
	}
	if _, err := sickBench(t.Context(), path, Env{}); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("without an encoder: %v", err)
	}
}

func TestTripletsByHand(t *testing.T) {
	gold := []Triplet{{Head: "i", Relation: "like_animal", Tail: "my two dogs"}, {Head: "i", Relation: "live_in_citystatecountry", Tail: "new york"}}
	for _, c := range []struct {
		name  string
		found []Triplet
		want  string
	}{
		{"words of the tail in common", []Triplet{{Head: "my", Relation: "likes", Tail: "dogs"}}, "[0]"},                                              // 1 of 1 with 1 of 3
		{"most words of the tail", []Triplet{{Head: "speaker", Relation: "likes", Tail: "two dogs"}}, "[0]"},                                          // 2 of 2 with 2 of 3
		{"another relation", []Triplet{{Head: "i", Relation: "dislikes", Tail: "my two dogs"}}, "[-1]"},                                               //
		{"another head", []Triplet{{Head: "Bob", Relation: "lives_in", Tail: "New York"}}, "[-1]"},                                                    //
		{"each gold once", []Triplet{{Head: "i", Relation: "lives_in", Tail: "york"}, {Head: "I", Relation: "lives_in", Tail: "New York"}}, "[-1 1]"}, //
	} {
		if got := fmt.Sprint(MatchTriplets(gold, c.found)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	m := Matched{Right: 1, Found: 2, Gold: 4}
	if m.Precision() != 0.5 || m.Recall() != 0.25 || !near(m.F1(), 1.0/3) || (Matched{}).F1() != 0 {
		t.Errorf("%v %v %v", m.Precision(), m.Recall(), m.F1())
	}
}

func TestPersonaBench(t *testing.T) {
	path := filepath.Join(t.TempDir(), "persona.jsonl")
	lines := `{"triplets":[{"tokens":["i","like","dogs"],"head":[0],"tail":[2],"label":"like_animal"}]}
{"triplets":[{"tokens":["i","live","in","rome"],"head":[0],"tail":[3],"label":"live_in_citystatecountry"}]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	extract := func(_ context.Context, text string) ([]Triplet, error) {
		if strings.Contains(text, "dogs") {
			return []Triplet{{Head: "i", Relation: "likes", Tail: "dogs"}, {Head: "i", Relation: "owns", Tail: "dogs"}}, nil
		}
		return nil, nil
	}
	r, err := personaBench(t.Context(), path, Env{Extract: extract, Seed: 1})
	if err != nil || len(r.Metrics) != 3 || r.Metrics[0].Mean != 0.5 || r.Metrics[1].Mean != 0.5 || r.Metrics[2].Mean != 0.5 {
		t.Errorf("%+v, %v", r, err)
	}
	if rows := fmt.Sprint(r.Tables[1].Rows[1:]); rows != "[[likes 1 1 1.000] [owns 1 0 .000]]" {
		t.Error(rows)
	}
	if rows := fmt.Sprint(r.Tables[0].Rows[1:]); rows != "[[like_animal 1 1 1.000] [live_in_citystatecountry 1 0 .000]]" {
		t.Error(rows)
	}
}

// What is not there says so; what is plugged in takes its place.
func TestComponents(t *testing.T) {
	own := Component{"timex", func(context.Context, string, Env) (ComponentReport, error) { return ComponentReport{Name: "mine"}, nil }}
	for _, c := range Components(own) {
		if c.Name != "timex" {
			continue
		}
		if r, err := c.Run(t.Context(), "", Env{}); err != nil || r.Name != "mine" {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// A relation of ours may mean several labels, and no label outside its list.
func TestMeans(t *testing.T) {
	for _, c := range []struct {
		found, label string
		want         bool
	}{
		{"likes", "like_food", true}, {"likes", "favorite_color", true}, {"likes", "dislike_food", false}, {"dislikes", "dislike_food", true},
		{"owns", "have_pet", true}, {"is", "diet", true}, {"is", "have_pet", false}, {"favorite color", "favorite_color", true},
		{"sells", "own", false}, {Not + "owns", "have_no_children", true}, {Not + "owns", "have_pet", false}, {"lives_in", "live_in_general", true}, {"job", "employed_by_general", true},
	} {
		if got := Means(c.found, c.label); got != c.want {
			t.Errorf("%s means %s: %v", c.found, c.label, got)
		}
	}
}

func TestXPathBench(t *testing.T) {
	dir := t.TempDir()
	tree := `{"type":"root","id":"r","children":[{"type":"day","id":"d1"},{"type":"day","id":"d2"}]}`
	for name, text := range map[string]string{
		"trees/plan.json": tree, "grammar_tree.json": tree,
		"requests.jsonl": `{"id":"q1","tree":"plan","request":"the first day","op":"read","query":"//day[1]","gold":["d1"],"kind":"position"}
{"id":"q2","tree":"plan","request":"all days","op":"read","query":"//day","gold":["d1","d2"],"kind":"list"}
{"id":"q3","tree":"plan","request":"broken","op":"read","query":"//","gold":["d2"],"kind":"list"}`,
		"multiturn.jsonl":      `{"id":"s","tree":"plan","turns":[]}`,
		"grammar_cases.jsonl":  `{"id":"c","expect":[]}`,
		"grammar_errors.jsonl": `{"id":"e","query":"x","error_at":0}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	query := func(_ context.Context, tree *XPathNode, query string) ([]XPathHit, error) {
		if query == "//" {
			return nil, errors.New("a name was expected")
		}
		return []XPathHit{{tree.Children[0].ID, 1}}, nil
	}
	r, err := xpathBench(t.Context(), dir, Env{Query: query, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, m := range r.Metrics {
		got[m.Name] = m.Mean
	}
	if !near(got["exact"], 1.0/3) || !near(got["P@k"], 0.5) || len(r.Notes) != 1 {
		t.Errorf("%v, notes %q", got, r.Notes)
	}
	if _, err := xpathBench(t.Context(), dir, Env{}); daybook.KindOf(err) != daybook.Unavailable {
		t.Error(err)
	}
}
