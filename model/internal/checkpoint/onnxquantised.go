package checkpoint

import "strings"

// byteTensor is an initialiser of int8 or uint8, as dynamic quantisation leaves
// them: real = scale·(value − zero).
type byteTensor struct {
	shape  []int
	raw    []byte
	signed bool
}

// onnxBytes reads a TensorProto of bytes, whose shape is known.
func onnxBytes(b []byte, shape []int) (q byteTensor, ok bool) {
	var kind uint64
	var small []int
	err := eachField(b, func(f field) error {
		switch f.number {
		case 2:
			kind = f.value
		case 5: // int32_data, which one-element tensors use
			small = appendVarints(small, f)
		case 9:
			q.raw = f.bytes
		}
		return nil
	})
	if err != nil || kind != 2 && kind != 3 { // UINT8, INT8
		return q, false
	}
	for _, v := range small {
		q.raw = append(q.raw, byte(v))
	}
	n, fits := elements(shape, len(q.raw))
	q.shape, q.signed = shape, kind == 3
	return q, fits && n == len(q.raw)
}

func (q byteTensor) at(i int) float32 {
	if q.signed {
		return float32(int8(q.raw[i]))
	}
	return float32(q.raw[i])
}

// dequantise gives back the float tensors of a model quantised dynamically by
// ONNX Runtime: X_quantized with X_scale and X_zero_point becomes X.
func (g *onnxGraph) dequantise() {
	for name, q := range g.bytes {
		base, ok := strings.CutSuffix(name, "_quantized")
		if !ok {
			continue
		}
		scale, zero := g.initial[base+"_scale"], g.bytes[base+"_zero_point"]
		if t, ok := q.real(scale.data, zero); ok {
			g.initial[base] = t
		}
	}
}

// real applies one scale, or one for each column.
func (q byteTensor) real(scale []float32, zero byteTensor) (tensor, bool) {
	columns := 1
	if len(q.shape) > 0 {
		columns = q.shape[len(q.shape)-1]
	}
	if len(scale) != 1 && len(scale) != columns || len(zero.raw) != len(scale) {
		return tensor{}, false
	}
	x := make([]float32, len(q.raw))
	for i := range x {
		c := i % columns % len(scale)
		x[i] = scale[c] * (q.at(i) - zero.at(c))
	}
	return tensor{q.shape, x}, true
}

// products maps the output of every product with a constant matrix to that
// matrix's name; through the cast and the scaling that follow a product of
// integers.
func (g *onnxGraph) products() map[string]string {
	product := map[string]string{}
	for _, n := range g.nodes { // nodes come in the order they are computed
		switch {
		case n.op == "MatMul" && len(n.inputs) == 2:
			product[n.output] = n.inputs[1]
		case n.op == "MatMulInteger" && len(n.inputs) >= 2:
			product[n.output] = strings.TrimSuffix(n.inputs[1], "_quantized")
		case (n.op == "Cast" || n.op == "Mul") && len(n.inputs) > 0 && product[n.inputs[0]] != "" && g.fromInteger(product[n.inputs[0]]):
			product[n.output] = product[n.inputs[0]]
		}
	}
	return product
}

// fromInteger reports whether a matrix was stored as bytes.
func (g *onnxGraph) fromInteger(name string) bool {
	_, ok := g.bytes[name+"_quantized"]
	return ok
}
