package xpath

import "time"

// Query is a parsed query. With no Group it starts at the root; with one, at what
// the group picked. No group and no steps is the root itself.
type Query struct {
	Group *Group
	Steps []Step
}

// Group is ( query )[i]: the query is run, its nodes are put in order of weight,
// and the position counts in that order.
type Group struct {
	Query Query
	At    Range
}

// Step goes from the nodes that were reached to their children or descendants.
// Its parts act in the order of the fields.
type Step struct {
	AsOf    time.Time // go over to the tree as it was recorded then; zero for no change
	Descend bool      // descendants instead of children
	Type    string    // Any or the type that a node must have
	At      Range     // counted among the nodes of one parent; zero for all
	Pred    Pred      // weighs the nodes; nil leaves their weights alone
	Shift   int       // go on to the brother so many places after (before, if negative); 0 for none
}

// Any as a Step's Type lets nodes of every type pass.
const Any = "*"

// Range is a position or a run of positions, both ends included. Numbers count
// from 1, or from the end when negative. The zero Range is everything; To is 0
// when the run is open.
type Range struct{ From, To int }

// IsAll reports whether r leaves nothing out.
func (r Range) IsAll() bool { return r == Range{} }

// Bounds returns the half-open interval of indexes that r selects from n things;
// it is empty when r lies outside.
func (r Range) Bounds(n int) (from, to int) {
	if r.IsAll() {
		return 0, n
	}
	from, to = place(r.From, n)-1, n
	if r.To != 0 {
		to = place(r.To, n)
	}
	from, to = max(from, 0), min(to, n)
	if single := r.From == r.To; single && (place(r.From, n) < 1 || place(r.From, n) > n) || from >= to {
		return 0, 0
	}
	return from, to
}

// place turns a number that counts from the end into one that counts from 1.
func place(i, n int) int {
	if i < 0 {
		return n + 1 + i
	}
	return i
}

// Pred gives a node a weight between 0 and 1.
type Pred interface {
	String() string
	pred()
}

// Local asks how near an attribute of the node, or the whole node when Attr is
// Node, is to a text in meaning.
type Local struct{ Attr, Text string }

// Node as a Local's Attr stands for the whole node.
const Node = "node"

// Exact is 1 when an attribute has just this text and 0 otherwise.
type Exact struct{ Attr, Text string }

// Not is 1 - P.
type Not struct{ P Pred }

// Join combines predicates of the same node.
type Join struct {
	By    Op // Product, Min, Max, or Avg of two
	Parts []Pred
}

// Agg combines the weights that an inner step gives to the nodes below: Avg, Min,
// Max or GMean. Over no nodes it is 0.
type Agg struct {
	By   Op
	Step Step
}

// Op is a way to combine weights.
type Op string

// The ways to combine.
const (
	Product Op = "*"
	Min     Op = "min"
	Max     Op = "max"
	Avg     Op = "avg"
	GMean   Op = "gmean"
)

func (Local) pred() {}
func (Exact) pred() {}
func (Not) pred()   {}
func (Join) pred()  {}
func (Agg) pred()   {}

// Weighs reports whether the query has a predicate. One that has none is purely
// structural: all its nodes have weight 1.
func (q Query) Weighs() bool {
	if q.Group != nil && q.Group.Query.Weighs() {
		return true
	}
	for _, s := range q.Steps {
		if s.Pred != nil {
			return true
		}
	}
	return false
}

// Names reports whether a step of the query, inner ones included, names a type.
func (q Query) Names(typ string) bool {
	if q.Group != nil && q.Group.Query.Names(typ) {
		return true
	}
	for _, s := range q.Steps {
		if s.names(typ) {
			return true
		}
	}
	return false
}

func (s Step) names(typ string) bool { return s.Type == typ || s.Pred != nil && predNames(s.Pred, typ) }

func predNames(p Pred, typ string) bool {
	switch p := p.(type) {
	case Not:
		return predNames(p.P, typ)
	case Agg:
		return p.Step.names(typ)
	case Join:
		for _, part := range p.Parts {
			if predNames(part, typ) {
				return true
			}
		}
	}
	return false
}
