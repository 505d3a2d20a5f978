package index

import (
	"math"
	"math/bits"

	"daybook/store"
)

// sketches say of each row on which side of the space's centre it lies, one bit a
// dimension. The product of a query with a row less the centre is about stretch
// times its product with the row's signs.
type sketches struct {
	signs   []uint64 // signWords a row
	stretch []float32
}

// leastCandidates is how many contents the sketches choose at least, to be
// compared in full. queryBits is how finely a query is compared with sketches.
const (
	leastCandidates = 4000
	queryBits       = 4
)

func signWords(dim int) int { return (dim + 63) / 64 }

func (s *sketches) take(dim int, from sketches, i int) {
	if from.signs == nil {
		return
	}
	w := signWords(dim)
	s.signs, s.stretch = append(s.signs, from.signs[i*w:(i+1)*w]...), append(s.stretch, from.stretch[i])
}

// sketch makes the sketches that the space needs and lacks. The centre is that of
// the first rows in ledger order, so that adding moves it only while there are
// few, and none is needed.
func (s *Space) sketch() {
	old := s.centre
	s.centre = nil
	if s.rows > ExactRows {
		s.centre = s.mean()
	}
	same := equal(old, s.centre)
	for i, b := range s.blocks {
		if (b.signs != nil) == (s.centre != nil) && same {
			continue
		}
		c := *b // the block may be shared with an older space
		c.sketches = c.sketched(s.dim, s.centre)
		s.blocks[i] = &c
	}
}

func equal(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
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
	w := signWords(dim)
	s := sketches{make([]uint64, len(b.places)*w), make([]float32, len(b.places))}
	for i := range b.places {
		signs, scale := s.signs[i*w:(i+1)*w], b.scale[i]
		var squares, sum float32
		for j, x := range b.data[i*dim : (i+1)*dim] {
			r := float32(scale*float32(x)) - centre[j]
			if r > 0 {
				signs[j/64] |= 1 << (j % 64)
			}
			squares += float32(r * r)
			sum += float32(math.Abs(float64(r)))
		}
		if sum > 0 {
			s.stretch[i] = squares / sum
		}
	}
	return s
}

// planes is a query cut into bits: dimension j of the query is about
// low + step·(its bits in the planes).
type planes struct {
	bits      [queryBits][]uint64
	low, step float32
	sum       float32 // of all dimensions, as the planes have them
}

func newPlanes(query []float32) planes {
	low, high := query[0], query[0]
	for _, f := range query {
		low, high = min(low, f), max(high, f)
	}
	const levels = 1<<queryBits - 1
	p := planes{low: low, step: max(high-low, 1e-30) / levels}
	for i := range p.bits {
		p.bits[i] = make([]uint64, signWords(len(query)))
	}
	for j, f := range query {
		level := int((f-low)/p.step + 0.5)
		for i := range p.bits {
			p.bits[i][j/64] |= uint64(level>>i&1) << (j % 64)
		}
		p.sum += low + p.step*float32(level)
	}
	return p
}

// candidates returns the k contents whose sketches promise the most.
func (s *Space) candidates(query []float32, k int, keep func(store.Place) bool) []Hit {
	p, w := newPlanes(query), signWords(s.dim)
	return s.eachPart(k, func(blocks []*block, best *top) {
		var ands, ones [2 * blockRows]int32
		for _, b := range blocks {
			for from := 0; from < len(b.places); from += len(ands) {
				to := min(from+len(ands), len(b.places))
				p.count(ands[:to-from], ones[:to-from], b.signs[from*w:to*w])
				for i := from; i < to; i++ {
					// The sum over set dimensions less that over the others.
					set := p.low*float32(ones[i-from]) + p.step*float32(ands[i-from])
					if score := (2*set-p.sum)*b.stretch[i]; score >= best.least {
						best.offer(Hit{b.places[i], score}, keep)
					}
				}
			}
		}
	})
}

// count sets, for each row, ands to the sum of the query's levels where the row's
// bit is set, and ones to how many bits are.
func (p *planes) count(ands, ones []int32, signs []uint64) {
	w := len(p.bits[0])
	for i := range ands {
		row := signs[i*w : (i+1)*w]
		var n, p0, p1, p2, p3 int
		for j, x := range row {
			n += bits.OnesCount64(x)
			p0 += bits.OnesCount64(x & p.bits[0][j])
			p1 += bits.OnesCount64(x & p.bits[1][j])
			p2 += bits.OnesCount64(x & p.bits[2][j])
			p3 += bits.OnesCount64(x & p.bits[3][j])
		}
		ones[i], ands[i] = int32(n), int32(p0+2*p1+4*p2+8*p3)
	}
}
