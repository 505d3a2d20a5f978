package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// attributes are what a linking verb says that somebody is.
func attributes(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	switch {
	case g.Modal == "have to" || g.Modal == "should" || g.Modal == "must":
		return nil
	case c.Attribute >= 0:
		return nouns(s, c)
	case c.Adjective >= 0 && being[g.Verb]:
		return adjectives(s, c)
	}
	if gerund, ok := gerundValue(s, c); ok {
		return []value{gerund}
	}
	return places(s, c)
}

// nouns are the attributes of a clause that has one in a noun, and those joined to it.
func nouns(s *english.Sentence, c *english.Clause) (all []value) {
	a := c.Attribute
	if admirers[s.Tokens[s.Phrases[a].Head].Lemma] {
		return some(admired(s, a))
	}
	if tiedBetween(s, s.Group(*c).End, s.Phrases[a].First) {
		return nil // "I'm here for you every step of the way"
	}
	for _, p := range firstRun(s, append([]int{a}, c.Objects...)) {
		v, ok := oneValue(s, p)
		if !ok || deictic(s, p) || bare(s, c, p) || empty(s, p) && (v.typ != When || c.Who != english.SpeakerThing) {
			continue
		}
		if v.typ == Number && followedBy(s, v, "IN") && !isAge(s, v) {
			continue // "100% behind you"
		}
		if v.typ == Number && isAge(s, v) && c.Who != english.SpeakerThing {
			v.said = "age"
		}
		all = append(all, v)
	}
	return all
}

// adjectives are the attribute of a clause that has it in an adjective: the adjective, or
// what it is directed at.
func adjectives(s *english.Sentence, c *english.Clause) []value {
	if tiedBetween(s, s.Group(*c).End, c.Adjective) {
		return places(s, c)
	}
	if status[s.Tokens[c.Adjective].Norm] {
		return []value{{first: c.Adjective, end: c.Adjective + 1, typ: Quality, score: strong, said: "is"}}
	}
	if v, ok := towards(s, c); ok {
		return []value{v}
	}
	v := adjectiveValue(s, c)
	last := s.Tokens[v.end-1]
	if moody(s.Tokens[v.first].Norm) || moody(last.Norm) || moody(last.Lemma) || directed(c, v) || leadsOn(s, v) {
		return nil
	}
	return []value{v}
}

// status are adjectives that say whether somebody has a husband or a wife.
var status = setOf("married single divorced engaged separated widowed unmarried")

// tiedBetween reports whether a preposition stands between two tokens.
func tiedBetween(s *english.Sentence, from, to int) bool {
	return from < to && slices.ContainsFunc(s.Tokens[from:to], func(t english.Token) bool { return t.Tag == "IN" || t.Tag == "TO" })
}

// firstRun is the first run of phrases that commas and "and" join.
func firstRun(s *english.Sentence, phrases []int) []int {
	for i := 1; i < len(phrases); i++ {
		if !joinedTo(s, phrases[i-1], phrases[i]) {
			return phrases[:i]
		}
	}
	return phrases
}

// bare reports whether a noun that says what somebody is lacks the article that a
// role would have ("I'm game", "I'm all ears"), or stands apart behind an adjective.
func bare(s *english.Sentence, c *english.Clause, attribute int) bool {
	p := s.Phrases[attribute]
	if c.Adjective >= 0 && c.Adjective < p.First || p.First > 0 && (s.Tokens[p.First-1].Norm == "quite" || s.Tokens[p.First].Norm == "such") {
		return true
	}
	if p.Plural && p.Human && c.Subject >= 0 && len(c.CoSubjects) == 0 && !s.Phrases[c.Subject].Plural {
		return true // "I'm friends with …"
	}
	person := c.Who == english.Speaker || c.Who == english.Person
	return person && p.Determiner == "" && p.Owner == "" && !p.Named && !p.Human && !p.Time && s.Tokens[p.First].Tag != "CD" && !agent(s.Tokens[p.Head].Lemma)
}

