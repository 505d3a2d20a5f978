package answer

import (
	"math"
	"slices"

	"daybook/extract"
)

// groupCount is how many signals the judge of groups has.
const groupCount = 12

// inGroup is how likely a claim must be of the asked state to take part in deciding
// what holds; lateGroup is the same for one that is later than all of these: to miss an
// update does more harm. One that is likelier than mayBeGroup only labels, to be safe: an
// older one is likely superseded, and by a later one that is more like the state than like
// anything outside, or likelier than mayFollow, what holds is possibly superseded.
// tools/questions prints recall and precision at each; mayFollow was chosen with a look at
// GHOST dev, where five in two hundred rows that hold are labelled for two that do not.
const (
	inGroup    = 0.5
	lateGroup  = 0.45
	mayBeGroup = 0.1
	mayFollow  = 0.2
)

// fewOthers is how many claims of other states there must be for what is likest to the
// asked one to stand out.
const fewOthers = 4

// inCore is how likely a claim must be of the state of the likeliest one for others to be
// told by it, too. What is less sure brings nothing along: else a statement of a state
// beside the asked one would bring in all of that one's.
const inCore = 0.8

// grouping says how likely each claim is of the state of the likeliest one. A claim
// is compared with the core of the group, those that surely are of that state; what is
// more like a claim outside of the core is rather of that one's state.
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
	core := []int{top}
	for range 2 {
		kin.gather(core)
		for i, c := range all {
			switch {
			case i == top || c.named && all[top].named:
				c.group = 1
			case extract.Apart(r.q.State, c.State()):
				c.group = 0
			default:
				x := kin.signals(r.q, i, core)
				c.group, c.nearest = groupChance(x), x[signalAway] >= 0
			}
		}
		core = core[:1]
		for i, c := range all {
			if i != top && c.group >= inCore {
				core = append(core, i)
			}
		}
	}
	for _, c := range all {
		if c.group < mayBeGroup {
			r.others++
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

// kin are claims with how alike the states are that each two of them speak of. That is
// worked out for the claims that are asked about: of a subject of whom much is known most
// are of the state by their names.
type kin struct {
	all    []*told
	crowd  []float64   // how crowded it is around each
	inCore []bool      // see gather
	like   [][]float64 // of a claim to each; nil while nobody asked
	beyond [][]float64 // the same, beyond what is usual around the two
}

func kinOf(all []*told) *kin {
	k := &kin{all: all, crowd: make([]float64, len(all)), inCore: make([]bool, len(all)), like: make([][]float64, len(all)), beyond: make([][]float64, len(all))}
	known := map[*float32]*float64{} // many may have the variable of the question
	for i, c := range all {
		if len(c.Variable) == 0 {
			continue
		}
		of := &c.Variable[0]
		if known[of] == nil {
			known[of] = c.crowdAround()
		}
		c.crowd = known[of]
		k.crowd[i] = *c.crowd
	}
	return k
}

// crowdAround is how crowded it is around the variable of a claim.
func (c *Claim) crowdAround() *float64 {
	if c.crowd != nil {
		return c.crowd
	}
	crowd := extract.Crowd(c.Variable)
	return &crowd
}

// gather says which claims the core of the group are.
func (k *kin) gather(core []int) {
	clear(k.inCore)
	for _, m := range core {
		k.inCore[m] = true
	}
}

// compare works out how alike a claim is to each.
func (k *kin) compare(c int) {
	if k.like[c] != nil {
		return
	}
	k.like[c], k.beyond[c] = make([]float64, len(k.all)), make([]float64, len(k.all))
	for m, o := range k.all {
		if m != c {
			k.like[c][m] = Likeness(k.all[c].Variable, o.Variable)
			k.beyond[c][m] = k.like[c][m] - (k.crowd[c]+k.crowd[m])/2
		}
	}
}

// leastAway is how alike a claim is at least taken to be to something outside.
const leastAway = -0.5

// signalAway is the number of the signal that says by how much a claim is more like
// the group than anything outside.
const signalAway = 4

// signals are what the judge of groups looks at: see group_signals in
// tools/questions. The core is the one that was gathered.
func (k *kin) signals(q *Question, c int, core []int) [groupCount]float64 {
	k.compare(c)
	tie, away, sum, n := core[0], leastAway, 0.0, 0
	for _, m := range core {
		if m == c {
			continue
		}
		if sum, n = sum+k.beyond[c][m], n+1; tie == c || k.beyond[c][m] > k.beyond[c][tie] {
			tie = m
		}
	}
	if n == 0 {
		sum, n = k.beyond[c][tie], 1
	}
	for m := range k.all {
		if m != c && !k.inCore[m] {
			away = max(away, k.beyond[c][m])
		}
	}
	a, b := k.all[c], k.all[tie]
	strange := k.strange(q, a, core)
	return [groupCount]float64{
		logOdds(a.match), logOdds(k.all[core[0]].match), k.like[c][tie], k.beyond[c][tie], k.beyond[c][tie] - away, overlap(a.Words, b.Words),
		real(a.Type == b.Type), real(a.Changed) + real(b.Changed), real(!compatible(a.Claim, b.Claim)),
		sum / float64(n), real(strange), real(strange && a.Unique),
	}
}

// strange reports whether a claim calls something the speaker's ("my credit card") that
// neither the question nor the core speaks of.
func (k *kin) strange(q *Question, c *told, core []int) bool {
	return len(c.Things) > 0 && !slices.ContainsFunc(c.Things, func(thing string) bool {
		return slices.Contains(q.Words, thing) || slices.ContainsFunc(core, func(m int) bool {
			return slices.Contains(k.all[m].Words, thing) || slices.Contains(k.all[m].Things, thing)
		})
	})
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
