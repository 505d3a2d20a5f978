package daybook

import "sort"

// Sort orders a list; what is equal stays in its order. It is for short lists of
// large structs: slices.SortStableFunc is faster, but it is compiled anew for each
// type, and the binary has to stay small.
func Sort[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
