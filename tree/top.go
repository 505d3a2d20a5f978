package tree

import (
	"container/heap"
	"slices"
)

// top keeps the places of the greatest weights, the earlier of equal ones, in a
// heap with the least of them on top.
type top struct {
	most int
	rows []topRow
}

type topRow struct {
	weight float64
	index  int
}

func newTop(most int) *top { return &top{most: most} }

// offer takes a weight in if it is among the greatest. Indexes must rise.
func (t *top) offer(weight float64, index int) {
	if len(t.rows) < t.most {
		heap.Push(t, topRow{weight, index})
	} else if weight > t.rows[0].weight {
		t.rows[0] = topRow{weight, index}
		heap.Fix(t, 0)
	}
}

// indexes returns what was kept, in rising order.
func (t *top) indexes() (all []int) {
	for _, r := range t.rows {
		all = append(all, r.index)
	}
	slices.Sort(all)
	return all
}

// Len, Less, Swap, Push and Pop are heap.Interface.
func (t *top) Len() int { return len(t.rows) }

func (t *top) Less(i, j int) bool {
	a, b := t.rows[i], t.rows[j]
	return a.weight < b.weight || a.weight == b.weight && a.index > b.index
}

func (t *top) Swap(i, j int) { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] }

func (t *top) Push(r any) { t.rows = append(t.rows, r.(topRow)) }

func (t *top) Pop() any {
	last := t.rows[len(t.rows)-1]
	t.rows = t.rows[:len(t.rows)-1]
	return last
}
