package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Homes that older commits made, named by them, are read and written as they are: three
// messages, and two facts of which one closes the other.
func TestOlderHomes(t *testing.T) {
	older, err := filepath.Glob("testdata/older/*.db.gz")
	if err != nil || len(older) == 0 {
		t.Fatalf("no older homes: %v", err)
	}
	for _, file := range older {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".db.gz"), func(t *testing.T) {
			home := t.TempDir()
			unpack(t, file, filepath.Join(home, "daybook.db"))
			if out := must(t, home, "facts", "--as-of", "2023-06"); !strings.Contains(out, "Rome") {
				t.Errorf("in 2023: %s", out)
			}
			if out := must(t, home, "facts"); !strings.Contains(out, "Oslo") || strings.Contains(out, "Rome") {
				t.Errorf("now: %s", out)
			}
			if out := must(t, home, "recall", "Who is my dentist?"); !strings.Contains(out, "Dr. Moreau") || !strings.Contains(out, "Dr. Weiss") {
				t.Errorf("recall: %s", out)
			}
			must(t, home, "add", "My landlord is Mr. Yamada.")
			if out := must(t, home, "ask", "Who is my landlord?"); !strings.Contains(out, "Yamada") {
				t.Errorf("ask: %s", out)
			}
			must(t, home, "check")
			must(t, home, "forget", "m3", "--yes")
			must(t, home, "check")
		})
	}
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
