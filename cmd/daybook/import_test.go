package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
	"daybook/eval"
	"daybook/source"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What is imported is what the evaluation measures on: the same turns with the
// same texts, speakers and times. Only ids and sessions differ, which an import
// prefixes with the conversation.
func TestImportAgreesWithEval(t *testing.T) {
	for name, load := range map[string]func(string) (eval.Dataset, error){"locomo": eval.LoadLocomo, "longmemeval": eval.LoadLongMemEval} {
		paths := []string{filepath.Join("..", "..", "source", "testdata", name+".json")}
		if root := os.Getenv("DAYBOOK_DATA"); root != "" {
			more, err := filepath.Glob(filepath.Join(root, name, map[string]string{"locomo": "locomo_*.json", "longmemeval": "one_item.json"}[name]))
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, more...)
		} else {
			t.Logf("ONLY THE SAMPLE OF %s WAS COMPARED: set DAYBOOK_DATA to compare real data", name)
		}
		for _, path := range paths {
			d, err := load(path)
			if err != nil {
				t.Fatal(err)
			}
			compareImport(t, path, d)
		}
	}
}

func compareImport(t *testing.T, path string, d eval.Dataset) {
	t.Helper()
	var want, got []daybook.Note
	for _, c := range d.Conversations {
		for _, n := range c.Notes {
			n.SourceID = c.ID + "/" + n.SourceID
			want = append(want, n)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.Open(source.Input{Name: path, Data: strings.NewReader(string(data)), Size: int64(len(data))}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range s.Records() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Note)
	}
	byID := cmpopts.SortSlices(func(a, b daybook.Note) bool { return a.SourceID < b.SourceID })
	if diff := cmp.Diff(want, got, byID, cmpopts.IgnoreFields(daybook.Note{}, "ID", "Session")); diff != "" {
		t.Errorf("%s: %d notes in eval, %d imported: %.2000s", path, len(want), len(got), diff)
	}
}
