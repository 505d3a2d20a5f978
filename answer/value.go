package answer

import (
	"slices"
	"strings"

	"daybook/english"
	"daybook/extract"
)

// values chooses, for each claim of the timeline, the words that are its value:
// what it says that neither the question nor the other claims of the state say.
func (r *resolver) values() {
	said := make([]map[string]bool, len(r.timeline)) // the words around each value
	r.frame = map[string]int{}
	for i, c := range r.timeline {
		said[i] = map[string]bool{}
		for _, w := range c.frame() {
			said[i][w] = true
		}
		for w := range said[i] {
			r.frame[w]++
		}
	}
	for i, c := range r.timeline {
		r.value(c, said[i])
	}
}

// value chooses the words that are the value of a claim; said are those of the claim
// that are counted in the frame.
func (r *resolver) value(c *told, said map[string]bool) {
	if c.read == nil {
		return
	}
	others := func(w string) bool { return r.frame[w] > 1 || r.frame[w] == 1 && !said[w] }
	if v, ok := valueIn(r.q, c.Claim, others); ok {
		c.Object, c.Type = v.text, v.typ
	}
}

// longValue is how many words a value has at most whose words are no frame: a longer
// one has more than the value.
const longValue = 3

// frame are the words of a statement that frame its value: the value itself may come
// back in another one.
func (c *Claim) frame() []string {
	words, own := c.contentWords(), contentWords(c.Object)
	if len(own) > longValue {
		return words
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(own, w) })
}

// phrase is a stretch of a sentence that may be its value: tokens [first, end).
type phrase struct {
	first, end int
	typ        extract.Type
	text       string
	score      float64
}

// pickedMore is how much more a phrase counts that has to do with the value which the
// fitted picker takes the sentence to state.
const pickedMore = 1

// valueIn picks the phrase of a claim's sentence that tells what the question asks; others
// says whether other statements of the same state have a word, too.
func valueIn(q *Question, c *Claim, others func(word string) bool) (best phrase, ok bool) {
	s, picked := c.read, c.Object // picked is what the sentence states by itself
	dead := reasonTokens(s)
	isGone := func(p phrase) bool {
		text := tokensText(s, p.first, p.end)
		return slices.ContainsFunc(c.Gone, func(g extract.Gone) bool { return hasWord(text, g.Object) })
	}
	for _, p := range phrasesOf(s) {
		if dead[p.first] || isGone(p) {
			continue
		}
		p.score += fit(q, p) - 3*familiar(q, s, p, others)
		if text := tokensText(s, p.first, p.end); strings.Contains(picked, text) || strings.Contains(text, picked) {
			p.score += pickedMore
		}
		p.score += sameVerb(q, s, p)
		if !ok || p.score > best.score {
			best, ok = p, true
		}
	}
	if !ok {
		return best, false
	}
	if more := whole(q, s, best); !isGone(more) {
		best = more
	}
	best.text = trimValue(tokensText(s, best.first, best.end))
	return best, best.text != ""
}

// askedVerb is how much more a phrase counts whose clause has the verb of the question,
// where others have not: "Ella hates broccoli, loves pasta".
const askedVerb = 2

// sameVerb is askedVerb for a phrase in a clause with the verb that the question asks by,
// and 0 for others and where that verb says little.
func sameVerb(q *Question, s *english.Sentence, p phrase) float64 {
	verb := q.Asking.Verb.Verb
	if verb == "" || frameWords[verb] {
		return 0
	}
	for _, c := range s.Clauses {
		if c.Verb < 0 || s.Group(c).Verb != verb {
			continue
		}
		asked := c.Objects
		if q.Asking.Wh == "who" && c.Subject >= 0 {
			asked = []int{c.Subject}
		}
		if slices.ContainsFunc(asked, func(o int) bool { return s.Phrases[o].First == p.first }) {
			return askedVerb
		}
	}
	return 0
}

// fit weighs the sort of a value against what the question wants.
func fit(q *Question, p phrase) float64 {
	switch {
	case p.typ == extract.When && !slices.Contains(q.Wants, extract.When):
		return -1
	case len(q.Wants) == 0:
		return 0
	case slices.Contains(q.Wants, p.typ):
		return 2
	}
	return 0
}

