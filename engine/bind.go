package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/model"
	"daybook/store"
)

// readSpace is the space of the vectors of statements that a reader found: those of other weights
// cannot be compared.
func readSpace(judge string) string { return judge + "#statements" }

// readStatements are the statements of a scope that new ones are held against. They follow the
// ledger; all of it is derived.
type readStatements struct {
	mu   sync.Mutex
	upTo uint64
	all  []readStatement
}

type readStatement struct {
	fact   daybook.Fact
	vector readVector
}

// readVector is a vector of length one with a byte for each number, as it is kept.
type readVector []byte

func packRead(v []float32) readVector {
	out := make(readVector, len(v))
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x) * 127)))
	}
	return out
}

// like is how alike two vectors are, up to 1.
func (v readVector) like(o readVector) float64 {
	sum := 0
	for i, x := range v {
		sum += int(int8(x)) * int(int8(o[i]))
	}
	return float64(sum) / (127 * 127)
}

func newReadStatements() *readStatements { return &readStatements{} }

func followRead(r store.Reader, known *readStatements, space string) error {
	return factVectors(r, space, &known.upTo, func(f daybook.Fact, vector []byte) { known.all = append(known.all, readStatement{f, vector}) })
}

// keepRead puts the vectors of new statements beside the ledger, in the transaction that appended
// them.
func (e *Engine) keepRead(w store.Writer, seq uint64, facts []extract.Fact) error {
	_, by := e.pairJudge()
	vectors := map[daybook.FactID][]byte{}
	for _, f := range facts {
		if f.Read != nil {
			vectors[f.ID] = packRead(f.Read.Vector)
		}
	}
	return putFactVectors(w, readSpace(by), seq, vectors)
}

// binding is a new statement with the earlier ones that it may be of one state with.
type binding struct {
	new     *extract.Fact
	earlier []readStatement
	texts   []model.Stated
}

// bindFacts judges which earlier statements the new ones end. It also returns the commit on which
// they were judged. The network runs while no transaction is open.
func (e *Engine) bindFacts(ctx context.Context, scope daybook.Scope, facts []extract.Fact, linked []daybook.Op) (ops []daybook.Op, head uint64, err error) {
	judge, by := e.pairJudge()
	if judge == nil || e.without[Links] || !slices.ContainsFunc(facts, func(f extract.Fact) bool { return f.Read != nil }) {
		return nil, 0, nil
	}
	var all []binding
	known := e.bound.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		if err := followRead(r, known, readSpace(by)); err != nil {
			return err
		}
		head = known.upTo
		book, err := graph.Open(r, daybook.AsOf{}, e.ledger.Now())
		if err != nil {
			return err
		}
		all, err = bindings(book, known, facts)
		return err
	})
	if err != nil || len(all) == 0 {
		return nil, head, err
	}
	comparisons := make([]model.Comparison, len(all))
	for i, b := range all {
		comparisons[i] = model.Comparison{Before: b.new.Read.Before, New: b.new.Read.Stated, Earlier: b.texts}
	}
	judged, err := judge.Compare(ctx, comparisons)
	if err != nil {
		return nil, head, fmt.Errorf("compare %d statements: %w", len(all), err)
	}
	for i, b := range all {
		for _, op := range b.ops(judged[i], by) {
			if op.Relate == nil || !slices.ContainsFunc(linked, func(o daybook.Op) bool { return o.Relate != nil && o.Relate.ID == op.Relate.ID }) {
				ops = append(ops, op)
			}
		}
	}
	return ops, head, nil
}

// bindings finds the earlier statements that each new one is held against.
func bindings(book *graph.Book, known *readStatements, facts []extract.Fact) (all []binding, err error) {
	together := slices.Clone(known.all)
	for i := range facts {
		if facts[i].Read != nil {
			together = append(together, readStatement{facts[i].Fact, packRead(facts[i].Read.Vector)})
		}
	}
	fresh := map[daybook.NoteID]*extract.ReadStatement{}
	for i := range facts {
		if facts[i].Read != nil {
			fresh[facts[i].Sources[0]] = facts[i].Read
		}
	}
	for i := range facts {
		if f := &facts[i]; f.Read != nil && changes(f.Read.Stance) {
			b := binding{new: f}
			for _, s := range nearestRead(f, together) {
				stated, ok, err := textOf(book, fresh, s)
				if err != nil {
					return nil, err
				}
				if ok {
					b.earlier, b.texts = append(b.earlier, s), append(b.texts, stated)
				}
			}
			if len(b.earlier) > 0 {
				all = append(all, b)
			}
		}
	}
	return all, nil
}

