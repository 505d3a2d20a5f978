package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook/eval"
)

func TestBenchSmoke(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "report.json")
	code, table, errOut := command(t, "", "bench", "smoke", "--cache", dir, "--out", out, "--dump", dir, "--misses", filepath.Join(dir, "misses.jsonl"), "--systems", "bm25,dense,hybrid,recent,ours")
	if code != 0 || !strings.Contains(table, "bm25 by category") || !strings.Contains(errOut, "no recall yet") {
		t.Fatalf("code %d\n%s%s", code, table, errOut)
	}
	report, err := readReport(out)
	if err != nil || len(report.Systems) != 4 || report.Questions != 12 {
		t.Fatalf("report: %+v, %v", report, err)
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
		{[]string{"bench", "smoke", "--systems", "magic"}, 2, "magic"},
		{[]string{"bench", "smoke", "--k", "0"}, 2, "--k"},
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
