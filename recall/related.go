package recall

import (
	"cmp"
	"maps"
	"slices"

	"daybook/index"
)

// measureRelated says which candidates stand first by the words that tell the best by a
// first look from other notes, and which may be other words for what is asked.
func (p *pool) measureRelated(best []*candidate) {
	if p.related == nil {
		p.related = map[index.ID]int{}
		for rank, f := range p.Search(p.relatedWords(best), legRows, p.keep) {
			p.related[f.ID] = rank + 1
		}
	}
	for _, c := range p.all {
		c.values[Related] = rankValue(p.related[c.id])
	}
}

// relatedWords are the words of the best that are rare elsewhere and that the question
// does not have; what the very best say counts most.
func (p *pool) relatedWords(best []*candidate) (q index.Query) {
	worth := map[string]float64{}
	for rank, c := range best {
		for t := range c.card.terms() {
			worth[string(t)] += rankValue(rank + 1)
		}
	}
	for t := range worth {
		if worth[t] *= p.Rarity(index.Content, t); slices.Contains(p.plan.Terms, t) || p.Frequency(index.Content, t) < 2 {
			delete(worth, t)
		}
	}
	words := slices.SortedFunc(maps.Keys(worth), func(a, b string) int {
		return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(a, b))
	})
	for _, w := range words[:min(len(words), relatedWords)] {
		q.Terms = append(q.Terms, index.QueryTerm{Field: index.Content, Term: w})
	}
	return q
}
