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
	r.triplets(said, found, env)
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
// once, the best likeness first. Two triplets match when their relations have
// the same canonical name and their heads and tails share at least half of their
// words (F1). It returns the number of the gold triplet for each found one, -1
// for none.
func MatchTriplets(gold, found []Triplet, canonical func(string) string) []int {
	type pair struct {
		f, g     int
		likeness float64
	}
	var pairs []pair
	for f, got := range found {
		for g, want := range gold {
			head, tail := TokenF1(headWords(got.Head), headWords(want.Head)), TokenF1(AnswerTokens(got.Tail), AnswerTokens(want.Tail))
			if canonical(got.Relation) == canonical(want.Relation) && head >= 0.5 && tail >= 0.5 {
				pairs = append(pairs, pair{f, g, head + tail})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.likeness, a.likeness) })
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

// CanonicalRelation is the name under which relations are compared. PersonaExt
// names what a thing is as part of the relation (like_food, like_drink); here a
// relation is what holds between two things, and what they are shows in them.
func CanonicalRelation(relation string) string {
	r := daybook.FoldRelation(relation)
	if c, ok := canonicalRelations[r]; ok {
		return c
	}
	for _, family := range []struct{ prefix, name string }{
		{"like", "likes"}, {"love", "likes"}, {"enjoy", "likes"}, {"dislike", "dislikes"}, {"hate", "dislikes"}, {"favorite", "favourite"}, {"favourite", "favourite"},
	} {
		if strings.HasPrefix(r, family.prefix) {
			return family.name
		}
	}
	return r
}

// canonicalRelations are names of the same relation. The left side has the names
// of PersonaExt and those that people use.
var canonicalRelations = map[string]string{
	"live_in_citystatecountry": "lives_in", "live_in_general": "lives_in", "lives_at": "lives_in", "live_in": "lives_in", "resides_in": "lives_in",
	"employed_by_company": "works_at", "employed_by_general": "works_as", "works_for": "works_at", "employer": "works_at",
	"occupation": "works_as", "job_title": "works_as", "job": "works_as", "pre_employed_by_company": "worked_at",
	"have_pet": "has_pet", "owns_pet": "has_pet", "have_vehicle": "has_vehicle", "own": "owns", "have": "owns", "has": "owns",
	"have_family": "has_family", "have_chidren": "has_child", "have_children": "has_child", "has_children": "has_child",
	"have_sibling": "has_sibling", "have_no_sibling": "has_no_sibling", "have_no_children": "has_no_child", "have_no_family": "has_no_family", "have_no": "has_no",
	"attend_school": "attends", "studies_at": "attends", "school_status": "school_status", "want_job": "wants_job", "has_degree": "has_degree",
	"has_ability": "can", "physical_attribute": "has_attribute", "marital_status": "marital_status", "relationship_status": "marital_status", "relationship": "marital_status",
	"member_of": "member_of", "do_not_eat": "does_not_eat", "do_not_drink": "does_not_drink", "do_not_do": "does_not_do",
	"health_status": "health", "job_status": "job_status", "belief": "believes_in",
}

// triplets adds precision, recall and F1 with intervals over utterances, and the
// counts of each relation.
func (r *ComponentReport) triplets(said []Utterance, found [][]Triplet, env Env) {
	canonical := env.Canonical
	if canonical == nil {
		canonical = CanonicalRelation
	}
	each, relations := make([]Matched, len(said)), map[string]Matched{}
	for i, u := range said {
		matched := MatchTriplets(u.Triplets, found[i], canonical)
		each[i] = Matched{Found: len(found[i]), Gold: len(u.Triplets)}
		for _, g := range u.Triplets {
			relations[canonical(g.Relation)] = relations[canonical(g.Relation)].plus(Matched{Gold: 1})
		}
		for f, g := range matched {
			right := oneInt(g >= 0)
			each[i].Right += right
			name := canonical(found[i][f].Relation)
			relations[name] = relations[name].plus(Matched{Right: right, Found: 1})
		}
	}
	for _, m := range []struct {
		name string
		of   func(Matched) float64
	}{{"precision", Matched.Precision}, {"recall", Matched.Recall}, {"F1", Matched.F1}} {
		r.Metrics = append(r.Metrics, ComponentMetric{m.name, BootstrapOf(len(each), env.Seed, func(cases []int) float64 {
			var sum Matched
			for _, c := range cases {
				sum = sum.plus(each[c])
			}
			return m.of(sum)
		})})
	}
	r.Tables = append(r.Tables, relationTable(relations))
}

// relationTable lists relations, the most frequent in the gold first.
func relationTable(relations map[string]Matched) Table {
	names := sortedKeys(relations)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(relations[b].Gold, relations[a].Gold) })
	t := Table{Title: "by relation", Rows: [][]string{{"relation", "gold", "found", "right", "P", "R", "F1"}}}
	for _, name := range names {
		m := relations[name]
		t.Rows = append(t.Rows, []string{name, itoa(m.Gold), itoa(m.Found), itoa(m.Right), figure(m.Precision()), figure(m.Recall()), figure(m.F1())})
	}
	return t
}
