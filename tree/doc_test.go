package tree_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"daybook/model"
	"daybook/tree"
	"daybook/xpath"
)

var docBlocks = regexp.MustCompile("(?s)```(tree|query)\n(.*?)```")

// TestQueryDoc runs the examples of docs/query.md.
func TestQueryDoc(t *testing.T) {
	text, err := os.ReadFile("../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := tree.NewScorer("", tree.Models{Encoder: enc})
	if err != nil {
		t.Fatal(err)
	}
	var h *tree.History
	examples := 0
	for _, b := range docBlocks.FindAllStringSubmatch(string(text), -1) {
		if b[1] == "tree" {
			file, err := tree.ParseJSON([]byte(b[2]))
			if err != nil {
				t.Fatal(err)
			}
			h = history(t, file)
			continue
		}
		lines := strings.Split(strings.TrimSpace(b[2]), "\n")
		for i := 0; i+1 < len(lines); i += 2 {
			examples++
			docExample(t, h, scorer, lines[i], strings.TrimSpace(strings.TrimPrefix(lines[i+1], "=>")))
		}
	}
	if examples < 19 {
		t.Errorf("only %d examples were found", examples)
	}
}

func docExample(t *testing.T, h *tree.History, scorer tree.Scorer, query, want string) {
	t.Helper()
	q, err := xpath.Parse(query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return
	}
	res, err := tree.Run(t.Context(), h, q, scorer)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return
	}
	if q.Weighs() {
		res.Nodes = res.Keep(0.001, 0)
	}
	var got []string
	for _, n := range res.Nodes {
		got = append(got, n.SourceID)
	}
	wanted := strings.FieldsFunc(want, func(r rune) bool { return r == ',' || r == ' ' })
	if n := len(wanted); n > 0 && wanted[n-1] == "…" {
		wanted = wanted[:n-1]
		got = got[:min(len(got), n-1)]
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("%s gives %v, the page says %v", query, got, wanted)
	}
}
