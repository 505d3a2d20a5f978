package index

import "golang.org/x/sys/cpu"

//go:noescape
func dotRowsAVX2(out *int32, query *int16, rows *int8, n, dim int)

//go:noescape
func sketchRowsAVX2(out *int32, query *int8, codes *uint8, n, groups int)

//go:noescape
func sketchRowsVNNI(out *int32, query *int8, codes *uint8, n, groups int)

// hasSketchRows is whether sketchRows may be called, hasVNNI whether it may do so by
// sketchRowsVNNI.
var (
	hasSketchRows = cpu.X86.HasAVX2
	hasVNNI       = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI
)

// dotRows sets each of out to the product of the query with one row. The caller
// has checked that rows has that many.
func dotRows(out []int32, query []int16, rows []int8) {
	if len(out) == 0 || len(query) == 0 || len(query)%32 != 0 || !cpu.X86.HasAVX2 {
		dotRowsGo(out, query, rows)
		return
	}
	dotRowsAVX2(&out[0], &query[0], &rows[0], len(out), len(query))
}

// sketchRows sets each of out to the product of the query with one sketch. The
// caller has checked that codes has that many.
func sketchRows(out []int32, query []int8, codes []uint8) {
	switch {
	case len(out) == 0 || len(query) == 0:
	case hasVNNI:
		sketchRowsVNNI(&out[0], &query[0], &codes[0], len(out), len(query)/128)
	default:
		sketchRowsAVX2(&out[0], &query[0], &codes[0], len(out), len(query)/128)
	}
}

//go:noescape
func widenRowAVX2(dst *float32, data *int8, fine *uint8, dim int)

//go:noescape
func dotFloatsAVX2(a, b *float32, dim int) float32

// widenRow sets dst to the numbers of a row, in sixteenths of its steps. The caller
// has checked the lengths.
func widenRow(dst []float32, data []int8, fine []uint8) {
	if len(dst) == 0 || len(dst)%32 != 0 || !cpu.X86.HasAVX2 {
		widenRowGo(dst, data, fine)
		return
	}
	widenRowAVX2(&dst[0], &data[0], &fine[0], len(dst))
}

// dotFloats is the product of two vectors of one length.
func dotFloats(a, b []float32) float32 {
	if len(a) == 0 || len(a)%32 != 0 || !cpu.X86.HasAVX2 {
		return dotFloatsGo(a, b)
	}
	return dotFloatsAVX2(&a[0], &b[0], len(a))
}
