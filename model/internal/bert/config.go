package bert

import (
	"fmt"
	"math"

	"daybook"
	"daybook/model/internal/wordpiece"
)

// Config describes a network completely; the weights add only numbers. It is
// the JSON header of a model file.
type Config struct {
	Name         string `json:"name"`
	Licence      string `json:"licence"`
	Origin       string `json:"origin"`
	SourceSHA256 string `json:"source_sha256"` // of the weights this was converted from
	// TunedFrom is the digest of the file whose network this one changes; empty for a
	// network that stands alone. See Network.Tuned.
	TunedFrom string `json:"tuned_from,omitempty"`

	Shape
	Tokenizer wordpiece.Config `json:"tokenizer"`
}

// Shape is the part of a Config that decides the numbers a network gives.
type Shape struct {
	Layers         int     `json:"layers"`
	Hidden         int     `json:"hidden"`
	Heads          int     `json:"heads"`
	FFN            int     `json:"ffn"`
	Vocabulary     int     `json:"vocabulary"`
	Positions      int     `json:"positions"`
	PositionOffset int     `json:"position_offset,omitempty"` // RoBERTa counts from 2
	Types          int     `json:"types"`
	Activation     string  `json:"activation"` // gelu, gelu_tanh, relu
	Epsilon        float64 `json:"epsilon"`

	Pooling   string `json:"pooling"`    // mean, cls, none
	Normalise bool   `json:"normalise"`  // not read, as all vectors get length one; kept because digests cover it
	MaxTokens int    `json:"max_tokens"` // of one window, class and separator included
	Overlap   int    `json:"overlap"`    // tokens two neighbouring windows share

	QueryPrefix   string `json:"query_prefix,omitempty"`
	PassagePrefix string `json:"passage_prefix,omitempty"`

	Head *Head `json:"head,omitempty"`
}

// Head is what stands on the last layer: an optional dense layer with an
// activation, then one logit per label; over the class token, or over every
// token.
type Head struct {
	Dense      bool     `json:"dense"`
	Activation string   `json:"activation,omitempty"` // of the dense layer: tanh, relu, gelu
	PerToken   bool     `json:"per_token,omitempty"`
	Labels     []string `json:"labels"`
}

// Limits of what Load will allocate for; far above any BERT-family encoder.
const (
	maxLayers = 128
	maxWidth  = 1 << 15
	maxRows   = 1 << 21
	maxLabels = 1 << 12
)

// check refuses a shape the network cannot run. The error is Invalid and names
// the field.
func (s *Shape) check() error {
	for _, f := range []struct {
		name      string
		value     int
		low, high int
	}{
		{"layers", s.Layers, 1, maxLayers}, {"hidden", s.Hidden, 1, maxWidth}, {"heads", s.Heads, 1, s.Hidden},
		{"ffn", s.FFN, 1, maxWidth}, {"vocabulary", s.Vocabulary, 3, maxRows}, {"positions", s.Positions, 3, maxRows},
		{"position_offset", s.PositionOffset, 0, s.Positions - 3}, {"types", s.Types, 1, 16},
		{"max_tokens", s.MaxTokens, 3, s.Positions - s.PositionOffset}, {"overlap", s.Overlap, 0, s.MaxTokens - 3},
	} {
		if f.value < f.low || f.value > f.high {
			return daybook.Errorf(daybook.Invalid, "%s is %d, want %d to %d", f.name, f.value, f.low, f.high)
		}
	}
	if s.Hidden%s.Heads != 0 {
		return daybook.Errorf(daybook.Invalid, "hidden size %d does not divide into %d heads", s.Hidden, s.Heads)
	}
	if !(s.Epsilon >= 0 && s.Epsilon < 1) || math.IsNaN(s.Epsilon) {
		return daybook.Errorf(daybook.Invalid, "layer norm epsilon is %g", s.Epsilon)
	}
	return s.checkWords()
}

func (s *Shape) checkWords() error {
	if err := oneOf("activation", s.Activation, "gelu", "gelu_tanh", "relu"); err != nil {
		return err
	}
	if err := oneOf("pooling", s.Pooling, "mean", "cls", "none"); err != nil {
		return err
	}
	if s.Head == nil {
		return nil
	}
	if n := len(s.Head.Labels); n < 1 || n > maxLabels {
		return daybook.Errorf(daybook.Invalid, "head has %d labels", n)
	}
	if s.Head.Dense {
		return oneOf("head activation", s.Head.Activation, "tanh", "relu", "gelu")
	}
	return nil
}

func oneOf(what, have string, want ...string) error {
	for _, w := range want {
		if have == w {
			return nil
		}
	}
	return daybook.Errorf(daybook.Invalid, "%s %q is not supported, want one of %s", what, have, fmt.Sprint(want))
}
