package index

import (
	"cmp"
	"slices"
	"sort"

	"daybook"
)

// Query asks for notes by words: BM25 over each field, summed.
type Query struct {
	Terms []QueryTerm
	// K1 is how much repetition counts, B how much length counts against a note.
	// Zero values stand for defaultK1 and defaultB; a negative one for 0.
	K1, B float64
}

// QueryTerm is one term of a query.
type QueryTerm struct {
	Field  Field
	Term   string
	Weight float64 // 0 stands for 1
}

// The usual values suit short notes.
const (
	defaultK1 = 0.9
	defaultB  = 0.3
)

// Ask makes a query of a question, in the given fields, all weighing the same.
func Ask(question string, fields ...Field) Query {
	var q Query
	for _, t := range QueryTerms(question) {
		for _, f := range fields {
			q.Terms = append(q.Terms, QueryTerm{Field: f, Term: t})
		}
	}
	return q
}

// fraction is the smallest part of a score. Scores are summed in whole fractions,
// so that the order of summing cannot change them.
const fraction = 1 << 32

// lookup is a term of a query with what the snapshot knows of it.
type lookup struct {
	QueryTerm
	factor float64 // weight · rarity · (K1+1), in fractions
	norms  *norms
}

// norms give what is added to a count, by the length of the note.
type norms struct {
	short []float64
	base  float64
	slope float64
}

func (n *norms) of(length uint16) float64 {
	if int(length) < len(n.short) {
		return n.short[length]
	}
	return n.base + n.slope*float64(length)
}

// part is what a term adds to a note's score.
func (l *lookup) part(count uint8, length uint16) int64 {
	return int64(l.factor * float64(count) / (float64(count) + l.norms.of(length)))
}

// prepare looks up the terms of a query. Terms that no note has are left out, and
// the same term of a field is counted once, with the sum of its weights.
func (v *Snapshot) prepare(q Query) []lookup {
	k1, b := orDefault(q.K1, defaultK1), orDefault(q.B, defaultB)
	type key struct {
		field Field
		term  string
	}
	weights := map[key]float64{}
	for _, t := range q.Terms {
		weights[key{t.Field, t.Term}] += orDefault(t.Weight, 1)
	}
	var fields [Fields]*norms
	terms := make([]lookup, 0, len(weights))
	for k, w := range weights {
		n := v.Frequency(k.field, k.term)
		if n == 0 || w <= 0 {
			continue
		}
		if fields[k.field] == nil {
			fields[k.field] = v.norms(k.field, k1, b)
		}
		terms = append(terms, lookup{
			QueryTerm: QueryTerm{k.field, k.term, w}, norms: fields[k.field],
			factor: w * rarity(n, v.notes) * (k1 + 1) * fraction,
		})
	}
	daybook.Sort(terms, func(a, b lookup) int { return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term)) })
	return terms
}

func orDefault(x, usual float64) float64 {
	if x == 0 {
		return usual
	}
	return max(x, 0)
}

func (v *Snapshot) norms(f Field, k1, b float64) *norms {
	total, with := uint64(0), 0
	for _, s := range v.segments {
		total += s.total[f]
		with += s.with[f]
	}
	mean := float64(total) / float64(max(with, 1))
	n := &norms{base: unit * k1 * (1 - b), slope: unit * k1 * b / max(mean, 1)}
	n.short = make([]float64, 512)
	for i := range n.short {
		n.short[i] = n.base + float64(n.slope*float64(i))
	}
	return n
}

// Search returns the k notes with the highest scores for a query, best first; of
// equal ones the earlier comes first. Notes without any of the terms are not
// returned. Where keep is not nil, only notes that it keeps are.
func (v *Snapshot) Search(q Query, k int, keep func(ID) bool) []Found {
	terms := v.prepare(q)
	if k <= 0 || len(terms) == 0 {
		return nil
	}
	h := &ranking{k: k, keep: keep}
	sums := make([]int64, windowNotes)
	for i, s := range v.segments {
		newSearch(s, terms, v.base[i], sums).run(h)
	}
	found := make([]Found, len(h.notes))
	for i, n := range h.notes {
		found[i] = Found{n.id, float64(n.score) / fraction}
	}
	slices.SortFunc(found, compareFound)
	return found
}

