package bert

import (
	"fmt"
	"io"
	"math"

	"daybook"
	"daybook/model/internal/kernel"
)

// Linear is a dense layer as checkpoints store it: Weight has Out rows of In.
type Linear struct {
	In, Out      int
	Weight, Bias []float32
}

// Norm is the scale and shift of a layer norm.
type Norm struct{ Gamma, Beta []float32 }

// Layer is one transformer layer in float32.
type Layer struct {
	Query, Key, Value, Output Linear
	Up, Down                  Linear // the feed-forward half
	AttentionNorm, OutputNorm Norm
}

// Checkpoint is a network in float32, as it was trained: what Write quantises.
type Checkpoint struct {
	Config        Config
	Vocabulary    []byte    // one piece per line
	Word          []float32 // Vocabulary rows of Hidden
	Position      []float32 // Positions rows of Hidden
	Type          []float32 // Types rows of Hidden
	EmbeddingNorm Norm
	Layers        []Layer
	HeadDense     Linear // when Config.Head.Dense
	HeadOut       Linear // when Config.Head
}

// Write quantises a checkpoint and writes it as a model file. A checkpoint that
// is not finite or whose parts do not fit its Config is Invalid.
//
// Two constants are folded in: the first type's embedding into the positions
// (types are kept as differences from it), and the attention's 1/√d into the
// queries. Positions beyond the window are left out.
func Write(w io.Writer, c *Checkpoint) error {
	if err := c.Config.check(); err != nil {
		return err
	}
	if err := c.checkSizes(); err != nil {
		return err
	}
	c = c.withinWindow()
	sections := []section{{"vocabulary", c.Vocabulary}}
	sections = append(sections, c.embeddingSections()...)
	for i := range c.Layers {
		sections = append(sections, c.layerSections(i)...)
	}
	if h := c.Config.Head; h != nil {
		if h.Dense {
			sections = append(sections, linearSections("head.dense", c.HeadDense)...)
		}
		sections = append(sections, floatSection("head.weight", c.HeadOut.Weight), floatSection("head.bias", c.HeadOut.Bias))
	}
	return writeFile(w, c.Config, sections)
}

// withinWindow leaves out the positions that no input reaches.
func (c *Checkpoint) withinWindow() *Checkpoint {
	cut := *c
	cut.Config.Positions = c.Config.MaxTokens + c.Config.PositionOffset
	cut.Position = c.Position[:cut.Config.Positions*c.Config.Hidden]
	return &cut
}

func (c *Checkpoint) embeddingSections() []section {
	hidden, width := c.Config.Hidden, wordBytes(c.Config.Hidden)
	words := make([]byte, c.Config.Vocabulary*width)
	scales := make([]float32, c.Config.Vocabulary)
	for i := range scales {
		scales[i] = packWord(words[i*width:(i+1)*width], c.Word[i*hidden:(i+1)*hidden])
	}
	position := make([]float32, len(c.Position))
	for i, v := range c.Position {
		position[i] = v + c.Type[i%hidden]
	}
	types := make([]float32, len(c.Type))
	for i, v := range c.Type {
		types[i] = v - c.Type[i%hidden]
	}
	return []section{
		{"word", words}, floatSection("word.scale", scales),
		floatSection("position", position), floatSection("type", types),
		floatSection("norm.gamma", c.EmbeddingNorm.Gamma), floatSection("norm.beta", c.EmbeddingNorm.Beta),
	}
}

func (c *Checkpoint) layerSections(i int) []section {
	l, name := &c.Layers[i], func(part string) string { return fmt.Sprintf("layer%d.%s", i, part) }
	var s []section
	s = append(s, linearSections(name("qkv"), c.joinQKV(l))...)
	s = append(s, linearSections(name("output"), l.Output)...)
	s = append(s, linearSections(name("up"), l.Up)...)
	s = append(s, linearSections(name("down"), l.Down)...)
	return append(s,
		floatSection(name("attention_norm.gamma"), l.AttentionNorm.Gamma), floatSection(name("attention_norm.beta"), l.AttentionNorm.Beta),
		floatSection(name("output_norm.gamma"), l.OutputNorm.Gamma), floatSection(name("output_norm.beta"), l.OutputNorm.Beta))
}

