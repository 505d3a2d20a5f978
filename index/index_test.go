package index_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/index"
	"daybook/store"

	"pgregory.net/rapid"
)

var vocabulary = strings.Fields(`Maya Ben Lisbon Rosa Luxemburg market rain umbrella sister moved spring bakery call tomorrow trip
	tickets cheaper Tuesday went seven 7 May 2023 3pm the a of in cat dog piano swims guitar lessons painted fence`)

const dim = 32

// note makes the same note for the same place whenever it is asked to.
func note(p store.Place) (index.Doc, []store.Vector) {
	random := rand.New(rand.NewPCG(p.Seq, uint64(p.Pos)))
	words := make([]string, 1+random.IntN(12))
	for i := range words {
		words[i] = vocabulary[random.IntN(len(vocabulary))]
	}
	d := index.Doc{
		Place: p, Time: time.Unix(1_600_000_000+int64(random.IntN(5000)), 0), Session: fmt.Sprint("s", random.IntN(4)),
		Words: []index.Words{{Text: strings.Join(words, " ")}, {Field: index.Window, Text: words[0], Weight: 0.5}},
	}
	for range random.IntN(3) {
		d.Names = append(d.Names, daybook.EntityID(fmt.Sprint("ent_", random.IntN(5))))
	}
	rows := make([]store.Vector, 1+random.IntN(3))
	for i := range rows {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(random.NormFloat64())
		}
		unit(v)
		rows[i] = store.Vector{Place: p, Part: i, Data: index.Pack(v)}
	}
	return d, rows
}

func apply(t interface{ Fatal(...any) }, s *index.Index, add, remove []store.Place) {
	c := index.Change{Remove: remove}
	v := index.Vectors{Space: "content", Dim: dim}
	for _, p := range add {
		d, rows := note(p)
		c.Add, v.Rows = append(c.Add, d), append(v.Rows, rows...)
	}
	c.Vectors = []index.Vectors{v}
	if err := s.Apply(c); err != nil {
		t.Fatal(err)
	}
}

// answers is all that a snapshot says, as text.
func answers(v *index.Snapshot) string {
	var out strings.Builder
	show := func(found []index.Found) {
		for _, f := range found {
			fmt.Fprint(&out, v.Place(f.ID), f.Score, " ")
		}
		out.WriteString("\n")
	}
	var all []index.ID
	for id := range v.Between(time.Time{}, time.Time{}) {
		all = append(all, id)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		q := index.Ask(vocabulary[random.IntN(len(vocabulary))]+" "+vocabulary[random.IntN(len(vocabulary))]+" "+vocabulary[random.IntN(len(vocabulary))], index.Content, index.Window)
		show(v.Search(q, 1+random.IntN(20), nil))
		fmt.Fprintln(&out, v.Score(q, all))
		query := make([]float32, dim)
		for j := range query {
			query[j] = float32(random.NormFloat64())
		}
		show(v.Nearest("content", query, 5, nil))
		fmt.Fprintln(&out, v.Likeness("content", query, all))
	}
	for _, id := range all {
		at, of := v.Position(id)
		fmt.Fprintln(&out, v.Place(id), v.Time(id), v.Session(id), v.Names(id), v.Around(id, 2, 1), at, of)
	}
	for term, n := range v.Terms(index.Content, "") {
		fmt.Fprintln(&out, term, n, v.Rarity(index.Content, term))
	}
	for i := range 5 {
		fmt.Fprintln(&out, v.Named(daybook.EntityID(fmt.Sprint("ent_", i))), v.InSession(fmt.Sprint("s", i)))
	}
	return out.String()
}

// TestIncrementalIsRebuilt: after any sequence of adding, removing and bringing
// back, an index answers as one that was made afresh of the notes that are left.
func TestIncrementalIsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, next := index.New(), uint64(1)
		present, removed := map[store.Place]bool{}, map[store.Place]bool{}
		said := map[*index.Snapshot]string{} // on the way: what a snapshot says never changes
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			var add, remove []store.Place
			for i := range rapid.IntRange(0, 6).Draw(t, "new") {
				add = append(add, store.Place{Seq: next, Pos: i})
			}
			next++
			for _, p := range sorted(removed) {
				if rapid.IntRange(0, 9).Draw(t, "back") == 0 {
					add = append(add, p)
				}
			}
			for _, p := range sorted(present) {
				if rapid.IntRange(0, 9).Draw(t, "out") == 0 {
					remove = append(remove, p)
				}
			}
			apply(t, s, add, remove)
			if rapid.IntRange(0, 4).Draw(t, "asked") == 0 {
				said[s.Snapshot()] = answers(s.Snapshot())
			}
			for _, p := range remove {
				delete(present, p)
				removed[p] = true
			}
			for _, p := range add {
				delete(removed, p)
				present[p] = true
			}
		}
		fresh := index.New()
		apply(t, fresh, sorted(present), nil)
		if got, want := answers(s.Snapshot()), answers(fresh.Snapshot()); got != want {
			t.Fatalf("the index answers\n%s\na fresh one\n%s", got, want)
		}
		for v, before := range said {
			if now := answers(v); now != before {
				t.Fatalf("an older snapshot answers\n%s\nand before\n%s", now, before)
			}
		}
		for _, p := range sorted(removed) {
			if _, ok := s.Snapshot().Find(p); ok || len(s.Snapshot().Space("content").Vectors(p)) > 0 {
				t.Fatalf("%v is still there", p)
			}
		}
	})
}

func sorted(set map[store.Place]bool) []store.Place {
	var all []store.Place
	for p := range set {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Pos, b.Pos)) })
	return all
}
