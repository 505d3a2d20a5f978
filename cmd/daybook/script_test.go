package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/store"
	"daybook/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestScripts runs the stories in testdata. A script is blocks with a blank line
// between them:
//
//	# a remark
//	@ 2024-03-05 09:00        the clock, which then stands still
//	file NAME                 the rest of the block is the file
//	ops                       the rest of the block are operations, one JSON object a line, for one commit;
//	                          "ent:NAME" stands for the entity's id
//	$ fact add …              a command; the rest of the block is what it prints
//
// Nothing is learned from notes where a command does not say --learn. Ids are
// numbered in the order in which they appear, so that a script reads the same
// every time. go test -update rewrites the output; review the diff as code.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.test")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".test"), func(t *testing.T) {
			path, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := playScript(t, string(text))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("output differs (-want +got):\n%s", diff)
			}
		})
	}
}

type player struct {
	t    *testing.T
	home string
	now  time.Time
	ids  map[string]string
	seen map[string]int
}

func playScript(t *testing.T, text string) string {
	p := &player{t: t, home: t.TempDir(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), ids: map[string]string{}, seen: map[string]int{}}
	t.Chdir(t.TempDir())
	t.Setenv("DAYBOOK_LEARN", "false")
	t.Setenv("DAYBOOK_LLM_MODEL", "") // a script says the same wherever it runs
	t.Setenv("OPENAI_MODEL", "")
	var out []string
	for block := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n\n") {
		out = append(out, p.block(block))
	}
	return strings.Join(out, "\n\n") + "\n"
}

// block runs one block and returns it with the output as it is now.
func (p *player) block(block string) string {
	head, rest, _ := strings.Cut(block, "\n")
	switch {
	case strings.HasPrefix(head, "@ "):
		at, _, err := daybook.ParseTime(head[2:])
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = at
	case strings.HasPrefix(head, "file "):
		if err := os.WriteFile(head[5:], []byte(p.restore(rest)+"\n"), 0o644); err != nil {
			p.t.Fatal(err)
		}
	case head == "ops":
		p.apply(p.restore(rest))
	case strings.HasPrefix(head, "$ "):
		return strings.TrimRight(head+"\n"+p.command(p.restore(head[2:])), "\n")
	}
	return block
}

func (p *player) command(text string) string {
	var out bytes.Buffer
	p.now = p.now.Add(time.Second)
	a := &app{ctx: p.t.Context(), terminal: newTerminal(strings.NewReader(""), &out, &out), now: func() time.Time { return p.now }}
	args, redirect, _ := strings.Cut(text, " > ")
	code := runApp(a, append([]string{"--home", p.home}, splitArgs(args)...))
	if redirect != "" {
		if err := os.WriteFile(redirect, out.Bytes(), 0o644); err != nil {
			p.t.Fatal(err)
		}
		out.Reset()
	}
	if code != 0 {
		fmt.Fprintf(&out, "[exit %d]\n", code)
	}
	return p.number(strings.ReplaceAll(out.String(), "\n\n", "\n \n"))
}

var entityName = regexp.MustCompile(`"ent:([^"]*)"`)

// apply appends operations as one commit, as the engine does with what it learns.
func (p *player) apply(lines string) {
	p.now = p.now.Add(time.Second)
	lines = entityName.ReplaceAllStringFunc(lines, func(s string) string {
		return `"` + string(daybook.EntityNamed(entityName.FindStringSubmatch(s)[1])) + `"`
	})
	ch := graph.Change{Author: "script"}
	for text := range strings.SplitSeq(lines, "\n") {
		var o daybook.Op
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			p.t.Fatalf("%s: %v", text, err)
		}
		ch.Ops = append(ch.Ops, o)
	}
	s, err := sqlite.Open(p.t.Context(), p.home)
	if err != nil {
		p.t.Fatal(err)
	}
	ledger := graph.Ledger{Now: func() time.Time { return p.now }, Rand: rand.Reader}
	err = s.Update(p.t.Context(), daybook.Scope{}, func(w store.Writer) error {
		_, err := ledger.Apply(w, ch)
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		p.t.Fatal(err)
	}
}

// splitArgs splits at blanks outside quotes.
func splitArgs(s string) (args []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(s, -1) {
		args = append(args, m[1]+m[2]+m[3])
	}
	return args
}

var ids = regexp.MustCompile(`\b(note|fact|event|link|ent|ans)_[0-9a-z]{26}\b|\b[0-9a-f]{64}\b|\b[0-9a-f]{12}\b`)

var sizes = regexp.MustCompile(`(?m)^(bytes .*?) +[0-9]+$`)

// number replaces ids by numbers, fact_1, commit_2, and leaves sizes open.
func (p *player) number(text string) string {
	text = sizes.ReplaceAllString(text, "$1  …")
	return ids.ReplaceAllStringFunc(text, func(id string) string {
		kind, _, found := strings.Cut(id, "_")
		if !found {
			kind = "commit"
			id = id[:12]
		}
		if p.ids[id] == "" {
			p.seen[kind]++
			p.ids[id] = fmt.Sprintf("%s_%d", kind, p.seen[kind])
		}
		return p.ids[id]
	})
}

// restore puts the real ids back into a command.
func (p *player) restore(text string) string {
	for id, number := range p.ids {
		text = regexp.MustCompile(`\b`+number+`\b`).ReplaceAllString(text, id)
	}
	return text
}
