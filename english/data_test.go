package english

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
)

// TestViewsOfGhost measures the views on a data set that no rule was written
// from. It never fails on a single template; it holds the share.
func TestViewsOfGhost(t *testing.T) {
	root := os.Getenv("DAYBOOK_DATA")
	if root == "" {
		t.Skip("SKIPPED: views are not measured; set DAYBOOK_DATA to the folder of the data sets")
	}
	f, err := os.Open(filepath.Join(root, "ghost", "dev", "probes.jsonl"))
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	defer f.Close()
	right, all := map[string]int{}, map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var probe struct{ Kind, Question string }
		if err := json.Unmarshal(lines.Bytes(), &probe); err != nil {
			t.Fatal(err)
		}
		all[probe.Kind]++
		if got := ReadQuestion(probe.Question).View; fitsKind(got, probe.Kind) {
			right[probe.Kind]++
		} else if testing.Verbose() {
			t.Logf("%s: %s is read as %s", probe.Kind, probe.Question, got)
		}
	}
	sum, n := 0, 0
	for kind := range all {
		t.Logf("%-16s %d of %d", kind, right[kind], all[kind])
		sum, n = sum+right[kind], n+all[kind]
	}
	t.Logf("%d of %d views right", sum, n)
	if sum < n*9/10 {
		t.Errorf("only %d of %d views are right", sum, n)
	}
}

func fitsKind(view daybook.View, kind string) bool {
	switch {
	case kind == "current":
		return view == daybook.Current
	case kind == "historical" || kind == "asof":
		return view == daybook.Historical
	case strings.HasPrefix(kind, "transition"):
		return view == daybook.Change
	}
	return view == daybook.Current || view == daybook.Neutral
}
