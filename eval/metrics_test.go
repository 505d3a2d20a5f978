package eval_test

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"daybook"
	"daybook/eval"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestRetrieval(t *testing.T) {
	ranked := []string{"x", "g2", "x", "g1", "y", "g2"}
	s := eval.Retrieval(ranked, []string{"g1", "g2", "g3", "g3"}, []int{1, 3, 5, 10})
	want := eval.Scores{
		"mrr": 1.0 / 2,
		// of three gold ids g2 is at 2, g1 at 4, g3 nowhere
		"recall@1": 0, "recall@3": 1.0 / 3, "recall@5": 2.0 / 3, "recall@10": 2.0 / 3,
		"any@1": 0, "any@3": 1, "any@5": 1, "any@10": 1,
		"all@1": 0, "all@3": 0, "all@5": 0, "all@10": 0,
		"ndcg@1": 0,
		"ndcg@3": 0.6309297535714575 / 2.1309297535714578,
		"ndcg@5": (0.6309297535714575 + 0.43067655807339306) / 2.1309297535714578,
	}
	want["ndcg@10"] = want["ndcg@5"]
	if len(s) != len(want) {
		t.Errorf("metrics %v", slices.Sorted(maps.Keys(s)))
	}
	for name, v := range want {
		near(t, name, s[name], v)
	}
	if s := eval.Retrieval(ranked, nil, []int{5}); s != nil {
		t.Errorf("without gold: %v", s)
	}
	s = eval.Retrieval([]string{"a", "b"}, []string{"b", "a"}, []int{2})
	near(t, "perfect ndcg", s["ndcg@2"], 1)
	near(t, "perfect all", s["all@2"], 1)
	s = eval.Retrieval(nil, []string{"b"}, []int{2})
	near(t, "nothing returned", s["recall@2"]+s["mrr"]+s["ndcg@2"], 0)
}

