package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

type importCmd struct {
	Messages importMessagesCmd `cmd:"" help:"Keep messages, one JSON object a line: {\"id\",\"session\",\"time\",\"speaker\",\"text\"}."`
	Ledger   importLedgerCmd   `cmd:"" default:"withargs" help:"Take in a scope that 'daybook export' wrote. This is what 'daybook import FILE' does."`
}

type importMessagesCmd struct {
	File    string `arg:"" help:"JSON lines; '-' reads standard input."`
	SkipBad bool   `help:"Keep the good lines of a file with bad ones."`
	Message string `short:"m" help:"Commit message." placeholder:"TEXT"`
}

func (c *importMessagesCmd) Run(a *app) error {
	path, cleanup, err := a.spool(c.File)
	if err != nil {
		return err
	}
	defer cleanup()
	return a.with(func(e *engine.Engine) error {
		in := engine.Import{
			Open:    func() (io.ReadCloser, error) { return openFile(path) },
			Session: a.Session, SkipBad: c.SkipBad,
			Progress: func(stage string, lines int) { a.progress("%s: %d lines", stage, lines) },
		}
		res, err := e.ImportMessages(a.ctx, a.scope(), a.by(c.Message), in)
		a.endProgress()
		if err != nil {
			return c.explain(a, err)
		}
		return c.print(a, res)
	})
}

// explain lists the first bad lines of a file that was not kept.
func (c *importMessagesCmd) explain(a *app, err error) error {
	bad, ok := errors.AsType[*engine.ImportError](err)
	if !ok {
		return fmt.Errorf("import %s: %w", c.File, err)
	}
	if !a.JSON {
		for _, l := range bad.Bad[:min(len(bad.Bad), 10)] {
			fmt.Fprintf(a.err, "%s: %v\n", c.File, l)
		}
	}
	return fmt.Errorf("import %s: %w; nothing was kept (--skip-bad keeps the good lines)", c.File, err)
}

func (c *importMessagesCmd) print(a *app, res engine.ImportResult) error {
	if a.JSON {
		type badLine struct {
			Line  int    `json:"line"`
			Error string `json:"error"`
		}
		bad := []badLine{}
		for _, l := range res.Bad {
			bad = append(bad, badLine{l.Line, l.Err.Error()})
		}
		return a.json(map[string]any{"commit": res.Commit, "seq": res.Seq, "added": res.Added, "known": res.Known, "skipped": bad})
	}
	for _, l := range res.Bad[:min(len(res.Bad), 10)] {
		fmt.Fprintf(a.err, "skipped %v\n", l)
	}
	a.printf("%d notes added, %d known already, %d lines skipped  %s\n", res.Added, res.Known, len(res.Bad), a.bold("commit "+res.Commit.Short()))
	return nil
}

// spool gives a file a path that can be read twice.
func (a *app) spool(name string) (path string, cleanup func(), err error) {
	if name != "-" {
		return name, func() {}, nil
	}
	f, err := os.CreateTemp("", "daybook-import-*.jsonl")
	if err != nil {
		return "", nil, daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	cleanup = func() { os.Remove(f.Name()) }
	if _, err = io.Copy(f, a.in); err == nil {
		err = f.Close()
	}
	if err != nil {
		cleanup()
	}
	return f.Name(), cleanup, err
}

func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, daybook.Errorf(daybook.NotFound, "%w", err)
	}
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	return f, nil
}

type importLedgerCmd struct {
	File string `arg:"" help:"An export; '-' reads standard input."`
}

func (c *importLedgerCmd) Run(a *app) error {
	in := a.in
	if c.File != "-" {
		f, err := openFile(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	dec := json.NewDecoder(bufio.NewReader(in))
	var header graph.Header
	if err := dec.Decode(&header); err != nil {
		return daybook.Errorf(daybook.Invalid, "import %s: its first line is not the header of an export (for messages use 'daybook import messages'): %w", c.File, err)
	}
	return a.with(func(e *engine.Engine) error {
		added, err := e.ImportLedger(a.ctx, a.scope(), header, c.lines(a, dec, header.Commits))
		a.endProgress()
		if err != nil {
			return fmt.Errorf("import %s: %w", c.File, err)
		}
		if a.JSON {
			return a.json(map[string]any{"commits": header.Commits, "added": added, "head": header.Head})
		}
		a.printf("%d of %d commits were new in scope %s\n", added, header.Commits, line(a.scope().String(), 60))
		return nil
	})
}

func (c *importLedgerCmd) lines(a *app, dec *json.Decoder, total uint64) iter.Seq2[graph.Line, error] {
	return func(yield func(graph.Line, error) bool) {
		for n := 2; ; n++ {
			var l graph.Line
			err := dec.Decode(&l)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(l, daybook.Errorf(daybook.Invalid, "line %d: %w", n, err))
				return
			}
			a.progress("commit %d of %d", l.Seq, total)
			if !yield(l, nil) {
				return
			}
		}
	}
}
