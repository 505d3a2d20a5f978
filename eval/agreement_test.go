package eval_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook/eval"
)

// The metrics must give the numbers of the data sets' own scorers: on a small set
// of ours whose numbers are committed, and, where DAYBOOK_DATA names the folder
// of the data sets and python3 is there, on results that are made here and scored
// by both.

func TestScoresAgreeGolden(t *testing.T) {
	dir := "testdata/score"
	questions, timelines := probesIn(t, dir), timelinesIn(t, dir)
	results := must(eval.ReadResults(bytes.NewReader(readFile(t, dir, "results.jsonl"))))
	bank := must(eval.ReadBank(bytes.NewReader(readFile(t, dir, "bank.jsonl"))))
	report := eval.ScoreStates(questions, results, 5)
	n := sameNumbers(t, stateNumbers(report, eval.ScoreBank(timelines, bank)), numbers(t, readFile(t, dir, "state.golden.json")), 0)
	n += sameNumbers(t, questionNumbers(report), numbers(t, readFile(t, dir, "questions.golden.json")), 0)

	gold, at := xpathGoldIn(t, filepath.Join(dir, "xpath_gold.jsonl")), 0.3
	var nodes []eval.XPathResult
	eachLine(t, filepath.Join(dir, "xpath_results.jsonl"), func(r eval.XPathResult) { nodes = append(nodes, r) })
	n += sameNumbers(t, xpathNumbers(must(eval.ScoreXPath(gold, nodes, nil))), numbers(t, readFile(t, dir, "xpath.golden.json")), 0)
	n += sameNumbers(t, xpathNumbers(must(eval.ScoreXPath(gold, nodes, &at))), numbers(t, readFile(t, dir, "xpath_threshold.golden.json")), 0)
	t.Logf("%d numbers agree", n)
}

func TestScoresAgreeGhost(t *testing.T) {
	data, _ := scorers(t)
	for _, name := range []string{"smoke", "dev"} {
		dir := filepath.Join(data, "ghost", name)
		questions, timelines := probesIn(t, dir), timelinesIn(t, dir)
		byID := turnsIn(t, dir)
		systems := map[string]func(ghostProbe) eval.Result{
			"oracle": oracle, "swapped": swapped, "verbose": verbose, "anti": anti, "random": randomRows(4, byID), "bm25": bm25(byID),
			"scrambled1": scrambled(1, byID), "scrambled2": scrambled(2, byID), "scrambled3": scrambled(3, byID),
		}
		banks := map[string][]eval.BankRow{"kept": goldBank(timelines), "append": appendBank(timelines), "noisy": noisyBank(timelines)}
		for i, system := range slices.Sorted(maps.Keys(systems)) {
			bank := slices.Sorted(maps.Keys(banks))[i%3]
			t.Run(name+"/"+system+"+"+bank, func(t *testing.T) {
				var results []eval.Result
				for _, p := range rawProbesIn(t, dir) {
					results = append(results, systems[system](p))
				}
				agreeGhost(t, data, dir, questions, timelines, results, banks[bank])
			})
		}
	}
}

