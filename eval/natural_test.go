package eval

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const naturalSet = "testdata/natural"

// saidLine is an answer as 'daybook ask --json --questions' prints it, and a ranking as
// 'daybook recall' does.
type saidLine struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
	Known  bool   `json:"known"`
	Rows   []struct {
		ID   string `json:"source_id"`
		Role string `json:"role"`
	} `json:"rows"`
}

func (l saidLine) rows() (rows []Row) {
	for _, r := range l.Rows {
		rows = append(rows, Row{ID: r.ID, Role: r.Role})
	}
	return rows
}

// naturalResults are the results that lie beside the bundled chat, by question.
func naturalResults(t *testing.T) map[string]Result {
	t.Helper()
	var f files
	results := map[string]Result{}
	err := readLines(&f, filepath.Join(naturalSet, "ask.jsonl"), func(_ place, l saidLine) error {
		results[l.ID] = Result{ID: l.ID, Answer: l.Answer, Abstain: !l.Known, Asked: l.rows()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = readLines(&f, filepath.Join(naturalSet, "recall.jsonl"), func(_ place, l saidLine) error {
		r := results[l.ID]
		r.Rows = l.rows()
		results[l.ID] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestNaturalAgreesWithScorer holds our figures against those that the data sets' own scorer
// printed for the same output (score.golden.json).
func TestNaturalAgreesWithScorer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(naturalSet, "score.golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]map[string]float64
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	d, err := LoadNatural(naturalSet)
	if err != nil {
		t.Fatal(err)
	}
	results, got := naturalResults(t), map[string]map[string]float64{}
	add := func(kind, name string, v float64) {
		for _, k := range []string{kind, "ALL"} {
			if got[k] == nil {
				got[k] = map[string]float64{}
			}
			got[k][name] += v
		}
	}
	for _, q := range d.Conversations[0].Questions {
		r := results[q.ID]
		s := judgeChat(q, r)
		add(q.Category, "right", s["contains"])
		add(q.Category, "declined", s["declined"])
		add(q.Category, "abstained", s["abstention"])
		add(q.Category, "stale_leak", s["stale_leak"])
		found := newSource(d.Conversations[0]).score(q, r.Rows, []int{5, 10})
		add(q.Category, "r5", found["recall@5"])
		add(q.Category, "r10", found["recall@10"])
	}
	for kind, want := range golden {
		for _, name := range []string{"right", "declined", "abstained", "stale_leak", "r5", "r10"} {
			if math.Abs(got[kind][name]-want[name]) > 1e-9 {
				t.Errorf("%s %s: %v, score.py has %v", kind, name, got[kind][name], want[name])
			}
		}
	}
}

// TestNaturalForms: lists are right by their items, yes/no questions by polarity.
func TestNaturalForms(t *testing.T) {
	for _, c := range []struct {
		kind, gold, answer string
		items              []string
		right              bool
	}{
		{"list", "a house, a barn", "a barn and then a house", []string{"house", "barn"}, true},
		{"list", "a house, a barn", "a barn", []string{"house", "barn"}, false},
		{"contested", "no", "No, that was a joke.", nil, true},
		{"contested", "No, the drive failed", "No.", nil, true},
		{"contested", "no", "Yes. There is no other.", nil, false},
		{"current", "yes", "still doing it", nil, false},
		{"current", "12,500", "about 12500 by now", nil, true},
	} {
		q := Question{Category: c.kind, Answers: []string{c.gold}, Chat: &ChatGold{Items: c.items}}
		if got := judgeChat(q, Result{Answer: c.answer})["right"] == 1; got != c.right {
			t.Errorf("%q for %q: right is %v", c.answer, c.gold, got)
		}
	}
}

// TestNaturalLedger: what the ledger keeps of the bundled chat's states, by definition.
func TestNaturalLedger(t *testing.T) {
	d, err := LoadNatural(naturalSet)
	if err != nil {
		t.Fatal(err)
	}
	fact := func(object, source, role string, closedBy ...string) LedgerFact {
		return LedgerFact{Conversation: "chat1", Subject: "Bram", Object: object, Sources: []string{source}, Role: role, Asserted: true, ClosedBy: closedBy}
	}
	closed := fact("the reservoir house", "k1m01", "historical", "k1m12")
	closed.Until = time.Date(2025, 8, 15, 0, 0, 0, 0, time.UTC)
	facts := []LedgerFact{
		closed,
		fact("Elvet", "k1m12", "historical", "k1m16"),                                              // holds, and was closed
		fact("610", "k1m02", "current"),                                                            // ended, and was not closed
		fact("brothers sofa", "k1m11", "current"),                                                  // a lure
		fact("a cardigan", "k1m08", "current"),                                                     // no state
		fact("740", "k1m15", "current"),                                                            // not from a message that tells it
		{Conversation: "chat1", Object: "Halloran's", Sources: []string{"k1m04"}, Role: "planned"}, // not asserted
	}
	got := rates{}
	unmatched := scoreLedger(d.Chats, facts, got)
	want := rates{
		"stored": {6, 3.0 / 6}, "stored exactly": {6, 2.0 / 6}, "ended closed": {3, 1.0 / 3}, "closed exactly": {3, 0}, "closed by the message": {1, 1}, "closed on the day": {1, 1},
		"holding but closed": {3, 1.0 / 3}, "closings right": {2, 1.0 / 2}, "lures current": {3, 1.0 / 3},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Rate) bool { return a.N == b.N && math.Abs(a.Rate-b.Rate) < 1e-9 })); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	if len(unmatched) != 4 {
		t.Errorf("%d facts match no state, want 4: %v", len(unmatched), unmatched)
	}
}

// TestNaturalLabels: the labels of the rows that lie beside the bundled chat.
func TestNaturalLabels(t *testing.T) {
	d, err := LoadNatural(naturalSet)
	if err != nil {
		t.Fatal(err)
	}
	labels, roles := rates{}, rates{}
	results := naturalResults(t)
	for _, q := range d.Conversations[0].Questions {
		scoreLabels(toldBy(d.Chats), results[q.ID].Asked, labels, roles)
	}
	want := rates{"ended labelled historical": {4, 2.0 / 4}, "holding labelled otherwise": {4, 1.0 / 4}}
	near := cmp.Comparer(func(a, b Rate) bool { return a.N == b.N && math.Abs(a.Rate-b.Rate) < 1e-9 })
	if diff := cmp.Diff(want, labels, near); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	want = rates{"current": {3, 1}, "historical": {3, 2.0 / 3}, "aside": {1, 0}, "transition": {1, 1}}
	if diff := cmp.Diff(want, roles, near); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}
