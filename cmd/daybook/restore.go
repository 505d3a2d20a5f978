package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/server"
	"daybook/store/sqlite"
)

type restoreCmd struct {
	File string `arg:"" help:"A copy that 'daybook backup' made."`
}

// Help says what is checked.
func (c *restoreCmd) Help() string {
	return `The copy is checked as 'daybook check' does, and put in place only if it is sound. The home must hold no memory
yet: move an old daybook.db and all files beside it whose names begin so away first, or name another --home. Keys,
webhooks and the audit log are in the copy, as they were: a key that was revoked later is good again, until
'daybook key revoke'. Models and settings are files of their own in the home and are not in it.`
}

func (c *restoreCmd) Run(a *app) error {
	if err := c.free(a.Home); err != nil {
		return err
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
	found, err := c.check(a.ctx, trial)
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(trial, sqlite.FileName), filepath.Join(a.Home, sqlite.FileName)); err != nil {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	if a.JSON {
		return a.json(map[string]any{"ok": true, "home": a.Home, "scopes": found.scopes, "commits": found.commits, "keys": found.keys})
	}
	a.printf("restored to %s and checked: %s, %s, %s\n", a.Home, plural(found.scopes, "scope"), plural(found.commits, "commit"), plural(found.keys, "key"))
	return nil
}

// free refuses a home with a memory, or with what stood beside one: the log and the mark of
// another file would be taken for those of the copy.
func (c *restoreCmd) free(home string) error {
	files, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return daybook.Errorf(daybook.Unavailable, "restore: %w", err)
	}
	var old []string
	for _, f := range files {
		if strings.HasPrefix(f.Name(), sqlite.FileName) {
			old = append(old, f.Name())
		}
	}
	if len(old) > 0 {
		return daybook.Errorf(daybook.Conflict, "restore: there is a memory in %s already, or what is left of one; move %s away, or name another --home", home, strings.Join(old, ", "))
	}
	return nil
}

// restored is what a copy holds.
type restored struct{ scopes, commits, keys int }

// check copies the file into a home of its own and verifies it there.
func (c *restoreCmd) check(ctx context.Context, home string) (found restored, err error) {
	if err := copyTo(c.File, filepath.Join(home, sqlite.FileName)); err != nil {
		return found, err
	}
	s, err := sqlite.Open(ctx, home)
	if err != nil {
		return found, fmt.Errorf("restore: %s is no backup that can be read: %w", c.File, err)
	}
	e := engine.New(s)
	found, err = c.look(ctx, e)
	return found, errors.Join(err, e.Close())
}

func (c *restoreCmd) look(ctx context.Context, e *engine.Engine) (found restored, err error) {
	reports, err := e.Check(ctx)
	if err != nil {
		return found, err
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			return found, daybook.Errorf(daybook.Corrupt, "restore: %s is damaged (%s); nothing was restored", c.File, r.Damage[0])
		}
		found.commits += r.Commits
	}
	keys, err := server.OpenKeys(ctx, e)
	if err != nil {
		return found, err
	}
	list, err := keys.List(ctx)
	if err != nil {
		return found, err
	}
	found.scopes, found.keys = len(reports), len(list)
	if found.scopes == 0 && found.keys == 0 {
		return found, daybook.Errorf(daybook.Invalid, "restore: %s holds no memory", c.File)
	}
	return found, nil
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
