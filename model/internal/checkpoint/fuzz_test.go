package checkpoint

import (
	"encoding/binary"
	"testing"

	"daybook"
)

func FuzzSafetensors(f *testing.F) {
	header := `{"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]},"b":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}}`
	f.Add(append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, 16)...))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := readSafetensors(data); err != nil && daybook.KindOf(err) == daybook.Internal {
			t.Fatalf("an error without a kind: %v", err)
		}
	})
}

func FuzzONNX(f *testing.F) {
	f.Add([]byte{7<<3 | 2, 12, 5<<3 | 2, 10, 1 << 3, 1, 2 << 3, 1, 9<<3 | 2, 4, 0, 0, 0, 0})
	f.Add([]byte{7<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := readONNX(data)
		if err != nil {
			if daybook.KindOf(err) == daybook.Internal {
				t.Fatalf("an error without a kind: %v", err)
			}
			return
		}
		g.guess(g.tensors())
	})
}
