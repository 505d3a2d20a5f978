package index

import (
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"

	"daybook"
	"daybook/store"
)

// Space is a set of vectors of one encoder, held in memory to be searched. A
// Space never changes: With and Without return another one, which shares all but
// the blocks that differ. So any number of goroutines may search one while the
// next is made.
//
// What a Space is depends only on the vectors in it, never on the order in which
// they came or on what was removed meanwhile.
type Space struct {
	dim    int
	blocks []*block // rows in the order of place and part
	rows   int
	centre []float32 // what sketches are taken against; nil while search is exact
}

// The measures of a space. Up to ExactRows vectors every one is compared with
// the query; beyond, sketches choose which ones are.
const (
	ExactRows  = 100_000
	blockRows  = 1024
	centreRows = 4096 // the first rows, whose mean is the centre
)

// block is some rows that lie together. A content's rows are never split.
type block struct {
	places []store.Place
	parts  []int32
	scale  []float32 // a row is scale · data
	data   []int8
	sketches
}

// NewSpace returns an empty space for vectors of dim numbers.
func NewSpace(dim int) *Space { return &Space{dim: dim} }

// Len is the number of vectors.
func (s *Space) Len() int { return s.rows }

// Dim is the length of a vector.
func (s *Space) Dim() int { return s.dim }

// Bytes is about how much memory the space takes.
func (s *Space) Bytes() int {
	n := 4 * len(s.centre)
	for _, b := range s.blocks {
		n += 16*cap(b.places) + 4*cap(b.parts) + 4*cap(b.scale) + cap(b.data) + 8*cap(b.signs) + 4*cap(b.stretch)
	}
	return n
}

// With returns a space that has these vectors too, packed as Pack does; a vector
// with the place and part of an old one takes its place. A vector of another
// length is Corrupt.
func (s *Space) With(vectors []store.Vector) (*Space, error) {
	for _, v := range vectors {
		if len(v.Data) != 2*s.dim {
			return nil, daybook.Errorf(daybook.Corrupt, "the vector of %d.%d has %d bytes, want %d; run 'daybook embed --again'", v.Seq, v.Pos, len(v.Data), 2*s.dim)
		}
	}
	if len(vectors) == 0 {
		return s, nil
	}
	vectors = slices.Clone(vectors)
	slices.SortStableFunc(vectors, func(a, b store.Vector) int { return compareRows(a.Place, a.Part, b.Place, b.Part) })
	kept := s.blocksBefore(vectors[0].Place)
	fresh := &block{}
	tail := newRows(s.blocks[kept:])
	for i, v := range vectors {
		tail.copyBefore(fresh, s.dim, v.Place, v.Part)
		if i+1 == len(vectors) || compareRows(v.Place, v.Part, vectors[i+1].Place, vectors[i+1].Part) != 0 {
			fresh.add(s.dim, v)
		}
	}
	tail.copyRest(fresh, s.dim)
	return s.next(kept, fresh.cut(s.dim)), nil
}

// Without returns a space that lacks the vectors of these places.
func (s *Space) Without(places []store.Place) *Space {
	gone := map[store.Place]bool{}
	for _, p := range places {
		gone[p] = true
	}
	blocks, rows := make([]*block, 0, len(s.blocks)), 0
	for _, b := range s.blocks {
		if slices.ContainsFunc(b.places, func(p store.Place) bool { return gone[p] }) {
			b = b.without(s.dim, gone)
		}
		if len(b.places) > 0 {
			blocks, rows = append(blocks, b), rows+len(b.places)
		}
	}
	if rows == s.rows {
		return s
	}
	n := &Space{dim: s.dim}
	n.centre = s.centre
	return n.finish(blocks)
}

// blocksBefore is how many blocks lie wholly before a place; of those, the last
// is left out when it has room for more rows.
func (s *Space) blocksBefore(p store.Place) int {
	n := sort.Search(len(s.blocks), func(i int) bool {
		b := s.blocks[i]
		return comparePlaces(b.places[len(b.places)-1], p) >= 0
	})
	if n > 0 && len(s.blocks[n-1].places) < blockRows {
		n--
	}
	return n
}

// next is the space with its blocks from kept on replaced.
func (s *Space) next(kept int, tail []*block) *Space {
	blocks := make([]*block, 0, kept+len(tail))
	n := &Space{dim: s.dim, centre: s.centre}
	return n.finish(append(append(blocks, s.blocks[:kept]...), tail...))
}

// finish sets the blocks and brings the sketches in line with them.
func (s *Space) finish(blocks []*block) *Space {
	s.blocks, s.rows = blocks, 0
	for _, b := range blocks {
		s.rows += len(b.places)
	}
	s.sketch()
	return s
}

