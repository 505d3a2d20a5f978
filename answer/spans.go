package answer

import (
	"math"
	"slices"
	"strings"

	"daybook/english"
)

// Span is a stretch of a sentence that may answer a question.
type Span struct {
	Text     string
	item     *Item
	Sentence int // among all sentences that were read
	Signals  [spanSignals]float32
	Score    float64
	first    int
	end      int
}

// spanRows is how many rows of a packet are read for spans, spanTokens how long a
// span may be.
const (
	spanRows   = 8
	spanTokens = 14
)

// passage is a sentence of a row, as spans are looked for in it.
type passage struct {
	english.Sentence
	row     int
	item    *Item
	first   bool // of its row
	caption bool // what a picture shows, in brackets
	base    int  // where in the row the text begins that the sentence is of
	hits    []bool
	share   float64 // of the question's words that it has
	rowHas  float64 // of the question's words that the row has
	top     float64 // the best score of a row
}

// SpansFor returns the stretches of the first rows of a packet that may answer a
// question, each with its signals.
func SpansFor(r *Resolved, p *Packet) (spans []Span) {
	for n, s := range passagesFor(r, p) {
		spans = append(spans, s.spans(&r.Question, p, n)...)
	}
	return spans
}

// passagesFor are the sentences of the first rows. What only asks answers nothing.
func passagesFor(r *Resolved, p *Packet) (all []*passage) {
	q, rows, top := &r.Question, p.found(spanRows), math.Inf(-1)
	for _, it := range rows {
		top = max(top, it.Score)
	}
	for i, it := range rows {
		if !holds(r, it) || over(r, it) {
			continue
		}
		text, caption := splitCaption(it.Text)
		own := contentWords(it.Text)
		said := english.Read(text)
		for n, s := range append(said, english.Read(caption)...) {
			if strings.HasSuffix(strings.TrimSpace(s.Text), "?") || len(s.Tokens) == 0 || tellsBefore(r, it, &s) {
				continue
			}
			ps := &passage{Sentence: s, row: i, item: it, first: n == 0, caption: n >= len(said), rowHas: sharedWords(q.Words, own), top: top}
			if ps.caption {
				ps.base = strings.LastIndex(it.Text, caption)
			}
			ps.hits = make([]bool, len(s.Tokens))
			var words []string
			for j, t := range s.Tokens {
				ps.hits[j] = slices.Contains(q.Words, t.Lemma)
				words = append(words, t.Lemma)
			}
			ps.share = sharedWords(q.Words, words)
			all = append(all, ps)
		}
	}
	return all
}

// splitCaption parts a message from what stands in brackets at its end.
func splitCaption(text string) (said, caption string) {
	at := strings.LastIndex(text, "[")
	if at < 0 || !strings.HasSuffix(strings.TrimSpace(text), "]") {
		return text, ""
	}
	caption = strings.Trim(strings.TrimSpace(text[at:]), "[]")
	if _, rest, ok := strings.Cut(caption, ": "); ok {
		caption = rest
	}
	return text[:at], caption
}

// spans are the stretches of a sentence that begin and end where phrases do.
func (s *passage) spans(q *Question, p *Packet, n int) (all []Span) {
	starts, ends := s.bounds()
	seen := map[string]bool{}
	for _, first := range starts {
		for _, end := range ends {
			if end <= first || end-first > spanTokens || s.broken(first, end) {
				continue
			}
			from, text := first, ""
			for from < end && bareStart(s.Tokens[from]) {
				from++
			}
			if from < end {
				text = trimValue(tokensText(&s.Sentence, from, end))
			}
			if text == "" || seen[text] || !slices.ContainsFunc(s.Tokens[from:end], isContent) {
				continue
			}
			seen[text] = true
			span := Span{Text: text, item: s.item, Sentence: n, first: from, end: end}
			span.Signals = s.signals(q, p, first, from, end)
			all = append(all, span)
		}
	}
	return all
}

// bareStart are words that an answer does not begin with.
func bareStart(t english.Token) bool {
	return strings.HasPrefix(t.Text, "'") || t.Tag == "DT" && t.Norm != "no" || t.Tag == "PRP$" || t.Tag == "CC" || t.Tag == "," || t.Tag == "UH" || t.Tag == "TO"
}

