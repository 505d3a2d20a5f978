package kernel

import "math"

// Half widens an IEEE half-precision number.
func Half(h uint16) float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, h>>10&31, uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(fraction) * 0x1p-24
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | uint32(exponent+112)<<23 | fraction<<13)
}
