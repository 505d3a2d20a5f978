package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"daybook"
	"daybook/engine"
	"daybook/store/sqlite"
)

type restoreCmd struct {
	File string `arg:"" help:"A copy that 'daybook backup' made."`
}

// Help says what is checked.
func (c *restoreCmd) Help() string {
	return `The copy is checked as 'daybook check' does, and put in place only if it is sound. The home must hold no memory
yet: move an old daybook.db away first, or name another --home. Keys, webhooks and models are files of their own in the
home; a copy of the memory does not hold them.`
}

func (c *restoreCmd) Run(a *app) error {
	target := filepath.Join(a.Home, sqlite.FileName)
	if _, err := os.Lstat(target); err == nil {
		return daybook.Errorf(daybook.Conflict, "restore: there is a memory in %s already; move %s away, or name another --home", a.Home, target)
	}
	if err := os.MkdirAll(a.Home, 0o700); err != nil {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	// The copy is checked in a folder of its own inside the home, so that putting it in
	// place is one rename.
	trial, err := os.MkdirTemp(a.Home, ".restore-*")
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	defer os.RemoveAll(trial)
	scopes, commits, err := c.check(a.ctx, trial)
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(trial, sqlite.FileName), target); err != nil {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	if a.JSON {
		return a.json(map[string]any{"ok": true, "home": a.Home, "scopes": scopes, "commits": commits})
	}
	a.printf("restored to %s and checked: %s, %s\n", a.Home, plural(scopes, "scope"), plural(int(commits), "commit"))
	return nil
}

// check copies the file into a home of its own and verifies it there.
func (c *restoreCmd) check(ctx context.Context, home string) (scopes int, commits uint64, err error) {
	if err := copyTo(c.File, filepath.Join(home, sqlite.FileName)); err != nil {
		return 0, 0, err
	}
	s, err := sqlite.Open(ctx, home)
	if err != nil {
		return 0, 0, fmt.Errorf("restore: %s is no backup that can be read: %w", c.File, err)
	}
	e := engine.New(s)
	reports, err := e.Check(ctx)
	if err = errors.Join(err, e.Close()); err != nil {
		return 0, 0, err
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			return 0, 0, daybook.Errorf(daybook.Corrupt, "restore: %s is damaged (%s); nothing was restored", c.File, r.Damage[0])
		}
		commits += uint64(r.Commits)
	}
	if len(reports) == 0 {
		return 0, 0, daybook.Errorf(daybook.Invalid, "restore: %s holds no memory", c.File)
	}
	return len(reports), commits, nil
}

// copyTo copies a file and syncs the copy.
func copyTo(from, to string) error {
	in, err := openFile(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	return nil
}