// bounds are where spans may begin and end.
func (s *passage) bounds() (starts, ends []int) {
	begin, end := make([]bool, len(s.Tokens)+1), make([]bool, len(s.Tokens)+1)
	for _, np := range s.Phrases {
		begin[np.First], end[np.End] = !np.Pronoun, true
	}
	for _, g := range s.Groups {
		if g.Main >= 0 && g.Main < len(s.Tokens) {
			begin[g.Main], end[min(g.Main+1, len(s.Tokens))] = true, true
		}
	}
	for _, c := range s.Clauses {
		end[min(c.End, len(s.Tokens))] = true
	}
	for i, t := range s.Tokens {
		switch {
		case strings.HasPrefix(t.Tag, "JJ"):
			begin[i], end[i+1] = true, true
		case t.Tag == "CD":
			begin[i] = true
		case t.Tag == "VBG" || t.Tag == "VBN" || t.Tag == "VB":
			begin[i] = true
		case isPunct(t):
			end[i] = true
			begin[i+1] = i+1 < len(s.Tokens)
		}
	}
	end[len(s.Tokens)] = true
	for i := range begin {
		if begin[i] && i < len(s.Tokens) {
			starts = append(starts, i)
		}
		if end[i] {
			ends = append(ends, i)
		}
	}
	return starts, ends
}

func isPunct(t english.Token) bool {
	return t.Tag != "" && strings.ContainsRune(".,:;!?()-–—", []rune(t.Tag)[0]) || t.Tag == "``" || t.Tag == "''" || t.Tag == "SYM"
}

// broken reports whether a stretch has the end of a thought in it.
func (s *passage) broken(first, end int) bool {
	for i := first; i < end; i++ {
		t := s.Tokens[i]
		if t.Tag == "." || t.Tag == ":" && t.Norm != "-" || i == first && isPunct(t) {
			return true
		}
	}
	return false
}

// Signals of a span, by number. Those of the question are 1 for its sort.
const (
	sigWho = iota
	sigWhere
	sigWhy
	sigNumber // how many, how much, how old
	sigHow
	sigWhich
	sigWhatNoun
	sigWhatDo
	sigWhat
	sigYesNo
	sigSeveral
	sigFeels

	sigName
	sigDigits
	sigTime
	sigThing
	sigQuality
	sigGerund
	sigToDo
	sigVerb
	sigSays // has a subject and a verb
	sigQuoted
	sigJoined // several, joined by commas or "and"
	sigCaption

	sigObject
	sigAttribute
	sigSubject
	sigPlace // after in, at, on, to, from, near
	sigWith  // after with, by, of, for, about
	sigReason
	sigDepth
	sigClauseHas
	sigSentenceHas
	sigRowHas
	sigVerbHit
	sigAfterHit
	sigDistance
	sigFamiliar
	sigNextHit
	sigPrevHit
	sigLastHit
	sigHasSelf
	sigHasYou
	sigHasParty // names one of the two who speak, or whom the question names
	sigIndefinite
	sigDefinite
	sigOwn
	sigClauseEnd
	sigAfterVerb
	sigWords1
	sigWords2
	sigWords3
	sigWords5
	sigWords8
	sigWordsMore
	sigLength
	sigLoose
	sigRank0
	sigRank
	sigScore
	sigFirst
	sigOfSubject
	sigNegated
	sigState // the row speaks of the asked state
	sigOutdated

	sigBegins // what a pointer says of the span
	sigEnds
	sigPointed
	sigAnswers // and of its row
	spanSignals
)

