package index

import (
	"bytes"
	"cmp"
	"slices"

	"daybook/store"
)

// gone is the new number of a note that is left out.
const gone = ^uint32(0)

// join makes one segment of several, in ledger order, without the notes whose
// places are dropped. Where a place comes twice, the later segment's note stays.
func join(segments []*segment, drop map[store.Place]bool) *segment {
	out := &segment{names: offsets{0}, cardEnd: offsets{0}, keyEnds: offsets{0}, lists: offsets{0}}
	moved := renumber(segments, drop)
	renamed := out.joinLists(segments, moved)
	out.joinNotes(segments, moved, renamed)
	out.finish()
	return out
}

// source is a note of one of several segments.
type source struct {
	segment int
	note    uint32
}

// renumber returns each note's new number, or gone.
func renumber(segments []*segment, drop map[store.Place]bool) [][]uint32 {
	moved := make([][]uint32, len(segments))
	var all []source
	for i, s := range segments {
		moved[i] = make([]uint32, len(s.places))
		for n, p := range s.places {
			moved[i][n] = gone
			if len(drop) == 0 || !drop[p] {
				all = append(all, source{i, uint32(n)})
			}
		}
	}
	place := func(s source) store.Place { return segments[s.segment].places[s.note] }
	order := func(a, b source) int {
		return cmp.Or(comparePlaces(place(a), place(b)), cmp.Compare(a.segment, b.segment))
	}
	if !slices.IsSortedFunc(all, order) {
		slices.SortFunc(all, order)
	}
	next := uint32(0)
	for i, s := range all {
		if i+1 < len(all) && place(all[i+1]) == place(s) {
			continue
		}
		moved[s.segment][s.note] = next
		next++
	}
	return moved
}

// joinNotes fills in the columns of the notes.
func (s *segment) joinNotes(segments []*segment, moved, renamed [][]uint32) {
	n := 0
	for _, m := range moved {
		for _, to := range m {
			if to != gone {
				n++
			}
		}
	}
	from := make([]source, n)
	for i, m := range moved {
		for old, to := range m {
			if to != gone {
				from[to] = source{i, uint32(old)}
			}
		}
	}
	s.places, s.times, s.session = make([]store.Place, n), make([]int64, n), make([]uint32, n)
	for to, f := range from {
		old := segments[f.segment]
		s.places[to], s.times[to] = old.places[f.note], old.times[f.note]
		s.addCard(old.card(int(f.note)))
		s.session[to] = renamed[f.segment][old.session[f.note]]
		a, b := old.names.at(int(f.note))
		for _, name := range old.nameOf[a:b] {
			s.nameOf = append(s.nameOf, renamed[f.segment][name])
		}
		s.names = append(s.names, uint32(len(s.nameOf)))
		for field, lengths := range old.lengths {
			if lengths != nil {
				s.setLength(Field(field), uint32(to), uint32(lengths[f.note]))
			} else if s.lengths[field] != nil {
				s.setLength(Field(field), uint32(to), 0)
			}
		}
	}
}

// joinLists merges the lists of all keys and returns each key's new number; a key
// that lost its last note is left out.
func (s *segment) joinLists(segments []*segment, moved [][]uint32) (renamed [][]uint32) {
	at := make([]int, len(segments))
	renamed = make([][]uint32, len(segments))
	size := 0
	for i, old := range segments {
		renamed[i] = make([]uint32, len(old.keyEnds)-1)
		size += len(old.notes)
	}
	s.notes, s.counts = make([]uint32, 0, size), make([]uint8, 0, size)
	for {
		key := leastKey(segments, at)
		if key == nil {
			return renamed
		}
		number := uint32(len(s.keyEnds) - 1)
		begin := len(s.notes)
		for i, old := range segments {
			if at[i] < len(old.keyEnds)-1 && bytes.Equal(old.key(at[i]), key) {
				s.take(old, at[i], moved[i])
				renamed[i][at[i]] = number
				at[i]++
			}
		}
		if len(s.notes) > begin {
			s.sortList(begin)
			s.keys = append(s.keys, key...)
			s.endKey()
		}
	}
}

// leastKey returns the first key that is not merged yet, or nil.
func leastKey(segments []*segment, at []int) (least []byte) {
	for i, s := range segments {
		if at[i] == len(s.keyEnds)-1 {
			continue
		}
		if key := s.key(at[i]); least == nil || bytes.Compare(key, least) < 0 {
			least = key
		}
	}
	return least
}

// take appends a list of another segment under new numbers.
func (s *segment) take(old *segment, key int, moved []uint32) {
	from, to := old.lists.at(key)
	for i := from; i < to; i++ {
		if note := moved[old.notes[i]]; note != gone {
			s.notes, s.counts = append(s.notes, note), append(s.counts, old.counts[i])
		}
	}
}

// sortList puts the last list in order; it is out of order only when an old note
// came back.
func (s *segment) sortList(begin int) {
	notes, counts := s.notes[begin:], s.counts[begin:]
	if slices.IsSorted(notes) {
		return
	}
	pairs := make([]posting, len(notes))
	for i := range notes {
		pairs[i] = posting{notes[i], counts[i]}
	}
	slices.SortFunc(pairs, func(a, b posting) int { return cmp.Compare(a.note, b.note) })
	for i, p := range pairs {
		notes[i], counts[i] = p.note, p.count
	}
}
