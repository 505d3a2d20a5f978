package main

import (
	"fmt"

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
	{"BM25 of the note", []recall.Signal{recall.WordsRank}},
	{"window around a note", []recall.Signal{recall.Window, recall.WindowRank, recall.WindowCover}},
	{"best passage", []recall.Signal{recall.Passage}},
	{"statement and topic", []recall.Signal{recall.Statement, recall.Topic}},
	{"feedback", []recall.Signal{recall.Feedback}},
	{"neighbours", []recall.Signal{recall.Around}},
	{"session", []recall.Signal{recall.SessionBest}},
	{"speaker", []recall.Signal{recall.OtherSpeaker, recall.FirstPerson, recall.SecondPerson}},
	{"time", []recall.Signal{recall.SaidWhen, recall.InWindow, recall.SpeaksOf}},
	{"kind of note", []recall.Signal{recall.FirstPast, recall.AsksBack, recall.Answers, recall.Image, recall.Opening, recall.Specific, recall.Length}},
	{"recency", []recall.Signal{recall.Recent}},
	{"weights of their own with an assistant", nil},
}

// ablate fits without each group in turn, and prints what is left on conversations
// that were not fitted to.
func (f fitter) ablate(lists []list) {
	fmt.Println("| without | R@5 | R@10 | R@20 | MRR | multi-hop@10 | temporal@10 | BEAM R@10 |\n|---|---|---|---|---|---|---|---|")
	for i, g := range groups {
		some := f
		some.without = g.signals
		if i == len(groups)-1 {
			some.assistedDecay = held
		}
		orders := some.leaveOut(lists)
		sums := measure(lists, func(l list) []int { return orders[l.ID] })
		all := sums["locomo"]
		fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", g.name, all.mean(all.r5), all.mean(all.r10), all.mean(all.r20), all.mean(all.mrr),
			sums.at10("locomo multi-hop"), sums.at10("locomo temporal"), sums.at10("beam"))
	}
}
