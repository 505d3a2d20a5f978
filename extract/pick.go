package extract

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"daybook/english"
)

// Candidate is a part of a sentence that may be the value of the state it tells,
// with what its place says of that, as numbers for the fitted picker.
type Candidate struct {
	Text    string    `json:"text"`
	Signals []float32 `json:"signals"`
	value   value
	clause  *english.Clause
}

// Candidates returns the parts of a sentence that may be the value of its state, in
// order: those of grammar and, where its words are marked, the part that the marks
// point out. The order of the signals is fixed: the weights are by position. Without
// marks a candidate has the first SignalCount of them.
func Candidates(s *english.Sentence, marks []Mark) (all []Candidate) {
	e := evidenceOf(s, marks)
	seen := map[[2]int]bool{}
	add := func(first, end int, built form) {
		key := [2]int{first, end}
		if first < 0 || end > len(s.Tokens) || first >= end || seen[key] {
			return
		}
		seen[key] = true
		c := clauseAt(s, first)
		if c == nil || built == formRest && speaks(s, first, end) {
			return
		}
		v := place(s, c, first, end, built)
		all = append(all, Candidate{Text: textOf(s, first, end), Signals: append(signals(s, c, v, built), e.signals(v, built)...), value: v, clause: c})
	}
	for i := range s.Phrases {
		phraseForms(s, i, add)
	}
	for i := range s.Clauses {
		verbForms(s, &s.Clauses[i], add)
	}
	for i, t := range s.Tokens {
		if t.Norm == ":" && i+1 < len(s.Tokens) {
			add(i+1, partEnd(s, i+1), formPart)
		}
	}
	if e != nil {
		add(e.first, e.end, formMarked)
	}
	return all
}

// speaks reports whether a run of tokens holds a clause of its own or asks: such a
// run is no value.
func speaks(s *english.Sentence, first, end int) bool {
	for _, t := range s.Tokens[first:end] {
		if strings.HasPrefix(t.Tag, "W") || t.Tag == "PRP" || t.Tag == "MD" || t.Tag == "VBZ" || t.Tag == "VBP" || t.Tag == "VBD" {
			return true
		}
	}
	return false
}

// form is how a candidate was put together.
type form int

const (
	formPhrase    form = iota // a noun phrase
	formOf                    // with what "of" ties to it
	formPrep                  // with a phrase behind a preposition
	formPreps                 // with two
	formJoined                // with what "and" joins to it
	formCut                   // with the phrase right behind it
	formAdjective             // a predicate adjective
	formDoing                 // a gerund with its object
	formRest                  // what follows the verb
	formPart                  // what follows a colon
	formClock                 // with the words that lead up to a time or number
	formCount
	formMarked // what the marks of the words point out, where grammar has no such part
)

// phraseForms adds a noun phrase, alone and with what may belong to it.
func phraseForms(s *english.Sentence, i int, add func(first, end int, built form)) {
	p := s.Phrases[i]
	if p.Pronoun || s.Vocative(i) || p.Time && deicticTime(s, p) || yields(s, p.First) {
		return
	}
	add(p.First, p.End, formPhrase)
	end := fullEnd(s, i)
	if end < len(s.Tokens) && s.Tokens[end].Tag == "POS" { // "at Hannigan's"
		add(p.First, end+1, formCut)
	}
	if first := clockFirst(s, p.First); first < p.First {
		add(first, end, formClock)
	}
	add(p.First, end, formOf)
	if next := phraseFrom(s, end); next >= 0 {
		add(p.First, fullEnd(s, next), formCut)
	}
	if end < len(s.Tokens) && joiner(s.Tokens[end].Norm) {
		if next := phraseFrom(s, end+1); next >= 0 {
			add(p.First, fullEnd(s, next), formJoined)
		}
	}
	for _, built := range []form{formPrep, formPreps} {
		if end >= len(s.Tokens) || !tiesTo(s.Tokens[end]) {
			return
		}
		next := phraseFrom(s, end+1)
		if next < 0 {
			return
		}
		end = fullEnd(s, next)
		add(p.First, end, built)
	}
}

// deicticTime reports whether a time is told from the time of speaking: "these days",
// "last week".
func deicticTime(s *english.Sentence, p english.NounPhrase) bool {
	switch s.Tokens[p.First].Norm {
	case "this", "these", "that", "those", "last", "next", "today", "tonight", "tomorrow", "yesterday":
		return true
	}
	return false
}

