package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// played plays a stage in which a hundred things are done in each second.
func played(watches bool, seconds int) string {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &progress{t: terminal{err: &out, watches: watches}, now: func() time.Time { return clock }}
	for s := range seconds {
		p.show("learning", 100*s, 2000, "messages")
		clock = clock.Add(time.Second)
	}
	return out.String()
}

func TestProgressOnAPipe(t *testing.T) {
	if got := played(false, 5); got != "" {
		t.Errorf("short work says %q", got)
	}
	want := "learning:  25 %, 500 of 2000 messages, 100/s, 15 s left\nlearning:  50 %, 1000 of 2000 messages, 100/s, 10 s left\n"
	if got := played(false, 12); got != want {
		t.Errorf("it says\n%s", got)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	got := played(true, 11)
	if n := strings.Count(got, "\r"); n != 11 {
		t.Errorf("%d lines are drawn: %q", n, got)
	}
	if want := "\r\x1b[Klearning: [############············]  50 %, 1000 of 2000 messages, 100/s, 10 s left"; !strings.HasSuffix(got, want) {
		t.Errorf("it ends with %q", got)
	}
}

func TestShortly(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "1 min 30 s", 2*time.Hour + 5*time.Minute: "2 h 5 min"} {
		if got := shortly(d); got != want {
			t.Errorf("%v is %q", d, got)
		}
	}
}

func TestImportFolder(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# Boat\n\nThe hull is dry.\n", "deep/b.txt": "The mast is new.\n", "c.png": "\x89PNG", ".hidden.md": "secret\n", ".git/config.txt": "secret\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		putFile(t, path, text)
	}
	got := must(t, home, "import", dir, "--no-learn")
	if !strings.Contains(got, "2 notes added") || !strings.Contains(got, "left out 1: files of no format that can be read") {
		t.Errorf("it says\n%s", got)
	}
	if got := must(t, home, "notes"); strings.Contains(got, "secret") || !strings.Contains(got, "mast") {
		t.Errorf("notes:\n%s", got)
	}
	if got := must(t, home, "import", dir, "--no-learn"); !strings.Contains(got, "0 notes added, 2 known already") {
		t.Errorf("again:\n%s", got)
	}
	if code, out := daybookRun(t, home, "import", t.TempDir()); code != 3 || !strings.Contains(out, "has no file that can be read") {
		t.Errorf("an empty folder: exit %d, %s", code, out)
	}
}

func TestImportDryRun(t *testing.T) {
	home, file := filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "talk.jsonl")
	putFile(t, file, `{"time":"2026-01-01","speaker":"Ana","text":"one"}`+"\n"+`{"time":"2026-01-02","speaker":"Bo","text":"two"}`+"\n"+`{"text":}`+"\n")
	got := must(t, home, "import", "--dry-run", file)
	for _, want := range []string{"would add 2 messages in 2 sessions", "1 bad", "from 2026-01-01 00:00 to 2026-01-02 00:00; by Ana (1), Bo (1)", "nothing was written", "line 3"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("a dry run makes a home")
	}
}

// stopAfter is a context that is cancelled once an import has kept its first portion.
func stopAfter(t *testing.T, home string) context.Context {
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, out := daybookRun(t, home, "stats", "--json"); strings.Contains(out, `"commits": 1,`) || strings.Contains(out, `"commits": 2,`) {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	t.Cleanup(stop)
	return ctx
}

// An import that is interrupted says what is kept; run again it goes on, and the first
// question after it finds everything embedded.
func TestImportInterrupted(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "talk.jsonl")
	var text strings.Builder
	const messages = 4 * portion
	for i := range messages {
		fmt.Fprintf(&text, "{\"id\":\"m%d\",\"time\":\"2026-01-01T10:00:00Z\",\"speaker\":\"Ana\",\"text\":\"I keep box %d in the cellar of house %d.\"}\n", i, i, i%7)
	}
	putFile(t, file, text.String())
	t.Setenv("DAYBOOK_LEARN", "true")
	var out strings.Builder
	code := run(stopAfter(t, home), []string{"import", file, "--home", home}, strings.NewReader(""), &out, &out)
	var kept, of int
	if _, err := fmt.Sscanf(out.String()[strings.Index(out.String(), "interrupted"):], "interrupted: %d of %d messages are kept", &kept, &of); err != nil || code != 5 || of != messages || kept == 0 || kept == messages {
		t.Fatalf("exit %d, %v: %s", code, err, out.String())
	}
	if got := strings.Count(must(t, home, "notes", "--limit", "100000"), "cellar"); got != kept {
		t.Errorf("%d are said to be kept, and %d are", kept, got)
	}
	got := must(t, home, "import", file)
	if !strings.Contains(got, fmt.Sprintf("%d known already", kept)) {
		t.Errorf("again:\n%s", got)
	}
	if got := must(t, home, "embed"); !strings.Contains(got, fmt.Sprintf("%d vectors", messages)) {
		t.Errorf("vectors: %s", got)
	}
}

func TestMistyped(t *testing.T) {
	for typed, want := range map[string]string{
		"get m1": "'daybook show' does that here", "search tea": "'daybook recall' does that here", "rm m1": "'daybook forget' does that here",
		"list": "'daybook notes' does that here", "init": "nothing has to be set up", "recal tea": "perhaps 'daybook recall' is meant",
		"improt x": "perhaps 'daybook import' is meant", "xyzzy": "there is no command xyzzy; see 'daybook --help'",
		"recall tea --limit 3": "there is no flag --limit; here it is -k", "serve --port 80": "here it is --addr 127.0.0.1:PORT",
	} {
		if code, out := daybookRun(t, t.TempDir(), strings.Fields(typed)...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s", typed, code, out)
		}
	}
	for name := range elsewhere {
		if commandLine(t, []string{name}) == nil {
			t.Errorf("%s is a command of ours", name)
		}
	}
	for _, here := range elsewhere {
		if err := commandLine(t, []string{here, "--help"}); err != nil && strings.Contains(err.Error(), "unexpected argument") {
			t.Errorf("there is no command %s: %v", here, err)
		}
	}
}

func TestChatCommands(t *testing.T) {
	home := t.TempDir()
	got := runs(t, "/help\nI like tea.\n/nonsense\nquit\nI like cocoa.\n", "chat", "--home", home, "--no-learn")
	for _, want := range []string{"/quit           ends the chat", "there is no command /nonsense"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if notes := must(t, home, "notes"); strings.Count(notes, "note_") != 1 || !strings.Contains(notes, "tea") {
		t.Errorf("kept:\n%s", notes)
	}
}
