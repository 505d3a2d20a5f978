package index

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestHalf(t *testing.T) {
	for h := range 1 << 16 { // every half-precision number but NaNs survives
		if h&0x7c00 == 0x7c00 && h&0x3ff != 0 {
			continue
		}
		if got := toHalf(fromHalf(uint16(h))); got != uint16(h) {
			t.Fatalf("%04x → %v → %04x", h, fromHalf(uint16(h)), got)
		}
	}
	for _, c := range [][2]float32{{0, 0}, {1, 1}, {-2.5, -2.5}, {0.1, 0.099975586}, {1e6, float32(math.Inf(1))}, {1e-9, 0}} {
		if got := fromHalf(toHalf(c[0])); got != c[1] {
			t.Errorf("%v became %v, want %v", c[0], got, c[1])
		}
	}
}

func TestPackKeepsLikeness(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	unit := func() []float32 {
		v, sum := make([]float32, 384), 0.0
		for i := range v {
			v[i] = float32(random.NormFloat64())
			sum += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	for range 100 {
		a, b := unit(), unit()
		var want float32
		for i := range a {
			want += a[i] * b[i]
		}
		if got := dot16(a, Pack(b)); math.Abs(float64(got-want)) > 2e-4 {
			t.Errorf("likeness %v became %v", want, got)
		}
		if got := Unpack(Pack(a)); len(got) != len(a) || math.Abs(float64(got[7]-a[7])) > 1e-3 {
			t.Errorf("unpacked %v, want %v", got[7], a[7])
		}
	}
}
