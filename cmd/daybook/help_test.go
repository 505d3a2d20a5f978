package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// commandLine parses a command line without running it, and returns what is wrong
// with it.
func commandLine(t *testing.T, args []string) error {
	t.Helper()
	var c cli
	parser, err := kong.New(&c, kong.Name("daybook"), kong.Exit(func(int) {}), kong.Writers(&bytes.Buffer{}, &bytes.Buffer{}),
		kong.Vars{"home": "/home", "limit": "1", "threshold": "1", "parts": "none"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(benchJSON(parser, args))
	return err
}

var shellEnd = regexp.MustCompile(` (<|>|\||;|&&) .*`)

// typed is what somebody types of a line: without what is piped, and without the
// remark that stands behind two blanks.
func typed(line string) []string {
	line = shellEnd.ReplaceAllString(line, "")
	quote := rune(0)
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case strings.HasPrefix(line[i:], "  "):
			return splitArgs(line[:i])
		}
	}
	return splitArgs(line)
}

// Every command has an example in its help, and every example can be typed.
func TestHelpHasExamples(t *testing.T) {
	var c cli
	parser, err := kong.New(&c, kong.Name("daybook"), kong.Vars{"home": "/home", "limit": "1", "threshold": "1", "parts": "none"})
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(true) {
		name := strings.TrimPrefix(leaf.Path(), "daybook ")
		name = strings.TrimSpace(regexp.MustCompile(` [<\[].*`).ReplaceAllString(name, ""))
		commands[name] = true
		if len(examplesOf(name)) == 0 {
			t.Errorf("%q has no example", name)
		}
	}
	for line := range strings.Lines(strings.TrimSpace(examples)) {
		name, example, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !commands[name] {
			t.Errorf("%q is not a command", name)
		}
		if err := commandLine(t, typed(strings.TrimPrefix(example, "claude mcp add memory -- "))[1:]); err != nil {
			t.Errorf("example of %s: %s: %v", name, example, err)
		}
	}
}

// Help and version come by the names that other programs give them, too.
func TestHelpByOtherNames(t *testing.T) {
	for _, c := range []struct{ typed, says string }{
		{"help ask", "Usage: daybook ask"},
		{"help", "Begin with:"},
		{"", "Begin with:"},
		{"--version", "daybook " + version},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.typed), strings.NewReader(""), &out, &out); code != 0 || !strings.Contains(out.String(), c.says) {
			t.Errorf("daybook %s: exit code %d\n%s", c.typed, code, out.String())
		}
	}
}

var shown = regexp.MustCompile("(?m)^(?:    |> )?(?:\\$ )?(daybook [a-z].*)$|`(daybook [a-z][^`]*)`")

// Every command line that the documents show can be typed.
func TestDocumentsShowRealCommands(t *testing.T) {
	seen := 0
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			line := m[1] + m[2]
			args := typed(line)[1:]
			if m[2] != "" && (strings.Contains(line, "…") || len(args) < 3) { // a command that is only named
				continue
			}
			seen++
			if err := commandLine(t, args); err != nil && !placeholder(args) {
				t.Errorf("%s: %s: %v", path, line, err)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d command lines were found", seen)
	}
}

// placeholder reports whether a line stands for many: 'daybook COMMAND --help'.
func placeholder(args []string) bool { return args[0] == strings.ToUpper(args[0]) }

// documents are the README and all that docs/ holds.
func documents(t *testing.T) []string {
	all := []string{"../../README.md", "../../AGENTS.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}
