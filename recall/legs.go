package recall

import (
	"cmp"
	"slices"
	"sync"

	"daybook"
	"daybook/index"
)

// Leg is one way of finding candidates.
type Leg int

// The legs.
const (
	byMeaning   Leg = iota // dense content
	byContext              // dense latent
	byWords                // BM25 of the note
	byExchange             // BM25 of the note and the turns around it
	byTime                 // said in the time that is asked about
	byName                 // about an entity that is named
	byNeighbour            // next to a good one
	byLink                 // at the other end of an evolution link
	byExpansion            // by another way of asking
	byPart                 // by one of the things that are asked at once
	byHop                  // about an entity that events of one that is named tell of, too
	byRoute                // by a route from an entity that is named, as text
	byNear                 // by a route from an entity of the best
	byTopic                // of an event of another session on the topic of the best
	legs
)

var legNames = [legs]string{"dense", "latent", "words", "window", "time", "entity", "neighbour", "link", "expansion", "part", "hop", "route", "near", "topic"}

func (l Leg) String() string { return legNames[l] }

// searcher runs the legs of one plan on one view. keep says which notes count.
type searcher struct {
	*index.Snapshot
	plan  Plan
	query []float32 // nil without an encoder
	aids  *Aids
	keep  func(index.ID) bool
}

// run runs all legs that need nothing but the index, at once. What the others find
// joins later: see pool.named, neighbours and follow.
func (s *searcher) run() (found [legs][]index.Found) {
	var wait sync.WaitGroup
	if s.query != nil {
		wait.Go(func() { found[byMeaning] = s.Nearest(Content, s.query, legRows, s.keep) })
		wait.Go(func() { found[byContext] = s.Nearest(Latent, s.query, legRows, s.keep) })
	}
	wait.Go(func() {
		wide := s.Search(s.plan.Words, wordRows, s.keep)
		found[byWords] = wide[:min(len(wide), legRows)]
		found[byExchange] = s.exchanges(wide)
		found[byTime] = s.inWindow()
	})
	others, parts := s.expand(&wait, s.aids.Expansions), s.expand(&wait, s.aids.Parts)
	wait.Wait()
	found[byExpansion], found[byPart] = merged(others), merged(parts)
	return found
}

// expand searches by other texts, each by its words and its meaning; the lists are there
// when the group has been waited for.
func (s *searcher) expand(wait *sync.WaitGroup, texts []Expansion) [][]index.Found {
	lists := make([][]index.Found, 2*len(texts))
	for i, x := range texts {
		wait.Go(func() { lists[2*i] = s.Search(x.words(), expansionRows, s.keep) })
		if x.Vector != nil {
			wait.Go(func() { lists[2*i+1] = s.Nearest(Content, x.Vector, expansionRows, s.keep) })
		}
	}
	return lists
}

// merged puts lists together: a note counts by its best rank in any.
func merged(lists [][]index.Found) []index.Found {
	best := map[index.ID]float64{}
	for _, list := range lists {
		for rank, f := range list {
			best[f.ID] = max(best[f.ID], rankValue(rank+1))
		}
	}
	all := make([]index.Found, 0, len(best))
	for id, value := range best {
		all = append(all, index.Found{ID: id, Score: value})
	}
	return first(all, legRows)
}

// exchanges ranks the notes found by words, and those around them, by the words of
// the whole exchange.
func (s *searcher) exchanges(wide []index.Found) []index.Found {
	sums := map[index.ID]float64{}
	for _, f := range wide {
		sums[f.ID] += f.Score
		s.spread(f.ID, func(near index.ID, weight float64) { sums[near] += weight * f.Score })
	}
	found := make([]index.Found, 0, len(sums))
	for id, sum := range sums {
		if s.keep == nil || s.keep(id) {
			found = append(found, index.Found{ID: id, Score: sum})
		}
	}
	return first(found, legRows)
}

// spread calls do with each turn around a note and how much they count for each
// other.
func (s *searcher) spread(id index.ID, do func(near index.ID, weight float64)) {
	turns := s.Around(id, windowTurns, windowTurns)
	before, _ := slices.BinarySearch(turns, id)
	for i, near := range turns {
		do(near, turnWeight(max(before-i, i-before+1)))
	}
}

func turnWeight(distance int) float64 {
	w := windowFirst
	for range distance - 1 {
		w *= windowFade
	}
	return w
}

// inWindow ranks the notes of the time that the question names.
func (s *searcher) inWindow() []index.Found {
	if s.plan.Window == (daybook.Span{}) {
		return nil
	}
	var ids []index.ID
	for id := range s.Between(s.plan.Window.From, s.plan.Window.Until) {
		if s.keep == nil || s.keep(id) {
			ids = append(ids, id)
		}
		if len(ids) == timeRows {
			break
		}
	}
	return s.likest(ids)
}

// likest ranks notes by likeness, or by words where there is no encoder.
func (s *searcher) likest(ids []index.ID) []index.Found {
	scores := s.Score(s.plan.Words, ids)
	if s.query != nil {
		scores = s.Likeness(Content, s.query, ids)
	}
	found := make([]index.Found, len(ids))
	for i, id := range ids {
		found[i] = index.Found{ID: id, Score: scores[i]}
	}
	return first(found, legRows)
}

// first returns the k best, the best first. Where there are many, most are not sorted.
func first(found []index.Found, k int) []index.Found {
	if len(found) > 4*k {
		scores := make([]float32, len(found))
		for i := range found {
			scores[i] = float32(found[i].Score)
		}
		best := found[:0]
		for _, i := range index.Highest(scores, k) {
			best = append(best, found[i])
		}
		found = best
	}
	slices.SortFunc(found, func(a, b index.Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return found[:min(len(found), k)]
}
