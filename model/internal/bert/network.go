package bert

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"daybook"
	"daybook/model/internal/kernel"
	"daybook/model/internal/wordpiece"
)

// Network is a loaded model. It is safe for concurrent use.
type Network struct {
	Config    Config
	Tokenizer *wordpiece.Tokenizer

	digest    string // of its file
	set       *kernel.Set
	word      string // packWord
	wordScale []float32
	position  []float32
	types     []float32
	embedNorm norm
	layers    []layer
	headDense *kernel.Weights
	headOut   matrix

	zeros   []float32
	scratch sync.Pool     // *scratch
	helpers chan struct{} // one token per extra worker that may run
	running atomic.Int64  // runs under way
	rest    atomic.Int64  // runs to come that get no crew
}

type norm struct{ gamma, beta []float32 }

type layer struct {
	qkv, output, up, down     *kernel.Weights
	attentionNorm, outputNorm norm
}

// matrix is a small float32 matrix: rows of In with a bias each.
type matrix struct {
	in           int
	weight, bias []float32
}

// Load makes a network of a parsed file. Sections that are missing, of the
// wrong size or not finite are Corrupt. The file's bytes must stay unchanged.
func Load(f *File, set *kernel.Set) (*Network, error) {
	n := &Network{Config: f.Config, digest: f.Digest, set: set}
	vocabulary, err := f.text("vocabulary")
	if err != nil {
		return nil, err
	}
	if n.Tokenizer, err = wordpiece.New(vocabulary, f.Config.Tokenizer); err != nil {
		return nil, fmt.Errorf("model file %s: %w", f.Config.Name, err)
	}
	if n.Tokenizer.Size() > f.Config.Vocabulary {
		return nil, daybook.Errorf(daybook.Corrupt, "model file %s: tokenizer has %d pieces, the network %d", f.Config.Name, n.Tokenizer.Size(), f.Config.Vocabulary)
	}
	r := reader{file: f}
	n.readEmbeddings(&r)
	n.readLayers(&r)
	n.readHead(&r)
	if r.err != nil {
		return nil, fmt.Errorf("model file %s: %w", f.Config.Name, r.err)
	}
	n.zeros = make([]float32, kernel.Pad(f.Config.Hidden))
	n.scratch.New = func() any { return new(scratch) }
	n.helpers = make(chan struct{}, max(0, runtime.GOMAXPROCS(0)-1))
	return n, nil
}

func (n *Network) readEmbeddings(r *reader) {
	c := &n.Config
	n.word = r.bytes("word", c.Vocabulary*wordBytes(c.Hidden))
	n.wordScale = r.floats("word.scale", c.Vocabulary)
	n.position = r.floats("position", c.Positions*c.Hidden)
	n.types = r.floats("type", c.Types*c.Hidden)
	n.embedNorm = r.norm("norm", c.Hidden)
}

func (n *Network) readLayers(r *reader) {
	c := &n.Config
	for i := range c.Layers {
		p := fmt.Sprintf("layer%d.", i)
		n.layers = append(n.layers, layer{
			qkv:           r.weights(p+"qkv", c.Hidden, 3*c.Hidden),
			output:        r.weights(p+"output", c.Hidden, c.Hidden),
			up:            r.weights(p+"up", c.Hidden, c.FFN),
			down:          r.weights(p+"down", c.FFN, c.Hidden),
			attentionNorm: r.norm(p+"attention_norm", c.Hidden),
			outputNorm:    r.norm(p+"output_norm", c.Hidden),
		})
	}
}

func (n *Network) readHead(r *reader) {
	h := n.Config.Head
	if h == nil {
		return
	}
	if h.Dense {
		n.headDense = r.weights("head.dense", n.Config.Hidden, n.Config.Hidden)
	}
	n.headOut = matrix{
		in:     n.Config.Hidden,
		weight: r.floats("head.weight", n.Config.Hidden*len(h.Labels)),
		bias:   r.floats("head.bias", len(h.Labels)),
	}
}

// reader reads sections and keeps the first error.
type reader struct {
	file *File
	err  error
}

func (r *reader) floats(name string, n int) []float32 {
	if r.err != nil {
		return nil
	}
	x, err := r.file.floats(name, n)
	r.err = err
	return x
}

func (r *reader) ints(name string, n int) []int8 {
	if r.err != nil {
		return nil
	}
	x, err := r.file.ints(name, n)
	r.err = err
	return x
}

func (r *reader) bytes(name string, n int) string {
	if r.err != nil {
		return ""
	}
	s, err := r.file.bytes(name, n)
	r.err = err
	return s
}

func (r *reader) norm(name string, n int) norm {
	return norm{r.floats(name+".gamma", n), r.floats(name+".beta", n)}
}

func (r *reader) weights(name string, in, out int) *kernel.Weights {
	k, n := kernel.Pad(in), kernel.Pad(out)
	return &kernel.Weights{
		K: k, N: n, Data: r.ints(name+".data", k*n),
		Scale: r.floats(name+".scale", n), Sum: r.floats(name+".sum", n), Bias: r.floats(name+".bias", n),
	}
}
