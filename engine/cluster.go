package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/graph"
)

// Clustering of sessions. Sessions are taken in the order of their first commit;
// each joins the topic that is most like it or begins one, by what was known when
// it came. So a later session changes nothing about the earlier ones, and a fold
// of the whole ledger ends with the same topics. docs/results.md tells how the
// figures were chosen.
const (
	topicLikeness = 0.1 // what joins a topic is at least so like it, in the usual case
	crowding      = 0.3 // by how much the bar falls with each usual number of topics
	wordShare     = 0.3 // of words, beside vectors, in likeness
	labelTerms    = 3   // terms of a label
	keptTerms     = 400 // terms of a session that are kept, the first ones said
)

// sessionFold is what is gathered of one session.
type sessionFold struct {
	id          string
	first, last time.Time
	notes       int
	speakers    []string
	sum         []float32 // of the vectors of its notes
	vectors     int
	terms       map[string]int // in how many notes
	topic       int
}

func (s *sessionFold) add(n daybook.Note) {
	if s.notes == 0 || n.Time.Before(s.first) {
		s.first = n.Time
	}
	if n.Time.After(s.last) {
		s.last = n.Time
	}
	s.notes++
	if n.Speaker != "" && !slices.Contains(s.speakers, n.Speaker) {
		s.speakers = append(s.speakers, n.Speaker)
	}
	terms := extract.Terms(n.Own().Text)
	slices.Sort(terms)
	for _, t := range slices.Compact(terms) {
		if _, known := s.terms[t]; known || len(s.terms) < keptTerms {
			s.terms[t]++
		}
	}
}

func (s *sessionFold) addVector(v []float32) {
	if s.sum == nil {
		s.sum = make([]float32, len(v))
	}
	for i, x := range v {
		s.sum[i] += x
	}
	s.vectors++
}

// mean is the middle of the session's vectors; nil when it has none.
func (s *sessionFold) mean() []float64 {
	if s.vectors == 0 {
		return nil
	}
	m := make([]float64, len(s.sum))
	for i, x := range s.sum {
		m[i] = float64(x) / float64(s.vectors)
	}
	return m
}

// topicFold is a topic while sessions are folded into it.
type topicFold struct {
	sessions []int
	sum      []float64 // of the means of its sessions
	vectors  int
	terms    map[string]float64
}

// clusters are the sessions of a scope and the topics that they fall into.
type clusters struct {
	sessions []*sessionFold
	byID     map[string]int
	topics   []*topicFold
	folded   int            // sessions that are in a topic
	df       map[string]int // sessions with a term, of those folded
	sum      []float64      // of the means of those folded
	vectors  int
}

func newClusters() *clusters { return &clusters{byID: map[string]int{}, df: map[string]int{}} }

// note files a note under its session. What was folded of a session that goes on
// is folded again.
func (c *clusters) note(n graph.PlacedNote) *sessionFold {
	i, ok := c.byID[n.Session]
	if !ok {
		i = len(c.sessions)
		c.byID[n.Session] = i
		c.sessions = append(c.sessions, &sessionFold{id: n.Session, terms: map[string]int{}})
	}
	if i < c.folded {
		c.topics, c.folded, c.df, c.sum, c.vectors = nil, 0, map[string]int{}, nil, 0
	}
	c.sessions[i].add(n.Note)
	return c.sessions[i]
}

// fold puts the sessions that are in no topic yet into one.
func (c *clusters) fold() {
	for ; c.folded < len(c.sessions); c.folded++ {
		s := c.sessions[c.folded]
		mean := s.mean()
		c.meet(s, mean)
		s.topic = c.nearest(s, mean)
		if s.topic < 0 {
			s.topic = len(c.topics)
			c.topics = append(c.topics, &topicFold{terms: map[string]float64{}})
		}
		c.topics[s.topic].join(c.folded, s, mean)
	}
}

// meet counts a session among those seen.
func (c *clusters) meet(s *sessionFold, mean []float64) {
	for t := range s.terms {
		c.df[t]++
	}
	if mean != nil {
		c.sum = plus(c.sum, mean)
		c.vectors++
	}
}

