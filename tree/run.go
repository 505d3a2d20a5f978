package tree

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"daybook"
	"daybook/xpath"
)

// AsOf is the recorded time that a step goes over to.
type AsOf = time.Time

// Place is a node where a query found it: below another place.
type Place struct {
	*Node
	Up  *Place // nil at the root
	pos int    // among the children of Up
	in  *Node  // the version that it belongs to, where there are versions
}

// Weighted is a place and its weight, from 0 to 1.
type Weighted struct {
	*Place
	Weight float64
}

// Result is what a query gave, and how. Queries share what it holds; it must not be
// changed.
type Result struct {
	Query xpath.Query
	Nodes []Weighted // best first; equal weights in the order of the tree
	Steps []StepTrace
}

// StepTrace is one step of a query with the weighted nodes before and after it.
type StepTrace struct {
	Step string
	In   []Weighted
	Out  []Weighted
	Eval *Eval // how the predicate weighed what was found; nil without one
}

// Eval is a predicate with its score for each of a list of nodes.
type Eval struct {
	Pred   string
	Places []*Place
	Scores []float64
	Parts  []*Eval // what it was put together from
	// For an aggregation there is one part, over the evidence of all nodes
	// together; that of node i is from Evidence[i] to Evidence[i+1].
	Evidence []int
	on       *frontier // of which Places are all; nil for others
}

// Run runs a query over a source. It weighs by the scorer, which may be nil for a
// query without ~=. A query of this many steps at most keeps working sets as
// appendix A of the paper defines them: weights multiply, no node is dropped for a low
// weight, a node that is reached several times keeps its largest weight, and
// positions count among the children of one parent.
func Run(ctx context.Context, src Source, q xpath.Query, scorer Scorer) (*Result, error) {
	return RunTop(ctx, src, q, scorer, 0)
}

// RunTop is Run, but the result has only the best nodes, so many of them; all for
// 0. The last step still tells of every node.
func RunTop(ctx context.Context, src Source, q xpath.Query, scorer Scorer, most int) (*Result, error) {
	r := &runner{ctx: ctx, src: src, scorer: scorer}
	if k, ok := src.(keeper); ok {
		r.kept = k.kept()
	}
	found, err := r.query(q)
	if err != nil {
		return nil, err
	}
	return &Result{Query: q, Nodes: best(found.set, most), Steps: r.steps}, nil
}

// Keep returns the first nodes that have at least a weight; limit 0 is no limit.
func (r *Result) Keep(threshold float64, limit int) []Weighted {
	n := 0
	for n < len(r.Nodes) && r.Nodes[n].Weight >= threshold && (limit == 0 || n < limit) {
		n++
	}
	return r.Nodes[:n]
}

type runner struct {
	ctx    context.Context
	src    Source
	scorer Scorer
	kept   *frontiers // nil for a source whose nodes do not outlive the query
	steps  []StepTrace
}

// keeper is the talent of a source whose nodes outlive a query and never change.
type keeper interface{ kept() *frontiers }

func (r *runner) query(q xpath.Query) (working, error) {
	w, err := r.start(q)
	if err != nil {
		return w, err
	}
	for _, s := range q.Steps {
		in := w.set
		var eval *Eval
		if w, eval, err = r.step(s, w); err != nil {
			return w, fmt.Errorf("step %s: %w", s, err)
		}
		r.steps = append(r.steps, StepTrace{Step: s.String(), In: in, Out: w.set, Eval: eval})
	}
	return w, nil
}

// start returns what a query begins with: the root, or what its group picks.
func (r *runner) start(q xpath.Query) (working, error) {
	if q.Group == nil {
		root, err := r.src.Root(r.ctx)
		if err != nil {
			return working{}, err
		}
		if f := r.origin(root); f != nil {
			return working{f.ones, f}, nil
		}
		return working{set: []Weighted{{&Place{Node: root}, 1}}}, nil
	}
	inner, err := r.query(q.Group.Query)
	if err != nil {
		return inner, err
	}
	from, to := q.Group.At.Bounds(len(inner.set))
	picked := inTreeOrder(slices.Clone(byWeight(inner.set)[from:to]))
	r.steps = append(r.steps, StepTrace{Step: "( … )" + q.Group.At.String(), In: inner.set, Out: picked})
	return working{set: picked}, nil
}

