package bert

import "daybook/model/internal/kernel"

// scratch is the memory of one worker. Every matrix keeps its row stride for
// life and its padding columns at zero.
type scratch struct {
	x, y, wide, qkv, context kernel.Matrix
	row                      []float32
	quantised                kernel.Quantised
	keys, values, scores     []float32
	bias, heads              []float32
}

// rows reshapes m to hold the given rows; what it holds is left over from the
// last use, padding columns zero.
func rows(m *kernel.Matrix, count, stride int) kernel.Matrix {
	if cap(m.Data) < count*stride {
		m.Data = make([]float32, (count+count/4)*stride)
	}
	m.Rows, m.Stride, m.Data = count, stride, m.Data[:count*stride]
	return *m
}

func grow(x *[]float32, n int) []float32 {
	if cap(*x) < n {
		*x = make([]float32, n+n/4)
	}
	*x = (*x)[:n]
	return *x
}

// forward runs the layers over the tokens of all inputs at once, without
// padding between them, and returns the last hidden states, row by row. They
// live in w.
func (n *Network) forward(w *scratch, inputs []Input) kernel.Matrix {
	tokens := 0
	for _, in := range inputs {
		tokens += len(in.IDs)
	}
	hidden, c := kernel.Pad(n.Config.Hidden), &n.Config
	x, y := rows(&w.x, tokens, hidden), rows(&w.y, tokens, hidden)
	context := rows(&w.context, tokens, hidden)
	qkv, wide := rows(&w.qkv, tokens, kernel.Pad(3*c.Hidden)), rows(&w.wide, tokens, kernel.Pad(c.FFN))
	n.embed(w, x, inputs)
	for i := range n.layers {
		l := &n.layers[i]
		n.linear(w, qkv, x, l.qkv)
		n.attend(w, context, qkv, inputs)
		n.linear(w, y, context, l.output)
		n.addNorm(x, y, l.attentionNorm)
		n.linear(w, wide, x, l.up)
		n.activate(wide.Data)
		n.linear(w, y, wide, l.down)
		n.addNorm(x, y, l.outputNorm)
	}
	return x
}

// embed fills x with the sum of word, position and type embeddings, normed.
func (n *Network) embed(w *scratch, x kernel.Matrix, inputs []Input) {
	hidden, eps := n.Config.Hidden, float32(n.Config.Epsilon)
	word, at := grow(&w.row, hidden), 0
	for _, in := range inputs {
		for p, id := range in.IDs {
			scale := n.wordScale[id]
			for j, v := range n.word[int(id)*hidden : (int(id)+1)*hidden] {
				word[j] = float32(v) * scale
			}
			if p >= in.Second && n.Config.Types > 1 {
				for j, v := range n.types[hidden : 2*hidden] {
					word[j] += v
				}
			}
			position := n.position[(p+n.Config.PositionOffset)*hidden:][:hidden]
			n.set.AddNorm(x.Row(at, x.Stride), word, position, n.embedNorm.gamma, n.embedNorm.beta, eps)
			at++
		}
	}
}

func (n *Network) linear(w *scratch, dst, a kernel.Matrix, weights *kernel.Weights) {
	w.quantised.Grow(a.Rows, weights.K)
	n.set.Quantise(&w.quantised, a)
	n.set.MulI8(dst, &w.quantised, weights)
}

func (n *Network) addNorm(x, y kernel.Matrix, to norm) {
	eps := float32(n.Config.Epsilon)
	for i := range x.Rows {
		row := x.Row(i, x.Stride)
		n.set.AddNorm(row, y.Row(i, y.Stride), row, to.gamma, to.beta, eps)
	}
}

func (n *Network) activate(x []float32) {
	switch n.Config.Activation {
	case "gelu":
		n.set.Gelu(x)
	case "gelu_tanh":
		n.set.GeluTanh(x)
	case "relu":
		n.set.Relu(x)
	}
}
