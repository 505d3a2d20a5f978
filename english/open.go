package english

import (
	"slices"
	"strings"
)

// openClause finds subject, kind and parent of the clause whose verb is the unit
// v, and returns the unit where it starts.
func (s *Sentence) openClause(c *Clause, prev, v int) int {
	g := s.Groups[c.Verb]
	index := len(s.Clauses)
	if g.Form == Infinitive || g.Form == Gerund || g.Form == Participle {
		return s.openReduced(c, prev, v, index)
	}
	sub := s.lastSub(prev, v)
	subject := s.findSubject(max(prev, sub), v)
	if sub < 0 && subject >= 0 && s.resumes(prev, subject, v) {
		subject = -1
	}
	if g.Form == Base && prev >= 0 && sub < 0 && s.takesBare(prev, v) {
		return s.openReduced(c, prev, v, index)
	}
	if prev == 0 && sub < 0 && s.Clauses[0].Kind == Reduced && s.Groups[0].Form == Gerund && !s.hasComma(prev, v) && !s.hasCC(prev, v) {
		return v // "Trying new classes is fun": the gerund is the subject
	}
	if g.inner >= 0 {
		c.Subject = s.phraseAtToken(g.inner)
	} else if subject >= 0 {
		c.Subject = s.units[subject].index
		c.CoSubjects = s.coSubjects(max(prev, sub), subject, prev)
	}
	if len(c.CoSubjects) > 0 {
		last := c.Subject
		c.Subject, c.CoSubjects = c.CoSubjects[0], append(c.CoSubjects[1:], last)
	}
	if sub >= 0 {
		s.openSubordinate(c, sub, index)
		return sub
	}
	if subject < 0 {
		return s.openBare(c, prev, v, index)
	}
	return s.openWithSubject(c, prev, subject, index)
}

// takesBare reports whether a bare verb depends on the one before it: "help
// improve", "make it happen", "let me know". "Let's" leads a clause of its own.
func (s *Sentence) takesBare(prev, v int) bool {
	g := s.Groups[s.units[prev].index]
	if !bareVerbs[g.Verb] || g.Verb == "be" || s.hasCC(prev, v) || s.hasComma(prev, v) {
		return false
	}
	return !(g.Verb == "let" && g.End < len(s.Tokens) && s.Tokens[g.End].Norm == "'s")
}

// resumes reports whether the verb v goes on with the subject that a relative
// clause interrupted: "The woman who lives next door is …".
func (s *Sentence) resumes(prev, subject, v int) bool {
	if prev < 0 || s.Clauses[len(s.Clauses)-1].Kind != Relative || s.unclaimed() < 0 {
		return false
	}
	return !s.hasCC(prev, v) && !s.hasComma(prev, subject)
}

func (s *Sentence) phraseAtToken(token int) int {
	for i, np := range s.Phrases {
		if np.First == token {
			return i
		}
	}
	return -1
}

// lastSub returns the last subordinator between two verbs, or -1.
func (s *Sentence) lastSub(prev, v int) int {
	for u := v - 1; u > prev; u-- {
		if s.units[u].kind == unitSub {
			return u
		}
	}
	return -1
}

// findSubject walks back from the verb to the noun phrase that is its subject:
// past adverbs, times and prepositional phrases, up to a boundary.
func (s *Sentence) findSubject(from, v int) int {
	fallback := -1
	for u := v - 1; u > from; u-- {
		switch x := s.units[u]; x.kind {
		case unitPhrase:
			prep := u > 0 && s.units[u-1].kind == unitPrep
			switch {
			case prep:
				u--
			case s.Phrases[x.index].Time:
				if fallback < 0 {
					fallback = u
				}
			default:
				return u
			}
		case unitCC:
			return fallback
		case unitMark:
			if u == v-1 && s.isApposition(u, from) {
				return u - 3
			}
			if s.Tokens[x.first].Norm != "," || u == v-1 {
				return fallback
			}
			if fallback < 0 {
				return -1
			}
		}
	}
	return fallback
}

// isApposition reports whether the comma at u closes a second name of the
// phrase before it: "My boss, Lena, is".
func (s *Sentence) isApposition(u, from int) bool {
	return u-3 > from && s.units[u-1].kind == unitPhrase && s.units[u-2].kind == unitMark && s.units[u-3].kind == unitPhrase &&
		(u-4 <= from || s.units[u-4].kind != unitPrep)
}

