package kernel

import "math"

// portable is plain Go: the definition the other sets are tested against.
var portable = &Set{name: "portable", panel: 32, lanes: 1}

func mulF32Go(dst, a Matrix, b Panels, bias []float32, width int) {
	for p := 0; p*width < b.N; p++ {
		panel := b.Data[p*width*b.K : (p+1)*width*b.K]
		for i := range a.Rows {
			out := dst.Data[i*dst.Stride+p*width:][:width]
			copy(out, bias[p*width:])
			for k, v := range a.Row(i, b.K) {
				for j, w := range panel[k*width:][:len(out)] {
					out[j] += float32(v * w)
				}
			}
		}
	}
}

func mulI8Go(dst Matrix, a *Quantised, w *Weights, from, to int) {
	for i := range a.Rows {
		row := a.Data[i*a.K : (i+1)*a.K]
		for c := from; c < to; c += 32 {
			sums := dotPanel(row, w.Data[c*w.K:(c+32)*w.K])
			out := dst.Data[i*dst.Stride+c:][:32]
			for j, sum := range sums {
				base := w.Bias[c+j] + float32(a.Low[i]*w.Sum[c+j])
				out[j] = base + float32(float32(float32(sum)*a.Scale[i])*w.Scale[c+j])
			}
		}
	}
}

// dotPanel returns the products of one row with the 32 columns of a panel.
func dotPanel(row []uint8, panel []int8) (sums [32]int32) {
	for len(row) >= 4 && len(panel) >= 128 {
		a0, a1, a2, a3 := int32(row[0]), int32(row[1]), int32(row[2]), int32(row[3])
		group := (*[128]int8)(panel)
		for j := range sums {
			b := (*[4]int8)(group[j*4:])
			sums[j] += a0*int32(b[0]) + a1*int32(b[1]) + a2*int32(b[2]) + a3*int32(b[3])
		}
		row, panel = row[4:], panel[128:]
	}
	return sums
}

// quantiseGo rounds half to even, as VCVTPS2DQ does.
func quantiseGo(dst []uint8, x []float32) (scale, low float32) {
	var high float32
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	width := max(high-low, 1e-30)
	inv := levels / width
	for i, v := range x {
		dst[i] = uint8(math.RoundToEven(float64(float32(v-low) * inv)))
	}
	return width / levels, low
}

func geluGo(x []float32) {
	for i, v := range x {
		x[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)))
	}
}

func geluTanhGo(x []float32) {
	for i, f := range x {
		v := float64(f)
		x[i] = float32(0.5 * v * (1 + math.Tanh(0.7978845608028654*(v+0.044715*v*v*v))))
	}
}

func softmaxGo(x Matrix, n int) {
	for r := range x.Rows {
		row := x.Row(r, n)
		most := row[0]
		for _, v := range row {
			most = max(most, v)
		}
		var sum float32
		for i, v := range row {
			row[i] = float32(math.Exp(float64(v - most)))
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
}

func addNormGo(dst, x, res, gamma, beta []float32, eps float32) {
	n := float32(len(dst))
	var sum, squares float32
	for i := range dst {
		dst[i] = x[i] + res[i]
		sum += dst[i]
	}
	mean := sum / n
	for _, v := range dst {
		squares += (v - mean) * (v - mean)
	}
	inv := float32(1 / math.Sqrt(float64(squares/n+eps)))
	for i, v := range dst {
		dst[i] = (v-mean)*inv*gamma[i] + beta[i]
	}
}