func comparePlaces(a, b store.Place) int {
	switch {
	case a.Seq < b.Seq || a.Seq == b.Seq && a.Pos < b.Pos:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func compareRows(a store.Place, aPart int, b store.Place, bPart int) int {
	if c := comparePlaces(a, b); c != 0 {
		return c
	}
	return aPart - bPart
}

// oldRows walks over the rows of blocks that are made anew.
type oldRows struct {
	blocks []*block
	row    int
}

func newRows(blocks []*block) *oldRows { return &oldRows{blocks: blocks} }

// copyBefore copies the rows before one to dst, and passes over that row itself.
func (o *oldRows) copyBefore(dst *block, dim int, p store.Place, part int) {
	for len(o.blocks) > 0 {
		b := o.blocks[0]
		c := compareRows(b.places[o.row], int(b.parts[o.row]), p, part)
		if c > 0 {
			return
		}
		if c < 0 {
			dst.take(dim, b, o.row)
		}
		if o.row++; o.row == len(b.places) {
			o.blocks, o.row = o.blocks[1:], 0
		}
	}
}

func (o *oldRows) copyRest(dst *block, dim int) {
	o.copyBefore(dst, dim, store.Place{Seq: math.MaxUint64, Pos: math.MaxInt}, 0)
}

// take appends row i of another block.
func (b *block) take(dim int, from *block, i int) {
	b.places, b.parts, b.scale = append(b.places, from.places[i]), append(b.parts, from.parts[i]), append(b.scale, from.scale[i])
	b.data = append(b.data, from.data[i*dim:(i+1)*dim]...)
}

// add appends a packed vector, rounded to bytes.
func (b *block) add(dim int, v store.Vector) {
	b.places, b.parts = append(b.places, v.Place), append(b.parts, int32(v.Part))
	at := len(b.data)
	b.data = append(b.data, make([]int8, dim)...)
	b.scale = append(b.scale, roundRow(b.data[at:], v.Data))
}

// roundRow rounds a packed vector to bytes with one scale, which it returns.
func roundRow(dst []int8, packed []byte) float32 {
	var most float32
	for i := range dst {
		f := halves()[binary.LittleEndian.Uint16(packed[2*i:])]
		most = max(most, f, -f)
	}
	if most == 0 {
		return 0
	}
	inv := 127 / most
	for i := range dst {
		f := halves()[binary.LittleEndian.Uint16(packed[2*i:])] * inv
		if f < 0 {
			dst[i] = int8(f - 0.5)
		} else {
			dst[i] = int8(f + 0.5)
		}
	}
	return most / 127
}

// halves is fromHalf for every number.
var halves = sync.OnceValue(func() *[1 << 16]float32 {
	var all [1 << 16]float32
	for i := range all {
		all[i] = fromHalf(uint16(i))
	}
	return &all
})

// cut makes blocks of the usual size of one that may be large.
func (b *block) cut(dim int) (blocks []*block) {
	for from := 0; from < len(b.places); {
		to := min(from+blockRows, len(b.places))
		for to < len(b.places) && b.places[to] == b.places[to-1] {
			to++
		}
		blocks = append(blocks, &block{
			places: slices.Clone(b.places[from:to]), parts: slices.Clone(b.parts[from:to]),
			scale: slices.Clone(b.scale[from:to]), data: slices.Clone(b.data[from*dim : to*dim]),
		})
		from = to
	}
	return blocks
}

func (b *block) without(dim int, gone map[store.Place]bool) *block {
	left := &block{}
	for i, p := range b.places {
		if !gone[p] {
			left.take(dim, b, i)
			left.sketches.take(dim, b.sketches, i)
		}
	}
	return left
}

// Nearest returns the k contents whose vectors are most like the query, best
// first; of a content with several vectors the best counts, and of equal ones
// the earlier comes first. Where keep is not nil, only contents that it keeps are
// returned; it may be called from several goroutines at once.
//
// Up to ExactRows vectors the search is exact, but for the rounding of vectors
// to bytes. Beyond, it is approximate; docs/results.md has how good it is.
func (s *Space) Nearest(query []float32, k int, keep func(store.Place) bool) []Hit {
	if len(query) != s.dim || k <= 0 || s.rows == 0 {
		return nil
	}
	q := newProbe(query)
	if s.centre == nil {
		return s.exact(q, k, keep)
	}
	return s.rescore(q, s.candidates(query, max(leastCandidates, 8*k), keep), k)
}

// NearestExact is Nearest without sketches, whatever the size of the space.
func (s *Space) NearestExact(query []float32, k int, keep func(store.Place) bool) []Hit {
	if len(query) != s.dim || k <= 0 {
		return nil
	}
	return s.exact(newProbe(query), k, keep)
}

func (s *Space) exact(q probe, k int, keep func(store.Place) bool) []Hit {
	found := s.eachPart(k, func(blocks []*block, best *top) {
		var dots [blockRows]int32
		for _, b := range blocks {
			for from := 0; from < len(b.places); from += blockRows {
				to := min(from+blockRows, len(b.places))
				q.dots(dots[:to-from], b.data[from*s.dim:to*s.dim])
				for i := from; i < to; i++ {
					if score := float32(dots[i-from]) * b.scale[i]; score >= best.least {
						best.offer(Hit{b.places[i], score}, keep)
					}
				}
			}
		}
	})
	return q.finish(found)
}

// eachPart runs scan over the blocks in a few parts at once and returns the k
// best of all.
func (s *Space) eachPart(k int, scan func([]*block, *top)) []Hit {
	parts := min(runtime.GOMAXPROCS(0), 1+s.rows/16384)
	tops := make([]*top, parts)
	var wait sync.WaitGroup
	for i := range parts {
		from, to := i*len(s.blocks)/parts, (i+1)*len(s.blocks)/parts
		tops[i] = newTop(k)
		wait.Go(func() { scan(s.blocks[from:to], tops[i]) })
	}
	wait.Wait()
	for _, t := range tops[1:] {
		for _, h := range t.hits {
			tops[0].offer(h, nil)
		}
	}
	return tops[0].sorted()
}

// rescore compares the query with the vectors of candidates and returns the k best.
func (s *Space) rescore(q probe, candidates []Hit, k int) []Hit {
	best := newTop(k)
	var dot [1]int32
	slices.SortFunc(candidates, func(a, b Hit) int { return comparePlaces(a.Place, b.Place) })
	at, row := 0, 0
	for _, c := range candidates {
		for comparePlaces(s.blocks[at].places[len(s.blocks[at].places)-1], c.Place) < 0 {
			at, row = at+1, 0
		}
		b := s.blocks[at]
		row += sort.Search(len(b.places)-row, func(i int) bool { return comparePlaces(b.places[row+i], c.Place) >= 0 })
		for ; row < len(b.places) && b.places[row] == c.Place; row++ {
			q.dots(dot[:], b.data[row*s.dim:(row+1)*s.dim])
			best.offer(Hit{c.Place, float32(dot[0]) * b.scale[row]}, nil)
		}
	}
	return q.finish(best.sorted())
}

// Likeness returns how like the query the given places are: the best of each
// one's vectors, and false for a place that has none.
func (s *Space) Likeness(query []float32, place store.Place) (float32, bool) {
	at := sort.Search(len(s.blocks), func(i int) bool {
		b := s.blocks[i]
		return comparePlaces(b.places[len(b.places)-1], place) >= 0
	})
	if at == len(s.blocks) || len(query) != s.dim {
		return 0, false
	}
	b := s.blocks[at]
	row := sort.Search(len(b.places), func(i int) bool { return comparePlaces(b.places[i], place) >= 0 })
	q, score, ok := newProbe(query), float32(math.Inf(-1)), false
	var dot [1]int32
	for ; row < len(b.places) && b.places[row] == place; row++ {
		q.dots(dot[:], b.data[row*s.dim:(row+1)*s.dim])
		score, ok = max(score, float32(dot[0])*b.scale[row]), true
	}
	return score * q.scale, ok
}

// Vector returns the vectors of a place, as far as bytes keep them.
func (s *Space) Vector(place store.Place) (vectors [][]float32) {
	at := sort.Search(len(s.blocks), func(i int) bool {
		b := s.blocks[i]
		return comparePlaces(b.places[len(b.places)-1], place) >= 0
	})
	if at == len(s.blocks) {
		return nil
	}
	b := s.blocks[at]
	for i, p := range b.places {
		if p == place {
			v := make([]float32, s.dim)
			b.row(v, i)
			vectors = append(vectors, v)
		}
	}
	return vectors
}

// row writes row i to v.
func (b *block) row(v []float32, i int) {
	for j, x := range b.data[i*len(v) : (i+1)*len(v)] {
		v[j] = b.scale[i] * float32(x)
	}
}

// probe is a query rounded so finely that only the rounding of the rows counts:
// as far as a product of whole rows fits 31 bits.
type probe struct {
	data  []int16
	scale float32
}

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
	p.scale = most / levels
	return p
}

// dots sets each of out to the product of the query with one row.
func (p probe) dots(out []int32, rows []int8) {
	if len(rows) != len(out)*len(p.data) {
		panic("index: rows do not fit the query")
	}
	dotRows(out, p.data, rows)
}

// finish brings products to cosines.
func (p probe) finish(hits []Hit) []Hit {
	for i := range hits {
		hits[i].Score *= p.scale
	}
	return hits
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
