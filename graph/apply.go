package graph

import (
	"fmt"
	"io"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// Ledger appends commits. Clock and randomness are passed in, so that a run can
// be repeated exactly.
type Ledger struct {
	Now  func() time.Time
	Rand io.Reader // for salts
}

// Change is what one commit is asked to bring. Operations are taken in order and
// may refer to earlier ones of the same change.
type Change struct {
	Author  string // who or what asks; not erasable, so no personal data belongs here
	Message string
	Ops     []daybook.Op
	// Trees says, by name, on how many versions of a tree the change was made.
	// Another number in force is a Conflict.
	Trees map[string]int
}

// Apply appends the change as one commit: it drops what the ledger has already,
// checks the rest, and adds the judgements that follow. A change that brings
// nothing new makes no commit.
//
// Errors: Invalid for input that breaks a rule, NotFound for a reference to
// something that is not there, Conflict for a note whose caller's id stands for
// another text already and for an edit of a tree that has gone on meanwhile.
func (l Ledger) Apply(w store.Writer, ch Change) (daybook.Receipt, error) {
	s, err := l.stage(w, ch)
	if err != nil {
		return daybook.Receipt{}, err
	}
	if err := s.checkTrees(ch.Trees); err != nil {
		return daybook.Receipt{}, err
	}
	for i := range ch.Ops {
		if err := s.add(ch.Ops[i]); err != nil {
			return daybook.Receipt{}, err
		}
	}
	if err := s.judge(); err != nil {
		return daybook.Receipt{}, err
	}
	return s.commit(w)
}

// stage is a commit being made: a book of the ledger's head that also sees the
// operations gathered so far.
type stage struct {
	*Book
	ledger  Ledger
	next    store.Commit
	staged  []*op
	touched []daybook.Variable // states to judge, with repeats
	receipt daybook.Receipt
}

func (l Ledger) stage(w store.Writer, ch Change) (*stage, error) {
	for _, t := range []struct{ name, text string }{{"author", ch.Author}, {"message", ch.Message}} {
		if err := daybook.CheckText(t.name, t.text); err != nil {
			return nil, err
		}
	}
	head, err := w.Head()
	if err != nil {
		return nil, err
	}
	recordedAt := l.Now().UTC().Truncate(time.Microsecond)
	if !recordedAt.After(head.RecordedAt) { // a clock that stands still or runs backwards
		recordedAt = head.RecordedAt.Add(time.Microsecond)
	}
	book, err := openSeq(w, head.Seq, recordedAt)
	if err != nil {
		return nil, err
	}
	book.pending = map[store.Key][]*op{}
	s := &stage{
		Book: book, ledger: l,
		next:    store.Commit{Seq: head.Seq + 1, Parent: head.ID, RecordedAt: recordedAt, Author: ch.Author},
		receipt: daybook.Receipt{Commit: head.ID, Seq: head.Seq},
	}
	if ch.Message != "" {
		s.put(body{Message: ch.Message})
	}
	return s, nil
}

// put adds an operation to the commit being made.
func (s *stage) put(b body) {
	o := &op{Place: store.Place{Seq: s.next.Seq, Pos: len(s.staged)}, body: b}
	s.staged = append(s.staged, o)
	for _, k := range b.keys() {
		s.pending[k] = append(s.pending[k], o)
	}
}

func (s *stage) touch(about ...daybook.Variable) { s.touched = append(s.touched, about...) }

// add checks one operation and puts it into the commit, with what follows from
// it.
func (s *stage) add(o daybook.Op) error {
	switch {
	case o.Observe != nil:
		return s.observe(*o.Observe)
	case o.Enrich != nil:
		return s.enrich(*o.Enrich)
	case o.Entity != nil:
		return s.declare(*o.Entity)
	case o.Event != nil:
		return s.assertEvent(*o.Event)
	case o.Fact != nil:
		return s.assertFact(*o.Fact)
	case o.Relate != nil:
		return s.relate(*o.Relate)
	case o.Merge != nil:
		return s.merge(*o.Merge)
	case o.Split != nil:
		return s.split(*o.Split)
	case o.Tree != nil:
		return s.editTree(*o.Tree)
	case o.Retract != nil:
		return s.retract(*o.Retract)
	case o.Revert != nil:
		return s.revert(*o.Revert)
	}
	return daybook.Errorf(daybook.Invalid, "an operation of this kind cannot be applied")
}

// observe keeps a note. One without a time was said now; when it is known
// already by the caller's id, it was said when it was first kept.
func (s *stage) observe(n daybook.Note) error {
	untimed := n.Time.IsZero()
	if untimed {
		n.Time = s.next.RecordedAt
	}
	n = n.Named()
	if err := n.Validate(); err != nil {
		return err
	}
	old, err := s.alive(string(n.ID))
	if err != nil {
		return err
	}
	s.receipt.IDs = append(s.receipt.IDs, string(n.ID))
	if old != nil {
		s.receipt.Known++
		if untimed && old.Observe != nil {
			n.Time = old.Observe.Time
		}
		return sameNote(old.Observe, n)
	}
	s.put(body{Op: daybook.Op{Observe: &n}})
	s.receipt.Added++
	return nil
}

func (s *stage) declare(e daybook.Entity) error {
	if e.Name == "" {
		return daybook.Errorf(daybook.Invalid, "entity has no name")
	}
	if err := daybook.CheckName("entity name", e.Name); err != nil {
		return err
	}
	old, err := s.alive(string(e.ID))
	if err != nil {
		return err
	}
	if old != nil { // told again; only a surer kind is news
		if old.Entity == nil || kindRank(e.Kind) <= kindRank(old.Entity.Kind) {
			return nil
		}
		e.Name = old.Entity.Name
	}
	s.put(body{Op: daybook.Op{Entity: &e}})
	return nil
}

// kindRank orders kinds of entities, so that the one that stands in the end does
// not depend on which was told first.
func kindRank(kind string) int {
	return slices.Index([]string{"", "thing", "place", "organisation", "person"}, kind)
}

func (s *stage) assertEvent(e daybook.Event) error {
	e = e.Named()
	if err := e.Validate(); err != nil {
		return err
	}
	if err := s.checkSources(e.Sources); err != nil {
		return err
	}
	if err := s.checkQuotes(e.Quotes); err != nil {
		return err
	}
	old, err := s.alive(string(e.ID))
	if err == nil && old == nil {
		s.put(body{Op: daybook.Op{Event: &e}})
	}
	return err
}

func (s *stage) checkSources(sources []daybook.NoteID) error {
	for _, id := range sources {
		o, err := s.alive(string(id))
		if err != nil {
			return err
		}
		if o == nil || o.Observe == nil {
			return daybook.Errorf(daybook.NotFound, "source note %s is not in this scope", id)
		}
	}
	return nil
}

// checkEvent reports an event that is named and not there.
func (s *stage) checkEvent(id daybook.EventID) error {
	if id == "" {
		return nil
	}
	o, err := s.alive(string(id))
	if err == nil && (o == nil || o.Event == nil) {
		err = daybook.Errorf(daybook.NotFound, "event %s is not in this scope", id)
	}
	return err
}

func (s *stage) assertFact(f daybook.Fact) error {
	if err := f.Validate(); err != nil {
		return err
	}
	if err := s.checkSources(f.Sources); err != nil {
		return err
	}
	if err := s.checkEvent(f.Event); err != nil {
		return err
	}
	if f.Valid.From.IsZero() && f.Valid.Until.IsZero() {
		again, err := s.holdsAlready(f)
		if err != nil || again {
			return err
		}
		f.Valid = daybook.Span{From: s.next.RecordedAt, Known: daybook.Assumed}
	}
	f = f.Named()
	old, err := s.alive(string(f.ID))
	if err != nil {
		return err
	}
	if f.Event == "" { // a fact that an event asserts was learned, not asked for
		s.receipt.IDs = append(s.receipt.IDs, string(f.ID))
	}
	if old != nil {
		if f.Event == "" {
			s.receipt.Known++
		}
		return nil
	}
	s.put(body{Op: daybook.Op{Fact: &f}})
	if f.Event == "" {
		s.receipt.Added++
	} else {
		s.receipt.Learned++
	}
	s.touch(variableOf(&f))
	return nil
}

// holdsAlready reports whether a fact without a time of its own says nothing
// that the ledger does not hold now.
func (s *stage) holdsAlready(f daybook.Fact) (bool, error) {
	v, err := s.joined(daybook.Variable{Subject: f.Subject, Relation: daybook.FoldRelation(f.Relation)})
	if err != nil {
		return false, err
	}
	for _, sp := range v.spans() {
		if !sp.open(s.next.RecordedAt) || sp.from.After(s.next.RecordedAt) {
			continue
		}
		for _, old := range sp.facts {
			f.Valid = old.Valid
			if f.Named().ID == old.ID {
				s.receipt.Known++
				s.receipt.IDs = append(s.receipt.IDs, string(old.ID))
				return true, nil
			}
		}
	}
	return false, nil
}

// judge adds the links that follow for every state that the commit touches.
func (s *stage) judge() error {
	done := map[daybook.Variable]bool{}
	for _, v := range s.touched {
		v.Subject = s.canonical(v.Subject)
		if done[v] {
			continue
		}
		done[v] = true
		if one, err := s.mayHoldOne(v); err != nil {
			return err
		} else if !one {
			continue
		}
		folded, err := s.variable(v)
		if err != nil {
			return err
		}
		for _, l := range folded.judge() {
			s.put(body{Op: daybook.Op{Relate: &l}})
			s.report(l)
		}
	}
	return nil
}

// mayHoldOne is false for a state that holds many values at a time for certain:
// nothing is judged there, and it is not read, however many facts it has.
func (s *stage) mayHoldOne(v daybook.Variable) (bool, error) {
	if Cardinality(v.Relation) == daybook.OneValue {
		return true, nil
	}
	for _, e := range s.aliases(v.Subject) {
		for _, err := range s.ops(oneKey(daybook.Variable{Subject: e, Relation: v.Relation})) {
			return err == nil, err
		}
	}
	return false, nil
}

func (s *stage) report(l daybook.Link) {
	if l.Kind == daybook.Updates {
		s.receipt.Closed = append(s.receipt.Closed, daybook.FactID(l.To))
	} else {
		s.receipt.Clashes = append(s.receipt.Clashes, daybook.FactID(l.From), daybook.FactID(l.To))
	}
}

// commit appends what was gathered, if it is more than a message.
func (s *stage) commit(w store.Writer) (daybook.Receipt, error) {
	if len(s.staged) == 0 || len(s.staged) == 1 && s.staged[0].Message != "" {
		return s.receipt, nil
	}
	contents, leaves, err := s.ledger.seal(s.staged)
	if err != nil {
		return daybook.Receipt{}, err
	}
	s.next.ID = commitID(s.next, leaves)
	if err := w.Append(s.next, leaves, contents); err != nil {
		return daybook.Receipt{}, fmt.Errorf("append commit %d: %w", s.next.Seq, err)
	}
	s.receipt.Commit, s.receipt.Seq = s.next.ID, s.next.Seq
	return s.receipt, nil
}

// seal salts and hashes operations.
func (l Ledger) seal(ops []*op) ([]store.Content, []store.Hash, error) {
	salts := make([]byte, saltSize*len(ops))
	if _, err := io.ReadFull(l.Rand, salts); err != nil {
		return nil, nil, fmt.Errorf("read salts: %w", err)
	}
	contents := make([]store.Content, len(ops))
	leaves := make([]store.Hash, len(ops))
	for i, o := range ops {
		text, err := o.encode()
		if err != nil {
			return nil, nil, err
		}
		salt := salts[i*saltSize : (i+1)*saltSize : (i+1)*saltSize]
		contents[i] = store.Content{Place: o.Place, Salt: salt, Body: text, Keys: o.keys()}
		leaves[i] = leafHash(salt, text)
	}
	return contents, leaves, nil
}
