package english

import "slices"

// fillClauses gives each clause its objects, phrases and adverbs, then decides
// whose state it speaks of.
func (s *Sentence) fillClauses() {
	for u := range s.units {
		s.fill(u)
	}
	for i := range s.Clauses {
		s.separateParticle(&s.Clauses[i])
		s.setWho(&s.Clauses[i])
	}
	for i := range s.Clauses {
		s.leadingSubject(i)
	}
}

// leadingSubject gives a reduced clause in front the subject of the main clause:
// "After moving to Oslo, I …".
func (s *Sentence) leadingSubject(i int) {
	c := &s.Clauses[i]
	if c.Kind != Reduced || c.Parent >= 0 || c.Subject >= 0 {
		return
	}
	for j := i + 1; j < len(s.Clauses); j++ {
		if m := s.Clauses[j]; m.Kind == Main {
			c.Parent, c.Subject, c.Who, c.Role = j, m.Subject, m.Who, m.Role
			return
		}
	}
}

func (s *Sentence) fill(u int) {
	x := s.units[u]
	c := &s.Clauses[x.clause]
	switch x.kind {
	case unitPhrase:
		s.fillPhrase(c, u)
	case unitAdverb:
		c.Adverbs = append(c.Adverbs, x.index)
	case unitAdjective:
		if c.Adjective < 0 && c.Verb >= 0 && x.first >= s.Groups[c.Verb].End {
			c.Adjective = x.index
		}
	}
}

func (s *Sentence) fillPhrase(c *Clause, u int) {
	x := s.units[u]
	np := s.Phrases[x.index]
	switch {
	case s.isVocative(u):
	case x.index == c.Subject && !c.Implicit || slices.Contains(c.CoSubjects, x.index):
	case u > 0 && s.units[u-1].kind == unitPrep && s.Tokens[s.units[u-1].index].Norm != "of":
		c.Preps = append(c.Preps, Prep{s.Tokens[s.units[u-1].index].Norm, s.units[u-1].index, x.index})
	case u > 0 && s.units[u-1].kind == unitPrep && s.isOf(x.index):
	case u > 0 && s.units[u-1].kind == unitPrep:
		c.Preps = append(c.Preps, Prep{"of", s.units[u-1].index, x.index})
	case s.Tokens[np.Head].Tag == "EX":
	case u > 1 && s.units[u-1].kind == unitCC && len(c.Preps) > 0 && c.Preps[len(c.Preps)-1].Phrase == x.index-1 && s.units[u-2].kind == unitPhrase:
		last := c.Preps[len(c.Preps)-1]
		c.Preps = append(c.Preps, Prep{last.Word, last.Token, x.index})
	case np.Time && !(c.Verb >= 0 && s.takesTime(c, np)):
		c.Times = append(c.Times, x.index)
	case c.Verb < 0 || np.First < s.Groups[c.Verb].First:
		if c.Verb < 0 {
			c.Objects = append(c.Objects, x.index)
		}
	case linkVerbs[s.Groups[c.Verb].Verb] && c.Attribute < 0 && len(c.Objects) == 0 && s.Groups[c.Verb].Verb != "get" && !s.Groups[c.Verb].Passive && !(s.Groups[c.Verb].Verb == "turn" && np.Owner != ""):
		c.Attribute = x.index
	default:
		c.Objects = append(c.Objects, x.index)
	}
}

// isVocative: a name between a comma and the end, or after a greeting, calls
// somebody: "I'm happy for you, Anna", "It came, Anna, it's here".
func (s *Sentence) isVocative(u int) bool { return s.Vocative(s.units[u].index) }

// Vocative reports whether a phrase only calls somebody.
func (s *Sentence) Vocative(phrase int) bool {
	np := s.Phrases[phrase]
	if !np.Named || np.End-np.First > 2 || np.Owner != "" || np.First == 0 || s.Tokens[np.First-1].Norm != "," && s.Tokens[np.First-1].Tag != "UH" {
		return false
	}
	if np.End == len(s.Tokens) || s.Tokens[np.End].Tag == "." {
		return true
	}
	calls := s.Tokens[np.First-1].Tag == "UH" || np.End+1 < len(s.Tokens) && subjectPronouns[s.Tokens[np.End+1].Norm]
	return (s.Tokens[np.End].Norm == "," || s.Tokens[np.End].Tag == ":" && s.Tokens[np.First-1].Tag == "UH") && calls
}

// takesTime: "my birthday is May 3", "I love Fridays" have a time where others
// have an object.
func (s *Sentence) takesTime(c *Clause, np NounPhrase) bool {
	g := s.Groups[c.Verb]
	verb := g.Verb
	return np.First == g.End && (verb == "be" || timeObjects[verb]) && !nowWords[s.Tokens[np.Head].Norm]
}

var timeObjects = set("love like hate prefer spend take enjoy celebrate need have want")

func (s *Sentence) isOf(phrase int) bool {
	return phrase > 0 && s.Phrases[phrase-1].Of == phrase
}

// separateParticle joins a particle behind the object: "pick the kids up".
func (s *Sentence) separateParticle(c *Clause) {
	if c.Verb < 0 || len(c.Objects) == 0 {
		return
	}
	g := &s.Groups[c.Verb]
	n := s.Phrases[c.Objects[0]].End
	if g.Particle != "" || n >= len(s.Tokens) || !particles[s.Tokens[n].Norm] || !phrasal[g.Verb+" "+s.Tokens[n].Norm] {
		return
	}
	if n+1 < len(s.Tokens) {
		if _, ok := phraseAt(s.Tokens, n+1); ok && s.Tokens[n].Tag == "IN" {
			return
		}
	}
	g.Particle = s.Tokens[n].Norm
	g.Lemma = g.Verb + " " + g.Particle
}
