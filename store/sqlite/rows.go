package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"iter"
	"strings"
	"time"

	"daybook"
	"daybook/store"
)

// reader implements store.Reader inside one transaction.
type reader struct {
	ctx   context.Context
	tx    transaction
	scope int64                  // 0 when the scope has no row yet; no query matches it
	idle  map[string][]*sql.Stmt // prepared and not in use, by text
}

// transaction is what statements run in: a *sql.Tx, or a viewer.
type transaction interface {
	PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// quiet is the reader's context for one statement. A context that can be cancelled
// costs the driver and database/sql a goroutine each for every statement; what reads
// does is short, so it is enough to look at the context between statements and rows.
func (r *reader) quiet() context.Context { return context.WithoutCancel(r.ctx) }

// borrow returns a prepared statement. A statement serves one query at a time,
// so a query inside another one of the same text gets its own. It is given back
// with giveBack, and closed with the transaction.
func (r *reader) borrow(text string) (*sql.Stmt, error) {
	if idle := r.idle[text]; len(idle) > 0 {
		r.idle[text] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	return r.tx.PrepareContext(r.quiet(), text)
}

func (r *reader) giveBack(text string, s *sql.Stmt) {
	if r.idle == nil {
		r.idle = map[string][]*sql.Stmt{}
	}
	r.idle[text] = append(r.idle[text], s)
}

func (r *reader) find(s daybook.Scope) error {
	if s == store.Common {
		r.scope = commonScope
		return nil
	}
	err := r.tx.QueryRowContext(r.quiet(), `SELECT scope FROM scopes WHERE tenant = ? AND user = ? AND agent = ?`,
		s.Tenant, s.User, s.Agent).Scan(&r.scope)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

const commitColumns = `SELECT seq, id, parent, recorded, author FROM commits `

func (r *reader) Head() (store.Commit, error) {
	return first(query(r, scanCommit, commitColumns+`WHERE scope = ? ORDER BY seq DESC LIMIT 1`, r.scope))
}

func (r *reader) Commits(rg store.Range) iter.Seq2[store.Commit, error] {
	from, to := rg.Bounds()
	return query(r, scanCommit, commitColumns+`WHERE scope = ? AND seq BETWEEN ? AND ? ORDER BY seq`, r.scope, from, to)
}

func (r *reader) FindCommits(hexPrefix string, limit int) ([]store.Commit, error) {
	low, high, ok := prefixBounds(hexPrefix)
	if !ok {
		return nil, nil
	}
	var found []store.Commit
	for c, err := range query(r, scanCommit, commitColumns+`WHERE scope = ? AND id BETWEEN ? AND ? ORDER BY id LIMIT ?`, r.scope, low, high, limit) {
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

// prefixBounds returns the lowest and the highest id that begin with a
// hexadecimal prefix.
func prefixBounds(prefix string) (low, high []byte, ok bool) {
	const digits = 2 * len(daybook.CommitID{})
	if len(prefix) > digits {
		return nil, nil, false
	}
	low, err := hex.DecodeString(prefix + strings.Repeat("0", digits-len(prefix)))
	if err != nil {
		return nil, nil, false
	}
	high, err = hex.DecodeString(prefix + strings.Repeat("f", digits-len(prefix)))
	return low, high, err == nil
}

func (r *reader) Contents(rg store.Range) iter.Seq2[store.Content, error] {
	from, to := rg.Bounds()
	return query(r, func(rows *sql.Rows) (c store.Content, err error) {
		err = rows.Scan(&c.Seq, &c.Pos, &c.Salt, &c.Body)
		return c, err
	}, `SELECT seq, pos, salt, body FROM contents WHERE scope = ? AND seq BETWEEN ? AND ? ORDER BY seq, pos`, r.scope, from, to)
}

func (r *reader) Content(at store.Place) (c store.Content, ok bool, err error) {
	for c, err := range query(r, func(rows *sql.Rows) (c store.Content, err error) {
		c.Place = at
		err = rows.Scan(&c.Salt, &c.Body)
		return c, err
	}, `SELECT salt, body FROM contents WHERE scope = ? AND seq = ? AND pos = ?`, r.scope, at.Seq, at.Pos) {
		return c, err == nil, err
	}
	return c, false, nil
}

func (r *reader) ByKey(key store.Key, rg store.Range) iter.Seq2[store.Content, error] {
	from, to := rg.Bounds()
	return query(r, func(rows *sql.Rows) (c store.Content, err error) {
		err = rows.Scan(&c.Seq, &c.Pos, &c.Body)
		return c, err
	}, `SELECT k.seq, k.pos, c.body FROM keys k JOIN contents c USING (scope, seq, pos)
		WHERE k.scope = ? AND k.key = ? AND k.seq BETWEEN ? AND ? ORDER BY k.seq, k.pos`, r.scope, []byte(key), from, to)
}

func (r *reader) Count(key store.Key) (n int, err error) {
	err = r.tx.QueryRowContext(r.quiet(), `SELECT count(*) FROM keys WHERE scope = ? AND key = ?`, r.scope, []byte(key)).Scan(&n)
	return n, err
}

func (r *reader) Keys() iter.Seq2[store.Entry, error] {
	return query(r, func(rows *sql.Rows) (e store.Entry, err error) {
		var key []byte
		err = rows.Scan(&key, &e.Seq, &e.Pos)
		e.Key = store.Key(key)
		return e, err
	}, `SELECT key, seq, pos FROM keys WHERE scope = ? ORDER BY key, seq, pos`, r.scope)
}

// Firsts implements store.Firsts: one look into the index per key.
func (r *reader) Firsts(letter byte) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		const next = `SELECT key, seq, pos FROM keys WHERE scope = ? AND key > ? AND key < ? ORDER BY key, seq, pos LIMIT 1`
		stmt, err := r.borrow(next)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		defer r.giveBack(next, stmt)
		after, end := []byte{letter}, []byte{letter + 1}
		for {
			var e store.Entry
			var key []byte
			err := stmt.QueryRowContext(r.quiet(), r.scope, after, end).Scan(&key, &e.Seq, &e.Pos)
			if errors.Is(err, sql.ErrNoRows) {
				return
			}
			e.Key, after = store.Key(key), key
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// query yields what scan makes of each row; an error ends it.
func query[T any](r *reader, scan func(*sql.Rows) (T, error), text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		stmt, err := r.borrow(text)
		if err != nil {
			yield(zero, err)
			return
		}
		defer r.giveBack(text, stmt)
		if err := r.ctx.Err(); err != nil {
			yield(zero, err)
			return
		}
		rows, err := stmt.QueryContext(r.quiet(), args...)
		if err != nil {
			yield(zero, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			v, err := scan(rows)
			if err == nil {
				err = r.ctx.Err()
			}
			if err != nil {
				yield(zero, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, err)
		}
	}
}

// first returns the first element of a sequence, or the zero value.
func first[T any](seq iter.Seq2[T, error]) (v T, err error) {
	for v, err = range seq {
		break
	}
	return v, err
}

func scanCommit(rows *sql.Rows) (c store.Commit, err error) {
	var id, parent []byte
	var recorded int64
	if err := rows.Scan(&c.Seq, &id, &parent, &recorded, &c.Author); err != nil {
		return c, err
	}
	if len(id) != len(c.ID) || len(parent) != len(c.Parent) {
		return c, daybook.Errorf(daybook.Corrupt, "commit %d has hashes of a wrong length", c.Seq)
	}
	copy(c.ID[:], id)
	copy(c.Parent[:], parent)
	c.RecordedAt = time.UnixMicro(recorded).UTC()
	return c, nil
}

func (r *reader) Leaves(seq uint64) ([]store.Hash, error) {
	const size = len(store.Hash{})
	hashes, err := first(query(r, func(rows *sql.Rows) (b []byte, err error) {
		err = rows.Scan(&b)
		return b, err
	}, `SELECT hashes FROM leaves WHERE scope = ? AND seq = ?`, r.scope, seq))
	if err != nil {
		return nil, err
	}
	if len(hashes)%size != 0 {
		return nil, daybook.Errorf(daybook.Corrupt, "commit %d has content hashes of a wrong length", seq)
	}
	leaves := make([]store.Hash, len(hashes)/size)
	for i := range leaves {
		copy(leaves[i][:], hashes[i*size:])
	}
	return leaves, nil
}

// writer implements store.Writer inside one transaction.
type writer struct {
	reader
	wanted daybook.Scope
	dirty  bool
}

func (w *writer) Append(c store.Commit, leaves []store.Hash, contents []store.Content) error {
	if w.scope == commonScope {
		return daybook.Errorf(daybook.Internal, "what all scopes have in common has no ledger")
	}
	if err := w.ensureScope(); err != nil {
		return err
	}
	w.dirty = true
	hashes := make([]byte, 0, len(leaves)*len(store.Hash{}))
	for _, l := range leaves {
		hashes = append(hashes, l[:]...)
	}
	err := w.exec(`INSERT INTO commits (scope, seq, id, parent, recorded, author) VALUES (?, ?, ?, ?, ?, ?)`,
		w.scope, c.Seq, c.ID[:], c.Parent[:], c.RecordedAt.UnixMicro(), c.Author)
	if err != nil {
		return err
	}
	if err := w.exec(`INSERT INTO leaves (scope, seq, hashes) VALUES (?, ?, ?)`, w.scope, c.Seq, hashes); err != nil {
		return err
	}
	return w.insertContents(contents)
}

func (w *writer) insertContents(contents []store.Content) error {
	for _, c := range contents {
		if err := w.exec(`INSERT INTO contents (scope, seq, pos, salt, body) VALUES (?, ?, ?, ?, ?)`, w.scope, c.Seq, c.Pos, c.Salt, c.Body); err != nil {
			return err
		}
		for _, k := range c.Keys {
			if err := w.insertKey(store.Entry{Key: k, Place: c.Place}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) insertKey(e store.Entry) error {
	return w.exec(`INSERT OR IGNORE INTO keys (scope, key, seq, pos) VALUES (?, ?, ?, ?)`, w.scope, []byte(e.Key), e.Seq, e.Pos)
}

func (w *writer) exec(text string, args ...any) error {
	stmt, err := w.borrow(text)
	if err != nil {
		return err
	}
	defer w.giveBack(text, stmt)
	_, err = stmt.ExecContext(w.ctx, args...)
	return err
}

func (w *writer) ensureScope() error {
	if w.scope != 0 {
		return nil
	}
	res, err := w.tx.ExecContext(w.ctx, `INSERT INTO scopes (tenant, user, agent) VALUES (?, ?, ?)`,
		w.wanted.Tenant, w.wanted.User, w.wanted.Agent)
	if err != nil {
		return err
	}
	w.scope, err = res.LastInsertId()
	return err
}

func (w *writer) Erase(contents []store.Content) error {
	w.dirty = true
	for _, c := range contents {
		if err := w.exec(`DELETE FROM contents WHERE scope = ? AND seq = ? AND pos = ?`, w.scope, c.Seq, c.Pos); err != nil {
			return err
		}
		if err := w.eraseVectors(c.Place); err != nil {
			return err
		}
		for _, k := range c.Keys {
			if err := w.exec(`DELETE FROM keys WHERE scope = ? AND key = ? AND seq = ? AND pos = ?`, w.scope, []byte(k), c.Seq, c.Pos); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) ReplaceKeys(entries iter.Seq2[store.Entry, error]) error {
	w.dirty = true
	if _, err := w.tx.ExecContext(w.ctx, `DELETE FROM keys WHERE scope = ?`, w.scope); err != nil {
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := w.insertKey(e); err != nil {
			return err
		}
	}
	return nil
}
