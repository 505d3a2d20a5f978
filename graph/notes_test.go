package graph

import (
	"fmt"
	"testing"
	"time"

	"daybook"
	"daybook/store"
)

// observedAt is the text of the note at the first place of a commit, read by way of a
// cache; "" where there is none.
func (p *pen) observedAt(cache *Cache, scope daybook.Scope, seq uint64) (text string) {
	p.t.Helper()
	err := p.store.View(p.t.Context(), scope, func(r store.Reader) error {
		b, err := cache.Open(r, scope, daybook.AsOf{}, p.now.Add(time.Hour))
		if err != nil {
			return err
		}
		for c, err := range r.Contents(store.Range{From: seq, To: seq}) {
			if err != nil {
				return err
			}
			n, _, err := b.NoteObserved(c.Place)
			text = n.Text
			return err
		}
		n, _, err := b.NoteObserved(store.Place{Seq: seq})
		text = n.Text
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// A note that is kept in memory is the one of its scope, and goes when it is erased.
func TestKeptNotesAreNotStale(t *testing.T) {
	p, cache, other := newPen(t), &Cache{}, daybook.Scope{User: "other"}
	mine, theirs := note("m1", "mine"), note("m1", "theirs")
	p.write(daybook.Op{Observe: &mine})
	ledger := Ledger{Now: func() time.Time { return p.now }, Rand: zeroes{}}
	err := p.store.Update(t.Context(), other, func(w store.Writer) error {
		_, err := ledger.Apply(w, Change{Author: "test", Ops: []daybook.Op{{Observe: &theirs}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if a, b := p.observedAt(cache, daybook.Scope{}, 1), p.observedAt(cache, other, 1); a != "mine" || b != "theirs" {
			t.Fatalf("%q and %q", a, b)
		}
	}
	if n := len(cache.scope(other).records.young.placed); n != 1 {
		t.Fatalf("%d notes are kept", n)
	}
	p.forget("m1")
	if a, b := p.observedAt(cache, daybook.Scope{}, 1), p.observedAt(cache, other, 1); a != "" || b != "theirs" {
		t.Errorf("after an erasure: %q and %q", a, b)
	}
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Only notes that were never there count as nothing but new notes.
func TestOnlyNewNotes(t *testing.T) {
	p := newPen(t)
	life(p)
	var head uint64
	p.read(func(b *Book) error { head = b.Head().Seq; return nil })
	only := func(want bool, what string) {
		t.Helper()
		p.read(func(b *Book) error {
			got, err := OnlyNewNotes(b.Reader(), head)
			if got != want {
				t.Errorf("%s: %v", what, got)
			}
			return err
		})
	}
	only(true, "nothing came")
	for i := range 3 {
		n := note(fmt.Sprint("new", i), "hello")
		p.write(daybook.Op{Observe: &n})
	}
	only(true, "notes came")
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(note("new1", "hello").Named().ID)}})
	only(false, "one was withdrawn")
	p.read(func(b *Book) error { head = b.Head().Seq; return nil })
	again := note("new1", "hello")
	p.write(daybook.Op{Observe: &again})
	only(false, "it came back")
}
