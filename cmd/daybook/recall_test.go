package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of questions gives one JSON line for each, with its id.
func TestRecallQuestions(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if code := run(t.Context(), append([]string{"--home", dir}, args...), strings.NewReader(""), &out, &errOut); code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errOut.String())
		}
		return out.String()
	}
	run("add", "We named the cat Miso", "--speaker", "Ana", "--id", "m1", "--session", "s", "--time", "2026-01-02")
	run("add", "I painted the fence green", "--speaker", "Bo", "--id", "m2", "--session", "s", "--time", "2026-01-03")
	file := filepath.Join(dir, "questions.jsonl")
	lines := `{"id":"q1","question":"What is the name of Ana's cat?"}` + "\n\n" + `{"id":"q2","question":"Who painted the fence?"}` + "\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(run("recall", "--questions", file, "--explain", "-k", "1")))
	for _, want := range []struct{ id, source string }{{"q1", "m1"}, {"q2", "m2"}} {
		var got map[string]any
		if err := dec.Decode(&got); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"view", "shape", "paths", "tokens", "commit", "took_ms"} {
			if _, ok := got[key]; !ok {
				t.Errorf("no %q in %v", key, got)
			}
		}
		row := got["rows"].([]any)[0].(map[string]any)
		for _, key := range []string{"note", "text", "speaker", "time", "session", "role", "score", "explain"} {
			if _, ok := row[key]; !ok {
				t.Errorf("no %q in row %v", key, row)
			}
		}
		if got["id"] != want.id || row["source_id"] != want.source {
			t.Errorf("question %v found %v, want %v", got["id"], row["source_id"], want)
		}
	}
	if dec.More() {
		t.Error("more lines than questions")
	}
}
