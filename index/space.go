package index

import (
	"slices"
	"sort"

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

// Row writes the vector at a number of that order to v, and returns where it stands.
func (s *Space) Row(v []float32, number int) (store.Place, int) {
	b, i := s.at(number)
	b.row(v, i)
	return b.places[i], int(b.parts[i])
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
