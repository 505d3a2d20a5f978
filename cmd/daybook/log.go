package main

import (
	"fmt"
	"sort"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

type logCmd struct {
	Limit int `short:"n" help:"At most so many; 0 means all." default:"20"`
}

func (c *logCmd) Run(a *app) error {
	if c.Limit < 0 {
		return daybook.Errorf(daybook.Invalid, "--limit is %d; it cannot be below 0", c.Limit)
	}
	return a.reading(func(e *engine.Engine) error {
		entries, err := e.Log(a.ctx, a.scope(), c.Limit)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"commits": append([]graph.LogEntry{}, entries...)})
		}
		var rows [][]string
		for _, en := range entries {
			rows = append(rows, []string{a.bold(en.ID.Short()), when(en.RecordedAt), line(en.Author, 20), summary(en), a.dim(line(en.Message, 60))})
		}
		a.table(rows)
		return nil
	})
}

// plural counts a thing: "1 note", "2 notes".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// summary counts what a commit holds: "2 notes, 1 fact".
func summary(e graph.LogEntry) string {
	var parts []string
	for kind, n := range e.Counts {
		if n == 1 {
			kind = strings.TrimSuffix(strings.Replace(kind, "ies", "ys", 1), "s")
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, kind))
	}
	sort.Strings(parts)
	if e.Erased > 0 {
		parts = append(parts, fmt.Sprintf("%d erased", e.Erased))
	}
	if e.Reverted {
		parts = append(parts, "reverted")
	}
	return strings.Join(parts, ", ")
}
