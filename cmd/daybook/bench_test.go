package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"daybook/eval"

	"github.com/google/go-cmp/cmp"
)

func TestBenchSmoke(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "report.json")
	code, table, errOut := command(t, "", "bench", "smoke", "--cache", dir, "--json", out, "--html", filepath.Join(dir, "report.html"), "--dump", dir, "--misses", filepath.Join(dir, "misses.jsonl"), "--systems", "bm25,dense,hybrid,recent,ours")
	if code != 0 || !strings.Contains(table, "bm25 by category") || !strings.Contains(table, "ours by category") {
		t.Fatalf("code %d\n%s%s", code, table, errOut)
	}
	report, err := readReport(out)
	if err != nil || len(report.Systems) != 5 || report.Questions != 12 {
		t.Fatalf("report: %+v, %v", report, err)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("page: %d bytes, %v", len(page), err)
	}
	f, err := os.Open(filepath.Join(dir, "bm25", "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	results, err := eval.ReadResults(f)
	if err != nil || len(results) != 12 {
		t.Errorf("%d results were dumped, %v", len(results), err)
	}
	code, compared, errOut := command(t, "", "bench", "compare", out, out, "--json")
	if code != 0 || !json.Valid([]byte(compared)) {
		t.Errorf("compare: code %d, %s%s", code, compared, errOut)
	}
}

func TestBenchMistakes(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"bench", "nothing", "--data", dir}, 3, "bench list"},
		{[]string{"bench", "locomo"}, 2, "--data"},
		{[]string{"bench", "locomo", "--data", filepath.Join(dir, "gone")}, 3, "gone"},
		{[]string{"bench", "locomo", "--data", empty}, 2, "empty.json"},
		{[]string{"bench", "sick", "--data", empty}, 2, "sick"},
		{[]string{"bench", "timex", "--data", empty}, 2, "empty.json"},
		{[]string{"bench", "anchors", "--data", empty}, 2, "empty.json"},
		{[]string{"bench", "timex", "--data", dir, "--html", "page"}, 2, "--html"},
		{[]string{"bench", "smoke", "--systems", "magic"}, 2, "magic"},
		{[]string{"bench", "smoke", "--without", "luck"}, 2, "there are learning, judges"},
		{[]string{"bench", "smoke", "--without", "links", "--systems", "bm25"}, 2, "--systems"},
		{[]string{"bench", "timex", "--data", dir, "--without", "links"}, 2, "--without"},
		{[]string{"bench", "smoke", "--k", "0"}, 2, "--k"},
		{[]string{"bench", "smoke", "--systems", "recent", "--no-cache", "--metrics", "luck"}, 2, "luck"},
		{[]string{"bench", "smoke", "--systems", "recent", "--no-cache", "--json", filepath.Join(dir, "no", "file")}, 5, "write the report"},
		{[]string{"bench", "smoke", "--systems", "recent", "--no-cache", "--html", filepath.Join(dir, "no", "file")}, 5, "write the page"},
		{[]string{"bench", "smoke", "--systems", "recent", "--no-cache", "--json", ""}, 2, "--json-file is empty"},
		{[]string{"bench", "smoke", "--systems", "recent", "--cache", empty}, 5, "cache of results"},
		{[]string{"bench", "compare", empty, empty}, 2, "empty.json"},
	} {
		code, _, errOut := command(t, "", c.args...)
		if code != c.code || !strings.Contains(errOut, c.says) {
			t.Errorf("%v: code %d, %q; want code %d and %q", c.args, code, errOut, c.code, c.says)
		}
	}
	if code, out, _ := command(t, "", "bench", "list", "--json"); code != 0 || !json.Valid([]byte(out)) {
		t.Errorf("list: code %d, %s", code, out)
	}
}

// --json takes a file where a data set is named, and is a plain flag otherwise.
func TestBenchJSONFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args   string
		file   string // that is written; "" for none
		stdout bool   // JSON on standard output
	}{
		{"bench smoke", "", false},
		{"bench smoke --json", "", true},
		{"bench --json smoke", "", true},
		{"--json bench smoke", "", true},
		{"bench smoke --json=true", "", true},
		{"bench smoke --json r1.json", "r1.json", false},
		{"bench --json r2.json smoke", "r2.json", false},
		{"bench run --json r3.json smoke", "r3.json", false},
		{"bench run --json smoke", "", true},
		{"bench smoke --seed 3 --json=r4.json", "r4.json", false},
		{"bench smoke --json r5.json --k 1,2", "r5.json", false},
		{"bench smoke --json-file r6.json --json", "r6.json", true},
		{"bench --seed 2 --json smoke", "", true},
		{"bench list --json", "", true},
		{"bench --json list", "", true},
		{"bench compare r1.json r2.json --json", "", true},
		{"bench compare --json r1.json r2.json", "", true},
	} {
		args := strings.Fields(c.args)
		if !strings.Contains(c.args, "list") && !strings.Contains(c.args, "compare") {
			args = append(args, "--systems", "recent", "--cache", "c")
		}
		code, out, errOut := command(t, "", args...)
		if code != 0 || json.Valid([]byte(out)) != c.stdout {
			t.Errorf("%s: code %d, %q %q", c.args, code, out, errOut)
		}
		if c.file != "" {
			if _, err := readReport(c.file); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
		}
	}
}

