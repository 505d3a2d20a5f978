package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how many bytes of garbage may gather between two collections in a process
// that holds more than that: the indexes of a large memory would be doubled otherwise,
// and they are numbers, which a collection passes over.
const garbage = 256 << 20

// tendHeap sets after each collection how far the heap may grow until the next: to the
// double of what is in use, as Go does, but by no more than garbage or, of a heap that
// is ten times as large, a tenth. Who sets GOGC has it as they say.
func tendHeap() {
	if os.Getenv("GOGC") == "" {
		new(heapTender).wait()
	}
}

// heapTender is collected as soon as there is a collection, and comes back for the next.
type heapTender struct{ _ [16]byte }

func (h *heapTender) wait() { runtime.SetFinalizer(h, (*heapTender).tend) }

func (h *heapTender) tend() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(growth(live[0].Value.Uint64()))
	h.wait()
}

// growth is by how many per cent a heap may grow of which so many bytes are in use.
func growth(live uint64) int {
	return int(min(100, max(10, 100*garbage/max(live, 1))))
}
