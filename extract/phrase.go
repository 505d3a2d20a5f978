package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// fullEnd is where a phrase ends, with what "of" ties to it.
func fullEnd(s *english.Sentence, phrase int) int {
	end := s.Phrases[phrase].End
	for of := s.Phrases[phrase].Of; of >= 0; of = s.Phrases[of].Of {
		end = max(end, s.Phrases[of].End)
	}
	return end
}

// joinedTo reports whether only commas, "and" and "or" stand between two phrases.
func joinedTo(s *english.Sentence, a, b int) bool {
	from, to := fullEnd(s, a), s.Phrases[b].First
	if from >= to {
		return false
	}
	for _, t := range s.Tokens[from:to] {
		if t.Norm != "," && t.Norm != "and" && t.Norm != "or" && t.Norm != "&" {
			return false
		}
	}
	return true
}

// deictic reports whether a phrase only points: "this color", "that", "his car" of
// somebody who is not named.
func deictic(s *english.Sentence, phrase int) bool {
	switch s.Phrases[phrase].Determiner {
	case "this", "that", "these", "those":
		return true
	}
	if s.Tokens[s.Phrases[phrase].Head].Norm == "same" {
		return true
	}
	for of := s.Phrases[phrase].Of; of >= 0; of = s.Phrases[of].Of {
		if s.Phrases[of].Pronoun && s.Phrases[of].Of < 0 {
			return true // "reminders of it"
		}
	}
	switch strings.ToLower(s.Phrases[phrase].Owner) {
	case "his", "her", "their", "its":
		return true
	}
	return false
}

func yours(s *english.Sentence, phrase int) bool {
	return strings.EqualFold(s.Phrases[phrase].Owner, "your")
}

// empty reports whether a phrase names nothing: "a lot of things", "no matter",
// "some time".
func empty(s *english.Sentence, phrase int) bool {
	p := s.Phrases[phrase]
	for p.Of >= 0 {
		if !vague[s.Tokens[p.Head].Lemma] && !amounts[s.Tokens[p.Head].Lemma] {
			return false
		}
		p = s.Phrases[p.Of]
	}
	head := s.Tokens[p.Head].Lemma
	return p.Pronoun || amounts[head] || vague[head] && p.End-p.First <= 2 || p.Determiner == "no" && head == "matter" || p.Time && !strings.HasPrefix(s.Tokens[p.Head].Tag, "NNP")
}

// amounts are nouns that only say how much of something there is.
var amounts = setOf("more age lot bit ton bunch couple plenty load kind sort type rest most some many few much half")

// light verbs tell what is done only by the nouns beside them, and nothing that is had.
var (
	light      = setOf("lend try have make take give get do keep put pay")
	lightNouns = setOf("person trial error try shot go look chat talk blast time fun difference sense progress chance break care part note moment laugh rest idea clue problem doubt question feeling luck hope faith point effect impact reason way touch attention mind eye word step turn advantage use room thought hand")
)

// phraseFrom is the phrase that begins at a token, or -1. Pronouns are none.
func phraseFrom(s *english.Sentence, token int) int {
	return slices.IndexFunc(s.Phrases, func(p english.NounPhrase) bool { return p.First == token && !p.Pronoun })
}

func joiner(norm string) bool { return norm == "and" || norm == "or" || norm == "&" }
