package index

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/store"
)

// Snapshot is a scope's index at one moment. It never changes, and any number of
// goroutines may read it, for as long as they like.
//
// Two snapshots of the same notes give the same answers, whatever their notes went
// through before.
type Snapshot struct {
	head     store.Commit
	segments []*segment
	base     []uint32 // the id of each segment's first note
	notes    int
	spaces   map[string]*Space
	covers   map[string]uint64 // up to which commit a space has vectors
	asked    *frequencies      // shared with the snapshots that this one goes on from
}

// ID names a note in one snapshot: its number in ledger order. In another snapshot the
// same number may be another note.
type ID uint32

// Found is a note with its score.
type Found struct {
	ID    ID
	Score float64
}

// Head is the last commit that the snapshot takes in.
func (v *Snapshot) Head() store.Commit { return v.head }

// Len is how many notes there are.
func (v *Snapshot) Len() int { return v.notes }

// Bytes is about how much memory the snapshot takes.
func (v *Snapshot) Bytes() int {
	n := 0
	for _, s := range v.segments {
		n += s.bytes()
	}
	for _, s := range v.spaces {
		n += s.Bytes()
	}
	return n
}

// Space returns a set of vectors by its name, or an empty one.
func (v *Snapshot) Space(name string) *Space {
	if s := v.spaces[name]; s != nil {
		return s
	}
	return &Space{}
}

// Covers is the last commit up to which a set of vectors is complete.
func (v *Snapshot) Covers(space string) uint64 { return v.covers[space] }

// at returns the segment of a note and the note's number in it.
func (v *Snapshot) at(id ID) (*segment, int) {
	i := v.home(id)
	return v.segments[i], int(uint32(id) - v.base[i])
}

// home is the number of the segment that a note stands in.
func (v *Snapshot) home(id ID) int {
	return sort.Search(len(v.base), func(i int) bool { return v.base[i] > uint32(id) }) - 1
}

// Find returns the id of the note at a place.
func (v *Snapshot) Find(p store.Place) (ID, bool) {
	i := sort.Search(len(v.segments), func(i int) bool { return comparePlaces(v.segments[i].places[0], p) > 0 }) - 1
	if i < 0 {
		return 0, false
	}
	n, ok := v.segments[i].find(p)
	return ID(v.base[i] + uint32(n)), ok
}

// Place is where a note stands in the ledger.
func (v *Snapshot) Place(id ID) store.Place {
	s, n := v.at(id)
	return s.places[n]
}

// Time is when a note was said.
func (v *Snapshot) Time(id ID) time.Time {
	s, n := v.at(id)
	return time.UnixMicro(s.times[n]).UTC()
}

// Session is the session of a note.
func (v *Snapshot) Session(id ID) string {
	s, n := v.at(id)
	return string(s.key(int(s.session[n]))[1:])
}

// Card is what the note's Doc gave as its card. It must not be changed.
func (v *Snapshot) Card(id ID) []byte {
	s, n := v.at(id)
	return s.card(n)
}

// Names are the entities of a note, sorted.
func (v *Snapshot) Names(id ID) []daybook.EntityID {
	s, n := v.at(id)
	from, to := s.names.at(n)
	names := make([]daybook.EntityID, 0, to-from)
	for _, k := range s.nameOf[from:to] {
		names = append(names, daybook.EntityID(s.key(int(k))[1:]))
	}
	slices.Sort(names)
	return names
}

// Named returns the notes that have an entity, in ledger order.
func (v *Snapshot) Named(name daybook.EntityID) []ID { return v.under(nameKey, string(name)) }

// InSession returns the notes of a session in ledger order, which is the order in
// which they were told.
func (v *Snapshot) InSession(session string) []ID { return v.under(sessionKey, session) }

func (v *Snapshot) under(kind byte, text string) (ids []ID) {
	for i, s := range v.segments {
		list, _ := s.list(kind, text)
		for _, n := range list {
			ids = append(ids, ID(v.base[i]+n))
		}
	}
	return ids
}

