package daybook_test

import (
	"cmp"
	"slices"
	"testing"

	"daybook"
)

func TestSortKeepsTheOrderOfEquals(t *testing.T) {
	list := [][2]int{{2, 0}, {1, 1}, {2, 2}, {1, 3}, {0, 4}}
	daybook.Sort(list, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	if want := [][2]int{{0, 4}, {1, 1}, {1, 3}, {2, 0}, {2, 2}}; !slices.Equal(list, want) {
		t.Errorf("sorted %v, want %v", list, want)
	}
}
