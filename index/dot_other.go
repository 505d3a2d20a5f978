//go:build !amd64

package index

func dotRows(out []int32, query []int16, rows []int8) { dotRowsGo(out, query, rows) }
