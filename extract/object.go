package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// objects are the objects of a clause that are joined to each other, the last of
// several that are not: "gave Anna a book and a pen" tells of the book and the
// pen. What is the speaker's own names the state and is no value.
func objects(s *english.Sentence, c *english.Clause) (all []value) {
	g := s.Group(*c)
	if complemented(s, c) || saying[g.Verb] || raised(s, c) {
		return nil
	}
	if v, ok := ownOwn(s, c); ok {
		return []value{v}
	}
	if v, ok := quotation(s, c); ok {
		return []value{v}
	}
	run := chain(s, before(s, c))
	for _, p := range run {
		v, ok := oneValue(s, p)
		if !ok || deictic(s, p) || pointed(s, c, p) || counted(s, p) || empty(s, p) || yours(s, run[0]) || yours(s, p) || light[g.Verb] && lightNouns[s.Tokens[s.Phrases[p].Head].Lemma] {
			continue
		}
		if replaced[g.Verb] && v.typ == Thing {
			continue // "I switched browsers" names what changed
		}
		if v.typ == Thing && v.score < strong && !(likings[g.Verb] || g.Tense == english.Present) {
			continue
		}
		if p := s.Phrases[p]; v.typ == When && p.Time && p.Of < 0 && !likings[g.Verb] {
			continue // "nine days of leave" is an amount, "last week" is not
		}
		if c.Who != english.SpeakerThing && c.Who != english.PersonThing {
			v.said = g.Lemma
		}
		all = append(all, complete(s, c, v))
	}
	return all
}

// ownOwn reads "I have my own boat": what is one's own is had.
func ownOwn(s *english.Sentence, c *english.Clause) (value, bool) {
	verb := s.Group(*c).Verb
	if verb != "own" && verb != "have" || len(c.Objects) == 0 {
		return value{}, false
	}
	p := s.Phrases[c.Objects[0]]
	if !isFirstPerson(p.Owner) || p.End-p.First < 3 || s.Tokens[p.First+1].Norm != "own" {
		return value{}, false
	}
	return value{first: p.First + 2, end: p.End, typ: Thing, score: strong, said: verb}, true
}

// saying verbs have what is said or thought for their object, and no thing.
var saying = setOf("think guess hope suppose bet say")

// raised reports whether the object of a clause is only who shall do what an infinitive
// says: "I want my kids to learn that".
func raised(s *english.Sentence, c *english.Clause) bool {
	switch s.Group(*c).Verb {
	case "want", "expect", "like", "love", "hate", "prefer", "ask", "tell", "invite", "remind":
	default:
		return false
	}
	return len(c.Objects) > 0 && slices.ContainsFunc(s.Clauses, func(d english.Clause) bool {
		return d.Kind == english.Reduced && s.Group(d).Form == english.Infinitive && s.Group(d).First == fullEnd(s, c.Objects[len(c.Objects)-1]) && d.Subject == c.Objects[len(c.Objects)-1]
	})
}

// quotation reads what stands between quotation marks right behind the verb, with the
// noun that it belongs to: watched "The Lord of the Rings" trilogy.
func quotation(s *english.Sentence, c *english.Clause) (value, bool) {
	g := s.Group(*c)
	open := g.End
	if open >= len(s.Tokens) || !isQuote(s.Tokens[open]) {
		return value{}, false
	}
	for end := open + 1; end < len(s.Tokens); end++ {
		if !isQuote(s.Tokens[end]) {
			continue
		}
		v := value{first: open + 1, end: end, typ: Name, score: 3, said: g.Lemma}
		if next := end + 1; next < len(s.Tokens) && strings.HasPrefix(s.Tokens[next].Tag, "NN") {
			v.first, v.end = open, next+1
		}
		return v, v.end > v.first
	}
	return value{}, false
}

func isQuote(t english.Token) bool {
	switch t.Norm {
	case "\"", "“", "”", "``", "''":
		return true
	}
	return false
}

// complemented reports whether a pronoun comes before the object, of which the
// object only says what it becomes: "make it a success", "find it cute".
func complemented(s *english.Sentence, c *english.Clause) bool {
	if len(c.Objects) < 2 {
		return false
	}
	switch s.Tokens[s.Phrases[c.Objects[0]].Head].Norm {
	case "it", "this", "that", "them":
		return true
	}
	return false
}

// counted reports whether a phrase is a number of what is not named: "I sold six".
func counted(s *english.Sentence, phrase int) bool {
	p := s.Phrases[phrase]
	return p.End == p.First+1 && s.Tokens[p.First].Tag == "CD" && !p.Time && p.Of < 0
}

// complete adds what a noun asks for to what is had, liked or felt: "a love for
// horses", "the connection to nature".
func complete(s *english.Sentence, c *english.Clause, v value) value {
	verb := s.Group(*c).Verb
	if v.typ != Thing || !likings[verb] && verb != "have" && verb != "get" {
		return v
	}
	for _, p := range c.Preps {
		if np := s.Phrases[p.Phrase]; p.Token == v.end && np.First == v.end+1 && complements[p.Word] && !np.Time && !np.Pronoun && np.Owner == "" {
			v.end = fullEnd(s, p.Phrase)
			break
		}
	}
	return v
}

