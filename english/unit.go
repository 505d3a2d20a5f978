package english

import "strings"

// unit is what clauses are built of: a chunk or a single token.
type unit struct {
	kind   unitKind
	index  int // of the phrase or group; of the token for the rest
	first  int // token
	clause int // which clause it belongs to, or -1
}

type unitKind uint8

const (
	unitOther unitKind = iota
	unitPhrase
	unitGroup
	unitPrep
	unitSub // a subordinator or relative
	unitCC
	unitMark // comma, colon, dash, bracket, quote
	unitAdjective
	unitAdverb
	unitWh
)

func (s *Sentence) makeUnits() []unit {
	units := make([]unit, 0, len(s.Tokens))
	np, g := 0, 0
	for i := 0; i < len(s.Tokens); {
		switch {
		case g < len(s.Groups) && s.Groups[g].First == i:
			units = append(units, unit{unitGroup, g, i, -1})
			i = s.Groups[g].End
			for np < len(s.Phrases) && s.Phrases[np].First < i {
				np++ // the subject inside an inverted group
			}
			g++
		case np < len(s.Phrases) && s.Phrases[np].First == i:
			units = append(units, unit{unitPhrase, np, i, -1})
			i = s.Phrases[np].End
			np++
		default:
			units = append(units, unit{s.tokenUnit(i), i, i, -1})
			i++
		}
	}
	s.markSubordinators(units)
	return units
}

func (s *Sentence) tokenUnit(i int) unitKind {
	t := s.Tokens[i]
	switch {
	case t.Tag == "WP" || t.Tag == "WDT" || t.Tag == "WRB" || t.Tag == "WP$":
		return unitWh
	case t.Tag == "CC":
		return unitCC
	case strings.Contains(`, : ( ) `+"`` ''"+` "`, t.Tag) && t.Tag != "":
		return unitMark
	case t.Tag == "IN" || t.Tag == "TO" || t.Tag == "RP" && prepositions[t.Norm]:
		return unitPrep
	case isAdjTag(t.Tag) || t.Tag == "VBN":
		return unitAdjective
	case isAdverbTag(t.Tag) || t.Tag == "RP":
		return unitAdverb
	}
	return unitOther
}

// markSubordinators decides which prepositions, adverbs and question words begin
// a dependent clause.
func (s *Sentence) markSubordinators(units []unit) {
	for i := range units {
		u := &units[i]
		if u.kind != unitPrep && u.kind != unitWh && u.kind != unitAdverb {
			continue
		}
		norm := s.Tokens[u.index].Norm
		switch {
		case !subordinators[norm]:
		case u.kind == unitWh && i == 0:
			if norm == "when" && !s.isQuestionAt(units, i) || (norm == "where" || norm == "whenever") && !s.isQuestionAt(units, i) {
				u.kind = unitSub
			}
		case u.kind == unitPrep && i+1 < len(units) && units[i+1].kind == unitWh: // "since when"
		case norm == "because" && i+1 < len(units) && s.Tokens[units[i+1].first].Norm == "of":
		case u.kind == unitWh:
			if i > 0 && !s.isQuestionAt(units, i) || i > 0 && units[i-1].kind == unitPhrase {
				u.kind = unitSub
			}
		case s.clauseFollows(units, i+1, norm):
			u.kind = unitSub
		}
	}
}

// isQuestionAt reports whether an inverted verb follows the question word at i.
func (s *Sentence) isQuestionAt(units []unit, i int) bool {
	for j := i + 1; j < len(units) && j < i+4; j++ {
		if units[j].kind == unitGroup {
			g := s.Groups[units[j].index]
			return g.Inverted || strings.HasSuffix(s.Text, "?") && (g.Verb == "be" || i == 0)
		}
	}
	return false
}

// clauseFollows reports whether a subject and a finite verb, or a gerund, come
// after a word that can be a subordinator.
func (s *Sentence) clauseFollows(units []unit, i int, norm string) bool {
	seen := false
	for ; i < len(units); i++ {
		switch u := units[i]; u.kind {
		case unitPhrase:
			seen = seen || !s.Phrases[u.index].Time || norm == "because" || norm == "if"
		case unitGroup:
			g := s.Groups[u.index]
			if g.Form == Gerund || g.Form == Participle {
				return !seen && (norm == "before" || norm == "after" || norm == "while" || norm == "since" || norm == "when" || norm == "once" || norm == "if")
			}
			return seen && g.Form != Infinitive || norm == "if" || norm == "because" || g.Inverted
		case unitMark, unitCC:
			if !seen || s.Tokens[u.first].Norm == "," || u.kind == unitMark {
				return false
			}
		case unitPrep:
			if seen && subordinators[s.Tokens[u.index].Norm] && s.Tokens[u.index].Norm != "as" {
				return false
			}
		}
	}
	return false
}