// clockFirst is where a time or a number begins whose first words are no part of its
// phrase: "half past seven", "twice a week", "+1.5".
func clockFirst(s *english.Sentence, first int) int {
	if first == 0 {
		return first
	}
	switch s.Tokens[first-1].Norm {
	case "+", "once", "twice", "thrice", "every":
		return first - 1
	case "past", "to":
		from := first - 2
		if from >= 0 && (s.Tokens[from].Norm == "half" || s.Tokens[from].Norm == "quarter" || s.Tokens[from].Tag == "CD") {
			if from > 0 && s.Tokens[from-1].Norm == "a" {
				from--
			}
			return from
		}
	}
	return first
}

// phraseFrom is the phrase that begins at a token, or -1. Pronouns are none.
func phraseFrom(s *english.Sentence, token int) int {
	return slices.IndexFunc(s.Phrases, func(p english.NounPhrase) bool { return p.First == token && !p.Pronoun })
}

func joiner(norm string) bool { return norm == "and" || norm == "or" || norm == "&" }

// tiesTo reports whether a word can tie a phrase to the one before it.
func tiesTo(t english.Token) bool {
	return t.Tag == "IN" || t.Tag == "TO" || t.Norm == "called" || t.Norm == "named" || t.Norm == "plus" || t.Norm == "past"
}

// verbForms adds what a verb says of its subject without a noun phrase.
func verbForms(s *english.Sentence, c *english.Clause, add func(first, end int, built form)) {
	if c.Verb < 0 {
		return
	}
	g := s.Group(*c)
	if c.Adjective >= 0 {
		v := adjectiveValue(s, c)
		add(v.first, v.end, formAdjective)
	}
	if g.Form == english.Gerund || g.Progressive {
		add(g.Main, doingEnd(s, c), formDoing)
	}
	if g.Main >= 0 {
		end := g.Main + 1
		for end < len(s.Tokens) && predicates(s.Tokens[end]) {
			end++
		}
		add(g.Main+1, end, formRest)
	}
}

// partEnd is where a part ends that begins at a token: before the next mark.
func partEnd(s *english.Sentence, from int) int {
	for i := from; i < len(s.Tokens); i++ {
		if isMark(s.Tokens[i].Norm) || s.Tokens[i].Tag == "CC" && s.Tokens[i].Norm == "but" {
			return i
		}
	}
	return len(s.Tokens)
}

// clauseAt is the clause that a token belongs to: the one whose verb is nearest
// before it, or the first that begins at or before it.
func clauseAt(s *english.Sentence, token int) *english.Clause {
	var at *english.Clause
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.First <= token && token < c.End && (at == nil || c.First >= at.First) {
			at = c
		}
	}
	if at == nil && len(s.Clauses) > 0 {
		at = &s.Clauses[0]
	}
	return at
}

// place describes a candidate as a value of its clause.
func place(s *english.Sentence, c *english.Clause, first, end int, built form) value {
	v := value{first: first, end: end, typ: typeOf(s, first, end, built)}
	phrase := phraseFrom(s, first)
	if phrase >= 0 {
		v.subject = phrase == c.Subject && !c.Implicit
		for _, p := range c.Preps {
			if p.Phrase == phrase {
				v.prep = p.Word
			}
		}
	}
	return v
}

func typeOf(s *english.Sentence, first, end int, built form) Type {
	v := value{first: first, end: end}
	text := textOf(s, first, end)
	if built == formClock {
		return When
	}
	timed := slices.ContainsFunc(s.Phrases, func(p english.NounPhrase) bool { return p.First == first && p.Time })
	switch {
	case built == formAdjective:
		return Quality
	case built == formDoing:
		return Activity
	case hasMoney(text):
		return Money
	case timed:
		return When
	case hasDigit(text) || startsWithNumber(s, v):
		return Number
	case hasName(s, v):
		return Name
	case built == formRest:
		return Quality
	}
	return Thing
}

// signals is what the place of a candidate tells.
func signals(s *english.Sentence, c *english.Clause, v value, built form) []float32 {
	x := make([]float32, 0, SignalCount)
	for f := range formCount {
		x = append(x, bit(built == f))
	}
	for _, t := range valueTypes {
		x = append(x, bit(v.typ == t))
	}
	x = append(x, clauseSignals(s, c)...)
	x = append(x, roleSignals(s, c, v)...)
	x = append(x, phraseSignals(s, v)...)
	return append(x, whereSignals(s, v)...)
}

