package bert

import (
	"math"

	"daybook/model/internal/kernel"
)

// Pool writes one vector of Hidden elements for an input's last hidden states,
// as the Config's Pooling says; "none" pools as "cls" does.
func (n *Network) Pool(dst []float32, states kernel.Matrix) {
	hidden := n.Config.Hidden
	if n.Config.Pooling != "mean" {
		copy(dst[:hidden], states.Row(0, hidden))
		return
	}
	clear(dst[:hidden])
	for i := range states.Rows {
		for j, v := range states.Row(i, hidden) {
			dst[j] += v
		}
	}
	inv := 1 / float32(states.Rows)
	for j := range dst[:hidden] {
		dst[j] *= inv
	}
}

// Unit scales x to length one; a vector of zeros stays as it is.
func Unit(x []float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	if sum == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(sum))
	for i := range x {
		x[i] *= inv
	}
}

// Logits returns the head's logits over the class token, one per label.
func (n *Network) Logits(states kernel.Matrix) []float32 {
	states.Rows = 1
	return n.TokenLogits(states)
}

// TokenLogits returns the head's logits over every token: for each row of
// states, one per label.
func (n *Network) TokenLogits(states kernel.Matrix) []float32 {
	labels := len(n.Config.Head.Labels)
	out := make([]float32, states.Rows*labels)
	if n.headDense != nil {
		states = n.headHidden(states)
	}
	for i := range states.Rows {
		row := states.Row(i, n.headOut.in)
		for l := range labels {
			sum := n.headOut.bias[l]
			for j, v := range n.headOut.weight[l*n.headOut.in:][:len(row)] {
				sum += v * row[j]
			}
			out[i*labels+l] = sum
		}
	}
	return out
}

func (n *Network) headHidden(states kernel.Matrix) kernel.Matrix {
	w := n.headDense
	dst := kernel.Matrix{Rows: states.Rows, Stride: w.N, Data: make([]float32, states.Rows*w.N)}
	var q kernel.Quantised
	q.Grow(states.Rows, w.K)
	n.set.Quantise(&q, states)
	n.set.MulI8(dst, &q, w)
	switch n.Config.Head.Activation {
	case "tanh":
		for i, v := range dst.Data {
			dst.Data[i] = float32(math.Tanh(float64(v)))
		}
	case "relu":
		n.set.Relu(dst.Data)
	case "gelu":
		n.set.Gelu(dst.Data)
	}
	return dst
}
