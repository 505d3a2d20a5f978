package index

import (
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

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
	starts []int    // the number of the first row of each block
	rows   int
	centre []float32 // what sketches are taken against; nil while search is exact
	list   bool      // it is only ever read row by row, and needs no sketches
}

// The measures of a space. Up to ExactRows vectors every one is compared with
// the query; beyond, sketches choose which ones are.
const (
	ExactRows  = 65_536
	blockRows  = 1024
	centreRows = 4096 // the first rows, whose mean is the centre
)

// block is some rows that lie together. A content's rows are never split.
type block struct {
	places []store.Place
	parts  []int32
	scale  []float32 // a row is scale · (data + fine)
	data   []int8
	fine   []uint8 // four bits a dimension: the sixteenth of a step that data leaves out
	sketches
}

// NewSpace returns an empty space for vectors of dim numbers.
func NewSpace(dim int) *Space { return &Space{dim: dim} }

// NewList returns an empty space whose vectors are read row by row: see Rough and Product.
func NewList(dim int) *Space { return &Space{dim: dim, list: true} }

// Len is the number of vectors.
func (s *Space) Len() int { return s.rows }

// Dim is the length of a vector.
func (s *Space) Dim() int { return s.dim }

// Bytes is about how much memory the space takes.
func (s *Space) Bytes() int {
	n := 4 * len(s.centre)
	for _, b := range s.blocks {
		n += 16*cap(b.places) + 4*cap(b.parts) + 4*cap(b.scale) + cap(b.data) + cap(b.fine) + cap(b.codes) + 4*cap(b.stretch)
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
	tail, centre := newRows(s.blocks[kept:]), s.centreFrom(kept)
	fresh.grow(s.dim, tail.rows()+len(vectors))
	for i, v := range vectors {
		tail.copyBefore(fresh, s.dim, v.Place, v.Part)
		if i+1 == len(vectors) || compareRows(v.Place, v.Part, vectors[i+1].Place, vectors[i+1].Part) != 0 {
			fresh.add(s.dim, v)
			if centre != nil {
				fresh.sketchLast(s.dim, centre)
			}
		}
	}
	tail.copyRest(fresh, s.dim)
	if centre == nil { // then all sketches are made anew, if any
		fresh.sketches = sketches{}
	}
	return s.next(kept, fresh.cut(s.dim)), nil
}

// centreFrom is the centre that a space has which keeps so many of the first blocks;
// nil where that is not known.
func (s *Space) centreFrom(kept int) []float32 {
	rows := 0
	for _, b := range s.blocks[:kept] {
		if rows += len(b.places); rows >= centreRows {
			return s.centre
		}
	}
	return nil
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
	return s.next(0, blocks)
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
	n := &Space{dim: s.dim, list: s.list, blocks: append(append(blocks, s.blocks[:kept]...), tail...)}
	n.count()
	n.sketch(s)
	return n
}

// count numbers the rows.
func (s *Space) count() {
	s.starts, s.rows = make([]int, len(s.blocks)), 0
	for i, b := range s.blocks {
		s.starts[i] = s.rows
		s.rows += len(b.places)
	}
}

// at finds a row by its number in the order of place and part.
func (s *Space) at(number int) (*block, int) {
	i := sort.SearchInts(s.starts, number+1) - 1
	return s.blocks[i], number - s.starts[i]
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

func (o *oldRows) rows() (n int) {
	for _, b := range o.blocks {
		n += len(b.places)
	}
	return n
}

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

// grow makes room for so many rows.
func (b *block) grow(dim, rows int) {
	b.places, b.parts, b.scale = slices.Grow(b.places, rows), slices.Grow(b.parts, rows), slices.Grow(b.scale, rows)
	b.data, b.fine = slices.Grow(b.data, rows*dim), slices.Grow(b.fine, rows*fineBytes(dim))
}

// take appends row i of another block, with its sketch where it has one.
func (b *block) take(dim int, from *block, i int) {
	b.places, b.parts, b.scale = append(b.places, from.places[i]), append(b.parts, from.parts[i]), append(b.scale, from.scale[i])
	b.data = append(b.data, from.data[i*dim:(i+1)*dim]...)
	w := fineBytes(dim)
	b.fine = append(b.fine, from.fine[i*w:(i+1)*w]...)
	b.sketches.take(dim, from.sketches, i)
}

// fineBytes is the size of one row's fine part.
func fineBytes(dim int) int { return (dim + 1) / 2 }

// add appends a packed vector, rounded to bytes.
func (b *block) add(dim int, v store.Vector) {
	b.places, b.parts = append(b.places, v.Place), append(b.parts, int32(v.Part))
	at, fine := len(b.data), len(b.fine)
	b.data = append(b.data, make([]int8, dim)...)
	b.fine = append(b.fine, make([]uint8, fineBytes(dim))...)
	b.scale = append(b.scale, roundRow(b.data[at:], b.fine[fine:], v.Data))
}

// roundRow rounds a packed vector to bytes and sixteenths of them with one scale,
// which it returns.
func roundRow(dst []int8, fine []uint8, packed []byte) float32 {
	var most uint16 // without their signs, halves are ordered as whole numbers are
	for i := range dst {
		most = max(most, binary.LittleEndian.Uint16(packed[2*i:])&0x7fff)
	}
	if most == 0 {
		return 0
	}
	half := halves()
	inv := 127 * 16 / half[most]
	for i := range dst {
		// In sixteenths, made positive so that cutting off rounds down.
		n := int32(half[binary.LittleEndian.Uint16(packed[2*i:])]*inv + 128*16 + 8)
		dst[i] = int8(n>>4 - 128)
		fine[i/2] |= uint8(n&15) << (i % 2 * 4)
	}
	return half[most] / 127
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
			fine: slices.Clone(b.fine[from*fineBytes(dim) : to*fineBytes(dim)]), sketches: b.part(dim, from, to),
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
		}
	}
	return left
}

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

