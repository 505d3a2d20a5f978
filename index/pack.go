package index

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"daybook"
	"daybook/store"
)

// Hit is a content that was found, with its likeness to the question: the cosine
// of the two vectors.
type Hit struct {
	store.Place
	Score      float32
	block, row uint16 // where a search found it
}

// Nearest returns the k contents whose vectors in the encoder's space are most
// like the query, best first; of a content with several vectors the best counts.
// It looks at every vector, so what it returns is exact. The query must come
// from the same encoder; its length is checked, its origin cannot be.
func Nearest(r store.Reader, encoder string, query []float32, k int) ([]Hit, error) {
	best := map[store.Place]float32{}
	for v, err := range r.Vectors(encoder, store.All) {
		if err != nil {
			return nil, err
		}
		if len(v.Data) != 2*len(query) {
			return nil, daybook.Errorf(daybook.Corrupt, "the vector of %d.%d has %d bytes, want %d; run 'daybook embed --again'", v.Seq, v.Pos, len(v.Data), 2*len(query))
		}
		score := dot16(query, v.Data)
		if old, ok := best[v.Place]; !ok || score > old {
			best[v.Place] = score
		}
	}
	hits := make([]Hit, 0, len(best))
	for place, score := range best {
		hits = append(hits, Hit{Place: place, Score: score})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Pos, b.Pos))
	})
	return hits[:min(k, len(hits))], nil
}

// Pack writes a vector as it is stored: 16-bit floats, little endian. Half
// precision keeps a cosine to about three decimals more than encoders mean.
func Pack(vector []float32) []byte {
	data := make([]byte, 0, 2*len(vector))
	for _, f := range vector {
		data = binary.LittleEndian.AppendUint16(data, toHalf(f))
	}
	return data
}

// Unpack reads what Pack wrote.
func Unpack(data []byte) []float32 {
	vector := make([]float32, len(data)/2)
	for i := range vector {
		vector[i] = fromHalf(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return vector
}

func dot16(query []float32, data []byte) (sum float32) {
	for i, q := range query {
		sum += q * fromHalf(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return sum
}

// toHalf rounds to the nearest half-precision number; what is too large becomes
// infinite and what is too small becomes zero.
func toHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	exponent := int(b>>23)&0xff - 127 + 15
	mantissa := b & 0x7fffff
	switch {
	case exponent >= 31:
		return sign | 0x7c00
	case exponent <= 0 && exponent < -10:
		return sign
	case exponent <= 0: // subnormal
		mantissa |= 0x800000
		shift := uint(14 - exponent)
		return sign | uint16((mantissa+1<<(shift-1))>>shift)
	}
	return sign | uint16((uint32(exponent)<<10|mantissa>>13)+mantissa>>12&1)
}

func fromHalf(h uint16) float32 {
	sign, exponent, mantissa := uint32(h&0x8000)<<16, uint32(h>>10)&0x1f, uint32(h&0x3ff)
	switch exponent {
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	case 0:
		f := float32(mantissa) / (1 << 24)
		if sign != 0 {
			return -f
		}
		return f
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | mantissa<<13)
}
