package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/store"
)

// What is kept of a scope is bounded, what was asked for lately stays, and a scope that
// is not read makes room for one that is.
func TestRecordsAreBounded(t *testing.T) {
	cache := &Cache{}
	idle, busy := cache.scope(daybook.Scope{User: "idle"}), cache.scope(daybook.Scope{User: "busy"})
	fill := func(s *scopeCache, n int) {
		for i := range n {
			o := &op{Place: store.Place{Seq: 1, Pos: i}, size: 100_000}
			s.records.keep(idKey(fmt.Sprint(i)), []*op{o}, 0, s.turn)
			if _, ok := s.records.list(idKey("0"), s.turn); !ok {
				t.Fatalf("after %d others, what is asked for again and again is gone", i)
			}
		}
	}
	fill(idle, 200)
	fill(busy, 2000)
	if n := busy.records.size(); n > recordBytes+recordBytes/10 || n < recordBytes/2 {
		t.Errorf("%d bytes are kept", n)
	}
	if _, ok := busy.records.list(idKey("3"), busy.turn); ok {
		t.Error("what was asked for once, long ago, is still there")
	}
	cache.scope(daybook.Scope{User: "busy"})
	if n := idle.records.size(); n != 0 {
		t.Errorf("the idle scope still holds %d bytes", n)
	}
}

// A book of before an erasure neither finds nor leaves anything in what is kept since.
func TestRecordsOfAnotherTurn(t *testing.T) {
	s := (&Cache{}).scope(daybook.Scope{})
	before := s.turn
	s.clear()
	o, key := &op{Place: store.Place{Seq: 1}}, idKey("note_1")
	s.records.keep(key, []*op{o}, 0, before)
	s.records.keepAt(o, before)
	if s.records.size() != 0 {
		t.Error("a book of before the erasure left something")
	}
	s.records.keep(key, []*op{o}, 0, s.turn)
	if _, ok := s.records.list(key, before); ok || s.records.at(o.Place, before) != nil {
		t.Error("a book of before the erasure found something")
	}
}

// idKeys are the keys of all ids that a ledger speaks of.
func idKeys(r store.Reader) (keys []store.Key, err error) {
	for e, err := range r.Keys() {
		if err != nil {
			return nil, err
		}
		if listable(e.Key) && !slices.Contains(keys, e.Key) {
			keys = append(keys, e.Key)
		}
	}
	return keys, nil
}

// under is what a book reads under each key, as text.
func under(b *Book, keys []store.Key) (string, error) {
	var text strings.Builder
	for _, k := range keys {
		for o, err := range b.raw(k) {
			if err != nil {
				return "", err
			}
			body, err := o.encode()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&text, "%x %d.%d %s\n", k, o.Seq, o.Pos, body)
		}
	}
	return text.String(), nil
}

// Whatever happens, and whoever read before, a book that reads by way of the records
// reads what one without them does: of the newest commit, of a past time, and of a
// snapshot that others have overtaken.
func TestRecordsAreTheLedger(t *testing.T) {
	for seed := range uint64(4) {
		rng, p, cache := rand.New(rand.NewPCG(seed, 5)), newPen(t), &Cache{}
		var facts []daybook.Fact
		var links []daybook.LinkID
		for step := range 40 {
			n := note(fmt.Sprint("n", step/5), "all of it")
			p.write(daybook.Op{Observe: &n})
			err := p.store.View(t.Context(), daybook.Scope{}, func(old store.Reader) error {
				if _, err := old.Head(); err != nil { // the snapshot is taken
					return err
				}
				happen(p, rng, step, n.ID, &facts, &links)
				if step%17 == 16 {
					p.forget(fmt.Sprint("n", step/5))
				}
				err := p.store.View(t.Context(), daybook.Scope{}, func(r store.Reader) error { return readsTheSame(p, r, cache, rng) })
				if err == nil {
					err = readsTheSame(p, old, cache, rng)
				}
				return err
			})
			if err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
	}
}

func readsTheSame(p *pen, r store.Reader, cache *Cache, rng *rand.Rand) error {
	keys, err := idKeys(r)
	if err != nil {
		return err
	}
	head, err := r.Head()
	if err != nil {
		return err
	}
	past, err := commitAt(r, 1+rng.Uint64N(head.Seq))
	if err != nil {
		return err
	}
	for _, at := range []daybook.AsOf{{}, {KnownAt: past.RecordedAt}} {
		plain, err := Open(r, at, p.now.Add(time.Hour))
		if err != nil {
			return err
		}
		want, err := under(plain, keys)
		if err != nil {
			return err
		}
		kept, err := cache.Open(r, daybook.Scope{}, at, p.now.Add(time.Hour))
		if err != nil {
			return err
		}
		if got, err := under(kept, keys); err != nil || got != want {
			return fmt.Errorf("read %s\nwithout records %s (%w)", got, want, err)
		}
	}
	return nil
}