// signals are what the reader weighs of the span [from, end), which begins at first
// with words that were left away.
func (s *passage) signals(q *Question, p *Packet, first, from, end int) (x [spanSignals]float32) {
	set := func(i int, ok bool) { x[i] = float32(real(ok)) }
	x[questionSort(q)] = 1
	set(sigSeveral, q.Intent == WantsList)
	set(sigFeels, q.Asking.Wh == "how" && (q.Asking.Verb.Verb == "feel" || q.Asking.Verb.Verb == "be"))
	s.form(&x, first, from, end)
	s.place(&x, q, first, from, end)
	s.wording(&x, q, p, first, from, end)
	s.points(&x, from, end)
	n := end - from
	for i, most := range []int{1, 2, 3, 5, 8} {
		if n <= most {
			x[sigWords1+i] = 1
			break
		}
	}
	set(sigWordsMore, n > 8)
	x[sigLength] = float32(math.Log1p(float64(n)))
	set(sigRank0, s.row == 0)
	x[sigRank] = 1 / float32(1+s.row)
	x[sigScore] = float32(math.Exp(max(-6, min(0, s.item.Score-s.top))))
	set(sigFirst, s.first)
	set(sigOfSubject, q.Subject != "" && SameName(s.item.Speaker, q.Subject))
	set(sigState, s.item.State)
	set(sigOutdated, s.item.Role == "historical")
	x[sigSentenceHas], x[sigRowHas] = float32(s.share), float32(s.rowHas)
	return x
}

// points says what a pointer made of a span.
func (s *passage) points(x *[spanSignals]float32, from, end int) {
	if s.item.pointed == nil {
		return
	}
	begins, ends := s.item.pointed.span(s.base+s.Tokens[from].Start, s.base+s.Tokens[end-1].End)
	x[sigBegins], x[sigEnds] = float32(begins/-unlikely), float32(ends/-unlikely)
	x[sigPointed] = float32(math.Exp((begins + ends) / 2))
	x[sigAnswers] = float32(1 / (1 + math.Exp(-s.item.pointed.answers)))
}

// questionSort is the signal of the sort of question.
func questionSort(q *Question) int {
	a := &q.Asking
	switch {
	case a.YesNo:
		return sigYesNo
	case q.Intent == WantsReason:
		return sigWhy
	case a.Wh == "who" || a.Wh == "whom" || a.Wh == "whose":
		return sigWho
	case a.Wh == "where":
		return sigWhere
	case a.Wh == "how":
		return sigHow
	case strings.HasPrefix(a.Wh, "how"):
		return sigNumber
	case a.Wh == "which":
		return sigWhich
	case a.Asked != "":
		return sigWhatNoun
	case a.Verb.Verb == "do":
		return sigWhatDo
	}
	return sigWhat
}

// form says what a span is by its words.
func (s *passage) form(x *[spanSignals]float32, first, from, end int) {
	set := func(i int, ok bool) { x[i] = max(x[i], float32(real(ok))) }
	t := s.Tokens[from]
	set(sigGerund, t.Tag == "VBG")
	set(sigVerb, t.Tag == "VBD" || t.Tag == "VBP" || t.Tag == "VBZ" || t.Tag == "VB" || t.Tag == "VBN")
	set(sigToDo, t.Tag == "VB" && from > 0 && s.Tokens[from-1].Norm == "to")
	set(sigQuality, strings.HasPrefix(t.Tag, "JJ") && strings.HasPrefix(s.Tokens[end-1].Tag, "JJ"))
	set(sigCaption, s.caption)
	set(sigQuoted, from > 0 && strings.ContainsAny(s.Tokens[from-1].Text, `"“'‘`))
	verbs, pronouns := 0, 0
	for i := from; i < end; i++ {
		w := s.Tokens[i]
		set(sigName, strings.HasPrefix(w.Tag, "NNP") && i > 0)
		set(sigDigits, w.Tag == "CD")
		set(sigThing, w.Tag == "NN" || w.Tag == "NNS")
		set(sigJoined, i > from && (w.Tag == "," || w.Norm == "and"))
		set(sigTime, isTime(&s.Sentence, i))
		set(sigHasSelf, w.Norm == "i" || w.Norm == "we" || w.Norm == "me" || w.Norm == "us")
		set(sigHasYou, w.Norm == "you" || w.Norm == "your")
		if w.Tag == "VBD" || w.Tag == "VBZ" || w.Tag == "VBP" {
			verbs++
		}
		if w.Tag == "PRP" {
			pronouns++
		}
	}
	set(sigSays, verbs > 0 && pronouns > 0)
	lead := s.Tokens[first]
	set(sigIndefinite, lead.Norm == "a" || lead.Norm == "an" || lead.Norm == "some")
	set(sigDefinite, lead.Norm == "the" || lead.Norm == "this" || lead.Norm == "that")
	set(sigOwn, lead.Tag == "PRP$")
	set(sigLoose, loose[s.Tokens[end-1].Lemma])
}