// complements are prepositions by which a noun says what it is directed at.
var complements = setOf("to for about with against between towards toward on")

// completed reports whether a phrase is followed by what its noun asks for.
func completed(s *english.Sentence, c *english.Clause, phrase int) bool {
	end := s.Phrases[phrase].End
	return complete(s, c, value{end: end, typ: Thing}).end > end
}

var replaced = setOf("change switch replace shift swap reset renew reschedule transfer")

// before are the objects that no preposition comes before, and those joined to
// them: what stands behind "to Rome, a city" says again what Rome is.
func before(s *english.Sentence, c *english.Clause) (all []int) {
	for _, o := range c.Objects {
		first := s.Phrases[o].First
		free := (len(c.Preps) == 0 || first < c.Preps[0].Token) && !marked(s, s.Group(*c).End, first)
		if free || len(all) > 0 && joinedTo(s, all[len(all)-1], o) {
			all = append(all, o)
		}
	}
	return all
}

// marked reports whether a mark or a conjunction stands between two tokens.
func marked(s *english.Sentence, from, to int) bool {
	for i := from; i < to; i++ {
		if t := s.Tokens[i]; strings.HasPrefix(t.Tag, "W") || t.Tag == "," && i == to-1 || t.Tag == "CC" && i == to-1 || t.Tag == ":" || t.Norm == "-" {
			return true
		}
	}
	return false
}

// chain is the last run of phrases that commas and "and" join. A pronoun or the name
// of who is spoken to, behind what is named, is no part of it: "I bought a car myself".
func chain(s *english.Sentence, phrases []int) []int {
	for n := len(phrases); n > 1 && (s.Phrases[phrases[n-1]].Pronoun || called(s, phrases[n-2], phrases[n-1])); n-- {
		phrases = phrases[:n-1]
	}
	first := 0
	for i := 1; i < len(phrases); i++ {
		if s.Phrases[phrases[i-1]].Of >= 0 && joinedTo(s, phrases[i-1], phrases[i]) {
			return phrases[first:i] // "the smell of bread and coffee": the second may hang on "of"
		}
		if !joinedTo(s, phrases[i-1], phrases[i]) {
			first = i
		}
	}
	return phrases[first:]
}

// called reports whether a name behind a phrase only calls somebody: "I love the idea
// Anna!"
func called(s *english.Sentence, before, name int) bool {
	b, n := s.Phrases[before], s.Phrases[name]
	return n.Named && n.First == b.End && !b.Named && !b.Human && !b.Pronoun && n.End < len(s.Tokens) && s.Tokens[n.End].Tag == "."
}

// pointed reports whether an object is something that speaker and hearer have
// before them: what is seen, known or liked without saying whose or which it is
// ("I saw the article", "Love the colors").
func pointed(s *english.Sentence, c *english.Clause, phrase int) bool {
	verb := s.Group(*c).Verb
	if !perceiving[verb] && !likings[verb] {
		return false
	}
	for _, o := range c.Objects { // the article of the first counts for those joined to it
		p := s.Phrases[o]
		if o == phrase || p.Determiner == "the" && joinedTo(s, o, phrase) {
			if p.Determiner == "the" && !s.Phrases[phrase].Named && s.Phrases[phrase].Of < 0 && !completed(s, c, phrase) && !known(s, phrase) {
				return true
			}
		}
	}
	return false
}

// perceiving verbs tell what somebody notices.
var perceiving = setOf("see know remember hear notice understand get recognize recognise recall mean")

// known reports whether "the" points at nothing, because there is only one such thing or
// it is said of all: "the ocean", "the color red".
func known(s *english.Sentence, phrase int) bool {
	p := s.Phrases[phrase]
	if generic[s.Tokens[p.Head].Lemma] || generic[s.Tokens[p.Head].Norm] {
		return true
	}
	return !p.Plural && p.End-p.First > 2 && slices.ContainsFunc(s.Tokens[p.First:p.End], func(t english.Token) bool { return t.Lemma == "color" || t.Lemma == "colour" })
}

// generic are nouns that have "the" when all of their kind is meant.
var generic = setOf("beach ocean sea outdoors outside countryside wilderness snow rain sun spring summer autumn fall winter guitar piano violin drum flute saxophone")

// ownObjects are things of the speaker's that something was done with: "I finished
// my novel".
func ownObjects(s *english.Sentence, c *english.Clause) (all []value) {
	g := s.Group(*c)
	if g.Tense != english.Past && !g.Perfect || changeVerbs[g.Verb] || light[g.Verb] || c.Who != english.Speaker {
		return nil
	}
	for _, o := range before(s, c) {
		if p := s.Phrases[o]; isFirstPerson(p.Owner) && !p.Named && p.First+1 < p.End && !empty(s, o) && !tiesOf[s.Tokens[p.Head].Lemma] {
			all = append(all, value{first: p.First + 1, end: p.End, typ: Thing, score: strong, said: g.Lemma})
		}
	}
	return all
}