// agreeGhost scores with both, as printed and question by question.
func agreeGhost(t *testing.T, data, dir string, questions []eval.Question, timelines []eval.Timeline, results []eval.Result, bank []eval.BankRow) {
	tmp := t.TempDir()
	resultsFile, bankFile := filepath.Join(tmp, "results.jsonl"), filepath.Join(tmp, "bank.jsonl")
	writeFile(t, resultsFile, func(b *bytes.Buffer) error { return eval.WriteResults(b, results) })
	writeFile(t, bankFile, func(b *bytes.Buffer) error { return eval.WriteBank(b, bank) })
	results = must(eval.ReadResults(bytes.NewReader(readFile(t, resultsFile))))
	bank = must(eval.ReadBank(bytes.NewReader(readFile(t, bankFile))))

	k := 5
	probes, script := filepath.Join(dir, "probes.jsonl"), filepath.Join(data, "ghost", "score.py")
	printed := python(t, script, "--probes", probes, "--results", resultsFile,
		"--states", filepath.Join(dir, "states.jsonl"), "--bank", bankFile, "-k", fmt.Sprint(k))
	report := eval.ScoreStates(questions, results, k)
	n := sameNumbers(t, stateNumbers(report, eval.ScoreBank(timelines, bank)), numbers(t, printed), 0)

	each := python(t, "-c", `import sys, json; sys.path.insert(0, sys.argv[1]); import score
print(json.dumps(score.score(score.rd(sys.argv[2]), score.rd(sys.argv[3]), 5)[1]))`, filepath.Dir(script), probes, resultsFile)
	m := sameNumbers(t, questionNumbers(report), numbers(t, each), 0)
	all := report.Kinds["ALL"].Means
	t.Logf("%d numbers as printed and %d per question agree; answer_acc %.4f, state_order %.4f, stale_leak %.4f",
		n, m, all["answer_acc"], all["state_order"], all["stale_leak"])
}

func TestScoresAgreeXPath(t *testing.T) {
	data, exact := scorers(t)
	tolerance := 0.0
	if !exact {
		tolerance = 1e-12 // since 3.12 Python's sum corrects its rounding
	}
	for _, name := range []string{"requests.jsonl", "multiturn.jsonl"} {
		file := filepath.Join(data, "semantic_xpath", name)
		gold := xpathGoldIn(t, file)
		for system, nodes := range xpathSystems(gold) {
			for _, threshold := range []float64{-1, 0.5} {
				t.Run(fmt.Sprintf("%s/%s/%v", name, system, threshold), func(t *testing.T) {
					resultsFile := filepath.Join(t.TempDir(), "results.jsonl")
					writeFile(t, resultsFile, func(b *bytes.Buffer) error { return eval.WriteXPathResults(b, nodes) })
					args, at := []string{filepath.Join(data, "semantic_xpath", "score.py"), file, resultsFile, "--json"}, (*float64)(nil)
					if threshold >= 0 {
						args, at = append(args, "--threshold", fmt.Sprint(threshold)), &threshold
					}
					report := must(eval.ScoreXPath(gold, nodes, at))
					n := sameNumbers(t, xpathNumbers(report), numbers(t, python(t, args...)), tolerance)
					t.Logf("%d numbers agree; P@k %.4f", n, report.Groups["all"].Means["P@k"])
				})
			}
		}
	}
}

// TestSetF1AgreesWithTRACE holds SetF1 against the F1 that TRACE published with
// its predictions.
func TestSetF1AgreesWithTRACE(t *testing.T) {
	data, _ := scorers(t)
	n := 0
	eachLine(t, filepath.Join(data, "trace", "stress_dev.jsonl"), func(r struct {
		ID         string
		Prediction string  `json:"trace_prediction"`
		Current    string  `json:"current_valid_answer"`
		F1         float64 `json:"trace_f1_valid"`
	}) {
		n++
		near(t, r.ID, eval.SetF1(r.Prediction, r.Current), r.F1)
	})
	t.Logf("%d F1 agree", n)
}

// scorers returns the folder of the data sets, and whether Python adds as Go does.
func scorers(t *testing.T) (data string, exact bool) {
	t.Helper()
	data = os.Getenv("DAYBOOK_DATA")
	if data == "" {
		t.Skip("SKIPPED: agreement with score.py is not checked; set DAYBOOK_DATA to the folder of the data sets")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: agreement with score.py is not checked; python3 is not installed")
	}
	return data, string(python(t, "-c", "import sys; print(sys.version_info < (3, 12), end='')")) == "True"
}

// The data as the files have it.

