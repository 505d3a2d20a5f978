package answer

import (
	"cmp"
	"math"
	"slices"

	"daybook"
)

// The signals of the judge of whether the rows hold an answer, by number: its weights
// are in this order. Those of a state are 0 where none is asked for.
const (
	signalKnown = iota // how likely the asked state is known
	signalOwn          // how much of what is asked the one who is asked about said
	signalOwnSquared
	signalTop          // score of the first row
	signalGap          // by how much it is above row gapRow
	signalState        // whether a state is asked for
	signalStateKnown   // signalKnown of a state
	signalStateOwn     // signalOwn of a state
	signalStateTop     // signalTop of a state
	signalAnswers      // how surely a pointer takes a row for an answer
	signalBest         // how surely it points at words of one
	signalStateAnswers // signalAnswers of a state
	signalStateBest    // signalBest of a state
	holdSignals        // how many there are
)

// gapRow is the row that the first one is compared with.
const gapRow = 4

// HoldSignals are what tells whether the rows of a packet answer a question: whether
// a state is known, how much of what is asked the one who is asked about said, and
// how the first row stands out. What was said without holding answers nothing.
func HoldSignals(r *Resolved, p *Packet) (x [holdSignals]float64) {
	var scores []float64
	own := 0.0
	for i, it := range p.found(spanRows) {
		if !holds(r, it) {
			continue
		}
		scores = append(scores, it.Score)
		if i < readRows && (r.Subject == "" || SameName(it.Speaker, r.Subject)) {
			own = max(own, sharedWords(r.Words, contentWords(it.Text)))
		}
	}
	if len(scores) == 0 {
		return x
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	top, gap := scores[0], scores[0]-scores[min(len(scores)-1, gapRow)]
	answers, best := pointedAt(r, p)
	x = [holdSignals]float64{
		signalKnown: r.Known, signalOwn: own, signalOwnSquared: own * own, signalTop: top, signalGap: gap,
		signalAnswers: answers, signalBest: best,
	}
	if r.OfState() {
		x[signalState], x[signalStateKnown], x[signalStateOwn], x[signalStateTop] = 1, r.Known, own, top
		x[signalStateAnswers], x[signalStateBest] = answers, best
	}
	return x
}

// pointedAt is how surely a pointer says that a row answers, and how surely it points at
// its words; 0 where none was asked.
func pointedAt(r *Resolved, p *Packet) (answers, best float64) {
	answers, best = math.Inf(-1), math.Inf(-1)
	for _, it := range p.found(spanRows) {
		if it.pointed != nil && holds(r, it) {
			answers, best = max(answers, it.pointed.answers), max(best, it.pointed.best())
		}
	}
	if math.IsInf(answers, -1) {
		return 0, 0
	}
	return answers / 4, best / 4
}

// holds reports whether a row can answer a question: of the asked state, what was said
// without holding does not tell what is so, nor what no longer holds what is so now.
func holds(r *Resolved, it *Item) bool {
	if r.View == daybook.Current && it.Role == daybook.RolePlanned {
		return false
	}
	if !r.OfState() || !it.State {
		return true
	}
	switch it.Role {
	case daybook.RoleAside, daybook.RolePlanned:
		return false
	case daybook.RoleHistorical:
		return r.View != daybook.Current
	}
	return true
}

// over reports whether the ledger says that what a row states was superseded, where
// somebody asks for what holds.
func over(r *Resolved, it *Item) bool {
	return r.View == daybook.Current && it.Role == daybook.RoleHistorical && len(it.Outdated) > 0
}
