package recall

import "slices"

// vary puts what says the same as a better candidate behind others, where a question
// lists or counts: every part is wanted, and each once.
func (p *pool) vary() {
	if p.plan.Shape != Aggregate {
		return
	}
	first := p.all[:min(len(p.all), variedRows)]
	said := make([]map[string]bool, len(first))
	for i, c := range first {
		said[i] = map[string]bool{}
		for t := range c.card.terms() {
			said[i][string(t)] = true
		}
		if slices.ContainsFunc(said[:i], func(better map[string]bool) bool { return alike(better, said[i]) >= sameSaid }) {
			c.again = -saidAgain
			c.score += c.again
		}
	}
	p.sort()
}

// alike is how much of the words of two notes is in both.
func alike(a, b map[string]bool) float64 {
	both := 0
	for t := range a {
		if b[t] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
