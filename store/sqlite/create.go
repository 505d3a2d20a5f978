package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"daybook"
)

const (
	applicationID = 0x44425931 // "DBY1"
	format        = 2          // PRAGMA user_version; docs/format.md
)

// schema is the whole of what is on disk. Every key leads with the scope.
const schema = `
CREATE TABLE scopes (
  scope  INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  user   TEXT NOT NULL,
  agent  TEXT NOT NULL,
  UNIQUE (tenant, user, agent)
) STRICT;
CREATE TABLE commits (
  scope    INTEGER NOT NULL REFERENCES scopes,
  seq      INTEGER NOT NULL,
  id       BLOB NOT NULL,
  parent   BLOB NOT NULL,
  recorded INTEGER NOT NULL,
  author   TEXT NOT NULL,
  PRIMARY KEY (scope, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX commits_id ON commits (scope, id);
CREATE TABLE leaves (
  scope  INTEGER NOT NULL,
  seq    INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (scope, seq)
) STRICT;
CREATE TABLE contents (
  scope INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  pos   INTEGER NOT NULL,
  salt  BLOB NOT NULL,
  body  BLOB NOT NULL,
  PRIMARY KEY (scope, seq, pos)
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (
  scope INTEGER NOT NULL,
  key   BLOB NOT NULL,
  seq   INTEGER NOT NULL,
  pos   INTEGER NOT NULL,
  PRIMARY KEY (scope, key, seq, pos)
) STRICT, WITHOUT ROWID;
CREATE TABLE spaces (
  scope   INTEGER NOT NULL,
  space   INTEGER NOT NULL,
  encoder TEXT NOT NULL,
  up_to   INTEGER NOT NULL,
  PRIMARY KEY (scope, space),
  UNIQUE (scope, encoder)
) STRICT, WITHOUT ROWID;
CREATE TABLE vectors (
  scope INTEGER NOT NULL,
  space INTEGER NOT NULL,
  seq   INTEGER NOT NULL,
  pos   INTEGER NOT NULL,
  part  INTEGER NOT NULL,
  data  BLOB NOT NULL,
  PRIMARY KEY (scope, space, seq, pos, part)
) STRICT, WITHOUT ROWID;
` + schemaRecords

// schemaRecords is what format 2 added.
const schemaRecords = `
CREATE TABLE records (
  scope INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  id    TEXT NOT NULL,
  body  BLOB NOT NULL,
  PRIMARY KEY (scope, kind, id)
) STRICT, WITHOUT ROWID;
`

// createFile makes an empty database at path unless one is there. The file is
// born with room for a checksum in each page, which can only be asked for in
// the header of the first page.
func createFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() < pageSize { // SQLite would take it for a new file
		return daybook.Errorf(daybook.Corrupt, "the file has only %d bytes; restore a backup, or remove the file to begin anew", info.Size())
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := orphaned(path); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".daybook-new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(emptyDatabase())
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	// A link fails when another process was quicker, and then its file is used.
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// Exists reports whether a home holds a ledger. It is an error when the ledger is gone
// and what stood beside it is still there.
func Exists(home string) (bool, error) {
	path := filepath.Join(home, FileName)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, orphaned(path)
	}
	return err == nil, typed(err)
}

// orphaned is an error where the log or the mark of a database stands without it.
func orphaned(path string) error {
	for _, suffix := range []string{"-wal", markSuffix} {
		if _, err := os.Stat(path + suffix); err == nil {
			return daybook.Errorf(daybook.Corrupt, "%s is gone, but %s is there; put the file or a backup back, or move %s away to begin anew", path, path+suffix, path+suffix)
		}
	}
	return nil
}

// emptyDatabase returns the one page of a database without tables, as SQLite's
// file format lays it down.
func emptyDatabase() []byte {
	page := make([]byte, pageSize)
	copy(page, "SQLite format 3\x00")
	put16 := func(at int, v uint16) { binary.BigEndian.PutUint16(page[at:], v) }
	put32 := func(at int, v uint32) { binary.BigEndian.PutUint32(page[at:], v) }
	put16(16, pageSize)
	page[18], page[19] = 2, 2 // read and written through a write-ahead log
	page[20] = reserved
	page[21], page[22], page[23] = 64, 32, 32 // fixed payload fractions
	put32(24, 1)                              // change counter
	put32(28, 1)                              // pages in the file
	put32(44, 4)                              // schema format
	put32(56, 1)                              // UTF-8
	put32(92, 1)                              // change counter for which the page count holds
	page[100] = 0x0D                          // an empty table leaf
	put16(105, pageSize-reserved)             // its content begins at the end
	sealPage(page, 0)
	return page
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// migrate creates the tables in a new file, adds to an older one what it lacks, and
// refuses files that are not ours.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var app, version, tables int
	err = errors.Join(
		tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app),
		tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
		tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables),
	)
	missing := schema
	switch {
	case err != nil:
		return err
	case app == applicationID && version == format:
		return nil
	case app == applicationID && version == 1:
		missing = schemaRecords
	case app == applicationID:
		return daybook.Errorf(daybook.Invalid, "the file has format %d and this daybook reads formats up to %d; use the daybook that wrote it", version, format)
	case app != 0 || version != 0 || tables != 0:
		return daybook.Errorf(daybook.Invalid, "the file is a SQLite database of another program")
	}
	for _, stmt := range []string{
		missing,
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", format),
	} {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			return err
		}
	}
	return tx.Commit()
}