// Score returns the score of each note for a query; 0 for one without any term.
func (v *Snapshot) Score(q Query, ids []ID) []float64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	m, scores := v.Match(q, sorted), make([]float64, len(ids))
	for i, id := range ids {
		at, _ := slices.BinarySearch(sorted, id)
		scores[i] = m.Scores[at]
	}
	return scores
}

// Matches are what some notes have of a query.
type Matches struct {
	Scores []float64 // of each note; 0 for one without any term
	Terms  []QueryTerm
	has    []uint64 // of each note, a bit for each term
	words  int      // of has for each note
}

// Has reports whether a note, by its number among those asked for, has a term.
func (m *Matches) Has(note, term int) bool {
	return m.has[note*m.words+term/64]>>(term%64)&1 == 1
}

// Match says which terms of a query notes have. The notes are given in ledger order,
// each once. Terms that no note of the snapshot has are left out.
func (v *Snapshot) Match(q Query, ids []ID) *Matches {
	terms := v.prepare(q)
	m := &Matches{Scores: make([]float64, len(ids)), words: (len(terms) + 63) / 64}
	m.has = make([]uint64, len(ids)*m.words)
	for t := range terms {
		m.Terms = append(m.Terms, terms[t].QueryTerm)
	}
	sums := make([]int64, len(ids))
	for from := 0; from < len(ids); {
		home := v.home(ids[from])
		to := len(ids)
		if home+1 < len(v.base) {
			to = from + sort.Search(len(ids)-from, func(i int) bool { return uint32(ids[from+i]) >= v.base[home+1] })
		}
		part := stretch{v.segments[home], v.base[home], ids[from:to], sums[from:to], m.has[from*m.words : to*m.words]}
		for t := range terms {
			part.match(&terms[t], t, m.words)
		}
		from = to
	}
	for i, sum := range sums {
		m.Scores[i] = float64(sum) / fraction
	}
	return m
}

// stretch is the notes of one segment among those that are matched.
type stretch struct {
	segment *segment
	base    uint32 // the id of the segment's first note
	ids     []ID
	sums    []int64
	has     []uint64
}

// match goes along a term's list and the notes, each leaping over what the other
// lacks.
func (p *stretch) match(l *lookup, term, words int) {
	s := p.segment
	notes, key := s.list(byte(l.Field), l.Term)
	if key < 0 {
		return
	}
	start, end := s.lists.at(key)
	c := cursor{lookup: l, notes: notes, counts: s.counts[start:end], lengths: s.lengths[l.Field]}
	for i := 0; i < len(p.ids); i++ {
		note := uint32(p.ids[i]) - p.base
		if c.skip(note); len(c.notes) == 0 {
			return
		}
		if c.notes[0] == note {
			p.sums[i] += c.part(c.counts[0], c.lengths[note])
			p.has[i*words+term/64] |= 1 << (term % 64)
			continue
		}
		next := ID(p.base + c.notes[0])
		i += sort.Search(len(p.ids)-i-1, func(j int) bool { return p.ids[i+1+j] >= next })
	}
}

// cursor walks along one term's list.
type cursor struct {
	*lookup
	notes   []uint32
	counts  []uint8
	lengths []uint16
	bound   int64 // no note's part is higher
}

// skip passes over the notes before one, by leaps that double.
func (c *cursor) skip(note uint32) {
	if len(c.notes) == 0 || c.notes[0] >= note {
		return
	}
	low, high := 0, 1
	for high < len(c.notes) && c.notes[high] < note {
		low, high = high, 2*high
	}
	high = min(high, len(c.notes))
	n := low + sort.Search(high-low, func(i int) bool { return c.notes[low+i] >= note })
	c.notes, c.counts = c.notes[n:], c.counts[n:]
}

// windowNotes notes are summed up at a time.
const windowNotes = 8192

