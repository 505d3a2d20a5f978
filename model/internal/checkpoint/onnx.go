package checkpoint

import (
	"math"
	"strings"

	"daybook"
)

// onnxGraph is what the importer needs of an ONNX model: initialisers and which
// nodes use them.
type onnxGraph struct {
	initial tensors
	bytes   map[string]byteTensor // initialisers of int8 or uint8
	nodes   []onnxNode
	scalars map[string]float64 // constants of one element, by output name
}

type onnxNode struct {
	op            string
	inputs        []string
	output        string
	transposed    bool // a Gemm with transB: its weight is already out × in
	constantFirst float64
}

// readONNX reads the initialisers and nodes of a model; weights that ONNX
// Runtime quantised dynamically become floats again. Models quantised in other
// ways, fused models and models with weights in other files are Invalid.
func readONNX(data []byte) (*onnxGraph, error) {
	g := &onnxGraph{initial: tensors{}, bytes: map[string]byteTensor{}, scalars: map[string]float64{}}
	err := eachField(data, func(f field) error {
		if f.number != 7 || f.bytes == nil { // ModelProto.graph
			return nil
		}
		return eachField(f.bytes, func(f field) error {
			switch {
			case f.number == 1 && f.bytes != nil:
				return g.addNode(f.bytes)
			case f.number == 5 && f.bytes != nil:
				return g.addInitialiser(f.bytes)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if len(g.initial) == 0 {
		return nil, daybook.Errorf(daybook.Corrupt, "ONNX file has no weights in it")
	}
	g.dequantise()
	for _, n := range g.nodes {
		switch n.op {
		case "QLinearMatMul", "QAttention", "MatMulNBits":
			return nil, daybook.Errorf(daybook.Invalid, "ONNX model is quantised in a way that is not supported (%s); import the float32 one", n.op)
		case "Attention", "EmbedLayerNormalization", "MultiHeadAttention", "SkipLayerNormalization":
			return nil, daybook.Errorf(daybook.Invalid, "ONNX model is fused (%s); import the plain export", n.op)
		}
	}
	return g, nil
}

func (g *onnxGraph) addNode(b []byte) error {
	var n onnxNode
	err := eachField(b, func(f field) error {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.output = string(f.bytes)
		case 4:
			n.op = string(f.bytes)
		case 5:
			return g.addAttribute(&n, f.bytes)
		}
		return nil
	})
	if n.op == "Constant" && !math.IsNaN(n.constantFirst) && n.constantFirst != 0 {
		g.scalars[n.output] = n.constantFirst
	}
	g.nodes = append(g.nodes, n)
	return err
}

// addAttribute notes the two attributes that matter: a Gemm's transB and a
// Constant's value.
func (g *onnxGraph) addAttribute(n *onnxNode, b []byte) error {
	var name string
	var number uint64
	var value []byte
	err := eachField(b, func(f field) error {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 3:
			number = f.value
		case 5:
			value = f.bytes
		}
		return nil
	})
	if err != nil {
		return err
	}
	if name == "transB" {
		n.transposed = number == 1
	}
	if name == "value" && value != nil {
		if t, _, err := onnxTensor(value); err == nil && len(t.data) == 1 {
			n.constantFirst = float64(t.data[0])
		}
	}
	return nil
}

func (g *onnxGraph) addInitialiser(b []byte) error {
	t, name, err := onnxTensor(b)
	if err != nil {
		return daybook.Errorf(daybook.KindOf(err), "initialiser %s: %w", name, err)
	}
	if t.data != nil {
		g.initial[name] = t
		return nil
	}
	if q, ok := onnxBytes(b, t.shape); ok {
		g.bytes[name] = q
	}
	return nil
}

// onnxTensor reads a TensorProto; one that holds no floats has no data.
func onnxTensor(b []byte) (t tensor, name string, err error) {
	var kind uint64
	var raw, floats []byte
	external := false
	err = eachField(b, func(f field) error {
		switch f.number {
		case 1:
			t.shape = appendVarints(t.shape, f)
		case 2:
			kind = f.value
		case 4:
			floats = append(floats, f.bytes...)
		case 8:
			name = string(f.bytes)
		case 9:
			raw = f.bytes
		case 14:
			external = f.value == 1
		}
		return nil
	})
	if err != nil {
		return t, name, err
	}
	if external {
		return t, name, daybook.Errorf(daybook.Invalid, "weights lie in another file (external data), which is not supported")
	}
	if raw == nil {
		raw = floats
	}
	width, convert := floatType(map[uint64]string{1: "F32", 10: "F16", 11: "F64", 16: "BF16"}[kind])
	if convert == nil {
		return t, name, nil
	}
	n, ok := elements(t.shape, len(raw)/width)
	if !ok || n*width != len(raw) {
		return t, name, daybook.Errorf(daybook.Corrupt, "shape %v does not fill %d bytes", t.shape, len(raw))
	}
	t.data = make([]float32, n)
	for i := range t.data {
		t.data[i] = convert(raw[i*width:])
	}
	return t, name, nil
}

// tensors names the weights of dense layers, which exporters leave anonymous
// and transposed: the product that is added to X.bias holds X.weight.
func (g *onnxGraph) tensors() tensors {
	out := tensors{}
	for name, t := range g.initial {
		out[name] = t
	}
	product := g.products()
	for _, n := range g.nodes {
		if n.op != "Add" || len(n.inputs) != 2 {
			continue
		}
		for i, bias := range n.inputs {
			base, isBias := strings.CutSuffix(bias, ".bias")
			weight, found := g.initial[product[n.inputs[1-i]]]
			if isBias && found && len(weight.shape) == 2 {
				out[base+".weight"] = weight.transpose()
			}
		}
	}
	g.addGemms(out)
	return out
}

// addGemms turns the weights of Gemm nodes that are stored in × out.
func (g *onnxGraph) addGemms(out tensors) {
	for _, n := range g.nodes {
		if n.op != "Gemm" || len(n.inputs) != 3 {
			continue
		}
		base, isBias := strings.CutSuffix(n.inputs[2], ".bias")
		weight, found := g.initial[n.inputs[1]]
		if !isBias || !found || len(weight.shape) != 2 {
			continue
		}
		if !n.transposed {
			weight = weight.transpose()
		}
		out[base+".weight"] = weight
	}
}

func (t tensor) transpose() tensor {
	rows, columns := t.shape[0], t.shape[1]
	out := make([]float32, len(t.data))
	for i := range rows {
		for j := range columns {
			out[j*rows+i] = t.data[i*columns+j]
		}
	}
	return tensor{[]int{columns, rows}, out}
}

// guess makes a configuration for an export without config.json: the shapes
// tell most of it, the attention's divisor √d the heads, the operators the
// activation.
func (g *onnxGraph) guess(t tensors) config {
	c := config{ModelType: "bert", Activation: "gelu"}
	count, products := map[string]int{}, map[string]bool{}
	for _, n := range g.nodes {
		count[n.op]++
		if n.op == "MatMul" {
			products[n.output] = true
		}
	}
	if w, ok := t.find("embeddings.word_embeddings.weight"); ok && len(w.shape) == 2 {
		c.Hidden = w.shape[1]
	}
	for _, n := range g.nodes {
		if n.op == "Div" && len(n.inputs) == 2 && products[n.inputs[0]] {
			if d := int(math.Round(g.scalars[n.inputs[1]] * g.scalars[n.inputs[1]])); d > 0 && c.Hidden%d == 0 {
				c.Heads = c.Hidden / d
			}
		}
	}
	if count["Erf"] == 0 && count["Tanh"] > 1 {
		c.Activation = "gelu_new"
	} else if count["Erf"] == 0 && count["Relu"] > 1 {
		c.Activation = "relu"
	}
	return c
}
