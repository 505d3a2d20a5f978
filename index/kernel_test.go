package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"daybook/store"
)

// The assembly gives the very numbers that plain Go gives, for all lengths.
func TestAssembly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 31, 32, 33, 64, 128, 384, 768, 1536, 3072} {
		query := make([]float32, dim)
		for i := range query {
			query[i] = float32(random.NormFloat64())
		}
		const rows = 7
		data, codes := make([]int8, rows*dim), make([]uint8, rows*sketchBytes(dim))
		for i := range data {
			data[i] = int8(random.IntN(256) - 128)
		}
		for i := range codes {
			codes[i] = uint8(random.IntN(256))
		}
		p, got, want := newProbe(query), make([]int32, rows), make([]int32, rows)
		p.dots(got, data)
		dotRowsGo(want, p.data, data)
		if !slices.Equal(got, want) {
			t.Errorf("%d dimensions: products %v, want %v", dim, got, want)
		}
		g := newGlance(query)
		g.table().sums(got, g.data, codes)
		g.makeTable().sums(want, g.data, codes)
		if !slices.Equal(got, want) {
			t.Errorf("%d dimensions: sketches %v, want %v", dim, got, want)
		}
		wide, plain := make([]float32, dim), make([]float32, dim)
		fine := codes[:fineBytes(dim)] // any bytes will do
		widenRow(wide, data[:dim], fine)
		widenRowGo(plain, data[:dim], fine)
		if !slices.Equal(wide, plain) {
			t.Errorf("%d dimensions: a row of %v, want %v", dim, wide, plain)
		}
		if got, want := dotFloats(query, wide), dotFloatsGo(query, wide); got != want {
			t.Errorf("%d dimensions: a product of %v, want %v", dim, got, want)
		}
	}
}

// A query of extremes must not overflow the narrow sums.
func TestSketchesDoNotOverflow(t *testing.T) {
	for _, dim := range []int{384, 1536, 4096} {
		query, codes := make([]float32, dim), make([]uint8, sketchBytes(dim))
		for i := range query {
			query[i] = 1
		}
		for i := range codes {
			codes[i] = 0xff
		}
		g := newGlance(query)
		var got [1]int32
		g.table().sums(got[:], g.data, codes)
		if want := 3 * int32(g.data[0]) * int32(dim); got[0] != want {
			t.Errorf("%d dimensions: %d, want %d", dim, got[0], want)
		}
	}
}

// A large space, searched by sketches, is what its rows make it: not what it went
// through.
func TestLargeSpaceForgetsItsPast(t *testing.T) {
	const dim, n = 32, ExactRows + 3000
	random := rand.New(rand.NewPCG(5, 6))
	rows := make([]store.Vector, n)
	for i := range rows {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(random.NormFloat64()) + 1
		}
		rows[i] = store.Vector{Place: store.Place{Seq: uint64(i/3 + 1)}, Part: i % 3, Data: Pack(v)}
	}
	with := func(s *Space, rows []store.Vector) *Space {
		s, err := s.With(rows)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var out []store.Place // some of the first rows, and some others
	var left []store.Vector
	for part := range slices.Chunk(rows, 3) {
		if seq := part[0].Seq; seq <= 100 || seq%97 == 0 {
			out = append(out, part[0].Place)
		} else {
			left = append(left, part...)
		}
	}
	s := NewSpace(dim)
	for part := range slices.Chunk(rows[:n-60], 30_000) {
		s = with(s, part)
	}
	for part := range slices.Chunk(rows[n-60:], 3) {
		s = with(s, part)
	}
	for i, b := range s.blocks {
		if all := b.sketched(dim, s.centre); !slices.Equal(all.codes, b.codes) || !slices.Equal(all.stretch, b.stretch) {
			t.Fatalf("block %d of %d has other sketches than its rows have", i, len(s.blocks))
		}
	}
	lived := s.Without(out)
	lived = with(lived, rows[:9]) // some come back
	lived = lived.Without([]store.Place{rows[0].Place, rows[3].Place, rows[6].Place})
	fresh := with(NewSpace(dim), left)
	if lived.centre == nil || lived.Len() != fresh.Len() {
		t.Fatalf("%d rows, %d in the fresh one; sketched: %v", lived.Len(), fresh.Len(), lived.centre != nil)
	}
	same := 0
	for range 50 {
		query := make([]float32, dim)
		for j := range query {
			query[j] = float32(random.NormFloat64())
		}
		got, want := lived.Nearest(query, 10, nil), fresh.Nearest(query, 10, nil)
		if !slices.Equal(got, want) {
			t.Fatalf("nearest %v, in the fresh space %v", got, want)
		}
		if slices.Equal(got, fresh.NearestExact(query, 10, nil)) {
			same++
		}
	}
	if same < 40 {
		t.Errorf("only %d of 50 approximate answers are the exact ones", same)
	}
	if small := lived.Without(fresh.firstPlaces(5000)); small.centre != nil || small.blocks[0].codes != nil {
		t.Error("a small space keeps sketches")
	}
}

func (s *Space) firstPlaces(n int) (places []store.Place) {
	for _, b := range s.blocks {
		places = append(places, b.places...)
	}
	return places[:n]
}