type ghostProbe struct {
	ID         string
	Conv       json.RawMessage
	Kind       string
	Question   string
	Gold       json.RawMessage `json:"gold_value"`
	Evidence   []string        `json:"gold_evidence"`
	Stale      []string        `json:"stale_values"`
	StaleIDs   []string        `json:"stale_evidence"`
	Lures      []string        `json:"lure_values"`
	LureIDs    []string        `json:"lure_evidence"`
	Difficulty struct {
		Level   string
		NewKind string `json:"new_kind"`
		Chain   string
	}
}

func (p ghostProbe) values() []string {
	var many []string
	var single *string
	if json.Unmarshal(p.Gold, &many) == nil {
		return many
	}
	if json.Unmarshal(p.Gold, &single) == nil && single != nil {
		return []string{*single}
	}
	return nil
}

func rawProbesIn(t *testing.T, dir string) (probes []ghostProbe) {
	eachLine(t, filepath.Join(dir, "probes.jsonl"), func(p ghostProbe) { probes = append(probes, p) })
	return probes
}

func probesIn(t *testing.T, dir string) (questions []eval.Question) {
	for _, p := range rawProbesIn(t, dir) {
		questions = append(questions, eval.Question{ID: p.ID, Text: p.Question, Evidence: p.Evidence, State: &eval.StateProbe{
			Kind: p.Kind, Values: p.values(), StaleValues: p.Stale, StaleEvidence: p.StaleIDs, LureValues: p.Lures, LureEvidence: p.LureIDs,
			NewKind: p.Difficulty.NewKind, Chain: p.Difficulty.Chain, Level: p.Difficulty.Level,
		}})
	}
	return questions
}

func timelinesIn(t *testing.T, dir string) (timelines []eval.Timeline) {
	eachLine(t, filepath.Join(dir, "states.jsonl"), func(s struct {
		Conv   json.RawMessage
		Chain  string
		States []struct {
			Evidence string
			From     time.Time `json:"valid_from"`
			To       time.Time `json:"valid_to"`
		}
	}) {
		line := eval.Timeline{Conversation: strings.Trim(string(s.Conv), `"`), Chain: s.Chain}
		for _, x := range s.States {
			line.States = append(line.States, eval.TimelineState{Evidence: x.Evidence, ValidFrom: x.From, ValidTo: x.To})
		}
		timelines = append(timelines, line)
	})
	return timelines
}

type turn struct{ ID, Text string }

func turnsIn(t *testing.T, dir string) map[string][]turn {
	turns := map[string][]turn{}
	for _, file := range must(filepath.Glob(filepath.Join(dir, "conv*.turns.jsonl"))) {
		conv := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".turns.jsonl"), "conv")
		eachLine(t, file, func(x turn) { turns[conv] = append(turns[conv], x) })
	}
	return turns
}

func xpathGoldIn(t *testing.T, file string) (gold []eval.XPathWanted) {
	type request struct {
		eval.XPathWanted
		Needs bool `json:"needs_semantics"`
		N     int
	}
	eachLine(t, file, func(r struct {
		request
		Turns []request
	}) {
		r.NeedsSemantics = r.Needs
		if r.Turns == nil {
			gold = append(gold, r.XPathWanted)
		}
		for _, turn := range r.Turns {
			g := turn.XPathWanted
			g.ID, g.Tree, g.NeedsSemantics = fmt.Sprintf("%s#%d", r.ID, turn.N), r.Tree, turn.Needs
			gold = append(gold, g)
		}
	})
	return gold
}

// Systems, from the best to nonsense.

func rows(role string, ids []string) (out []eval.Row) {
	for i, id := range ids {
		out = append(out, eval.Row{ID: id, Role: role, Score: 1 / float64(i+1)})
	}
	return out
}

func rightRole(p ghostProbe) string {
	switch p.Kind {
	case "historical", "asof":
		return "superseded"
	case "contested":
		return "contested"
	}
	return "current"
}

func oracle(p ghostProbe) eval.Result {
	return eval.Result{ID: p.ID, Answer: strings.Join(p.values(), " and "), Abstain: p.Kind == "absent",
		Rows: append(rows(rightRole(p), p.Evidence), rows("stale", slices.Concat(p.StaleIDs, p.LureIDs))...)}
}

