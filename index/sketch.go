package index

import (
	"math"
	"slices"

	"daybook/store"
)

// sketches are rows in two bits a dimension: how far each lies from the centre of
// the space, in steps of about the row's own spread. The product of a query with
// a row less the centre is about stretch times its product with the sketch.
//
// A sketch holds 128 dimensions in 32 bytes: byte j has dimensions j, j+32, j+64
// and j+96, the first in its lowest bits.
type sketches struct {
	codes   []uint8
	stretch []float32
}

// leastCandidates is how many contents the sketches choose at least, to be
// compared in full. sketchStep is the step, in spreads, with which four levels
// tell normally distributed numbers apart best.
const (
	leastCandidates = 1000
	sketchStep      = 0.996
)

// sketchBytes is the size of one sketch.
func sketchBytes(dim int) int { return (dim + 127) / 128 * 32 }

func (s *sketches) take(dim int, from sketches, i int) {
	if from.codes == nil {
		return
	}
	w := sketchBytes(dim)
	s.codes, s.stretch = append(s.codes, from.codes[i*w:(i+1)*w]...), append(s.stretch, from.stretch[i])
}

// part are the sketches of some rows.
func (s *sketches) part(dim, from, to int) sketches {
	if s.codes == nil {
		return sketches{}
	}
	w := sketchBytes(dim)
	return sketches{slices.Clone(s.codes[from*w : to*w]), slices.Clone(s.stretch[from:to])}
}

// sketch makes the sketches that the space needs and lacks, given the space that
// it was made from. The centre is that of the first rows in ledger order, so that
// adding at the end never moves it once it is needed.
func (s *Space) sketch(old *Space) {
	switch {
	case s.rows <= ExactRows || s.list:
	case old.centre != nil && s.beginsAs(old):
		s.centre = old.centre
	default:
		s.centre = s.mean()
	}
	same := slices.Equal(old.centre, s.centre)
	for i, b := range s.blocks {
		if same && (b.codes != nil) == (s.centre != nil) {
			continue
		}
		c := *b // the block may be shared with an older space
		c.sketches = c.sketched(s.dim, s.centre)
		s.blocks[i] = &c
	}
}

// beginsAs reports whether two spaces share the memory of the rows that make the
// centre.
func (s *Space) beginsAs(old *Space) bool {
	for i, n := 0, 0; n < centreRows; i++ {
		if i == len(s.blocks) || i == len(old.blocks) || &s.blocks[i].data[0] != &old.blocks[i].data[0] || len(s.blocks[i].places) != len(old.blocks[i].places) {
			return false
		}
		n += len(s.blocks[i].places)
	}
	return true
}

// mean is the mean of the first rows.
func (s *Space) mean() []float32 {
	sum, v, n := make([]float64, s.dim), make([]float32, s.dim), 0
	for _, b := range s.blocks {
		for i := range b.places {
			if n == centreRows {
				break
			}
			b.row(v, i)
			for j, x := range v {
				sum[j] += float64(x)
			}
			n++
		}
	}
	for j := range v {
		v[j] = float32(sum[j] / float64(n))
	}
	return v
}

func (b *block) sketched(dim int, centre []float32) sketches {
	if centre == nil {
		return sketches{}
	}
	w, r := sketchBytes(dim), make([]float32, dim)
	s := sketches{make([]uint8, len(b.places)*w), make([]float32, len(b.places))}
	for i := range b.places {
		b.less(r, centre, i)
		s.stretch[i] = sketchRow(s.codes[i*w:(i+1)*w], r)
	}
	return s
}

// less writes row i without the centre to r.
func (b *block) less(r, centre []float32, i int) {
	for j, x := range b.data[i*len(r) : (i+1)*len(r)] {
		r[j] = float32(b.scale[i]*float32(x)) - centre[j]
	}
}

// sketchLast makes the sketch of the last row, where the others have theirs.
func (b *block) sketchLast(dim int, centre []float32) {
	w, r := sketchBytes(dim), make([]float32, dim)
	b.less(r, centre, len(b.places)-1)
	b.codes = append(b.codes, make([]uint8, w)...)
	b.stretch = append(b.stretch, sketchRow(b.codes[len(b.codes)-w:], r))
}

// sketchRow writes the sketch of what is left of a row without the centre, and
// returns its stretch.
func sketchRow(codes []uint8, r []float32) float32 {
	var squares float32
	for _, x := range r {
		squares += float32(x * x)
	}
	if squares == 0 {
		return 0
	}
	inv := 1 / (sketchStep * float32(math.Sqrt(float64(squares)/float64(len(r)))))
	var product float32
	for j, x := range r {
		level := uint8(max(0, min(3, 2+int(math.Floor(float64(x*inv))))))
		codes[j/128*32+j%32] |= level << (j % 128 / 32 * 2)
		product += float32(x * (float32(level) - 1.5))
	}
	return squares / product
}

// glance is a query made ready to be compared with sketches.
type glance struct {
	data   []int8 // padded to whole 128 dimensions
	middle float32
}

func newGlance(query []float32) glance {
	var most float32
	for _, f := range query {
		most = max(most, f, -f)
	}
	g := glance{data: make([]int8, sketchBytes(len(query))*4)}
	// Sums of 16 bits must not overflow: two products of at most 3·levels each
	// are added up for every 32 dimensions.
	levels := float32(min(127, 32767*32/(6*len(g.data))))
	for j, f := range query {
		if most > 0 {
			g.data[j] = int8(math.RoundToEven(float64(f / most * levels)))
		}
		g.middle += 1.5 * float32(g.data[j])
	}
	return g
}

// candidates returns the k contents whose sketches promise the most.
func (s *Space) candidates(query []float32, k int, keep func(store.Place) bool) []Hit {
	g, w := newGlance(query), sketchBytes(s.dim)
	return s.eachPart(k, func(first int, blocks []*block, best *top) {
		var sums [blockRows]int32
		table := g.table()
		for n, b := range blocks {
			for from := 0; from < len(b.places); from += blockRows {
				to := min(from+blockRows, len(b.places))
				table.sums(sums[:to-from], g.data, b.codes[from*w:to*w])
				for i := from; i < to; i++ {
					if score := (float32(sums[i-from]) - g.middle) * b.stretch[i]; score >= best.least {
						best.offer(Hit{b.places[i], score, uint16(first + n), uint16(i)}, keep)
					}
				}
			}
		}
	})
}

// glanceTable has, for every byte of a sketch and each of its values, the byte's
// part of the product with a query. It is nil where assembly needs none.
type glanceTable [][256]int32

// table makes the table where there is no assembly.
func (g glance) table() glanceTable {
	if hasSketchRows {
		return nil
	}
	return g.makeTable()
}

func (g glance) makeTable() glanceTable {
	t := make(glanceTable, len(g.data)/4)
	for i := range t {
		q := g.data[i/32*128+i%32:]
		for v := range 256 {
			t[i][v] = int32(q[0])*int32(v&3) + int32(q[32])*int32(v>>2&3) + int32(q[64])*int32(v>>4&3) + int32(q[96])*int32(v>>6)
		}
	}
	return t
}

// sums sets each of out to the product of the query with one sketch.
func (t glanceTable) sums(out []int32, query []int8, codes []uint8) {
	if len(codes)*4 != len(out)*len(query) {
		panic("index: sketches do not fit the query")
	}
	if t == nil {
		sketchRows(out, query, codes)
		return
	}
	for i := range out {
		var sum int32
		for j, c := range codes[i*len(t) : (i+1)*len(t)] {
			sum += t[j][c]
		}
		out[i] = sum
	}
}
