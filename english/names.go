package english

import (
	"strings"
)

// NameKind is a hint at what a name names.
type NameKind string

// Kinds of names.
const (
	PersonName NameKind = "person"
	PlaceName  NameKind = "place"
	OrgName    NameKind = "organisation"
	OtherName  NameKind = ""
)

// Name is a proper name in a sentence.
type Name struct {
	First, End int // tokens [First, End)
	Text       string
	Kind       NameKind
}

// Names returns the proper names of a sentence in order: runs of capitalised
// proper nouns, joined across "of", "&" and the like. A word that has its capital
// only from the start of the sentence is none, nor are days and months.
func (s *Sentence) Names() []Name {
	var names []Name
	for i := 0; i < len(s.Tokens); {
		end := nameEnd(s.Tokens, i)
		if end == i {
			i++
			continue
		}
		n := Name{First: i, End: end, Text: joinTokens(s.Tokens, i, end)}
		n.Kind = s.nameKind(n)
		names = append(names, n)
		i = end
	}
	return names
}

// nameEnd returns where the name that begins at i ends, or i if none does.
func nameEnd(t []Token, i int) int {
	if !isNamePart(t, i) {
		return i
	}
	end := i + 1
	for end < len(t) {
		switch {
		case isNamePart(t, end) || t[end].Tag == "CD" && len(t[end].Text) <= 2 && !months[t[end-1].Norm]:
			end++
		case nameLinks[t[end].Norm] && end+1 < len(t) && isNamePart(t, end+1) && t[end].Norm != "and":
			end += 2
		default:
			return end
		}
	}
	return end
}

var nameLinks = set("of the & de la van von del di da")

// shortDays are days of the week as people write them in short. "Sun" and "Sat"
// may be names.
var shortDays = set("mon tue tues wed thu thur thurs fri")

func isNamePart(t []Token, i int) bool {
	tok := t[i]
	return strings.HasPrefix(tok.Tag, "NNP") && isCapital(tok) && !weekdays[tok.Norm] && !months[tok.Norm] && !shortDays[strings.TrimSuffix(tok.Norm, ".")] && !interjections[tok.Norm] ||
		strings.HasPrefix(tok.Tag, "NNP") && tok.Text[0] == '@' ||
		titles[strings.TrimSuffix(tok.Norm, ".")] && strings.HasSuffix(tok.Text, ".") && isCapital(tok)
}

func (s *Sentence) nameKind(n Name) NameKind {
	first, last := s.Tokens[n.First].Norm, s.Tokens[n.End-1].Norm
	prev, prev2 := "", ""
	if n.First > 0 {
		prev = s.Tokens[n.First-1].Norm
	}
	if n.First > 1 {
		prev2 = s.Tokens[n.First-2].Lemma
	}
	switch {
	case orgWords[last] || orgWords[first] && n.End > n.First+1:
		return OrgName
	case titles[strings.TrimSuffix(first, ".")] && first != "st." && first != "mt.":
		return PersonName
	case placeWords[last] || placeWords[first] && n.End > n.First+1 || places[strings.ToLower(n.Text)]:
		return PlaceName
	case firstNames[first]:
		return PersonName
	case (prev == "at" || prev == "for" || prev == "with") && (prev2 == "work" || prev2 == "intern" || prev2 == "job") || prev2 == "join" || prev == "join" || prev == "joined":
		return OrgName
	case (prev == "in" || prev == "to" || prev == "from" || prev == "near" || prev == "around") && !changeThing[prev2]:
		return PlaceName
	case s.isAgent(n) || personNouns[prev]:
		return PersonName
	}
	return OtherName
}

// changeThing are verbs whose "to" and "from" lead to things, not places.
var changeThing = set("switch talk speak listen change give say write belong sell send subscribe explain")

// isAgent reports whether a verb that only people do follows the name.
func (s *Sentence) isAgent(n Name) bool {
	for _, g := range s.Groups {
		if g.First >= n.End && g.First <= n.End+1 || g.inner == n.First {
			return personVerbs[g.Verb]
		}
	}
	return false
}

var orgWords = set("inc inc. ltd ltd. corp corp. llc gmbh company university college school academy institute hospital clinic bank museum foundation association club church agency studio studios labs group partners ministry department library team orchestra")

var placeWords = set("street avenue road lane boulevard park city town village county island islands lake river mountain mountains mount beach bay valley square station airport bridge forest hills heights harbor harbour port coast falls canyon st. mt. north south east west")

var places = set(`africa america asia europe australia argentina austria belgium brazil canada chile china colombia croatia cuba denmark egypt england estonia ethiopia finland france germany ghana greece
hungary iceland india indonesia iran iraq ireland israel italy jamaica japan kenya korea lebanon malaysia mexico morocco nepal netherlands nigeria norway pakistan peru philippines poland portugal romania
russia scotland singapore spain sweden switzerland taiwan thailand turkey uganda ukraine vietnam wales usa us uk california texas florida oregon colorado ohio michigan virginia arizona nevada utah hawaii
alaska london paris berlin madrid rome vienna oslo stockholm helsinki copenhagen amsterdam brussels dublin lisbon athens prague warsaw budapest zurich geneva munich hamburg milan venice florence naples
barcelona seville valencia lyon edinburgh glasgow manchester liverpool birmingham moscow istanbul cairo nairobi lagos delhi mumbai bangalore beijing shanghai tokyo kyoto osaka seoul bangkok hanoi manila
sydney melbourne auckland toronto montreal vancouver boston chicago seattle denver austin dallas houston miami atlanta philadelphia phoenix portland detroit minneapolis brooklyn manhattan`)
