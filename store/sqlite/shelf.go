package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"daybook"
	"daybook/store"
)

// ShelfName is the folder of a home that holds derived things, one file for a scope.
const ShelfName = "derived"

var _ store.Shelf = (*Store)(nil)

// shelf is the path of a scope's file, which does not tell whose it is.
func (s *Store) shelf(scope daybook.Scope) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{scope.Tenant, scope.User, scope.Agent}, "\x00")))
	return filepath.Join(filepath.Dir(s.path), ShelfName, hex.EncodeToString(sum[:12]))
}

// Shelve implements store.Shelf. What is written gets its name inside a write
// transaction, so that it comes either before an erasure, which discards it, or after
// one, which still can see.
func (s *Store) Shelve(ctx context.Context, scope daybook.Scope, fill func(io.Writer) error, still func(store.Reader) (bool, error)) error {
	if s.unwritable != nil {
		return nil
	}
	path := s.shelf(scope)
	made, err := s.fillShelf(path, fill)
	if err != nil {
		return fmt.Errorf("keep %s: %w", path, typed(err))
	}
	kept := false
	err = s.Update(ctx, scope, func(w store.Writer) error {
		if kept, err = still(w); err != nil || !kept {
			return err
		}
		return os.Rename(made, path)
	})
	if err != nil || !kept {
		err = errors.Join(err, wipe(made))
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", path, typed(err))
	}
	return nil
}

// fillShelf writes a file beside the one that it may become.
func (s *Store) fillShelf(path string, fill func(io.Writer) error) (made string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	if err := errors.Join(fill(f), f.Close()); err != nil {
		return "", errors.Join(err, wipe(f.Name()))
	}
	return f.Name(), nil
}

// Shelved implements store.Shelf.
func (s *Store) Shelved(scope daybook.Scope, read func(r io.Reader, size int64) error) error {
	f, err := os.Open(s.shelf(scope))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what is kept: %w", typed(err))
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name(), typed(err))
	}
	return read(f, info.Size())
}

// Discard implements store.Shelf. Files that a process left half written go, too.
func (s *Store) Discard(_ context.Context, scope daybook.Scope) error {
	path := s.shelf(scope)
	left, err := filepath.Glob(path + ".*")
	for _, file := range append(left, path) {
		err = errors.Join(err, wipe(file))
	}
	if err != nil {
		return fmt.Errorf("discard %s: %w", path, typed(err))
	}
	return nil
}

// wipe overwrites a file and removes it; one that is not there is fine.
func wipe(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	zeros := make([]byte, 1<<20)
	for left := info.Size(); left > 0 && err == nil; left -= int64(len(zeros)) {
		_, err = f.Write(zeros[:min(int64(len(zeros)), left)])
	}
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(path))
}
