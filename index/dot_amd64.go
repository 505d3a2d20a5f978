package index

import "golang.org/x/sys/cpu"

//go:noescape
func dotRowsAVX2(out *int32, query *int16, rows *int8, n, dim int)

//go:noescape
func sketchRowsAVX2(out *int32, query *int8, codes *uint8, n, groups int)

// hasSketchRows is whether sketchRows may be called.
var hasSketchRows = cpu.X86.HasAVX2

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
	if len(out) > 0 && len(query) > 0 {
		sketchRowsAVX2(&out[0], &query[0], &codes[0], len(out), len(query)/128)
	}
}
