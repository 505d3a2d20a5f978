package main

import (
	"fmt"
	"math"
	"slices"

	"daybook"
	"daybook/extract"
	"daybook/tools/newton"
)

// example is a pair of statements of one speaker with whether they are of one state.
type example struct {
	a, b    int
	signals []float64
	same    bool
}

// examples are the pairs of all speakers that the engine would judge.
func examples(all []speaker) (out []example) {
	for _, s := range all {
		out = append(out, s.pairs()...)
	}
	return out
}

// neighbours is how many of the nearest the engine looks at.
const neighbours = 32

// pairs lists the pairs of statements that are among each other's nearest.
func (s speaker) pairs() (out []example) {
	around := make([]map[int]extract.Standing, len(s.said))
	for i := range s.said {
		around[i] = s.standings(i)
	}
	for i := range s.said {
		for j := range i {
			x, near := around[i][j]
			y, too := around[j][i]
			if !near || !too {
				continue
			}
			a, b := s.said[i], s.said[j]
			out = append(out, example{j, i, extract.PairSignals(a.Stated, b.Stated, x, y), a.state >= 0 && a.state == b.state})
		}
	}
	return out
}

// standings is how the nearest rivals of a statement stand to it.
func (s speaker) standings(i int) map[int]extract.Standing {
	type rival struct {
		at   int
		like float64
	}
	var near []rival
	for j := range s.said {
		if j == i || daybook.Fold(s.said[i].Object) == daybook.Fold(s.said[j].Object) {
			continue
		}
		if like := extract.Likeness(s.said[i].Variable, s.said[j].Variable); like > extract.CrowdFloor {
			near = append(near, rival{j, like})
		}
	}
	slices.SortFunc(near, func(a, b rival) int { return int(math.Copysign(1, b.like-a.like)) })
	near = near[:min(len(near), neighbours)]
	likes := extract.Strangers(s.said[i].Variable)[:max(0, extract.StrangerCount-len(s.said))]
	ranks := map[string]int{}
	out := map[int]extract.Standing{}
	for _, r := range near {
		value := daybook.Fold(s.said[r.at].Object)
		if _, seen := ranks[value]; !seen {
			ranks[value] = len(ranks)
			likes = append(likes, r.like)
		}
		out[r.at] = extract.Standing{Rank: ranks[value]}
	}
	crowd := extract.CrowdOf(likes)
	for at, st := range out {
		st.Crowd = crowd
		out[at] = st
	}
	return out
}

// fit weighs the signals of pairs.
func fit(all []example) newton.Judge {
	var out []newton.Example
	for _, e := range all {
		out = append(out, newton.Example{Signals: e.signals, Yes: e.same})
	}
	return newton.Fit(out, 1, 30)
}

// report prints what each threshold would give: how many changes of state are seen
// and how many statements that hold would be closed by something else.
func report(w newton.Judge, all []speaker) {
	fmt.Printf("%9s %9s %9s %9s\n", "threshold", "changes", "standing", "in talk")
	for _, t := range []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		var changes, seen, held, closed, talk, talked int
		for _, s := range all {
			over := map[[2]int]bool{}
			shut := map[int]bool{}
			for _, e := range s.pairs() {
				if w.Chance(e.signals) < t {
					continue
				}
				over[[2]int{e.a, e.b}] = true
				if !e.same {
					shut[e.a] = true // the later of two closes the earlier, whoever is right
				}
			}
			changes += s.changes
			seen += s.seen(over)
			for i, x := range s.said {
				if x.state >= 0 {
					held++
					closed += count(shut[i])
				} else {
					talk++
					talked += count(shut[i])
				}
			}
		}
		fmt.Printf("%9.2f %9.3f %9.4f %9.4f\n", t, ratio(seen, changes), ratio(closed, held), ratio(talked, talk))
	}
}

// seen counts the changes of state that the pairs over a threshold tell.
func (s speaker) seen(over map[[2]int]bool) (n int) {
	for i, a := range s.said {
		for j := range i {
			b := s.said[j]
			if a.state >= 0 && a.state == b.state && a.order == b.order+1 && over[[2]int{j, i}] {
				n++
			}
		}
	}
	return n
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