func (t *topicFold) join(i int, s *sessionFold, mean []float64) {
	t.sessions = append(t.sessions, i)
	for term, n := range s.terms {
		t.terms[term] += math.Log1p(float64(n))
	}
	if mean != nil {
		t.sum = plus(t.sum, mean)
		t.vectors++
	}
}

// nearest is the topic that a session joins, or -1. The bar is higher while there
// are fewer topics than so many sessions should have, about the root of their
// number, and lower while there are more.
func (c *clusters) nearest(s *sessionFold, mean []float64) int {
	usual := 1 + math.Sqrt(1.5*float64(c.folded+1))
	best, at := topicLikeness+crowding*(1-float64(len(c.topics))/usual), -1
	for i, t := range c.topics {
		if l := c.likeness(s, mean, t); l >= best {
			best, at = l, i
		}
	}
	return at
}

// likeness of a session and a topic: of the words that not all sessions have, and
// of the vectors as they lie around the middle of the sessions seen. Without
// vectors words count alone.
func (c *clusters) likeness(s *sessionFold, mean []float64, t *topicFold) float64 {
	words := c.wordLikeness(s, t)
	if mean == nil || t.vectors == 0 || c.vectors < 3 {
		return words
	}
	a, b := make([]float64, len(mean)), make([]float64, len(mean))
	for i := range mean {
		middle := c.sum[i] / float64(c.vectors)
		a[i], b[i] = mean[i]-middle, t.sum[i]/float64(t.vectors)-middle
	}
	return wordShare*words + (1-wordShare)*cosine(a, b)
}

// wordLikeness is the cosine of the terms, weighed by their rarity.
func (c *clusters) wordLikeness(s *sessionFold, t *topicFold) float64 {
	var dot, ss, tt float64
	for _, term := range sorted(s.terms) {
		w := math.Log1p(float64(s.terms[term])) * c.rarity(term)
		ss += w * w
		dot += w * t.terms[term] * c.rarity(term)
	}
	for _, term := range sorted(t.terms) {
		w := t.terms[term] * c.rarity(term)
		tt += w * w
	}
	if ss == 0 || tt == 0 {
		return 0
	}
	return dot / math.Sqrt(ss*tt)
}

// rarity is how much a term tells one session from others.
func (c *clusters) rarity(term string) float64 {
	return math.Log(float64(c.folded+2) / float64(c.df[term]+1))
}

// sorted are the keys of a map in order: sums of floats depend on it.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func plus(sum, x []float64) []float64 {
	if sum == nil {
		sum = make([]float64, len(x))
	}
	for i := range x {
		sum[i] += x[i]
	}
	return sum
}

func cosine(a, b []float64) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}

// label picks the terms that sets of sessions are told apart by: those that occur
// in many notes here and in few sessions elsewhere. Speakers are no terms.
func (c *clusters) label(sessions []int) (terms []string) {
	weight, here, speakers := map[string]float64{}, map[string]int{}, map[string]bool{}
	for _, i := range sessions {
		for t, n := range c.sessions[i].terms {
			weight[t] += math.Sqrt(float64(n)) - 0.6 // said once is said in passing
			here[t]++
		}
	}
	for _, s := range c.sessions {
		for _, sp := range s.speakers {
			speakers[daybook.Fold(sp)] = true
		}
	}
	score := func(t string) float64 {
		return weight[t] * math.Sqrt(float64(here[t])) * math.Log(float64(len(c.sessions)+1)/float64(c.df[t]-here[t]+1)) * float64(here[t]) / float64(c.df[t])
	}
	for t := range weight {
		if !speakers[daybook.Fold(t)] {
			terms = append(terms, t)
		}
	}
	slices.SortFunc(terms, func(a, b string) int { return cmp.Or(cmp.Compare(score(b), score(a)), strings.Compare(a, b)) })
	return terms[:min(len(terms), labelTerms)]
}
