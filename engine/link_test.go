package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/index"
)

// crowded is a circle of n statements with vectors that lie at random around a few
// states.
func crowded(n int) (*circle, func(i int) stated) {
	rng := rand.New(rand.NewPCG(1, 2))
	around := make([][]float32, 1+n/10)
	for i := range around {
		around[i] = make([]float32, 384)
		for d := range around[i] {
			around[i][d] = float32(rng.NormFloat64())
		}
	}
	make1 := func(i int) stated {
		vector := make([]float32, 384)
		for d, v := range around[rng.IntN(len(around))] {
			vector[d] = v/20 + float32(rng.NormFloat64())/20
		}
		f := daybook.Fact{
			Subject: "ent_a", Relation: "is", Object: fmt.Sprint("value ", i), Sources: []daybook.NoteID{daybook.NoteID(fmt.Sprint("note_", i))},
			Valid: daybook.Span{From: time.Unix(int64(i)*3600, 0)}, Session: fmt.Sprint(i / 10),
		}
		s := newStated(f.Named(), index.Pack(vector))
		s.read = &extract.Stated{Variable: s.variable, Sure: 0.9}
		return s
	}
	c := newCircle()
	for i := range n {
		c.add(make1(i))
	}
	return c, make1
}

// The lists that are kept up to date are those that are worked out anew.
func TestNeighboursFollow(t *testing.T) {
	c, next := crowded(300)
	for i := range c.all {
		c.list(i)
	}
	for i := 300; i < 330; i++ {
		c.add(next(i))
	}
	for i := range c.all {
		kept := c.list(i)
		c.all[i].near, c.all[i].listed = nil, false
		if fresh := c.list(i); fmt.Sprint(kept) != fmt.Sprint(fresh) {
			t.Fatalf("statement %d: kept %v, worked out %v", i, kept, fresh)
		}
	}
}

// BenchmarkLink measures what judging one more statement costs among n of its
// subject.
func BenchmarkLink(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, next := crowded(n)
			for i := 0; b.Loop(); i++ {
				s := next(n + i)
				v := &view{ledger: c, near: map[int][]neighbour{}}
				v.take(s)
				before, after := v.sights()
				pairs, err := v.concerned(before, after)
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range pairs {
					if _, err := v.before(p, before); err != nil {
						b.Fatal(err)
					}
					if _, err := v.due(p, after); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
