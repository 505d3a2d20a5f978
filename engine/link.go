package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/index"
	"daybook/store"
)

// Guards of superseding across relations. A pair that is likelier than hard to be
// of one state closes the older value; one that is likelier than soft is kept as a
// possible update and changes nothing. The thresholds were chosen on GHOST dev;
// docs/results.md has the run.
const (
	hard = 0.50
	soft = 0.15
	// linkCandidates is how many statements of the subject are judged.
	linkCandidates = 8
)

// linkJudge is who makes these judgements.
const linkJudge = "rule:same-state@1"

// stated is an assertion of a state that is in the ledger or about to be.
type stated struct {
	fact     daybook.Fact
	variable []float32
	read     *extract.Stated // nil until it is needed
}

// statedFacts are the statements of a scope that new ones are compared with, by
// subject. They follow the ledger; all of it is derived.
type statedFacts struct {
	mu        sync.Mutex
	upTo      uint64
	bySubject map[daybook.EntityID][]stated
}

// stateSpace is the space of the vectors of sentences that assert a state. They are
// always of the encoder that the judge was fitted on, whatever notes are found by.
const stateSpace = extract.JudgeEncoder + "#state"

// linkFacts judges which facts of the scope the new ones update or contradict.
// It also returns the commit on which they were judged.
func (e *Engine) linkFacts(ctx context.Context, scope daybook.Scope, facts []extract.Fact) (ops []daybook.Op, head uint64, err error) {
	if !slices.ContainsFunc(facts, func(f extract.Fact) bool { return f.Stated != nil }) {
		return nil, 0, nil
	}
	known := e.stated.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		if err := e.follow(r, known); err != nil {
			return err
		}
		head = known.upTo
		book, err := graph.Open(r, daybook.AsOf{}, e.ledger.Now())
		if err != nil {
			return err
		}
		ops, err = linkAll(book, known, facts)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("link %d facts: %w", len(facts), err)
	}
	return ops, head, nil
}

// linkAll compares each new statement with those in the ledger and with the new
// ones before it.
func linkAll(book *graph.Book, known *statedFacts, facts []extract.Fact) (ops []daybook.Op, err error) {
	fresh := map[daybook.EntityID][]stated{}
	for _, f := range facts {
		if f.Stated == nil {
			continue
		}
		one := stated{fact: f.Fact, variable: f.Stated.Variable, read: f.Stated}
		pool := append(slices.Clip(known.bySubject[f.Subject]), fresh[f.Subject]...)
		links, err := linkOne(book, pool, one)
		if err != nil {
			return nil, err
		}
		ops = append(ops, links...)
		fresh[f.Subject] = append(fresh[f.Subject], one)
	}
	return ops, nil
}

// linkOne judges a statement against the nearest of the pool.
func linkOne(book *graph.Book, pool []stated, one stated) (ops []daybook.Op, err error) {
	for _, i := range nearest(pool, one.variable, linkCandidates) {
		other := &pool[i]
		if other.fact.ID == one.fact.ID || daybook.Fold(other.fact.Object) == daybook.Fold(one.fact.Object) {
			continue
		}
		if other.read == nil {
			if other.read, err = reread(book, other); err != nil {
				return nil, err
			}
		}
		if other.read == nil {
			continue // withdrawn, or not read as a statement any more
		}
		p := extract.SameState(*one.read, *other.read)
		if p < soft {
			continue
		}
		if l, ok := judgeStates(one, *other, p); ok {
			ops = append(ops, daybook.Op{Relate: &l})
		}
	}
	return ops, nil
}

// judgeStates says what two values of one state mean for each other. The later one
// updates the earlier; two in one session, neither of which tells of a change,
// contradict each other.
func judgeStates(a, b stated, p float64) (daybook.Link, bool) {
	newer, older := a, b
	if older.fact.Valid.From.After(newer.fact.Valid.From) {
		newer, older = older, newer
	}
	l := daybook.Link{From: string(newer.fact.ID), To: string(older.fact.ID), Confidence: p, By: linkJudge}
	later := newer.fact.Valid.From.After(older.fact.Valid.From)
	sameSession := newer.fact.Session == older.fact.Session && newer.fact.Session != ""
	switch {
	case p < hard:
		l.Kind, l.Why = daybook.MayUpdate, "likely another value of the same state"
	case sameSession && !newer.read.Changed, !later:
		l.Kind, l.Why = daybook.Contradicts, "another value of the same state, said in the same session"
	default:
		l.Kind, l.Why = daybook.Updates, "a later value of the same state"
	}
	return l, later || l.Kind == daybook.Contradicts
}

