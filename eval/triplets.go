package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"daybook"
)

// personaBench measures an extractor on utterances of one person.
func personaBench(ctx context.Context, path string, env Env) (ComponentReport, error) {
	said, hash, err := LoadPersonaExt(path)
	if err != nil {
		return ComponentReport{}, err
	}
	if env.Extract == nil {
		return ComponentReport{}, missingPart("personaext", "extractor of facts")
	}
	said = said[:env.limited(len(said))]
	found := make([][]Triplet, len(said))
	for i, u := range said {
		if found[i], err = env.Extract(ctx, u.Text); err != nil {
			return ComponentReport{}, fmt.Errorf("utterance %d: %w", i+1, err)
		}
		env.told(i+1, len(said))
	}
	r := ComponentReport{Name: "personaext", Hash: hash, Part: "extractor", Cases: len(said)}
	r.triplets(said, found, env.Seed)
	return r, nil
}

// Matched counts what an extractor found: in Right those that are gold.
type Matched struct{ Right, Found, Gold int }

// Precision is the share of what was found that is right; 0 for nothing found.
func (m Matched) Precision() float64 { return float64(m.Right) / float64(max(1, m.Found)) }

// Recall is the share of the gold that was found.
func (m Matched) Recall() float64 { return float64(m.Right) / float64(max(1, m.Gold)) }

// F1 is their harmonic mean.
func (m Matched) F1() float64 { return harmonic(m.Right, m.Found, m.Gold) }

func (m Matched) plus(n Matched) Matched {
	return Matched{m.Right + n.Right, m.Found + n.Found, m.Gold + n.Gold}
}

// MatchTriplets pairs what was found in one utterance with the gold, each at most
// once, the best likeness first. Two triplets match when the relation that was
// found may mean that of the gold (Means) and their heads and tails share at least
// half of their words (F1). It returns the number of the gold triplet for each
// found one, -1 for none.
func MatchTriplets(gold, found []Triplet) []int {
	type pair struct {
		f, g     int
		likeness float64
	}
	var pairs []pair
	for f, got := range found {
		for g, want := range gold {
			head, tail := TokenF1(headWords(got.Head), headWords(want.Head)), TokenF1(AnswerTokens(got.Tail), AnswerTokens(want.Tail))
			if Means(got.Relation, want.Relation) && head >= 0.5 && tail >= 0.5 {
				pairs = append(pairs, pair{f, g, head + tail})
			}
		}
	}
	daybook.Sort(pairs, func(a, b pair) int { return cmp.Compare(b.likeness, a.likeness) })
	matched, taken := make([]int, len(found)), map[int]bool{}
	for i := range matched {
		matched[i] = -1
	}
	for _, p := range pairs {
		if matched[p.f] < 0 && !taken[p.g] {
			matched[p.f], taken[p.g] = p.g, true
		}
	}
	return matched
}

// firstPerson are the words by which speakers mean themselves, and the names that
// an extractor may give a speaker who has none.
var firstPerson = set(strings.Fields("i im ive me my mine myself we us our ours user speaker self"))

// headWords are the words of a head; all words for the speaker are one.
func headWords(head string) []string {
	words := AnswerTokens(head)
	for i, w := range words {
		if firstPerson[w] {
			words[i] = "i"
		}
	}
	return slices.Compact(words)
}

// triplets adds precision, recall and F1 with intervals over utterances, and the
// counts of each label and of each relation that was found.
func (r *ComponentReport) triplets(said []Utterance, found [][]Triplet, seed uint64) {
	each, labels, ours := make([]Matched, len(said)), map[string]Matched{}, map[string]Matched{}
	for i, u := range said {
		matched := MatchTriplets(u.Triplets, found[i])
		each[i] = Matched{Found: len(found[i]), Gold: len(u.Triplets)}
		for _, g := range u.Triplets {
			labels[g.Relation] = labels[g.Relation].plus(Matched{Gold: 1})
		}
		for f, g := range matched {
			name := found[i][f].Relation
			ours[name] = ours[name].plus(Matched{Right: oneInt(g >= 0), Found: 1})
			if g >= 0 {
				each[i].Right++
				label := u.Triplets[g].Relation
				labels[label] = labels[label].plus(Matched{Right: 1})
			}
		}
	}
	for _, m := range []struct {
		name string
		of   func(Matched) float64
	}{{"precision", Matched.Precision}, {"recall", Matched.Recall}, {"F1", Matched.F1}} {
		r.Metrics = append(r.Metrics, ComponentMetric{m.name, BootstrapOf(len(each), seed, func(cases []int) float64 {
			var sum Matched
			for _, c := range cases {
				sum = sum.plus(each[c])
			}
			return m.of(sum)
		})})
	}
	r.Tables = append(r.Tables, labelTable(labels), foundTable(ours))
}

// labelTable lists the labels of the gold, the most frequent first.
func labelTable(labels map[string]Matched) Table {
	t := Table{Title: "by label", Rows: [][]string{{"label", "gold", "right", "recall"}}}
	for _, name := range most(labels, func(m Matched) int { return m.Gold }) {
		m := labels[name]
		t.Rows = append(t.Rows, []string{name, itoa(m.Gold), itoa(m.Right), figure(m.Recall())})
	}
	return t
}

// shownRelations is how many of the relations that were found a table names; an
// open vocabulary has a long tail.
const shownRelations = 40

// foundTable lists the relations that were found, the most frequent first.
func foundTable(ours map[string]Matched) Table {
	t := Table{Title: "by relation found", Rows: [][]string{{"relation", "found", "right", "precision"}}}
	names := most(ours, func(m Matched) int { return m.Found })
	var rest Matched
	for i, name := range names {
		m := ours[name]
		if i >= shownRelations {
			rest = rest.plus(m)
			continue
		}
		t.Rows = append(t.Rows, []string{name, itoa(m.Found), itoa(m.Right), figure(m.Precision())})
	}
	if n := len(names) - shownRelations; n > 0 {
		t.Rows = append(t.Rows, []string{itoa(n) + " others", itoa(rest.Found), itoa(rest.Right), figure(rest.Precision())})
	}
	return t
}

// most sorts names by a count, the largest first.
func most(counts map[string]Matched, of func(Matched) int) []string {
	names := sortedKeys(counts)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(of(counts[b]), of(counts[a])) })
	return names
}
