package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// valuesOf are the values that a clause tells, each worth a fact of its own: joined
// objects ("dogs and cats") are several. What is meant only in passing tells
// nothing: feelings of the moment, light verbs ("have a look"), and words that
// point at what the sentence does not name ("this one").
func valuesOf(s *english.Sentence, c *english.Clause) []value {
	switch c.Who {
	case english.Thing, english.Nobody, english.Hearer, english.HearerThing:
		return toldOfThing(s, c)
	}
	g := s.Group(*c)
	switch {
	case unnamed(s, c):
		return nil
	case likings[g.Verb] && len(doings(s, c)) > 0 && !c.Flags.Has(english.Wish):
		return doings(s, c)
	case g.Modal == "can" && g.Verb != "be":
		return abilities(s, c)
	case isLinking(s, c):
		return attributes(s, c)
	case g.Verb == "go" && len(doings(s, c)) > 0:
		return doings(s, c)
	}
	for _, read := range []func(*english.Sentence, *english.Clause) []value{objects, places, ownObjects} {
		if all := read(s, c); len(all) > 0 {
			return all
		}
	}
	return nil
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

// toldOfThing reads what a clause about a thing says of the speaker: "chocolate
// is my favourite", "Benedict leads my project", "the code to my flat is 4411".
func toldOfThing(s *english.Sentence, c *english.Clause) []value {
	if c.Subject < 0 || s.Phrases[c.Subject].Pronoun || c.Who != english.Thing && c.Who != english.Nobody {
		return nil
	}
	if a := c.Attribute; a >= 0 && isFirstPerson(s.Phrases[a].Owner) && s.Group(*c).Verb == "be" {
		if v, ok := phraseValue(s, c.Subject); ok && !deictic(s, c.Subject) {
			v.subject, v.said = true, bareWords(s, a)
			return []value{v}
		}
	}
	v, ok := bestValue(s, c)
	if ok && (v.subject || isLinking(s, c) && v.typ != Thing && v.typ != Quality && ownPlace(s, c)) {
		return []value{v}
	}
	return nil
}

// doings are what somebody likes to do, or goes to do: the infinitives and
// gerunds that hang on a verb.
func doings(s *english.Sentence, c *english.Clause) (all []value) {
	verb := s.Group(*c).Lemma
	for i := range s.Clauses {
		d := &s.Clauses[i]
		if d.Kind != english.Reduced || d.Subordinator != "" || governor(s, d) != c || s.Group(*d).Main < 0 || d.Subject != c.Subject {
			continue
		}
		g := s.Group(*d)
		if g.Form != english.Gerund && g.Form != english.Infinitive || verb == "go" && g.Form != english.Gerund {
			continue
		}
		if len(d.Objects) > 0 && (s.Phrases[d.Objects[0]].Pronoun || deictic(s, d.Objects[0])) {
			continue
		}
		all = append(all, value{first: g.First, end: doingEnd(s, d), typ: Activity, score: strong, said: verb})
	}
	return all
}

// governor is the finite clause that a reduced clause hangs on, past others of
// its form that it is joined to: "I enjoy reading, swimming and hiking".
func governor(s *english.Sentence, d *english.Clause) *english.Clause {
	for range s.Clauses {
		if d.Parent < 0 {
			return nil
		}
		p := &s.Clauses[d.Parent]
		if p.Kind != english.Reduced || s.Group(*p).Form != s.Group(*d).Form {
			return p
		}
		d = p
	}
	return nil
}

// doingEnd is where an activity ends: after its object, or after the first phrase
// that a preposition ties to it.
func doingEnd(s *english.Sentence, d *english.Clause) int {
	end := s.Group(*d).End
	for _, o := range d.Objects {
		if p := s.Phrases[o]; p.First == end {
			return fullEnd(s, o)
		}
	}
	for _, p := range d.Preps {
		if p.Token == end && !s.Phrases[p.Phrase].Pronoun {
			return fullEnd(s, p.Phrase)
		}
	}
	return end
}

// abilities reads "I can play the flute": what somebody can do is the value.
func abilities(s *english.Sentence, c *english.Clause) []value {
	g := s.Group(*c)
	if idleAbility[g.Verb] || g.Main < 0 || c.Kind != english.Main || c.Who != english.Speaker && c.Who != english.Person {
		return nil
	}
	for _, o := range c.Objects {
		if s.Phrases[o].Pronoun || deictic(s, o) || empty(s, o) || lightNouns[s.Tokens[s.Phrases[o].Head].Lemma] {
			return nil
		}
	}
	v := value{first: g.Main, end: doingEnd(s, c), typ: Activity, score: strong, said: "can"}
	if v.end < len(s.Tokens) && !strings.Contains(" . , : CC RB IN ", " "+s.Tokens[v.end].Tag+" ") {
		return nil // more depends on it: "can't stop thinking"
	}
	return []value{v}
}

// idleAbility are verbs that "can" only softens: "I can see why".
var idleAbility = setOf("wait help believe imagine tell see say picture understand relate remember think agree afford stand get have feel hear go know guess use make thank do be bring enjoy share give keep take all")

// attributes are what a linking verb says that somebody is.
func attributes(s *english.Sentence, c *english.Clause) (all []value) {
	if a := c.Attribute; a >= 0 {
		if v, ok := admired(s, a); ok {
			return []value{v}
		}
		for _, p := range chain(s, append([]int{a}, c.Objects...)) {
			if v, ok := oneValue(s, p); ok && !deictic(s, p) && (!empty(s, p) || v.typ == When && c.Who == english.SpeakerThing) {
				if v.typ == Number && isAge(s, v) && c.Who != english.SpeakerThing {
					v.said = "age"
				}
				all = append(all, v)
			}
		}
		return all
	}
	if c.Adjective >= 0 && being[s.Group(*c).Verb] {
		if v, ok := towards(s, c); ok {
			return []value{v}
		}
		if v := adjectiveValue(s, c); !moody(s.Tokens[v.first].Norm) && !moody(s.Tokens[v.end-1].Norm) && !moody(s.Tokens[v.end-1].Lemma) && !directed(c, v) {
			return []value{v}
		}
		return nil
	}
	if gerund, ok := gerundValue(s, c); ok {
		return []value{gerund}
	}
	return places(s, c)
}

// towards reads "allergic to nuts", "passionate about dance": what an adjective is
// directed at is the value.
func towards(s *english.Sentence, c *english.Clause) (value, bool) {
	v := adjectiveValue(s, c)
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
		return v, ok
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
	for _, p := range chain(s, before(s, c)) {
		v, ok := oneValue(s, p)
		if !ok || deictic(s, p) || empty(s, p) || yours(s, p) || light[g.Verb] && lightNouns[s.Tokens[s.Phrases[p].Head].Lemma] {
			continue
		}
		if replaced[g.Verb] && v.typ == Thing {
			continue // "I switched browsers" names what changed
		}
		if v.typ == Thing && v.score < strong && !(likings[g.Verb] || g.Tense == english.Present) {
			continue
		}
		if p := s.Phrases[p]; v.typ == When && p.Time && !likings[g.Verb] {
			continue
		}
		if c.Who != english.SpeakerThing && c.Who != english.PersonThing {
			v.said = g.Lemma
		}
		all = append(all, v)
	}
	return all
}

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
		if t := s.Tokens[i]; t.Tag == "," && i == to-1 || t.Tag == "CC" && i == to-1 || t.Tag == ":" || t.Norm == "-" {
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

// chain is the last run of phrases that commas and "and" join.
func chain(s *english.Sentence, phrases []int) []int {
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

// places are what a preposition ties to a clause without an object: the one that
// tells most, and those joined to it.
func places(s *english.Sentence, c *english.Clause) (all []value) {
	v, ok := bestValue(s, c)
	if !ok || v.prep == "" || v.prep == "than" || v.prep == "like" || v.prep == "as" && s.Group(*c).Verb == "be" {
		return nil
	}
	for _, p := range c.Preps {
		if w, ok := oneValue(s, p.Phrase); ok && p.Word == v.prep && !deictic(s, p.Phrase) && !empty(s, p.Phrase) && w.typ == v.typ {
			if w.typ == When && s.Phrases[p.Phrase].Time {
				continue // when it was is the event's time
			}
			w.prep = p.Word
			if c.Who != english.SpeakerThing && c.Who != english.PersonThing && !isLinking(s, c) && len(before(s, c)) == 0 {
				w.said = s.Group(*c).Lemma + " " + p.Word
			}
			all = append(all, w)
		}
	}
	return all
}

// deictic reports whether a phrase only points: "this color", "that".
func deictic(s *english.Sentence, phrase int) bool {
	switch s.Phrases[phrase].Determiner {
	case "this", "that", "these", "those":
		return true
	}
	return false
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

var (
	amounts = setOf("age lot bit ton bunch couple plenty load kind sort type rest most some many few much half")

	// light verbs and the nouns that carry the meaning beside them: what is done,
	// and nothing that is had.
	light      = setOf("lend try have make take give get do keep put pay")
	lightNouns = setOf("try shot go look chat talk blast time fun difference sense progress chance break care part note moment laugh rest idea clue problem doubt question feeling luck hope faith point effect impact reason way touch attention mind eye word step turn advantage use room thought hand")

	// passing adjectives tell of a mood or of what somebody thinks of something.
	passing = setOf(`good great fine well okay ok bad awful terrible amazing awesome wonderful fantastic incredible excellent perfect nice lovely cool neat fun funny happy glad sad sorry sure excited thrilled
	stoked pumped proud grateful thankful thrilled delighted pleased touched impressed amazed surprised shocked curious interested eager ready able tired sleepy exhausted bored busy hungry thirsty late early
	upset angry mad annoyed frustrated worried nervous anxious scared afraid stressed overwhelmed lost stuck confused embarrassed ashamed jealous disappointed hopeful optimistic positive determined motivated inspired
	lucky blessed honored honoured fortunate free welcome right wrong true aware done here there back tough hard easy difficult important special beautiful gorgeous cute interesting exciting amused relieved relaxed
	calm fulfilling rewarding tricky close up down super committed keen obsessed passionate convinced certain willing alone different jealous kidding joking trying looking going doing worth`)
)

// How likely the role of a sentence must be for its state to stand against what
// grammar finds, and how many tokens it may have.
const (
	sureAside    = 0.9
	sureState    = 0.8
	sureChange   = 0.6
	longSentence = 22
)

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
		if st.Object == one.Object {
			agreed, one.Relation = true, st.Relation
			continue
		}
		st.Additive = true // it comes beside the state
		beside = append(beside, st)
	}
	if agreed {
		return append([]Statement{one}, beside...)
	}
	if s.likely >= sureOf(s, &one) {
		return []Statement{one}
	}
	return found
}

// sureOf is how likely the role of a sentence must be for a value to stand that
// grammar alone does not find. Long sentences say more than one thing.
func sureOf(s *sentence, st *Statement) float64 {
	telling := st.Type == Name || st.Type == Number || st.Type == Money || st.Type == When
	mine := st.Who == english.Speaker || st.Who == english.SpeakerThing
	switch {
	case len(s.Tokens) > longSentence:
		return 1
	case telling && !st.side, st.Changed, st.Unique:
		return sureChange
	case mine && !st.side:
		return sureState
	}
	return sureAside
}

// mood reports whether the value of a state is only how somebody feels, points at
// what is not named, or is the hearer's.
func mood(s *sentence, st *Statement) bool {
	words := strings.Fields(strings.ToLower(st.Object))
	if len(words) == 0 || st.command {
		return true
	}
	switch words[0] {
	case "this", "that", "these", "those", "your":
		return true
	}
	switch st.Who {
	case english.Hearer, english.HearerThing:
		return true
	case english.Thing, english.Nobody:
		if st.Type != Name && st.Type != Number && st.Type != Money && st.Type != When && !st.Changed && (!st.linking || st.Relation == "is" || st.Relation == "") {
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
		if !strings.EqualFold(p.Owner, "my") && !strings.EqualFold(p.Owner, "our") || p.Named || !tiesOf[head] {
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

// fullEnd is where a phrase ends, with what "of" ties to it.
func fullEnd(s *english.Sentence, phrase int) int {
	end := s.Phrases[phrase].End
	if of := s.Phrases[phrase].Of; of >= 0 {
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
