package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"daybook"
)

// otherReaders are connections for what reads without a View: a backup, a check.
const otherReaders = 2

// viewer is a connection that Views read through, one at a time, with the statements
// that were prepared on it.
type viewer struct {
	*sql.Conn
	idle map[string][]*sql.Stmt
}

// viewers are the connections of Views. Each slot holds one that nobody uses, or nil
// where none was opened yet.
type viewers struct {
	slots  chan *viewer
	closed chan struct{}
	once   sync.Once
}

func newViewers(n int) *viewers {
	v := &viewers{slots: make(chan *viewer, n), closed: make(chan struct{})}
	for range n {
		v.slots <- nil
	}
	return v
}

// take waits for a connection that nobody uses.
func (v *viewers) take(ctx context.Context, db *sql.DB) (*viewer, error) {
	select {
	case <-v.closed:
		return nil, daybook.Errorf(daybook.Unavailable, "the store is closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	case w := <-v.slots:
		if w != nil {
			return w, nil
		}
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		v.slots <- nil
		return nil, err
	}
	return &viewer{conn, map[string][]*sql.Stmt{}}, nil
}

// begin takes the snapshot, with the first statement that follows.
func (w *viewer) begin(ctx context.Context) error {
	_, err := w.ExecContext(context.WithoutCancel(ctx), "BEGIN")
	return err
}

// giveBack ends the snapshot. A connection that cannot do that is closed.
func (v *viewers) giveBack(w *viewer) {
	if _, err := w.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		w.end() //nolint:errcheck // it is of no use
		w = nil
	}
	v.slots <- w
}

// close waits for running Views and closes their connections.
func (v *viewers) close() (err error) {
	v.once.Do(func() {
		close(v.closed)
		for range cap(v.slots) {
			if w := <-v.slots; w != nil {
				err = errors.Join(err, w.end())
			}
		}
	})
	return err
}

// end closes the statements, which database/sql does not do for a connection that was
// handed out, and gives up the connection.
func (w *viewer) end() (err error) {
	for _, list := range w.idle {
		for _, s := range list {
			err = errors.Join(err, s.Close())
		}
	}
	return errors.Join(err, w.Close())
}
