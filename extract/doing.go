package extract

import (
	"strings"

	"daybook/english"
)

// doings are what somebody likes to do, or goes to do: the infinitives and
// gerunds that hang on a verb.
func doings(s *english.Sentence, c *english.Clause) (all []value) {
	verb := s.Group(*c).Lemma
	for i := range s.Clauses {
		d := &s.Clauses[i]
		if !hangsOn(s, d, c) || s.Group(*d).Form == english.Base && len(all) == 0 || verb == "go" && s.Group(*d).Form != english.Gerund {
			continue
		}
		if pointsAway(s, d) || s.Group(*d).Negated {
			continue
		}
		g := s.Group(*d)
		if len(all) == 0 && g.First > 0 && s.Tokens[g.First-1].Tag == "," {
			continue // it begins a sentence of its own: "I like them, working there would be fun"
		}
		v := value{first: doingFirstWord(s, d), end: doingEnd(s, d), typ: Activity, score: strong, said: verb}
		if wholeDoing(s, d, v.end) {
			all = append(all, v)
		}
	}
	return all
}

// hangsOn reports whether a clause without tense says what the subject of another
// does, and nothing comes between them but others like it.
func hangsOn(s *english.Sentence, d, c *english.Clause) bool {
	if d.Kind != english.Reduced || d.Subordinator != "" || governor(s, d) != c || s.Group(*d).Main < 0 || d.Subject != c.Subject {
		return false
	}
	form := s.Group(*d).Form
	return form == english.Gerund || form == english.Infinitive || form == english.Base
}

// governor is the finite clause that a reduced clause hangs on, past others of
// its form that it is joined to: "I enjoy reading, swimming and hiking".
func governor(s *english.Sentence, d *english.Clause) *english.Clause {
	for range s.Clauses {
		if d.Parent < 0 {
			return nil
		}
		p := &s.Clauses[d.Parent]
		if p.Kind != english.Reduced || s.Group(*p).Form != s.Group(*d).Form || p.First > d.First {
			return p
		}
		d = p
	}
	return nil
}

// pointsAway reports whether what is done is done to something that is not named.
func pointsAway(s *english.Sentence, d *english.Clause) bool {
	if len(d.Preps) > 0 && s.Phrases[d.Preps[0].Phrase].Pronoun {
		return true
	}
	if len(d.Objects) == 0 {
		return false
	}
	o := d.Objects[0]
	return s.Phrases[o].Pronoun || deictic(s, o) || empty(s, o)
}

// doingFirstWord is where a doing begins: at its verb, or at the noun that goes with a
// gerund ("horseback riding").
func doingFirstWord(s *english.Sentence, d *english.Clause) int {
	g := s.Group(*d)
	first := g.First
	if p := first - 1; g.Form == english.Gerund && p > 0 && s.Tokens[p].Tag == "NN" && strings.HasPrefix(s.Tokens[p-1].Tag, "VB") {
		return p
	}
	return first
}

// doingEnd is where an activity ends: after its particle and its object, or after the
// first phrase that a preposition ties to it where there is none that tells much. What
// somebody goes to do belongs to it: "go rollerblading".
func doingEnd(s *english.Sentence, d *english.Clause) int {
	end, light := s.Group(*d).End, true
	for i := range s.Clauses {
		if o := &s.Clauses[i]; s.Group(*d).Verb == "go" && o.Kind == english.Reduced && s.Group(*o).First == end && s.Group(*o).Form == english.Gerund {
			return doingEnd(s, o)
		}
	}
	if end < len(s.Tokens) && s.Tokens[end].Tag == "RP" || end+1 < len(s.Tokens) && upAndOut[s.Tokens[end].Norm] && s.Tokens[end+1].Tag == "IN" {
		end++
	}
	for _, o := range d.Objects {
		first := s.Phrases[o].First
		if quoted := first == end+1 && strings.ContainsAny(s.Tokens[end].Norm, "\"“‘"); first == end || quoted {
			end, light = fullEnd(s, o), lightNouns[s.Tokens[s.Phrases[o].Head].Lemma]
			if quoted && end < len(s.Tokens) && strings.ContainsAny(s.Tokens[end].Norm, "\"”’") {
				end++
			}
			break
		}
	}
	for _, p := range d.Preps {
		if light && p.Token == end && !s.Phrases[p.Phrase].Pronoun {
			return fullEnd(s, p.Phrase)
		}
	}
	return end
}

// upAndOut are adverbs of place that belong to the verb before them.
var upAndOut = setOf("up out down around together off away back along over")

// wholeDoing reports whether a doing that ends at a token says enough: a verb that
// needs an object has one, and nothing that it depends on follows.
func wholeDoing(s *english.Sentence, d *english.Clause, end int) bool {
	g := s.Group(*d)
	if end > g.Main+1 || end >= len(s.Tokens) {
		return true
	}
	if light[g.Verb] || being[g.Verb] || perceiving[g.Verb] {
		return false
	}
	next := s.Tokens[end].Tag
	return !strings.HasPrefix(next, "VB") && !strings.HasPrefix(next, "W") && !strings.HasPrefix(next, "PRP") && !(next == "IN" && followsWh(s, end))
}

// followsWh reports whether a question word comes right behind a token: "about what".
func followsWh(s *english.Sentence, i int) bool {
	return i+1 < len(s.Tokens) && strings.HasPrefix(s.Tokens[i+1].Tag, "W")
}

// abilities reads "I can play the flute": what somebody can do is the value.
func abilities(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	if g.Tense == english.Past || c.Flags.Has(english.Hypothetical) || c.Subject >= 0 && s.Tokens[s.Phrases[c.Subject].Head].Norm == "we" || c.Flags.Has(english.Hedged) {
		return nil // "we can do it" proposes
	}
	if idleAbility[g.Verb] || g.Main < 0 || c.Kind != english.Main || c.Who != english.Speaker && c.Who != english.Person {
		return nil
	}
	for _, o := range c.Objects {
		if s.Phrases[o].Pronoun || deictic(s, o) || empty(s, o) || lightNouns[s.Tokens[s.Phrases[o].Head].Lemma] {
			return nil
		}
	}
	v := value{first: g.Main, end: doingEnd(s, c), typ: Activity, score: strong, said: "can"}
	if next := v.end; next < len(s.Tokens) && (s.Tokens[next].Norm == "enough" || s.Tokens[next].Norm == "now") {
		return nil
	}
	if v.end < len(s.Tokens) && !strings.Contains(" . , : CC RB IN ", " "+s.Tokens[v.end].Tag+" ") {
		return nil // more depends on it: "can't stop thinking"
	}
	return []value{v}
}

// idleAbility are verbs that "can" only softens: "I can see why".
var idleAbility = setOf("wait help believe imagine tell see say picture understand relate remember think agree afford stand get have feel hear go know guess use make thank do be bring enjoy share give keep take all")
