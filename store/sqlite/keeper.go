package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"daybook"
)

// Backup implements store.Keeper. The copy appears under its name only when it
// is complete; a file that is there already is left alone.
func (s *Store) Backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return daybook.Errorf(daybook.Conflict, "backup: %s exists; choose another name", path)
	}
	// An absolute path is never taken for a URI, and a file that is there
	// already, empty, keeps its mode: a backup is as private as its home.
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("backup: %w", typed(err))
	}
	tmp := path + ".partial"
	defer os.Remove(tmp)
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("backup: %w", typed(err))
	}
	if err := os.WriteFile(tmp, nil, 0o600); err != nil {
		return fmt.Errorf("backup: %w", typed(err))
	}
	if _, err := s.readers.ExecContext(ctx, `VACUUM INTO ?`, tmp); err != nil {
		return fmt.Errorf("backup to %s: %w", path, typed(err))
	}
	if err := errors.Join(syncFile(tmp), os.Rename(tmp, path), syncDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("backup to %s: %w", path, typed(err))
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Scrub implements store.Keeper: it writes the file anew from what is left, so
// that no page keeps a stale copy, and empties the write-ahead log.
func (s *Store) Scrub(ctx context.Context) error {
	if s.unwritable != nil {
		return daybook.Errorf(daybook.Unavailable, "scrub ledger %s: %w", s.path, s.unwritable)
	}
	if _, err := s.writer.ExecContext(ctx, `VACUUM`); err != nil {
		return fmt.Errorf("what is erased may still be in the file; run 'daybook check --scrub' later: %w", s.failed("scrub", err))
	}
	for deadline := time.Now().Add(lockWait); ; {
		var busy, frames, moved int
		err := s.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved)
		if err != nil {
			return s.failed("scrub", err)
		}
		if busy == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return daybook.Errorf(daybook.Unavailable, "the content is erased, but a reader in another process still holds old pages in %s-wal; close it and run 'daybook check --scrub'", s.path)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Verify implements store.Keeper: it reads every page, and so every checksum.
func (s *Store) Verify(ctx context.Context) ([]string, error) {
	rows, err := s.readers.QueryContext(ctx, `PRAGMA integrity_check`)
	if err != nil {
		return damage(err)
	}
	defer rows.Close()
	var problems []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return damage(err)
		}
		if line != "ok" {
			problems = append(problems, line)
		}
	}
	if err := rows.Err(); err != nil {
		return damage(err)
	}
	return problems, nil
}

// damage tells an error that describes the file's damage from one that kept us
// from looking.
func damage(err error) ([]string, error) {
	if err = typed(err); daybook.KindOf(err) == daybook.Corrupt {
		return []string{err.Error()}, nil
	}
	return nil, err
}

// Size implements store.Keeper.
func (s *Store) Size(context.Context) (int64, error) {
	var total int64
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(s.path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, typed(err)
		}
		total += info.Size()
	}
	return total, nil
}
