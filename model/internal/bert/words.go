package bert

import "math"

// Word embeddings take six bits an element: x ≈ scale·(six − wordMiddle), with a
// scale per word. Four elements lie in three bytes, the first in the lowest bits.
const (
	wordLevels = 31 // on either side of zero
	wordMiddle = 32
)

// wordBytes is how many bytes the embedding of one word takes.
func wordBytes(hidden int) int { return (hidden + 3) / 4 * 3 }

// packWord writes the embedding x of a word to the bytes of dst, and returns its
// scale.
func packWord(dst []byte, x []float32) float32 {
	var most float32
	for _, v := range x {
		most = max(most, float32(math.Abs(float64(v))))
	}
	scale := max(most, 1e-30) / wordLevels
	for i := 0; i < len(x); i += 4 {
		var four uint32
		for j, v := range x[i:min(i+4, len(x))] {
			four |= uint32(math.RoundToEven(float64(v/scale))+wordMiddle) << (6 * j)
		}
		at := i / 4 * 3
		dst[at], dst[at+1], dst[at+2] = byte(four), byte(four>>8), byte(four>>16)
	}
	return scale
}

// unpackWord reads the embedding of a word into dst.
func unpackWord(dst []float32, packed string, scale float32) {
	for i := range dst {
		at := i / 4 * 3
		four := uint32(packed[at]) | uint32(packed[at+1])<<8 | uint32(packed[at+2])<<16
		dst[i] = float32(int32(four>>(6*(i%4))&63)-wordMiddle) * scale
	}
}
