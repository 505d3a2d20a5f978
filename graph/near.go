package graph

import (
	"math"
	"strings"
	"time"

	"daybook"
	"daybook/store"
)

// near reads what stands around events and facts: by keys, each key once, so that
// a walk along links reads only what it passes.
type near struct {
	book    *Book
	ops     map[store.Key][]*op // in force, by what they are found by
	decoded map[store.Place]*op // each operation is decoded once, whatever it is found by
	whole   bool                // everything was read: a key that is not there has nothing
	ends    map[daybook.EventID]supersession
}

// neighbourhood returns the book's reader of events; it is made once.
func (b *Book) neighbourhood() *near {
	if b.near == nil {
		b.near = &near{book: b, ops: map[store.Key][]*op{}, decoded: map[store.Place]*op{}, ends: map[daybook.EventID]supersession{}}
	}
	return b.near
}

// readAll reads the whole scope at once, for walks that touch most of it.
func (n *near) readAll() error {
	if n.whole {
		return nil
	}
	all := map[store.Key][]*op{}
	for _, kind := range []byte{'v', 'f', 'l', 'r'} { // retractions last, as they come in time
		for o, err := range n.book.ops(kindKey(kind)) {
			if err != nil {
				return err
			}
			for _, k := range o.keys() {
				if k[0] == 'i' || k[0] == 'd' {
					all[k] = append(all[k], o)
				}
			}
		}
	}
	n.ops, n.whole = all, true
	return nil
}

// under returns the operations in force under a key.
func (n *near) under(key store.Key) ([]*op, error) {
	ops, ok := n.ops[key]
	if ok || n.whole && (key[0] == 'i' || key[0] == 'd') {
		return ops, nil
	}
	ops, _, err := n.few(key, math.MaxInt)
	return ops, err
}

// few is under for at most so many; not ok where there are more.
func (n *near) few(key store.Key, most int) (ops []*op, ok bool, err error) {
	if ops, known := n.ops[key]; known {
		return ops, len(ops) <= most, nil
	}
	for o, err := range n.book.rawBy(key, n.decode) {
		if err != nil || len(ops) == most {
			return nil, false, err
		}
		if n.book.undone[o.Seq] {
			continue
		}
		if n.decoded[o.Place] == nil {
			n.decoded[o.Place] = o
		}
		ops = append(ops, n.decoded[o.Place])
	}
	n.ops[key] = ops
	return ops, true, nil
}

// decode is decode, once for every place.
func (n *near) decode(c store.Content) (*op, error) {
	if o := n.decoded[c.Place]; o != nil {
		return o, nil
	}
	return decode(c)
}

// alive is Book.alive by way of what was read already.
func (n *near) alive(id string) (*op, error) {
	ops, err := n.under(idKey(id))
	var said, gone *op
	for _, o := range ops {
		if o.asserts() == id && (said == nil || before(said.Place, o.Place)) {
			said = o
		}
		if o.Retract != nil && o.Retract.Target == id && (gone == nil || before(gone.Place, o.Place)) {
			gone = o
		}
	}
	if said != nil && gone != nil && before(said.Place, gone.Place) {
		said = nil
	}
	return said, err
}

// asserted is alive, and looks at no more than it must: nothing comes before what
// asserts an id.
func (n *near) asserted(id string) (*op, error) {
	if n.whole || !n.book.untouched(id) {
		return n.alive(id)
	}
	for o, err := range n.book.rawBy(idKey(id), n.decode) {
		if err != nil || o.asserts() == id {
			return o, err
		}
	}
	return nil, nil
}

// event returns an event that is in force, or nil.
func (n *near) event(id string) (*op, error) {
	if !strings.HasPrefix(id, daybook.EventPrefix) {
		return nil, nil
	}
	o, err := n.asserted(id)
	if o != nil && o.Event == nil {
		o = nil
	}
	return o, err
}

// live reports whether an event that the ledger has is in force.
func (n *near) live(e *daybook.Event) (bool, error) {
	if n.book.untouched(string(e.ID)) {
		return true, nil
	}
	o, err := n.event(string(e.ID))
	return o != nil, err
}

// edge is a link in force whose two ends are in force.
type edge struct {
	*op
	from, to *op
}

