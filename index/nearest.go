package index

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"daybook/store"
)

// Nearest returns the k contents whose vectors are most like the query, best
// first; of a content with several vectors the best counts, and of equal ones
// the earlier comes first. Where keep is not nil, only contents that it keeps are
// returned; it may be called from several goroutines at once.
//
// Up to ExactRows vectors the search is exact; beyond, it is approximate:
// docs/results.md has how good.
func (s *Space) Nearest(query []float32, k int, keep func(store.Place) bool) []Hit {
	switch {
	case len(query) != s.dim || k <= 0 || s.rows == 0:
		return nil
	case s.centre == nil:
		return s.NearestExact(query, k, keep)
	}
	return s.best(query, s.candidates(query, max(leastCandidates, 8*k), keep), k)
}

// NearestExact is Nearest without sketches, whatever the size of the space.
func (s *Space) NearestExact(query []float32, k int, keep func(store.Place) bool) []Hit {
	if len(query) != s.dim || k <= 0 || s.rows == 0 {
		return nil
	}
	return s.best(query, s.scan(newProbe(query), closeTo(k), keep), k)
}

// scan returns the k best by bytes alone.
func (s *Space) scan(q probe, k int, keep func(store.Place) bool) []Hit {
	return s.eachPart(k, func(first int, blocks []*block, best *top) {
		var dots [blockRows]int32
		for n, b := range blocks {
			for from := 0; from < len(b.places); from += blockRows {
				to := min(from+blockRows, len(b.places))
				q.dots(dots[:to-from], b.data[from*s.dim:to*s.dim])
				for i := from; i < to; i++ {
					if score := float32(dots[i-from]) * b.scale[i]; score >= best.least {
						best.offer(Hit{b.places[i], score, uint16(first + n), uint16(i)}, keep)
					}
				}
			}
		}
	})
}

// scanBlocks blocks are scanned before a goroutine asks for more work.
const scanBlocks = 16

// eachPart runs scan over parts of the blocks, given with the number of their first,
// several at once, and returns the k best of all, in no order.
func (s *Space) eachPart(k int, scan func(int, []*block, *top)) []Hit {
	tops := make([]*top, min(runtime.GOMAXPROCS(0), 1+len(s.blocks)/scanBlocks))
	var next atomic.Int64
	var wait sync.WaitGroup
	for i := range tops {
		tops[i] = newTop(k)
		wait.Go(func() {
			for {
				from := int(next.Add(scanBlocks)) - scanBlocks
				if from >= len(s.blocks) {
					return
				}
				scan(from, s.blocks[from:min(from+scanBlocks, len(s.blocks))], tops[i])
			}
		})
	}
	wait.Wait()
	for _, t := range tops[1:] {
		for _, h := range t.hits {
			tops[0].offer(h, nil)
		}
	}
	selectBest(tops[0].hits, k)
	return tops[0].hits[:min(k, len(tops[0].hits))]
}

// best compares the query with candidates' vectors and returns the k best: by
// bytes first, and those that are left by all that is kept of them.
func (s *Space) best(query []float32, candidates []Hit, k int) []Hit {
	if close := closeTo(k); len(candidates) > close {
		candidates = s.narrow(newProbe(query), candidates, close)
	}
	best, row := newTop(k), make([]float32, s.dim)
	var score [1]float32
	queries := [][]float32{query}
	for _, c := range candidates {
		if s.likenesses(score[:], queries, c.Place, row) {
			best.offer(Hit{Place: c.Place, Score: score[0]}, nil)
		}
	}
	return best.sorted()
}

// closeTo is how many contents to choose by bytes so that the k best are among
// them: bytes are off by less than what lies between those and some more.
func closeTo(k int) int { return 2*k + 32 }

// narrow returns the k best of candidates by bytes.
func (s *Space) narrow(q probe, candidates []Hit, k int) []Hit {
	best := newTop(k)
	var dot [1]int32
	for _, c := range candidates {
		b := s.blocks[c.block]
		from := int(c.row)
		for from > 0 && b.places[from-1] == c.Place {
			from--
		}
		for i := from; i < len(b.places) && b.places[i] == c.Place; i++ {
			q.dots(dot[:], b.data[i*s.dim:(i+1)*s.dim])
			best.offer(Hit{Place: c.Place, Score: float32(dot[0]) * b.scale[i]}, nil)
		}
	}
	return best.sorted()
}