// changes reports whether what is said in such a way can end an earlier value.
func changes(s model.Stance) bool { return s == model.Holds || s == model.Rule || s == model.Ended }

// ownHolder is by how much an earlier statement of the same holder counts as nearer.
const ownHolder = 0.15

// nearestRead are the asserted statements of earlier messages that are nearest to a new one.
func nearestRead(f *extract.Fact, all []readStatement) []readStatement {
	type near struct {
		readStatement
		like float64
	}
	var best []near
	own := packRead(f.Read.Vector)
	for _, s := range all {
		if s.fact.Modality != daybook.Asserted || !s.fact.Valid.From.Before(f.Read.Time) || s.fact.Valid.From.IsZero() || s.fact.Sources[0] == f.Sources[0] {
			continue
		}
		like := s.vector.like(own)
		if s.fact.Subject == f.Subject {
			like += ownHolder
		}
		at, _ := slices.BinarySearchFunc(best, like, func(n near, like float64) int { return cmp.Compare(like, n.like) })
		if at < model.MostEarlier {
			best = slices.Insert(best, at, near{s, like})
			best = best[:min(len(best), model.MostEarlier)]
		}
	}
	out := make([]readStatement, len(best))
	for i, n := range best {
		out[i] = n.readStatement
	}
	return out
}

// textOf is a statement in its message; false where the message is gone.
func textOf(book *graph.Book, fresh map[daybook.NoteID]*extract.ReadStatement, s readStatement) (model.Stated, bool, error) {
	id := s.fact.Sources[0]
	if _, inForce, err := book.Words(s.fact); fresh[id] == nil && (err != nil || !inForce) {
		return model.Stated{}, false, err
	}
	var said model.Said
	if r := fresh[id]; r != nil {
		said = r.Said
	} else {
		n, err := book.Note(string(id))
		if daybook.KindOf(err) == daybook.NotFound {
			return model.Stated{}, false, nil
		} else if err != nil {
			return model.Stated{}, false, err
		}
		n = n.Own()
		said = model.Said{Speaker: n.Speaker, Time: n.Time, Text: n.Text}
	}
	at := strings.Index(said.Text, s.fact.Object)
	return model.Stated{Said: said, Start: max(0, at), End: max(0, at) + len(s.fact.Object)}, at >= 0, nil
}

// surelyEnds is how likely a statement must end an earlier one for it to be closed.
const surelyEnds = 0.7

// ops are the judgements of a new statement on earlier ones.
func (b binding) ops(bearings []model.Bearing, by string) (ops []daybook.Op) {
	for i, p := range bearings {
		older := b.earlier[i].fact
		later := b.new.Valid.From.IsZero() || b.new.Valid.From.After(older.Valid.From)
		if float64(p.Ends) < surelyEnds || !later || daybook.Fold(older.Object) == daybook.Fold(b.new.Object) {
			continue
		}
		ops = append(ops, closing(&b.new.Fact, &older, b.new.Read, float64(p.Ends), by))
	}
	return ops
}

// closing is what says that a fact is over by a new one: a link where both are values of one
// subject, else a fact that only ends it.
func closing(newer, older *daybook.Fact, read *extract.ReadStatement, p float64, by string) daybook.Op {
	if newer.Modality == daybook.Asserted && newer.Subject == older.Subject && !newer.Valid.From.IsZero() {
		link := daybook.Link{Kind: daybook.Updates, From: string(newer.ID), To: string(older.ID), Confidence: p, Why: "a later value of the same state", By: by}.Named()
		return daybook.Op{Relate: &link}
	}
	end := daybook.Fact{
		Subject: older.Subject, Relation: older.Relation, Object: older.Object, Holds: older.Holds, Valid: daybook.Span{Until: read.Time, Known: daybook.Spoken},
		Confidence: p, Importance: newer.Importance, Event: newer.Event, Session: newer.Session,
		Sources: slices.Compact(slices.Sorted(slices.Values(slices.Concat(newer.Sources, older.Sources)))), // it has words of both
	}.Named()
	return daybook.Op{Fact: &end}
}

// pairJudge is the learner's reader, which judges how statements bear on each other, and under
// which name; nil where it has none.
func (e *Engine) pairJudge() (model.Reader, string) {
	if l, ok := e.learner.(interface{ Judge() (model.Reader, string) }); ok {
		return l.Judge()
	}
	return nil, ""
}