// Row writes the vector at a number of that order to v, and returns where it stands.
func (s *Space) Row(v []float32, number int) (store.Place, int) {
	b, i := s.at(number)
	b.row(v, i)
	return b.places[i], int(b.parts[i])
}

// Dots returns the products of the vector at a number with two others and with itself.
func (s *Space) Dots(number int, a, b, row []float32) (withA, withB, square float32) {
	at, i := s.at(number)
	at.widen(row, i)
	scale := at.scale[i] / 16
	return dotFloats(a, row) * scale, dotFloats(b, row) * scale, dotFloats(row, row) * scale * scale
}

// Vectors returns the vectors of a content.
func (s *Space) Vectors(place store.Place) (vectors [][]float32) {
	b, from, to := s.find(place)
	for i := from; i < to; i++ {
		v := make([]float32, s.dim)
		b.row(v, i)
		vectors = append(vectors, v)
	}
	return vectors
}

// find returns the rows of a content: those from to to of a block.
func (s *Space) find(place store.Place) (b *block, from, to int) {
	at := sort.Search(len(s.blocks), func(i int) bool {
		b := s.blocks[i]
		return comparePlaces(b.places[len(b.places)-1], place) >= 0
	})
	if at == len(s.blocks) {
		return nil, 0, 0
	}
	b = s.blocks[at]
	from = sort.Search(len(b.places), func(i int) bool { return comparePlaces(b.places[i], place) >= 0 })
	for to = from; to < len(b.places) && b.places[to] == place; to++ {
	}
	return b, from, to
}

// row writes row i to v.
func (b *block) row(v []float32, i int) {
	b.widen(v, i)
	for j := range v {
		v[j] *= b.scale[i] / 16
	}
}

// widen writes row i to v, in sixteenths of its steps.
func (b *block) widen(v []float32, i int) {
	dim, fine := len(v), fineBytes(len(v))
	widenRow(v, b.data[i*dim:(i+1)*dim], b.fine[i*fine:(i+1)*fine])
}

// widenRowGo is widenRow in plain Go, and its definition.
func widenRowGo(dst []float32, data []int8, fine []uint8) {
	for j, x := range data {
		dst[j] = float32(int(x)<<4 + int(fine[j/2]>>(j%2*4)&15) - 8)
	}
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
