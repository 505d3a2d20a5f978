package extract

import (
	"math"
	"slices"
	"strings"

	"daybook"
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

// interrupted reports whether a verb right behind another has that one's subject for
// want of its own: "support I got was helpful".
func interrupted(s *english.Sentence, c *english.Clause) bool {
	first := s.Group(*c).First
	return c.Implicit && c.Kind == english.Main && first > 0 && (s.Tokens[first-1].Tag == "VBD" || s.Tokens[first-1].Tag == "VBN")
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

// liked are what a verb of liking has for its object: things, doings or both ("I like
// hiking and animals"). Where a thing comes first, an infinitive behind it says what for.
func liked(s *english.Sentence, c *english.Clause) []value {
	things, done := objects(s, c), doings(s, c)
	switch {
	case len(done) == 0 && len(things) == 0:
		return likedQuality(s, c)
	case len(done) == 0 || len(things) > 0 && things[0].first == s.Group(*c).End && things[0].end < done[0].first:
		return things
	}
	return append(done, joinedThings(s, c, done[len(done)-1])...)
}

// likedQuality reads an adjective that stands for a thing: "I love purple".
func likedQuality(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	if c.Adjective != g.End || c.Adjective+1 < len(s.Tokens) && strings.HasPrefix(s.Tokens[c.Adjective+1].Tag, "NN") || moody(s.Tokens[c.Adjective].Norm) {
		return nil
	}
	return []value{{first: c.Adjective, end: c.Adjective + 1, typ: Thing, score: strong, said: g.Lemma}}
}

// qualityOf reads an adjective that stands for a thing behind a verb of the
// vocabulary: "I speak French and Spanish", "I eat vegan".
func qualityOf(s *english.Sentence, c *english.Clause) (all []value) {
	if g := s.Group(*c); len(c.Objects) > 0 || !knownRelation(g.Lemma) || isLinking(s, c) {
		return nil
	}
	all = likedQuality(s, c)
	for len(all) > 0 {
		next := all[len(all)-1].end + 1
		if next >= len(s.Tokens) || !joiner(s.Tokens[next-1].Norm) || s.Tokens[next].Tag != "JJ" {
			break
		}
		all = append(all, value{first: next, end: next + 1, typ: Thing, score: strong, said: s.Group(*c).Lemma})
	}
	return all
}

// joinedThings are things that "and" or a comma joins to what somebody likes to do,
// where that is a single word: what is joined to more may belong to its last part.
func joinedThings(s *english.Sentence, c *english.Clause, done value) (all []value) {
	if done.end > done.first+1 {
		return nil
	}
	end := done.end
	for i, p := range s.Phrases {
		if p.First != end+1 || end >= len(s.Tokens) || !joiner(s.Tokens[end].Norm) && s.Tokens[end].Norm != "," {
			continue
		}
		if v, ok := oneValue(s, i); ok && !deictic(s, i) && !yours(s, i) && !empty(s, i) && !subjectHere(s, i) {
			v.said = s.Group(*c).Lemma
			all, end = append(all, v), v.end
		}
	}
	return all
}

// subjectHere reports whether a phrase is the subject of a clause.
func subjectHere(s *english.Sentence, phrase int) bool {
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return c.Subject == phrase && !c.Implicit })
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

// attributes are what a linking verb says that somebody is.
func attributes(s *english.Sentence, c *english.Clause) (all []value) {
	if m := s.Group(*c).Modal; m == "have to" || m == "should" || m == "must" {
		return nil
	}
	if a := c.Attribute; a >= 0 {
		if admirers[s.Tokens[s.Phrases[a].Head].Lemma] {
			return some(admired(s, a))
		}
		if tiedBetween(s, s.Group(*c).End, s.Phrases[a].First) {
			return nil // "I'm here for you every step of the way"
		}
		for _, p := range firstRun(s, append([]int{a}, c.Objects...)) {
			if v, ok := oneValue(s, p); ok && !deictic(s, p) && !bare(s, c, p) && (!empty(s, p) || v.typ == When && c.Who == english.SpeakerThing) {
				if v.typ == Number && followedBy(s, v, "IN") && !isAge(s, v) {
					continue // "100% behind you"
				}
				if v.typ == Number && isAge(s, v) && c.Who != english.SpeakerThing {
					v.said = "age"
				}
				all = append(all, v)
			}
		}
		return all
	}
	if c.Adjective >= 0 && being[s.Group(*c).Verb] {
		if tiedBetween(s, s.Group(*c).End, c.Adjective) {
			return places(s, c)
		}
		if status[s.Tokens[c.Adjective].Norm] {
			return []value{{first: c.Adjective, end: c.Adjective + 1, typ: Quality, score: strong, said: "is"}}
		}
		if v, ok := towards(s, c); ok {
			return []value{v}
		}
		if v := adjectiveValue(s, c); !moody(s.Tokens[v.first].Norm) && !moody(s.Tokens[v.end-1].Norm) && !moody(s.Tokens[v.end-1].Lemma) && !directed(c, v) && !leadsOn(s, v) {
			return []value{v}
		}
		return nil
	}
	if gerund, ok := gerundValue(s, c); ok {
		return []value{gerund}
	}
	return places(s, c)
}

// status are adjectives that say whether somebody has a husband or a wife.
var status = setOf("married single divorced engaged separated widowed unmarried")

// tiedBetween reports whether a preposition stands between two tokens.
func tiedBetween(s *english.Sentence, from, to int) bool {
	return from < to && slices.ContainsFunc(s.Tokens[from:to], func(t english.Token) bool { return t.Tag == "IN" || t.Tag == "TO" })
}

// firstRun is the first run of phrases that commas and "and" join.
func firstRun(s *english.Sentence, phrases []int) []int {
	for i := 1; i < len(phrases); i++ {
		if !joinedTo(s, phrases[i-1], phrases[i]) {
			return phrases[:i]
		}
	}
	return phrases
}

// bare reports whether a noun that says what somebody is lacks the article that a
// role would have ("I'm game", "I'm all ears"), or stands apart behind an adjective.
func bare(s *english.Sentence, c *english.Clause, attribute int) bool {
	p := s.Phrases[attribute]
	if c.Adjective >= 0 && c.Adjective < p.First || p.First > 0 && (s.Tokens[p.First-1].Norm == "quite" || s.Tokens[p.First].Norm == "such") {
		return true
	}
	if p.Plural && p.Human && c.Subject >= 0 && len(c.CoSubjects) == 0 && !s.Phrases[c.Subject].Plural {
		return true // "I'm friends with …"
	}
	person := c.Who == english.Speaker || c.Who == english.Person
	return person && p.Determiner == "" && p.Owner == "" && !p.Named && !p.Human && !p.Time && s.Tokens[p.First].Tag != "CD" && !agent(s.Tokens[p.Head].Lemma)
}

// agent reports whether a noun names somebody by what they do, by its ending.
func agent(noun string) bool {
	for _, end := range []string{"er", "or", "ist", "ian", "ant", "man", "mate"} {
		if strings.HasSuffix(noun, end) {
			return true
		}
	}
	return false
}

// towards reads "allergic to nuts", "passionate about dance": what an adjective is
// directed at is the value.
func towards(s *english.Sentence, c *english.Clause) (value, bool) {
	v := adjectiveValue(s, c)
	if v.first > 0 && s.Tokens[v.first-1].Norm == "too" {
		return value{}, false
	}
	for _, p := range c.Preps {
		if p.Token != v.end || p.Word != "to" && p.Word != "about" && p.Word != "of" && p.Word != "in" && p.Word != "with" && p.Word != "at" {
			continue
		}
		adjective := s.Tokens[v.end-1].Norm
		said := adjective + " " + p.Word
		if _, known := canonicalOf["be "+said]; known {
			said = "be " + said
		} else if passing[adjective] {
			return value{}, false
		}
		w, ok := oneValue(s, p.Phrase)
		w.said = said
		return w, ok && !deictic(s, p.Phrase) && !empty(s, p.Phrase)
	}
	return value{}, false
}

// directed reports whether a preposition follows an adjective: without what it is
// directed at, the adjective says too little.
func directed(c *english.Clause, v value) bool {
	return len(c.Preps) > 0 && c.Preps[0].Token == v.end
}

// leadsOn reports whether what an adjective is directed at is a doing: "open to
// exploring".
func leadsOn(s *english.Sentence, v value) bool {
	return v.end+1 < len(s.Tokens) && (s.Tokens[v.end].Tag == "TO" || s.Tokens[v.end].Tag == "IN") && strings.HasPrefix(s.Tokens[v.end+1].Tag, "VB")
}

// moody reports whether an adjective tells of a mood or an opinion.
func moody(adjective string) bool {
	return passing[adjective] || strings.HasSuffix(adjective, "ing")
}

// admired reads "I'm a big fan of jazz": what is liked is the value.
func admired(s *english.Sentence, attribute int) (value, bool) {
	p := s.Phrases[attribute]
	if !admirers[s.Tokens[p.Head].Lemma] {
		return value{}, false
	}
	if p.Of >= 0 {
		v, ok := oneValue(s, p.Of)
		v.said = "be fan of"
		return v, ok && !deictic(s, p.Of)
	}
	if first := p.Head - 1; first >= p.First && strings.HasPrefix(s.Tokens[first].Tag, "NN") {
		return value{first: first, end: p.Head, typ: Thing, score: strong, said: "be fan of"}, true
	}
	return value{}, false
}

var admirers = setOf("fan lover enthusiast admirer buff")

// isAge reports whether a value is a number of years that a person can have.
func isAge(s *english.Sentence, v value) bool {
	t := s.Tokens[v.first]
	if t.Tag != "CD" || len(t.Norm) > 2 && strings.ContainsAny(t.Norm, "0123456789") {
		return false
	}
	return v.end == v.first+1 || strings.HasPrefix(s.Tokens[v.first+1].Norm, "year")
}

// objects are the objects of a clause that are joined to each other, the last of
// several that are not: "gave Anna a book and a pen" tells of the book and the
// pen. What is the speaker's own names the state and is no value.
func objects(s *english.Sentence, c *english.Clause) (all []value) {
	g := s.Group(*c)
	if complemented(s, c) || saying[g.Verb] || raised(s, c) {
		return nil
	}
	if v, ok := ownOwn(s, c); ok {
		return []value{v}
	}
	if v, ok := quotation(s, c); ok {
		return []value{v}
	}
	run := chain(s, before(s, c))
	for _, p := range run {
		v, ok := oneValue(s, p)
		if !ok || deictic(s, p) || pointed(s, c, p) || counted(s, p) || empty(s, p) || yours(s, run[0]) || yours(s, p) || light[g.Verb] && lightNouns[s.Tokens[s.Phrases[p].Head].Lemma] {
			continue
		}
		if replaced[g.Verb] && v.typ == Thing {
			continue // "I switched browsers" names what changed
		}
		if v.typ == Thing && v.score < strong && !(likings[g.Verb] || g.Tense == english.Present) {
			continue
		}
		if p := s.Phrases[p]; v.typ == When && p.Time && p.Of < 0 && !likings[g.Verb] {
			continue // "nine days of leave" is an amount, "last week" is not
		}
		if c.Who != english.SpeakerThing && c.Who != english.PersonThing {
			v.said = g.Lemma
		}
		all = append(all, complete(s, c, v))
	}
	return all
}

// ownOwn reads "I have my own boat": what is one's own is had.
func ownOwn(s *english.Sentence, c *english.Clause) (value, bool) {
	verb := s.Group(*c).Verb
	if verb != "own" && verb != "have" || len(c.Objects) == 0 {
		return value{}, false
	}
	p := s.Phrases[c.Objects[0]]
	if !isFirstPerson(p.Owner) || p.End-p.First < 3 || s.Tokens[p.First+1].Norm != "own" {
		return value{}, false
	}
	return value{first: p.First + 2, end: p.End, typ: Thing, score: strong, said: verb}, true
}

// saying verbs have what is said or thought for their object, and no thing.
var saying = setOf("think guess hope suppose bet say")

// raised reports whether the object of a clause is only who shall do what an infinitive
// says: "I want my kids to learn that".
func raised(s *english.Sentence, c *english.Clause) bool {
	switch s.Group(*c).Verb {
	case "want", "expect", "like", "love", "hate", "prefer", "ask", "tell", "invite", "remind":
	default:
		return false
	}
	return len(c.Objects) > 0 && slices.ContainsFunc(s.Clauses, func(d english.Clause) bool {
		return d.Kind == english.Reduced && s.Group(d).Form == english.Infinitive && s.Group(d).First == fullEnd(s, c.Objects[len(c.Objects)-1]) && d.Subject == c.Objects[len(c.Objects)-1]
	})
}

// quotation reads what stands between quotation marks right behind the verb, with the
// noun that it belongs to: watched "The Lord of the Rings" trilogy.
func quotation(s *english.Sentence, c *english.Clause) (value, bool) {
	g := s.Group(*c)
	open := g.End
	if open >= len(s.Tokens) || !isQuote(s.Tokens[open]) {
		return value{}, false
	}
	for end := open + 1; end < len(s.Tokens); end++ {
		if !isQuote(s.Tokens[end]) {
			continue
		}
		v := value{first: open + 1, end: end, typ: Name, score: 3, said: g.Lemma}
		if next := end + 1; next < len(s.Tokens) && strings.HasPrefix(s.Tokens[next].Tag, "NN") {
			v.first, v.end = open, next+1
		}
		return v, v.end > v.first
	}
	return value{}, false
}

func isQuote(t english.Token) bool {
	switch t.Norm {
	case "\"", "“", "”", "``", "''":
		return true
	}
	return false
}

// complemented reports whether a pronoun comes before the object, of which the
// object only says what it becomes: "make it a success", "find it cute".
func complemented(s *english.Sentence, c *english.Clause) bool {
	if len(c.Objects) < 2 {
		return false
	}
	switch s.Tokens[s.Phrases[c.Objects[0]].Head].Norm {
	case "it", "this", "that", "them":
		return true
	}
	return false
}

// counted reports whether a phrase is a number of what is not named: "I sold six".
func counted(s *english.Sentence, phrase int) bool {
	p := s.Phrases[phrase]
	return p.End == p.First+1 && s.Tokens[p.First].Tag == "CD" && !p.Time && p.Of < 0
}

// complete adds what a noun asks for to what is had, liked or felt: "a love for
// horses", "the connection to nature".
func complete(s *english.Sentence, c *english.Clause, v value) value {
	verb := s.Group(*c).Verb
	if v.typ != Thing || !likings[verb] && verb != "have" && verb != "get" {
		return v
	}
	for _, p := range c.Preps {
		if np := s.Phrases[p.Phrase]; p.Token == v.end && np.First == v.end+1 && complements[p.Word] && !np.Time && !np.Pronoun && np.Owner == "" {
			v.end = fullEnd(s, p.Phrase)
			break
		}
	}
	return v
}

// complements are prepositions by which a noun says what it is directed at.
var complements = setOf("to for about with against between towards toward on")

var replaced = setOf("change switch replace shift swap reset renew reschedule transfer")

// before are the objects that no preposition comes before, and those joined to
// them: what stands behind "to Rome, a city" says again what Rome is.
func before(s *english.Sentence, c *english.Clause) (all []int) {
	for _, o := range c.Objects {
		first := s.Phrases[o].First
		free := (len(c.Preps) == 0 || first < c.Preps[0].Token) && !marked(s, s.Group(*c).End, first)
		if free || len(all) > 0 && joinedTo(s, all[len(all)-1], o) {
			all = append(all, o)
		}
	}
	return all
}

// marked reports whether a mark or a conjunction stands between two tokens.
func marked(s *english.Sentence, from, to int) bool {
	for i := from; i < to; i++ {
		if t := s.Tokens[i]; strings.HasPrefix(t.Tag, "W") || t.Tag == "," && i == to-1 || t.Tag == "CC" && i == to-1 || t.Tag == ":" || t.Norm == "-" {
			return true
		}
	}
	return false
}

// ownObjects are things of the speaker's that something was done with: "I finished
// my novel".
func ownObjects(s *english.Sentence, c *english.Clause) (all []value) {
	g := s.Group(*c)
	if g.Tense != english.Past && !g.Perfect || changeVerbs[g.Verb] || light[g.Verb] || c.Who != english.Speaker {
		return nil
	}
	for _, o := range before(s, c) {
		if p := s.Phrases[o]; isFirstPerson(p.Owner) && !p.Named && p.First+1 < p.End && !empty(s, o) && !tiesOf[s.Tokens[p.Head].Lemma] {
			all = append(all, value{first: p.First + 1, end: p.End, typ: Thing, score: strong, said: g.Lemma})
		}
	}
	return all
}

func yours(s *english.Sentence, phrase int) bool {
	return strings.EqualFold(s.Phrases[phrase].Owner, "your")
}

// chain is the last run of phrases that commas and "and" join. A pronoun or the name
// of who is spoken to, behind what is named, is no part of it: "I bought a car myself".
func chain(s *english.Sentence, phrases []int) []int {
	for n := len(phrases); n > 1 && (s.Phrases[phrases[n-1]].Pronoun || called(s, phrases[n-2], phrases[n-1])); n-- {
		phrases = phrases[:n-1]
	}
	first := 0
	for i := 1; i < len(phrases); i++ {
		if s.Phrases[phrases[i-1]].Of >= 0 && joinedTo(s, phrases[i-1], phrases[i]) {
			return phrases[first:i] // "the smell of bread and coffee": the second may hang on "of"
		}
		if !joinedTo(s, phrases[i-1], phrases[i]) {
			first = i
		}
	}
	return phrases[first:]
}

// called reports whether a name behind a phrase only calls somebody: "I love the idea
// Anna!"
func called(s *english.Sentence, before, name int) bool {
	b, n := s.Phrases[before], s.Phrases[name]
	return n.Named && n.First == b.End && !b.Named && !b.Human && !b.Pronoun && n.End < len(s.Tokens) && s.Tokens[n.End].Tag == "."
}

// places are what a preposition ties to a clause without an object: the one that
// tells most, and those joined to it.
func places(s *english.Sentence, c *english.Clause) (all []value) {
	v, ok := bestValue(s, c)
	if objects := before(s, c); len(objects) > 0 && !slices.ContainsFunc(objects, func(o int) bool { return isFirstPerson(s.Phrases[o].Owner) }) {
		return nil // what something unnamed was done with
	}
	if at := beAt(s, c); at != nil {
		return at
	}
	if firstUnnamed(s, c) {
		return nil
	}
	if !ok || v.prep == "" || v.prep == "than" || v.prep == "like" || s.Group(*c).Verb == "be" && !beside[v.prep] {
		return nil
	}
	for _, p := range c.Preps {
		if w, ok := oneValue(s, p.Phrase); ok && p.Word == v.prep && !dashed(s, s.Group(*c).End, p.Token) && p.Token > s.Group(*c).Main && !deictic(s, p.Phrase) && !yours(s, p.Phrase) && !empty(s, p.Phrase) && w.typ == v.typ {
			if w.typ == When && s.Phrases[p.Phrase].Time {
				continue // when it was is the event's time
			}
			w.prep = p.Word
			if c.Who != english.SpeakerThing && c.Who != english.PersonThing && !isLinking(s, c) && len(before(s, c)) == 0 {
				w.said = verbOf(s.Group(*c)) + " " + p.Word
			}
			all = append(all, w)
		}
	}
	return all
}

// firstUnnamed reports whether what a verb takes first is not named: "rely on them for
// strength", "stumbled upon this book from 1900".
func firstUnnamed(s *english.Sentence, c *english.Clause) bool {
	at := firstPrep(c, s.Group(*c).Main)
	return slices.ContainsFunc(c.Preps, func(p english.Prep) bool {
		return p.Token == at && at == s.Group(*c).End && (s.Phrases[p.Phrase].Pronoun || deictic(s, p.Phrase))
	})
}

// dashed reports whether a dash stands between two tokens.
func dashed(s *english.Sentence, from, to int) bool {
	return from < to && slices.ContainsFunc(s.Tokens[from:to], isDash)
}

// beAt reads where somebody is, right behind "be": "I'm in the army".
func beAt(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	if g.Verb != "be" || g.Tense != english.Present || c.Attribute >= 0 || c.Adjective >= 0 && c.Adjective < g.End+1 || len(c.Preps) == 0 {
		return nil
	}
	p := c.Preps[0]
	w, ok := oneValue(s, p.Phrase)
	if !ok || p.Word != "in" && p.Word != "from" || p.Token < g.End || deictic(s, p.Phrase) || yours(s, p.Phrase) || empty(s, p.Phrase) || lightNouns[s.Head(p.Phrase)] || w.typ == When {
		return nil
	}
	w.prep = p.Word
	return []value{w}
}

// verbOf names a verb as a relation: "be draw" where something is done to the
// subject.
func verbOf(g english.VerbGroup) string {
	if g.Passive {
		return "be " + g.Lemma
	}
	return g.Lemma
}

// beside are the prepositions that tell where or of what somebody is.
var beside = setOf("in at from on with of into under near behind outside inside between over against")

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

// pointed reports whether an object is something that speaker and hearer have
// before them: what is seen, known or liked without saying whose or which it is
// ("I saw the article", "Love the colors").
func pointed(s *english.Sentence, c *english.Clause, phrase int) bool {
	verb := s.Group(*c).Verb
	if !perceiving[verb] && !likings[verb] {
		return false
	}
	for _, o := range c.Objects { // the article of the first counts for those joined to it
		p := s.Phrases[o]
		if o == phrase || p.Determiner == "the" && joinedTo(s, o, phrase) {
			if p.Determiner == "the" && !s.Phrases[phrase].Named && s.Phrases[phrase].Of < 0 && !completed(s, c, phrase) && !known(s, phrase) {
				return true
			}
		}
	}
	return false
}

// known reports whether "the" points at nothing, because there is only one such thing or
// it is said of all: "the ocean", "the color red".
func known(s *english.Sentence, phrase int) bool {
	p := s.Phrases[phrase]
	if generic[s.Tokens[p.Head].Lemma] || generic[s.Tokens[p.Head].Norm] {
		return true
	}
	return !p.Plural && p.End-p.First > 2 && slices.ContainsFunc(s.Tokens[p.First:p.End], func(t english.Token) bool { return t.Lemma == "color" || t.Lemma == "colour" })
}

// generic are nouns that have "the" when all of their kind is meant.
var generic = setOf("beach ocean sea outdoors outside countryside wilderness snow rain sun spring summer autumn fall winter guitar piano violin drum flute saxophone")

// completed reports whether a phrase is followed by what its noun asks for.
func completed(s *english.Sentence, c *english.Clause, phrase int) bool {
	end := s.Phrases[phrase].End
	return complete(s, c, value{end: end, typ: Thing}).end > end
}

// perceiving verbs tell what somebody notices.
var perceiving = setOf("see know remember hear notice understand get recognize recognise recall mean")

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

var (
	amounts = setOf("more age lot bit ton bunch couple plenty load kind sort type rest most some many few much half")

	// light verbs and the nouns that carry the meaning beside them: what is done,
	// and nothing that is had.
	light      = setOf("lend try have make take give get do keep put pay")
	lightNouns = setOf("person trial error try shot go look chat talk blast time fun difference sense progress chance break care part note moment laugh rest idea clue problem doubt question feeling luck hope faith point effect impact reason way touch attention mind eye word step turn advantage use room thought hand")

	// passing adjectives tell of a mood or of what somebody thinks of something.
	passing = setOf(`good great fine well okay ok bad awful terrible amazing awesome wonderful fantastic incredible excellent perfect nice lovely cool neat fun funny happy glad sad sorry sure excited thrilled
	stoked pumped proud grateful thankful thrilled delighted pleased touched impressed amazed surprised shocked curious interested eager ready able tired sleepy exhausted bored busy hungry thirsty late early
	upset angry mad annoyed frustrated worried nervous anxious scared afraid stressed overwhelmed lost stuck confused embarrassed ashamed jealous disappointed hopeful optimistic positive determined motivated inspired
	lucky blessed honored honoured fortunate free welcome right wrong true aware done here there back tough hard easy difficult important special beautiful gorgeous cute interesting exciting amused relieved relaxed
	calm fulfilling rewarding tricky close up down super committed keen obsessed passionate convinced certain willing alone different jealous kidding joking trying looking going doing worth`)
)

// How likely the role of a sentence, or a value that was picked in it, must be to
// overrule grammar, and how many tokens it may have.
const (
	sureAside    = 0.9
	sureState    = 0.8
	sureChange   = 0.6
	trusted      = 0.4
	longSentence = 26
)

// doubtful is the least sum of the log odds of a role and of the value picked with
// it, for a value to stand that grammar alone does not find.
const doubtful = 0.2

// stands reports whether the value that was picked in a sentence is sure enough to
// stand. Long sentences say more than one thing.
func stands(s *sentence, st *Statement) bool {
	return len(s.Tokens) <= longSentence && odds(s.sure)+odds(st.picked) >= doubtful
}

// odds are the log odds of a chance.
func odds(p float64) float64 { return math.Log(p / max(1-p, 1e-9)) }

// bestOf settles what a sentence that was judged to state something says: the one
// value of the state where it is telling or the judge is sure, and what grammar
// finds beside it.
func bestOf(s *sentence, found, state []Statement) []Statement {
	if len(state) == 0 || mood(s, &state[0]) {
		return found
	}
	one := state[0]
	agreed := false
	var beside []Statement
	for _, st := range found {
		if st.Object == one.Object || strings.Contains(one.Object, st.Object) && st.Relation == one.Relation && !strings.Contains(one.Object, " and ") {
			agreed, one.Relation, one.plain = true, st.Relation, st.plain
			continue
		}
		st.Additive = true // it comes beside the state
		beside = append(beside, st)
	}
	if agreed {
		return append([]Statement{one}, beside...)
	}
	if soft(one.Type) && slices.ContainsFunc(found, func(st Statement) bool { return st.plain }) {
		return found
	}
	if stands(s, &one) {
		one.near = s.role == States && s.sure >= sureChange && definite(one.Subject)
		return []Statement{one}
	}
	return found
}

// definite reports whether a subject is known to both without more words: "the cat",
// "it", or nothing at all.
func definite(subject string) bool {
	first, _, _ := strings.Cut(strings.ToLower(subject), " ")
	return first == "the" || first == "it" || first == "its" || first == ""
}

// mood reports whether the value of a state is only how somebody feels, points at
// what is not named, or is the hearer's.
func mood(s *sentence, st *Statement) bool {
	words := strings.Fields(strings.ToLower(st.Object))
	if len(words) == 0 || st.command || st.passing {
		return true
	}
	switch words[0] {
	case "this", "that", "these", "those", "your":
		return true
	case "one", "ones", "it":
		if len(words) == 1 {
			return true
		}
	}
	switch st.Who {
	case english.Hearer, english.HearerThing:
		return true
	case english.Thing, english.Nobody:
		if (s.sure < sureChange || st.picked < trusted) && st.Type != Name && st.Type != Number && st.Type != Money && st.Type != When && (!st.linking || !st.Changed && (st.Relation == "is" || st.Relation == "")) {
			return true
		}
	}
	return st.Type == Quality && (moody(words[len(words)-1]) || st.Who != english.SpeakerThing && s.likely < sureState)
}

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

// movings are verbs that say that a thing has another time, place or number now.
var movings = setOf("move shift slip postpone reschedule relocate change")

// moved reports whether a statement says in so many words that a definite thing has
// another value now: "the launch moved to March 10", "the meeting slipped to Friday".
func (st *Statement) moved() bool {
	words := strings.Fields(st.Relation)
	if st.Who != english.Thing || len(words) < 2 || words[len(words)-1] != "to" || !strings.HasPrefix(strings.ToLower(st.Subject), "the ") {
		return false
	}
	told := st.Type == When || st.Type == Number || st.Type == Money || st.Type == Name
	return told && st.Modality == daybook.Asserted && !st.not && movings[words[len(words)-2]]
}
