package eval

import (
	"encoding/json"
	"testing"

	"daybook"
)

// The same run twice gives the same report, apart from times.
func TestRunRepeats(t *testing.T) {
	data, err := LoadSmoke()
	if err != nil {
		t.Fatal(err)
	}
	run := Run{Dataset: data, Systems: []System{BM25{}, Dense{Encoder: &counting{}}, Hybrid{Encoder: &counting{}}, Recent{}}, Ks: []int{1, 5}, Seed: 1}
	var texts []string
	for range 2 {
		report, err := run.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range report.Systems {
			report.Systems[i].Times = Times{}
		}
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Error("two runs differ")
	}
}

// Questions that the conversation does not answer are kept apart.
func TestRunGroups(t *testing.T) {
	c := conversation("I bought a sailboat", "The weather was awful")
	c.Questions = []Question{
		{ID: "1", Text: "What about the sailboat?", Category: "a", Evidence: []string{"n0"}},
		{ID: "2", Text: "What about the weather?", Category: "b", Evidence: []string{"n0", "n1"}},
		{ID: "3", Text: "What about the sailboat?", Category: "none", Evidence: []string{"n1"}, Absent: true},
		{ID: "4", Text: "Anything?", Category: "a"},
	}
	report, err := Run{Dataset: Dataset{Name: "d", Conversations: []Conversation{c}}, Systems: []System{BM25{}}, Ks: []int{1}, Seed: 1}.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	groups := report.Systems[0].Groups
	if groups[0].N != 2 || groups[0].Metrics["recall@1"].Mean != 0.75 {
		t.Errorf("all: %+v", groups[0])
	}
	if len(groups) != 4 || groups[3].Name != "none" || groups[3].Metrics["recall@1"].Mean != 0 {
		t.Errorf("groups: %+v", groups)
	}
}

func TestCompareReports(t *testing.T) {
	report := func(recall ...float64) *Report {
		r := &Report{Dataset: "d", Hash: "h", Systems: []SystemReport{{Name: "s", Scores: map[string]Scores{}}}}
		for i, v := range recall {
			r.Systems[0].Scores[string(rune('a'+i))] = Scores{"recall@1": v}
		}
		return r
	}
	diffs, err := CompareReports(report(0, 0, 0, 0, 0, 0), report(1, 1, 1, 1, 1, 1), "recall@1", 1)
	if err != nil || len(diffs) != 1 || diffs[0].Mean != 1 || !diffs[0].Significant() {
		t.Errorf("%+v, %v", diffs, err)
	}
	other := report(1)
	other.Hash = "other"
	if _, err := CompareReports(report(1), other, "recall@1", 1); err == nil {
		t.Error("reports on different data were compared")
	}
	before, after := report(0, 0, 0), report(1, 1, 0)
	before.Absent, after.Absent = []string{"c"}, []string{"c"}
	if diffs, err := CompareReports(before, after, "recall@1", 1); err != nil || diffs[0].N != 2 || diffs[0].Mean != 1 {
		t.Errorf("what nothing answers was compared: %+v, %v", diffs, err)
	}
	if _, err := CompareReports(before, after, "luck", 1); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("a metric that is not there: %v", err)
	}
	after.Systems[0].Name = "another"
	if diffs, err := CompareReports(before, after, "recall@1", 1); err != nil || len(diffs) != 1 || diffs[0].System != "another" {
		t.Errorf("one system each: %+v, %v", diffs, err)
	}
	after.Systems = append(after.Systems, SystemReport{Name: "a third"})
	if _, err := CompareReports(before, after, "recall@1", 1); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("no system in common: %v", err)
	}
}

func TestMisses(t *testing.T) {
	c := conversation("zero", "one", "two", "three")
	c.Questions = []Question{
		{ID: "hit", Evidence: []string{"n0"}},
		{ID: "low", Evidence: []string{"n0", "n2"}},
		{ID: "gone", Evidence: []string{"n3"}},
		{ID: "absent", Evidence: []string{"n3"}, Absent: true},
	}
	rows := []Row{{ID: "n0"}, {ID: "n1"}, {ID: "n2"}}
	var results []Result
	for _, q := range c.Questions {
		results = append(results, Result{ID: q.ID, Rows: rows})
	}
	misses := Misses(Dataset{Conversations: []Conversation{c}}, SystemReport{Name: "s", Results: results}, 2)
	if len(misses) != 2 || misses[0].ID != "low" || misses[1].ID != "gone" {
		t.Fatalf("%+v", misses)
	}
	if g := misses[0].Gold; g[0].Stage != stageFound || g[1].Stage != stageRanked || g[1].Rank != 3 {
		t.Errorf("low: %+v", g)
	}
	if misses[0].Stage != stageRanked {
		t.Errorf("low: %q", misses[0].Stage)
	}
	if m := misses[1]; m.Stage != stageLost || m.Gold[0].Stage != stageLost || len(m.Returned) != 2 || m.Returned[0].Text != "Ana: zero" {
		t.Errorf("gone: %+v", m)
	}
}
