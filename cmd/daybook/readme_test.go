package main

import (
	"bytes"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var recorded = regexp.MustCompile("(?s)```console\n(.*?)```")

// What the README shows of Daybook is what Daybook prints: its console blocks are run
// one after the other in one new home, from the folder of the repository. Ids differ
// each time. go test -update writes anew what they print.
func TestReadmeRuns(t *testing.T) {
	t.Setenv("DAYBOOK_LLM_MODEL", "")
	t.Setenv("OPENAI_MODEL", "")
	const path = "README.md"
	t.Chdir("../..")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	home, blocks := t.TempDir(), 0
	got := recorded.ReplaceAllStringFunc(string(text), func(block string) string {
		blocks++
		return "```console\n" + record(t, home, recorded.FindStringSubmatch(block)[1]) + "```"
	})
	if blocks == 0 {
		t.Fatal("the README has no console block")
	}
	diff := cmp.Diff(mask(string(text)), mask(got))
	switch {
	case diff == "":
	case *update:
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README says something else (-README +now):\n%s", diff)
	}
}

var figures = regexp.MustCompile(`\d\.\d\d\b`)

// mask hides what is another each time, ids, and what each fit of the weights changes.
func mask(s string) string { return figures.ReplaceAllString(ids.ReplaceAllString(s, "ID"), "0.00") }

var drawn = regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)

// The picture in the README is of what the demo prints. 'make picture' draws it anew.
func TestReadmePicture(t *testing.T) {
	picture, err := os.ReadFile("../../docs/demo.svg")
	if err != nil {
		t.Fatal(err)
	}
	var shows strings.Builder
	for _, m := range drawn.FindAllStringSubmatch(string(picture), -1) {
		shows.WriteString(html.UnescapeString(m[1]) + " ")
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"demo"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("the demo ends with code %d: %s", code, out.String())
	}
	words := func(s string) string { return strings.Join(strings.Fields(mask(s)), " ") }
	if got := words(shows.String()); len(got) < 500 || !strings.HasPrefix(words(out.String()), got) {
		t.Errorf("'make picture' draws another picture now: the demo prints\n%s", out.String())
	}
}

// record runs the commands of a block and returns them with what they print.
func record(t *testing.T, home, block string) string {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var all []string
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ daybook ")
		if !ok {
			continue
		}
		var out bytes.Buffer
		a := &app{ctx: t.Context(), terminal: newTerminal(strings.NewReader(""), &out, &out), now: func() time.Time { return now }}
		if code := runApp(a, append([]string{"--home", home}, splitArgs(command)...)); code != 0 {
			t.Errorf("%s ends with code %d", strings.TrimSpace(line), code)
		}
		all = append(all, line+out.String())
	}
	return strings.Join(all, "\n")
}
