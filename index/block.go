package index

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"daybook/store"
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