var (
	valueTypes = [...]Type{Name, Number, Money, When, Thing, Activity, Quality}
	kinds      = [...]english.Kind{english.Main, english.Complement, english.Relative, english.Adverbial, english.Reduced}
	// prepWords are the prepositions that are told apart before a value, and inside.
	prepWords = [...]string{"in", "on", "at", "to", "from", "with", "by", "for", "as", "of", "into", "about", "through", "called", "named"}
)

// SignalCount is how many signals grammar has of a candidate.
const SignalCount = int(formCount) + len(valueTypes) + len(kinds) + len(traitWho) + 9 + len(prepWords) + 9 + len(prepWords) + 16 + 10

// clauseSignals tell of the clause: its kind, whose state it is, and its verb.
func clauseSignals(s *english.Sentence, c *english.Clause) (x []float32) {
	g := s.Group(*c)
	for _, k := range kinds {
		x = append(x, bit(c.Kind == k))
	}
	for _, w := range traitWho {
		x = append(x, bit(c.Who == w))
	}
	return append(x,
		bit(c.Verb < 0), bit(g.Verb == "be"), bit(g.Verb == "have" || g.Lemma == "get"), bit(changeVerbs[g.Verb]), bit(likings[g.Verb]),
		bit(g.Tense == english.Past && !g.Perfect), bit(g.Passive), bit(c.Kind == english.Reduced && g.Form == english.Infinitive),
		bit(c.Subject >= 0 && s.Phrases[c.Subject].Pronoun))
}

// roleSignals tell what the value is to its clause.
func roleSignals(s *english.Sentence, c *english.Clause, v value) (x []float32) {
	for _, p := range prepWords {
		x = append(x, bit(v.prep == p))
	}
	phrase := phraseFrom(s, v.first)
	object := slices.Index(c.Objects, phrase)
	g := s.Group(*c)
	return append(x,
		bit(v.prep != "" && !slices.Contains(prepWords[:], v.prep)), bit(v.subject), bit(phrase >= 0 && phrase == c.Attribute),
		bit(phrase >= 0 && object == 0), bit(object > 0), bit(slices.Contains(c.Times, phrase)),
		bit(c.Verb >= 0 && v.first < g.First), bit(c.Verb >= 0 && v.first == g.End),
		bit(v.prep != "" && c.Verb >= 0 && v.first < g.First))
}

// phraseSignals tell what the words of the value are.
func phraseSignals(s *english.Sentence, v value) (x []float32) {
	inner := map[string]bool{}
	for i := v.first + 1; i < v.end; i++ {
		inner[s.Tokens[i].Norm] = true
	}
	for _, p := range prepWords {
		x = append(x, bit(inner[p]))
	}
	p := english.NounPhrase{}
	head := ""
	if phrase := phraseFrom(s, v.first); phrase >= 0 {
		p = s.Phrases[phrase]
		head = s.Tokens[p.Head].Lemma
	}
	owner := strings.ToLower(p.Owner)
	timeInside := slices.ContainsFunc(s.Phrases, func(q english.NounPhrase) bool { return q.First > v.first && q.End <= v.end && q.Time })
	return append(x,
		bit(p.Determiner == "a" || p.Determiner == "an"), bit(p.Determiner == "the"), bit(p.Determiner == "this" || p.Determiner == "that"),
		bit(isFirstPerson(owner)), bit(owner != "" && !isFirstPerson(owner)), bit(p.Determiner == "" && owner == ""),
		bit(p.Human), bit(p.Plural), bit(vague[head]), bit(p.Named), bit(recurs(s, v)), bit(timeInside),
		bit(inner["my"] || inner["our"]), float32(min(v.end-v.first, 8))/4,
		bit(head != "" && p.Determiner == "" && owner == "" && p.End == p.First+1 && s.Tokens[p.Head].Tag == "NN"),
		bit(v.end-1 == p.Head))
}

