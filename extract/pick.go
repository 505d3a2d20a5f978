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
	"sync"

	"daybook/english"
)

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
