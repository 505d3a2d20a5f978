package index

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"daybook"
	"daybook/store"
)

// Doc is a note as it is found: where it stands, when it was said, in which
// session, by which words and names.
type Doc struct {
	store.Place
	Time    time.Time
	Session string
	Words   []Words
	Names   []daybook.EntityID
	Card    []byte // what the caller wants to know of it without reading it
}

// Words are some of the terms that a note is found by.
type Words struct {
	Field  Field
	Text   string   // cut by Terms
	Terms  []string // or given as they are
	Weight float32  // of one occurrence, in quarters; 0 stands for 1
}

// Field is a representation of a note by words. Each has its own frequencies and
// lengths, and a query says how much each counts.
type Field uint8

// The fields of a note; Fields is how many there are.
const (
	Content  Field = iota // its own words
	Enriched              // the text in which references are resolved
	Window                // the words of the notes around it
	Fields
)

// A segment is some notes with all that they are found by. It never changes.
// Notes stand in ledger order and are numbered from 0.
//
// Every key has a list of notes, with how often it stands there. Keys are sorted
// bytes: a byte for what it is, then the term, name or session itself.
type segment struct {
	places  []store.Place
	times   []int64 // microseconds since 1970
	session []uint32
	names   offsets  // the names of note i, in nameKeys
	nameOf  []uint32 // numbers of keys
	byTime  []uint32
	cards   []byte
	cardEnd offsets
	lengths [Fields][]uint16 // in quarters; nil when no note has the field
	total   [Fields]uint64   // the sum of lengths
	with    [Fields]int      // how many notes have the field

	keys    []byte
	keyEnds offsets
	lists   offsets
	notes   []uint32
	counts  []uint8  // in quarters
	most    []uint8  // of a list: the highest count
	least   []uint16 // of a list: the shortest length

	// The keys of sessions are those from firstSession on and before lastSession;
	// found when they are first needed.
	sessions                  sync.Once
	firstSession, lastSession int
}

// offsets are where the parts of something begin; the last is where all end.
type offsets []uint32

func (o offsets) at(i int) (from, to uint32) { return o[i], o[i+1] }

// What a key is: below sessionKey, the field of a term.
const (
	sessionKey = 0x10
	nameKey    = 0x11
)

// unit is what one occurrence of weight 1 counts.
const unit = 4

func (s *segment) key(i int) []byte {
	from, to := s.keyEnds.at(i)
	return s.keys[from:to]
}

// list returns the notes of a key, and its number; -1 when it has none.
func (s *segment) list(kind byte, text string) (notes []uint32, number int) {
	n := len(s.keyEnds) - 1
	i := sort.Search(n, func(i int) bool { return compareKey(s.key(i), kind, text) >= 0 })
	if i == n || compareKey(s.key(i), kind, text) != 0 {
		return nil, -1
	}
	from, to := s.lists.at(i)
	return s.notes[from:to], i
}

// sessionOf returns the notes of a note's session.
func (s *segment) sessionOf(note uint32) []uint32 {
	from, to := s.lists.at(int(s.session[note]))
	return s.notes[from:to]
}

// bySession returns the notes of a session, given by its key. Only the keys of
// sessions are looked through, which lie together.
func (s *segment) bySession(key []byte) []uint32 {
	s.sessions.Do(func() {
		n := len(s.keyEnds) - 1
		s.firstSession = sort.Search(n, func(i int) bool { return s.key(i)[0] >= sessionKey })
		s.lastSession = sort.Search(n, func(i int) bool { return s.key(i)[0] > sessionKey })
	})
	i := s.firstSession + sort.Search(s.lastSession-s.firstSession, func(i int) bool { return bytes.Compare(s.key(s.firstSession+i), key) >= 0 })
	if i == s.lastSession || !bytes.Equal(s.key(i), key) {
		return nil
	}
	from, to := s.lists.at(i)
	return s.notes[from:to]
}

func compareKey(key []byte, kind byte, text string) int {
	if key[0] != kind {
		return int(key[0]) - int(kind)
	}
	switch k := string(key[1:]); { // compiled without a copy
	case k < text:
		return -1
	case k > text:
		return 1
	}
	return 0
}

func (s *segment) card(i int) []byte {
	from, to := s.cardEnd.at(i)
	return s.cards[from:to:to]
}

// find returns the number of the note at a place.
func (s *segment) find(p store.Place) (int, bool) {
	return slices.BinarySearchFunc(s.places, p, comparePlaces)
}

func (s *segment) bytes() int {
	n := 16*len(s.places) + 8*len(s.times) + 4*(len(s.session)+len(s.names)+len(s.nameOf)+len(s.byTime))
	for _, l := range s.lengths {
		n += 2 * len(l)
	}
	n += len(s.cards) + 4*len(s.cardEnd)
	return n + len(s.keys) + 4*(len(s.keyEnds)+len(s.lists)+len(s.notes)) + len(s.counts) + len(s.most) + 2*len(s.least)
}

// draft is a segment in the making.
type draft struct {
	segment
	numbers map[string]uint32 // of keys, in the order in which they came
	texts   []string
	found   [][]posting
	weight  []uint32 // of the keys of the note at work
	seen    []uint32
}

type posting struct {
	note  uint32
	count uint8
}

