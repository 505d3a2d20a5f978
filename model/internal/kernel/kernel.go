package kernel

import "fmt"

// Lane is what row strides and padded widths are multiples of, in every set.
const Lane = 32

// Pad rounds n up to a multiple of Lane.
func Pad(n int) int { return (n + Lane - 1) / Lane * Lane }

type (
	mulF32Func func(k int, a *float32, lda int, b, c *float32, ldc int, bias *float32)
	mulI8Func  func(k4 int, a *uint8, lda int, b *int8, c *float32, ldc int, scale, sum, bias, rowScale, rowLow *float32)

	mulTilesFunc func(panels, k64 int, a *uint8, lda int, b *int8, c *float32, ldc int, config *[64]uint8, scale, sum, bias, rowScale, rowLow *float32, rows int)
)

// Set is one implementation of all primitives. Its methods are safe for
// concurrent use; they panic when a slice is too short for the shape, which is
// a fault of the caller.
type Set struct {
	name  string
	panel int // columns of one float32 panel
	lanes int // float32 per register; vector functions need multiples of it

	mulF32    []mulF32Func    // by rows; nil: plain Go
	mulI8     []mulI8Func     // by rows; nil: plain Go
	colsI8    int             // columns one int8 tile writes
	mulTiles  [2]mulTilesFunc // for up to 16 rows and up to 32; nil: mulI8
	gelu      func(x *float32, n int)
	geluTanh  func(x *float32, n int)
	softmax   func(s *float32, rows, n, stride int)
	addNorm   func(dst, x, res, gamma, beta *float32, n int, invN, eps float32)
	quantiser func(dst *uint8, x *float32, n int, scale, low *float32)
}

// Name is the word DAYBOOK_CPU knows the set by.
func (s *Set) Name() string { return s.name }

// Panel is the number of columns in one panel of [Panels] for this set.
func (s *Set) Panel() int { return s.panel }

// Panels is a float32 matrix of K rows and N columns cut in panels of
// Set.Panel columns: [panels][K][Panel]. The columns past N are padding.
type Panels struct {
	K, N int
	Data []float32
}

// Mul computes dst = a·b + bias for the rows of a.
func (s *Set) Mul(dst, a Matrix, b Panels, bias []float32) {
	np := (b.N + s.panel - 1) / s.panel
	cols := np * s.panel
	if a.Rows == 0 || np == 0 {
		return
	}
	need("panel data", len(b.Data), cols*b.K)
	need("bias", len(bias), cols)
	need("left operand", len(a.Data), (a.Rows-1)*a.Stride+b.K)
	need("product", len(dst.Data), (a.Rows-1)*dst.Stride+cols)
	if s.mulF32 == nil || b.K == 0 {
		mulF32Go(dst, a, b, bias, s.panel)
		return
	}
	for p := range np {
		panel, pbias := &b.Data[p*s.panel*b.K], &bias[p*s.panel]
		for i := 0; i < a.Rows; {
			r := rowBlock(a.Rows-i, len(s.mulF32)-1)
			s.mulF32[r](b.K, &a.Data[i*a.Stride], a.Stride*4, panel, &dst.Data[i*dst.Stride+p*s.panel], dst.Stride*4, pbias)
			i += r
		}
	}
}

// Matrix is rows of float32, Stride apart. Rows of dst and a may be wider than
// what is used of them.
type Matrix struct {
	Rows, Stride int
	Data         []float32
}

// Row returns the first n elements of row i.
func (m Matrix) Row(i, n int) []float32 { return m.Data[i*m.Stride : i*m.Stride+n] }

// Part returns rows from to to; both share the memory.
func (m Matrix) Part(from, to int) Matrix {
	return Matrix{Rows: to - from, Stride: m.Stride, Data: m.Data[from*m.Stride : to*m.Stride]}
}

// rowBlock returns the height of the next block of rows, so that the last two
// blocks are balanced.
func rowBlock(left, most int) int {
	if left <= most {
		return left
	}
	if left < 2*most {
		return (left + 1) / 2
	}
	return most
}

// need panics when a slice handed to the assembly would be too short.
func need(what string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("kernel: %s has %d elements, needs %d", what, have, want))
	}
}

// Gelu replaces every x by x·Φ(x), with the error function.
func (s *Set) Gelu(x []float32) { s.inPlace(x, s.gelu, geluGo) }

// GeluTanh replaces every x by the tanh approximation of Gelu.
func (s *Set) GeluTanh(x []float32) { s.inPlace(x, s.geluTanh, geluTanhGo) }

func (s *Set) inPlace(x []float32, fast func(*float32, int), plain func([]float32)) {
	n := 0
	if fast != nil {
		n = len(x) / s.lanes * s.lanes
	}
	if n > 0 {
		fast(&x[0], n)
	}
	plain(x[n:])
}

// Relu replaces every negative x by zero.
func (s *Set) Relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

// Softmax normalises the first n columns of every row of x. n is a multiple of
// Set.Panel: padding columns hold a large negative number.
func (s *Set) Softmax(x Matrix, n int) {
	if x.Rows == 0 || n == 0 {
		return
	}
	need("scores", len(x.Data), (x.Rows-1)*x.Stride+n)
	if s.softmax == nil || n%s.lanes != 0 {
		softmaxGo(x, n)
		return
	}
	s.softmax(&x.Data[0], x.Rows, n, x.Stride*4)
}

// AddNorm sets dst to the layer norm of x + res, for one row of len(gamma). dst
// may be x or res; its elements past len(gamma) are cleared.
func (s *Set) AddNorm(dst, x, res, gamma, beta []float32, eps float32) {
	n := len(gamma)
	if n == 0 {
		return
	}
	need("norm output", len(dst), n)
	need("norm input", min(len(x), len(res)), n)
	need("norm shift", len(beta), n)
	if s.addNorm == nil || n%s.lanes != 0 {
		addNormGo(dst[:n], x, res, gamma, beta, eps)
	} else {
		s.addNorm(&dst[0], &x[0], &res[0], &gamma[0], &beta[0], n, 1/float32(n), eps)
	}
	clear(dst[n:])
}
