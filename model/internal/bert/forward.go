package bert

import "daybook/model/internal/kernel"

// scratch is the memory of one worker. Every matrix keeps its row stride for
// life and its padding columns at zero.
type scratch struct {
	pass                     pass
	x, y, wide, qkv, context kernel.Matrix
	quantised                kernel.Quantised
	row                      []float32
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

// pass is one group of inputs on its way through the layers. Each of its steps
// can be cut in parts that write to different places and give the same bits
// however many there are: columns of a product, heads of the attention, rows of
// a norm. Its matrices live in the scratch of the worker that began it.
type pass struct {
	net                      *Network
	inputs                   []Input
	layer                    *layer
	x, y, wide, qkv, context kernel.Matrix
	quantised                *kernel.Quantised
}

// span is one part of a step, the at-th of parts.
type span struct{ at, parts int }

var whole = span{0, 1}

// of returns which of n things the part covers.
func (s span) of(n int) (from, to int) { return s.at * n / s.parts, (s.at + 1) * n / s.parts }

// forward runs the layers over the tokens of all inputs at once, without
// padding between them, and returns the last hidden states, row by row. They
// live in w. With a crew, the steps are shared with its helper.
func (n *Network) forward(w *scratch, inputs []Input, c *crew) kernel.Matrix {
	p := n.begin(w, inputs)
	n.embed(w, p.x, inputs)
	p.quantise(w, p.x, whole)
	for i := range n.layers {
		p.layer = &n.layers[i]
		c.share(p, w, (*pass).project)
		c.share(p, w, (*pass).attend)
		c.share(p, w, (*pass).quantiseContext)
		c.share(p, w, (*pass).output)
		c.share(p, w, (*pass).normAttention)
		c.share(p, w, (*pass).up)
		p.quantised.Grow(p.wide.Rows, p.wide.Stride)
		c.share(p, w, (*pass).quantiseWide)
		c.share(p, w, (*pass).down)
		p.quantised.Grow(p.x.Rows, p.x.Stride)
		c.share(p, w, (*pass).normOutput)
	}
	return p.x
}

func (n *Network) begin(w *scratch, inputs []Input) *pass {
	tokens := 0
	for _, in := range inputs {
		tokens += len(in.IDs)
	}
	hidden, c := kernel.Pad(n.Config.Hidden), &n.Config
	w.pass = pass{
		net: n, inputs: inputs, quantised: &w.quantised,
		x: rows(&w.x, tokens, hidden), y: rows(&w.y, tokens, hidden), context: rows(&w.context, tokens, hidden),
		qkv: rows(&w.qkv, tokens, kernel.Pad(3*c.Hidden)), wide: rows(&w.wide, tokens, kernel.Pad(c.FFN)),
	}
	w.quantised.Grow(tokens, hidden)
	return &w.pass
}

func (p *pass) output(_ *scratch, s span)          { p.multiply(p.y, p.layer.output, s) }
func (p *pass) down(_ *scratch, s span)            { p.multiply(p.y, p.layer.down, s) }
func (p *pass) quantiseContext(w *scratch, s span) { p.quantise(w, p.context, s) }
func (p *pass) quantiseWide(w *scratch, s span)    { p.quantise(w, p.wide, s) }
func (p *pass) normAttention(w *scratch, s span)   { p.addNorm(w, p.layer.attentionNorm, s) }
func (p *pass) normOutput(w *scratch, s span)      { p.addNorm(w, p.layer.outputNorm, s) }

// project computes queries, keys and values. Where heads are whole panels, a part
// makes those of the heads that the same part of attend reads: moving them from
// one processor's cache to another's costs as much as the attention itself.
func (p *pass) project(_ *scratch, s span) {
	c := &p.net.Config
	width := c.Hidden / c.Heads
	if width%kernel.Lane != 0 {
		p.multiply(p.qkv, p.layer.qkv, s)
		return
	}
	from, to := s.of(c.Heads)
	for base := 0; base < 3*c.Hidden; base += c.Hidden {
		p.net.set.MulI8Columns(p.qkv, p.quantised, p.layer.qkv, base+from*width, base+to*width)
	}
}

// multiply computes some columns of the product of the quantised rows.
func (p *pass) multiply(dst kernel.Matrix, weights *kernel.Weights, s span) (from, to int) {
	from, to = s.of(weights.N / kernel.Lane)
	from, to = from*kernel.Lane, to*kernel.Lane
	p.net.set.MulI8Columns(dst, p.quantised, weights, from, to)
	return from, to
}

func (p *pass) up(_ *scratch, s span) {
	from, to := p.multiply(p.wide, p.layer.up, s)
	for i := range p.wide.Rows {
		p.net.activate(p.wide.Row(i, to)[from:])
	}
}

func (p *pass) quantise(_ *scratch, m kernel.Matrix, s span) {
	from, to := s.of(m.Rows)
	part := p.quantised.Part(from, to)
	p.net.set.Quantise(&part, m.Part(from, to))
}

// addNorm adds y to x, norms it, and quantises the rows while they are near.
func (p *pass) addNorm(w *scratch, by norm, s span) {
	eps := float32(p.net.Config.Epsilon)
	from, to := s.of(p.x.Rows)
	for i := from; i < to; i++ {
		row := p.x.Row(i, p.x.Stride)
		p.net.set.AddNorm(row, p.y.Row(i, p.y.Stride), row, by.gamma, by.beta, eps)
	}
	p.quantise(w, p.x, s)
}

// embed fills x with the sum of word, position and type embeddings, normed.
func (n *Network) embed(w *scratch, x kernel.Matrix, inputs []Input) {
	hidden, eps := n.Config.Hidden, float32(n.Config.Epsilon)
	word, at := grow(&w.row, hidden), 0
	for _, in := range inputs {
		for p, id := range in.IDs {
			unpackWord(word, n.word[int(id)*wordBytes(hidden):], n.wordScale[id])
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
