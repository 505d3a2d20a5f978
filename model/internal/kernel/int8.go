package kernel

import "math"

// levels is the largest quantised activation.
const levels = 127

// Weights is a quantised matrix of K rows and N columns, both multiples of
// Lane, in panels of 32 columns and groups of four rows: [N/32][K/4][32][4].
// Column c stands for Scale[c]·Data; Sum[c] is Scale[c] times the column's sum.
type Weights struct {
	K, N             int
	Data             []int8
	Scale, Sum, Bias []float32
}

// Quantised is rows of activations: x ≈ Low + Scale·byte. Rows are K apart.
type Quantised struct {
	Rows, K    int
	Data       []uint8
	Scale, Low []float32
}

// Grow makes room for rows of k bytes, reusing what is there.
func (q *Quantised) Grow(rows, k int) {
	q.Rows, q.K = rows, k
	if cap(q.Data) < rows*k {
		q.Data = make([]uint8, rows*k)
	}
	if cap(q.Scale) < rows {
		q.Scale, q.Low = make([]float32, rows), make([]float32, rows)
	}
	q.Data, q.Scale, q.Low = q.Data[:rows*k], q.Scale[:rows], q.Low[:rows]
}

// Part returns rows from to to; both share the memory.
func (q *Quantised) Part(from, to int) Quantised {
	return Quantised{Rows: to - from, K: q.K, Data: q.Data[from*q.K : to*q.K], Scale: q.Scale[from:to], Low: q.Low[from:to]}
}

// Quantise fills q from the rows of x. q.K is a multiple of Lane and x's rows
// have that many elements, zeros for padding.
func (s *Set) Quantise(q *Quantised, x Matrix) {
	if q.Rows == 0 || q.K == 0 {
		return
	}
	need("rows to quantise", len(x.Data), (q.Rows-1)*x.Stride+q.K)
	need("quantised rows", len(q.Data), q.Rows*q.K)
	need("row scales", min(len(q.Scale), len(q.Low)), q.Rows)
	for i := range q.Rows {
		if s.quantiser == nil || q.K%Lane != 0 {
			q.Scale[i], q.Low[i] = quantiseGo(q.Data[i*q.K:(i+1)*q.K], x.Row(i, q.K))
		} else {
			s.quantiser(&q.Data[i*q.K], &x.Data[i*x.Stride], q.K, &q.Scale[i], &q.Low[i])
		}
	}
}

// MulI8 computes dst = a·w + w.Bias.
func (s *Set) MulI8(dst Matrix, a *Quantised, w *Weights) { s.MulI8Columns(dst, a, w, 0, w.N) }

// MulI8Columns computes the columns from to to, multiples of Lane, of MulI8.
func (s *Set) MulI8Columns(dst Matrix, a *Quantised, w *Weights, from, to int) {
	if a.Rows == 0 || from >= to || w.K == 0 {
		return
	}
	w.check(a)
	if from < 0 || from%Lane != 0 || to%Lane != 0 || to > w.N {
		panic("kernel: columns are not whole panels of the weights")
	}
	need("product", len(dst.Data), (a.Rows-1)*dst.Stride+to)
	if s.mulI8 == nil {
		mulI8Go(dst, a, w, from, to)
		return
	}
	if s.mulTiles[0] != nil && w.K%tileK == 0 {
		s.mulInTiles(dst, a, w, from, to)
		return
	}
	most := len(s.mulI8) - 1
	for c := from; c < to; c += s.colsI8 {
		panel := &w.Data[c/32*32*w.K+c%32*4]
		for i := 0; i < a.Rows; {
			r := rowBlock(a.Rows-i, most)
			s.mulI8[r](w.K/4, &a.Data[i*a.K], a.K, panel, &dst.Data[i*dst.Stride+c], dst.Stride*4,
				&w.Scale[c], &w.Sum[c], &w.Bias[c], &a.Scale[i], &a.Low[i])
			i += r
		}
	}
}

func (w *Weights) check(a *Quantised) {
	if w.K%Lane != 0 || w.N%Lane != 0 || a.K != w.K {
		panic("kernel: weights are not padded, or do not fit the activations")
	}
	need("weights", len(w.Data), w.K*w.N)
	need("column scales", min(len(w.Scale), len(w.Sum), len(w.Bias)), w.N)
	need("activations", len(a.Data), a.Rows*a.K)
	need("row scales", min(len(a.Scale), len(a.Low)), a.Rows)
}

// PackWeights quantises the row-major matrix m, out rows of in elements as
// checkpoints store it, with a scale per output, and lays it out for MulI8. Both
// sides are padded with zeros to a multiple of Lane.
func PackWeights(m, bias []float32, in, out int) *Weights {
	k, n := Pad(in), Pad(out)
	w := &Weights{K: k, N: n, Data: make([]int8, k*n), Scale: make([]float32, n), Sum: make([]float32, n), Bias: make([]float32, n)}
	copy(w.Bias, bias)
	q := make([]int8, in)
	for c := range out {
		scale := quantiseRow(q, m[c*in:(c+1)*in])
		sum := 0
		column := w.Data[c/32*32*k+c%32*4:]
		for i, v := range q {
			column[i/4*128+i%4] = v
			sum += int(v)
		}
		w.Scale[c], w.Sum[c] = scale, scale*float32(sum)
	}
	return w
}

// quantiseRow rounds x to int8 with one symmetric scale, which it returns.
func quantiseRow(q []int8, x []float32) float32 {
	var most float32
	for _, v := range x {
		most = max(most, float32(math.Abs(float64(v))))
	}
	scale := max(most, 1e-30) / 127
	for i, v := range x {
		q[i] = int8(math.RoundToEven(float64(v / scale)))
	}
	return scale
}
