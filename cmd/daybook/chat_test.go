package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runs is what a command prints; it must succeed.
func runs(t *testing.T, in string, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(in), &out, &errOut); code != 0 {
		t.Fatalf("%q ends with code %d: %s", args, code, errOut.String())
	}
	return out.String()
}

// A chat begins a memory, learns from what is said, and answers what is asked; an
// answer can be traced.
func TestChat(t *testing.T) {
	t.Setenv("DAYBOOK_LLM_MODEL", "")
	t.Setenv("OPENAI_MODEL", "")
	home := filepath.Join(t.TempDir(), "home")
	said := runs(t, "My dentist is Dr. Weiss.\nI changed dentists, I go to Dr. Moreau now.\nWho is my dentist?\n\n", "chat", "--home", home, "--user", "ana")
	if !strings.Contains(said, "learned 1 fact") || !strings.Contains(said, "closes dentist Dr. Weiss") || !strings.Contains(said, "> Dr. Moreau\n") {
		t.Errorf("the chat says\n%s", said)
	}
	id := regexp.MustCompile(`ans_\w+`).FindString(said)
	if traced := runs(t, "", "trace", id, "--home", home, "--user", "ana"); !strings.Contains(traced, "Dr. Moreau") {
		t.Errorf("the trace of %q says\n%s", id, traced)
	}
	silent := runs(t, "My bank is Granite Trust.\n", "chat", "--no-keep", "--home", home, "--user", "ana")
	if notes := runs(t, "", "notes", "--home", home, "--user", "ana"); strings.Contains(notes, "Granite") {
		t.Errorf("--no-keep kept what was said: %s%s", silent, notes)
	}
}

// A file of questions is answered line by line, each with its own time.
func TestAskFile(t *testing.T) {
	t.Setenv("DAYBOOK_LLM_MODEL", "")
	t.Setenv("OPENAI_MODEL", "")
	home, questions := t.TempDir(), filepath.Join(t.TempDir(), "questions.jsonl")
	lines := `{"id":"q1","question":"Which bank does Ana use?"}
{"id":"q2","question":"Which bank does Ana use?","as_of":"2026-02-01"}
`
	if err := os.WriteFile(questions, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, "", "import", "../../examples/talk.jsonl", "--home", home)
	got := strings.Split(runs(t, "", "ask", "--questions", questions, "--home", home), "\n")
	if len(got) != 3 || !strings.Contains(got[0], `"id":"q1"`) || !strings.Contains(got[0], `"answer":"Cobalt Savings"`) || !strings.Contains(got[1], `"answer":"Granite Trust"`) {
		t.Errorf("the answers are\n%s", strings.Join(got, "\n"))
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if script := runs(t, "", "completion", shell); !strings.Contains(script, "recall") || !strings.Contains(script, "daybook") {
			t.Errorf("the script for %s is\n%s", shell, script)
		}
	}
}
