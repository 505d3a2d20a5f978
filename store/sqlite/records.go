package sqlite

import (
	"database/sql"
	"iter"

	"daybook"
	"daybook/store"
)

// commonScope is the number of store.Common. Scopes with a ledger count from 1.
const commonScope = -1

// Records implements store.Reader.
func (r *reader) Records(kind string) iter.Seq2[store.Record, error] {
	return query(r, func(rows *sql.Rows) (store.Record, error) {
		record := store.Record{Kind: kind}
		err := rows.Scan(&record.ID, &record.Body)
		return record, err
	}, `SELECT id, body FROM records WHERE scope = ? AND kind = ? ORDER BY id`, r.scope, kind)
}

// PutRecord implements store.Writer.
func (w *writer) PutRecord(r store.Record) error {
	if err := w.ensureScope(); err != nil {
		return err
	}
	w.dirty = true
	return w.exec(`INSERT OR REPLACE INTO records (scope, kind, id, body) VALUES (?, ?, ?, ?)`, w.scope, r.Kind, r.ID, r.Body)
}

// TrimRecords implements store.Writer.
func (w *writer) TrimRecords(kind string, keep int) error {
	w.dirty = true
	return w.exec(`DELETE FROM records WHERE scope = ?1 AND kind = ?2 AND id <=
		(SELECT id FROM records WHERE scope = ?1 AND kind = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`, w.scope, kind, keep)
}

// checkScope refuses names that no scope may have. The common one has no name.
func checkScope(s daybook.Scope) error {
	if s == store.Common {
		return nil
	}
	return s.Validate()
}
