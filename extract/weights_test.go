package extract

import (
	"encoding/binary"
	"math"
	"testing"
)

// Numbers of two bytes read as what they stand for.
func TestWidened(t *testing.T) {
	for half, want := range map[uint16]float32{0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 0x7bff: 65504, 0x0400: 6.1035156e-05, 0x0001: 5.9604645e-08, 0x8001: -5.9604645e-08} {
		got := math.Float32frombits(binary.LittleEndian.Uint32(widened(binary.LittleEndian.AppendUint16(nil, half))))
		if got != want {
			t.Errorf("%#04x is read as %v, not %v", half, got, want)
		}
	}
}