// Likeness returns how like the query a content is: the best of its vectors. It is
// false for a place that has none.
func (s *Space) Likeness(query []float32, place store.Place) (score float32, ok bool) {
	var scores [1]float32
	ok = s.likenesses(scores[:], [][]float32{query}, place, make([]float32, s.dim))
	return scores[0], ok
}

// likenesses sets each score to how like one of the queries a content is, in one look
// at its vectors. Row is room for one vector.
func (s *Space) likenesses(scores []float32, queries [][]float32, place store.Place, row []float32) (ok bool) {
	b, from, to := s.find(place)
	for i := from; i < to; i++ {
		b.widen(row, i)
		for j, q := range queries {
			if len(q) != s.dim {
				continue
			}
			if like := dotFloats(q, row) * b.scale[i] / 16; i == from || like > scores[j] {
				scores[j] = like
			}
		}
	}
	return from < to
}

// Rough sets each of out, which has room for Len numbers, to the product of a query with a
// vector, in the order of place and part: by bytes alone, on a scale of the query's own,
// which is nearly the order that Product gives, in a fraction of the time. For a query of
// another length it sets them to 0.
func (s *Space) Rough(out, query []float32) {
	if len(query) != s.dim {
		clear(out[:s.rows])
		return
	}
	q, dots := newProbe(query), make([]int32, blockRows)
	for n, b := range s.blocks {
		rough := out[s.starts[n]:]
		for from := 0; from < len(b.places); from += blockRows {
			to := min(from+blockRows, len(b.places))
			q.dots(dots[:to-from], b.data[from*s.dim:to*s.dim])
			for i := from; i < to; i++ {
				rough[i] = float32(dots[i-from]) * b.scale[i]
			}
		}
	}
}

// Product returns the product of a query with the vector at a number of that order. Row
// is room for one vector.
func (s *Space) Product(number int, query, row []float32) float32 {
	if len(query) != s.dim {
		return 0
	}
	b, i := s.at(number)
	b.widen(row, i)
	return dotFloats(query, row) * b.scale[i] / 16
}

// Dots returns the products of the vector at a number with two others and with itself.
func (s *Space) Dots(number int, a, b, row []float32) (withA, withB, square float32) {
	at, i := s.at(number)
	at.widen(row, i)
	scale := at.scale[i] / 16
	return dotFloats(a, row) * scale, dotFloats(b, row) * scale, dotFloats(row, row) * scale * scale
}

// dotFloatsGo is dotFloats in plain Go, and its definition: 32 sums, so that eight
// numbers can be multiplied at once four times over, put together two by two.
func dotFloatsGo(a, b []float32) float32 {
	var sums [32]float32
	for j, x := range a {
		sums[j%32] += float32(x * b[j])
	}
	for l := range 8 {
		sums[l] = (sums[l] + sums[l+8]) + (sums[l+16] + sums[l+24])
	}
	for l := range 4 {
		sums[l] += sums[l+4]
	}
	return (sums[0] + sums[2]) + (sums[1] + sums[3])
}

// probe is a query rounded so finely that only the rounding of the rows counts:
// as far as a product of whole rows fits 31 bits.
type probe struct{ data []int16 }

func newProbe(query []float32) probe {
	var most float32
	for _, f := range query {
		most = max(most, f, -f)
	}
	p := probe{data: make([]int16, len(query))}
	if most == 0 {
		return p
	}
	levels := float32(min(8191, math.MaxInt32/(127*len(query))))
	for i, f := range query {
		p.data[i] = int16(math.RoundToEven(float64(f / most * levels)))
	}
	return p
}

// dots sets each of out to the product of the query with one row.
func (p probe) dots(out []int32, rows []int8) {
	if len(rows) != len(out)*len(p.data) {
		panic("index: rows do not fit the query")
	}
	dotRows(out, p.data, rows)
}

// dotRowsGo is dotRows in plain Go, and its definition.
func dotRowsGo(out []int32, query []int16, rows []int8) {
	for i := range out {
		var a, b, c, d int32
		row := rows[i*len(query) : (i+1)*len(query)]
		j := 0
		for ; j+4 <= len(row); j += 4 {
			a += int32(query[j]) * int32(row[j])
			b += int32(query[j+1]) * int32(row[j+1])
			c += int32(query[j+2]) * int32(row[j+2])
			d += int32(query[j+3]) * int32(row[j+3])
		}
		for ; j < len(row); j++ {
			a += int32(query[j]) * int32(row[j])
		}
		out[i] = a + b + c + d
	}
}
