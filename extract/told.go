package extract

import (
	"slices"

	"daybook/english"
)

// valuesOf are the values that a clause tells, each worth a fact of its own: joined
// objects ("dogs and cats") are several. What is meant only in passing tells
// nothing: feelings of the moment, light verbs ("have a look"), and words that
// point at what the sentence does not name ("this one").
func valuesOf(s *english.Sentence, c *english.Clause) []value {
	if all := qualitiesFirst(s, c); len(all) > 0 {
		return all
	}
	switch c.Who {
	case english.Thing, english.Nobody, english.Hearer, english.HearerThing:
		return toldOfThing(s, c)
	}
	g := s.Group(*c)
	switch {
	case unnamed(s, c), ofUnnamed(s, c), interrupted(s, c), g.Negated && c.Flags.Has(english.Wish):
		return nil
	case g.Verb == "call" && len(c.Objects) == 2 && s.Tokens[s.Phrases[c.Objects[0]].Head].Norm == "me":
		v, ok := oneValue(s, c.Objects[1])
		v.said, v.mine = "nickname", true
		return some(v, ok)
	case likings[g.Verb] && g.Modal == "" && !c.Flags.Has(english.Wish):
		return liked(s, c)
	case g.Modal == "can" && g.Tense != english.Past && g.Verb != "be":
		return abilities(s, c)
	case ofStatus(s, c):
		return []value{{first: g.Main, end: g.Main + 1, typ: Quality, score: strong, said: "is"}}
	case isLinking(s, c) && !being[g.Verb]:
		return nil // how something seems or feels
	case isLinking(s, c):
		return attributes(s, c)
	case g.Verb == "go" && len(doings(s, c)) > 0:
		return doings(s, c)
	}
	for _, read := range []func(*english.Sentence, *english.Clause) []value{objects, places, ownObjects, qualityOf} {
		if all := read(s, c); len(all) > 0 {
			return all
		}
	}
	return nil
}

func some(v value, ok bool) []value {
	if !ok {
		return nil
	}
	return []value{v}
}

func isLinking(s *english.Sentence, c *english.Clause) bool {
	verb := s.Group(*c).Verb
	return c.Attribute >= 0 || c.Adjective >= 0 && being[verb] || verb == "be"
}

// being are verbs that say what somebody is, and not how it seems.
var being = setOf("be become stay remain turn")

// interrupted reports whether a verb right behind another has that one's subject for
// want of its own: "support I got was helpful".
func interrupted(s *english.Sentence, c *english.Clause) bool {
	first := s.Group(*c).First
	return c.Implicit && c.Kind == english.Main && first > 0 && (s.Tokens[first-1].Tag == "VBD" || s.Tokens[first-1].Tag == "VBN")
}

// unnamed reports whether a clause has no subject of its own in a place where the
// speaker cannot be meant: after another noun.
func unnamed(s *english.Sentence, c *english.Clause) bool {
	if c.Subject >= 0 || c.Kind != english.Main {
		return false
	}
	for _, p := range s.Phrases {
		if p.First < s.Group(*c).First && !p.Time && !p.Named {
			return true
		}
	}
	return false
}

// ofUnnamed reports whether the object of a clause is a pronoun that the sentence
// does not name: where or when it is done tells nothing then.
func ofUnnamed(s *english.Sentence, c *english.Clause) bool {
	if len(c.Objects) != 1 {
		return false
	}
	switch s.Tokens[s.Phrases[c.Objects[0]].Head].Norm {
	case "it", "this", "that", "them", "these", "those", "you":
		return true
	}
	return false
}

// ofStatus reports whether a clause tells of a status that its verb names: "I'm
// retired", "I just graduated", "we got engaged".
func ofStatus(s *english.Sentence, c *english.Clause) bool {
	g := s.Group(*c)
	if !statuses[g.Verb] || g.Main < 0 || g.Form != english.Finite || g.Negated || g.Modal != "" || len(c.Objects) > 0 {
		return false
	}
	return c.Who == english.Speaker && (s.Tokens[g.Main].Tag == "VBN" || s.Tokens[g.Main].Tag == "VBD")
}

// statuses are verbs whose participles say what somebody is before the law or at work.
var statuses = setOf("marry engage divorce separate widow retire graduate")

// qualitiesFirst reads adjectives that stand for things before what the speaker calls
// them: "blue and red are my favourite colours".
func qualitiesFirst(s *english.Sentence, c *english.Clause) (all []value) {
	g := s.Group(*c)
	a := ofMine(s, c.Attribute)
	if c.Subject >= 0 || g.Verb != "be" || a < 0 {
		return nil
	}
	for i := g.First - 1; i >= 0 && s.Tokens[i].Tag == "JJ"; i -= 2 {
		all = append(all, value{first: i, end: i + 1, typ: Quality, score: strong, said: bareWords(s, a), mine: true})
		if i < 2 || !joiner(s.Tokens[i-1].Norm) && s.Tokens[i-1].Norm != "," {
			break
		}
	}
	slices.Reverse(all)
	return all
}

// toldOfThing reads what a clause about a thing says of the speaker: "chocolate
// is my favourite", "Benedict leads my project", "the code to my flat is 4411".
func toldOfThing(s *english.Sentence, c *english.Clause) []value {
	if c.Subject < 0 || s.Phrases[c.Subject].Pronoun || c.Who != english.Thing && c.Who != english.Nobody {
		return nil
	}
	if a := ofMine(s, c.Attribute); a >= 0 && s.Group(*c).Verb == "be" && !(c.Adjective >= 0 && c.Adjective < s.Phrases[a].First) {
		v, ok := phraseValue(s, c.Subject)
		if !ok || deictic(s, c.Subject) || s.Phrases[c.Subject].Time || joinedToDoing(s, c.Subject) {
			return nil
		}
		v.subject, v.said = true, bareWords(s, a)
		if head := s.Tokens[s.Phrases[a].Head].Lemma; vague[head] || favourites[head] {
			v.said = "like"
		}
		return []value{v}
	}
	v, ok := bestValue(s, c)
	if ok && v.subject && !soundRelation(s, c, v, "") {
		return nil
	}
	if ok && (v.subject || isLinking(s, c) && v.typ != Thing && v.typ != Quality && ownPlace(s, c)) {
		return []value{v}
	}
	return nil
}

// favourites are nouns for what somebody likes.
var favourites = setOf("favorite favourite fave fav hobby pastime passion love obsession jam")

// joinedToDoing reports whether "and" joins a phrase to something done: "painting
// landscapes and still life is …".
func joinedToDoing(s *english.Sentence, phrase int) bool {
	first := s.Phrases[phrase].First
	return first > 0 && slices.ContainsFunc(s.Groups, func(g english.VerbGroup) bool { return g.Form == english.Gerund && g.End <= first })
}

// ofMine is the phrase that an attribute calls the speaker's: "my passion", "one of
// my favourites"; -1 where it is not.
func ofMine(s *english.Sentence, attribute int) int {
	if attribute >= 0 && s.Phrases[attribute].Of >= 0 && s.Tokens[s.Phrases[attribute].Head].Norm == "one" {
		attribute = s.Phrases[attribute].Of
	}
	if attribute < 0 || !isFirstPerson(s.Phrases[attribute].Owner) {
		return -1
	}
	return attribute
}
