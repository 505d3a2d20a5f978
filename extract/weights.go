package extract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Unpack reads fitted weights into a struct of 32-bit floats: the file has them in the
// order of the fields, in two bytes each. One of another size is a broken build, and
// panics with what it is.
func Unpack(into any, file []byte, what string) {
	if n := binary.Size(into) / 2; n != len(file) {
		panic(fmt.Sprintf("%s: %d bytes, not %d: make it again", what, len(file), n))
	}
	if err := binary.Read(bytes.NewReader(widened(file)), binary.LittleEndian, into); err != nil {
		panic(what + ": " + err.Error())
	}
}

// widened turns numbers of two bytes into numbers of four; both have the least byte
// first. Infinities and what is no number do not occur.
func widened(halves []byte) []byte {
	out := make([]byte, 0, 2*len(halves))
	for i := 0; i+1 < len(halves); i += 2 {
		h := uint32(binary.LittleEndian.Uint16(halves[i:]))
		sign, exponent, fraction := h>>15, h>>10&31, h&1023
		x := float32(fraction) / (1 << 24) // below the normal ones
		if exponent > 0 {
			x = math.Float32frombits((exponent+112)<<23 | fraction<<13)
		}
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x)|sign<<31)
	}
	return out
}
