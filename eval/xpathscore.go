package eval

import (
	"encoding/json"
	"errors"
	"io"
	"slices"

	"daybook"
)

// XPathWanted is a request of the Semantic XPath gold set with the nodes that
// answer it. A turn of a script is one too, with the id "SCRIPT#TURN".
type XPathWanted struct {
	ID, Tree, Kind, Op string
	Gold               []string
	Acceptable         []string // count neither way
	NeedsSemantics     bool
}

// XPathResult is what a query gave: a line of the file that the gold set's
// score.py reads.
type XPathResult struct {
	ID    string     `json:"id"`
	Nodes []XPathHit `json:"nodes"`
}

// XPathHit is a node and its weight, written as ["node", weight].
type XPathHit struct {
	ID     string
	Weight float64
}

// MarshalJSON writes the pair.
func (n XPathHit) MarshalJSON() ([]byte, error) { return json.Marshal([]any{n.ID, n.Weight}) }

// UnmarshalJSON reads the pair.
func (n *XPathHit) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New(`a node is a pair ["id", weight]`)
	}
	return errors.Join(json.Unmarshal(pair[0], &n.ID), json.Unmarshal(pair[1], &n.Weight))
}

// WriteXPathResults writes one result a line.
func WriteXPathResults(w io.Writer, results []XPathResult) error {
	return writeRows(w, results, func(r *XPathResult) {
		if r.Nodes == nil {
			r.Nodes = []XPathHit{}
		}
	})
}

// XPathReport are the means per group: "all", "kind K", "tree T", "op O",
// "semantics yes" and "semantics no".
type XPathReport struct {
	Groups      map[string]Aggregate
	Missing     int // requests without a result; they score 0
	Unknown     int // results for no request
	PerQuestion map[string]Scores
}

// Aggregate is the mean of each metric over the questions that it applies to.
type Aggregate struct {
	N     int // questions
	Means Scores
}

// ScoreXPath scores results as the gold set's score.py does. With a nil threshold
// every node with a weight above 0 counts as returned. A request without gold
// nodes and two results for one request are Invalid.
func ScoreXPath(gold []XPathWanted, results []XPathResult, threshold *float64) (XPathReport, error) {
	nodes := map[string][]XPathHit{}
	for _, r := range results {
		if _, twice := nodes[r.ID]; twice {
			return XPathReport{}, daybook.Errorf(daybook.Invalid, "two results for %s", r.ID)
		}
		nodes[r.ID] = r.Nodes
	}
	report := XPathReport{PerQuestion: map[string]Scores{}}
	groups, known := tally{}, map[string]bool{}
	for _, g := range gold {
		if len(g.Gold) == 0 {
			return XPathReport{}, daybook.Errorf(daybook.Invalid, "request %s has no gold nodes", g.ID)
		}
		if _, ok := nodes[g.ID]; !ok {
			report.Missing++
		}
		known[g.ID] = true
		s := scoreXPath(g, nodes[g.ID], threshold)
		report.PerQuestion[g.ID] = s
		semantics := "semantics no"
		if g.NeedsSemantics {
			semantics = "semantics yes"
		}
		groups.add(s, "all", "kind "+g.Kind, "tree "+g.Tree, "op "+g.Op, semantics)
	}
	for id := range nodes {
		if !known[id] {
			report.Unknown++
		}
	}
	report.Groups = groups.means()
	return report, nil
}

// scoreXPath measures one result, with k the number of gold nodes and acceptable
// nodes taken out first:
//
//	P@k      share of the first k that are gold; too few returned counts as wrong
//	R@k      share of the gold in the first k
//	R@all    share of the gold anywhere
//	exact    1 when what is returned, by the threshold, is the gold set
//	exact@k  1 when the first k are the gold set
//	MRR      1 / rank of the first gold node
func scoreXPath(g XPathWanted, nodes []XPathHit, threshold *float64) Scores {
	gold := set(g.Gold)
	k := float64(len(gold))
	s := Scores{"MRR": 0}
	hits, all, kept, keptGold := 0, 0, 0, 0
	for i, n := range neutralOut(nodes, g.Acceptable) {
		isGold := gold[n.ID]
		if isGold {
			if all++; all == 1 {
				s["MRR"] = 1 / float64(i+1)
			}
			if i < len(gold) {
				hits++
			}
		}
		if threshold == nil && n.Weight > 0 || threshold != nil && n.Weight >= *threshold {
			kept++
			keptGold += int(one(isGold))
		}
	}
	// Nodes are distinct here, so counting is comparing sets.
	s["P@k"], s["R@k"], s["R@all"] = float64(hits)/k, float64(hits)/k, float64(all)/k
	s["exact"] = one(kept == len(gold) && keptGold == kept)
	s["exact@k"] = one(hits == len(gold))
	return s
}

// neutralOut ranks nodes by weight, ties as given, each once, without the
// neutral ones.
func neutralOut(nodes []XPathHit, neutral []string) []XPathHit {
	sorted := slices.Clone(nodes)
	daybook.Sort(sorted, func(a, b XPathHit) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return 0
	})
	skip := set(neutral)
	return slices.DeleteFunc(sorted, func(n XPathHit) bool {
		gone := skip[n.ID]
		skip[n.ID] = true
		return gone
	})
}

// tally gathers scores per group, in the order in which they come.
type tally map[string]*gathered

type gathered struct {
	n      int
	values map[string][]float64
}

func (t tally) add(s Scores, groups ...string) {
	for _, g := range groups {
		if t[g] == nil {
			t[g] = &gathered{values: map[string][]float64{}}
		}
		t[g].n++
		for name, v := range s {
			t[g].values[name] = append(t[g].values[name], v)
		}
	}
}

func (t tally) means() map[string]Aggregate {
	out := make(map[string]Aggregate, len(t))
	for name, g := range t {
		out[name] = Aggregate{N: g.n, Means: Scores{}}
		for metric, values := range g.values {
			out[name].Means[metric] = mean(values)
		}
	}
	return out
}
