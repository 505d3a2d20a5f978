package tree

import (
	"slices"
	"sync"

	"daybook/xpath"
)

// frontier is every place that a run of steps without predicates leads to from the
// root, in the order of the tree. It is never changed, and shared by queries.
type frontier struct {
	places []*Place
	nodes  []*Node    // of the places
	ones   []Weighted // the places, with weight 1
	bounds []int      // what place i of the frontier before led to is from bounds[i] to bounds[i+1]
	nested bool       // one place stands below another
	loose  bool       // it is not kept, and nothing that it leads to
}

// frontiers keeps where queries over a source went, so that the next one need not
// walk there again. It is safe for use by many goroutines. A nil one keeps nothing.
type frontiers struct {
	mu   sync.Mutex
	made map[leg]*frontier
	size int
}

// leg is one step, less its predicate, from a frontier; from nil for the root.
type leg struct {
	from    *frontier
	descend bool
	typ     string
	at      xpath.Range
}

// maxFrontier places are kept for one source; beyond that all are dropped and
// walked to again.
const maxFrontier = 250_000

// maxCut is how many places a frontier that is cut out of another may have to be
// kept; more are cut out again rather than push others out.
const maxCut = 2_000

func (f *frontiers) get(l leg) *frontier {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.made[l]
}

func (f *frontiers) put(l leg, to *frontier) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.made == nil || f.size+len(to.places) > maxFrontier {
		f.made, f.size = map[leg]*frontier{}, 0
	}
	f.made[l] = to
	f.size += len(to.places)
}

// working is the working set of a query. Where it is a whole frontier, with weights
// of its own, on says which.
type working struct {
	set []Weighted
	on  *frontier
}

// plain reports whether no weight was given yet.
func (w working) plain() bool {
	return w.on != nil && len(w.set) > 0 && &w.set[0] == &w.on.ones[0]
}

// lead returns the frontier that a step goes to from another, or nil where nothing
// is kept: what is found in two ways is put together by expand.
func (r *runner) lead(s xpath.Step, from *frontier) (*frontier, error) {
	if r.kept == nil || from == nil || !s.AsOf.IsZero() || from.nested || from.loose {
		return nil, nil
	}
	l := leg{from, s.Descend, s.Type, s.At}
	if to := r.kept.get(l); to != nil {
		return to, nil
	}
	to, err := r.cut(s, from)
	if to != nil && len(to.ones) > maxCut {
		to.loose = true
	}
	if to == nil && err == nil {
		to, err = r.found(s, from)
	}
	if err != nil {
		return nil, err
	}
	to.finish()
	if !to.loose {
		r.kept.put(l, to)
	}
	return to, nil
}

// found walks from each place of a frontier.
func (r *runner) found(s xpath.Step, from *frontier) (*frontier, error) {
	to := &frontier{bounds: make([]int, 1, len(from.places)+1)}
	for _, w := range from.ones {
		if err := r.below(&to.ones, w, s); err != nil {
			return nil, err
		}
		to.bounds = append(to.bounds, len(to.ones))
	}
	return to, nil
}

// cut takes positions out of the frontier that the same step has without any, if
// that was walked to before or most of it is wanted; otherwise it is nil.
func (r *runner) cut(s xpath.Step, from *frontier) (*frontier, error) {
	if s.At.IsAll() {
		return nil, nil
	}
	all := r.kept.get(leg{from: from, descend: s.Descend, typ: s.Type})
	if all == nil && s.At.From != s.At.To {
		var err error
		s := s
		s.At = xpath.Range{}
		if all, err = r.lead(s, from); err != nil {
			return nil, err
		}
	}
	if all == nil || all.nested { // brothers stand side by side only where none is below another
		return nil, nil
	}
	to := &frontier{bounds: make([]int, 1, len(from.places)+1), ones: make([]Weighted, 0, len(all.ones))}
	for i := range from.places {
		for first, end := all.bounds[i], all.bounds[i+1]; first < end; {
			last := first + 1
			for last < end && all.ones[last].Up == all.ones[first].Up {
				last++
			}
			low, high := s.At.Bounds(last - first)
			to.ones = append(to.ones, all.ones[first+low:first+high]...)
			first = last
		}
		to.bounds = append(to.bounds, len(to.ones))
	}
	return to, nil
}

// finish fills in what follows from the weighted places.
func (f *frontier) finish() {
	if 2*len(f.ones) < cap(f.ones) {
		f.ones = slices.Clip(slices.Clone(f.ones))
	}
	f.places, f.nodes = make([]*Place, len(f.ones)), make([]*Node, len(f.ones))
	for i, w := range f.ones {
		f.places[i], f.nodes[i] = w.Place, w.Node
	}
	f.nested = nested(f.ones)
}

// origin is the frontier of the root alone, always the same for a source.
func (r *runner) origin(root *Node) *frontier {
	if r.kept == nil {
		return nil
	}
	start := leg{typ: root.ID}
	if f := r.kept.get(start); f != nil {
		return f
	}
	p := &Place{Node: root}
	f := &frontier{places: []*Place{p}, nodes: []*Node{root}, ones: []Weighted{{p, 1}}}
	r.kept.put(start, f)
	return f
}

// weights puts the weights of a set on what its frontier leads to.
func (w working) weights(to *frontier) []Weighted {
	if w.plain() {
		return to.ones
	}
	out := slices.Clone(to.ones)
	for i, from := range w.set {
		for j := to.bounds[i]; j < to.bounds[i+1]; j++ {
			out[j].Weight = from.Weight
		}
	}
	return out
}