func TestSessionRanking(t *testing.T) {
	session := map[string]string{"n1": "s1", "n2": "s1", "n3": "s2", "n4": "s3"}
	got := eval.SessionRanking([]string{"n3", "n2", "?", "n1", "n4"}, session)
	if diff := cmp.Diff([]string{"s2", "s1", "s3"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnswerTokens(t *testing.T) {
	for in, want := range map[string]string{
		"The 7th of May, 2023.":             "7 may 2023",
		"May 7, 2023":                       "7 may 2023",
		"2023-05-07":                        "7 may 2023",
		"2023-05-07T10:00:00Z":              "7 may 2023",
		"05/07/2023":                        "7 may 2023",
		"on 7 May, at noon":                 "on 7 may at noon",
		"Sept. 2022":                        "september 2022",
		"Jan 3rd":                           "3 january",
		"2023-13-07":                        "2023 13 07",
		"She may go; he won't!":             "she may go he wont",
		"A self-care day — the “best” one":  "self care day best one",
		"It costs $1,200 (20 %)":            "it costs $1200 20 %",
		"":                                  "",
		"ﬁne":                               "fine",
		"May I? In March 2024 & April 2024": "may i in march 2024 april 2024",
	} {
		if got := strings.Join(eval.AnswerTokens(in), " "); got != want {
			t.Errorf("%q → %q, want %q", in, got, want)
		}
	}
}

func TestJudgeText(t *testing.T) {
	// Words: cat sat on mat / cat is on mat: three in common of four each.
	s := eval.JudgeText("The cat sat on the mat.", []string{"A cat is on the mat"})
	near(t, "f1", s["f1"], 0.75)
	near(t, "exact", s["exact"], 0)
	near(t, "rouge-l", s["rouge-l"], 0.75) // cat … on mat
	near(t, "bleu-1", s["bleu-1"], 0.75)
	near(t, "bleu-2", s["bleu-2"], math.Sqrt(0.75*1/3)) // "on mat" of three
	near(t, "bleu-3", s["bleu-3"], math.Cbrt(0.75*1/3*0.1/2))
	near(t, "bleu-4", s["bleu-4"], math.Pow(0.75*1/3*0.1/2*0.1/1, 0.25))
	// the, cat, sat, on, mat / a, cat, is, on, the, mat: four in common
	near(t, "set_f1", s["set_f1"], 2*(4.0/5)*(4.0/6)/(4.0/5+4.0/6))

	s = eval.JudgeText("May 7th, 2023", []string{"8 May 2023", "2023-05-07"})
	near(t, "exact of a date", s["exact"], 1)
	near(t, "f1 of a date", s["f1"], 1)

	s = eval.JudgeText("rye", []string{"rye"})
	near(t, "bleu-4 of one word", s["bleu-4"], math.Pow(0.1*0.1*0.1, 0.25))
	s = eval.JudgeText("", []string{"rye"})
	near(t, "empty", s["f1"]+s["exact"]+s["bleu-1"]+s["rouge-l"]+s["set_f1"], 0)
	if s := eval.JudgeText("rye", nil); s != nil {
		t.Errorf("without references: %v", s)
	}
	// repeats: "go go go" has one go of the reference's two… clipped at two
	near(t, "clipping", eval.BLEU([]string{"go", "go", "go"}, [][]string{{"go", "go"}}, 1), 2.0/3)
	near(t, "f1 with repeats", eval.TokenF1([]string{"go", "go", "go"}, []string{"go", "go"}), 0.8)
	near(t, "brevity", eval.BLEU([]string{"go"}, [][]string{{"go", "on"}}, 1), math.Exp(-1))
	near(t, "nearest reference", eval.BLEU([]string{"go", "on"}, [][]string{{"go"}, {"go", "on", "up"}}, 1), 1)
}

func TestUpdates(t *testing.T) {
	s := eval.ScoreUpdates([]eval.Verdict{{Valid: 1}, {Outdated: 1}, {Valid: 1, Outdated: 0.5}, {}})
	near(t, "valid_acc", s["valid_acc"], 0.5)
	near(t, "outdated_leak", s["outdated_leak"], 0.375)
	near(t, "strict_net", s["strict_net"], 0.125)
	current, old := "She moved to Oslo in spring", "She lived in Bergen"
	for answer, want := range map[string]eval.Verdict{
		"moved to Oslo, in the spring": {Valid: 1},
		"she lived in Bergen":          {Outdated: 1},
		"no idea":                      {},
	} {
		if got := eval.LexicalVerdict(answer, current, old); got != want {
			t.Errorf("%q: %v, want %v", answer, got, want)
		}
	}
}

func TestBootstrap(t *testing.T) {
	var values []float64
	for i := range 200 {
		values = append(values, float64(i%2))
	}
	got := eval.Bootstrap(values, 7)
	near(t, "mean", got.Mean, 0.5)
	// The normal interval is 0.5 ± 1.96·0.5/√200 = 0.5 ± 0.069.
	if math.Abs(got.Low-0.431) > 0.012 || math.Abs(got.High-0.569) > 0.012 || got.N != 200 {
		t.Errorf("interval %+v", got)
	}
	if again := eval.Bootstrap(values, 7); again != got {
		t.Errorf("not repeatable: %+v, %+v", got, again)
	}
	if got := eval.Bootstrap([]float64{1, 1, 1}, 1); got != (eval.Interval{N: 3, Mean: 1, Low: 1, High: 1}) {
		t.Errorf("constant: %+v", got)
	}
	if got := eval.Bootstrap(nil, 1); got != (eval.Interval{}) {
		t.Errorf("none: %+v", got)
	}
}

func TestCompare(t *testing.T) {
	a, b := make([]float64, 100), make([]float64, 100)
	for i := range 20 {
		b[i] = 1
	}
	d := eval.Compare(a, b, 3)
	near(t, "difference", d.Mean, 0.2)
	if !d.Significant() || d.Low <= 0 || d.N != 100 {
		t.Errorf("20 gained of 100, none lost: %+v", d)
	}
	if again := eval.Compare(a, b, 3); again != d {
		t.Errorf("not repeatable: %+v, %+v", d, again)
	}
	for i := 20; i < 38; i++ {
		a[i] = 1
	}
	if d := eval.Compare(a, b, 3); d.Significant() {
		t.Errorf("20 gained, 18 lost: %+v", d)
	}
	if d := eval.Compare(a, a, 3); d.P != 1 || d.Significant() {
		t.Errorf("the same: %+v", d)
	}
	if d := eval.Compare(nil, nil, 3); d.P != 1 || d.Significant() {
		t.Errorf("nothing: %+v", d)
	}
	x, y := eval.Pair(map[string]float64{"q2": 1, "q1": 0, "only": 1}, map[string]float64{"q1": 0.5, "q2": 0.25})
	if !slices.Equal(x, []float64{0, 1}) || !slices.Equal(y, []float64{0.5, 0.25}) {
		t.Errorf("pairs %v %v", x, y)
	}
}

func TestXPathByHand(t *testing.T) {
	gold := []eval.XPathWanted{
		{ID: "q", Tree: "t", Kind: "k", Op: "read", Gold: []string{"a", "b"}, Acceptable: []string{"n"}, NeedsSemantics: true},
		{ID: "none", Tree: "t", Kind: "k", Op: "add", Gold: []string{"a"}},
	}
	results := []eval.XPathResult{
		{ID: "q", Nodes: []eval.XPathHit{{ID: "x", Weight: 0.5}, {ID: "n", Weight: 1}, {ID: "a", Weight: 0.9}, {ID: "b", Weight: 0.5}, {ID: "z"}}},
		{ID: "stranger"},
	}
	// Ranked: a, x, b, z; the tie of x and b keeps the order given.
	got, err := eval.ScoreXPath(gold, results, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := eval.Scores{"P@k": 0.5, "R@k": 0.5, "R@all": 1, "exact": 0, "exact@k": 0, "MRR": 1}
	if diff := cmp.Diff(want, got.PerQuestion["q"]); diff != "" {
		t.Error(diff)
	}
	if got.Missing != 1 || got.Unknown != 1 || got.Groups["all"].N != 2 || got.Groups["all"].Means["P@k"] != 0.25 {
		t.Errorf("%+v", got)
	}
	at := 0.9
	got, _ = eval.ScoreXPath([]eval.XPathWanted{{ID: "q", Gold: []string{"a"}}},
		[]eval.XPathResult{{ID: "q", Nodes: []eval.XPathHit{{ID: "x", Weight: 0.5}, {ID: "a", Weight: 0.9}}}}, &at)
	if got.PerQuestion["q"]["exact"] != 1 {
		t.Errorf("at the threshold: %+v", got)
	}
	for _, err := range []error{
		second(eval.ScoreXPath(gold, append(results, results[0]), nil)),
		second(eval.ScoreXPath([]eval.XPathWanted{{ID: "empty"}}, nil, nil)),
	} {
		if daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("error %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestStateByHand(t *testing.T) {
	q := eval.Question{ID: "q", Evidence: []string{"g"}, State: &eval.StateProbe{
		Kind: "current", Values: []string{"Pier Kestrel"}, StaleValues: []string{"Old Mill"}, LureValues: []string{"Gull Basin"},
		StaleEvidence: []string{"s"}, LureEvidence: []string{"l"},
	}}
	past := q
	past.State = &eval.StateProbe{Kind: "historical", Values: []string{"Old Mill"}, StaleValues: []string{"Pier Kestrel"}}
	tests := []struct {
		q      eval.Question
		answer string
		acc    float64
		leak   float64
	}{
		{q, "It is at the pier kestrel.", 1, 0},
		{q, "Old Mill", 0, 1},
		{q, "Pier Kestrel, previously Old Mill", 1, 0},
		{q, "Previously Pier Kestrel, Old Mill", 0, 1}, // "Old" in the name excuses nothing
		{q, "Pier Kestrel and Old Mill", 0, 1},
		{q, "It used to be Old Mill", 0, 1}, // no gold beside it
		{q, "not recorded, was Old Mill", 0, 0},
		{past, "Old Mill; now Pier Kestrel", 1, 0},
		{past, "Old Mill and Pier Kestrel", 0, 1},
	}
	for _, test := range tests {
		s := eval.JudgeState(test.q, eval.Result{Answer: test.answer}, 5)
		if s["answer_acc"] != test.acc || s["stale_leak"] != test.leak {
			t.Errorf("%s %q: acc %v leak %v", test.q.State.Kind, test.answer, s["answer_acc"], s["stale_leak"])
		}
	}
	s := eval.JudgeState(q, eval.Result{Answer: "Pier Kestrel", Abstain: true, Rows: []eval.Row{
		{ID: "l", Role: "quoted"}, {ID: "g", Role: "Current"}, {ID: "s", Role: "transition"},
	}}, 5)
	want := eval.Scores{
		"hit@1": 0, "hit@5": 1, "mrr@5": 0.5, "state_order": 1, "stale_in_top5": 1, "lure_order": 0,
		"stale_unlabelled": 1, "stale_unlabelled_given_present": 1, "lure_unlabelled": 0, "role_acc": 1,
		"over_abstention": 1, "answer_acc": 0, "answer_has_gold": 0, "stale_leak": 0, "lure_leak": 0,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestBankByHand(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2024, 1, d, 0, 0, 0, 0, time.UTC) }
	lines := []eval.Timeline{
		{Conversation: "0", Chain: "two", States: []eval.TimelineState{{Evidence: "a", ValidFrom: day(1), ValidTo: day(2)}, {Evidence: "b", ValidFrom: day(2)}}},
		{Conversation: "0", Chain: "two", States: []eval.TimelineState{{Evidence: "c", ValidFrom: day(1), ValidTo: day(2)}, {Evidence: "d", ValidFrom: day(2)}}},
		{Conversation: "0", Chain: "contested", States: []eval.TimelineState{{Evidence: "e"}, {Evidence: "f"}}},
	}
	bank := []eval.BankRow{
		{Conversation: "0", ID: "a", ValidTo: day(2).Add(time.Minute)}, {Conversation: "0", ID: "b"},
		{Conversation: "0", ID: "c", ValidTo: day(2).Add(61 * time.Second)}, {Conversation: "1", ID: "d"},
		{Conversation: "0", ID: "e"}, {Conversation: "0", ID: "f", ValidTo: day(3)},
	}
	want := map[string]eval.Rate{
		"all_states_stored": {N: 3, Rate: 0.6667}, "old_closed": {N: 2, Rate: 1}, "old_closed_at_right_time": {N: 2, Rate: 0.5},
		"current_left_open": {N: 1, Rate: 1}, "contested_both_open": {N: 2, Rate: 0.5},
	}
	if diff := cmp.Diff(want, eval.ScoreBank(lines, bank)); diff != "" {
		t.Error(diff)
	}
}

func TestRowsRoundTrip(t *testing.T) {
	results := []eval.Result{
		{ID: "q1", Rows: []eval.Row{{ID: "n1", Role: "current", Score: 0.5}}, Answer: "a <b> & c"},
		{ID: "q2", Rows: []eval.Row{}, Abstain: true},
	}
	var buf bytes.Buffer
	if err := eval.WriteResults(&buf, results); err != nil {
		t.Fatal(err)
	}
	const text = `{"id":"q1","rows":[{"id":"n1","role":"current","score":0.5}],"answer":"a <b> & c"}
{"id":"q2","rows":[],"answer":"","abstain":true}
`
	if diff := cmp.Diff(text, buf.String()); diff != "" {
		t.Error(diff)
	}
	back, err := eval.ReadResults(&buf)
	if diff := cmp.Diff(results, back); diff != "" || err != nil {
		t.Error(err, diff)
	}

	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	bank := []eval.BankRow{{Conversation: "0", ID: "n1", ValidFrom: at, ValidTo: at.Add(1500 * time.Microsecond)}, {Conversation: "c", ID: "n2", Role: "current"}}
	buf.Reset()
	if err := eval.WriteBank(&buf, bank); err != nil {
		t.Fatal(err)
	}
	const bankText = `{"conv":"0","id":"n1","valid_from":"2024-01-02T03:04:05Z","valid_to":"2024-01-02T03:04:05.001500Z"}
{"conv":"c","id":"n2","valid_to":null,"role":"current"}
`
	if diff := cmp.Diff(bankText, buf.String()); diff != "" {
		t.Error(diff)
	}
	backBank, err := eval.ReadBank(strings.NewReader(strings.Replace(bankText, `"0"`, `0`, 1)))
	if diff := cmp.Diff(bank, backBank); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, bad := range []string{`{"rows":[]}`, `{"id":1}`, "{\"id\":\"a\"}\n{", `[]`} {
		if _, err := eval.ReadResults(strings.NewReader(bad)); daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, bad := range []string{`{"id":"a"}`, `{"conv":1,"id":"a","valid_to":"soon"}`} {
		if _, err := eval.ReadBank(strings.NewReader(bad)); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
