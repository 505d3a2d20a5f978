package main

import "testing"

// A small heap doubles between two collections; a large one grows by so much garbage, and
// a very large one by a tenth.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 100}, {50 << 20, 100}, {256 << 20, 100}, {1 << 30, 25}, {2 << 30, 12}, {40 << 30, 10}} {
		if got := growth(c.live); got != c.want {
			t.Errorf("a heap of %d MB may grow by %d %%, want %d", c.live>>20, got, c.want)
		}
	}
}