// Two runs of one command give the same report apart from times; the second asks
// nothing again.
func TestBenchCached(t *testing.T) {
	dir := t.TempDir()
	report := func(args ...string) *eval.Report {
		out := filepath.Join(dir, "report.json")
		code, _, errOut := command(t, "", append([]string{"bench", "smoke", "--cache", dir, "--systems", "bm25", "--json", out}, args...)...)
		r, err := readReport(out)
		if code != 0 || err != nil {
			t.Fatalf("code %d, %v, %s", code, err, errOut)
		}
		return r
	}
	first, second, none, limited := report(), report(), report("--no-cache"), report("--limit", "3")
	if first.Systems[0].Times.Cached != 0 || second.Systems[0].Times.Cached != 12 || none.Systems[0].Times.Cached != 0 || limited.Systems[0].Times.Cached != 3 {
		t.Errorf("cached: %d, %d, %d, %d", first.Systems[0].Times.Cached, second.Systems[0].Times.Cached, none.Systems[0].Times.Cached, limited.Systems[0].Times.Cached)
	}
	first.Systems[0].Times, second.Systems[0].Times, none.Systems[0].Times = eval.Times{}, eval.Times{}, eval.Times{}
	if diff := cmp.Diff(first, second) + cmp.Diff(first, none); diff != "" {
		t.Error(diff)
	}
	if first.Code == "" || first.Systems[0].TokensPerQuestion <= 0 {
		t.Errorf("code %q, %.1f tokens", first.Code, first.Systems[0].TokensPerQuestion)
	}
}

// What is measured without some parts has a name of its own, in the report and among the
// results that are kept, whatever the order in which they are given.
func TestBenchWithout(t *testing.T) {
	dir := t.TempDir()
	report := func(args ...string) eval.SystemReport {
		out := filepath.Join(dir, "report.json")
		code, _, errOut := command(t, "", append([]string{"bench", "smoke", "--cache", dir, "--systems", "ours", "--json", out}, args...)...)
		r, err := readReport(out)
		if code != 0 || err != nil {
			t.Fatalf("code %d, %v, %s", code, err, errOut)
		}
		return r.Systems[0]
	}
	full, less, again := report(), report("--without", "states,links"), report("--without", "links", "--without", "states")
	if full.Name != "ours" || less.Name != "ours without links, states" || again.Name != less.Name {
		t.Errorf("%q, %q, %q", full.Name, less.Name, again.Name)
	}
	if less.Times.Cached != 0 || again.Times.Cached != 12 {
		t.Errorf("cached: %d, %d", less.Times.Cached, again.Times.Cached)
	}
	if closed := full.Levels.Bank["old_closed"].Rate; closed <= less.Levels.Bank["old_closed"].Rate {
		t.Errorf("%.3f of what is over is closed, without links %.3f", closed, less.Levels.Bank["old_closed"].Rate)
	}
}

func TestBenchMetrics(t *testing.T) {
	code, out, errOut := command(t, "", "bench", "smoke", "--no-cache", "--systems", "bm25", "--k", "1,5", "--metrics", "any,all,ndcg,session,session mrr")
	if code != 0 {
		t.Fatalf("code %d, %s", code, errOut)
	}
	for _, want := range []string{"any@1", "all@5", "nDCG@5", "session-R@5", "session-MRR", "tokens/question", "peak MB", "95 % of any@5"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestProgressText(t *testing.T) {
	p := eval.Progress{System: "bm25", Conversation: 2, Conversations: 5, Total: 200}
	for _, c := range []struct {
		done, cached int
		took         time.Duration
		want         string
	}{
		{0, 0, time.Second, "bm25: 0 of 200 questions, 0 %, conversation 2 of 5"},
		{50, 50, time.Second, "bm25: 50 of 200 questions, 25 %, 50 cached, conversation 2 of 5"},
		{100, 50, 10 * time.Second, "bm25: 100 of 200 questions, 50 %, 50 cached, 5.0/s, 20s to go"},
		{200, 0, 2 * time.Second, "bm25: 200 of 200 questions, 100 %, 2s"},
	} {
		p.Done, p.Cached = c.done, c.cached
		if got := progressText(p, c.took); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if bar := progressBar(eval.Progress{Done: 1, Total: 2}); bar != strings.Repeat("█", 10)+strings.Repeat("░", 10) {
		t.Errorf("bar: %s", bar)
	}
	if bar := progressBar(eval.Progress{}); bar != strings.Repeat("█", 20) {
		t.Errorf("empty bar: %s", bar)
	}
}