// edges returns the links at either end of an event or a fact, in the order of
// recording. A link between facts of which the subjects are not one, or are no
// longer, is none.
func (n *near) edges(id string) (all []edge, err error) {
	ops, err := n.under(idKey(id))
	if err != nil {
		return nil, err
	}
	for _, o := range latest(ops) {
		l := o.Relate
		if l == nil || l.From != id && l.To != id {
			continue
		}
		e, err := n.edge(o)
		if err != nil {
			return nil, err
		}
		if e.op != nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// edge is the edge of a link, or none where the link or one of its ends is not in
// force.
func (n *near) edge(o *op) (e edge, err error) {
	said, err := n.said(o)
	if err != nil || said == nil || said.Relate == nil {
		return edge{}, err
	}
	l := said.Relate
	if e.from, err = n.asserted(l.From); err != nil || e.from == nil {
		return edge{}, err
	}
	if e.to, err = n.asserted(l.To); err != nil || e.to == nil {
		return edge{}, err
	}
	switch a, b := e.from, e.to; {
	case a.Event != nil && b.Event != nil:
		e.op = said
	case a.Fact != nil && b.Fact != nil && n.book.canonical(a.Fact.Subject) == n.book.canonical(b.Fact.Subject):
		e.op = said
	}
	return e, nil
}

// factsOf returns the facts in force that an event asserts, however meant.
func (n *near) factsOf(id daybook.EventID) (facts []*op, err error) {
	ops, err := n.under(derivedKey(string(id)))
	if err != nil {
		return nil, err
	}
	for _, o := range ops {
		if o.Fact == nil || o.Fact.Event != id {
			continue
		}
		said, err := n.alive(string(o.Fact.ID))
		if err != nil {
			return nil, err
		}
		if said != nil && said.Place == o.Place {
			facts = append(facts, o)
		}
	}
	return facts, nil
}

// supersession is when an event stopped standing, and by what. The zero value is
// of an event that stands.
type supersession struct {
	at    time.Time
	by    string // the event, or the fact
	facts bool   // because every fact that the event asserts was closed
}

// earlier keeps the earlier of two; of two at the same time the one with the
// smaller id.
func (s supersession) earlier(o supersession) supersession {
	if s.at.IsZero() || !o.at.IsZero() && (o.at.Before(s.at) || o.at.Equal(s.at) && o.by < s.by) {
		return o
	}
	return s
}

// superseded says when an event was superseded: by an updates link from a newer
// event, or by the updates links that closed every fact that it asserts,
// whichever is earlier.
func (n *near) superseded(e *daybook.Event) (supersession, error) {
	if s, ok := n.ends[e.ID]; ok {
		return s, nil
	}
	s, err := n.updated(string(e.ID))
	if err != nil {
		return s, err
	}
	closed, err := n.factsClosed(e.ID)
	if err != nil {
		return s, err
	}
	s = s.earlier(closed)
	n.ends[e.ID] = s
	return s, nil
}

// updated finds the earliest update of an event or a fact.
func (n *near) updated(id string) (s supersession, err error) {
	edges, err := n.edges(id)
	for _, e := range edges {
		if e.Relate.Kind != daybook.Updates || e.Relate.To != id {
			continue
		}
		if at := e.from.begins(); at.After(e.to.begins()) {
			s = s.earlier(supersession{at: at, by: e.Relate.From})
		}
	}
	return s, err
}

// begins is the time of an event, or the beginning of a fact.
func (b body) begins() time.Time {
	switch {
	case b.Event != nil:
		return b.Event.Time.From
	case b.Fact != nil:
		return b.Fact.Valid.From
	}
	return time.Time{}
}

// factsClosed finds when the last fact that an event asserts was closed, if all
// of them were.
func (n *near) factsClosed(id daybook.EventID) (last supersession, err error) {
	facts, err := n.factsOf(id)
	if err != nil {
		return last, err
	}
	for _, f := range facts {
		if f.Fact.Modality != daybook.Asserted {
			continue
		}
		s, err := n.updated(string(f.Fact.ID))
		if err != nil || s.at.IsZero() {
			return supersession{}, err
		}
		if s.facts = true; last.at.IsZero() || s.at.After(last.at) || s.at.Equal(last.at) && s.by < last.by {
			last = s
		}
	}
	return last, nil
}