// coSubjects returns the phrases joined to the subject by "and" or commas, in
// order, if no verb comes before them that they could belong to.
func (s *Sentence) coSubjects(from, subject, prev int) []int {
	if prev > from || from >= 0 && s.units[from].kind == unitGroup {
		return nil
	}
	var out []int
	for u := subject; u-2 > from; u -= 2 {
		link, np := s.units[u-1], s.units[u-2]
		joins := link.kind == unitCC && s.Tokens[link.first].Norm != "but" || link.kind == unitMark && s.Tokens[link.first].Norm == "," && len(out) > 0
		if !joins || np.kind != unitPhrase || s.Phrases[np.index].Time || u-3 > from && s.units[u-3].kind == unitPrep {
			break
		}
		out = append([]int{np.index}, out...)
	}
	return out
}

// openSubordinate sets up a clause that a subordinator opens.
func (s *Sentence) openSubordinate(c *Clause, sub, index int) {
	norm := s.Tokens[s.units[sub].first].Norm
	c.Subordinator = norm
	c.Parent = index - 1
	before := -1
	if sub > 0 && s.units[sub-1].kind == unitPhrase {
		before = s.units[sub-1].index
	} else if sub > 1 && s.units[sub-1].kind == unitMark && s.units[sub-2].kind == unitPhrase {
		before = s.units[sub-2].index
	}
	switch norm {
	case "who", "which", "whose", "whom":
		c.Kind = Relative
		if before < 0 {
			c.Kind = Complement
		}
		s.takeAntecedent(c, before)
	case "that", "where":
		c.Kind = Complement
		told := index > 0 && s.Clauses[index-1].Verb >= 0 && clauseVerbs[s.Groups[s.Clauses[index-1].Verb].Verb]
		if before >= 0 && !s.Phrases[before].Pronoun && (!told || c.Subject < 0) {
			c.Kind = Relative
			s.takeAntecedent(c, before)
		}
	case "whether", "what", "how", "why":
		c.Kind = Complement
	case "so":
		c.Kind, c.Parent = Main, -1
	case "if":
		c.Kind = Adverbial
		if index > 0 && askVerbs[s.Groups[s.Clauses[index-1].Verb].Verb] {
			c.Kind = Complement
		}
	default:
		c.Kind = Adverbial
	}
	s.setDepth(c)
}

var askVerbs = set("ask wonder know see check decide tell remember")

func (s *Sentence) takeAntecedent(c *Clause, before int) {
	if c.Subject < 0 && before >= 0 {
		c.Subject, c.Implicit = before, true
	}
}

func (s *Sentence) setDepth(c *Clause) {
	switch {
	case c.Kind == Main:
		c.Depth = 0
	case c.Parent >= 0:
		c.Depth = s.Clauses[c.Parent].Depth + 1
	default:
		c.Depth = 1
	}
}

// openBare sets up a finite clause without a subject of its own: a shared one
// after "and", the antecedent of a relative clause that has ended, an
// imperative, or a dropped "I".
func (s *Sentence) openBare(c *Clause, prev, v, index int) int {
	g := s.Groups[c.Verb]
	if c.Subject >= 0 { // inverted: "did you …"
		return s.startAfterMark(prev, v)
	}
	if prev >= 0 {
		before := s.Clauses[index-1]
		if before.Kind == Relative || before.Kind == Reduced && before.Parent < 0 || before.Kind == Reduced && s.units[prev+0].clause == index-1 && s.unclaimed() >= 0 {
			if np := s.unclaimed(); np >= 0 {
				c.Subject = np
				return v
			}
		}
		if g.Form == Base && s.Groups[before.Verb].Form == Infinitive && s.hasCC(prev, v) {
			c.Kind = Reduced
		}
		if s.hasCC(prev, v) || g.Form == Finite && s.hasComma(prev, v) {
			s.share(c, before, index-1)
			return s.startAfterMark(prev, v)
		}
		if before.Kind == Reduced && before.Subject < 0 && g.Form == Finite {
			return v // "Hiking is fun": the gerund is the subject
		}
	}
	if inverted := s.invertedSubject(v); inverted >= 0 {
		c.Subject = inverted
		return s.startAfterMark(prev, v)
	}
	c.Implicit = g.Inverted || !s.asksSubject(prev, v)
	return s.startAfterMark(prev, v)
}

