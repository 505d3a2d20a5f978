package eval

import (
	"fmt"
	"math"
	"slices"
)

// Scores are the metrics of one question by name. A metric that does not apply
// to the question is absent, so that a mean is over those that it applies to.
type Scores map[string]float64

// Retrieval measures a ranking of ids, best first, against the gold ids:
//
//	recall@k  share of the gold among the first k
//	any@k     1 when some gold is among the first k
//	all@k     1 when all of it is
//	ndcg@k    gain 1 per gold id, discounted by 1/log2(rank+1), over the best possible
//	mrr       1 / rank of the first gold id in the whole ranking
//
// A repeated id counts as gold once and takes a place each time, as it does for a
// reader. Without gold there is nothing to measure and the result is nil.
func Retrieval(ranked, gold []string, ks []int) Scores {
	wanted := set(gold)
	if len(wanted) == 0 {
		return nil
	}
	ranks := goldRanks(ranked, wanted)
	s := Scores{"mrr": 0}
	if len(ranks) > 0 {
		s["mrr"] = 1 / float64(ranks[0])
	}
	for _, k := range ks {
		found := within(ranks, k)
		s[at("recall", k)] = float64(found) / float64(len(wanted))
		s[at("any", k)] = one(found > 0)
		s[at("all", k)] = one(found == len(wanted))
		s[at("ndcg", k)] = ndcg(ranks[:found], min(k, len(wanted)))
	}
	return s
}

// SessionRanking turns ranked notes into ranked sessions, each at its best
// note's place, so that Retrieval measures on the level of sessions: k counts
// sessions there. Notes whose session is not known are passed over.
func SessionRanking(ranked []string, sessionOf map[string]string) []string {
	var sessions []string
	for _, id := range ranked {
		if s, ok := sessionOf[id]; ok && !slices.Contains(sessions, s) {
			sessions = append(sessions, s)
		}
	}
	return sessions
}

// goldRanks returns the 1-based ranks at which gold ids appear first, ascending.
func goldRanks(ranked []string, gold map[string]bool) []int {
	var ranks []int
	seen := map[string]bool{}
	for i, id := range ranked {
		if gold[id] && !seen[id] {
			seen[id] = true
			ranks = append(ranks, i+1)
		}
	}
	return ranks
}

// ndcg of the gold at these ranks, where the best ranking has it at 1 to best.
func ndcg(ranks []int, best int) float64 {
	got, ideal := 0.0, 0.0
	for _, r := range ranks {
		got += 1 / math.Log2(float64(r)+1)
	}
	for r := range best {
		ideal += 1 / math.Log2(float64(r)+2)
	}
	if ideal == 0 {
		return 0
	}
	return got / ideal
}

func within(ranks []int, k int) int {
	n := 0
	for n < len(ranks) && ranks[n] <= k {
		n++
	}
	return n
}

func at(name string, k int) string { return fmt.Sprintf("%s@%d", name, k) }

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func set(ids []string) map[string]bool {
	m := make(map[string]bool, len(ids))
	for _, id := range ids {
		m[id] = true
	}
	return m
}
