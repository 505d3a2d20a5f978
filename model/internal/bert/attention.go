package bert

import "daybook/model/internal/kernel"

// masked is the score of a padding column: exp of it is zero.
const masked = -1e30

// attend mixes the values of every input's own tokens in float32, for some of
// the heads.
func (p *pass) attend(w *scratch, s span) {
	at := 0
	for _, in := range p.inputs {
		end := at + len(in.IDs)
		p.net.attendOne(w, p.context.Part(at, end), p.qkv.Part(at, end), s)
		at = end
	}
}

func (n *Network) attendOne(w *scratch, context, qkv kernel.Matrix, s span) {
	tokens, width, panel := qkv.Rows, n.Config.Hidden/n.Config.Heads, n.set.Panel()
	columns := (tokens + panel - 1) / panel * panel
	wide := (width + panel - 1) / panel * panel
	keys := kernel.Panels{K: width, N: tokens, Data: grow(&w.keys, columns*width)}
	values := kernel.Panels{K: tokens, N: width, Data: grow(&w.values, wide*tokens)}
	scores := kernel.Matrix{Rows: tokens, Stride: columns, Data: grow(&w.scores, tokens*columns)}
	bias := maskBias(grow(&w.bias, columns), tokens)
	clear(keys.Data[(columns-panel)*width:])
	from, to := s.of(n.Config.Heads)
	for h := from; h < to; h++ {
		q := qkv
		q.Data = qkv.Data[h*width:]
		packKeys(keys.Data, qkv, n.Config.Hidden+h*width, width, panel)
		packValues(values.Data, qkv, 2*n.Config.Hidden+h*width, width, panel)
		n.set.Mul(scores, q, keys, bias)
		n.set.Softmax(scores, columns)
		n.mixValues(w, context, scores, values, h*width)
	}
}

// maskBias is zero for the tokens and masked for the padding after them.
func maskBias(bias []float32, tokens int) []float32 {
	clear(bias[:tokens])
	for j := tokens; j < len(bias); j++ {
		bias[j] = masked
	}
	return bias
}

// mixValues writes scores·values to the columns of context that begin at off.
// A head that does not fill its panels would overwrite its neighbour, so it
// goes through scratch memory.
func (n *Network) mixValues(w *scratch, context, scores kernel.Matrix, values kernel.Panels, off int) {
	width, panel := values.N, n.set.Panel()
	if width%panel == 0 {
		context.Data = context.Data[off:]
		n.set.Mul(context, scores, values, n.zeros)
		return
	}
	wide := (width + panel - 1) / panel * panel
	heads := kernel.Matrix{Rows: scores.Rows, Stride: wide, Data: grow(&w.heads, scores.Rows*wide)}
	n.set.Mul(heads, scores, values, grow0(&w.row, wide))
	for i := range scores.Rows {
		copy(context.Data[i*context.Stride+off:][:width], heads.Row(i, width))
	}
}

func grow0(x *[]float32, n int) []float32 {
	z := grow(x, n)
	clear(z)
	return z
}

// packKeys lays the transposed keys out in panels: [panels][width][panel].
func packKeys(dst []float32, qkv kernel.Matrix, off, width, panel int) {
	for j := range qkv.Rows {
		column := dst[j/panel*panel*width+j%panel:]
		for i, v := range qkv.Data[j*qkv.Stride+off:][:width] {
			column[i*panel] = v
		}
	}
}

// packValues lays the values out in panels: [panels][tokens][panel].
func packValues(dst []float32, qkv kernel.Matrix, off, width, panel int) {
	tokens := qkv.Rows
	for c := 0; c < width; c += panel {
		for j := range tokens {
			row := dst[c*tokens+j*panel:][:panel]
			n := copy(row, qkv.Data[j*qkv.Stride+off+c:][:min(panel, width-c)])
			clear(row[n:])
		}
	}
}