// place says where in its clause a span stands.
func (s *passage) place(x *[spanSignals]float32, q *Question, first, from, end int) {
	set := func(i int, ok bool) { x[i] = max(x[i], float32(real(ok))) }
	c := s.clauseAt(from)
	if c == nil {
		return
	}
	g := s.Group(*c)
	x[sigDepth] = float32(min(3, c.Depth))
	set(sigNegated, c.Flags.Has(english.Negated))
	set(sigClauseEnd, end == c.End || end == len(s.Tokens) || isPunct(s.Tokens[end]))
	set(sigReason, c.Kind == english.Adverbial && (c.Subordinator == "because" || c.Subordinator == "since" || c.Subordinator == "so that" || c.Subordinator == "as"))
	if c.Verb >= 0 {
		set(sigVerbHit, g.Verb == q.Asking.Verb.Verb || slices.Contains(q.Words, g.Verb))
		set(sigAfterVerb, first == g.End || first == g.Main+1)
	}
	at := func(phrase int) bool {
		return phrase >= 0 && s.Phrases[phrase].First <= from && from < s.Phrases[phrase].End
	}
	set(sigAttribute, at(c.Attribute) || c.Adjective >= from && c.Adjective < end)
	set(sigSubject, at(c.Subject))
	set(sigObject, slices.ContainsFunc(c.Objects, at))
	if first > 0 {
		switch s.Tokens[first-1].Norm {
		case "in", "at", "on", "to", "from", "near", "into", "around", "through", "across":
			x[sigPlace] = 1
		case "with", "by", "of", "for", "about", "like", "as":
			x[sigWith] = 1
		}
	}
	words := 0
	for i := c.First; i < min(c.End, len(s.hits)); i++ {
		if s.hits[i] {
			words++
		}
	}
	x[sigClauseHas] = float32(words) / float32(max(1, len(q.Words)))
}

// clauseAt is the innermost clause around a token.
func (s *passage) clauseAt(at int) (best *english.Clause) {
	for i := range s.Clauses {
		if c := &s.Clauses[i]; c.First <= at && at < c.End && (best == nil || c.End-c.First <= best.End-best.First) {
			best = c
		}
	}
	return best
}

// wording says what a span has in common with the question and what stands beside it.
func (s *passage) wording(x *[spanSignals]float32, q *Question, p *Packet, first, from, end int) {
	set := func(i int, ok bool) { x[i] = max(x[i], float32(real(ok))) }
	hit := func(i int) bool { return i >= 0 && i < len(s.hits) && s.hits[i] }
	set(sigNextHit, hit(end))
	set(sigPrevHit, hit(first-1))
	set(sigLastHit, hit(end-1))
	nearest, after, content, known := 10, false, 0, 0
	for i := range s.hits {
		if !s.hits[i] {
			continue
		}
		away := 0
		if i < from {
			away = from - i
		} else if i >= end {
			away = i - end + 1
		}
		if away > 0 && away < nearest {
			nearest, after = away, i < from
		}
	}
	for i := from; i < end; i++ {
		if isContent(s.Tokens[i]) {
			content++
			if s.hits[i] {
				known++
			}
		}
		party := strings.HasPrefix(s.Tokens[i].Tag, "NNP") && (slices.ContainsFunc(q.Asking.Names, func(n english.Name) bool { return strings.EqualFold(n.Text, s.Tokens[i].Text) }) || speaks(p, s.Tokens[i].Text))
		set(sigHasParty, party)
	}
	x[sigDistance] = float32(nearest) / 10
	set(sigAfterHit, after)
	x[sigFamiliar] = float32(known) / float32(max(1, content))
}

// speaks reports whether somebody of that name said one of the rows.
func speaks(p *Packet, name string) bool {
	return slices.ContainsFunc(p.Items, func(it Item) bool { return strings.EqualFold(it.Speaker, name) })
}