// whereSignals tell where in the sentence the value stands.
func whereSignals(s *english.Sentence, v value) []float32 {
	before, after := "", ""
	if v.first > 0 {
		before = s.Tokens[v.first-1].Norm
	}
	if v.end < len(s.Tokens) {
		after = s.Tokens[v.end].Norm
	}
	words := len(s.Tokens)
	rest := 0 // phrases that come after it
	for _, p := range s.Phrases {
		if p.First >= v.end && !p.Pronoun {
			rest++
		}
	}
	past := english.Token{}
	if v.end < len(s.Tokens) {
		past = s.Tokens[v.end]
	}
	return []float32{
		bit(before == ":"), bit(before == "," || before == "-" || before == "–"), bit(v.first == 0), bit(after == "" || after == "." || after == "!"),
		bit(after == "," || after == ":" || after == "-"), bit(after == "and" || after == "or" || after == "&"),
		bit(past.Tag == "IN" || past.Tag == "TO"), bit(strings.HasPrefix(past.Tag, "NN") || past.Tag == "CD" || past.Tag == "VBN"),
		float32(min(rest, 4)) / 2, float32(v.first) / float32(max(words, 1)),
	}
}

// picker holds the fitted weights of a small network that scores candidates by
// their signals. tools/states/pick.py fits them on sentences written for the
// purpose.
type picker struct {
	in        [][pickerUnits]float32 // of each signal
	bias, out [pickerUnits]float32
	// trust weighs the signals of a picked value, the traits of its sentence, how
	// likely it is among the others, and one.
	trust []float32
}

const pickerUnits = 24

// pickers are the picker by grammar alone, the head that marks the words of a
// sentence, and the picker by both.
type pickers struct {
	alone, marked picker
	head          [vectorDim + 1]float32 // the last is the bias
}

//go:embed assets/pick.bin
var pickerFile []byte

// fittedPickers unpacks the weights at the first use.
var fittedPickers = sync.OnceValue(func() *pickers {
	p, r := new(pickers), bytes.NewReader(pickerFile)
	err := errors.Join(p.alone.read(r, SignalCount), binary.Read(r, binary.LittleEndian, &p.head), p.marked.read(r, SignalCount+EvidenceCount))
	if err != nil || r.Len() > 0 {
		panic(fmt.Sprintf("extract: assets/pick.bin has %d bytes, %d of them too many: make it again with tools/states/pick.py: %v", len(pickerFile), r.Len(), err))
	}
	return p
})