// asksSubject: "Who called?", "What made it so special?"
func (s *Sentence) asksSubject(prev, v int) bool {
	return slices.ContainsFunc(s.units[prev+1:v], func(u unit) bool {
		norm := s.Tokens[u.first].Norm
		return u.kind == unitWh && (norm == "who" || norm == "what" || norm == "which")
	})
}

// share copies the subject and the place of the clause that "and" continues.
func (s *Sentence) share(c *Clause, before Clause, index int) {
	c.Subject, c.CoSubjects, c.Implicit = before.Subject, before.CoSubjects, true
	c.Who = before.Who
	if before.Kind == Reduced && before.Parent >= 0 && s.Groups[c.Verb].Form == Finite {
		p := s.Clauses[before.Parent]
		c.Subject, c.CoSubjects = p.Subject, p.CoSubjects
		c.Kind, c.Parent, c.Depth, c.Subordinator = p.Kind, p.Parent, p.Depth, p.Subordinator
		return
	}
	c.Kind, c.Parent, c.Depth, c.Subordinator = before.Kind, before.Parent, before.Depth, before.Subordinator
}

func (s *Sentence) hasCC(prev, v int) bool {
	return slices.ContainsFunc(s.units[prev+1:v], func(u unit) bool { return u.kind == unitCC })
}

func (s *Sentence) hasComma(prev, v int) bool {
	return slices.ContainsFunc(s.units[prev+1:v], func(u unit) bool { return u.kind == unitMark })
}

// unclaimed returns the first phrase before the first clause's verb region that
// is no clause's own subject: "The woman who lives next door …".
func (s *Sentence) unclaimed() int {
	for _, u := range s.units {
		if u.kind == unitGroup && u.clause >= 0 && s.Clauses[u.clause].Depth == 0 && s.Clauses[u.clause].Kind == Main {
			return -1
		}
		if u.kind == unitPhrase && u.clause < 0 && !s.Phrases[u.index].Time {
			return u.index
		}
	}
	return -1
}

// invertedSubject returns the phrase after a leading "be": "Is Anna happy?",
// "What is her job?", "There is a café".
func (s *Sentence) invertedSubject(v int) int {
	g := s.Groups[s.units[v].index]
	if g.Verb != "be" && g.Verb != "have" || v+1 >= len(s.units) {
		return -1
	}
	wh := v > 0 && slices.ContainsFunc(s.units[:v], func(u unit) bool { return u.kind == unitWh })
	if !wh && !strings.HasSuffix(s.Text, "?") {
		return -1
	}
	for u := v + 1; u < len(s.units); u++ {
		switch s.units[u].kind {
		case unitPhrase:
			if !s.Phrases[s.units[u].index].Time || u == v+1 {
				return s.units[u].index
			}
		case unitAdverb:
		default:
			return -1
		}
	}
	return -1
}

// startAfterMark returns the unit after the last comma or conjunction before v,
// or v's own region.
func (s *Sentence) startAfterMark(prev, v int) int {
	for u := v - 1; u > prev; u-- {
		if s.units[u].kind == unitCC {
			return u
		}
		if s.units[u].kind == unitMark {
			return u + 1
		}
	}
	if prev < 0 {
		return 0
	}
	for u := prev + 1; u < v; u++ {
		if s.units[u].kind == unitWh {
			return u
		}
	}
	return v
}

// openWithSubject sets up a finite clause with its subject in front.
func (s *Sentence) openWithSubject(c *Clause, prev, subject, index int) int {
	if prev < 0 {
		if subject > 0 && s.units[subject-1].kind == unitPhrase && s.isGap(subject-1, subject) {
			c.Kind, c.Depth = Relative, 1 // "The book Anna gave me is …"
			return subject
		}
		return 0
	}
	for u := subject - 1; u > prev; u-- {
		if s.units[u].kind == unitCC || s.units[u].kind == unitMark {
			s.continueAfter(c, u, index)
			return u
		}
	}
	before := s.Clauses[index-1]
	switch {
	case before.Verb >= 0 && (clauseVerbs[s.Groups[before.Verb].Verb] || s.units[subject-1].kind == unitAdjective): // "make sure we"
		c.Kind, c.Parent = Complement, index-1
	case subject > 0 && s.units[subject-1].kind == unitPhrase && prev < subject-1:
		c.Kind, c.Parent = Relative, index-1
	case before.Kind == Adverbial || before.Kind == Relative || before.Kind == Reduced:
		c.Kind = Main // "When I moved I bought a car"
	default:
		c.Kind, c.Parent = Complement, index-1
		if !clauseVerbs[s.Groups[before.Verb].Verb] {
			c.Kind, c.Parent = Main, -1
		}
	}
	s.setDepth(c)
	return subject
}