// bothStates names the right state and the first stale one, the stale one marked.
func bothStates(p ghostProbe, right, stale string) eval.Result {
	r := oracle(p)
	if len(p.Stale) == 0 || !slices.Contains([]string{"current", "historical", "asof"}, p.Kind) {
		return r
	}
	was, is := right, stale
	if p.Kind == "current" {
		was, is = stale, right
	}
	r.Answer = fmt.Sprintf("Previously %s; now %s.", was, is)
	return r
}

func verbose(p ghostProbe) eval.Result {
	return bothStates(p, strings.Join(p.values(), ""), strings.Join(p.Stale[:min(1, len(p.Stale))], ""))
}

func swapped(p ghostProbe) eval.Result {
	return bothStates(p, strings.Join(p.Stale[:min(1, len(p.Stale))], ""), strings.Join(p.values(), ""))
}

func anti(p ghostProbe) eval.Result {
	return eval.Result{ID: p.ID, Answer: strings.Join(append(p.Stale, p.Lures...), ", "),
		Rows: append(rows("current", slices.Concat(p.StaleIDs, p.LureIDs)), rows("stale", p.Evidence)...)}
}

func randomRows(seed uint64, turns map[string][]turn) func(ghostProbe) eval.Result {
	rng := rand.New(rand.NewPCG(seed, 2))
	roles := []string{"", "current", "Superseded ", "transition", "contested", "planned"}
	return func(p ghostProbe) eval.Result {
		r := eval.Result{ID: p.ID, Abstain: rng.IntN(9) == 0}
		pool := slices.Concat(p.Evidence, p.StaleIDs, p.LureIDs)
		for _, x := range turns[strings.Trim(string(p.Conv), `"`)][:5] {
			pool = append(pool, x.ID)
		}
		for range rng.IntN(9) {
			r.Rows = append(r.Rows, eval.Row{ID: pool[rng.IntN(len(pool))], Role: roles[rng.IntN(len(roles))]})
		}
		if words := slices.Concat(p.values(), p.Stale, p.Lures); len(words) > 0 {
			r.Answer = words[rng.IntN(len(words))]
		}
		return r
	}
}

// bm25 ranks the turns of the conversation and answers with the first.
func bm25(conversations map[string][]turn) func(ghostProbe) eval.Result {
	indexes := map[string]*wordIndex{}
	for name, turns := range conversations {
		indexes[name] = newWordIndex(turns)
	}
	return func(p ghostProbe) eval.Result {
		x := indexes[strings.Trim(string(p.Conv), `"`)]
		ranked := x.rank(eval.AnswerTokens(p.Question))
		at := slices.IndexFunc(x.turns, func(t turn) bool { return t.ID == ranked[0].ID })
		return eval.Result{ID: p.ID, Rows: ranked[:10], Answer: x.turns[at].Text}
	}
}

type wordIndex struct {
	turns []turn
	words []map[string]float64 // of each turn
	sizes []float64
	in    map[string]float64 // turns that have the word
	mean  float64            // size
}

func newWordIndex(turns []turn) *wordIndex {
	x := &wordIndex{turns: turns, in: map[string]float64{}}
	for _, t := range turns {
		words, tokens := map[string]float64{}, eval.AnswerTokens(t.Text)
		for _, w := range tokens {
			words[w]++
		}
		for w := range words {
			x.in[w]++
		}
		x.words, x.sizes = append(x.words, words), append(x.sizes, float64(len(tokens)))
		x.mean += float64(len(tokens)) / float64(len(turns))
	}
	return x
}

