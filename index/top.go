package index

import (
	"cmp"
	"math"
	"slices"

	"daybook/store"
)

// top gathers the k best hits of many. A content's hits must be offered one after
// the other; only the best of them counts.
type top struct {
	k     int
	hits  []Hit
	least float32 // what scores less is not among the k best
}

func newTop(k int) *top {
	return &top{k: k, hits: make([]Hit, 0, min(2*k, 16384)), least: float32(math.Inf(-1))}
}

// offer takes a hit if it may be one of the best, and if keep, where there is
// one, keeps it.
func (t *top) offer(h Hit, keep func(store.Place) bool) {
	if h.Score < t.least {
		return
	}
	if n := len(t.hits); n > 0 && t.hits[n-1].Place == h.Place {
		t.hits[n-1].Score = max(t.hits[n-1].Score, h.Score)
		return
	}
	if keep != nil && !keep(h.Place) {
		return
	}
	if len(t.hits) >= 2*t.k {
		selectBest(t.hits, t.k)
		t.hits = t.hits[:t.k]
		t.least = slices.MinFunc(t.hits, func(a, b Hit) int { return cmp.Compare(a.Score, b.Score) }).Score
	}
	t.hits = append(t.hits, h)
}

func (t *top) sorted() []Hit {
	slices.SortFunc(t.hits, compareHits)
	return t.hits[:min(t.k, len(t.hits))]
}

// compareHits orders the better first; of equal ones the earlier.
func compareHits(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return comparePlaces(a.Place, b.Place)
}

// better is compareHits, for the loop in which most of the time is spent.
func (h *Hit) better(o *Hit) bool {
	return h.Score > o.Score || h.Score == o.Score && comparePlaces(h.Place, o.Place) < 0
}

// highestSteps is how finely Highest tells scores apart.
const highestSteps = 1024

// Highest returns the numbers of the k highest scores and of those that are about as
// high as the last of them, in order of number.
func Highest(scores []float32, k int) (highest []int) {
	if len(scores) == 0 || k <= 0 {
		return nil
	}
	low, high := scores[0], scores[0]
	for _, s := range scores { // none is NaN, so plain comparisons do
		if s < low {
			low = s
		}
		if s > high {
			high = s
		}
	}
	var steps float32 // 0 where all are equal
	if high > low {
		steps = (highestSteps - 1) / (high - low)
	}
	var count [highestSteps]int
	step := func(score float32) int { return int((score - low) * steps) }
	for _, s := range scores {
		count[step(s)]++
	}
	least, reached := highestSteps-1, count[highestSteps-1]
	for reached < k && least > 0 {
		least--
		reached += count[least]
	}
	highest = make([]int, 0, reached)
	for i, s := range scores {
		if step(s) >= least {
			highest = append(highest, i)
		}
	}
	return highest
}

// selectBest moves the k best hits to the front, in no order.
func selectBest(hits []Hit, k int) {
	for len(hits) > k && k > 0 {
		at := partition(hits)
		switch {
		case at == k || at == k-1:
			return
		case at > k:
			hits = hits[:at]
		default:
			hits, k = hits[at+1:], k-at-1
		}
	}
}

// partition puts what is better than some middle hit before it, the rest behind,
// and returns where that hit stands.
func partition(hits []Hit) int {
	last := len(hits) - 1
	middle := last / 2
	for _, pair := range [][2]int{{0, middle}, {0, last}, {middle, last}} { // the median of three to the middle
		if hits[pair[1]].better(&hits[pair[0]]) {
			hits[pair[0]], hits[pair[1]] = hits[pair[1]], hits[pair[0]]
		}
	}
	hits[middle], hits[last] = hits[last], hits[middle]
	at := 0
	for i := range last {
		if hits[i].better(&hits[last]) {
			hits[i], hits[at] = hits[at], hits[i]
			at++
		}
	}
	hits[at], hits[last] = hits[last], hits[at]
	return at
}
