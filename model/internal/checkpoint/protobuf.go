package checkpoint

import (
	"encoding/binary"

	"daybook"
)

// field is one field of a protobuf message: a number, or bytes.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

// eachField calls f for every field of a message; a message that ends inside a
// field is Corrupt.
func eachField(message []byte, f func(field) error) error {
	for len(message) > 0 {
		var fl field
		var err error
		if fl, message, err = nextField(message); err != nil {
			return err
		}
		if err := f(fl); err != nil {
			return err
		}
	}
	return nil
}

func nextField(b []byte) (f field, rest []byte, err error) {
	cut := daybook.Errorf(daybook.Corrupt, "ONNX file is cut short or garbled")
	tag, n := binary.Uvarint(b)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
		return f, nil, cut
	}
	b, f.number = b[n:], int(tag>>3)
	switch tag & 7 {
	case 0:
		if f.value, n = binary.Uvarint(b); n <= 0 {
			return f, nil, cut
		}
		return f, b[n:], nil
	case 1:
		n = 8
	case 5:
		n = 4
	case 2:
		length, m := binary.Uvarint(b)
		if m <= 0 || length > uint64(len(b)-m) {
			return f, nil, cut
		}
		b, n = b[m:], int(length)
	default:
		return f, nil, cut
	}
	if n > len(b) {
		return f, nil, cut
	}
	f.bytes = b[:n]
	return f, b[n:], nil
}

// appendVarints appends the numbers of a repeated field, packed or not.
func appendVarints(to []int, f field) []int {
	if f.bytes == nil {
		return append(to, int(f.value))
	}
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			break
		}
		to, b = append(to, int(v)), b[n:]
	}
	return to
}
