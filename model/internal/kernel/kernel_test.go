package kernel

import (
	"bytes"
	"daybook"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
)

const canary = 12345

func random(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * scale)
	}
	return x
}

// pack lays w (k rows of n) out in panels.
func pack(s *Set, w []float32, k, n int) Panels {
	width := s.Panel()
	p := Panels{K: k, N: n, Data: make([]float32, (n+width-1)/width*width*k)}
	for i := range k {
		for j := range n {
			p.Data[j/width*width*k+i*width+j%width] = w[i*n+j]
		}
	}
	return p
}

// guarded returns a matrix with canaries behind its data.
func guarded(rows, stride int) (Matrix, []float32) {
	data := make([]float32, rows*stride+64)
	for i := range data {
		data[i] = canary
	}
	return Matrix{Rows: rows, Stride: stride, Data: data[: rows*stride : rows*stride]}, data[rows*stride:]
}

func intact(t *testing.T, what string, behind []float32) {
	t.Helper()
	for _, v := range behind {
		if v != canary {
			t.Fatalf("%s: wrote past the end", what)
		}
	}
}

func checkMul(t *testing.T, s *Set, rng *rand.Rand, m, k, n int) {
	t.Helper()
	cols := (n + s.Panel() - 1) / s.Panel() * s.Panel()
	a, w, bias := random(rng, m*k, 1), random(rng, k*n, 1), random(rng, cols, 1)
	dst, behind := guarded(m, cols)
	s.Mul(dst, Matrix{Rows: m, Stride: k, Data: a}, pack(s, w, k, n), bias)
	intact(t, s.Name()+" mul", behind)
	for i := range m {
		for j := range n {
			want, size := float64(bias[j]), 1.0
			for x := range k {
				v := float64(a[i*k+x]) * float64(w[x*n+j])
				want, size = want+v, size+math.Abs(v)
			}
			if got := float64(dst.Data[i*cols+j]); math.Abs(got-want) > 1e-5*size {
				t.Fatalf("%s m%d k%d n%d (%d,%d): %g, want %g", s.Name(), m, k, n, i, j, got, want)
			}
		}
	}
}

func TestMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range Available() {
		for _, m := range []int{1, 2, 5, 6, 7, 11, 12, 13, 23, 25} {
			for _, kn := range [][2]int{{32, 22}, {23, 32}, {1, 1}, {7, 40}, {64, 64}, {130, 33}} {
				checkMul(t, s, rng, m, kn[0], kn[1])
			}
		}
	}
}

// checkI8 compares a set's integer path with plain Go: the bytes are equal, and
// the products agree to float32 rounding.
func checkI8(t *testing.T, s *Set, rng *rand.Rand, m, in, out int, extreme bool) {
	t.Helper()
	w := PackWeights(random(rng, in*out, 1), random(rng, out, 1), in, out)
	x := Matrix{Rows: m, Stride: w.K, Data: make([]float32, m*w.K)}
	for i := range m {
		copy(x.Data[i*w.K:], random(rng, in, math.Exp(rng.NormFloat64())))
		if extreme { // every byte at its limit, where a saturating sum would show
			for j := range in {
				x.Data[i*w.K+j] = float32(math.Copysign(1, x.Data64(i*w.K+j)))
			}
		}
	}
	if extreme {
		for i := range w.Data {
			w.Data[i] = int8(127 - 254*(i/128%2))
		}
	}
	var got, want Quantised
	got.Grow(m, w.K)
	want.Grow(m, w.K)
	s.Quantise(&got, x)
	portable.Quantise(&want, x)
	if !bytes.Equal(got.Data, want.Data) {
		t.Fatalf("%s quantise m%d in%d: bytes differ from portable", s.Name(), m, in)
	}
	a, behind := guarded(m, w.N)
	b, _ := guarded(m, w.N)
	s.MulI8(a, &got, w)
	portable.MulI8(b, &want, w)
	intact(t, s.Name()+" mulI8", behind)
	for i := range b.Data {
		row, col := i/w.N, i%w.N
		size := 1 + math.Abs(float64(want.Low[row]*w.Sum[col])) + math.Abs(float64(b.Data[i]))
		if math.Abs(float64(a.Data[i]-b.Data[i])) > 2e-5*size {
			t.Fatalf("%s m%d in%d out%d (%d,%d): %g, want %g", s.Name(), m, in, out, row, col, a.Data[i], b.Data[i])
		}
	}
}

// Data64 is an element as float64.
func (m Matrix) Data64(i int) float64 { return float64(m.Data[i]) }

func TestMulI8(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, s := range Available() {
		for _, m := range []int{1, 3, 5, 6, 11, 12, 13, 22, 30} {
			for _, kn := range [][2]int{{384, 96}, {1536, 64}, {32, 32}, {26, 13}, {312, 100}} {
				checkI8(t, s, rng, m, kn[0], kn[1], false)
				checkI8(t, s, rng, m, kn[0], kn[1], true)
			}
		}
	}
}

