package extract

import (
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"sync"
)

// aboutsAsset are names for what statements are about, with the vectors that the embedded reader
// gives them. tools/abouts makes it.
//
//go:embed assets/abouts.bin
var aboutsAsset string

// abouts are names with vectors of length one.
type abouts struct {
	names   []string
	vectors [][]int8
}

// PackAbouts writes names with their vectors, as the asset has them: a number, the names in lines,
// and a byte for each number of a vector.
func PackAbouts(names []string, vectors [][]float32) []byte {
	list := strings.Join(names, "\n")
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(list)))
	data = append(data, list...)
	for _, v := range vectors {
		for _, x := range v {
			data = append(data, byte(int8(math.Round(float64(x)*127))))
		}
	}
	return data
}

func unpackAbouts(data string) (a abouts) {
	n := int(binary.LittleEndian.Uint32([]byte(data[:4])))
	a.names, data = strings.Split(data[4:4+n], "\n"), data[4+n:]
	dim := len(data) / len(a.names)
	for i := range a.names {
		v := make([]int8, dim)
		for j := range v {
			v[j] = int8(data[i*dim+j])
		}
		a.vectors = append(a.vectors, v)
	}
	return a
}

var knownAbouts = sync.OnceValue(func() abouts { return unpackAbouts(aboutsAsset) })

// nearest is the name that is most like what a statement is about.
func (a abouts) nearest(vector []float32) (name string, like float32) {
	like = -1
	for i, v := range a.vectors {
		sum := float32(0)
		for j, x := range v {
			sum += float32(x) * vector[j]
		}
		if sum /= 127; sum > like {
			name, like = a.names[i], sum
		}
	}
	return name, like
}
