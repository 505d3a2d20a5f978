package main

import (
	"encoding/json"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

type showCmd struct {
	Ref string `arg:"" help:"Commit (id, beginning of an id, HEAD, HEAD~n), or id of a note (ours or yours), fact, event or link."`
}

func (c *showCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		if isObject(c.Ref) {
			op, err := e.Get(a.ctx, a.scope(), c.Ref)
			if err != nil {
				return err
			}
			return a.json(op)
		}
		entry, err := e.Show(a.ctx, a.scope(), c.Ref)
		if err != nil {
			if n, noteErr := e.Note(a.ctx, a.scope(), c.Ref); noteErr == nil { // the caller's own id
				return a.json(daybook.Op{Observe: &n})
			}
			return err
		}
		if a.JSON {
			return a.json(entry)
		}
		return a.printCommit(entry)
	})
}

func isObject(ref string) bool {
	for _, p := range []string{daybook.NotePrefix, daybook.FactPrefix, daybook.EventPrefix, daybook.LinkPrefix, daybook.EntityPrefix} {
		if strings.HasPrefix(ref, p) {
			return true
		}
	}
	return false
}

func (a *app) printCommit(e graph.LogEntry) error {
	a.printf("%s\nparent    %s\nrecorded  %s\nauthor    %s\n", a.bold("commit "+e.ID.String()), parent(e.Parent), e.RecordedAt.Format("2006-01-02T15:04:05.000000Z07:00"), line(e.Author, 60))
	if e.Message != "" {
		a.printf("message   %s\n", line(e.Message, 200))
	}
	if e.Reverted {
		a.printf("%s\n", a.bold("reverted"))
	}
	for _, op := range e.Ops {
		if op == (daybook.Op{}) {
			continue
		}
		text, err := json.Marshal(op)
		if err != nil {
			return err
		}
		a.printf("  %s\n", line(string(text), 400))
	}
	if e.Erased > 0 {
		a.printf("  %s\n", a.dim("erased operations: "+summary(graph.LogEntry{Erased: e.Erased})))
	}
	return nil
}

func parent(id daybook.CommitID) string {
	if id.IsZero() {
		return "none (the first commit)"
	}
	return id.String()
}