// TestQuantiseError checks that a byte stands for its number to half a step.
func TestQuantiseError(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, s := range Available() {
		x := Matrix{Rows: 4, Stride: 96, Data: random(rng, 4*96, 3)}
		clear(x.Data[96:192])  // a row of zeros
		x.Data[200] = 1e6      // an outlier
		x.Data[3*96+5] = 1e-38 // a tiny number
		var q Quantised
		q.Grow(4, 96)
		s.Quantise(&q, x)
		for i := range 4 {
			for j, v := range x.Row(i, 96) {
				got := q.Low[i] + q.Scale[i]*float32(q.Data[i*96+j])
				if math.Abs(float64(got-v)) > 0.502*float64(q.Scale[i]) || q.Data[i*96+j] > levels {
					t.Fatalf("%s row %d col %d: %g stands for %g, step %g", s.Name(), i, j, got, v, q.Scale[i])
				}
			}
		}
	}
}

func checkActivation(t *testing.T, name string, run func([]float32), want func(float64) float64) {
	t.Helper()
	x := make([]float32, 4099)
	for i := range x {
		x[i] = float32(i-2048) / 100
	}
	y := append([]float32(nil), x...)
	run(y)
	for i, v := range x {
		if math.Abs(float64(y[i])-want(float64(v))) > 4e-6 {
			t.Fatalf("%s(%g) = %g, want %g", name, v, y[i], want(float64(v)))
		}
	}
}

func TestActivations(t *testing.T) {
	for _, s := range Available() {
		checkActivation(t, s.Name()+" gelu", s.Gelu, func(v float64) float64 { return 0.5 * v * (1 + math.Erf(v/math.Sqrt2)) })
		checkActivation(t, s.Name()+" gelu_tanh", s.GeluTanh, func(v float64) float64 {
			return 0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		})
		checkActivation(t, s.Name()+" relu", s.Relu, func(v float64) float64 { return max(v, 0) })
		wild := []float32{1e30, -1e30, 300, -300, 0, 1e-30, 88, -88, 1e30, -1e30, 300, -300, 0, 1e-30, 88, -88}
		for _, f := range []func([]float32){s.Gelu, s.GeluTanh} {
			x := append([]float32(nil), wild...)
			f(x)
			for i, v := range x {
				want := max(wild[i], 0)
				if math.Abs(float64(v-want)) > 1e-5*math.Abs(float64(want))+1e-8 {
					t.Fatalf("%s activation(%g) = %g", s.Name(), wild[i], v)
				}
			}
		}
	}
}

func TestSoftmaxAndNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, s := range Available() {
		for _, n := range []int{1, 8, 26, 32, 64, 312, 384} {
			checkSoftmax(t, s, rng, n)
			checkNorm(t, s, rng, n)
		}
	}
}

func checkSoftmax(t *testing.T, s *Set, rng *rand.Rand, n int) {
	t.Helper()
	data := random(rng, 3*n, 5)
	data[n-1] = -1e30 // what padding holds
	a := Matrix{Rows: 3, Stride: n, Data: append([]float32(nil), data...)}
	b := Matrix{Rows: 3, Stride: n, Data: append([]float32(nil), data...)}
	s.Softmax(a, n)
	softmaxGo(b, n)
	near(t, fmt.Sprintf("%s softmax %d", s.Name(), n), a.Data, b.Data, 3e-6)
}

func checkNorm(t *testing.T, s *Set, rng *rand.Rand, n int) {
	t.Helper()
	x, res, g, be := random(rng, n, 1), random(rng, n, 1), random(rng, n, 1), random(rng, n, 1)
	got, want := make([]float32, Pad(n)), make([]float32, n)
	got[len(got)-1] = canary
	s.AddNorm(got, x, res, g, be, 1e-12)
	addNormGo(want, x, res, g, be, 1e-12)
	near(t, fmt.Sprintf("%s norm %d", s.Name(), n), got[:n], want, 2e-5)
	for _, v := range got[n:] {
		if v != 0 {
			t.Fatalf("%s norm %d: padding not cleared", s.Name(), n)
		}
	}
}

func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); d > tolerance || math.IsNaN(d) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

func FuzzShapes(f *testing.F) {
	f.Add(uint8(3), uint16(32), uint8(32), uint64(1))
	f.Add(uint8(25), uint16(385), uint8(33), uint64(2))
	f.Fuzz(func(t *testing.T, m uint8, k uint16, n uint8, seed uint64) {
		rows, in, out := int(m)%40+1, int(k)%400+1, int(n)%130+1
		rng := rand.New(rand.NewPCG(seed, 9))
		for _, s := range Available() {
			checkMul(t, s, rng, rows, in, out)
			checkI8(t, s, rng, rows, in, out, seed%3 == 0)
			checkSoftmax(t, s, rng, in)
			checkNorm(t, s, rng, in)
		}
	})
}