// nearest returns the positions of the k statements whose variables are most
// alike.
func nearest(pool []stated, variable []float32, k int) []int {
	type hit struct {
		at    int
		score float32
	}
	var best []hit
	for i := range pool {
		s := float32(0)
		for d, v := range pool[i].variable {
			s += v * variable[d]
		}
		if len(best) == k && s <= best[k-1].score {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, s, func(h hit, s float32) int {
			if h.score > s {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, hit{i, s})
		best = best[:min(len(best), k)]
	}
	found := make([]int, len(best))
	for i, h := range best {
		found[i] = h.at
	}
	return found
}

// reread reads the statement of a fact again from the words that its event quotes.
// It returns nil for a fact that is not in force.
func reread(book *graph.Book, s *stated) (*extract.Stated, error) {
	words, ok, err := book.Words(s.fact)
	if err != nil || !ok {
		return nil, err
	}
	for _, st := range extract.Read(words) {
		if st.Object == s.fact.Object {
			return &extract.Stated{Statement: st, Variable: s.variable}, nil
		}
	}
	return nil, nil
}

// follow brings the known statements up to the ledger's head.
func (e *Engine) follow(r store.Reader, known *statedFacts) error {
	head, err := r.Head()
	if err != nil || head.Seq == known.upTo {
		return err
	}
	for v, err := range r.Vectors(stateSpace, store.Range{From: known.upTo + 1, To: head.Seq}) {
		if err != nil {
			return err
		}
		f, ok, err := graph.FactAt(r, v.Place)
		if err != nil {
			return err
		}
		if ok {
			known.bySubject[f.Subject] = append(known.bySubject[f.Subject], stated{fact: f, variable: extract.VariableOf(index.Unpack(v.Data))})
		}
	}
	known.upTo = head.Seq
	return nil
}

// statedScopes is how many scopes keep their statements in memory.
const statedScopes = 256

// statedPool holds the statements of the scopes that were written last.
type statedPool struct {
	mu     sync.Mutex
	scopes map[daybook.Scope]*statedFacts
	order  []daybook.Scope
}

func (p *statedPool) of(scope daybook.Scope) *statedFacts {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.scopes == nil {
		p.scopes = map[daybook.Scope]*statedFacts{}
	}
	if known := p.scopes[scope]; known != nil {
		return known
	}
	if len(p.order) == statedScopes {
		delete(p.scopes, p.order[0])
		p.order = p.order[1:]
	}
	known := &statedFacts{bySubject: map[daybook.EntityID][]stated{}}
	p.scopes[scope] = known
	p.order = append(p.order, scope)
	return known
}

// drop forgets what is held of a scope: something in it was erased.
func (p *statedPool) drop(scope daybook.Scope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.scopes, scope)
	p.order = slices.DeleteFunc(p.order, func(s daybook.Scope) bool { return s == scope })
}

// keepStated puts the vectors of new statements beside the ledger, in the
// transaction that appended them.
func (e *Engine) keepStated(w store.Writer, seq uint64, facts []extract.Fact) error {
	vectors := map[daybook.FactID][]float32{}
	for _, f := range facts {
		if f.Stated != nil {
			vectors[f.ID] = f.Vector
		}
	}
	if len(vectors) == 0 {
		return nil
	}
	placed, err := graph.FactsIn(w, store.Range{From: seq, To: seq})
	if err != nil {
		return err
	}
	var put []store.Vector
	for _, f := range placed {
		if v := vectors[f.ID]; v != nil {
			put = append(put, store.Vector{Place: f.Place, Data: index.Pack(v)})
		}
	}
	return w.PutVectors(stateSpace, seq, put)
}
