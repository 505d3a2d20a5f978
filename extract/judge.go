package extract

import (
	_ "embed"
	"fmt"
	"hash/crc32"
	"math"
	"sync"

	"daybook/english"
)

// Role is how a sentence bears on the state it speaks of.
type Role int

// Roles, in the order in which the fitted judge has them.
const (
	Adds     Role = iota // beside what holds, which stays
	Asks                 // wants something of the hearer
	Chats                // says nothing that lasts
	Happens              // tells what happened once
	Supposes             // hypothetical or wished
	Touches              // on the topic, without a value
	Ended                // no longer so
	Plans                // not yet so
	Denies               // said by others, and not so
	States               // it is so
	Excepts              // so for a while, or on one occasion
	Others               // somebody else's
	Views                // opinions and feelings
	roleCount
)

var roleNames = [roleCount]string{
	"adds", "asks", "chats", "happens", "supposes", "touches", "ended", "plans", "denies", "states", "excepts", "others", "views",
}

func (r Role) String() string { return roleNames[r] }

// JudgeEncoder is the encoder whose vectors the judge was fitted on.
const JudgeEncoder = "e5-small-v2@a6a76269-q2"

// judgeDim is the size of the vectors that stand for state variables.
const judgeDim = 96

// vectorDim is the size of the sentence vectors that the judge was fitted on.
const vectorDim = 384

// judge holds the fitted weights: a map from sentence vectors to vectors of state
// variables, and a judge of roles over sentence vector and traits. tools/states
// fits them on sentences written for the purpose. The file has them in the order of
// the fields, in two bytes each.
type judge struct {
	Mean     [vectorDim]float32
	Variable [vectorDim][judgeDim]float32
	RoleMean [vectorDim]float32
	RoleSD   [vectorDim]float32
	Role     [roleCount][vectorDim + TraitCount]float32
	RoleBias [roleCount]float32
	// Strangers are variables of a hundred different states.
	Strangers [StrangerCount][judgeDim]float32
	// Cohort are the variables that talk without a state seems to speak of: how
	// near they are to a statement tells how crowded its surroundings are.
	Cohort [cohortSize][judgeDim]float32
}

const cohortSize = 400

//go:embed assets/states.bin
var judgeFile []byte

// fitted unpacks the weights at the first use.
var fitted = sync.OnceValue(func() *judge {
	j := new(judge)
	Unpack(j, judgeFile, "extract/assets/states.bin, made by tools/states")
	return j
})

// JudgeMark tells one fit of the judge from another.
func JudgeMark() string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(judgeFile)) }

// traitScale and vectorScale weigh the two kinds of inputs in the fit.
const (
	traitScale  = 1.5
	vectorScale = 0.5
)

// roles returns the probability of each role of a sentence.
func (j *judge) roles(vector, traits []float32) (p chances) {
	var x [vectorDim + TraitCount]float32
	for i, v := range vector {
		x[i] = (v - j.RoleMean[i]) / j.RoleSD[i] * vectorScale
	}
	for i, v := range traits {
		x[vectorDim+i] = v * traitScale
	}
	top := math.Inf(-1)
	for r := range p {
		s := float64(j.RoleBias[r])
		for i, w := range j.Role[r] {
			s += float64(w * x[i])
		}
		p[r] = s
		top = max(top, s)
	}
	sum := 0.0
	for r := range p {
		p[r] = math.Exp(p[r] - top)
		sum += p[r]
	}
	for r := range p {
		p[r] /= sum
	}
	return p
}

// best is the likeliest role.
func best(p chances) Role {
	b := Role(0)
	for r := range p {
		if p[r] > p[b] {
			b = Role(r)
		}
	}
	return b
}

// VariableOf maps the vector of a sentence to that of the state variable it
// speaks of, of unit length: statements of one variable lie close together,
// whatever their values and words.
func VariableOf(vector []float32) []float32 {
	j := fitted()
	var z [judgeDim]float32
	for i, v := range vector {
		d := v - j.Mean[i]
		for k, w := range j.Variable[i] {
			z[k] += d * w
		}
	}
	norm := 0.0
	for _, v := range z {
		norm += float64(v) * float64(v)
	}
	scale := float32(1 / math.Sqrt(max(norm, 1e-12)))
	out := make([]float32, judgeDim)
	for k, v := range z {
		out[k] = v * scale
	}
	return out
}

// chances are the probabilities of the roles of one sentence.
type chances [roleCount]float64

// saidLeast is how likely a sentence must tell of a state to be matched with
// questions.
const saidLeast = 0.10

// tells is how likely the sentence tells of a state, in whatever way it is meant.
func (p *chances) tells() float64 {
	return 1 - p[Asks] - p[Chats] - p[Happens] - p[Touches] - p[Views]
}

// Judge returns the likeliest role of a sentence with the given vector, and how
// likely the sentence states that something is so. A vector of another size than
// the judge was fitted on leaves it to grammar: the role is States then, and the
// chance one half.
func Judge(s *english.Sentence, vector []float32) (Role, float64) {
	if len(vector) != vectorDim {
		return States, 0.5
	}
	p := fitted().roles(vector, Traits(s))
	return best(p), p[States]
}

// StatementOf returns what a sentence of the given role states, with the one value
// that tells most.
func StatementOf(s *english.Sentence, role Role) (Statement, bool) {
	found := stateOf(s, nil)
	if len(found) == 0 && role == States {
		found = loosely(s)
	}
	if len(found) == 0 {
		return Statement{}, false
	}
	st := found[len(found)-1]
	st.settle(role, 1)
	st.amend(s)
	return st, true
}
