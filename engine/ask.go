package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"daybook"
	"daybook/answer"
	"daybook/graph"
	"daybook/index"
	"daybook/model"
	"daybook/recall"
	"daybook/store"
)

// Asked is a question to a memory.
type Asked struct {
	Text   string
	View   daybook.View // empty: as the question itself reads
	At     daybook.AsOf
	Budget int // most tokens of the packet; 0 means the default
}

// askRows is how many notes recall is asked for, askStates how many statements of
// the subject join them by the state that they speak of.
const (
	askRows   = 30
	askStates = 24
)

// Asking is a question with all that an answer is made from.
type Asking struct {
	Resolved *answer.Resolved
	Packet   *answer.Packet
	Paths    []recall.Path
	Commit   daybook.CommitID
}

// Ask answers a question from the scope: the packet is made, and read by grammar,
// or by the engine's language model where it has one. When it is not known, the
// answer says so.
func (e *Engine) Ask(ctx context.Context, scope daybook.Scope, q Asked) (answer.Answer, error) {
	asking, err := e.Evidence(ctx, scope, q)
	if err != nil {
		return answer.Answer{}, err
	}
	a := e.answer(ctx, asking)
	a.ID = answer.IDOf(q.Text, asking.Commit.String(), string(asking.Resolved.View), asking.Resolved.Now)
	return a, nil
}

func (e *Engine) answer(ctx context.Context, asking Asking) answer.Answer {
	return answer.Read(asking.Resolved, asking.Packet)
}

// Evidence finds what bears on a question and puts it in order: roles, packet and
// paths, without answering.
func (e *Engine) Evidence(ctx context.Context, scope daybook.Scope, q Asked) (Asking, error) {
	now := q.At.ValidAt
	if now.IsZero() {
		now = e.ledger.Now()
	}
	found, err := e.Recall(ctx, scope, recall.Question{Text: q.Text, K: askRows, View: q.View}, q.At)
	if err != nil {
		return Asking{}, err
	}
	question, err := e.aimed(ctx, answer.ReadQuestion(q.Text, "").Seen(now))
	if err != nil {
		return Asking{}, err
	}
	if q.View != "" {
		question.View = q.View
	}
	near, err := e.statements(ctx, scope, &question)
	if err != nil {
		return Asking{}, err
	}
	var all []answer.Evidence
	err = e.read(ctx, scope, q.At, func(b *graph.Book) (err error) {
		all, err = evidence(b, found.Rows, near.facts)
		return err
	})
	if err != nil {
		return Asking{}, fmt.Errorf("read the evidence: %w", err)
	}
	r := answer.Resolve(question, all, near.background)
	var paths []string
	for _, p := range found.Paths {
		paths = append(paths, p.String())
	}
	return Asking{Resolved: r, Packet: answer.Assemble(r, paths, answer.DefaultBudget.Of(q.Budget)), Paths: found.Paths, Commit: found.Commit}, nil
}

// aimed gives a question the vector of the state that it asks for.
func (e *Engine) aimed(ctx context.Context, q answer.Question) (answer.Question, error) {
	if e.encoder == nil {
		return q, nil
	}
	query, err := e.encoder.Encode(ctx, model.AsQuery, []string{q.Text})
	if err != nil {
		return q, fmt.Errorf("encode the question: %w", err)
	}
	statement, err := e.encoder.Encode(ctx, model.AsText, []string{cmp.Or(q.Statement, q.Text)})
	if err != nil {
		return q, fmt.Errorf("encode the question's statement: %w", err)
	}
	return q.Embedded(query.Row(0), statement.Row(0)), nil
}

// nearStates are the statements of a subject that are most like what is asked.
type nearStates struct {
	facts      []stated
	background answer.Background
}

// statements finds the statements of whom the question asks about that are most
// like what it asks, and makes that person the question's subject.
func (e *Engine) statements(ctx context.Context, scope daybook.Scope, q *answer.Question) (near nearStates, err error) {
	if q.Variable == nil {
		return near, nil
	}
	known := e.stated.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	if err := e.store.View(ctx, scope, func(r store.Reader) error { return e.follow(r, known) }); err != nil {
		return near, err
	}
	pool := known.of(q)
	near.background, near.facts = nearestStates(q, pool)
	return near, nil
}

