package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"daybook"
	"daybook/store"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// FileName is the name of the database inside a home directory.
const FileName = "daybook.db"

// lockWait is how long a call waits for a writer in another process.
const lockWait = 30 * time.Second

// Store is a ledger store in one SQLite file. It implements store.Store and
// store.Keeper.
type Store struct {
	path    string
	writer  *sql.DB // one connection: writers queue here, not in SQLite
	readers *sql.DB
	views   *viewers
	// unwritable is why nothing can be written, or nil; the file is then as it was
	// when it was found, or no longer read.
	unwritable error
	found      os.FileInfo
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Keeper = (*Store)(nil)
)

// Open opens the store in a home directory and creates both when they are not
// there. A home that cannot be written, or has no room for what SQLite keeps beside a
// file that is written, is opened for reading only.
func Open(ctx context.Context, home string) (*Store, error) {
	s := &Store{path: filepath.Join(home, FileName)}
	if err := s.open(ctx, home); err != nil {
		return nil, fmt.Errorf("open ledger %s: %w", s.path, typed(err))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, home string) error {
	if err := registerVFS(); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	if err := createFile(s.path); err != nil {
		return err
	}
	if err := checkLog(s.path); err != nil {
		return err
	}
	if s.unwritable = probe(s.path); s.unwritable != nil {
		return s.openReadOnly(ctx)
	}
	if err := createMark(s.path); err != nil {
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		s.unwritable = store.ErrFull
		return s.openReadOnly(ctx)
	}
	s.writer = openPool(s.path, 1, writerCache, url.Values{"_txlock": {"immediate"}})
	s.views = newViewers(4 * runtime.GOMAXPROCS(0))
	s.readers = openPool(s.path, 4*runtime.GOMAXPROCS(0)+otherReaders, readerCache, nil)
	err := migrate(ctx, s.writer)
	if err == nil {
		return nil
	}
	err = errors.Join(err, s.Close())
	if !errors.Is(typed(err), store.ErrFull) {
		return err
	}
	s.unwritable = store.ErrFull
	return s.openReadOnly(ctx)
}

// openReadOnly opens a home on a disk that is read-only or full, where SQLite cannot
// keep the shared memory beside a write-ahead log. Where that memory cannot be made,
// no other process has the file open.
func (s *Store) openReadOnly(ctx context.Context) (err error) {
	if s.found, err = os.Stat(s.path); err != nil {
		return err
	}
	if s.logged() {
		return daybook.Errorf(daybook.Unavailable, "%w; its last writer did not close it: open it once where it can be written", s.unwritable)
	}
	s.views = newViewers(4)
	s.readers = openPool(s.path, 4+otherReaders, readerCache, url.Values{"immutable": {"1"}, "mode": {"ro"}})
	s.writer = s.readers
	if err := migrate(ctx, s.readers); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// logged reports whether the write-ahead log holds anything.
func (s *Store) logged() bool {
	info, err := os.Stat(s.path + "-wal")
	return err == nil && info.Size() > 0
}

// probe says why files cannot be made beside path, or nil. It does not open the
// database itself: closing such a handle would drop the locks that SQLite holds
// on the file in this process.
func probe(path string) error {
	made, err := os.CreateTemp(filepath.Dir(path), ".daybook-probe-*")
	if errors.Is(err, syscall.ENOSPC) {
		return store.ErrFull
	}
	if err != nil {
		return store.ErrReadOnly
	}
	made.Close()
	os.Remove(made.Name())
	return nil
}

// unchanged is an error where a file that is read without locks was written by
// another process meanwhile.
func (s *Store) unchanged() error {
	if s.unwritable == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	if err != nil {
		return typed(err)
	}
	if s.logged() || now.Size() != s.found.Size() || !now.ModTime().Equal(s.found.ModTime()) {
		return daybook.Errorf(daybook.Unavailable, "read ledger %s: another process has begun to write it; try again", s.path)
	}
	return nil
}

// Kibibytes of pages that a connection keeps. Readers are many, and what they read often
// is kept decoded above the store.
const (
	writerCache = 64_000
	readerCache = 4_000
)

func openPool(path string, connections, cache int, extra url.Values) *sql.DB {
	q := url.Values{
		"vfs": {vfsName},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", lockWait.Milliseconds()),
			"synchronous(FULL)",
			"secure_delete(ON)", // erased bytes are overwritten, not only unlinked
			fmt.Sprintf("cache_size(-%d)", cache),
		},
	}
	for k, v := range extra {
		q[k] = v
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String())
	if err != nil {
		panic("sqlite driver is not registered: " + err.Error())
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

// Close waits for running calls and moves the write-ahead log into the file
// when no other process has it open.
func (s *Store) Close() error {
	err := s.views.close()
	err = errors.Join(err, s.readers.Close())
	if s.writer != s.readers {
		err = errors.Join(err, s.writer.Close())
	}
	return typed(err)
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, scope daybook.Scope, read func(store.Reader) error) (err error) {
	defer func() { err = s.cause(ctx, "read", err) }()
	v, err := s.views.take(ctx, s.readers)
	if err != nil {
		return s.failed("read", err)
	}
	defer s.views.giveBack(v)
	if err := v.begin(ctx); err != nil {
		return s.failed("read", err)
	}
	r := &reader{ctx: ctx, tx: v, idle: v.idle}
	if err := r.find(scope); err != nil {
		return s.failed("read", err)
	}
	if err := read(r); err != nil {
		return s.failed("read", err)
	}
	return s.unchanged()
}

// Update implements store.Store.
func (s *Store) Update(ctx context.Context, scope daybook.Scope, write func(store.Writer) error) (err error) {
	defer func() { err = s.cause(ctx, "write", err) }()
	if s.unwritable != nil {
		return daybook.Errorf(daybook.Unavailable, "write ledger %s: %w", s.path, s.unwritable)
	}
	if err := checkScope(scope); err != nil {
		return err
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return s.failed("write", err)
	}
	defer tx.Rollback()
	w := &writer{reader: reader{ctx: ctx, tx: tx}, wanted: scope}
	if err := w.find(scope); err != nil {
		return s.failed("write", err)
	}
	if err := write(w); err != nil {
		return s.failed("write", err)
	}
	if !w.dirty {
		return nil
	}
	return s.failed("write", tx.Commit())
}

// Scopes implements store.Store.
func (s *Store) Scopes(ctx context.Context) ([]daybook.Scope, error) {
	rows, err := s.readers.QueryContext(ctx, `SELECT tenant, user, agent FROM scopes s
		WHERE EXISTS (SELECT 1 FROM commits c WHERE c.scope = s.scope) ORDER BY tenant, user, agent`)
	if err != nil {
		return nil, s.failed("read", err)
	}
	defer rows.Close()
	var scopes []daybook.Scope
	for rows.Next() {
		var sc daybook.Scope
		if err := rows.Scan(&sc.Tenant, &sc.User, &sc.Agent); err != nil {
			return nil, s.failed("read", err)
		}
		scopes = append(scopes, sc)
	}
	return scopes, s.failed("read", rows.Err())
}

// cause is the context's error where that is why a transaction failed: database/sql rolls it
// back at once and then says only that it is over.
func (s *Store) cause(ctx context.Context, doing string, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) || daybook.KindOf(err) != daybook.Internal {
		return err
	}
	return s.failed(doing, ctx.Err())
}

// failed says which file an error of SQLite came from, and what was waited for when
// the time was up; errors that have a kind already pass as they are.
func (s *Store) failed(doing string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && daybook.KindOf(err) == daybook.Internal {
		return daybook.Errorf(daybook.Unavailable, "%s ledger %s: waited for a slow disk or another writer: %w", doing, s.path, err)
	}
	if _, ok := errors.AsType[*driver.Error](err); ok {
		return fmt.Errorf("%s ledger %s: %w", doing, s.path, typed(err))
	}
	return err
}

// typed gives an error of SQLite or of the file system its kind.
func typed(err error) error {
	if err == nil || daybook.KindOf(err) != daybook.Internal {
		return err
	}
	if se, ok := errors.AsType[*driver.Error](err); ok {
		return typedCode(se)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return daybook.Errorf(daybook.Unavailable, "%w: %w", store.ErrFull, err)
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	if _, ok := errors.AsType[*os.LinkError](err); ok {
		return daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	return err
}

func typedCode(err *driver.Error) error {
	if err.Code() == lib.SQLITE_IOERR_DATA {
		return daybook.Errorf(daybook.Corrupt, "a page is damaged (its checksum does not match); run 'daybook check', then restore a backup: %w", err)
	}
	if err.Code() == lib.SQLITE_IOERR_SHMSIZE {
		return daybook.Errorf(daybook.Unavailable, "%w: %w", store.ErrFull, err)
	}
	switch err.Code() & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return daybook.Errorf(daybook.Corrupt, "the file is damaged; run 'daybook check', then restore a backup: %w", err)
	case lib.SQLITE_FULL:
		return daybook.Errorf(daybook.Unavailable, "%w: %w", store.ErrFull, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return daybook.Errorf(daybook.Unavailable, "another process has held the ledger for %s: %w", lockWait, err)
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return daybook.Errorf(daybook.Unavailable, "the file cannot be opened or written: %w", err)
	case lib.SQLITE_IOERR:
		return daybook.Errorf(daybook.Unavailable, "the disk did not serve: %w", err)
	}
	return err
}
