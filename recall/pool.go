package recall

import (
	"cmp"
	"slices"

	"daybook"
	"daybook/graph"
	"daybook/index"
)

// candidate is a note that some leg found.
type candidate struct {
	id     index.ID
	turns  []index.ID // around it in its session, without itself
	before int        // how many of them come before it
	slot   int        // its number, and those of the turns, among all that are looked up
	slots  []int
	seen   glimpse
	card   *card         // nil while it is not read
	note   *daybook.Note // nil while it is not read
	ranks  [legs]int     // from 1; 0 where a leg did not find it
	values Signals
	score  float64
	links  []daybook.LinkID // that led to it
	// reranked says what a cross-encoder made of it, and moved by how much that
	// changed its score; nil and 0 where none looked.
	reranked *Reranked
	moved    float64
	again    float64 // by how much a better one that says the same did
	// route is the best that led to it; nil where none did.
	route *route
	// learned is what stands on the note; nil where nobody looked.
	learned *graph.Standing
}

// pool is all candidates for one question.
type pool struct {
	*searcher
	book   *graph.Book
	all    []*candidate
	byID   map[index.ID]*candidate
	cut    []*candidate                // that are not ranked: see narrow
	byNote map[daybook.NoteID]index.ID // of notes that were read or looked for
	// related is what the words of the best find, by rank; nil while nobody looked.
	related map[index.ID]int
	routes  []*route // from the entities that the question names, the best first
	near    []*route // from the entities of the best candidates
	// hierarchy are events of other sessions on the topic of the best.
	hierarchy []*daybook.Event
}

// gather runs the legs and puts together what they found.
func gather(s *searcher, book *graph.Book) (*pool, error) {
	p := &pool{searcher: s, book: book, byID: map[index.ID]*candidate{}, byNote: map[daybook.NoteID]index.ID{}}
	for leg, found := range s.run() {
		for rank, f := range found {
			p.add(f.ID, Leg(leg), rank+1)
		}
	}
	if err := p.named(); err != nil {
		return nil, err
	}
	p.neighbours()
	return p, nil
}

// isHub reports whether a name is everywhere, as a speaker's is: then it says
// nothing.
func (p *pool) isHub(name string) bool {
	least := p.Len()
	for _, t := range index.Terms(name) {
		least = min(least, p.Frequency(index.Content, t))
	}
	return least > max(hubNotes, min(namedRows, p.Len()/hubShare))
}

// find returns the note's number in the index; false where it is not there or not
// in force.
func (p *pool) find(note daybook.NoteID) (id index.ID, ok bool, err error) {
	if id, ok := p.byNote[note]; ok {
		return id, true, nil
	}
	place, ok, err := p.book.NotePlace(note)
	if err != nil || !ok {
		return 0, false, err
	}
	id, ok = p.Find(place)
	ok = ok && (p.keep == nil || p.keep(id))
	if ok {
		p.byNote[note] = id
	}
	return id, ok, nil
}

// add notes that a leg found a note.
func (p *pool) add(id index.ID, leg Leg, rank int) *candidate {
	c := p.byID[id]
	if c == nil {
		c = p.newCandidate(id)
	}
	if c.ranks[leg] == 0 {
		c.ranks[leg] = rank
	}
	return c
}

func (p *pool) newCandidate(id index.ID) *candidate {
	c := &candidate{id: id, turns: p.Around(id, windowTurns, windowTurns)}
	c.before, _ = slices.BinarySearch(c.turns, id)
	p.byID[id], p.all = c, append(p.all, c)
	return c
}

// next are the turns right beside a candidate.
func (c *candidate) next() []index.ID {
	from, to := c.beside()
	return c.turns[from:to]
}

// beside says which of the turns those are.
func (c *candidate) beside() (from, to int) {
	return max(0, c.before-nextTurns), min(len(c.turns), c.before+nextTurns)
}

// spread calls do with the slot of each turn around a candidate and how much it
// counts.
func (c *candidate) spread(do func(slot int, weight float64)) {
	for i, slot := range c.slots {
		do(slot, turnWeight(max(c.before-i, i-c.before+1)))
	}
}

// neighbours lets the turns around the best candidates join: what answers a
// question need not look like it.
func (p *pool) neighbours() {
	first := slices.Clone(p.all)
	slices.SortStableFunc(first, func(a, b *candidate) int { return cmp.Compare(b.fused(), a.fused()) })
	for rank, c := range first[:min(len(first), expandRows)] {
		for _, near := range c.next() {
			if p.keep == nil || p.keep(near) {
				p.add(near, byNeighbour, rank+1)
			}
		}
	}
}

// fused is the reciprocal ranks of a candidate, summed over the legs that look at
// the whole question.
func (c *candidate) fused() (sum float64) {
	for _, leg := range []Leg{byMeaning, byContext, byWords, byExchange} {
		sum += rankValue(c.ranks[leg])
	}
	return sum
}

// rankValue is what a rank counts; nothing for none.
func rankValue(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return rankShift / float64(rankShift+rank)
}

// live leaves out candidates that are not in force in the book. Where index and
// book are of the same commit, or no note was taken back between theirs, all are.
func (p *pool) live() error {
	if p.book.SharesNotes(p.Head()) {
		return nil
	}
	var live []*candidate
	for _, c := range p.all {
		n, ok, err := p.book.NoteAt(p.Place(c.id))
		if err != nil {
			return err
		}
		if !ok {
			delete(p.byID, c.id)
			continue
		}
		c.note, live = &n, append(live, c)
	}
	p.all = live
	return nil
}

// read returns the note of a candidate that is in force.
func (p *pool) read(c *candidate) (*daybook.Note, error) {
	if c.note != nil {
		return c.note, nil
	}
	at := p.Place(c.id)
	n, ok, err := p.book.NoteObserved(at)
	if err == nil && !ok {
		err = daybook.Errorf(daybook.Corrupt, "the index has a note at %d.%d, where the ledger has none; run 'daybook reindex'", at.Seq, at.Pos)
	}
	if err != nil {
		return nil, err
	}
	c.note, p.byNote[n.ID] = &n, c.id
	return c.note, nil
}

// narrow keeps the candidates that are worth reading: the best by what the index
// alone says of them.
func (p *pool) narrow() {
	if len(p.all) <= readRows {
		return
	}
	slices.SortFunc(p.all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.glance(), a.glance()), cmp.Compare(a.id, b.id))
	})
	for _, c := range p.all[readRows:] {
		delete(p.byID, c.id)
	}
	p.cut = append(p.cut, p.all[readRows:]...)
	p.all = p.all[:readRows]
}

// glance is a candidate's worth before it is read. Those of the time or the entity
// that is asked about are worth reading rather than others, and what a link led to
// in any case.
func (c *candidate) glance() float64 {
	v := &c.values
	return v[Dense] + v[LatentLike] + v[Topic] + 2*v[Window] + 2*v[WindowCover] + 2*rankValue(c.ranks[byTime]) + rankValue(c.ranks[byName]) + rankValue(c.ranks[byExpansion]) + rankValue(c.ranks[byPart]) + 1e3*rankValue(c.ranks[byLink])
}

// sort puts the best first; of equal ones the earlier in the ledger.
func (p *pool) sort() {
	slices.SortFunc(p.all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
}
