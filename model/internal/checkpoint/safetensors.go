package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"daybook"
	"daybook/model/internal/kernel"
)

// tensor is one float32 tensor.
type tensor struct {
	shape []int
	data  []float32
}

type tensors map[string]tensor

// readSafetensors reads all float tensors: a length, a JSON table of names,
// types, shapes and places, then the bytes.
func readSafetensors(data []byte) (tensors, error) {
	if len(data) < 8 {
		return nil, daybook.Errorf(daybook.Corrupt, "safetensors file is cut short: %d bytes", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-8) {
		return nil, daybook.Errorf(daybook.Corrupt, "safetensors file is cut short in its header")
	}
	var table map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+length], &table); err != nil {
		return nil, daybook.Errorf(daybook.Corrupt, "safetensors header: %w", err)
	}
	body, out := data[8+length:], tensors{}
	for name, raw := range table {
		if name == "__metadata__" {
			continue
		}
		t, err := readTensor(raw, body)
		if err != nil {
			return nil, daybook.Errorf(daybook.KindOf(err), "tensor %s: %w", name, err)
		}
		if t.data != nil {
			out[name] = t
		}
	}
	return out, nil
}

func readTensor(raw json.RawMessage, body []byte) (tensor, error) {
	var e struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return tensor{}, daybook.Errorf(daybook.Corrupt, "entry: %w", err)
	}
	if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > len(body) {
		return tensor{}, daybook.Errorf(daybook.Corrupt, "bytes %d to %d of %d", e.Offsets[0], e.Offsets[1], len(body))
	}
	part := body[e.Offsets[0]:e.Offsets[1]]
	width, convert := floatType(e.Type)
	if convert == nil {
		return tensor{}, nil // integers: position ids and the like
	}
	n, ok := elements(e.Shape, len(part)/width)
	if !ok || n*width != len(part) {
		return tensor{}, daybook.Errorf(daybook.Corrupt, "shape %v does not fill %d bytes of %s", e.Shape, len(part), e.Type)
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = convert(part[i*width:])
	}
	return tensor{e.Shape, x}, nil
}

// elements multiplies a shape, which may hold at most most elements.
func elements(shape []int, most int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > most/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// floatType gives the width of a type and how to read one element; nil for a
// type that holds no floats.
func floatType(name string) (int, func([]byte) float32) {
	switch name {
	case "F64":
		return 8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	case "F32":
		return 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case "F16":
		return 2, func(b []byte) float32 { return kernel.Half(binary.LittleEndian.Uint16(b)) }
	case "BF16":
		return 2, func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) }
	}
	return 1, nil
}
