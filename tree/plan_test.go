package tree_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"daybook"
	"daybook/model"
	"daybook/tree"
	"daybook/xpath"
)

// conference is a small plan of our own.
func conference(t testing.TB) *tree.History {
	t.Helper()
	text := `# Conference week
## Monday
- Opening talk {time: 09:00; room: Hall; status: Booked}
- Lunch with the chairs {time: 12:00; room: Terrace; status: Open}
## Tuesday
- Talk on compilers {time: 09:00; room: Hall; status: Booked}
- Talk on databases {time: 11:00; room: Hall; status: Booked}
- Talk on networks {time: 14:00; room: Hall; status: Open}
## Wednesday
- Boat tour of the lake {time: 10:00; room: Pier; status: Open}
- Farewell dinner {time: 19:00; room: Terrace; status: Booked}
`
	file, err := tree.Parse(tree.Markdown, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return history(t, file)
}

func history(t testing.TB, file *tree.Node) *tree.History {
	t.Helper()
	edits, err := tree.Plant("t", file, "")
	if err != nil {
		t.Fatal(err)
	}
	return &tree.History{Name: "t", Versions: fold(nil, edits)}
}

func labelsOf(nodes []tree.Weighted) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Label())
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// Requests in plain words, by templates alone.
func TestPlanner(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	h := conference(t)
	scorer, err := tree.NewScorer("", tree.Models{Encoder: enc})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		request string
		intent  tree.Intent
		want    string
	}{
		{"What is on Tuesday?", tree.Read, "Talk on compilers; Talk on databases; Talk on networks"},
		{"Show me the second section.", tree.Read, "Tuesday"},
		{"List the last two items of Tuesday.", tree.Read, "Talk on databases; Talk on networks"},
		{"What's the first item on Wednesday?", tree.Read, "Boat tour of the lake"},
		{"Which items are booked?", tree.Read, "Farewell dinner; Opening talk; Talk on compilers; Talk on databases"},
		{"Which items on Tuesday are not booked?", tree.Read, "Talk on networks"},
		{"Cancel everything on Wednesday except the dinner.", tree.Delete, "Boat tour of the lake"},
		{"Remove all booked items on Tuesday except the talk on compilers.", tree.Delete, "Talk on databases"},
		{"Remove the talk about databases.", tree.Delete, "Talk on databases"},
		{"Mark the boat tour as booked.", tree.Update, "Boat tour of the lake"},
		{"Add a coffee break to the section packed with talks.", tree.Add, "Tuesday"},
		{"Move the boat tour to Monday.", tree.Move, "Boat tour of the lake"},
		{"Which sections have a talk?", tree.Read, "Monday; Tuesday"},
	} {
		plan, err := tree.Planner{Encoder: enc}.Plan(t.Context(), h, c.request)
		if err != nil {
			t.Errorf("%s: %v", c.request, err)
			continue
		}
		found, err := plan.Select(t.Context(), h, scorer)
		if err != nil {
			t.Errorf("%s: %v", c.request, err)
			continue
		}
		if got := labelsOf(found.Nodes); got != c.want || plan.Intent != c.intent {
			t.Errorf("%s: %s %s: %s, want %s %s", c.request, plan.Intent, plan.Query, got, c.intent, c.want)
		}
	}
	for _, request := range []string{"", "Hmm.", "Thanks!", "Please do.", "Add something.", "Move the boat tour."} {
		if plan, err := (tree.Planner{Encoder: enc}).Plan(t.Context(), h, request); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%q was understood as %+v, %v", request, plan, err)
		}
	}
}

// scripted is a language model that says what it is told.
type scripted struct {
	replies []string
	asked   []model.Request
}

func (s *scripted) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	s.asked = append(s.asked, req)
	if len(s.asked) > len(s.replies) {
		return model.Reply{}, fmt.Errorf("asked too often")
	}
	return model.Reply{Text: s.replies[len(s.asked)-1]}, nil
}

