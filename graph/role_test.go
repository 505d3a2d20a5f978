package graph

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"daybook"
	"daybook/store"
)

// periodByStates is what States says of a fact: the definition of Period.
func periodByStates(b *Book, f *daybook.Fact) (period daybook.Period, err error) {
	states, err := b.States(Select{Subject: string(f.Subject)})
	for _, st := range states {
		for _, p := range st.Periods {
			if slices.ContainsFunc(p.Facts, func(o daybook.RecordedFact) bool { return o.ID == f.ID }) {
				period = p
				period.Facts, period.Relation = nil, ""
			}
		}
	}
	return period, err
}

// Whatever happens to facts, Period by way of a cache that lived through it all, and
// without one, is what States says, and what stands on a note is what Learned says.
func TestPeriodsAreThoseOfStates(t *testing.T) {
	for seed := range uint64(6) {
		rng, p, cache := rand.New(rand.NewPCG(seed, 3)), newPen(t), &Cache{}
		var facts []daybook.Fact
		var links []daybook.LinkID
		n := note("n", "all of it")
		p.write(daybook.Op{Observe: &n})
		for step := range 40 {
			err := p.store.View(t.Context(), daybook.Scope{}, func(old store.Reader) error {
				if _, err := old.Head(); err != nil { // the snapshot is taken
					return err
				}
				happen(p, rng, step, n.Named().ID, &facts, &links)
				err := p.store.View(t.Context(), daybook.Scope{}, func(r store.Reader) error { return lookNow(r, cache, n.Named().ID, facts) })
				if err == nil {
					err = lookBehind(old, cache, n.Named().ID, facts)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// lookBehind compares on a snapshot that is older than what the cache knows.
func lookBehind(r store.Reader, cache *Cache, source daybook.NoteID, facts []daybook.Fact) error {
	plain, err := Open(r, daybook.AsOf{}, day(15).From)
	if err != nil {
		return err
	}
	b, err := cache.Open(r, daybook.Scope{}, daybook.AsOf{}, day(15).From)
	if err != nil {
		return err
	}
	return comparePeriods(b, plain, source, facts)
}

// Many read while somebody writes: each finds the periods of its own snapshot.
func TestPeriodsWhileWriting(t *testing.T) {
	rng, p, cache := rand.New(rand.NewPCG(9, 3)), newPen(t), &Cache{}
	n := note("n", "all of it")
	p.write(daybook.Op{Observe: &n})
	var facts []daybook.Fact
	var links []daybook.LinkID
	for step := range 30 {
		happen(p, rng, step, n.ID, &facts, &links)
	}
	first := slices.Clone(facts)
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := p.store.View(t.Context(), daybook.Scope{}, func(r store.Reader) error { return lookBehind(r, cache, n.ID, first) })
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for step := range 30 {
		happen(p, rng, step, n.ID, &facts, &links)
	}
	close(stop)
	readers.Wait()
}

// happen does one thing by chance; what cannot be done is left.
func happen(p *pen, rng *rand.Rand, step int, source daybook.NoteID, facts *[]daybook.Fact, links *[]daybook.LinkID) {
	pick := func() daybook.Fact { return (*facts)[rng.IntN(len(*facts))] }
	switch kind := rng.IntN(8); {
	case kind < 4 || len(*facts) < 3:
		f := daybook.Fact{
			Subject: daybook.EntityID([]string{"ent_a", "ent_b"}[rng.IntN(2)]), Relation: []string{"lives_in", "likes", "owns"}[rng.IntN(3)],
			Object: []string{"Rome", "Paris", "rome"}[rng.IntN(3)], Valid: day(1 + rng.IntN(20)), Sources: []daybook.NoteID{source},
		}
		if rng.IntN(4) == 0 {
			f.Modality = daybook.Planned
		}
		if rng.IntN(5) == 0 {
			f.Valid.Until = f.Valid.From.AddDate(0, 0, 5)
		}
		*facts = append(*facts, f.Named())
		_ = p.try(daybook.Op{Fact: &f})
	case kind == 4:
		l := daybook.Link{Kind: []daybook.LinkKind{daybook.Updates, daybook.Contradicts, daybook.MayUpdate}[rng.IntN(3)], From: string(pick().ID), To: string(pick().ID), Why: "x"}
		l = l.Named()
		if p.try(daybook.Op{Relate: &l}) == nil {
			*links = append(*links, l.ID)
		}
	case kind == 5 && len(*links) > 0:
		_ = p.try(daybook.Op{Retract: &daybook.Retract{Target: string((*links)[rng.IntN(len(*links))])}})
	case kind == 6:
		_ = p.try(daybook.Op{Retract: &daybook.Retract{Target: string(pick().ID)}})
	case step%13 == 0:
		_ = p.try(daybook.Op{Merge: &daybook.Merge{From: "ent_b", Into: "ent_a"}})
	default:
		p.revertHead()
	}
}

// lookNow compares on the newest snapshot, with the cache and without.
func lookNow(r store.Reader, cache *Cache, source daybook.NoteID, facts []daybook.Fact) error {
	plain, err := Open(r, daybook.AsOf{}, day(15).From)
	if err == nil {
		err = comparePeriods(plain, plain, source, facts)
	}
	if err != nil {
		return err
	}
	cached, err := cache.Open(r, daybook.Scope{}, daybook.AsOf{}, day(15).From)
	if err == nil {
		err = comparePeriods(cached, cached, source, facts)
	}
	return err
}

// comparePeriods compares the periods of one book with the states of another.
func comparePeriods(b, states *Book, source daybook.NoteID, facts []daybook.Fact) error {
	for i := range facts {
		want, err := periodByStates(states, &facts[i])
		if err != nil {
			return err
		}
		got, err := b.Period(&facts[i])
		if err != nil || !reflect.DeepEqual(got, want) {
			return fmt.Errorf("period of %s %s %s is %+v, States says %+v (%w)", facts[i].Subject, facts[i].Relation, facts[i].Object, got, want, err)
		}
		if err := compareOneState(b, states, &facts[i]); err != nil {
			return err
		}
	}
	return compareStanding(b, source)
}

// compareOneState compares a state that is read by itself with the same among all of its
// subject's.
func compareOneState(b, all *Book, f *daybook.Fact) error {
	got, err := b.States(Select{Subject: string(f.Subject), Relation: f.Relation})
	if err != nil {
		return err
	}
	want, err := all.States(Select{Subject: string(f.Subject)})
	want = slices.DeleteFunc(want, func(s daybook.State) bool { return s.Relation != f.Relation && !slices.Contains(s.Also, f.Relation) })
	if err != nil || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s %s by itself is %+v, among all %+v (%w)", f.Subject, f.Relation, got, want, err)
	}
	return compareTold(b, got, f)
}

// compareTold compares the facts that tell a state variable with those of its state.
func compareTold(b *Book, states []daybook.State, f *daybook.Fact) error {
	var want [][]daybook.FactID
	for _, st := range states {
		for _, p := range st.Periods {
			if p.Modality == daybook.Asserted && cmp.Or(p.Relation, st.Relation) == f.Relation {
				ids := make([]daybook.FactID, len(p.Facts))
				for i := range p.Facts {
					ids[i] = p.Facts[i].ID
				}
				want = append(want, ids)
			}
		}
	}
	told, err := b.Told(string(f.Subject), f.Relation)
	var got [][]daybook.FactID
	for _, facts := range told {
		ids := make([]daybook.FactID, len(facts))
		for i := range facts {
			ids[i] = facts[i].ID
		}
		got = append(got, ids)
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s %s is told by %v, its periods have %v (%w)", f.Subject, f.Relation, got, want, err)
	}
	return nil
}

func compareStanding(b *Book, source daybook.NoteID) error {
	learned, _, err := b.stated(string(source))
	if err != nil {
		return err
	}
	standing, err := b.Standing(source, 1000)
	if err != nil {
		return err
	}
	var got, want []string
	for _, f := range learned.Facts {
		want = append(want, string(f.ID))
	}
	for _, l := range learned.Links {
		want = append(want, string(l.ID))
	}
	for _, f := range standing.Facts {
		got = append(got, string(f.ID))
	}
	for _, l := range standing.Ties {
		got = append(got, string(l.Link))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("on the note stands %v, stated says %v", got, want)
	}
	return compareUpdated(b, source)
}

// compareUpdated compares the updates on a note with those that Standing has, under the
// same bound.
func compareUpdated(b *Book, source daybook.NoteID) error {
	for _, most := range []int{1, 3, 1000} {
		want, err := b.Standing(source, most)
		if err != nil {
			return err
		}
		want.Ties = slices.DeleteFunc(want.Ties, func(t Tie) bool { return t.Kind != daybook.Updates })
		got, err := b.Updated(source, most)
		if err != nil || !slices.EqualFunc(got.Ties, want.Ties, func(a, b Tie) bool { return a.Link == b.Link }) {
			return fmt.Errorf("up to %d updates are %v, Standing has %v (%w)", most, got.Ties, want.Ties, err)
		}
	}
	return nil
}

// SharesNotes is true over commits that take no note back, and false over others.
func TestSharesNotes(t *testing.T) {
	p, cache := newPen(t), &Cache{}
	var heads []store.Commit
	shares := func(want ...bool) {
		t.Helper()
		err := p.store.View(t.Context(), daybook.Scope{}, func(r store.Reader) error {
			b, err := cache.Open(r, daybook.Scope{}, daybook.AsOf{}, p.now)
			if err != nil {
				return err
			}
			for i, w := range want {
				if got := b.SharesNotes(heads[i]); got != w {
					t.Errorf("after commit %d, sharing notes with commit %d is %v", b.Head().Seq, heads[i].Seq, got)
				}
			}
			heads = append(heads, b.Head())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	one, two := note("1", "one"), note("2", "two")
	p.write(daybook.Op{Observe: &one})
	shares()
	p.write(daybook.Op{Observe: &two})
	shares(true)
	f := daybook.Fact{Subject: "ent_a", Relation: "owns", Object: "a dog", Valid: day(2), Sources: []daybook.NoteID{one.ID}}
	p.write(daybook.Op{Fact: &f})
	shares(true, true)
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(f.Named().ID)}})
	shares(true, true, true)
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(two.ID)}})
	shares(false, false, false, false)
	p.revertHead()
	shares(false, false, false, false, false)
}
