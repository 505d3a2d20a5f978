//go:build !amd64

package index

const hasSketchRows = false

func dotRows(out []int32, query []int16, rows []int8) { dotRowsGo(out, query, rows) }

func sketchRows([]int32, []int8, []uint8) { panic("index: no assembly here") }

func widenRow(dst []float32, data []int8, fine []uint8) { widenRowGo(dst, data, fine) }

func dotFloats(a, b []float32) float32 { return dotFloatsGo(a, b) }
