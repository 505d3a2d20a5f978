package answer

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
	"daybook/extract"
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
	switch r.Intent {
	case WantsDate, WantsChanged:
		return dateOf(best, r.Asking.Verb.Tense == english.Present)
	case WantsReason:
		for _, s := range best[:min(len(best), readRows)] {
			if why := reasonIn(s.text); why != "" {
				return "Because " + why + ".", []Claim{s.claim()}
			}
		}
	case WantsDuration:
		if text, from := lengthOf(best); text != "" {
			return text, from
		}
	case WantsVerdict:
		return judgement(r, best[0]), []Claim{best[0].claim()}
	}
	return fromSpans(r, p)
}

// lengthOf is the first length of time that the best sentences tell.
func lengthOf(best []candidate) (string, []Claim) {
	for _, s := range best {
		for _, e := range timex.Find(s.text, s.item.Time) {
			if e.Kind == timex.Length {
				return strings.TrimPrefix(e.Text, "for "), []Claim{s.claim()}
			}
		}
	}
	return "", nil
}

// By how much the score of a further part of an answer may be less than that of the
// first, where several are asked for and where not; tools/reader prints what other
// bounds give.
const (
	joinList = 1.5
	joinElse = 0.5
)

// fromSpans answers with the span that the fitted reader likes best, or several where
// several are asked for.
func fromSpans(r *Resolved, p *Packet) (string, []Claim) {
	spans := ofSort(r, SpansFor(r, p))
	for i := range spans {
		spans[i].Score = reader().Score(&spans[i].Signals)
	}
	within := joinElse
	if r.Intent == WantsList {
		within = joinList
	}
	text, taken := JoinSpans(spans, within)
	var from []Claim
	for _, s := range taken {
		it := s.item
		from = append(from, Claim{Note: it.ID, Sentence: it.Text, Time: it.Time})
	}
	return text, from
}

// ofSort are the spans that are of the sort that the question word asks for: names for
// who, numbers for how many. Where there are none, all may answer what happened, and
// nothing what holds.
func ofSort(r *Resolved, spans []Span) []Span {
	sort := -1
	switch questionSort(&r.Question) {
	case sigWho:
		sort = sigName
	case sigNumber:
		sort = sigDigits
	}
	spans = slices.DeleteFunc(spans, func(s Span) bool { return r.View == daybook.Current && sharedWords(contentWords(s.Text), r.Words) >= 1 })
	if sort < 0 {
		return spans
	}
	var fit []Span
	for _, s := range spans {
		if s.Signals[sort] > 0 {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 && !r.OfState() {
		return spans
	}
	return fit
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
	for i, it := range p.found(readRows) {
		if over(r, it) {
			continue
		}
		for _, s := range english.Sentences(it.Text) {
			text := strings.TrimSpace(it.Text[s.Start:s.End])
			if strings.HasSuffix(text, "?") || len(strings.Fields(text)) < 3 || it.Role == daybook.RoleTransition && beforeIn(r, it, text) {
				continue
			}
			c := candidate{item: it, text: text, rank: i}
			c.score = 2*sharedWords(r.Words, contentWords(text)) - 0.35*float64(i) + ownWords(r, it) + timeWords(r, c)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return all
}

func beforeIn(r *Resolved, it *Item, text string) bool {
	s := english.ReadSentence(text)
	return tellsBefore(r, it, &s)
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

// dateOf is the time that the best sentence speaks of, as a date. When it was said is none
// where somebody asks when something takes place, or is done again and again (present).
func dateOf(best []candidate, present bool) (string, []Claim) {
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
	if present && !a.Expr.Resolved {
		return "", nil
	}
	return timex.Say(a.Span), []Claim{top.claim()}
}

// judgement answers yes or no by whether the best sentence says so; it is empty where that
// only supposes it.
func judgement(r *Resolved, c candidate) string {
	s := english.ReadSentence(c.text)
	if len(s.Clauses) > 0 && s.Clauses[0].Flags.Has(english.Hypothetical|english.Conditional|english.Hedged) || !holds(r, c.item) {
		return ""
	}
	_, no := extract.Given(&s)
	for _, cl := range s.Clauses {
		no = no || cl.Depth == 0 && cl.Flags.Has(english.Negated)
	}
	if no != r.Asking.Clause.Flags.Has(english.Negated) {
		return "No"
	}
	return "Yes"
}