// joinQKV stacks the three projections, queries scaled by 1/√d.
func (c *Checkpoint) joinQKV(l *Layer) Linear {
	scale := float32(1 / math.Sqrt(float64(c.Config.Hidden/c.Config.Heads)))
	all := Linear{In: c.Config.Hidden, Out: 3 * c.Config.Hidden}
	for _, v := range l.Query.Weight {
		all.Weight = append(all.Weight, v*scale)
	}
	for _, v := range l.Query.Bias {
		all.Bias = append(all.Bias, v*scale)
	}
	all.Weight = append(append(all.Weight, l.Key.Weight...), l.Value.Weight...)
	all.Bias = append(append(all.Bias, l.Key.Bias...), l.Value.Bias...)
	return all
}

func linearSections(name string, l Linear) []section {
	w := kernel.PackWeights(l.Weight, l.Bias, l.In, l.Out)
	return []section{
		intSection(name+".data", w.Data), floatSection(name+".scale", w.Scale),
		floatSection(name+".sum", w.Sum), floatSection(name+".bias", w.Bias),
	}
}

// checkSizes checks every tensor against the Config.
func (c *Checkpoint) checkSizes() error {
	s := &c.Config.Shape
	if len(c.Layers) != s.Layers {
		return daybook.Errorf(daybook.Invalid, "checkpoint has %d layers, its configuration says %d", len(c.Layers), s.Layers)
	}
	check := sizeChecker{}
	check.tensor("word embeddings", c.Word, s.Vocabulary*s.Hidden)
	check.tensor("position embeddings", c.Position, s.Positions*s.Hidden)
	check.tensor("type embeddings", c.Type, s.Types*s.Hidden)
	check.norm("embedding norm", c.EmbeddingNorm, s.Hidden)
	for i := range c.Layers {
		l, name := &c.Layers[i], fmt.Sprintf("layer %d ", i)
		check.linear(name+"query", l.Query, s.Hidden, s.Hidden)
		check.linear(name+"key", l.Key, s.Hidden, s.Hidden)
		check.linear(name+"value", l.Value, s.Hidden, s.Hidden)
		check.linear(name+"attention output", l.Output, s.Hidden, s.Hidden)
		check.linear(name+"intermediate", l.Up, s.Hidden, s.FFN)
		check.linear(name+"output", l.Down, s.FFN, s.Hidden)
		check.norm(name+"attention norm", l.AttentionNorm, s.Hidden)
		check.norm(name+"output norm", l.OutputNorm, s.Hidden)
	}
	if s.Head != nil {
		if s.Head.Dense {
			check.linear("head dense", c.HeadDense, s.Hidden, s.Hidden)
		}
		check.linear("head output", c.HeadOut, s.Hidden, len(s.Head.Labels))
	}
	return check.err
}

// sizeChecker keeps the first complaint.
type sizeChecker struct{ err error }

func (c *sizeChecker) tensor(name string, x []float32, want int) {
	if c.err != nil {
		return
	}
	if len(x) != want {
		c.err = daybook.Errorf(daybook.Invalid, "%s: %d elements, want %d", name, len(x), want)
		return
	}
	for i, v := range x {
		if v-v != 0 {
			c.err = daybook.Errorf(daybook.Invalid, "%s: element %d is %g", name, i, v)
			return
		}
	}
}

func (c *sizeChecker) linear(name string, l Linear, in, out int) {
	if c.err == nil && (l.In != in || l.Out != out) {
		c.err = daybook.Errorf(daybook.Invalid, "%s: %d to %d, want %d to %d", name, l.In, l.Out, in, out)
	}
	c.tensor(name+" weight", l.Weight, in*out)
	c.tensor(name+" bias", l.Bias, out)
}

func (c *sizeChecker) norm(name string, n Norm, width int) {
	c.tensor(name+" gamma", n.Gamma, width)
	c.tensor(name+" beta", n.Beta, width)
}