// Around returns the notes before and after one in its session, up to so many of
// each, without the note itself, in ledger order.
func (v *Snapshot) Around(id ID, before, after int) []ID {
	home := v.home(id)
	own := v.segments[home].sessionOf(uint32(id) - v.base[home])
	at, _ := slices.BinarySearch(own, uint32(id)-v.base[home])
	ids := make([]ID, 0, before+after)
	ids = appendLast(ids, own[:at], v.base[home], before)
	for i := home - 1; i >= 0 && len(ids) < before; i-- {
		ids = appendLast(ids, v.inSegment(i, id), v.base[i], before)
	}
	slices.Reverse(ids)
	want := len(ids) + after
	ids = appendFirst(ids, own[at+1:], v.base[home], want)
	for i := home + 1; i < len(v.segments) && len(ids) < want; i++ {
		ids = appendFirst(ids, v.inSegment(i, id), v.base[i], want)
	}
	return ids
}

// inSegment are the notes of a note's session in another segment.
func (v *Snapshot) inSegment(i int, id ID) []uint32 {
	s, n := v.at(id)
	return v.segments[i].bySession(s.key(int(s.session[n])))
}

// appendLast appends notes from the last on until there are so many ids.
func appendLast(ids []ID, notes []uint32, base uint32, most int) []ID {
	for i := len(notes) - 1; i >= 0 && len(ids) < most; i-- {
		ids = append(ids, ID(base+notes[i]))
	}
	return ids
}

// appendFirst appends notes from the first on until there are so many ids.
func appendFirst(ids []ID, notes []uint32, base uint32, most int) []ID {
	for i := 0; i < len(notes) && len(ids) < most; i++ {
		ids = append(ids, ID(base+notes[i]))
	}
	return ids
}

// Position is which note of its session a note is, from 0, and how many there are.
func (v *Snapshot) Position(id ID) (at, of int) {
	home := v.home(id)
	for i := range v.segments {
		if i == home {
			list := v.segments[i].sessionOf(uint32(id) - v.base[i])
			n, _ := slices.BinarySearch(list, uint32(id)-v.base[i])
			at, of = at+n, of+len(list)
			continue
		}
		list := v.inSegment(i, id)
		if of += len(list); i < home {
			at += len(list)
		}
	}
	return at, of
}

// Between yields the notes said from one time on and before another, in the order
// in which they were said. A zero time sets no limit.
func (v *Snapshot) Between(from, until time.Time) iter.Seq[ID] {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if !from.IsZero() {
		low = from.UnixMicro()
	}
	if !until.IsZero() {
		high = until.UnixMicro()
	}
	return func(yield func(ID) bool) {
		rest := make([][]uint32, len(v.segments))
		for i, s := range v.segments {
			a := sort.Search(len(s.byTime), func(j int) bool { return s.times[s.byTime[j]] >= low })
			b := sort.Search(len(s.byTime), func(j int) bool { return s.times[s.byTime[j]] >= high })
			rest[i] = s.byTime[a:max(a, b)]
		}
		for {
			i := v.earliest(rest)
			if i < 0 || !yield(ID(v.base[i]+rest[i][0])) {
				return
			}
			rest[i] = rest[i][1:]
		}
	}
}

// earliest returns which of the rests begins with the earliest note, or -1.
func (v *Snapshot) earliest(rest [][]uint32) int {
	first := -1
	for i, r := range rest {
		if len(r) > 0 && (first < 0 || v.segments[i].times[r[0]] < v.segments[first].times[rest[first][0]]) {
			first = i
		}
	}
	return first
}

// Frequency is how many notes have a term in a field.
func (v *Snapshot) Frequency(field Field, term string) int {
	if v.notes == 0 {
		return 0
	}
	return v.asked.get(v, frequencyKey{field, term})
}

// count is how many notes from a number on have a term.
func (v *Snapshot) count(k frequencyKey, from int) (n int) {
	for i := len(v.segments) - 1; i >= 0; i-- {
		s, base := v.segments[i], int(v.base[i])
		if base+len(s.places) <= from {
			break
		}
		list, _ := s.list(byte(k.field), k.term)
		if n += len(list); base < from {
			before, _ := slices.BinarySearch(list, uint32(from-base))
			n -= before
		}
	}
	return n
}

