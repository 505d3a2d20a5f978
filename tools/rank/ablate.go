package main

import (
	"fmt"
	"slices"
	"strings"

	"daybook/recall"
)

// groups are signals that stand or fall together.
var groups = []struct {
	name    string
	signals []recall.Signal
}{
	{"nothing", nil},
	{"dense content", []recall.Signal{recall.Dense, recall.DenseRank}},
	{"dense latent", []recall.Signal{recall.LatentLike}},
	{"window around a note", []recall.Signal{recall.Window, recall.WindowRank, recall.WindowCover}},
	{"statement and topic", []recall.Signal{recall.Statement, recall.Topic}},
	{"feedback", []recall.Signal{recall.Feedback}},
	{"session", []recall.Signal{recall.SessionBest}},
	{"speaker", []recall.Signal{recall.OtherSpeaker, recall.FirstPerson, recall.SecondPerson}},
	{"time", []recall.Signal{recall.SaidWhen, recall.InWindow, recall.SpeaksOf}},
	{"kind of note", []recall.Signal{recall.FirstPast, recall.AsksBack, recall.Answers, recall.Image, recall.Opening, recall.Specific, recall.Length}},
	{"recency", []recall.Signal{recall.Recent}},
	{"importance", []recall.Signal{recall.Important}},
	{"things asked at once", []recall.Signal{recall.Parted}},
	{"words of the best", []recall.Signal{recall.Related}},
	{"routes", []recall.Signal{recall.Routed}},
	{"what an assistant is asked (instructions, preferences, what it said)", []recall.Signal{recall.Instructs, recall.Prefers, recall.Told, recall.Replies}},
}

// legs are ways of finding candidates, alone or together. What only they found is
// left out; what others found, too, keeps its signals.
var legs = [][]string{
	{"dense"}, {"latent"}, {"words"}, {"window"}, {"words", "window"}, {"time"}, {"neighbour"}, {"part"}, {"entity"}, {"hop"}, {"route"}, {"link"},
	{"entity", "hop", "route", "link"},
}

// ablate fits without each group of signals and without each leg in turn, and prints
// what is left on conversations that were not fitted to.
func (f fitter) ablate(lists []list) {
	fmt.Println("| without | R@5 | R@10 | R@20 | MRR | multi-hop@10 | temporal@10 | BEAM R@10 |\n|---|---|---|---|---|---|---|---|")
	for _, g := range groups {
		some := f
		some.without = g.signals
		some.ablated(g.name, lists)
	}
	for _, names := range legs {
		some := make([]list, len(lists))
		for i, l := range lists {
			some[i] = l.withoutLegs(names)
		}
		f.ablated("leg: "+strings.Join(names, " and "), some)
	}
}

// ablated prints a line of the table.
func (f fitter) ablated(name string, lists []list) {
	orders := f.leaveOut(lists)
	sums := measure(lists, func(l list) []int { return orders[l.ID] })
	all := sums["locomo"]
	fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, all.mean(all.r5), all.mean(all.r10), all.mean(all.r20), all.mean(all.mrr),
		sums.at10("locomo multi-hop"), sums.at10("locomo temporal"), sums.at10("beam"))
}

// withoutLegs leaves out the candidates that no other leg found.
func (l list) withoutLegs(names []string) list {
	some := l
	some.Signals, some.IsGold, some.Legs = nil, nil, nil
	for i, found := range l.Legs {
		if slices.ContainsFunc(found, func(leg string) bool { return !slices.Contains(names, leg) }) {
			some.Signals, some.IsGold, some.Legs = append(some.Signals, l.Signals[i]), append(some.IsGold, l.IsGold[i]), append(some.Legs, found)
		}
	}
	return some
}
