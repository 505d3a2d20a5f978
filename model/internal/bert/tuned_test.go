package bert

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"daybook"
	"daybook/model/internal/kernel"
)

// tuningOf writes what changes nothing of a network: all factors are one, the rest is the
// network's own in half precision. Change may alter a section.
func tuningOf(t *testing.T, f *File, n *Network, change func(name string, x []float32)) *File {
	t.Helper()
	var sections []section
	half := func(name string, x []float32) {
		x = slices.Clone(x)
		change(name, x)
		sections = append(sections, section{name, halvesOf(x)})
	}
	ones := func(n int) []float32 { return slices.Repeat([]float32{1}, n) }
	hidden := n.Config.Hidden
	half("second", n.types[hidden:2*hidden])
	l := n.layers[0]
	for _, p := range []struct {
		name string
		w    *kernel.Weights
	}{{"qkv", l.qkv}, {"output", l.output}, {"up", l.up}, {"down", l.down}} {
		half("layer0."+p.name+".factor", ones(p.w.N))
		half("layer0."+p.name+".bias", p.w.Bias)
	}
	half("layer0.attention_norm.gamma", l.attentionNorm.gamma)
	half("layer0.attention_norm.beta", l.attentionNorm.beta)
	half("layer0.output_norm.gamma", l.outputNorm.gamma)
	half("layer0.output_norm.beta", l.outputNorm.beta)
	c := f.Config
	c.TunedFrom, c.Head = f.Digest, &Head{PerToken: true, Labels: []string{"a"}}
	sections = append(sections, floatSection("head.weight", ones(hidden)), floatSection("head.bias", ones(1)))
	var b bytes.Buffer
	if err := writeFile(&b, c, sections); err != nil {
		t.Fatal(err)
	}
	tuned, err := Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return tuned
}

// halvesOf rounds to half precision; it is exact for what kernel.Half gives.
func halvesOf(x []float32) (b []byte) {
	for _, v := range x {
		best, near := uint16(0), float32(1e9)
		for h := range 0x7c00 {
			for _, bits := range []uint16{uint16(h), uint16(h) | 0x8000} {
				if d := kernel.Half(bits) - v; d*d < near {
					best, near = bits, d*d
				}
			}
		}
		b = binary.LittleEndian.AppendUint16(b, best)
	}
	return b
}

// smallNetwork loads smallFile.
func smallNetwork(t *testing.T) (*File, *Network) {
	t.Helper()
	f, err := Parse(string(smallFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	set, err := kernel.Choose("")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Load(f, set)
	if err != nil {
		t.Fatal(err)
	}
	return f, n
}

func states(t *testing.T, n *Network) (out []float32) {
	t.Helper()
	in := []Input{{IDs: []int32{2, 4, 3, 4, 3}, Second: 3}}
	if err := n.Run(context.Background(), in, func(_ int, m kernel.Matrix) { out = slices.Clone(m.Data) }); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTuned(t *testing.T) {
	f, n := smallNetwork(t)
	away := func(tuned *File) (most float32) {
		changed, err := n.Tuned(tuned)
		if err != nil {
			t.Fatal(err)
		}
		want := states(t, n)
		for i, v := range states(t, changed) {
			most = max(most, v-want[i], want[i]-v)
		}
		return most
	}
	if d := away(tuningOf(t, f, n, func(string, []float32) {})); d > 0.02 {
		t.Errorf("a tuning that changes nothing moves a state by %g", d)
	}
	for _, part := range []string{"second", "layer0.up.factor", "layer0.down.bias", "layer0.output_norm.gamma"} {
		tuned := tuningOf(t, f, n, func(name string, x []float32) {
			if name == part {
				x[0] += 1
			}
		})
		if d := away(tuned); d < 0.02 {
			t.Errorf("a change of %s moves nothing (%g)", part, d)
		}
	}
}

func TestTunedRefuses(t *testing.T) {
	f, n := smallNetwork(t)
	other := tuningOf(t, f, n, func(string, []float32) {})
	other.Config.TunedFrom = strings.Repeat("0", 64)
	if _, err := n.Tuned(other); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("a file tuned from another network: %v", err)
	}
	cut := tuningOf(t, f, n, func(string, []float32) {})
	delete(cut.places, "layer0.up.factor")
	if _, err := n.Tuned(cut); daybook.KindOf(err) != daybook.Corrupt {
		t.Errorf("a file without a part: %v", err)
	}
}
