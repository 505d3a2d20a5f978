package daybook

import (
	"strconv"
	"strings"
	"time"
)

// Fact is a triple (subject, relation, object) that somebody asserted, with the
// time in which it holds and what is known around it. The ledger never changes
// a fact; what later facts do to it is part of its State.
type Fact struct {
	ID         FactID      `json:"id"`
	Subject    EntityID    `json:"subject"`
	Relation   string      `json:"relation"` // canonical, see FoldRelation
	Object     string      `json:"object"`   // as written
	Valid      Span        `json:"valid,omitzero"`
	Holds      Cardinality `json:"holds,omitempty"`
	Modality   Modality    `json:"modality,omitempty"`
	Context    Context     `json:"context,omitzero"`
	Confidence float64     `json:"confidence,omitempty"` // 0 means not given
	Importance float64     `json:"importance,omitempty"` // 0 means not given
	Event      EventID     `json:"event,omitempty"`      // the event that asserts it
	Sources    []NoteID    `json:"sources,omitempty"`    // the notes it stands on
	Session    string      `json:"session,omitempty"`
}

// Context is what surrounds a fact: why it holds, how the speaker feels about
// it, and what else was considered.
type Context struct {
	Why          string   `json:"why,omitempty"`
	Sentiment    string   `json:"sentiment,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
}

// Cardinality says how many values a relation holds at a time for one subject.
type Cardinality string

// Cardinalities. Unsaid is settled by the vocabulary, and by Many where that
// does not know the relation, so that nothing is closed by accident.
const (
	Unsaid   Cardinality = ""
	OneValue Cardinality = "one"
	Many     Cardinality = "many"
)

// Modality says in what way a fact or event is meant. Only what is Asserted can
// supersede something.
type Modality string

// Modalities. The zero value is an assertion.
const (
	Asserted     Modality = ""
	Planned      Modality = "planned"
	Wished       Modality = "wished"
	Hypothetical Modality = "hypothetical"
	Reported     Modality = "reported"
	Negated      Modality = "negated"
	OneOff       Modality = "one-off"
)

// Named returns the fact in canonical form with its id, which is made from all
// that it says.
func (f Fact) Named() Fact {
	f.Relation = FoldRelation(f.Relation)
	f.Valid.From, f.Valid.Until = f.Valid.From.UTC(), f.Valid.Until.UTC()
	parts := []string{
		string(f.Subject), f.Relation, f.Object, string(f.Holds), string(f.Modality),
		f.Valid.From.Format(time.RFC3339Nano), f.Valid.Until.Format(time.RFC3339Nano),
		f.Context.Why, f.Context.Sentiment, string(f.Event), f.Session,
		strconv.FormatFloat(f.Confidence, 'g', -1, 64), strconv.FormatFloat(f.Importance, 'g', -1, 64),
		strconv.Itoa(len(f.Context.Alternatives)),
	}
	parts = append(parts, f.Context.Alternatives...)
	for _, n := range f.Sources {
		parts = append(parts, string(n))
	}
	f.ID = FactID(hashID(FactPrefix, parts...))
	return f
}

// Validate reports what keeps the fact from being stored.
func (f Fact) Validate() error {
	if f.Subject == "" {
		return Errorf(Invalid, "fact has no subject")
	}
	for _, s := range []struct{ name, value string }{{"relation", f.Relation}, {"object", f.Object}} {
		if s.value == "" {
			return Errorf(Invalid, "fact has an empty %s", s.name)
		}
		if err := CheckName(s.name, s.value); err != nil {
			return err
		}
	}
	if err := f.Context.validate(); err != nil {
		return err
	}
	if FoldRelation(f.Relation) == "" || strings.TrimSpace(f.Object) == "" {
		return Errorf(Invalid, "fact needs a relation and an object with letters or digits in them")
	}
	if !between0And1(f.Confidence) || !between0And1(f.Importance) {
		return Errorf(Invalid, "confidence and importance lie between 0 and 1")
	}
	return f.Valid.Validate()
}

// between0And1 is false for NaN too, which no comparison holds for.
func between0And1(p float64) bool { return p >= 0 && p <= 1 }

func (c Context) validate() error {
	texts := append([]string{c.Why, c.Sentiment}, c.Alternatives...)
	for _, s := range texts {
		if err := CheckText("context", s); err != nil {
			return err
		}
	}
	return nil
}

// State is what history prints: the values of one (subject, relation) in the
// order of valid time. Where an updates or contradicts link joins facts of
// different relations of the subject, these relations are one state.
type State struct {
	Subject Entity `json:"subject"`
	// Relation names the state: of joined relations the one whose first fact is
	// the earliest in valid time.
	Relation string   `json:"relation"`
	Also     []string `json:"also,omitempty"` // the other relations, sorted
	// Holds is Many for joined relations: only their links close values across
	// them.
	Holds   Cardinality `json:"holds"`
	Periods []Period    `json:"periods"`
}

// Period is one value of a state with the time in which it held, as far as the
// facts known at the time of reading say.
type Period struct {
	Relation string   `json:"relation,omitempty"` // where it is not the one that names the state
	Object   string   `json:"object"`
	Valid    Span     `json:"valid"`
	Modality Modality `json:"modality,omitempty"`
	Role     Role     `json:"role"`
	Reason   string   `json:"reason,omitempty"` // why it has that role
	// Facts assert the value in the order of their valid time.
	Facts []RecordedFact `json:"facts"`
	// EndedBy is the fact whose assertion ended the period; empty when the
	// period is open or carries its own end.
	EndedBy FactID `json:"ended_by,omitempty"`
}

// RecordedFact is a fact with the commit that brought it.
type RecordedFact struct {
	Fact
	RecordedAt time.Time `json:"recorded_at"`
	Commit     CommitID  `json:"commit"`
	Author     string    `json:"author"`
}

// Transition is a change of a state from one value to the next.
type Transition struct {
	Subject  Entity `json:"subject"`
	Relation string `json:"relation"`
	From     string `json:"from,omitempty"` // empty when the value is the first known
	To       string `json:"to,omitempty"`   // empty when nothing took its place
	// FromRelation and ToRelation are the relations of the two values where they
	// are not the one that names the state.
	FromRelation string    `json:"from_relation,omitempty"`
	ToRelation   string    `json:"to_relation,omitempty"`
	ValidAt      time.Time `json:"valid_at,omitzero"`
	Learned      time.Time `json:"learned"`
	Why          string    `json:"why,omitempty"`
	Evidence     []NoteID  `json:"evidence,omitempty"`
	Fact         FactID    `json:"fact"` // the fact that made the change
}
