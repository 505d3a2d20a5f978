package model

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
	"daybook/model/internal/kernel"
)

// importTiny converts a model and returns the path of the result.
func importTiny(t testing.TB, m *tiny, kind string) string {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "tiny.dbm")
	if _, err := Import(m.write(t, kind), dst, ImportOptions{Name: "tiny", Licence: "none"}); err != nil {
		t.Fatal(err)
	}
	return dst
}

// close64 compares by the angle and by the largest error.
func close64(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	var gw, gg, ww float64
	for i, w := range want {
		g := float64(got[i])
		gw, gg, ww = gw+g*w, gg+g*g, ww+w*w
		if math.Abs(g-w) > 0.12*(1+math.Abs(w)) {
			t.Errorf("%s: element %d is %.4f, want %.4f", what, i, g, w)
		}
	}
	if c := gw / math.Sqrt(gg*ww); c < 0.996 {
		t.Errorf("%s: cosine %.5f to the float64 reference", what, c)
	}
}

func TestImportedEncoders(t *testing.T) {
	for name, c := range map[string]struct {
		m    tiny
		kind string
	}{
		"bert":          {tiny{}, "F32"},
		"half floats":   {tiny{activation: "gelu_new"}, "F16"},
		"brain floats":  {tiny{activation: "relu"}, "BF16"},
		"odd sizes":     {tiny{hidden: 78, heads: 3, ffn: 100, layers: 3}, "F32"},
		"wide heads":    {tiny{hidden: 128, heads: 2}, "F32"},
		"distilbert":    {tiny{family: "distilbert"}, "F32"},
		"roberta":       {tiny{family: "roberta", offset: 2, types: 1}, "F32"},
		"electra":       {tiny{family: "electra"}, "F32"},
		"single layer":  {tiny{layers: 1, hidden: 32, heads: 1, ffn: 32}, "F32"},
		"narrow heads":  {tiny{hidden: 96, heads: 12}, "F32"},
		"many in batch": {tiny{hidden: 48, heads: 6, ffn: 50}, "F32"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTiny(1, c.m)
			path := importTiny(t, m, c.kind)
			for _, set := range kernel.Available() {
				t.Setenv(kernel.Variable, set.Name())
				e, err := OpenEncoder(path)
				if err != nil {
					t.Fatal(err)
				}
				v := encode(t, e, "The cat sat on the mats.", "a dog ran home", strings.Repeat("cat ", 12))
				want := m.run([]int32{2, 5, 6, 7, 8, 5, 9, 10, 13, 3}, 99)
				mean := make([]float64, m.hidden)
				for _, row := range want {
					add(mean, row)
				}
				length := 0.0
				for _, x := range mean {
					length += x * x
				}
				for i := range mean {
					mean[i] /= math.Sqrt(length)
				}
				close64(t, set.Name(), v.Row(0), mean)
			}
		})
	}
}

var pairHeads = map[string]tiny{
	"bert":       {architecture: "BertForSequenceClassification", dense: "pooler.dense", out: "classifier", denseActivation: "tanh"},
	"distilbert": {family: "distilbert", architecture: "DistilBertForSequenceClassification", dense: "pre_classifier", out: "classifier", denseActivation: "relu"},
	"roberta":    {family: "roberta", offset: 2, architecture: "RobertaForSequenceClassification", dense: "classifier.dense", out: "classifier.out_proj", denseActivation: "tanh"},
	"electra":    {family: "electra", architecture: "ElectraForSequenceClassification", dense: "classifier.dense", out: "classifier.out_proj", denseActivation: "gelu"},
}