// A model sees the schema, and is shown the byte that is wrong.
func TestPlanWithModel(t *testing.T) {
	h := conference(t)
	m := &scripted{replies: []string{
		`{"intent":"delete","query":"//Item[node~=talk]"}`,
		`{"intent":"add","query":"//Section[2]"}`,
		`{"intent":"add","query":"//Section[2]","node":{"type":"Item","attrs":{"description":"Coffee"}}}`,
	}}
	plan, err := tree.PlanWith(t.Context(), m, h, "coffee on Tuesday")
	if err != nil || plan.Intent != tree.Add || plan.Query.String() != "//Section[2]" || plan.Node.Attrs[0][1] != "Coffee" {
		t.Fatalf("%+v, %v", plan, err)
	}
	first, second := m.asked[0].Messages, m.asked[1].Messages
	if !strings.Contains(first[0].Content, "Section (name), holds Item") || !strings.Contains(first[0].Content, "Farewell dinner") {
		t.Errorf("the prompt does not show the tree:\n%s", first[0].Content)
	}
	if last := second[len(second)-1].Content; !strings.Contains(last, "byte 13") {
		t.Errorf("the model is not told where it is wrong: %s", last)
	}
	m = &scripted{replies: []string{`{"intent":"read","query":"Day"}`, `{"intent":"read","query":"Day"}`, `{"intent":"read","query":"Day"}`}}
	if _, err := tree.PlanWith(t.Context(), m, h, "x"); daybook.KindOf(err) != daybook.Unavailable || len(m.asked) != 3 {
		t.Errorf("after %d attempts: %v", len(m.asked), err)
	}
}

func TestVerify(t *testing.T) {
	h := conference(t)
	q, err := xpath.Parse("//Section[2]/Item")
	if err != nil {
		t.Fatal(err)
	}
	res, err := tree.Run(t.Context(), h, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	if kept := tree.Verify(t.Context(), &scripted{replies: []string{`{"keep":[2]}`}}, "databases", res.Nodes); labelsOf(kept) != "Talk on databases" {
		t.Errorf("kept %s", labelsOf(kept))
	}
	for _, bad := range []string{`{"keep":[]}`, `{"keep":[9]}`} {
		if kept := tree.Verify(t.Context(), &scripted{replies: []string{bad}}, "databases", res.Nodes); len(kept) != 3 {
			t.Errorf("%s: kept %d of 3", bad, len(kept))
		}
	}
}

func TestScorers(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	h := conference(t)
	q, err := xpath.Parse(`//Item[description~="boat trip"]`)
	if err != nil {
		t.Fatal(err)
	}
	var six []string
	for range 7 {
		six = append(six, "0.1")
	}
	six[5] = "0.9"
	m := tree.Models{Encoder: enc, Entailer: model.NewLexicalEntailer(enc), Completer: &scripted{replies: []string{`{"scores":[` + strings.Join(six, ",") + `]}`}}}
	for _, name := range []string{tree.Blend, tree.Embedding, tree.Words, tree.Entailment, tree.LLM} {
		scorer, err := tree.NewScorer(name, m)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tree.Run(t.Context(), h, q, scorer)
		if err != nil || res.Nodes[0].Label() != "Boat tour of the lake" {
			t.Errorf("%s: %s first, %v", name, res.Nodes[0].Label(), err)
		}
		for _, n := range res.Nodes {
			if n.Weight < 0 || n.Weight > 1 {
				t.Errorf("%s: weight %v", name, n.Weight)
			}
		}
	}
	if _, err := tree.NewScorer("guess", m); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("an unknown scorer: %v", err)
	}
	if _, err := tree.NewScorer(tree.LLM, tree.Models{}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("a scorer without its model: %v", err)
	}
}

// Where a node and what it holds are asked about, the smallest that says it comes first.
func TestPartsBeforeWholes(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := tree.NewScorer("", tree.Models{Encoder: enc})
	if err != nil {
		t.Fatal(err)
	}
	h := history(t, &tree.Node{Type: "Trip", Children: []*tree.Node{
		{Type: "Day", Text: "Monday", Children: []*tree.Node{{Type: "Stop", Text: "Breakfast at the hotel"}, {Type: "Stop", Text: "Talk on compilers in the hall"}}},
		{Type: "Day", Text: "Boats and the lake", Children: []*tree.Node{{Type: "Stop", Text: "Boat tour of the lake"}, {Type: "Stop", Text: "Lunch on a boat, with a view of the lake"}}},
	}})
	for query, want := range map[string][]string{
		`//*[node~="boats on the lake"]`:   {"Stop", "Stop"},
		`//Day[node~="boats on the lake"]`: {"Day", "Day"},
	} {
		q, err := xpath.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tree.Run(t.Context(), h, q, scorer)
		if err != nil {
			t.Fatal(err)
		}
		for i, typ := range want {
			if n := res.Nodes[i]; n.Type != typ {
				t.Errorf("%s: number %d is the %s %q with %.2f", query, i+1, n.Type, n.Label(), n.Weight)
			}
		}
	}
}