// search finds the best notes of one segment. The lists are sorted by bound,
// highest first. Once the k best are better than the last few lists could be
// together, notes that stand only in those need not be looked at: the lists
// before them lead, the others only add to what those find.
type search struct {
	lists []cursor
	rest  []int64 // rest[i] is the sum of the bounds from i on
	base  uint32
	sums  []int64
}

func newSearch(s *segment, terms []lookup, base uint32, sums []int64) *search {
	q := &search{base: base, sums: sums}
	for i := range terms {
		t := &terms[i]
		notes, key := s.list(byte(t.Field), t.Term)
		if key < 0 {
			continue
		}
		from, to := s.lists.at(key)
		q.lists = append(q.lists, cursor{t, notes, s.counts[from:to], s.lengths[t.Field], t.part(s.most[key], s.least[key])})
	}
	daybook.Sort(q.lists, func(a, b cursor) int { return cmp.Compare(b.bound, a.bound) })
	q.rest = make([]int64, len(q.lists)+1)
	for i := len(q.lists) - 1; i >= 0; i-- {
		q.rest[i] = q.rest[i+1] + q.lists[i].bound
	}
	return q
}

// leading is how many lists lead: a note in none of them cannot reach least.
func (q *search) leading(least int64) int {
	n := len(q.lists)
	for n > 0 && q.rest[n-1] < least {
		n--
	}
	return n
}

func (q *search) run(best *ranking) {
	for {
		leading := q.leading(best.least)
		from := q.first(leading)
		if from == gone {
			return
		}
		q.sum(leading, from)
		q.collect(leading, from, best)
	}
}

// first is the first note that stands in a leading list.
func (q *search) first(leading int) uint32 {
	first := gone
	for _, c := range q.lists[:leading] {
		if len(c.notes) > 0 {
			first = min(first, c.notes[0])
		}
	}
	return first
}

// sum adds up what the leading lists say of the notes in one window.
func (q *search) sum(leading int, from uint32) {
	for i := range q.lists[:leading] {
		c := &q.lists[i]
		n := 0
		for n < len(c.notes) && c.notes[n]-from < windowNotes {
			note := c.notes[n]
			q.sums[note-from] += c.part(c.counts[n], c.lengths[note])
			n++
		}
		c.notes, c.counts = c.notes[n:], c.counts[n:]
	}
}

// collect takes the best notes of the window, and clears it.
func (q *search) collect(leading int, from uint32, best *ranking) {
	for i, sum := range q.sums {
		if sum == 0 {
			continue
		}
		q.sums[i] = 0
		if sum+q.rest[leading] < best.least {
			continue
		}
		note := from + uint32(i)
		for j := leading; j < len(q.lists) && sum+q.rest[j] >= best.least; j++ {
			c := &q.lists[j]
			c.skip(note)
			if len(c.notes) > 0 && c.notes[0] == note {
				sum += c.part(c.counts[0], c.lengths[note])
			}
		}
		best.offer(ranked{ID(q.base + note), sum})
	}
}

// ranking keeps the k best notes as a heap, the worst on top.
type ranking struct {
	k     int
	keep  func(ID) bool
	notes []ranked
	least int64 // what scores less is not among the k best
}

type ranked struct {
	id    ID
	score int64
}

func (a ranked) worse(b ranked) bool {
	return a.score < b.score || a.score == b.score && a.id > b.id
}

func (r *ranking) offer(n ranked) {
	full := len(r.notes) == r.k
	if full && !r.notes[0].worse(n) || r.keep != nil && !r.keep(n.id) {
		return
	}
	if !full {
		r.notes = append(r.notes, n)
		r.up(len(r.notes) - 1)
	} else {
		r.notes[0] = n
		r.down(0)
	}
	if len(r.notes) == r.k {
		r.least = r.notes[0].score
	}
}

func (r *ranking) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !r.notes[i].worse(r.notes[parent]) {
			return
		}
		r.notes[i], r.notes[parent] = r.notes[parent], r.notes[i]
		i = parent
	}
}

func (r *ranking) down(i int) {
	for {
		worst := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(r.notes) && r.notes[child].worse(r.notes[worst]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		r.notes[i], r.notes[worst] = r.notes[worst], r.notes[i]
		i = worst
	}
}
