package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/extract"
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
	// Say, where it is not nil, is given the pieces of a model's reply as they
	// come.
	Say func(piece string)
}

// askRows is how many notes recall is asked for, askStates how many statements of
// the subject join them by the state that they speak of.
const (
	askRows   = 30
	askStates = 40
)

// Asking is a question with all that an answer is made from.
type Asking struct {
	Resolved *answer.Resolved
	Packet   *answer.Packet
	Paths    []recall.Path
	Commit   daybook.CommitID
	// Asked and Candidates are what the reader made of the question and found for it.
	Asked      model.Asked
	Candidates []answer.Candidate
}

// WithCompleter returns an engine that lets a language model write answers.
func (e *Engine) WithCompleter(c model.Completer) *Engine {
	changed := *e
	changed.completer = c
	return &changed
}

// Ask answers a question from the scope: the packet is made, and read by grammar,
// or by the engine's language model where it has one. When it is not known, the
// answer says so.
func (e *Engine) Ask(ctx context.Context, scope daybook.Scope, q Asked) (answer.Answer, error) {
	a, asking, err := e.ask(ctx, scope, q)
	if err == nil {
		e.returnedPacket(scope, asking.Packet)
		e.returnedAnswer(scope, a)
	}
	return a, err
}

func (e *Engine) ask(ctx context.Context, scope daybook.Scope, q Asked) (answer.Answer, Asking, error) {
	asking, err := e.prepare(ctx, scope, q)
	if err != nil {
		return answer.Answer{}, asking, err
	}
	defer stage(ctx, "answer")()
	pointer, err := e.pointer()
	if err != nil {
		return answer.Answer{}, asking, err
	}
	var a answer.Answer
	if e.completer == nil && e.reader != nil && !answer.Plain(asking.Resolved, asking.Candidates) {
		a = answer.ReadWith(&asking.Resolved.Question, asking.Asked, asking.Candidates, asking.Packet)
	} else if e.completer == nil {
		a, err = answer.Read(ctx, pointer, asking.Resolved, asking.Packet)
	} else {
		a, err = answer.Write(ctx, e.completer, pointer, asking.Resolved, asking.Packet, q.Say)
	}
	if err != nil {
		return a, asking, err
	}
	a.ID = answer.IDOf(q.Text, asking.Commit.String(), string(asking.Resolved.View), q.At.ValidAt)
	return a, asking, nil
}

// pointer is what points at the words of rows that answer; nil where nothing does.
func (e *Engine) pointer() (model.Pointer, error) {
	if e.without[Pointer] {
		return nil, nil
	}
	return model.DefaultPointer()
}

// Trace says what an answer to the question stands on. Where the answer that was
// given is known, that one is traced; else the question is asked again.
func (e *Engine) Trace(ctx context.Context, scope daybook.Scope, q Asked, given *answer.Answer) (answer.Trace, error) {
	a, asking, err := e.ask(ctx, scope, q)
	if err != nil {
		return answer.Trace{}, err
	}
	if given != nil {
		a.ID, a.Text, a.Known, a.By, a.Citations = given.ID, given.Text, given.Known, given.By, given.Citations
	}
	var paths []answer.PathOf
	for _, p := range asking.Paths {
		paths = append(paths, answer.PathOf{Text: p.String(), Confidence: p.Score, InOrder: inOrder(p)})
	}
	return answer.Explain(a, paths), nil
}

// inOrder reports whether the events of a path follow each other in time.
func inOrder(p recall.Path) bool {
	return slices.IsSortedFunc(p.Events, func(a, b daybook.EventView) int { return a.Time.From.Compare(b.Time.From) })
}

// Evidence finds what bears on a question and puts it in order: roles, packet and
// paths, without answering.
func (e *Engine) Evidence(ctx context.Context, scope daybook.Scope, q Asked) (Asking, error) {
	asking, err := e.prepare(ctx, scope, q)
	if err == nil {
		e.returnedPacket(scope, asking.Packet)
	}
	return asking, err
}

func (e *Engine) prepare(ctx context.Context, scope daybook.Scope, q Asked) (Asking, error) {
	leave, err := e.enter(ctx)
	if err != nil {
		return Asking{}, err
	}
	defer leave()
	question := recall.Question{Text: q.Text, K: askRows, View: q.View, Now: e.timeOf(q.At)}
	asked := readAs(question)
	var out Asking
	found, r, err := e.findAs(ctx, scope, question, asked, q.At)
	if e.reader != nil && err == nil {
		plain := found
		if r != nil { // else the rows are as they were searched for
			plain, err = e.search(ctx, scope, question, q.At, nil)
		}
		if err == nil {
			out.Asked, out.Candidates, err = e.readQuestion(ctx, scope, q, &asked, plain.Rows)
		}
		if r != nil && !answer.Plain(r, out.Candidates) {
			found.Rows, r = plain.Rows, nil // roles come from the ledger, not from grammar
		}
	}
	if err != nil {
		return Asking{}, err
	}
	if r == nil {
		r = answer.Resolve(asked, plainEvidence(found.Rows), answer.Background{})
	}
	leave()
	if e.completer != nil && q.View == "" {
		r = answer.Controlled(ctx, e.completer, r)
	}
	var paths []string
	for _, p := range found.Paths {
		paths = append(paths, p.String())
	}
	out.Resolved, out.Packet = r, answer.Assemble(r, paths, answer.DefaultBudget.Of(q.Budget))
	out.Paths, out.Commit = found.Paths, found.Commit
	return out, nil
}

