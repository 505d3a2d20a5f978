package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// ties are the people and animals that belong to the speaker, by the words of a
// sentence: who says "my sister" has one. Parents say nothing: all have them.
func ties(s *english.Sentence) (all []Statement) {
	for i, p := range s.Phrases {
		head := s.Tokens[p.Head].Lemma
		ours := strings.EqualFold(p.Owner, "our") && !p.Plural // "our kids" may be everybody's
		if !strings.EqualFold(p.Owner, "my") && !ours || p.Named || !tiesOf[head] && !vehicles[head] {
			continue
		}
		all = append(all, Statement{
			Start: s.Start, End: s.End, Who: english.Speaker, Relation: "have", Object: bareWords(s, i), Type: Thing,
			Kind: daybook.StateChange, Present: true, Own: true, Additive: true,
		})
	}
	return all
}

var tiesOf = setOf(`wife husband spouse fiance fiancee girlfriend boyfriend partner son daughter child kid baby toddler twin brother sister sibling nephew niece grandson granddaughter grandchild stepson stepdaughter
	roommate flatmate dog puppy pup cat kitten kitty pet hamster parrot rabbit bunny horse pony goldfish turtle lizard snake`)

var vehicles = setOf("car truck van suv jeep motorcycle motorbike moped scooter bike bicycle boat minivan convertible sedan")