// agent reports whether a noun names somebody by what they do, by its ending.
func agent(noun string) bool {
	for _, end := range []string{"er", "or", "ist", "ian", "ant", "man", "mate"} {
		if strings.HasSuffix(noun, end) {
			return true
		}
	}
	return false
}

// towards reads "allergic to nuts", "passionate about dance": what an adjective is
// directed at is the value.
func towards(s *english.Sentence, c *english.Clause) (value, bool) {
	v := adjectiveValue(s, c)
	if v.first > 0 && s.Tokens[v.first-1].Norm == "too" {
		return value{}, false
	}
	for _, p := range c.Preps {
		if p.Token != v.end || p.Word != "to" && p.Word != "about" && p.Word != "of" && p.Word != "in" && p.Word != "with" && p.Word != "at" {
			continue
		}
		adjective := s.Tokens[v.end-1].Norm
		said := adjective + " " + p.Word
		if _, known := canonicalOf["be "+said]; known {
			said = "be " + said
		} else if passing[adjective] {
			return value{}, false
		}
		w, ok := oneValue(s, p.Phrase)
		w.said = said
		return w, ok && !deictic(s, p.Phrase) && !empty(s, p.Phrase)
	}
	return value{}, false
}

// directed reports whether a preposition follows an adjective: without what it is
// directed at, the adjective says too little.
func directed(c *english.Clause, v value) bool {
	return len(c.Preps) > 0 && c.Preps[0].Token == v.end
}

// leadsOn reports whether what an adjective is directed at is a doing: "open to
// exploring".
func leadsOn(s *english.Sentence, v value) bool {
	return v.end+1 < len(s.Tokens) && (s.Tokens[v.end].Tag == "TO" || s.Tokens[v.end].Tag == "IN") && strings.HasPrefix(s.Tokens[v.end+1].Tag, "VB")
}

// moody reports whether an adjective tells of a mood or an opinion.
func moody(adjective string) bool {
	return passing[adjective] || strings.HasSuffix(adjective, "ing")
}

// passing adjectives tell of a mood or of what somebody thinks of something.
var passing = setOf(`good great fine well okay ok bad awful terrible amazing awesome wonderful fantastic incredible excellent perfect nice lovely cool neat fun funny happy glad sad sorry sure excited thrilled
	stoked pumped proud grateful thankful thrilled delighted pleased touched impressed amazed surprised shocked curious interested eager ready able tired sleepy exhausted bored busy hungry thirsty late early
	upset angry mad annoyed frustrated worried nervous anxious scared afraid stressed overwhelmed lost stuck confused embarrassed ashamed jealous disappointed hopeful optimistic positive determined motivated inspired
	lucky blessed honored honoured fortunate free welcome right wrong true aware done here there back tough hard easy difficult important special beautiful gorgeous cute interesting exciting amused relieved relaxed
	calm fulfilling rewarding tricky close up down super committed keen obsessed passionate convinced certain willing alone different jealous kidding joking trying looking going doing worth`)

// admired reads "I'm a big fan of jazz": what is liked is the value.
func admired(s *english.Sentence, attribute int) (value, bool) {
	p := s.Phrases[attribute]
	if p.Of >= 0 {
		v, ok := oneValue(s, p.Of)
		v.said = "be fan of"
		return v, ok && !deictic(s, p.Of)
	}
	if first := p.Head - 1; first >= p.First && strings.HasPrefix(s.Tokens[first].Tag, "NN") {
		return value{first: first, end: p.Head, typ: Thing, score: strong, said: "be fan of"}, true
	}
	return value{}, false
}

var admirers = setOf("fan lover enthusiast admirer buff")

// isAge reports whether a value is a number of years that a person can have.
func isAge(s *english.Sentence, v value) bool {
	t := s.Tokens[v.first]
	if t.Tag != "CD" || len(t.Norm) > 2 && strings.ContainsAny(t.Norm, "0123456789") {
		return false
	}
	return v.end == v.first+1 || strings.HasPrefix(s.Tokens[v.first+1].Norm, "year")
}
