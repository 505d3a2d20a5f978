package answer

import (
	"math"
	"slices"

	"daybook/extract"
)

// groupCount is how many signals the judge of groups has.
const groupCount = 9

// inGroup is how likely a claim must be of the asked state to take part in deciding
// what holds; lateGroup is the same for one that is later than all of these: to miss an
// update does more harm. One that is likelier than mayBeGroup only labels, to be safe: an
// older one is likely superseded, and by a later one that is more like the state than like
// anything outside, what holds is possibly superseded. tools/questions prints recall
// and precision at each.
const (
	inGroup    = 0.5
	lateGroup  = 0.45
	mayBeGroup = 0.1
)

// grouping says how likely each claim is of the state of the likeliest one. A claim
// is tied to the member of the group that it is most like; what is more like a claim
// outside of the group is rather of that one's state.
func (r *resolver) grouping() {
	var all []*told
	for i := range r.claims {
		if c := &r.claims[i]; c.Variable != nil {
			all = append(all, c)
		}
	}
	top := likeliest(all)
	if top < 0 {
		return
	}
	defer r.follow()
	r.match = all[top].match
	kin := kinOf(all)
	members := []int{top}
	for range 2 {
		for i, c := range all {
			x := kin.signals(i, members)
			c.group, c.nearest = groupChance(x), x[signalAway] >= 0
			switch {
			case i == top || c.named && all[top].named:
				c.group = 1
			case extract.Apart(r.q.State, c.State()):
				c.group = 0
			}
		}
		members = members[:1]
		for i, c := range all {
			if i != top && c.group >= inGroup {
				members = append(members, i)
			}
		}
	}
}

// follow takes what the ledger says took the place of one of the state into it.
func (r *resolver) follow() {
	for i := range r.claims {
		if c := &r.claims[i]; c.follows && c.asserted() && !extract.Apart(r.q.State, c.State()) {
			c.group = max(c.group, inGroup)
		}
	}
}

// likeliest is the assertion that most likely tells what is asked, or -1.
func likeliest(all []*told) (top int) {
	top = -1
	for i, c := range all {
		if c.asserted() && (top < 0 || c.match > all[top].match) {
			top = i
		}
	}
	return top
}

// kin are claims with how alike the states are that each two of them speak of.
type kin struct {
	all    []*told
	like   [][]float64
	beyond [][]float64 // the same, beyond what is usual around the two
}

func kinOf(all []*told) *kin {
	k := &kin{all: all, like: make([][]float64, len(all)), beyond: make([][]float64, len(all))}
	crowd := make([]float64, len(all))
	for i, c := range all {
		k.like[i], k.beyond[i], crowd[i] = make([]float64, len(all)), make([]float64, len(all)), extract.Crowd(c.Variable)
		for j := range i {
			like := Likeness(c.Variable, all[j].Variable)
			k.like[i][j], k.like[j][i] = like, like
			k.beyond[i][j], k.beyond[j][i] = like-(crowd[i]+crowd[j])/2, like-(crowd[i]+crowd[j])/2
		}
	}
	return k
}

// leastAway is how alike a claim is at least taken to be to something outside.
const leastAway = -0.5

// signalAway is the number of the signal that says by how much a claim is more like
// the group than anything outside.
const signalAway = 4

// signals are what the judge of groups looks at: see group_signals in
// tools/questions.
func (k *kin) signals(c int, members []int) [groupCount]float64 {
	tie, away := members[0], leastAway
	for _, m := range members {
		if m != c && (tie == c || k.beyond[c][m] > k.beyond[c][tie]) {
			tie = m
		}
	}
	for m := range k.all {
		if m != c && !slices.Contains(members, m) {
			away = max(away, k.beyond[c][m])
		}
	}
	a, b := k.all[c], k.all[tie]
	return [groupCount]float64{
		logOdds(a.match), logOdds(k.all[members[0]].match), k.like[c][tie], k.beyond[c][tie], k.beyond[c][tie] - away, overlap(a.Words, b.Words),
		real(a.Type == b.Type), real(a.Changed) + real(b.Changed), real(!compatible(a.Claim, b.Claim)),
	}
}

// groupChance is how likely a claim with these signals is of the state.
func groupChance(x [groupCount]float64) float64 {
	m := fitted()
	return logistic(m.GroupBias, m.Group[:], x[:])
}

// logOdds of a likelihood, within bounds.
func logOdds(p float64) float64 {
	p = min(max(p, 1e-4), 1-1e-4)
	return min(max(math.Log(p/(1-p)), -6), 6)
}

// overlap is the share of the shorter list's words that the other has.
func overlap(a, b []string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	return sharedWords(a, b)
}

// compatible reports whether two values can be of one state by their form: a sum of
// money and a name cannot.
func compatible(a, b *Claim) bool { return formOf(a.Type) == formOf(b.Type) }

func formOf(t extract.Type) int {
	switch t {
	case extract.Money:
		return 1
	case extract.Number, extract.When:
		return 2
	}
	return 3
}
