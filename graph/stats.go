package graph

import "daybook/store"

// Stats counts what is in force in a scope.
type Stats struct {
	Notes    int `json:"notes"`
	Facts    int `json:"facts"`
	Events   int `json:"events"`
	Links    int `json:"links"`
	Entities int `json:"entities"`
	Trees    int `json:"trees"`
	Commits  int `json:"commits"`
}

// Stats counts by the index, and corrects the count for what was reverted or
// retracted.
func (b *Book) Stats() (Stats, error) {
	affected, err := b.affected()
	if err != nil {
		return Stats{}, err
	}
	st := Stats{Commits: int(b.head.Seq)}
	for _, c := range []struct {
		kind  byte
		count *int
	}{{'n', &st.Notes}, {'f', &st.Facts}, {'v', &st.Events}, {'l', &st.Links}} {
		if *c.count, err = b.count(c.kind, affected); err != nil {
			return st, err
		}
	}
	entities, err := b.Entities()
	if err != nil {
		return st, err
	}
	st.Entities = len(entities)
	trees, err := b.Trees()
	st.Trees = len(trees)
	return st, err
}

// affected are the ids whose assertions may not all be in force.
func (b *Book) affected() (map[string]bool, error) {
	ids := map[string]bool{}
	for o, err := range b.raw(kindKey('r')) {
		if err != nil {
			return nil, err
		}
		ids[o.Retract.Target] = true
	}
	for seq := range b.undone {
		ops, err := b.undoneBy(seq)
		if err != nil {
			return nil, err
		}
		for _, o := range ops {
			if id := o.asserts(); id != "" {
				ids[id] = true
			}
		}
	}
	return ids, nil
}

func (b *Book) count(kind byte, affected map[string]bool) (int, error) {
	n, err := b.countKey(kindKey(kind))
	if err != nil {
		return 0, err
	}
	for id := range affected {
		for o, err := range b.raw(idKey(id)) {
			if err != nil {
				return 0, err
			}
			if o.asserts() == id && o.kind() == kind {
				n--
			}
		}
		o, err := b.alive(id)
		if err != nil {
			return 0, err
		}
		if o != nil && o.kind() == kind {
			n++
		}
	}
	return n, nil
}

// countKey counts the contents under a key that the book sees.
func (b *Book) countKey(key store.Key) (int, error) {
	n, err := b.r.Count(key)
	if err != nil {
		return 0, err
	}
	head, err := b.r.Head()
	if err != nil || head.Seq == b.head.Seq {
		return n, err
	}
	for _, err := range b.r.ByKey(key, store.Range{From: b.head.Seq + 1, To: head.Seq}) {
		if err != nil {
			return 0, err
		}
		n--
	}
	return n, nil
}