// step takes the working set through one step: as-of, axis, type and position,
// predicate, shift.
func (r *runner) step(s xpath.Step, in working) (out working, eval *Eval, err error) {
	if !s.AsOf.IsZero() {
		if in.set, err = r.asOf(s.AsOf, in.set); err != nil {
			return out, nil, err
		}
		in.on = nil
	}
	if out, err = r.walk(s, in); err != nil {
		return out, nil, err
	}
	if s.Pred != nil {
		if eval, err = r.weigh(s.Pred, out.places(), out.on); err != nil {
			return out, nil, err
		}
		if out.plain() {
			out.set = slices.Clone(out.set)
		}
		for i := range out.set {
			out.set[i].Weight *= eval.Scores[i]
		}
	}
	if s.Shift != 0 {
		out.set, err = r.shift(s, out.set)
		out.on = nil
	}
	return out, eval, err
}

func (w working) places() []*Place {
	if w.on != nil {
		return w.on.places
	}
	places := make([]*Place, len(w.set))
	for i, p := range w.set {
		places[i] = p.Place
	}
	return places
}

// walk goes to the children or descendants of a set, along a frontier if it can.
func (r *runner) walk(s xpath.Step, in working) (working, error) {
	to, err := r.lead(s, in.on)
	if err != nil {
		return working{}, err
	}
	if to != nil {
		return working{in.weights(to), to}, nil
	}
	set, err := r.expand(s, in.set)
	return working{set: set}, err
}

func (r *runner) asOf(at AsOf, set []Weighted) ([]Weighted, error) {
	past, ok := r.src.(Past)
	if !ok {
		return nil, daybook.Errorf(daybook.Invalid, "this tree has no past that as-of could read")
	}
	var then []Weighted
	for _, w := range set {
		p, err := past.AsOf(r.ctx, w.Place, at)
		if err != nil {
			return nil, err
		}
		if p != nil {
			then = append(then, Weighted{p, w.Weight})
		}
	}
	return then, nil
}

// expand goes from every node of the set to its children or descendants.
func (r *runner) expand(s xpath.Step, set []Weighted) ([]Weighted, error) {
	out := make([]Weighted, 0, len(set))
	for _, w := range set {
		if err := r.below(&out, w, s); err != nil {
			return nil, err
		}
	}
	if nested(set) {
		out = inTreeOrder(heaviest(out))
	}
	return out, nil
}

// nested reports whether one node of a set, which is in the order of the tree,
// stands below another.
func nested(set []Weighted) bool {
	for i := 1; i < len(set); i++ {
		for p := set[i].Place; p != nil; p = p.Up {
			if p.key() == set[i-1].key() {
				return true
			}
		}
	}
	return false
}

type placeKey struct{ node, in *Node }

func (p *Place) key() placeKey { return placeKey{p.Node, p.in} }

// heaviest keeps each node once, with its largest weight.
func heaviest(set []Weighted) []Weighted {
	at := make(map[placeKey]int, len(set))
	kept := set[:0]
	for _, w := range set {
		i, seen := at[w.key()]
		switch {
		case !seen:
			at[w.key()] = len(kept)
			kept = append(kept, w)
		case w.Weight > kept[i].Weight:
			kept[i].Weight = w.Weight
		}
	}
	return kept
}

// below adds what one step finds from one node, in the order of the tree.
func (r *runner) below(out *[]Weighted, from Weighted, s xpath.Step) error {
	if err := r.ctx.Err(); err != nil {
		return daybook.Errorf(daybook.Unavailable, "the query was broken off: %w", err)
	}
	var inner []string
	if s.Descend {
		inner = r.src.Inner(from.Place, s.Type)
	}
	if len(inner) > 0 {
		return r.descend(out, from, s, inner)
	}
	nodes, err := r.src.Children(r.ctx, from.Node, s.Type, s.At)
	slab := placed(from.Place, nodes)
	*out = slices.Grow(*out, len(slab))
	for i := range slab {
		*out = append(*out, Weighted{&slab[i], from.Weight})
	}
	return err
}

