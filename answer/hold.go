package answer

import (
	"slices"

	"daybook"
)

// holdSignals is how many signals the judge of whether the rows hold an answer has.
const holdSignals = 11

// HoldSignals are what tells whether the rows of a packet answer a question: whether
// a state is known, how much of what is asked the rows have, and how the first row
// stands out. What was said without holding answers nothing.
func HoldSignals(r *Resolved, p *Packet) (x [holdSignals]float64) {
	x[0], x[1] = r.Known, r.Match
	var scores []float64
	for i := range p.Items[:min(len(p.Items), spanRows)] {
		it := &p.Items[i]
		scores = append(scores, it.Score)
		if i >= readRows || it.Role == daybook.RoleAside || it.Role == daybook.RolePlanned {
			continue
		}
		has := sharedWords(r.Words, contentWords(it.Text))
		x[2] = max(x[2], has)
		if r.Subject == "" || SameName(it.Speaker, r.Subject) {
			x[3] = max(x[3], has)
		}
	}
	if r.OfState() {
		x[8], x[9], x[10] = 1, x[3], x[1]
	}
	if len(scores) == 0 {
		return x
	}
	slices.Sort(scores)
	slices.Reverse(scores)
	x[4] = scores[0]
	x[5] = scores[0] - scores[min(len(scores)-1, 4)]
	x[6] = real(len(r.Words) > 0)
	x[7] = x[3] * x[3]
	return x
}