// isGap reports whether two phrases in a row are a noun and the subject of a
// relative clause without its pronoun, with another finite verb to come.
func (s *Sentence) isGap(noun, subject int) bool {
	np := s.Phrases[s.units[noun].index]
	if np.Time || np.Pronoun || s.Phrases[s.units[subject].index].Time {
		return false
	}
	finite := 0
	for _, u := range s.units[subject:] {
		if u.kind == unitGroup && s.Groups[u.index].Form == Finite {
			finite++
		}
	}
	return finite > 1
}

// continueAfter keeps "if it rains and I am home" together: after a bare "and"
// inside a dependent clause, the clause goes on.
func (s *Sentence) continueAfter(c *Clause, mark, index int) {
	before := s.Clauses[index-1]
	if s.units[mark].kind == unitCC && s.units[mark-1].kind != unitMark && (before.Kind == Adverbial && before.First == 0 || before.Kind == Complement) && s.Tokens[s.units[mark].first].Norm == "and" {
		c.Kind, c.Parent, c.Depth, c.Subordinator = before.Kind, before.Parent, before.Depth, before.Subordinator
	}
}

// openReduced sets up an infinitive, gerund or participle clause. Its subject is
// the object of a verb that moves somebody ("asked Anna to come"), else the
// subject of the clause it hangs on.
func (s *Sentence) openReduced(c *Clause, prev, v, index int) int {
	start := v
	if v > 0 && v-1 > prev && (s.units[v-1].kind == unitPrep || s.units[v-1].kind == unitSub) {
		start = v - 1
		c.Subordinator = s.Tokens[s.units[start].first].Norm
	}
	c.Kind, c.Implicit, c.Depth = Reduced, true, 1
	if prev < 0 {
		return s.openLeading(c, v, start)
	}
	c.Parent = index - 1
	if s.hasCC(prev, v) && s.Clauses[index-1].Kind == Reduced {
		before := s.Clauses[index-1]
		c.Parent, c.Depth, c.Subject = before.Parent, before.Depth, before.Subject
		c.Subordinator = before.Subordinator
		return s.startAfterMark(prev, v)
	}
	g := s.Groups[c.Verb]
	if before := s.Clauses[index-1]; g.Form == Gerund && s.hasCC(prev, v) && before.Verb >= 0 && s.Groups[before.Verb].Progressive && !s.Groups[before.Verb].GoingTo {
		s.share(c, before, index) // "I'm running a studio and offering classes"
		return s.startAfterMark(prev, v)
	}
	s.setDepth(c)
	parent := s.Clauses[c.Parent]
	c.Subject, c.CoSubjects = parent.Subject, parent.CoSubjects
	if g.Form == Base || g.Form == Infinitive && parent.Verb >= 0 && causeVerbs[s.Groups[parent.Verb].Verb] || g.Form != Infinitive && c.Subordinator == "" {
		if o := start - 1; o > prev && s.units[o].kind == unitPhrase && !s.Phrases[s.units[o].index].Time {
			c.Subject = s.units[o].index
		}
	}
	return start
}

var causeVerbs = set("ask tell want help invite encourage force allow teach remind convince persuade need get expect order beg urge advise")

// openLeading reads a gerund or participle that leads its sentence. With no
// finite verb after it, it stands for a clause with a dropped subject: "Going to
// Rome next week".
func (s *Sentence) openLeading(c *Clause, v, start int) int {
	finite := slices.ContainsFunc(s.units[v+1:], func(u unit) bool {
		return u.kind == unitGroup && s.Groups[u.index].Form == Finite
	})
	if np := s.findSubject(-1, v); np >= 0 {
		c.Subject, c.Implicit = s.units[np].index, false
		if !finite {
			c.Kind, c.Depth = Main, 0
			return 0
		}
		c.Kind = Reduced
		return start
	}
	if !finite && s.Groups[c.Verb].Form != Infinitive && start == v {
		c.Kind, c.Depth = Main, 0
		return 0
	}
	return start
}