// descend looks through all children: it takes those that the step selects, and
// goes on below those that may hold more.
func (r *runner) descend(out *[]Weighted, from Weighted, s xpath.Step, inner []string) error {
	all, err := r.src.Children(r.ctx, from.Node, xpath.Any, xpath.Range{})
	if err != nil {
		return err
	}
	count := 0
	for _, n := range all {
		if s.Type == xpath.Any || n.Type == s.Type {
			count++
		}
	}
	low, high := s.At.Bounds(count)
	seen, slab := 0, placed(from.Place, all)
	for i := range slab {
		p := &slab[i]
		if s.Type == xpath.Any || p.Type == s.Type {
			if seen >= low && seen < high {
				*out = append(*out, Weighted{p, from.Weight})
			}
			seen++
		}
		if inner[0] == xpath.Any || slices.Contains(inner, p.Type) {
			if err := r.below(out, Weighted{p, from.Weight}, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// placed puts children below their parent.
func placed(up *Place, nodes []Child) []Place {
	slab := make([]Place, len(nodes))
	for i, n := range nodes {
		slab[i] = Place{Node: n.Node, Up: up, pos: n.Pos, in: up.in}
		if n.Type == VersionType {
			slab[i].in = n.Node
		}
	}
	return slab
}

// PlaceBelow is the place of a child below that of its parent.
func PlaceBelow(up *Place, child Child) *Place { return &placed(up, []Child{child})[0] }

// shift goes from each node to a brother of the same type test, which inherits
// the weight.
func (r *runner) shift(s xpath.Step, set []Weighted) ([]Weighted, error) {
	var out []Weighted
	for _, w := range set {
		if w.Up == nil {
			continue
		}
		brothers, err := r.src.Children(r.ctx, w.Up.Node, s.Type, xpath.Range{})
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(brothers, func(b Child) bool { return b.Node == w.Node }) + s.Shift
		if at >= 0 && at < len(brothers) {
			out = append(out, Weighted{&placed(w.Up, brothers[at:at+1])[0], w.Weight})
		}
	}
	return inTreeOrder(heaviest(out)), nil
}

// weigh scores places by a predicate.
func (r *runner) weigh(p xpath.Pred, places []*Place, on *frontier) (*Eval, error) {
	e := &Eval{Pred: p.String(), Places: places, on: on}
	if _, given := p.(xpath.Local); !given {
		e.Scores = make([]float64, len(places))
	}
	var err error
	switch p := p.(type) {
	case xpath.Local:
		err = r.local(p, e)
	case xpath.Exact:
		for i, pl := range places {
			if pl.is(p) {
				e.Scores[i] = 1
			}
		}
	case xpath.Not:
		err = r.parts(e, []xpath.Pred{p.P}, func(s []float64) float64 { return 1 - s[0] })
	case xpath.Join:
		err = r.parts(e, p.Parts, combine[p.By])
	case xpath.Agg:
		err = r.aggregate(p, e)
	}
	return e, err
}

// is reports whether an attribute of the node has just a text. One that it lacks is
// empty; @id compares the node's id and the one in the imported file.
func (n *Node) is(p xpath.Exact) bool {
	v, ok := n.Attr(p.Attr)
	if !ok && p.Attr == "id" {
		return n.ID == p.Text || n.SourceID == p.Text && p.Text != ""
	}
	return v == p.Text
}

func (r *runner) parts(e *Eval, preds []xpath.Pred, by func([]float64) float64) error {
	for _, p := range preds {
		part, err := r.weigh(p, e.Places, e.on)
		if err != nil {
			return err
		}
		e.Parts = append(e.Parts, part)
	}
	scores := make([]float64, len(preds))
	for i := range e.Places {
		for j, part := range e.Parts {
			scores[j] = part.Scores[i]
		}
		e.Scores[i] = by(scores)
	}
	return nil
}

// aggregate gathers the evidence of all places, so that it is scored in one go.
func (r *runner) aggregate(a xpath.Agg, e *Eval) error {
	all, on, err := r.evidence(a.Step, e)
	if err != nil {
		return err
	}
	inner := &Eval{Pred: a.Step.String(), Places: all}
	if a.Step.Pred != nil {
		if inner, err = r.weigh(a.Step.Pred, all, on); err != nil {
			return err
		}
	} else {
		inner.Scores = slices.Repeat([]float64{1}, len(all))
	}
	e.Parts = []*Eval{inner}
	for i := range e.Places {
		if scores := inner.Scores[e.Evidence[i]:e.Evidence[i+1]]; len(scores) > 0 {
			e.Scores[i] = combine[a.By](scores)
		}
	}
	return nil
}

// evidence finds what an inner step leads to from each place.
func (r *runner) evidence(s xpath.Step, e *Eval) (all []*Place, on *frontier, err error) {
	bare := xpath.Step{AsOf: s.AsOf, Descend: s.Descend, Type: s.Type, At: s.At}
	to, err := r.lead(bare, e.on)
	if err != nil {
		return nil, nil, err
	}
	if to != nil {
		e.Evidence = to.bounds
		return to.places, to, nil
	}
	e.Evidence = []int{0}
	for _, p := range e.Places {
		found, _, err := r.step(bare, working{set: []Weighted{{p, 1}}})
		if err != nil {
			return nil, nil, err
		}
		all = append(all, found.places()...)
		e.Evidence = append(e.Evidence, len(all))
	}
	return all, nil, nil
}

func (r *runner) local(p xpath.Local, e *Eval) error {
	if r.scorer == nil {
		return daybook.Errorf(daybook.Invalid, "nothing can weigh %s here: there is no scorer", p)
	}
	ask := &Ask{Attr: p.Attr, Text: p.Text, kept: r.kept != nil}
	if e.on != nil {
		ask.Nodes = e.on.nodes
	} else {
		ask.Nodes = make([]*Node, len(e.Places))
		for i, pl := range e.Places {
			ask.Nodes[i] = pl.Node
		}
	}
	ask.read = func(i int) (string, error) { return r.textOf(e.Places[i].Node, p.Attr) }
	ask.above = func() []int { return above(e.Places, p.Attr) }
	scores, err := r.scorer.Score(r.ctx, ask)
	if err != nil {
		return fmt.Errorf("weigh %s by %s: %w", p, r.scorer.Name(), err)
	}
	if len(scores) != len(e.Places) {
		return daybook.Errorf(daybook.Internal, "scorer %s gave %d scores for %d nodes", r.scorer.Name(), len(scores), len(e.Places))
	}
	e.Scores = scores
	return nil
}

// above is Ask.above for places in the order of the tree.
func above(places []*Place, attr string) (up []int) {
	if attr != xpath.Node {
		return nil
	}
	var open []int // those that the place before stands under, and itself
	for i, p := range places {
		for len(open) > 0 && !p.under(places[open[len(open)-1]]) {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			if up == nil {
				up = slices.Repeat([]int{-1}, len(places))
			}
			up[i] = open[len(open)-1]
		}
		open = append(open, i)
	}
	return up
}

func (p *Place) under(o *Place) bool {
	for u := p.Up; u != nil; u = u.Up {
		if u.key() == o.key() {
			return true
		}
	}
	return false
}

// combine has every way to make one weight of several; none is empty.
var combine = map[xpath.Op]func([]float64) float64{
	xpath.Min: func(s []float64) float64 { return slices.Min(s) },
	xpath.Max: func(s []float64) float64 { return slices.Max(s) },
	xpath.Product: func(s []float64) float64 {
		product := 1.0
		for _, v := range s {
			product *= v
		}
		return product
	},
	xpath.Avg: func(s []float64) float64 {
		sum := 0.0
		for _, v := range s {
			sum += v
		}
		return sum / float64(len(s))
	},
	xpath.GMean: func(s []float64) float64 {
		logs := 0.0
		for _, v := range s {
			logs += math.Log(v)
		}
		return math.Exp(logs / float64(len(s)))
	},
}

// byWeight puts a set that is in the order of the tree in that of falling weight.
// The set is not changed; it is returned itself where it has that order.
func byWeight(set []Weighted) []Weighted {
	falling := func(a, b Weighted) int { return cmp.Compare(b.Weight, a.Weight) }
	if slices.IsSortedFunc(set, falling) {
		return set
	}
	sorted := slices.Clone(set)
	slices.SortStableFunc(sorted, falling)
	return sorted
}

// best returns the first nodes of byWeight, so many of them or all for 0.
func best(set []Weighted, most int) []Weighted {
	if most == 0 || most >= len(set) {
		return byWeight(set)
	}
	cut := newTop(most)
	for i, w := range set {
		cut.offer(w.Weight, i)
	}
	picked := make([]Weighted, 0, most)
	for _, i := range cut.indexes() {
		picked = append(picked, set[i])
	}
	return byWeight(picked)
}

// inTreeOrder sorts a set in place.
func inTreeOrder(set []Weighted) []Weighted {
	less := func(a, b Weighted) int { return a.before(b.Place) }
	if !slices.IsSortedFunc(set, less) {
		slices.SortStableFunc(set, less)
	}
	return set
}

// before compares two places by the order of the tree.
func (p *Place) before(q *Place) int {
	if p.Up == q.Up || p.Up != nil && q.Up != nil && p.Up.key() == q.Up.key() {
		return cmp.Compare(p.pos, q.pos)
	}
	a, b := p.depth(), q.depth()
	switch {
	case a > b:
		return cmp.Or(p.Up.before(q), 1)
	case a < b:
		return cmp.Or(p.before(q.Up), -1)
	}
	return p.Up.before(q.Up)
}

func (p *Place) depth() (n int) {
	for ; p.Up != nil; p = p.Up {
		n++
	}
	return n
}