// frequencies remembers how frequent the terms are that were asked for: a few words make
// up most of what is said. It serves snapshots of which each only adds notes behind those
// of the one before, so that what was counted once need only be counted on.
type frequencies struct {
	mu    sync.RWMutex
	known map[frequencyKey]frequency
}

type frequencyKey struct {
	field Field
	term  string
}

// frequency is how many of the first notes have a term.
type frequency struct{ count, notes int }

// maxFrequencies are remembered; then all are forgotten. What was counted up to fewer
// than countedOn notes ago is not written down again.
const (
	maxFrequencies = 1 << 16
	countedOn      = 256
)

func (f *frequencies) get(v *Snapshot, k frequencyKey) int {
	f.mu.RLock()
	known, ok := f.known[k]
	f.mu.RUnlock()
	if known.notes > v.notes { // it is of a later snapshot
		return v.count(k, 0)
	}
	now := frequency{known.count + v.count(k, known.notes), v.notes}
	if !ok || now.notes-known.notes >= countedOn {
		f.put(k, now)
	}
	return now.count
}

func (f *frequencies) put(k frequencyKey, n frequency) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxFrequencies {
		f.known = map[frequencyKey]frequency{}
	}
	f.known[frequencyKey{k.field, strings.Clone(k.term)}] = n
}

// Rarity is the weight of a term by how few notes have it: its inverse document
// frequency, which is never negative.
func (v *Snapshot) Rarity(field Field, term string) float64 {
	return rarity(v.Frequency(field, term), v.notes)
}

func rarity(frequency, notes int) float64 {
	return math.Log(1 + (float64(notes-frequency)+0.5)/(float64(frequency)+0.5))
}

// Terms yields the terms of a field that begin with a prefix, in their order, each
// with its frequency.
func (v *Snapshot) Terms(field Field, prefix string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		at := make([]int, len(v.segments))
		for i, s := range v.segments {
			at[i] = sort.Search(len(s.keyEnds)-1, func(j int) bool { return compareKey(s.key(j), byte(field), prefix) >= 0 })
		}
		for {
			key := leastKey(v.segments, at)
			if key == nil || key[0] != byte(field) || len(key)-1 < len(prefix) || string(key[1:1+len(prefix)]) != prefix {
				return
			}
			n := 0
			for i, s := range v.segments {
				if at[i] < len(s.keyEnds)-1 && string(s.key(at[i])) == string(key) {
					from, to := s.lists.at(at[i])
					n += int(to - from)
					at[i]++
				}
			}
			if !yield(string(key[1:]), n) {
				return
			}
		}
	}
}

// Nearest is Space.Nearest of a set of vectors, as notes of the snapshot.
func (v *Snapshot) Nearest(space string, query []float32, k int, keep func(ID) bool) []Found {
	var kept func(store.Place) bool
	if keep != nil {
		kept = func(p store.Place) bool { id, ok := v.Find(p); return ok && keep(id) }
	}
	hits := v.Space(space).Nearest(query, k, kept)
	found := make([]Found, 0, len(hits))
	for _, h := range hits {
		if id, ok := v.Find(h.Place); ok {
			found = append(found, Found{id, float64(h.Score)})
		}
	}
	return found
}

// Likeness returns how like the query each note is in a set of vectors: 0 for one
// that has none.
func (v *Snapshot) Likeness(space string, query []float32, ids []ID) []float64 {
	return v.Likenesses(space, [][]float32{query}, ids)[0]
}

// Likenesses is Likeness for several queries at once, which costs little more than
// for one.
func (v *Snapshot) Likenesses(space string, queries [][]float32, ids []ID) [][]float64 {
	s := v.Space(space)
	all, scores, row := make([][]float64, len(queries)), make([]float32, len(queries)), make([]float32, s.dim)
	for j := range all {
		all[j] = make([]float64, len(ids))
	}
	for i, id := range ids {
		clear(scores)
		s.likenesses(scores, queries, v.Place(id), row)
		for j, score := range scores {
			all[j][i] = float64(score)
		}
	}
	return all
}

func compareFound(a, b Found) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}
