package bert

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"daybook"
	"daybook/model/internal/kernel"
	"daybook/model/internal/wordpiece"
)

// smallFile writes a random network of one layer.
func smallFile(t testing.TB) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64()) / 4
		}
		return x
	}
	const hidden, ffn, vocabulary, positions = 32, 32, 5, 8
	linear := func(in, out int) Linear { return Linear{in, out, draw(in * out), draw(out)} }
	norm := func() Norm { return Norm{draw(hidden), draw(hidden)} }
	c := &Checkpoint{
		Config: Config{
			Name: "small", Tokenizer: wordpiece.BERT(),
			Shape: Shape{
				Layers: 1, Hidden: hidden, Heads: 2, FFN: ffn, Vocabulary: vocabulary, Positions: positions, Types: 2,
				Activation: "gelu", Epsilon: 1e-12, Pooling: "mean", MaxTokens: positions,
				Head: &Head{Dense: true, Activation: "tanh", Labels: []string{"a", "b"}},
			},
		},
		Vocabulary: []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\nword\n"),
		Word:       draw(vocabulary * hidden), Position: draw(positions * hidden), Type: draw(2 * hidden), EmbeddingNorm: norm(),
		Layers: []Layer{{
			Query: linear(hidden, hidden), Key: linear(hidden, hidden), Value: linear(hidden, hidden), Output: linear(hidden, hidden),
			Up: linear(hidden, ffn), Down: linear(ffn, hidden), AttentionNorm: norm(), OutputNorm: norm(),
		}},
		HeadDense: linear(hidden, hidden), HeadOut: linear(hidden, 2),
	}
	var b bytes.Buffer
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tryFile loads a file and, when that works, runs it.
func tryFile(data []byte) error {
	f, err := Parse(string(data))
	if err != nil {
		return err
	}
	set, err := kernel.Choose("")
	if err != nil {
		return err
	}
	n, err := Load(f, set)
	if err != nil {
		return err
	}
	in := []Input{{IDs: []int32{2, 4, 3}, Second: 3}}
	return n.Run(context.Background(), in, func(_ int, states kernel.Matrix) {
		if n.Config.Head != nil {
			n.TokenLogits(states)
		}
		n.Pool(make([]float32, n.Config.Hidden), states)
	})
}

func TestSmallFile(t *testing.T) {
	data := smallFile(t)
	if err := tryFile(data); err != nil {
		t.Fatal(err)
	}
	for shift := range 4 { // go:embed promises no alignment
		moved := append(make([]byte, shift), data...)
		if err := tryFile(moved[shift:]); err != nil {
			t.Errorf("moved by %d: %v", shift, err)
		}
	}
}

func TestInputsAreChecked(t *testing.T) {
	f, err := Parse(string(smallFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := Load(f, kernel.Available()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, ids := range [][]int32{{}, {5}, {-1}, {2, 2, 2, 2, 2, 2, 2, 2, 2}} {
		err := n.Run(context.Background(), []Input{{IDs: ids}}, func(int, kernel.Matrix) {})
		if daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("tokens %v: %v", ids, err)
		}
	}
}

// FuzzFile changes bytes of a good file whose checksum nobody reads: an error
// with a kind or an answer, never a panic.
func FuzzFile(f *testing.F) {
	good := smallFile(f)
	f.Add(uint32(0), []byte("X"))
	f.Add(uint32(60), []byte(`"heads":7`))
	f.Add(uint32(len(good)-40), []byte{0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		data := append([]byte(nil), good...)
		copy(data[int(at)%len(data):], change)
		if err := tryFile(data); err != nil && daybook.KindOf(err) == daybook.Internal {
			t.Fatalf("an error without a kind: %v", err)
		}
	})
}

// TestWordsInSixBits packs rows of every remainder of four and finds each element
// within half a step again, the largest exactly.
func TestWordsInSixBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 3, 4, 7, 384} {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		packed, got := make([]byte, wordBytes(n)), make([]float32, n)
		scale := packWord(packed, x)
		unpackWord(got, string(packed), scale)
		most := 0
		for i, v := range x {
			if math.Abs(float64(got[i]-v)) > float64(scale)*0.5001 {
				t.Errorf("element %d of %d: %g became %g, a step is %g", i, n, v, got[i], scale)
			}
			if math.Abs(float64(v)) > math.Abs(float64(x[most])) {
				most = i
			}
		}
		if math.Abs(float64(got[most]-x[most])) > 1e-6 {
			t.Errorf("largest of %d: %g became %g", n, x[most], got[most])
		}
	}
}