func TestImportedRerankers(t *testing.T) {
	for name, m := range pairHeads {
		t.Run(name, func(t *testing.T) {
			m.labels = []string{"LABEL_0"}
			model := newTiny(2, m)
			r, err := OpenReranker(importTiny(t, model, "F32"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Rerank(context.Background(), "the cat", []string{"a dog ran", "the mat"})
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for _, ids := range [][]int32{{2, 5, 6, 3, 11, 12, 14, 3}, {2, 5, 6, 3, 5, 9, 3}} {
				want = append(want, model.logits(model.run(ids, 4)[:1])[0][0])
			}
			close64(t, "scores", got, want)
		})
	}
}

func TestImportedEntailer(t *testing.T) {
	m := pairHeads["bert"]
	m.labels = []string{"contradiction", "entailment", "neutral"}
	model := newTiny(3, m)
	e, err := OpenEntailer(importTiny(t, model, "F32"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Entail(context.Background(), []Pair{{"the cat sat", "a cat sat"}})
	if err != nil {
		t.Fatal(err)
	}
	l := model.logits(model.run([]int32{2, 5, 6, 7, 3, 11, 6, 7, 3}, 5)[:1])[0]
	p := probabilities(l[1], l[2], l[0])
	close64(t, "verdict", []float32{got[0].Entail, got[0].Neutral, got[0].Contradict}, []float64{float64(p[0]), float64(p[1]), float64(p[2])})
	if sum := got[0].Entail + got[0].Neutral + got[0].Contradict; math.Abs(float64(sum)-1) > 1e-5 {
		t.Errorf("verdict adds up to %g", sum)
	}
}

func TestImportedTagger(t *testing.T) {
	model := newTiny(4, tiny{architecture: "BertForTokenClassification", out: "classifier", perToken: true, labels: []string{"O", "B-PER", "I-PER"}})
	tagger, err := OpenTagger(importTiny(t, model, "F32"))
	if err != nil {
		t.Fatal(err)
	}
	text := "The cats sat."
	tags, err := tagger.Tag(context.Background(), []string{text, ""})
	if err != nil {
		t.Fatal(err)
	}
	states := model.logits(model.run([]int32{2, 5, 6, 10, 7, 13, 3}, 99))
	if len(tags) != 2 || len(tags[0]) != 4 || len(tags[1]) != 0 {
		t.Fatalf("tags: %+v", tags)
	}
	for w, place := range []int{1, 2, 4, 5} {
		best := 0
		for i, v := range states[place] {
			if v > states[place][best] {
				best = i
			}
		}
		tag := tags[0][w]
		if tag.Label != model.labels[best] {
			t.Errorf("word %q: %+v, want %s", text[tag.Start:tag.End], tag, model.labels[best])
		}
	}
}

func TestWrongTask(t *testing.T) {
	path := importTiny(t, newTiny(5, tiny{}), "F32")
	_, rerank := OpenReranker(path)
	_, entail := OpenEntailer(path)
	_, tag := OpenTagger(path)
	for _, err := range []error{rerank, entail, tag} {
		if daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("an encoder in another slot: %v", err)
		}
	}
	if _, err := OpenEncoder(filepath.Join(t.TempDir(), "none")); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("no file: %v", err)
	}
}

// TestInspect checks that a model file of any task is described.
func TestInspect(t *testing.T) {
	pair := func(labels ...string) tiny {
		m := pairHeads["bert"]
		m.labels = labels
		return m
	}
	tagger := tiny{architecture: "BertForTokenClassification", out: "classifier", perToken: true, labels: []string{"O", "B-PER"}}
	for task, m := range map[string]tiny{
		"encode": {}, "rerank": pair("LABEL_0"), "entail": pair("entailment", "neutral", "contradiction"), "tag": tagger,
		"classify": pair("joy", "anger", "fear"),
	} {
		path := importTiny(t, newTiny(13, m), "F32")
		info, err := Inspect(path)
		if err != nil || info.Task != task || info.Name != "tiny" || info.Layers != 2 || (info.Dim == 64) != (task == "encode") {
			t.Errorf("%s: %+v, %v", task, info, err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole[len(whole)-1] ^= 1 // the checksum
		put(t, filepath.Dir(path), "tiny.dbm", whole)
		if _, err := Inspect(path); daybook.KindOf(err) != daybook.Corrupt {
			t.Errorf("%s, damaged: %v", task, err)
		}
	}
	if _, err := Inspect(filepath.Join(t.TempDir(), "none")); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("no file: %v", err)
	}
}

func TestInfoJSON(t *testing.T) {
	got, err := json.Marshal(Info{ID: "a@1-q1", SourceSHA256: "ff", MaxTokens: 256})
	want := `{"id":"a@1-q1","name":"","task":"","licence":"","origin":"","source_sha256":"ff","kernel":"","dim":0,"layers":0,"max_tokens":256,"bytes":0}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestRefusals checks that what the encoder lacks is named.
func TestRefusals(t *testing.T) {
	good := newTiny(6, tiny{})
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		kind   daybook.Kind
		says   string
	}{
		"deberta":      {putter("config.json", `{"model_type":"deberta-v2","hidden_size":64,"num_attention_heads":4}`), daybook.Invalid, "disentangled attention"},
		"t5":           {putter("config.json", `{"model_type":"t5"}`), daybook.Invalid, "decoder"},
		"llama":        {putter("config.json", `{"model_type":"llama","hidden_size":64}`), daybook.Invalid, "causal decoder"},
		"no type":      {putter("config.json", `{}`), daybook.Invalid, "model type"},
		"bpe":          {putter("tokenizer.json", string(tinyTokenizer("BPE"))), daybook.Invalid, `"BPE"`},
		"activation":   {putter("config.json", `{"model_type":"bert","hidden_size":64,"num_attention_heads":4,"hidden_act":"silu"}`), daybook.Invalid, "silu"},
		"positions":    {putter("config.json", `{"model_type":"bert","hidden_size":64,"num_attention_heads":4,"position_embedding_type":"relative_key"}`), daybook.Invalid, "relative_key"},
		"heads":        {putter("config.json", `{"model_type":"bert","hidden_size":64,"num_attention_heads":5}`), daybook.Invalid, "heads"},
		"bad config":   {putter("config.json", `{"model_type":`), daybook.Corrupt, "config.json"},
		"bad tokens":   {putter("tokenizer.json", `{`), daybook.Corrupt, "tokenizer.json"},
		"wrong tokens": {putter("tokenizer.json", strings.Replace(string(tinyTokenizer("WordPiece")), `"home":15`, `"home":99`, 1)), daybook.Invalid, "do not belong together"},
		"no tokens":    {func(t *testing.T, dir string) { remove(t, dir, "tokenizer.json") }, daybook.Invalid, "tokenizer.json"},
		"no config":    {func(t *testing.T, dir string) { remove(t, dir, "config.json") }, daybook.Invalid, "config.json"},
		"html":         {putter("model.safetensors", "<!doctype html><html>"), daybook.Corrupt, "safetensors"},
		"empty":        {putter("model.safetensors", ""), daybook.Corrupt, "cut short"},
		"no weights": {func(t *testing.T, dir string) {
			remove(t, dir, "model.safetensors")
			put(t, dir, "pytorch_model.bin", nil)
		}, daybook.Invalid, "pytorch_model.bin"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := good.write(t, "F32")
			c.change(t, dir)
			dst := filepath.Join(t.TempDir(), "x.dbm")
			_, err := Import(dir, dst, ImportOptions{})
			if daybook.KindOf(err) != c.kind || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v (%v), want %v naming %q", err, daybook.KindOf(err), c.kind, c.says)
			}
			if _, err := os.Stat(dst); err == nil {
				t.Error("a refused import left a file")
			}
		})
	}
}

func putter(name, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { put(t, dir, name, []byte(content)) }
}

func remove(t *testing.T, dir, name string) {
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestNaNWeights(t *testing.T) {
	m := newTiny(7, tiny{})
	m.weights["encoder.layer.1.output.dense.bias"].data[3] = math.NaN()
	if _, err := Import(m.write(t, "F32"), filepath.Join(t.TempDir(), "x"), ImportOptions{}); daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN in a checkpoint: %v", err)
	}
}

// TestDamagedImports cuts and garbles a good folder's weights: a typed error or
// a model, never a panic.
func TestDamagedImports(t *testing.T) {
	m := newTiny(8, tiny{layers: 1, hidden: 32, heads: 2, ffn: 32})
	dir, rng := m.write(t, "F32"), rand.New(rand.NewPCG(1, 2))
	whole, dst := m.safetensors("F32"), filepath.Join(t.TempDir(), "x")
	graph := m.onnx()
	for i := range 150 {
		cut, garbled := whole[:rng.IntN(len(whole))], append([]byte(nil), whole...)
		for range 1 + i%20 {
			garbled[rng.IntN(min(len(garbled), 4000))] = byte(rng.Uint32())
		}
		for _, data := range [][]byte{cut, garbled} {
			put(t, dir, "model.safetensors", data)
			if _, err := Import(dir, dst, ImportOptions{}); err != nil && daybook.KindOf(err) == daybook.Internal {
				t.Fatalf("damaged weights: %v has no kind", err)
			}
		}
		bad := append([]byte(nil), graph[:len(graph)-rng.IntN(len(graph)/2)*(i%2)]...)
		for range i % 20 {
			bad[rng.IntN(len(bad))] = byte(rng.Uint32())
		}
		put(t, dir, "bad.onnx", bad)
		if _, err := Import(filepath.Join(dir, "bad.onnx"), dst, ImportOptions{}); err != nil && daybook.KindOf(err) == daybook.Internal {
			t.Fatalf("damaged graph: %v has no kind", err)
		}
	}
}

// TestDamagedModelFiles cuts and garbles a good model file.
func TestDamagedModelFiles(t *testing.T) {
	path := importTiny(t, newTiny(9, tiny{layers: 1, hidden: 32, heads: 2, ffn: 32}), "F32")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng, bad := rand.New(rand.NewPCG(3, 4)), filepath.Join(t.TempDir(), "bad.dbm")
	for i := range 300 {
		data := append([]byte(nil), whole...)
		if i%3 == 0 {
			data = data[:rng.IntN(len(data))]
		} else {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
		}
		put(t, filepath.Dir(bad), "bad.dbm", data)
		_, err := OpenEncoder(bad)
		if k := daybook.KindOf(err); err == nil || k != daybook.Corrupt && k != daybook.Invalid {
			t.Fatalf("damage %d went through: %v", i, err)
		}
	}
}

// TestNaNModelFile checks the floats of a file whose checksum nobody reads.
func TestNaNModelFile(t *testing.T) {
	path := importTiny(t, newTiny(10, tiny{}), "F32")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(whole[len(whole)-32-4*64:], math.Float32bits(float32(math.NaN()))) // the last norm's beta
	if _, err := load(string(whole)); daybook.KindOf(err) != daybook.Corrupt || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN in a model file: %v", err)
	}
}

// TestONNX checks that an ONNX export gives the very file its checkpoint gives.
func TestONNX(t *testing.T) {
	m := newTiny(11, tiny{hidden: 64, heads: 2})
	dir, out := m.write(t, "F32"), t.TempDir()
	put(t, dir, "export.onnx", m.onnx())
	a, err := Import(dir, filepath.Join(out, "a"), ImportOptions{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	remove(t, dir, "config.json") // heads are told by the attention's divisor
	b, err := Import(filepath.Join(dir, "export.onnx"), filepath.Join(out, "b"), ImportOptions{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if a.ID != b.ID {
		t.Errorf("safetensors gave %s, ONNX %s", a.ID, b.ID)
	}
}

// TestQuantisedONNX checks that an export quantised dynamically by ONNX Runtime
// is taken back to floats.
func TestQuantisedONNX(t *testing.T) {
	m := newTiny(12, tiny{hidden: 64, heads: 2})
	for name, w := range m.weights { // weights that a byte holds exactly
		if base, ok := strings.CutSuffix(name, ".weight"); ok && len(w.shape) == 2 && m.weights[base+".bias"].data != nil {
			for i, v := range w.data {
				w.data[i] = math.Round(max(-127, min(127, v*256))) / 256
			}
		}
	}
	dir, out := m.write(t, "F32"), t.TempDir()
	put(t, dir, "quantised.onnx", m.graph(true))
	a, err := Import(dir, filepath.Join(out, "a"), ImportOptions{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Import(filepath.Join(dir, "quantised.onnx"), filepath.Join(out, "b"), ImportOptions{Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if a.ID != b.ID {
		t.Errorf("safetensors gave %s, quantised ONNX %s", a.ID, b.ID)
	}
}

// onnx exports the model as PyTorch does: weights of dense layers anonymous and
// transposed, biases named.
func (m *tiny) onnx() []byte { return m.graph(false) }

// graph is onnx, with the weights of dense layers as bytes if so wished.
func (m *tiny) graph(quantised bool) []byte {
	var graph []byte
	node := func(op, out string, attribute []byte, in ...string) {
		var n []byte
		for _, i := range in {
			n = message(n, 1, []byte(i))
		}
		n = message(message(n, 2, []byte(out)), 4, []byte(op))
		if attribute != nil {
			n = message(n, 5, attribute)
		}
		graph = message(graph, 1, n)
	}
	divisor := tensorProto("", nil, []float64{math.Sqrt(float64(m.hidden / m.heads))})
	node("Constant", "divisor", message(message(nil, 1, []byte("value")), 5, divisor))
	node("MatMul", "scores", nil, "q", "k")
	node("Div", "scaled", nil, "scores", "divisor")
	node("Erf", "erf", nil, "x")
	for name, w := range m.weights {
		base, isWeight := strings.CutSuffix(name, ".weight")
		if _, dense := m.weights[base+".bias"]; !isWeight || !dense || len(w.shape) != 2 {
			graph = message(graph, 5, tensorProto(name, w.shape, w.data))
			continue
		}
		out, in := w.shape[0], w.shape[1]
		turned := make([]float64, len(w.data))
		for i := range out {
			for j := range in {
				turned[j*out+i] = w.data[i*in+j]
			}
		}
		if quantised {
			q := "onnx::" + base
			graph = message(graph, 5, bytesProto(q+"_quantized", []int{in, out}, turned))
			graph = message(graph, 5, tensorProto(q+"_scale", nil, []float64{1.0 / 256}))
			graph = message(graph, 5, bytesProto(q+"_zero_point", nil, []float64{0}))
			node("MatMulInteger", base+"/int", nil, "x", q+"_quantized", "xz", q+"_zero_point")
			node("Cast", base+"/cast", nil, base+"/int")
			node("Mul", base+"/mul", nil, base+"/cast", "scales")
			node("Add", base+"/Add", nil, base+".bias", base+"/mul")
			continue
		}
		graph = message(graph, 5, tensorProto("onnx::"+base, []int{in, out}, turned))
		node("MatMul", base+"/MatMul", nil, "x", "onnx::"+base)
		node("Add", base+"/Add", nil, base+".bias", base+"/MatMul")
	}
	return message(nil, 7, graph)
}

func message(to []byte, field int, data []byte) []byte {
	to = binary.AppendUvarint(to, uint64(field)<<3|2)
	return append(binary.AppendUvarint(to, uint64(len(data))), data...)
}

// bytesProto is a tensor of int8, in steps of 1/256.
func bytesProto(name string, shape []int, data []float64) []byte {
	var b, raw []byte
	for _, d := range shape {
		b = binary.AppendUvarint(append(b, 1<<3), uint64(d))
	}
	for _, v := range data {
		raw = append(raw, byte(int8(v*256)))
	}
	b = append(b, 2<<3, 3) // INT8
	return message(message(b, 8, []byte(name)), 9, raw)
}

func tensorProto(name string, shape []int, data []float64) []byte {
	var b, raw []byte
	for _, d := range shape {
		b = binary.AppendUvarint(append(b, 1<<3), uint64(d))
	}
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	b = append(b, 2<<3, 1) // FLOAT
	return message(message(b, 8, []byte(name)), 9, raw)
}
