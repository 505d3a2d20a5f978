package sqlite

import (
	"database/sql"
	"iter"

	"daybook/store"
)

func (r *reader) Spaces() (spaces []store.Space, err error) {
	for s, err := range query(r, func(rows *sql.Rows) (s store.Space, err error) {
		err = rows.Scan(&s.Encoder, &s.UpTo, &s.Count)
		return s, err
	}, `SELECT encoder, up_to, (SELECT count(*) FROM vectors v WHERE v.scope = s.scope AND v.space = s.space)
		FROM spaces s WHERE scope = ? ORDER BY space`, r.scope) {
		if err != nil {
			return nil, err
		}
		spaces = append(spaces, s)
	}
	return spaces, nil
}

func (r *reader) Covers(encoder string) (upTo uint64, err error) {
	for n, err := range query(r, func(rows *sql.Rows) (n uint64, err error) {
		err = rows.Scan(&n)
		return n, err
	}, `SELECT up_to FROM spaces WHERE scope = ? AND encoder = ?`, r.scope, encoder) {
		return n, err
	}
	return 0, nil
}

func (r *reader) Vectors(encoder string, within store.Range) iter.Seq2[store.Vector, error] {
	from, to := within.Bounds()
	return query(r, func(rows *sql.Rows) (v store.Vector, err error) {
		err = rows.Scan(&v.Seq, &v.Pos, &v.Part, &v.Data)
		return v, err
	}, `SELECT seq, pos, part, data FROM vectors
		WHERE scope = ?1 AND space = (SELECT space FROM spaces WHERE scope = ?1 AND encoder = ?2) AND seq BETWEEN ?3 AND ?4
		ORDER BY seq, pos, part`, r.scope, encoder, from, to)
}

func (w *writer) PutVectors(encoder string, upTo uint64, vectors []store.Vector) error {
	w.dirty = true
	err := w.exec(`INSERT INTO spaces (scope, space, encoder, up_to)
		VALUES (?1, (SELECT coalesce(max(space), 0) + 1 FROM spaces WHERE scope = ?1), ?2, ?3)
		ON CONFLICT (scope, encoder) DO UPDATE SET up_to = max(up_to, excluded.up_to)`, w.scope, encoder, upTo)
	if err != nil {
		return err
	}
	for _, v := range vectors {
		err := w.exec(`INSERT OR REPLACE INTO vectors (scope, space, seq, pos, part, data)
			SELECT ?1, (SELECT space FROM spaces WHERE scope = ?1 AND encoder = ?2), seq, pos, ?5, ?6
			FROM contents WHERE scope = ?1 AND seq = ?3 AND pos = ?4`, w.scope, encoder, v.Seq, v.Pos, v.Part, v.Data)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) RemoveVectors(encoder string, at []store.Place) error {
	w.dirty = true
	for _, p := range at {
		err := w.exec(`DELETE FROM vectors WHERE scope = ?1 AND space = (SELECT space FROM spaces WHERE scope = ?1 AND encoder = ?2) AND seq = ?3 AND pos = ?4`,
			w.scope, encoder, p.Seq, p.Pos)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) DropVectors(encoder string) error {
	w.dirty = true
	if err := w.exec(`DELETE FROM vectors WHERE scope = ?1 AND space = (SELECT space FROM spaces WHERE scope = ?1 AND encoder = ?2)`, w.scope, encoder); err != nil {
		return err
	}
	return w.exec(`DELETE FROM spaces WHERE scope = ? AND encoder = ?`, w.scope, encoder)
}

// eraseVectors removes the vectors of one content from every space.
func (w *writer) eraseVectors(at store.Place) error {
	return w.exec(`DELETE FROM vectors WHERE scope = ?1 AND space IN (SELECT space FROM spaces WHERE scope = ?1) AND seq = ?2 AND pos = ?3`, w.scope, at.Seq, at.Pos)
}