// Overlay gives rows of another memory their roles for a question, and makes the
// packet. Nothing is read from the store, and nothing is kept. Now is when it is
// asked; the zero time is this moment.
func (e *Engine) Overlay(ctx context.Context, rows []answer.Foreign, question, subject string, view daybook.View, now time.Time) (*answer.Resolved, *answer.Packet, error) {
	if now.IsZero() {
		now = e.ledger.Now()
	}
	q := answer.ReadQuestion(question, subject).Seen(now)
	if view != "" {
		q.View = view
	}
	var encoder model.Encoder
	if e.encoder != nil {
		encoder = e.encoder
	}
	return answer.Overlay(ctx, rows, q, encoder)
}

// near are the sentences that are most like what is asked.
type near struct {
	view       *index.Snapshot
	sentences  []said
	background answer.Background
	claims     *claims
}

// sentences finds the sentences of whom the question asks about that are most like
// what it asks, and makes that person the question's subject.
func (e *Engine) sentences(ctx context.Context, scope daybook.Scope, q *answer.Question) (n near, err error) {
	if q.Variable == nil {
		return n, nil
	}
	if !e.lagging {
		if err := e.hear(ctx, scope, math.MaxUint64); err != nil && !store.CannotWrite(err) {
			return n, err
		}
	}
	all, claims, err := e.heard(ctx, scope, q)
	if err != nil {
		return n, err
	}
	n = nearestSaid(q, all)
	n.claims = claims
	n.view, err = e.Index(ctx, scope)
	return n, err
}

// heard returns what was said by whom the question is about, and what is known of its
// claims.
func (e *Engine) heard(ctx context.Context, scope daybook.Scope, q *answer.Question) ([]speech, *claims, error) {
	known := e.said.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	err := e.store.View(ctx, scope, func(r store.Reader) error { return e.listen(r, known) })
	return known.of(q, scope.Speaker("", "")), known.claims, err
}

// Where a question may be about more sentences than fewSaid, directSaid of them are
// compared by their words, too; the background is made of so many by the state that they
// speak of, and of backgroundWords by their words.
const (
	fewSaid         = 2048
	directSaid      = 512
	backgroundWords = 512
)

// nearestSaid returns the sentences that stand out most for a question, by the state
// that they speak of and by their words.
func nearestSaid(q *answer.Question, all []speech) (n near) {
	p := newSaidPool(q, all)
	n.background = p.background()
	standing := map[int]float64{}
	order := p.likest()
	for _, i := range order {
		standing[i] = n.background.Variable.Standard(p.byState(i)) + n.background.Vector.Standard(p.byWords(i))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(standing[b], standing[a]), cmp.Compare(a, b)) })
	for _, i := range order[:min(len(order), askStates)] {
		s, row := p.rowOf(i)
		n.sentences = append(n.sentences, s.sentence(row))
	}
	return n
}

// saidPool are the sentences that a question may be about, numbered through.
type saidPool struct {
	q          *answer.Question
	all        []speech
	size       int
	mean       []float32
	likeness   func(withVector, withMean, square float32) float64
	state, row []float32 // room for vectors
}

func newSaidPool(q *answer.Question, all []speech) *saidPool {
	p := &saidPool{q: q, all: all, mean: answer.SaidMean(), likeness: q.WordLikeness(), state: make([]float32, len(q.Variable)), row: make([]float32, len(q.Vector))}
	for _, s := range all {
		p.size += s.variables.Len()
	}
	return p
}

// background is how like what is asked the sentences are as a whole.
func (p *saidPool) background() answer.Background {
	words := fewSaid
	if p.size > fewSaid {
		words = backgroundWords
	}
	var variable, vector []float64
	for i := 0; i < p.size; i += 1 + p.size/fewSaid {
		variable = append(variable, p.byState(i))
	}
	for i := 0; i < p.size; i += 1 + p.size/words {
		vector = append(vector, p.byWords(i))
	}
	return answer.BackgroundOf(variable, vector)
}