// familiar is the share of a phrase's content words that the question or the other
// statements have.
func familiar(q *Question, s *english.Sentence, p phrase, others func(word string) bool) float64 {
	n, known := 0, 0.0
	for _, t := range s.Tokens[p.first:p.end] {
		if !isContent(t) {
			continue
		}
		n++
		switch {
		case slices.Contains(q.Words, t.Lemma):
			known++
		case others(t.Lemma) && t.Tag != "CD" && !strings.HasPrefix(t.Tag, "NNP"): // names and numbers are values
			known += 0.7
		}
	}
	if n == 0 {
		return 1
	}
	return known / float64(n)
}

func isContent(t english.Token) bool {
	switch t.Tag[:min(2, len(t.Tag))] {
	case "NN", "VB", "JJ", "CD":
		return true
	}
	return false
}

// reasonTokens marks what gives a reason for the rest of a sentence.
func reasonTokens(s *english.Sentence) []bool {
	dead := make([]bool, len(s.Tokens)+1)
	for i, t := range s.Tokens {
		because := t.Norm == "because" || i > 0 && (t.Norm == "since" || t.Norm == "as") && opens(s, i)
		dead[i] = because || i > 0 && dead[i-1] && !goesOn(s, i)
	}
	return dead
}

// goesOn reports whether a main clause begins at a token: "because the fees went up, I
// bank with …".
func goesOn(s *english.Sentence, at int) bool {
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return c.Kind == english.Main && c.First == at && c.Verb >= 0 })
}

// opens reports whether an adverbial clause begins at a token.
func opens(s *english.Sentence, at int) bool {
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return c.Kind == english.Adverbial && c.First == at })
}

// phrasesOf are the noun phrases and predicate adjectives of a sentence, weighed by
// what they are and where they stand.
func phrasesOf(s *english.Sentence) (all []phrase) {
	place := placesOf(s)
	for i, np := range s.Phrases {
		if np.Pronoun || np.First >= np.End {
			continue
		}
		p := phrase{first: np.First, end: np.End}
		p.typ, p.score = sortOf(s, np)
		p.score += place[i]
		if o := strings.ToLower(np.Owner); o == "my" || o == "our" {
			p.score -= 2.5
		}
		all = append(all, p)
	}
	for _, c := range s.Clauses {
		if c.Adjective >= 0 && c.Verb >= 0 {
			first := c.Adjective
			for first > 0 && strings.HasPrefix(s.Tokens[first-1].Tag, "JJ") {
				first--
			}
			all = append(all, phrase{first: first, end: c.Adjective + 1, typ: extract.Quality, score: 1.2})
		}
	}
	return all
}

// placesOf weighs each noun phrase by its place in its clause: what a linking verb
// joins to the subject, objects, what follows a preposition.
func placesOf(s *english.Sentence) map[int]float64 {
	place := map[int]float64{}
	for _, c := range s.Clauses {
		if c.Attribute >= 0 {
			place[c.Attribute] += 0.9
		}
		for _, o := range c.Objects {
			place[o] += 0.5
		}
		for _, p := range c.Preps {
			if p.Word == "of" && p.Phrase >= 0 {
				place[p.Phrase] -= 0.3
			}
		}
		if c.Depth > 0 && c.Subject >= 0 {
			place[c.Subject] -= 0.3
		}
		if c.Verb >= 0 && makesWay[s.Group(c).Verb] {
			for _, o := range c.Objects {
				place[o] -= 1
			}
		}
	}
	return place
}

// makesWay are verbs whose object is what no longer holds.
var makesWay = setOf("close drop quit leave stop cancel sell change switch replace dump ditch abandon swap")

// loose nouns say little by themselves.
var loose = setOf("thing one something anything nothing everything lot bit way kind sort time moment day stuff case point fact people place part while home rest side rid")

// sortOf is what a noun phrase is by its form, and how much that tells.
func sortOf(s *english.Sentence, np english.NounPhrase) (extract.Type, float64) {
	text := tokensText(s, np.First, np.End)
	if first := s.Tokens[np.First].Norm; first == "all" || first == "every" || first == "each" {
		return extract.Thing, 0
	}
	digits := strings.ContainsAny(text, "0123456789")
	switch {
	case strings.ContainsAny(text, "$€£¥"):
		return extract.Money, 3
	case np.Time && !digits:
		return extract.When, timeWeight(s, np)
	case digits || s.Tokens[np.First].Tag == "CD":
		return extract.Number, 2.6
	}
	for i := np.First; i < np.End; i++ {
		if strings.HasPrefix(s.Tokens[i].Tag, "NNP") && (i > 0 || np.Human) {
			return extract.Name, 2.8
		}
	}
	head := s.Tokens[np.Head]
	switch np.Determiner {
	case "all", "every", "each", "any", "no":
		return extract.Thing, 0
	}
	switch {
	case loose[head.Lemma]:
		return extract.Thing, 0.2
	case np.Determiner == "the" || np.Determiner == "this" || np.Determiner == "that" || np.Determiner == "these":
		return extract.Thing, 1
	}
	return extract.Thing, 1.3
}

