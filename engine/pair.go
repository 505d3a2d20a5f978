package engine

import (
	"slices"

	"daybook"
	"daybook/extract"
	"daybook/index"
)

// pair is two statements by number, the smaller first.
type pair [2]int

func pairOf(i, j int) pair { return pair{min(i, j), max(i, j)} }

// sight is who the neighbours of each statement are, among how many, and what was
// worked out of it.
type sight struct {
	list   func(int) []neighbour
	size   int
	ranked map[int]ranked
	judged map[pair]float64
}

// ranked is how the neighbours of a statement stand to it.
type ranked struct {
	crowd float64
	ranks []int // in the order of the list
}

// sights are the neighbours without and with the new statements.
func (v *view) sights() (before, after sight) {
	n := len(v.ledger.all)
	return sight{v.ledger.list, n, map[int]ranked{}, map[pair]float64{}}, sight{v.list, n + len(v.fresh), map[int]ranked{}, map[pair]float64{}}
}

// before is what was due of a pair in the ledger.
func (v *view) before(p pair, among sight) (daybook.Link, error) {
	if p[1] >= len(v.ledger.all) {
		return daybook.Link{}, nil
	}
	return v.due(p, among)
}

// inForce reports whether both of a pair may be linked: what is in the ledger may
// have been withdrawn.
func (v *view) inForce(p pair) (bool, error) {
	for _, i := range p {
		if i >= len(v.ledger.all) {
			continue
		}
		if _, ok, err := v.book.Words(v.ledger.all[i].fact); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// due is the link that two statements call for, given who their neighbours are:
// none where they are not among each other's nearest, or not likely of one state.
func (v *view) due(p pair, among sight) (daybook.Link, error) {
	chance, err := v.alone(p, among)
	for _, help := range []func(pair, sight) (float64, error){v.again, v.through} {
		if err != nil || chance >= hard {
			break
		}
		var other float64
		other, err = help(p, among)
		chance = max(chance, other)
	}
	if err != nil || chance < soft {
		return daybook.Link{}, err
	}
	return judgeStates(v.at(p[0]), v.at(p[1]), chance), nil
}

// through is how likely two statements are of one state because a third is of the
// state of both. Two that are unlikely by themselves are not helped.
func (v *view) through(p pair, among sight) (best float64, err error) {
	if chance, err := v.chance(p, among); err != nil || chance < soft {
		return 0, err
	}
	for _, n := range among.list(p[0]) {
		if n.at == p[1] || v.atMost(p[0], n.at, among) < mutual {
			continue
		}
		first, err := v.alone(pairOf(p[0], n.at), among)
		if err != nil {
			return 0, err
		}
		if first < hard {
			continue
		}
		second, err := v.alone(pairOf(n.at, p[1]), among)
		if err != nil {
			return 0, err
		}
		best = max(best, min(first, second))
	}
	return best, nil
}

// again is how likely two neighbours are of one state because what one says was said
// before or after in other words, which are of the state of the other: who goes back
// to a value leaves the one between.
func (v *view) again(p pair, among sight) (best float64, err error) {
	if _, _, near := v.standing(p[0], p[1], among); !near {
		return 0, nil
	}
	for _, ends := range []pair{p, {p[1], p[0]}} {
		for _, n := range among.list(ends[1]) {
			if n.at == ends[0] || !v.sayAlike(n.at, ends[0]) || v.atMost(ends[1], n.at, among) < mutual {
				continue
			}
			again, err := v.alone(pairOf(n.at, ends[1]), among)
			if err != nil {
				return 0, err
			}
			best = max(best, again)
		}
	}
	return best, nil
}

// sayAlike reports whether two statements give one value of what is likely one state.
func (v *view) sayAlike(i, j int) bool {
	a, b := v.at(i), v.at(j)
	return oneValue(a.value, b.value) && extract.Likeness(a.variable, b.variable) >= sameAgain
}

// sameAgain is how alike two statements of one value must be to be one statement
// said twice.
const sameAgain = 0.5

// alone is how likely two statements are of one state without the help of a third
// that is of the state of both. A statement gives a value of one state only, so what
// else each of the two may be of the state of counts: where neither goes better with
// another, less is enough; where one does, the other one is heard; where both do, the
// two are of different states that are alike, such as somebody's bank and somebody's
// card.
func (v *view) alone(p pair, among sight) (float64, error) {
	chance, err := v.chance(p, among)
	switch {
	case err != nil || chance < mutual:
		return chance, err
	case chance >= hard:
		return v.weighed(p, chance, among)
	}
	best, err := v.best(p, chance, among)
	if err != nil || !best {
		return chance, err
	}
	return hard, nil
}

// best reports whether two statements that surely state something go best with each
// other: at most one of them has a likelier neighbour, and only such as may be of the
// state of both. Of two values whose form tells nothing that is not enough.
func (v *view) best(p pair, chance float64, among sight) (bool, error) {
	a, b := v.at(p[0]).read, v.at(p[1]).read
	if !a.Telling() && !b.Telling() || min(a.Sure, b.Sure) < surely {
		return false, nil
	}
	others := 0
	for _, ends := range []pair{p, {p[1], p[0]}} {
		other, kin, err := v.outdone(ends[0], ends[1], chance, among)
		if err != nil || !kin {
			return false, err
		}
		if other {
			others++
		}
	}
	return others < 2, nil
}

// outdone reports whether a statement has a neighbour that is likelier of its state
// than the given one, and whether all of those may be of that one's state, too.
func (v *view) outdone(i, than int, chance float64, among sight) (other, kin bool, err error) {
	for _, n := range among.list(i) {
		if n.at == than || v.atMost(i, n.at, among) < chance {
			continue
		}
		if c, err := v.chance(pairOf(i, n.at), among); err != nil {
			return false, false, err
		} else if c <= chance {
			continue
		}
		other = true
		if !v.at(n.at).rivals(v.at(than)) {
			continue // it gives that one's value
		}
		if c, err := v.chance(pairOf(n.at, than), among); err != nil || c < soft {
			return true, false, err
		}
	}
	return other, true, nil
}

// weighed is the chance of two statements that are likely of one state, weighed by
// those that each of them goes clearly better with: the mean with how likely one that
// is far likelier is of the state of both.
func (v *view) weighed(p pair, chance float64, among sight) (float64, error) {
	sum, heard, others := chance, 1.0, 0
	for _, ends := range []pair{p, {p[1], p[0]}} {
		other, odds, err := v.likeliest(ends[0], ends[1], among)
		if err != nil {
			return 0, err
		}
		if odds > clearly*oddsOf(chance) {
			others++
		}
		if odds < far*oddsOf(chance) || !v.at(other).rivals(v.at(ends[1])) {
			continue
		}
		with, err := v.chance(pairOf(other, ends[1]), among)
		if err != nil {
			return 0, err
		}
		sum, heard = sum+with, heard+1
	}
	if others == 2 {
		return taken, nil
	}
	return sum / heard, nil
}

// likeliest is the neighbour of a statement, beside the given one, that is likeliest
// of its state, with the odds; they are 0 where there is none.
func (v *view) likeliest(i, beside int, among sight) (at int, odds float64, err error) {
	for _, n := range among.list(i) {
		if n.at == beside || v.atMost(i, n.at, among) < hard {
			continue
		}
		chance, err := v.chance(pairOf(i, n.at), among)
		if err != nil {
			return 0, 0, err
		}
		if o := oddsOf(chance); chance >= hard && o > odds {
			at, odds = n.at, o
		}
	}
	return at, odds, nil
}

func oddsOf(chance float64) float64 { return chance / (1 - chance) }

const (
	surely  = 0.8  // how sure it must be that both state something, where less is enough
	clearly = 1.5  // by how much the odds of another must be better for it to count against two
	far     = 10.0 // the same, for it to be heard where only one of the two has such another
	taken   = 0.15 // how likely two stay of which each has another that is likelier
)

// chance is how likely two statements are of one state by themselves and their
// surroundings; 0 where they are not among each other's nearest.
func (v *view) chance(p pair, among sight) (float64, error) {
	if chance, done := among.judged[p]; done {
		return chance, nil
	}
	chance, err := v.judgePair(p, among)
	if err == nil {
		among.judged[p] = chance
	}
	return chance, err
}

// atMost is the most that the chance of a statement and one of its neighbours can
// be, by how the neighbour stands to it.
func (v *view) atMost(i, of int, among sight) float64 {
	x, like, ok := v.standing(i, of, among)
	if !ok {
		return 0
	}
	return extract.SameStateAtMost(like, x, extract.Standing{Crowd: extract.CrowdFloor})
}

func (v *view) judgePair(p pair, among sight) (float64, error) {
	if v.atMost(p[0], p[1], among) < soft {
		return 0, nil
	}
	x, like, _ := v.standing(p[0], p[1], among)
	y, _, ok := v.standing(p[1], p[0], among)
	if !ok || extract.SameStateAtMost(like, x, y) < soft {
		return 0, nil
	}
	a, b := v.at(p[0]), v.at(p[1])
	for _, s := range []*stated{a, b} {
		if known, err := v.reread(s); err != nil || !known {
			return 0, err
		}
	}
	return extract.SameState(a.read, b.read, x, y), nil
}

// standing returns how one of the neighbours of a statement stands to it.
func (v *view) standing(i, of int, among sight) (st extract.Standing, like float64, ok bool) {
	list := among.list(i)
	at := slices.IndexFunc(list, func(n neighbour) bool { return n.at == of })
	if at < 0 {
		return st, 0, false
	}
	r, done := among.ranked[i]
	if !done {
		r = v.rank(i, list, among.size)
		among.ranked[i] = r
	}
	return extract.Standing{Rank: r.ranks[at], Crowd: r.crowd}, list[at].like, true
}

// rank works out how the neighbours of a statement stand to it. The values count,
// not how often each was said.
func (v *view) rank(i int, list []neighbour, size int) (r ranked) {
	first := make(map[string]int, len(list)) // the rank of each value
	likes := slices.Clone(v.at(i).strangers(extract.StrangerCount - size))
	for _, n := range list {
		value := v.at(n.at).value
		rank, seen := first[value]
		if !seen {
			rank = len(first)
			first[value] = rank
			likes = append(likes, n.like)
		}
		r.ranks = append(r.ranks, rank)
	}
	r.crowd = extract.CrowdOf(likes)
	return r
}

// reread reads a statement again from the words that its event quotes, once. It reports
// false for one that is not in force, or whose words do not state it any more: a learner
// of another time made it.
func (v *view) reread(s *stated) (bool, error) {
	if s.read != nil || s.mute {
		return !s.mute, nil
	}
	words, ok, err := v.book.Words(s.fact)
	if err != nil || !ok {
		return false, err
	}
	read, ok := extract.Restate(words, s.fact.Object, index.Unpack(s.vector))
	if s.mute = !ok; ok {
		s.read = &read
	}
	return ok, nil
}

// Guards of superseding across relations. A pair that is likelier than hard to be
// of one state closes the older value, and so does one that is likelier than mutual
// where the two go best with each other; one that is likelier than soft is kept as a
// possible update and changes nothing. The weights were fitted on sentences of our
// own, the thresholds chosen on GHOST dev; docs/results.md has the runs.
const (
	hard   = 0.3
	mutual = 0.2
	soft   = 0.05
)

// judgeStates says what two values of one state mean for each other. The later one
// updates the earlier; two in one session, of which the later does not tell of a
// change, contradict each other. The link has no id where there is none.
func judgeStates(newer, older *stated, p float64) daybook.Link {
	if older.fact.Valid.From.After(newer.fact.Valid.From) {
		newer, older = older, newer
	}
	later := newer.fact.Valid.From.After(older.fact.Valid.From)
	if !later && newer.fact.ID < older.fact.ID { // the order of arrival does not show
		newer, older = older, newer
	}
	l := daybook.Link{From: string(newer.fact.ID), To: string(older.fact.ID), Confidence: p, By: linkJudge}
	sameSession := newer.fact.Session == older.fact.Session && newer.fact.Session != ""
	switch {
	case p < soft, p < hard && !later:
		return daybook.Link{}
	case p < hard:
		l.Kind, l.Why = daybook.MayUpdate, "likely another value of the same state"
	case sameSession && !newer.read.Changed, !later:
		l.Kind, l.Why = daybook.Contradicts, "another value of the same state, said in the same session"
	default:
		l.Kind, l.Why = daybook.Updates, "a later value of the same state"
	}
	return l.Named()
}

// linkJudge is who makes these judgements.
const linkJudge = "rule:same-state@2"