// directStates is how many statements are compared by their words, too, and
// backgroundStates how many make the background, where there are more.
const (
	directStates     = 512
	backgroundStates = 2048
)

// nearestStates returns the statements that stand out most for a question, by the
// state that they speak of and by their words.
func nearestStates(q *answer.Question, pool []stated) (answer.Background, []stated) {
	likes := make([]float64, len(pool))
	order := make([]int, len(pool))
	for i := range pool {
		likes[i], order[i] = answer.Likeness(q.Variable, pool[i].variable), i
	}
	var variable, vector []float64
	for i := 0; i < len(pool); i += 1 + len(pool)/backgroundStates {
		variable, vector = append(variable, likes[i]), append(vector, answer.Likeness(q.Vector, pool[i].vector()))
	}
	b := answer.BackgroundOf(variable, vector)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(likes[b], likes[a]) })
	if len(order) > backgroundStates {
		order = order[:directStates]
	}
	for _, i := range order {
		likes[i] = b.Variable.Standard(likes[i]) + b.Vector.Standard(answer.Likeness(q.Vector, pool[i].vector()))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(likes[b], likes[a]) })
	var facts []stated
	for _, i := range order[:min(len(order), askStates)] {
		facts = append(facts, pool[i])
	}
	return b, facts
}

// vector is that of the statement's words, as questions are compared with it.
func (s *stated) vector() []float32 { return answer.Centred(index.Unpack(s.packed)) }

// of are the statements of whom a question is about: the first of the people it
// names of whom anything is known, else everybody.
func (s *statedFacts) of(q *answer.Question) []stated {
	for _, n := range q.Asking.Names {
		if pool := s.bySubject[daybook.EntityNamed(n.Text)]; len(pool) > 0 {
			q.Subject = n.Text
			return pool
		}
	}
	q.Subject = ""
	var all []stated
	for _, pool := range s.bySubject {
		all = append(all, pool...)
	}
	slices.SortFunc(all, func(a, b stated) int { return cmp.Compare(a.fact.ID, b.fact.ID) })
	return all
}

// evidence reads what was learned from the recalled notes and from the notes of
// the near statements.
func evidence(b *graph.Book, rows []recall.Row, near []stated) (all []answer.Evidence, err error) {
	seen := map[daybook.NoteID]bool{}
	of := map[daybook.FactID]*stated{}
	for i := range near {
		of[near[i].fact.ID] = &near[i]
	}
	add := func(n daybook.Note, score float64) error {
		if seen[n.ID] {
			return nil
		}
		seen[n.ID] = true
		claims, err := claimsOf(b, n, of)
		all = append(all, answer.Evidence{Note: n, Score: score, Claims: claims})
		return err
	}
	for _, r := range rows {
		if err := add(r.Note, r.Score); err != nil {
			return nil, err
		}
	}
	for _, s := range near {
		for _, id := range s.fact.Sources {
			n, err := b.Note(string(id))
			if daybook.KindOf(err) == daybook.NotFound {
				continue
			}
			if err == nil {
				err = add(n, 0)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// claimsOf are what was learned from a note, as claims.
func claimsOf(b *graph.Book, n daybook.Note, of map[daybook.FactID]*stated) (claims []answer.Claim, err error) {
	learned, err := b.Learned(string(n.ID))
	if err != nil {
		return nil, err
	}
	for _, f := range learned.Facts {
		subject, err := b.Entity(f.Subject)
		if err != nil {
			return nil, err
		}
		c := answer.ClaimOf(f.Fact, cmp.Or(subject.Name, string(subject.ID)), n, wordsFor(learned, f.Fact))
		if s := of[f.ID]; s != nil {
			c.Variable, c.Vector = s.variable, s.vector()
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// wordsFor are the words of a note that its event quotes for a fact; the whole
// note where none does.
func wordsFor(l daybook.Learned, f daybook.Fact) string {
	for _, e := range l.Events {
		if e.ID != f.Event {
			continue
		}
		for _, q := range e.Quotes {
			if words, ok := q.In(l.Note.Text); ok && q.Note == l.Note.ID {
				return words
			}
		}
	}
	return l.Note.Text
}
