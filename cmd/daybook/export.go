package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"daybook"
	"daybook/engine"
)

type exportCmd struct {
	Out string `short:"o" help:"File to write; standard output if not given." placeholder:"FILE"`
}

func (c *exportCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		if c.Out == "" {
			return export(a, e, a.out)
		}
		if err := c.toFile(a, e); err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"ok": true, "file": c.Out})
		}
		a.printf("scope %s is in %s\n", line(a.scope().String(), 60), c.Out)
		return nil
	})
}

// toFile writes the export under another name first, so that a file of that name
// is always whole.
func (c *exportCmd) toFile(a *app, e *engine.Engine) error {
	if _, err := os.Lstat(c.Out); err == nil {
		return daybook.Errorf(daybook.Conflict, "export: %s exists; choose another name", c.Out)
	}
	f, err := os.CreateTemp(filepath.Dir(c.Out), ".daybook-export-*")
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "export: %w", err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(export(a, e, f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), c.Out); err != nil {
		return daybook.Errorf(daybook.Unavailable, "export: %w", err)
	}
	return nil
}

func export(a *app, e *engine.Engine, out io.Writer) error {
	err := e.WriteExport(a.ctx, a.scope(), out, func(seq uint64) { a.progress("commit %d", seq) })
	a.endProgress()
	return err
}

type backupCmd struct {
	File string `arg:"" help:"The copy to make; it must not exist. 'daybook restore' puts it into an empty home."`
}

func (c *backupCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		if err := e.Backup(a.ctx, c.File); err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"ok": true, "file": c.File})
		}
		a.printf("copied to %s\n", c.File)
		return nil
	})
}