func (x *wordIndex) rank(query []string) []eval.Row {
	ranked := make([]eval.Row, len(x.turns))
	for i, t := range x.turns {
		ranked[i].ID = t.ID
		for _, w := range query {
			idf, tf := math.Log(1+(float64(len(x.turns))-x.in[w]+0.5)/(x.in[w]+0.5)), x.words[i][w]
			ranked[i].Score += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*x.sizes[i]/x.mean))
		}
	}
	slices.SortStableFunc(ranked, func(a, b eval.Row) int { return cmp.Compare(b.Score, a.Score) })
	return ranked
}

// scrambled answers in pieces that the rules of the scorer turn on: values cut and
// cased anew, marks, ends of clauses, dates, letters beyond ASCII.
func scrambled(seed uint64, turns map[string][]turn) func(ghostProbe) eval.Result {
	rng, ranked := rand.New(rand.NewPCG(seed, 1)), randomRows(seed, turns)
	pieces := strings.Split("was|used to|previously|now|Now|not|isn't|don’t know|don't know|no information|unknown|but|then|both|unclear|conflicting|until|"+
		"replaced|replacé|éwas|wasé|_now|ſince|unKnown|İnstead of|ınitially|the|a|two|7|seven|1,250|20 %|percent|"+
		", |; |. |.|! |? |\n|\u2028|\u00a0|\x1c| - | — | -> |->|→|(|)|Dr. |xDr. |Mrs. |No. |St.|St! |'s|’s|½|²|٣,٤|ﬁ|_|-|,|/|"+
		"July|Jul|9th|9|of|2024|, 2024|2023|May|was not|moved to|instead of|from|cannot say|did not mention|nothing about", "|")
	return func(p ghostProbe) eval.Result {
		r := ranked(p)
		pool := slices.Concat(p.values(), p.values(), p.Stale, p.Lures)
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			piece := pieces[rng.IntN(len(pieces))]
			if len(pool) > 0 && rng.IntN(2) == 0 {
				piece = mangled(rng, pool[rng.IntN(len(pool))])
			}
			b.WriteString(piece)
			if rng.IntN(4) > 0 {
				b.WriteByte(' ')
			}
		}
		r.Answer, r.Abstain = b.String(), rng.IntN(20) == 0
		return r
	}
}

func mangled(rng *rand.Rand, value string) string {
	fields := strings.Fields(value)
	switch rng.IntN(9) {
	case 0:
		return strings.ToUpper(value)
	case 1:
		return strings.ReplaceAll(value, " ", ", ")
	case 2:
		return value + "s"
	case 3:
		slices.Reverse(fields)
		return strings.Join(fields, " ")
	case 4:
		if d, err := time.Parse("2 January 2006", value); err == nil {
			layouts := []string{"January 2, 2006", "Jan. 2 2006", "2nd of January, 2006", "2006-01-02", "01/02/2006", "2 Jan", "January 2", "2January 2006", "12 January 2006"}
			return d.Format(layouts[rng.IntN(len(layouts))])
		}
		return fields[rng.IntN(len(fields))]
	case 5:
		return strings.ReplaceAll(strings.ReplaceAll(value, "i", "İ"), "s", "ſ")
	}
	return value
}

func goldBank(timelines []eval.Timeline) (bank []eval.BankRow) {
	for _, t := range timelines {
		for _, s := range t.States {
			bank = append(bank, eval.BankRow{Conversation: t.Conversation, ID: s.Evidence, ValidFrom: s.ValidFrom, ValidTo: s.ValidTo})
		}
	}
	return bank
}

func appendBank(timelines []eval.Timeline) []eval.BankRow {
	bank := goldBank(timelines)
	for i := range bank {
		bank[i].ValidTo = time.Time{}
	}
	return bank
}

func noisyBank(timelines []eval.Timeline) (bank []eval.BankRow) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, row := range goldBank(timelines) {
		switch rng.IntN(5) {
		case 0:
			continue
		case 1:
			row.ValidTo = row.ValidFrom.Add(time.Hour)
		case 2:
			row.ValidTo = time.Time{}
		case 3:
			if !row.ValidTo.IsZero() {
				row.ValidTo = row.ValidTo.Add(time.Duration(rng.IntN(121)-60) * time.Second).Add(time.Duration(rng.IntN(3)) * time.Microsecond)
			}
		}
		bank = append(bank, row)
	}
	return bank
}

