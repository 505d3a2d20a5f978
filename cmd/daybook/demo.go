package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"time"

	"daybook"
)

type demoCmd struct{}

// scene is one step of the story: what the teller says, the day on which it
// plays, and commands that are really run.
type scene struct {
	says string
	day  string
	runs [][]string
}

var story = []scene{
	{"In 2022 Maya tells her assistant who her dentist is. It keeps the message, and learns what it says.", "2022-01-10", [][]string{
		{"add", "My dentist is Dr. Weiss.", "--id", "m1", "--speaker", "Maya"},
	}},
	{"Two years later that stops being true.", "2024-03-05", [][]string{
		{"add", "I changed dentists, I go to Dr. Moreau now because the old practice closed.", "--id", "m2", "--speaker", "Maya"},
	}},
	{"Ask. Every answer says what it stands on, and whether that still holds. What nobody said is not known.", "2025-06-01", [][]string{
		{"ask", "Who is Maya's dentist?"},
		{"ask", "Who was Maya's dentist before?"},
		{"ask", "Why did Maya change dentists?"},
		{"ask", "What car does Maya drive?"},
		{"recall", "Who is Maya's dentist?"},
	}},
	{"Facts can be stated, too, since when they hold and why.", "2025-06-01", [][]string{
		{"fact", "add", "Maya", "lives_in", "New York", "--valid-from", "2022-01-10"},
		{"fact", "add", "Maya", "lives_in", "London", "--valid-from", "2024-03-05", "--why", "to be closer to her parents"},
	}},
	{"What is true now? What was true in 2023? What did we believe on 31 May?", "2025-06-02", [][]string{
		{"facts", "--subject", "Maya"},
		{"facts", "--subject", "Maya", "--as-of", "2023"},
		{"facts", "--subject", "Maya", "--known-at", "2025-05-31"},
	}},
	{"What changed, when, and why?", "2025-06-02", [][]string{
		{"history", "Maya"},
	}},
	{"An agent misreads a joke. One command undoes that commit, and only it.", "2025-06-03", [][]string{
		{"fact", "add", "Maya", "lives_in", "the Moon"},
		{"revert", "HEAD"},
		{"facts", "--subject", "Maya", "--relation", "lives_in"},
	}},
	{"Maya asks to forget her first message. What was learned from it goes too, on disk as well; a certificate stays.", "2025-06-04", [][]string{
		{"forget", "m1", "--yes"},
		{"notes"},
		{"check"},
	}},
}

func (c *demoCmd) Run(a *app) error {
	home, err := os.MkdirTemp("", "daybook-demo-*")
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "demo: %w", err)
	}
	defer os.RemoveAll(home)
	for _, s := range story {
		day, _, err := daybook.ParseTime(s.day)
		if err != nil {
			return err
		}
		if !a.JSON {
			a.printf("\n%s\n", a.bold("# "+s.says))
		}
		for i, args := range s.runs {
			if err := c.play(a, home, day.Add(time.Duration(9*60+i)*time.Minute), args); err != nil {
				return err
			}
		}
	}
	if a.JSON {
		return nil
	}
	a.printf("\n%s\n", a.bold("# That was a home of its own, and it is gone. Yours begins with: daybook add \"…\" --speaker NAME"))
	return nil
}

// play shows a command as one would type it and runs it, as if at that time.
func (c *demoCmd) play(a *app, home string, at time.Time, args []string) error {
	actor := &app{ctx: a.ctx, terminal: a.terminal, now: func() time.Time { return at }, local: true}
	if a.JSON {
		return c.playJSON(a, actor, home, at, args)
	}
	a.printf("%s\n", a.paint("36", at.Format("2006-01-02")+" $ daybook "+quoteArgs(args)))
	if code := runApp(actor, append([]string{"--home", home, "--author", "demo"}, args...)); code != 0 {
		return daybook.Errorf(daybook.Internal, "demo: %q ended with code %d", args, code)
	}
	return nil
}

// playJSON prints the step as one JSON line: when, what was typed, what came back.
func (c *demoCmd) playJSON(a, actor *app, home string, at time.Time, args []string) error {
	var out bytes.Buffer
	actor.out = &out
	if code := runApp(actor, append([]string{"--home", home, "--author", "demo", "--json"}, args...)); code != 0 {
		return daybook.Errorf(daybook.Internal, "demo: %q ended with code %d", args, code)
	}
	return json.NewEncoder(a.out).Encode(map[string]any{"at": at, "args": args, "result": json.RawMessage(out.Bytes())})
}

func quoteArgs(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		if strings.ContainsAny(arg, " ,.'") {
			quoted[i] = `"` + arg + `"`
		}
	}
	return strings.Join(quoted, " ")
}