// newSegment makes a segment of notes, which must be in ledger order.
func newSegment(docs []Doc) *segment {
	d := &draft{numbers: map[string]uint32{}}
	d.names, d.cardEnd = offsets{0}, offsets{0}
	for i, doc := range docs {
		d.add(uint32(i), doc)
	}
	d.sortKeys()
	d.finish()
	return &d.segment
}

func (d *draft) add(note uint32, doc Doc) {
	d.places, d.times = append(d.places, doc.Place), append(d.times, doc.Time.UnixMicro())
	d.addCard(doc.Card)
	session := d.number(sessionKey, doc.Session)
	d.session = append(d.session, session)
	d.note(session, 1)
	names := slices.Clone(doc.Names)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		n := d.number(nameKey, string(name))
		d.nameOf = append(d.nameOf, n)
		d.note(n, 1)
	}
	d.names = append(d.names, uint32(len(d.nameOf)))
	var lengths [Fields]uint32
	for _, w := range doc.Words {
		lengths[w.Field] += d.words(w)
	}
	for f, n := range lengths {
		d.setLength(Field(f), note, n)
	}
	for _, k := range d.seen {
		d.found[k] = append(d.found[k], posting{note, uint8(min(d.weight[k], math.MaxUint8))})
		d.weight[k] = 0
	}
	d.seen = d.seen[:0]
}

func (d *draft) words(w Words) (length uint32) {
	weight := uint32(unit)
	if w.Weight > 0 {
		weight = uint32(max(1, math.Round(float64(w.Weight)*unit)))
	}
	list := w.Terms
	if list == nil {
		list = Terms(w.Text)
	}
	for _, t := range list {
		d.note(d.number(byte(w.Field), t), weight)
	}
	return uint32(len(list)) * weight
}

func (d *draft) number(kind byte, text string) uint32 {
	var room [64]byte
	key := append(append(room[:0], kind), text...)
	n, ok := d.numbers[string(key)]
	if !ok {
		n = uint32(len(d.texts))
		d.texts = append(d.texts, string(key))
		d.numbers[d.texts[n]] = n
		d.found, d.weight = append(d.found, nil), append(d.weight, 0)
	}
	return n
}

func (d *draft) note(key, weight uint32) {
	if d.weight[key] == 0 {
		d.seen = append(d.seen, key)
	}
	d.weight[key] += weight
}

func (s *segment) setLength(f Field, note, length uint32) {
	if length == 0 && s.lengths[f] == nil {
		return
	}
	for uint32(len(s.lengths[f])) < note { // notes before had none
		s.lengths[f] = append(s.lengths[f], 0)
	}
	s.lengths[f] = append(s.lengths[f], uint16(min(length, math.MaxUint16)))
}

// sortKeys lays the lists out in the order of their keys.
func (d *draft) sortKeys() {
	order := make([]uint32, len(d.texts))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare([]byte(d.texts[a]), []byte(d.texts[b])) })
	d.keyEnds, d.lists = offsets{0}, offsets{0}
	renamed := make([]uint32, len(order))
	for i, k := range order {
		renamed[k] = uint32(i)
		d.keys = append(d.keys, d.texts[k]...)
		for _, p := range d.found[k] {
			d.notes, d.counts = append(d.notes, p.note), append(d.counts, p.count)
		}
		d.endKey()
	}
	rename(d.session, renamed)
	rename(d.nameOf, renamed)
}

func (s *segment) addCard(card []byte) {
	s.cards = append(s.cards, card...)
	s.cardEnd = append(s.cardEnd, uint32(len(s.cards)))
}

func (s *segment) endKey() {
	s.keyEnds, s.lists = append(s.keyEnds, uint32(len(s.keys))), append(s.lists, uint32(len(s.notes)))
}

func rename(numbers, to []uint32) {
	for i, n := range numbers {
		numbers[i] = to[n]
	}
}

// finish fills in what follows from the rest.
func (s *segment) finish() {
	for f, lengths := range s.lengths {
		if lengths == nil {
			continue
		}
		for len(s.lengths[f]) < len(s.places) {
			s.lengths[f] = append(s.lengths[f], 0)
		}
		s.total[f], s.with[f] = 0, 0
		for _, n := range lengths {
			if n > 0 {
				s.total[f] += uint64(n)
				s.with[f]++
			}
		}
	}
	s.byTime = make([]uint32, len(s.places))
	for i := range s.byTime {
		s.byTime[i] = uint32(i)
	}
	slices.SortFunc(s.byTime, func(a, b uint32) int { return s.compareTimes(a, b) })
	s.bound()
}

func (s *segment) compareTimes(a, b uint32) int {
	switch {
	case s.times[a] != s.times[b] && s.times[a] < s.times[b]:
		return -1
	case s.times[a] != s.times[b]:
		return 1
	}
	return int(a) - int(b)
}

// bound finds what limits the score of each list.
func (s *segment) bound() {
	n := len(s.keyEnds) - 1
	s.most, s.least = make([]uint8, n), make([]uint16, n)
	for i := range n {
		kind := s.key(i)[0]
		if kind >= byte(Fields) {
			continue
		}
		from, to := s.lists.at(i)
		least := uint16(math.MaxUint16)
		for j := from; j < to; j++ {
			s.most[i] = max(s.most[i], s.counts[j])
			least = min(least, s.lengths[kind][s.notes[j]])
		}
		s.least[i] = least
	}
}