func xpathSystems(gold []eval.XPathWanted) map[string][]eval.XPathResult {
	rng := rand.New(rand.NewPCG(5, 5))
	systems := map[string][]eval.XPathResult{}
	for i, g := range gold {
		other := gold[(i+1)%len(gold)]
		perfect := eval.XPathResult{ID: g.ID}
		for _, id := range g.Gold {
			perfect.Nodes = append(perfect.Nodes, eval.XPathHit{ID: id, Weight: 0.75})
		}
		random := eval.XPathResult{ID: g.ID}
		for _, id := range slices.Concat(g.Gold, g.Acceptable, other.Gold, g.Gold[:1], []string{"x", "y", "z"}) {
			if rng.IntN(4) > 0 {
				random.Nodes = append(random.Nodes, eval.XPathHit{ID: id, Weight: float64(rng.IntN(6)) / 5})
			}
		}
		rng.Shuffle(len(random.Nodes), func(a, b int) { random.Nodes[a], random.Nodes[b] = random.Nodes[b], random.Nodes[a] })
		systems["oracle"] = append(systems["oracle"], perfect)
		systems["anti"] = append(systems["anti"], eval.XPathResult{ID: g.ID, Nodes: []eval.XPathHit{{ID: "none", Weight: 1}}})
		if rng.IntN(8) > 0 {
			systems["random"] = append(systems["random"], random)
		}
	}
	return systems
}

// Numbers by path, such as "by_kind/current/hit@1".

func stateNumbers(report eval.StateReport, bank map[string]eval.Rate) map[string]float64 {
	out := map[string]float64{"missing_results": float64(report.Missing)}
	for name, groups := range map[string]map[string]eval.Aggregate{"by_kind": report.Kinds, "slices": report.Slices} {
		for group, a := range groups {
			out[name+"/"+group+"/n"] = float64(a.N)
			flatten(out, name+"/"+group, a.Means)
		}
	}
	for name, r := range bank {
		out["bank/"+name+"/n"], out["bank/"+name+"/rate"] = float64(r.N), r.Rate
	}
	return out
}

func questionNumbers(report eval.StateReport) map[string]float64 {
	out := map[string]float64{}
	for id, s := range report.PerQuestion {
		flatten(out, id, s)
	}
	return out
}

func xpathNumbers(report eval.XPathReport) map[string]float64 {
	out := map[string]float64{}
	for group, a := range report.Groups {
		out[group+"/n"] = float64(a.N)
		flatten(out, group, a.Means)
	}
	return out
}

func flatten(into map[string]float64, path string, s eval.Scores) {
	for name, v := range s {
		into[path+"/"+name] = v
	}
}

func numbers(t *testing.T, data []byte) map[string]float64 {
	t.Helper()
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	out := map[string]float64{}
	var walk func(path string, x any)
	walk = func(path string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for name, y := range x {
				walk(strings.TrimPrefix(path+"/"+name, "/"), y)
			}
		case float64:
			out[path] = x
		default:
			t.Fatalf("%s is %v", path, x)
		}
	}
	walk("", tree)
	return out
}

func sameNumbers(t *testing.T, got, want map[string]float64, tolerance float64) int {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[name]; !ok || math.Abs(g-want[name]) > tolerance {
			t.Errorf("%s: %v (%v), the scorer says %v", name, g, ok, want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %v, the scorer has no such number", name, got[name])
		}
	}
	if len(want) == 0 {
		t.Error("the scorer gave no numbers")
	}
	return len(want)
}

func python(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("python3", append([]string{"-B"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3 %v: %v\n%s", args, err, &stderr)
	}
	return out
}

func eachLine[T any](t *testing.T, file string, do func(T)) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(readFile(t, file)))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		do(row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, path string, write func(*bytes.Buffer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
