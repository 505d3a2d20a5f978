package model

import (
	"context"
	"time"
)

// Reader is the slot for a model that reads how people write: what a message states, how a
// statement bears on earlier ones, what a question asks for, and where a message answers it.
//
// All methods return one result for each thing given, in order, and may be called from many
// goroutines at once. Errors carry a daybook.Kind: Invalid for a text that it cannot take,
// Unavailable when the context ends or a remote model does not serve.
type Reader interface {
	// Statements reads messages, each in its window. Most messages state nothing.
	Statements(ctx context.Context, windows []Window) ([][]Statement, error)
	// Compare judges statements, each against a few earlier ones.
	Compare(ctx context.Context, comparisons []Comparison) ([][]Bearing, error)
	// Questions reads questions.
	Questions(ctx context.Context, questions []string) ([]Asked, error)
	// Answers reads a question together with each of some messages.
	Answers(ctx context.Context, question string, windows []Window) ([]Answering, error)
	// Choose looks at the likeliest answers of a question together: at most MostChoices, oldest first.
	Choose(ctx context.Context, question string, candidates []Stated) ([]Choice, error)
}

// Said is a message as a reader gets it.
type Said struct {
	Speaker string
	Time    time.Time
	Text    string
}

// Window is a message with what a reader needs to understand it.
type Window struct {
	// Known are names that the message may mean without saying them: those who take part in
	// the talk, then whom or what it was about, latest first.
	Known  []string
	Before []Said // messages of the same sitting before it, oldest first
	Said
}

// Stance says in what way something is stated.
type Stance string

// Stances. Only what Holds, Ended or is a Rule says how things are.
const (
	Holds        Stance = "holds"
	Ended        Stance = "ended"
	Intended     Stance = "planned"
	Hypothetical Stance = "hypothetical"
	Reported     Stance = "reported"
	Denied       Stance = "denied"
	Joke         Stance = "joke"
	Past         Stance = "past"
	Suggestion   Stance = "suggestion"
	Rule         Stance = "rule"
)

// Statement is something that a message states.
type Statement struct {
	Start, End int     // bytes of the message's text: the words that give the value
	Sure       float32 // probability that they state something
	Holder     string  // whose state it is; empty where the reader cannot tell
	HolderSure float32
	Stance     Stance
	StanceSure float32
	Vector     []float32 // what it is about: near to those of the same state, of length one
}

// Stated is a statement that was read before, in its message.
type Stated struct {
	Said
	Start, End int // bytes of the text: the words that give the value
}

// Comparison is a statement with earlier ones that may be of the same state.
type Comparison struct {
	Before  []Said // before the new statement's message, in its sitting
	New     Stated
	Earlier []Stated // at most MostEarlier
}

// Bearing is what a statement does to an earlier one: four probabilities that sum to one.
type Bearing struct {
	Other   float32 // it is of another state
	Repeats float32 // it says the same again
	Ends    float32 // it ends or replaces it
	Same    float32 // it is of the same state in another way: a plan, a report, a value ended before
}

// Asked is what a question asks for.
type Asked struct {
	Kind     string // one of QuestionKinds
	KindSure float32
	Form     string // one of QuestionForms: what shape the answer has; empty where it is open
	FormSure float32
	Vector   []float32 // what it is about, in the space of Statement.Vector
}

// QuestionKinds are what questions ask for, and QuestionForms the shapes of answers.
var (
	QuestionKinds = []string{"current", "historical", "asof", "when", "why", "how", "plain", "multi", "absent", "contested", "list"}
	QuestionForms = []string{"", "yes/no", "how many", "how long", "how much", "order", "summary", "who", "where", "what", "when", "which"}
)

// Answering is what a message has to do with a question. None, Mentions and Answers are
// probabilities that sum to one. A message that gives any value of the state that is asked for
// Answers; which of them is the answer, Choose says.
type Answering struct {
	None       float32 // nothing
	Mentions   float32 // it speaks of the state that is asked for, and does not answer
	Answers    float32
	Start, End int     // bytes of the text: the words that answer, if it does
	SpanScore  float32 // how well these words stand out; comparable within one question
	Stance     Stance  // in what way these words are said
	Yes        float32 // probability that the answer is yes, of a yes/no question
}

// Choice is what a candidate is beside the others: three probabilities that sum to one.
type Choice struct {
	Other   float32 // it has nothing to do with what is asked
	Related float32 // it is of the state that is asked for, and not the answer: an older value, a plan
	Answers float32
}
