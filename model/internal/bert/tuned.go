package bert

import (
	"fmt"

	"daybook"
	"daybook/model/internal/kernel"
)

// Tuned returns a network with the weights and the tokenizer of n, changed as the file
// says: every output of a product has a factor and a shift of its own, the norms and the
// embedding of the second text are others, and a head stands on top. It takes as long
// as n and next to no memory. A file that was not tuned from n's is Invalid, one whose
// parts do not fit n is Corrupt.
func (n *Network) Tuned(f *File) (*Network, error) {
	if f.Config.TunedFrom != n.digest {
		return nil, daybook.Errorf(daybook.Invalid, "model file %s was tuned from the network %.8s, not from %.8s", f.Config.Name, f.Config.TunedFrom, n.digest)
	}
	hidden, r := n.Config.Hidden, reader{file: f}
	t := &Network{
		Config: f.Config, Tokenizer: n.Tokenizer, digest: f.Digest, set: n.set, word: n.word, wordScale: n.wordScale,
		position: n.position, embedNorm: n.embedNorm, zeros: n.zeros, helpers: n.helpers,
	}
	t.types = append(make([]float32, hidden), r.halves("second", hidden)...)
	for i, l := range n.layers {
		p := fmt.Sprintf("layer%d.", i)
		t.layers = append(t.layers, layer{
			qkv: r.turned(p+"qkv", l.qkv), output: r.turned(p+"output", l.output), up: r.turned(p+"up", l.up), down: r.turned(p+"down", l.down),
			attentionNorm: norm{r.halves(p+"attention_norm.gamma", hidden), r.halves(p+"attention_norm.beta", hidden)},
			outputNorm:    norm{r.halves(p+"output_norm.gamma", hidden), r.halves(p+"output_norm.beta", hidden)},
		})
	}
	t.readHead(&r)
	if r.err != nil {
		return nil, fmt.Errorf("model file %s: %w", f.Config.Name, r.err)
	}
	t.scratch.New = func() any { return new(scratch) }
	return t, nil
}

// turned are weights with the same numbers and other factors and shifts.
func (r *reader) turned(name string, w *kernel.Weights) *kernel.Weights {
	factor := r.halves(name+".factor", w.N)
	t := &kernel.Weights{K: w.K, N: w.N, Data: w.Data, Scale: make([]float32, w.N), Sum: make([]float32, w.N), Bias: r.halves(name+".bias", w.N)}
	for i, f := range factor {
		t.Scale[i], t.Sum[i] = f*w.Scale[i], f*w.Sum[i]
	}
	return t
}

func (r *reader) halves(name string, n int) []float32 {
	if r.err != nil {
		return nil
	}
	x, err := r.file.halves(name, n)
	r.err = err
	return x
}
