package model

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tiny is a small random model under Hugging Face's names, and how to run it in
// float64: the reference for everything Import and the network do.
type tiny struct {
	family                      string // bert, distilbert, roberta, electra
	architecture                string
	hidden, heads, ffn, layers  int
	positions, types, offset    int
	activation                  string // config.json's word
	labels                      []string
	perToken                    bool
	dense, out, denseActivation string // names of the head's parts
	weights                     map[string]tinyTensor
}

type tinyTensor struct {
	shape []int
	data  []float64
}

var tinyVocabulary = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "##s", "a", "dog", ".", "ran", "home"}

// newTiny fills in a model's defaults and draws its weights.
func newTiny(seed uint64, m tiny) *tiny {
	m.fill()
	m.drawWeights(rand.New(rand.NewPCG(seed, 7)))
	return &m
}

func (m *tiny) fill() {
	def := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	def(&m.hidden, 64)
	def(&m.heads, 4)
	def(&m.ffn, 96)
	def(&m.layers, 2)
	def(&m.positions, 40)
	def(&m.types, 2)
	if m.family == "" {
		m.family = "bert"
	}
	if m.activation == "" {
		m.activation = "gelu"
	}
}

func (m *tiny) drawWeights(rng *rand.Rand) {
	m.weights = map[string]tinyTensor{}
	draw := func(name string, mean, spread float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float64, n)
		for i := range data {
			data[i] = float64(float32(mean + spread*rng.NormFloat64()))
		}
		m.weights[name] = tinyTensor{shape, data}
	}
	linear := func(name string, in, out int) {
		draw(name+".weight", 0, 1.5/math.Sqrt(float64(in)), out, in)
		draw(name+".bias", 0, 0.1, out)
	}
	norm := func(name string) {
		draw(name+".weight", 1, 0.1, m.hidden)
		draw(name+".bias", 0, 0.1, m.hidden)
	}
	draw("embeddings.word_embeddings.weight", 0, 1, len(tinyVocabulary), m.hidden)
	draw("embeddings.position_embeddings.weight", 0, 0.5, m.positions, m.hidden)
	if m.family != "distilbert" {
		draw("embeddings.token_type_embeddings.weight", 0, 0.5, m.types, m.hidden)
	}
	norm("embeddings.LayerNorm")
	for i := range m.layers {
		n := m.names(i)
		for _, p := range n[:4] {
			linear(p, m.hidden, m.hidden)
		}
		norm(n[4])
		linear(n[5], m.hidden, m.ffn)
		linear(n[6], m.ffn, m.hidden)
		norm(n[7])
	}
	if m.dense != "" {
		linear(m.dense, m.hidden, m.hidden)
	}
	if m.out != "" {
		linear(m.out, m.hidden, len(m.labels))
	}
}

// names lists a layer's parts: query, key, value, output, norm, up, down, norm.
func (m *tiny) names(i int) []string {
	parts, stack := []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
		"attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"}, "encoder.layer"
	if m.family == "distilbert" {
		parts, stack = []string{"attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
			"sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"}, "transformer.layer"
	}
	out := make([]string, len(parts))
	for j, p := range parts {
		out[j] = fmt.Sprintf("%s.%d.%s", stack, i, p)
	}
	return out
}

// write makes a Hugging Face folder of the model; kind is F32, F16 or BF16.
func (m *tiny) write(t testing.TB, kind string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "config.json", m.config())
	put(t, dir, "model.safetensors", m.safetensors(kind))
	put(t, dir, "tokenizer.json", tinyTokenizer("WordPiece"))
	return dir
}

