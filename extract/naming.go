package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// namings are the names that a sentence gives to people and animals of the speaker's:
// "my sister Grace", "an old spaniel called Toby", and, of whom it or the sentence before
// it brought up, "his name is Bruno". The relation is what they are to the speaker.
func namings(last, s *sentence) (all []Statement) {
	for i := range s.Phrases {
		if tie, name := apposed(&s.Sentence, i); tie != "" {
			all = append(all, named(s, tie, name))
		}
	}
	for i := range s.Clauses {
		c := &s.Clauses[i]
		name, who := naming(&s.Sentence, c)
		if name < 0 {
			continue
		}
		tie := ""
		if who >= 0 {
			tie = tieIn(&s.Sentence, who)
		} else if tie = lastTie(&s.Sentence, c.First); tie == "" && last != nil && last.note.ID == s.note.ID {
			tie = lastTie(&last.Sentence, len(last.Tokens))
		}
		if tie != "" {
			p := s.Phrases[name]
			if p.Owner != "" {
				p.First++
			}
			all = append(all, named(s, tie, textOf(&s.Sentence, p.First, p.End)))
		}
	}
	return all
}

// named says that somebody of the speaker's has a name.
func named(s *sentence, tie, name string) Statement {
	return Statement{
		Start: s.Start, End: s.End, Who: english.Speaker, Relation: tie, Object: name, Type: Name,
		Kind: daybook.StateChange, Present: true, Own: true, plain: true, naming: true,
	}
}

// apposed are what somebody is to the speaker and the name behind it: "my sister Grace".
// Who was so once is not: "my late wife Ruth".
func apposed(s *english.Sentence, phrase int) (tie, name string) {
	p := s.Phrases[phrase]
	if !p.Named || !isFirstPerson(p.Owner) || p.Of >= 0 {
		return "", ""
	}
	first := p.End
	for first > p.First && strings.HasPrefix(s.Tokens[first-1].Tag, "NNP") && startsUpper(s.Tokens[first-1].Text) {
		first--
	}
	if first == p.End || first-1 <= p.First || !isTie(s.Tokens[first-1].Lemma) {
		return "", ""
	}
	for _, t := range s.Tokens[p.First+1 : first-1] {
		if bygone[t.Norm] {
			return "", ""
		}
	}
	return Kind(s.Tokens[first-1].Lemma), textOf(s, first, p.End)
}

// bygone are adjectives of who is not what they were any more.
var bygone = setOf("ex late former old previous first")

// naming finds the name that a clause gives, and the phrase for whom it names where it
// stands right before: -1 where it only points back.
func naming(s *english.Sentence, c *english.Clause) (name, who int) {
	if c.Verb < 0 || c.Flags.Has(meantOtherwise|english.Negated) {
		return -1, -1
	}
	g, subject := s.Group(*c), english.NounPhrase{}
	if c.Subject >= 0 {
		subject = s.Phrases[c.Subject]
	}
	switch verb := g.Verb; {
	case (verb == "call" || verb == "name") && c.Kind == english.Reduced && len(c.Objects) == 1 && g.First == subject.End && c.Parent >= 0 && s.Clauses[c.Parent].Who == english.Speaker:
		name, who = c.Objects[0], c.Subject
	case (verb == "call" || verb == "name") && c.Who == english.Speaker && g.Tense == english.Past && len(c.Objects) == 1 && pointsBack[strings.ToLower(s.Phrases[c.Objects[0]].Owner)]:
		name, who = c.Objects[0], -1 // "named her Olive": read as if she owned it
	case (verb == "call" || verb == "name") && g.Passive && len(c.Objects) == 1 && subject.Pronoun && pointsBack[s.Tokens[subject.Head].Norm]:
		name, who = c.Objects[0], -1
	case verb == "be" && c.Attribute >= 0 && s.Tokens[subject.Head].Lemma == "name" && pointsBack[strings.ToLower(subject.Owner)]:
		name, who = c.Attribute, -1
	default:
		return -1, -1
	}
	if !s.Phrases[name].Named {
		return -1, -1
	}
	return name, who
}

var pointsBack = setOf("he she it his her its")

// tieIn is what a phrase calls somebody who is new in the talk and the speaker's: "a
// puppy", "my neighbour"; empty where it is anybody else.
func tieIn(s *english.Sentence, phrase int) string {
	p := s.Phrases[phrase]
	head := s.Tokens[p.Head].Lemma
	if fresh := p.Determiner == "a" || p.Determiner == "an" || isFirstPerson(p.Owner); p.Named || p.Plural || !isTie(head) || !fresh {
		return ""
	}
	return Kind(head)
}

// lastTie is the last that tieIn finds before a token, in a clause of the speaker's.
func lastTie(s *english.Sentence, before int) (tie string) {
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Who != english.Speaker || c.First >= before || c.Flags.Has(notDone) {
			continue
		}
		verb := s.Group(*c).Verb
		for _, o := range c.Objects {
			head := s.Tokens[s.Phrases[o].Head].Lemma
			switch t := tieIn(s, o); {
			case s.Phrases[o].End > before:
			case t != "" && (!english.IsPerson(head) || gaining[verb]):
				tie = t
			case head == "someone" && (verb == "see" || verb == "date"):
				tie = "partner"
			}
		}
	}
	return tie
}

// gaining are verbs by which a person becomes somebody's: not all whom one meets do.
var gaining = setOf("have get hire find see date")

// isTie reports whether a noun says what a person or an animal is to somebody.
func isTie(noun string) bool { return english.IsPerson(noun) || tiesOf[noun] || breeds[noun] != "" }

// Kind is what an animal is called whatever its age and breed: "dog" for a puppy. Other
// nouns are themselves.
func Kind(noun string) string {
	if k := breeds[noun]; k != "" {
		return k
	}
	return noun
}

var breeds = func() map[string]string {
	m := map[string]string{}
	for kind, nouns := range map[string]string{
		"dog":    "puppy pup doggo doggy labrador retriever spaniel poodle terrier beagle dachshund collie bulldog corgi husky pug chihuahua greyhound whippet dalmatian rottweiler schnauzer mutt",
		"cat":    "kitten kitty tabby",
		"horse":  "pony foal mare gelding",
		"rabbit": "bunny",
		"bird":   "parrot budgie canary cockatiel parakeet",
		"fish":   "goldfish",
		"turtle": "tortoise",
		"baby":   "newborn",
	} {
		for n := range setOf(nouns) {
			m[n] = kind
		}
	}
	return m
}()