// timeWeight: "these days" and "now" say that something holds, not what.
func timeWeight(s *english.Sentence, np english.NounPhrase) float64 {
	switch s.Tokens[np.First].Norm {
	case "these", "this", "now", "nowadays", "today", "every", "each", "all":
		return 0.3
	}
	return 1.4
}

// whole takes in what stands beside a value and belongs to it: the words that
// describe it, the second of two joined by "and", the day of an hour and the hour of
// a day, the preposition that says where.
func whole(q *Question, s *english.Sentence, p phrase) phrase {
	for grew := true; grew; {
		before := p
		p = leftward(s, rightward(s, p))
		grew = p.first != before.first || p.end != before.end
	}
	if q.Asking.Wh == "where" && p.first > 0 && s.Tokens[p.first-1].Tag == "IN" {
		p.first--
	}
	return p
}

func rightward(s *english.Sentence, p phrase) phrase {
	if p.end >= len(s.Tokens) {
		return p
	}
	link, last := s.Tokens[p.end], s.Tokens[p.end-1]
	if p.end+1 < len(s.Tokens) {
		next := s.Tokens[p.end+1]
		joins := (link.Norm == "and" || link.Norm == "&") && sameShape(last, next) ||
			link.Norm == "at" && (p.typ == extract.When || isTime(s, p.end-1)) || link.Norm == "to" && last.Norm == "next"
		if joins {
			p.end = endOfPhrase(s, p.end+1)
			return p
		}
	}
	if (link.Tag == "CD" || strings.HasPrefix(link.Tag, "NN") && !isTime(s, p.end) || p.typ == extract.Quality && link.Tag == "JJ") && isContent(last) {
		p.end = endOfPhrase(s, p.end)
	}
	return p
}

func leftward(s *english.Sentence, p phrase) phrase {
	if p.first == 0 {
		return p
	}
	link := s.Tokens[p.first-1]
	switch {
	case p.first > 1 && link.Norm == "at" && isTime(s, p.first-2),
		p.first > 1 && (link.Norm == "with" && p.typ == extract.Thing || link.Norm == "of") && strings.HasPrefix(s.Tokens[p.first-2].Tag, "NN") && !isTime(s, p.first-2),
		p.first > 1 && (link.Norm == "and" || link.Norm == "&") && sameShape(s.Tokens[p.first-2], s.Tokens[p.end-1]) && s.Tokens[p.first].Tag != "DT":
		p.first = startOfPhrase(s, p.first-2)
	case s.Tokens[p.first].Tag == "DT" || s.Tokens[p.first].Tag == "PRP$":
	case link.Tag == "JJ" || link.Tag == "VBN" || link.Tag == "VBG" || link.Tag == "CD" || link.Tag == "DT" || strings.HasPrefix(link.Tag, "NN") && !isTime(s, p.first-1) && !isTime(s, p.first):
		p.first--
	}
	return p
}

// isTime reports whether a token stands in a phrase that names a time.
func isTime(s *english.Sentence, at int) bool {
	return slices.ContainsFunc(s.Phrases, func(np english.NounPhrase) bool { return np.Time && np.First <= at && at < np.End })
}

// startOfPhrase is the first token of the noun phrase at a token, or the token.
func startOfPhrase(s *english.Sentence, at int) int {
	for _, np := range s.Phrases {
		if np.First <= at && at < np.End {
			return np.First
		}
	}
	return at
}

func sameShape(a, b english.Token) bool {
	return a.Tag == b.Tag || strings.HasPrefix(a.Tag, "NN") && strings.HasPrefix(b.Tag, "NN")
}

// endOfPhrase is the end of the noun phrase at a token, or that of the token.
func endOfPhrase(s *english.Sentence, at int) int {
	for _, np := range s.Phrases {
		if np.First <= at && at < np.End {
			return np.End
		}
	}
	return min(at+1, len(s.Tokens))
}