func put(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *tiny) config() []byte {
	labels := map[string]string{}
	for i, l := range m.labels {
		labels[fmt.Sprint(i)] = l
	}
	c := map[string]any{
		"model_type": m.family, "architectures": []string{m.architecture}, "hidden_size": m.hidden, "num_attention_heads": m.heads,
		"hidden_act": m.activation, "layer_norm_eps": 1e-12, "id2label": labels, "pad_token_id": max(0, m.offset-1),
	}
	if m.family == "distilbert" {
		c["dim"], c["n_heads"], c["activation"] = m.hidden, m.heads, m.activation
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return data
}

func tinyTokenizer(kind string) []byte {
	vocab := map[string]int{}
	for i, p := range tinyVocabulary {
		vocab[p] = i
	}
	data, err := json.Marshal(map[string]any{
		"added_tokens":  []map[string]any{{"id": 2, "content": "[CLS]", "special": true}, {"id": 3, "content": "[SEP]", "special": true}},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": kind, "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	if err != nil {
		panic(err)
	}
	return data
}

// safetensors writes the weights under the names of a whole model.
func (m *tiny) safetensors(kind string) []byte {
	width := map[string]int{"F32": 4, "F16": 2, "BF16": 2}[kind]
	table, body := map[string]any{"__metadata__": map[string]string{"format": "pt"}}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(m.weights)) {
		w, start := m.weights[name], len(body)
		for i, v := range w.data {
			bits := math.Float32bits(float32(v))
			switch kind {
			case "F32":
				body = binary.LittleEndian.AppendUint32(body, bits)
			case "F16":
				h := narrow(float32(v))
				body = binary.LittleEndian.AppendUint16(body, h)
				w.data[i] = float64(halfFloat(h))
			case "BF16":
				body = binary.LittleEndian.AppendUint16(body, uint16(bits>>16))
				w.data[i] = float64(math.Float32frombits(bits &^ 0xffff))
			}
		}
		full := name
		if strings.HasPrefix(name, "embeddings") || strings.Contains(name, "layer") || strings.HasPrefix(name, "pooler") {
			full = m.family + "." + name
		}
		table[full] = map[string]any{"dtype": kind, "shape": w.shape, "data_offsets": [2]int{start, start + width*len(w.data)}}
	}
	header, err := json.Marshal(table)
	if err != nil {
		panic(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), body...)
}

// narrow rounds a small number to half precision, subnormals to zero.
func narrow(x float32) uint16 {
	b := math.Float32bits(x)
	v := math.Float32frombits(b&0x7fffffff) * 0x1p-112
	h := uint16((math.Float32bits(v) + 0x1000) >> 13)
	if h < 0x400 {
		h = 0
	}
	return uint16(b>>16&0x8000) | h
}

// run is the reference: last hidden states in float64.
func (m *tiny) run(ids []int32, second int) [][]float64 {
	x := make([][]float64, len(ids))
	for p, id := range ids {
		x[p] = slices.Clone(m.row("embeddings.word_embeddings.weight", int(id)))
		add(x[p], m.row("embeddings.position_embeddings.weight", p+m.offset))
		if m.family != "distilbert" {
			kind := 0
			if p >= second {
				kind = 1
			}
			add(x[p], m.row("embeddings.token_type_embeddings.weight", kind))
		}
		m.norm(x[p], "embeddings.LayerNorm")
	}
	for i := range m.layers {
		n := m.names(i)
		context := m.attention(m.linear(x, n[0]), m.linear(x, n[1]), m.linear(x, n[2]))
		for p, y := range m.linear(context, n[3]) {
			add(x[p], y)
			m.norm(x[p], n[4])
		}
		wide := m.linear(x, n[5])
		for p := range wide {
			apply(wide[p], m.activation)
		}
		for p, y := range m.linear(wide, n[6]) {
			add(x[p], y)
			m.norm(x[p], n[7])
		}
	}
	return x
}

// logits is the reference's head over the given states.
func (m *tiny) logits(states [][]float64) [][]float64 {
	if m.dense != "" {
		states = m.linear(states, m.dense)
		for i := range states {
			apply(states[i], m.denseActivation)
		}
	}
	return m.linear(states, m.out)
}

func (m *tiny) row(name string, i int) []float64 {
	w := m.weights[name]
	return w.data[i*w.shape[1] : (i+1)*w.shape[1]]
}

func (m *tiny) linear(x [][]float64, name string) [][]float64 {
	bias := m.weights[name+".bias"].data
	out := make([][]float64, len(x))
	for i := range x {
		out[i] = slices.Clone(bias)
		for j := range out[i] {
			for k, v := range m.row(name+".weight", j) {
				out[i][j] += v * x[i][k]
			}
		}
	}
	return out
}

func (m *tiny) attention(q, k, v [][]float64) [][]float64 {
	width := m.hidden / m.heads
	out := make([][]float64, len(q))
	for i := range q {
		out[i] = make([]float64, m.hidden)
		for h := 0; h < m.hidden; h += width {
			weights, sum := make([]float64, len(k)), 0.0
			for j := range k {
				s := 0.0
				for d := h; d < h+width; d++ {
					s += q[i][d] * k[j][d]
				}
				weights[j] = math.Exp(s / math.Sqrt(float64(width)))
				sum += weights[j]
			}
			for j := range v {
				for d := h; d < h+width; d++ {
					out[i][d] += weights[j] / sum * v[j][d]
				}
			}
		}
	}
	return out
}

func (m *tiny) norm(x []float64, name string) {
	gamma, beta := m.weights[name+".weight"].data, m.weights[name+".bias"].data
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	for i, v := range x {
		x[i] = (v-mean)/math.Sqrt(variance+1e-12)*gamma[i] + beta[i]
	}
}

func apply(x []float64, activation string) {
	for i, v := range x {
		switch activation {
		case "gelu":
			x[i] = 0.5 * v * (1 + math.Erf(v/math.Sqrt2))
		case "gelu_new":
			x[i] = 0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		case "relu":
			x[i] = max(v, 0)
		case "tanh":
			x[i] = math.Tanh(v)
		}
	}
}

func add(x, y []float64) {
	for i, v := range y {
		x[i] += v
	}
}
