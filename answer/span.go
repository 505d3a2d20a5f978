package answer

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
	"daybook/timex"
)

// readRows is how many rows of a packet are searched for an answer.
const readRows = 5

// fromRows answers from the best sentences of the first rows: for questions about
// what happened, and where no state is known.
func fromRows(r *Resolved, p *Packet) (string, []Claim) {
	best := sentencesFor(r, p)
	if len(best) == 0 {
		return "", nil
	}
	top := best[0]
	switch r.Intent {
	case WantsDate, WantsChanged:
		return dateOf(best)
	case WantsReason:
		for _, s := range best {
			if why := reasonIn(s.text); why != "" {
				return "Because " + why + ".", []Claim{s.claim()}
			}
		}
	case WantsList:
		return listOf(r, best)
	case WantsCount:
		if n := numberIn(top.text); n != "" {
			return n, []Claim{top.claim()}
		}
	case WantsDuration:
		for _, s := range best {
			for _, e := range timex.Find(s.text, s.item.Time) {
				if e.Kind == timex.Length {
					return strings.TrimPrefix(e.Text, "for "), []Claim{s.claim()}
				}
			}
		}
	case WantsVerdict:
		return judgement(r, top), []Claim{top.claim()}
	}
	return spanOf(r, top), []Claim{top.claim()}
}

// candidate is a sentence of a row.
type candidate struct {
	item  *Item
	text  string
	rank  int
	score float64
}

func (c candidate) claim() Claim { return Claim{Note: c.item.ID, Sentence: c.text, Time: c.item.Time} }

// sentencesFor are the sentences of the first rows, the one that has most of what
// is asked first. Questions answer nothing.
func sentencesFor(r *Resolved, p *Packet) (all []candidate) {
	for i := range p.Items[:min(len(p.Items), readRows)] {
		it := &p.Items[i]
		for _, s := range english.Sentences(it.Text) {
			text := strings.TrimSpace(it.Text[s.Start:s.End])
			if strings.HasSuffix(text, "?") || len(strings.Fields(text)) < 3 {
				continue
			}
			c := candidate{item: it, text: text, rank: i}
			c.score = 2*sharedWords(r.Words, contentWords(text)) - 0.35*float64(i) + ownWords(r, it) + timeWords(r, c)
			all = append(all, c)
		}
	}
	daybook.Sort(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return all
}

// ownWords favours what the asked person said.
func ownWords(r *Resolved, it *Item) float64 {
	if r.Subject != "" && SameName(it.Speaker, r.Subject) {
		return 0.5
	}
	return 0
}

// timeWords favours sentences that tell a time where one is asked for.
func timeWords(r *Resolved, c candidate) float64 {
	if r.Intent != WantsDate && r.Intent != WantsDuration {
		return 0
	}
	for _, e := range timex.Find(c.text, c.item.Time) {
		if e.Resolved || e.Kind == timex.Length {
			return 0.6
		}
	}
	return 0
}

// dateOf is the time that the best sentence speaks of, as a date.
func dateOf(best []candidate) (string, []Claim) {
	top := best[0]
	for _, c := range best {
		if c.rank > 0 || c.item != top.item {
			continue
		}
		if a := timex.Anchor(c.text, c.item.Time); a.Expr.Resolved {
			return timex.Say(a.Span), []Claim{c.claim()}
		}
	}
	a := timex.Anchor(top.text, top.item.Time)
	return timex.Say(a.Span), []Claim{top.claim()}
}

// listOf collects what the best sentences name that the question does not.
func listOf(r *Resolved, best []candidate) (string, []Claim) {
	var values []string
	var from []Claim
	for _, c := range best[:min(len(best), readRows)] {
		if c.score < best[0].score-1 {
			break
		}
		v := spanOf(r, c)
		if v == "" || slices.ContainsFunc(values, func(o string) bool { return sameValue(o, v) }) {
			continue
		}
		values, from = append(values, v), append(from, c.claim())
	}
	return strings.Join(values, ", "), from
}

// numberIn is the first number of a text.
func numberIn(text string) string {
	for _, t := range english.ReadSentence(text).Tokens {
		if t.Tag == "CD" {
			return t.Text
		}
	}
	return ""
}

// judgement answers yes or no by whether the best sentence says so.
func judgement(r *Resolved, c candidate) string {
	s := english.ReadSentence(c.text)
	no := false
	for _, cl := range s.Clauses {
		no = no || cl.Depth == 0 && cl.Flags.Has(english.Negated)
	}
	if no != r.Asking.Clause.Flags.Has(english.Negated) {
		return "No"
	}
	return "Yes"
}

// spanOf is the stretch of a sentence that answers: the value of the asked sort
// where the question word says which, else what its best clause says.
func spanOf(r *Resolved, c candidate) string {
	s := english.ReadSentence(c.text)
	if len(r.Wants) > 0 && r.Asking.Wh != "where" {
		if v, ok := valueIn(&r.Question, &s, nil); ok && slices.Contains(r.Wants, v.typ) {
			return v.text
		}
	}
	return predicateOf(r, &s)
}

// spanWords is the most words of an answer that quotes a clause.
const spanWords = 14

// predicateOf is what the clause that has most of the question's words says after
// its verb, or the whole sentence where no clause has a verb.
func predicateOf(r *Resolved, s *english.Sentence) string {
	best, top := "", -1.0
	for _, c := range s.Clauses {
		if c.Verb < 0 || c.Kind == english.Adverbial {
			continue
		}
		g := s.Group(c)
		if g.Main < 0 || g.Main+1 >= c.End {
			continue
		}
		rest := trimValue(tokensText(s, g.Main+1, c.End))
		score := sharedWords(r.Words, contentWords(tokensText(s, c.First, c.End))) - 0.1*float64(c.Depth)
		if rest != "" && score > top {
			best, top = rest, score
		}
	}
	if best == "" {
		best = trimValue(s.Text)
	}
	words := strings.Fields(best)
	return strings.Join(words[:min(len(words), spanWords)], " ")
}

// covered reports whether somebody's own words have most of what is asked.
func covered(r *Resolved, p *Packet) bool {
	for i := range p.Items[:min(len(p.Items), readRows)] {
		it := &p.Items[i]
		if it.Role == daybook.RoleAside || it.Role == daybook.RolePlanned || r.Subject != "" && !SameName(it.Speaker, r.Subject) {
			continue
		}
		if sharedWords(r.Words, contentWords(it.Text)) >= 0.66 {
			return true
		}
	}
	return false
}