// TestShortSlices checks that a shape that does not fit never reaches assembly.
func TestShortSlices(t *testing.T) {
	w := PackWeights(make([]float32, 64*64), nil, 64, 64)
	for _, s := range Available() {
		var q Quantised
		q.Grow(2, 64)
		for name, call := range map[string]func(){
			"mul": func() {
				s.Mul(Matrix{2, 32, make([]float32, 63)}, Matrix{2, 4, make([]float32, 8)}, pack(s, make([]float32, 128), 4, 32), make([]float32, 32))
			},
			"mulI8":    func() { s.MulI8(Matrix{2, 64, make([]float32, 127)}, &q, w) },
			"depth":    func() { s.MulI8(Matrix{2, 64, make([]float32, 128)}, &Quantised{Rows: 2, K: 32}, w) },
			"quantise": func() { s.Quantise(&q, Matrix{2, 64, make([]float32, 127)}) },
			"softmax":  func() { s.Softmax(Matrix{2, 32, make([]float32, 63)}, 32) },
			"norm": func() {
				s.AddNorm(make([]float32, 31), make([]float32, 32), make([]float32, 32), make([]float32, 32), make([]float32, 32), 0)
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s %s: a short slice went through", s.Name(), name)
					}
				}()
				call()
			}()
		}
	}
}

func TestChoose(t *testing.T) {
	if _, err := Choose("mmx"); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("unknown set: %v", err)
	}
	if s, err := Choose("portable"); err != nil || s != portable {
		t.Errorf("portable: %v, %v", s, err)
	}
	if s, err := Choose(""); err != nil || s != Available()[0] {
		t.Errorf("best: %v, %v", s, err)
	}
}

// TestGenerated checks that the committed assembly is what gen writes.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	bin := dir + "/gen"
	if out, err := exec.Command("go", "build", "-o", bin, "./gen").CombinedOutput(); err != nil {
		t.Skipf("no go tool to build the generator with: %v: %s", err, out)
	}
	cmd := exec.Command(bin)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gen: %v: %s", err, out)
	}
	for _, name := range []string{"kernels_amd64.s", "kernels_amd64.go"} {
		want, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate", name)
		}
	}
}

// TestMulI8Columns checks that parts of a product have the bits of the whole,
// at every height of a tile, and that both AVX-512 sets agree on them.
func TestMulI8Columns(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, depth := range []int{32, 64, 96, 384} {
		const out = 160
		w := PackWeights(random(rng, depth*out, 1), random(rng, out, 1), depth, out)
		for rows := 1; rows <= 70; rows++ {
			x := Matrix{Rows: rows, Stride: depth, Data: random(rng, rows*depth, 1)}
			bits := map[string][]float32{}
			for _, s := range Available() {
				var q Quantised
				q.Grow(rows, depth)
				s.Quantise(&q, x)
				whole := Matrix{Rows: rows, Stride: out, Data: make([]float32, rows*out)}
				parts := Matrix{Rows: rows, Stride: out, Data: make([]float32, rows*out)}
				s.MulI8(whole, &q, w)
				s.MulI8Columns(parts, &q, w, 96, out)
				s.MulI8Columns(parts, &q, w, 0, 96)
				if !slices.Equal(whole.Data, parts.Data) {
					t.Fatalf("%s: %d rows, depth %d: parts differ from the whole", s.Name(), rows, depth)
				}
				bits[s.Name()] = whole.Data
			}
			if tiles, ok := bits["amx"]; ok && !slices.Equal(tiles, bits["avx512"]) {
				t.Fatalf("%d rows, depth %d: amx differs from avx512", rows, depth)
			}
		}
	}
}

func BenchmarkMulI8(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, s := range Available() {
		for _, sh := range [][3]int{{22, 384, 1152}, {84, 384, 1536}, {84, 1536, 384}} {
			m, in, out := sh[0], sh[1], sh[2]
			w := PackWeights(random(rng, in*out, 1), nil, in, out)
			x := Matrix{Rows: m, Stride: in, Data: random(rng, m*in, 1)}
			dst := Matrix{Rows: m, Stride: out, Data: make([]float32, m*out)}
			var q Quantised
			q.Grow(m, in)
			b.Run(fmt.Sprintf("%s/%dx%dx%d", s.Name(), m, in, out), func(b *testing.B) {
				for b.Loop() {
					s.Quantise(&q, x)
					s.MulI8(dst, &q, w)
				}
				b.ReportMetric(float64(2*m*in*out)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GOP/s")
			})
		}
	}
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 1: 5.9604645e-08, 0x7bff: 65504} {
		if got := Half(bits); got != want {
			t.Errorf("half %#x is %g, want %g", bits, got, want)
		}
	}
}
