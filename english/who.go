package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// setWho decides whose state a clause speaks of.
func (s *Sentence) setWho(c *Clause) {
	if c.Subject < 0 {
		c.Who = s.whoImplicit(*c)
		return
	}
	c.Who, c.Role = s.whoOf(c.Subject)
	if s.includesSpeaker(c) {
		c.Who, c.Role = Speaker, "" // "my wife and I"
		return
	}
	if c.Who == Thing && c.Subordinator == "who" {
		c.Who = Person
	}
	if c.Who == Person && c.Role != "" && !c.Implicit && s.isNaming(*c) {
		c.Who = thingOf(s.Phrases[c.Subject].Owner)
		if s.Phrases[c.Subject].Owner == "" {
			c.Who = Thing // "the plumber we trust is Anna"
		}
	}
}

// includesSpeaker reports whether the speaker is one of those joined in the
// subject.
func (s *Sentence) includesSpeaker(c *Clause) bool {
	return slices.ContainsFunc(c.CoSubjects, func(p int) bool {
		return s.Tokens[s.Phrases[p].Head].Norm == "i"
	})
}

func (s *Sentence) whoImplicit(c Clause) Who {
	g := s.Group(c)
	switch {
	case c.Verb < 0:
		return Nobody
	case c.Kind == Reduced && c.Parent < 0:
		return Nobody
	case c.Kind == Reduced:
		return s.Clauses[c.Parent].Who
	case g.Form == Base && feelingVerbs[g.Verb]:
		return Speaker // "Love this song"
	case g.Form == Base:
		return Hearer
	case !c.Implicit && s.startsWithWh(c) && s.Tokens[c.First].Norm == "who":
		return Person
	case !c.Implicit:
		return Thing // a gerund or a question word is the subject
	case g.Form == Finite && g.Tense == Present && s.Tokens[g.First].Tag == "VBZ":
		return Thing
	}
	return Speaker
}

// feelingVerbs in their base form say what the speaker feels, not what somebody
// should do.
var feelingVerbs = set("love hope miss like hate appreciate guess think wish want need enjoy feel believe prefer know")

// whoOf classifies a noun phrase; role is the noun by which somebody or
// something is tied to its owner.
func (s *Sentence) whoOf(phrase int) (who Who, role string) {
	np := s.Phrases[phrase]
	head := s.Tokens[np.Head]
	switch {
	case np.Pronoun:
		return pronounWho(head.Norm), ""
	case np.Owner != "":
		if np.Human || petNouns[head.Lemma] {
			return Person, head.Lemma
		}
		if s.ownedByThing(np) {
			return Thing, head.Lemma
		}
		if ofOwnThing(np.Owner) {
			return SpeakerThing, head.Lemma
		}
		return thingOf(np.Owner), head.Lemma
	case np.Of >= 0 && !np.Human:
		if owner := s.Phrases[np.Of].Owner; owner != "" && (head.Norm == "one" || head.Norm == "some") {
			return thingOf(owner), s.Tokens[s.Phrases[np.Of].Head].Lemma
		}
		return Thing, head.Lemma
	case np.Named && (np.Human || s.actsLikePerson(phrase)):
		return Person, ""
	case np.Human:
		return Person, head.Lemma
	}
	return Thing, ""
}

// ownedByThing: "its home", "the bike's spot" speak of a thing of a thing.
func (s *Sentence) ownedByThing(np NounPhrase) bool {
	owner := strings.ToLower(np.Owner)
	if owner == "its" {
		return true
	}
	words := strings.Fields(owner)
	last := nounLemma(words[len(words)-1])
	return words[0] == "the" && !personNouns[last] && !isCapital(s.Tokens[max(np.Head-2, np.First)])
}

// ofOwnThing: "our club's treasurer", "my car's insurance" speak of a thing of the
// speaker's own thing, which is the speaker's too. What may be a person is none.
func ofOwnThing(owner string) bool {
	words := strings.Fields(strings.ToLower(owner))
	if len(words) < 2 || words[0] != "my" && words[0] != "our" {
		return false
	}
	last := nounLemma(words[len(words)-1])
	person := personNouns[last] || petNouns[last] || strings.HasSuffix(last, "er") || strings.HasSuffix(last, "or") || strings.HasSuffix(last, "ist") || strings.HasSuffix(last, "ant") || strings.HasSuffix(last, "mate") || strings.HasSuffix(last, "ian")
	return !person && !isCapitalWord(owner)
}

// isCapitalWord reports whether the last word of a text is written as a name.
func isCapitalWord(text string) bool {
	words := strings.Fields(text)
	r, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return unicode.IsUpper(r)
}

// actsLikePerson: a single unknown name that is the subject of a verb that only
// people do.
func (s *Sentence) actsLikePerson(phrase int) bool {
	for _, g := range s.Groups {
		if g.First >= s.Phrases[phrase].End && g.First <= s.Phrases[phrase].End+2 {
			return personVerbs[g.Verb]
		}
		if g.inner == s.Phrases[phrase].First {
			return personVerbs[g.Verb] || g.Verb == "be"
		}
	}
	return false
}

var personVerbs = set("say tell think know love like hate live work move drink eat drive marry study teach want hope wish feel believe speak talk laugh cry call text email visit travel cook prefer enjoy play read write watch wear buy meet ask answer decide plan try learn remember forget quit retire go come sleep walk run swim own have")

func pronounWho(norm string) Who {
	switch norm {
	case "i", "we", "me", "us", "myself", "ourselves", "'s":
		return Speaker
	case "mine":
		return SpeakerThing
	case "you", "yourself":
		return Hearer
	case "yours":
		return HearerThing
	case "he", "she", "him", "her", "they", "them", "someone", "somebody", "everyone", "everybody", "nobody", "anyone", "anybody":
		return Person
	}
	return Thing
}

func thingOf(owner string) Who {
	switch strings.ToLower(owner) {
	case "my", "our":
		return SpeakerThing
	case "your":
		return HearerThing
	}
	return PersonThing
}

// isNaming reports whether a clause says who holds a role: "my manager is
// Lorenzo", "our new dentist is called Dr. Wu". What a role does or is like says
// something about the person instead.
func (s *Sentence) isNaming(c Clause) bool {
	g := s.Group(c)
	if g.Passive && (g.Verb == "call" || g.Verb == "name") {
		return true
	}
	if g.Verb != "be" && g.Verb != "become" || c.Attribute < 0 {
		return false
	}
	np := s.Phrases[c.Attribute]
	return np.Named || np.Human && !np.Pronoun && np.Owner != ""
}