// likest are the sentences that speak of a state most like the one that is asked for;
// all of them where they are few. They are chosen by a rough look at all.
func (p *saidPool) likest() []int {
	if p.size <= fewSaid {
		return firstOf(p.size, p.size, p.byState)
	}
	room := roughRoom.Get().(*[]float32)
	defer roughRoom.Put(room)
	rough := slices.Grow((*room)[:0], p.size)[:p.size]
	*room = rough
	rest := rough
	for _, s := range p.all {
		s.variables.Rough(rest, p.q.Variable)
		rest = rest[s.variables.Len():]
	}
	chosen := index.Highest(rough, 2*directSaid)
	first := firstOf(len(chosen), directSaid, func(i int) float64 { return p.byState(chosen[i]) })
	for i := range first {
		first[i] = chosen[first[i]]
	}
	return first
}

// roughRoom is room for a number of each sentence, used again: a large memory has many.
var roughRoom = sync.Pool{New: func() any { return new([]float32) }}

// byState is how like the asked state the one is that a sentence speaks of.
func (p *saidPool) byState(i int) float64 {
	s, i := p.rowOf(i)
	return float64(s.variables.Product(i, p.q.Variable, p.state))
}

// byWords is how like the question a sentence is.
func (p *saidPool) byWords(i int) float64 {
	s, i := p.rowOf(i)
	return p.likeness(s.vectors.Dots(i, p.q.Vector, p.mean, p.row))
}

// rowOf finds a sentence by its number among all.
func (p *saidPool) rowOf(i int) (speech, int) {
	for _, s := range p.all {
		if i < s.variables.Len() {
			return s, i
		}
		i -= s.variables.Len()
	}
	panic("engine: there is no such sentence")
}

// firstOf returns the first k of n numbers by what they are worth, the highest first; of
// equal ones the smaller number.
func firstOf(n, k int, worth func(int) float64) []int {
	first, of := make([]int, n), make([]float64, n)
	for i := range first {
		first[i], of[i] = i, worth(i)
	}
	slices.SortFunc(first, func(a, b int) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	return first[:min(n, k)]
}

// evidence reads the recalled notes and the notes of the near sentences, with what
// these claim.
func evidence(b *graph.Book, rows []recall.Row, n near) (all []answer.Evidence, err error) {
	all = plainEvidence(rows)
	at := map[daybook.NoteID]int{}
	for i := range all {
		at[all[i].ID] = i
	}
	notes := map[store.Place]*daybook.Note{}
	for _, s := range n.sentences {
		note, ok := notes[s.place]
		if !ok {
			if note, err = noteAt(b, s.place); err != nil {
				return nil, err
			}
			notes[s.place] = note
		}
		if note == nil {
			continue // withdrawn, or not known yet at the asked time
		}
		if _, ok := at[note.ID]; !ok {
			at[note.ID] = len(all)
			all = append(all, answer.Evidence{Note: *note})
		}
		e := &all[at[note.ID]]
		if c, ok, err := n.claim(b, e.Note, s); err != nil {
			return nil, err
		} else if ok {
			e.Claims = append(e.Claims, c)
		}
	}
	return all, nil
}

// claim returns what a sentence of a note claims: as it stands there, which is read
// where it was not read lately, or, of a bare answer, with the question before it.
func (n near) claim(b *graph.Book, note daybook.Note, s said) (c answer.Claim, ok bool, err error) {
	at := sentenceAt{s.place, s.index}
	if known, ok := n.claims.get(at); ok {
		return known.Claim, known.ok, nil
	}
	read, ok := extract.Nth(note, s.index)
	if !ok {
		return c, false, nil
	}
	bare := s.index == 0 && read.IsBare()
	if bare {
		before, err := noteBefore(n.view, b, s.place)
		if err != nil {
			return c, false, err
		}
		if whole, ok := extract.Completed(note, before); ok {
			read = whole
		}
	}
	c, ok = answer.ClaimIn(note, &read, s.vector)
	c.Variable = s.variable
	if !bare { // what comes before it is not the same at all times
		n.claims.put(at, claimed{c, ok})
	}
	return c, ok, nil
}

// noteAt returns the note at a place, or nil where none is in force there.
func noteAt(b *graph.Book, at store.Place) (*daybook.Note, error) {
	if at.Seq > b.Head().Seq {
		return nil, nil
	}
	n, ok, err := b.NoteAt(at)
	if err != nil || !ok {
		return nil, err
	}
	return &n, nil
}

// plainEvidence are recalled notes as evidence, whatever they claim.
func plainEvidence(rows []recall.Row) []answer.Evidence {
	all := make([]answer.Evidence, len(rows))
	for i, r := range rows {
		all[i] = answer.Evidence{Note: r.Note, Score: r.Score, Role: r.Role, Reason: r.Reason, Outdated: r.Outdated, Repeats: r.Repeats, Heir: r.Heir}
	}
	return all
}