// read unpacks a picker by so many signals.
func (p *picker) read(r io.Reader, signals int) error {
	p.in, p.trust = make([][pickerUnits]float32, signals), make([]float32, signals+TraitCount+2)
	for _, part := range []any{p.in, &p.bias, &p.out, p.trust} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

func (p *picker) score(signals []float32) float64 {
	h := p.bias
	for i, x := range signals {
		if x == 0 {
			continue
		}
		for k, w := range p.in[i] {
			h[k] += x * w
		}
	}
	sum := 0.0
	for k, v := range h {
		sum += math.Tanh(float64(v)) * float64(p.out[k])
	}
	return sum
}

// picked is a candidate with how far it can be trusted.
type picked struct {
	Candidate
	trust float64
}

// picks returns the candidates of a sentence for the value of its state, the
// likeliest first, each with how far it can be trusted: how likely it is right, in
// talk as in statements. Without marks grammar alone decides.
func picks(s *english.Sentence, marks []Mark) []picked {
	p := &fittedPickers().alone
	if marks != nil {
		p = &fittedPickers().marked
	}
	all := possible(s, Candidates(s, marks))
	scores, order := make([]float64, len(all)), make([]int, len(all))
	for i, c := range all {
		scores[i], order[i] = p.score(c.Signals), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	sum := 0.0
	for _, x := range scores {
		sum += math.Exp(x - scores[order[0]])
	}
	traits, out := Traits(s), make([]picked, len(all))
	for i, k := range order {
		share := math.Exp(scores[k]-scores[order[0]]) / sum
		out[i] = picked{all[k], p.trusts(all[k].Signals, traits, share)}
	}
	return out
}

// trusts is how likely a candidate is the value, by its signals, the traits of its
// sentence and how likely it is among the others.
func (p *picker) trusts(signals, traits []float32, share float64) float64 {
	logit := 0.0
	for i, x := range slices.Concat(signals, traits, []float32{float32(share), 1}) {
		logit += float64(p.trust[i] * x)
	}
	return 1 / (1 + math.Exp(-logit))
}

// as returns the part of a sentence that reads as a given value: of several the one
// that grammar likes best.
func as(s *english.Sentence, text string) (found Candidate, ok bool) {
	p, top := &fittedPickers().alone, math.Inf(-1)
	for _, c := range Candidates(s, nil) {
		if score := p.score(c.Signals); c.Text == text && score > top {
			found, top, ok = c, score, true
		}
	}
	if ok || len(s.Clauses) == 0 {
		return found, ok
	}
	for first := range s.Tokens {
		for end := first + 1; end <= len(s.Tokens); end++ {
			if textOf(s, first, end) == text {
				c := clauseAt(s, first)
				return Candidate{Text: text, value: place(s, c, first, end, formMarked), clause: c}, true
			}
		}
	}
	return found, false
}

// possible leaves out the candidates that grammar says are not the value, unless that
// leaves none.
func possible(s *english.Sentence, all []Candidate) []Candidate {
	var left []Candidate
	for i := range all {
		if !impossible(s, &all[i]) {
			left = append(left, all[i])
		}
	}
	if len(left) == 0 {
		return all
	}
	return left
}

// impossible reports whether a candidate cannot be the value: it has no word that
// tells anything, begins with the verb's particle, names the speaker's own thing that the sentence speaks of, only says
// which thing that is, or where what is said lies.
func impossible(s *english.Sentence, c *Candidate) bool {
	return wordless(s, c.value) || s.Tokens[c.value.first].Tag == "RP" || ownSubject(s, c) || specifies(s, c) || knownWhole(s, c) || besideRole(s, c) || doneByIt(s, c)
}

// wordless reports whether a candidate has only particles and adverbs: "out".
func wordless(s *english.Sentence, v value) bool {
	return !slices.ContainsFunc(s.Tokens[v.first:v.end], func(t english.Token) bool { return t.Tag != "RB" && t.Tag != "RP" && t.Tag != "IN" && t.Tag != "DT" })
}

// ownSubject reports whether a candidate is the subject and the speaker's: "my hosting
// has changed".
func ownSubject(s *english.Sentence, c *Candidate) bool {
	phrase := phraseFrom(s, c.value.first)
	return c.value.subject && phrase >= 0 && isFirstPerson(s.Phrases[phrase].Owner) && !s.Phrases[phrase].Named && !s.Phrases[phrase].Human
}

// specifies reports whether a candidate stands in a clause that only says which thing
// is meant, of which the main clause then says what it is: "the one I see every week is
// Anna".
func specifies(s *english.Sentence, c *Candidate) bool {
	if c.clause.Kind != english.Relative {
		return false
	}
	return slices.ContainsFunc(s.Clauses, func(m english.Clause) bool {
		return m.Kind == english.Main && m.Attribute >= 0 && s.Group(m).Verb == "be" && s.Phrases[m.Attribute].First >= c.value.end
	})
}

// knownWhole reports whether a candidate is only the known whole of which a part is told:
// "the choir" in "the alto section of the choir".
func knownWhole(s *english.Sentence, c *Candidate) bool {
	phrase := phraseFrom(s, c.value.first)
	if phrase < 0 || s.Phrases[phrase].Determiner != "the" || s.Phrases[phrase].Named || s.Phrases[phrase].End != s.Phrases[phrase].First+2 {
		return false
	}
	return slices.ContainsFunc(s.Phrases, func(p english.NounPhrase) bool {
		return p.Of == phrase && !p.Time && p.Determiner == "the" && p.End >= p.First+3
	})
}

// besideRole reports whether a thing stands behind the role that somebody has: "the
// play" in "I'm cast as the narrator in the play".
func besideRole(s *english.Sentence, c *Candidate) bool {
	if c.value.typ != Thing || c.clause.Who != english.Speaker || c.value.prep == "" || c.value.prep == "as" || len(c.clause.Objects) > 0 {
		return false
	}
	return slices.ContainsFunc(c.clause.Preps, func(p english.Prep) bool {
		return p.Word == "as" && p.Token < c.value.first && p.Token == s.Group(*c.clause).End
	})
}

// doneByIt reports whether a candidate is part of a doing that "it" is said to be: "my
// hobby changed, it's baking bread now".
func doneByIt(s *english.Sentence, c *Candidate) bool {
	g := s.Group(*c.clause)
	if !g.Progressive || g.Main < 0 || c.clause.Subject < 0 || c.value.first <= g.Main {
		return false
	}
	subject := s.Phrases[c.clause.Subject]
	return s.Tokens[subject.Head].Norm == "it" || namesDoing[s.Tokens[subject.Head].Lemma]
}

// namesDoing are nouns for what somebody does.
var namesDoing = setOf("hobby hustle job gig pastime chore duty task habit routine exercise workout sport ritual goal aim specialty passion work activity")
