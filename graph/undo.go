package graph

import (
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// relate checks a link that somebody judged. An updates link must pass the same
// guard that the rules keep to.
//
// A link without a From begins at the note or fact that was asked for last.
func (s *stage) relate(l daybook.Link) error {
	if l.From == "" && len(s.receipt.IDs) > 0 {
		l.From = s.receipt.IDs[len(s.receipt.IDs)-1]
	}
	newer, err := s.alive(l.From)
	if err != nil {
		return err
	}
	older, err := s.alive(l.To)
	if err != nil {
		return err
	}
	switch {
	case newer == nil:
		return daybook.Errorf(daybook.NotFound, "link: nothing in this scope has the id %q", l.From)
	case older == nil:
		return daybook.Errorf(daybook.NotFound, "link: nothing in this scope has the id %q", l.To)
	case newer.Fact != nil && older.Fact != nil:
		l.About = slices.Compact([]daybook.Variable{variableOf(newer.Fact), variableOf(older.Fact)})
		err = s.guardFacts(l, newer.Fact, older.Fact)
	case newer.Event != nil && older.Event != nil:
		err = guardEvents(l, newer.Event, older.Event)
	default:
		err = daybook.Errorf(daybook.Invalid, "a link joins two events or two facts")
	}
	if err != nil {
		return err
	}
	l = l.Named()
	if err := l.Validate(); err != nil {
		return err
	}
	old, err := s.alive(string(l.ID))
	if err != nil || old != nil {
		return err
	}
	if refused, err := s.refused(l); err != nil || refused {
		return err
	}
	s.put(body{Op: daybook.Op{Relate: &l}})
	if newer.Fact != nil && (l.Kind == daybook.Updates || l.Kind == daybook.Contradicts) {
		s.report(l)
	}
	s.touch(l.About...)
	return nil
}

func (s *stage) guardFacts(l daybook.Link, newer, older *daybook.Fact) error {
	if l.Kind != daybook.Updates {
		return nil
	}
	switch {
	case s.canonical(newer.Subject) != s.canonical(older.Subject):
		return daybook.Errorf(daybook.Invalid, "updates: the facts speak of different subjects")
	case newer.Modality != daybook.Asserted:
		return daybook.Errorf(daybook.Invalid, "updates: the newer fact is %s and not asserted, so it closes nothing", newer.Modality)
	case older.Modality != daybook.Asserted:
		return daybook.Errorf(daybook.Invalid, "updates: the older fact is %s and not asserted, so there is nothing to close", older.Modality)
	case newer.Relation == older.Relation && daybook.Fold(newer.Object) == daybook.Fold(older.Object):
		return daybook.Errorf(daybook.Invalid, "updates: both facts give the same value")
	}
	return guardTimes(l, newer.Valid, older.Valid)
}

// guardEvents lets an event supersede another only if it is an assertion, or
// meant as the other is: a plan revises a plan.
func guardEvents(l daybook.Link, newer, older *daybook.Event) error {
	if l.Kind == daybook.Updates && newer.Modality != daybook.Asserted && newer.Modality != older.Modality {
		return daybook.Errorf(daybook.Invalid, "updates: the newer event is %s and not asserted, so it does not supersede the older", newer.Modality)
	}
	return guardTimes(l, newer.Time, older.Time)
}

// refused reports whether somebody withdrew the link before. A rule or a model
// does not overrule that; a person may judge anew.
func (s *stage) refused(l daybook.Link) (bool, error) {
	if !l.Judged() {
		return false, nil
	}
	refused := false
	for o, err := range s.ops(idKey(string(l.ID))) {
		switch {
		case err != nil:
			return false, err
		case o.Retract == nil:
			refused = false
		case o.Retract.By == "":
			refused = true
		}
	}
	return refused, nil
}

func guardTimes(l daybook.Link, newer, older daybook.Span) error {
	if l.Kind == daybook.Updates && !newer.From.After(older.From) {
		return daybook.Errorf(daybook.Invalid, "updates: %s is not later than %s", newer.From.Format(time.RFC3339), older.From.Format(time.RFC3339))
	}
	return nil
}

// merge makes two entities one. A rule's merge of what cannot be merged, or of
// what a person split before, is dropped without a word.
func (s *stage) merge(m daybook.Merge) error {
	if Ruled(m.Why) {
		return s.mergeByRule(m)
	}
	from, into := s.canonical(m.From), s.canonical(m.Into)
	for _, e := range []daybook.EntityID{from, into} {
		o, err := s.alive(string(e))
		if err != nil {
			return err
		}
		if o == nil {
			return daybook.Errorf(daybook.NotFound, "merge: entity %s is not in this scope", e)
		}
	}
	if from == into {
		return daybook.Errorf(daybook.Conflict, "merge: the two names stand for the same entity already")
	}
	if err := s.touchEntity(from, into); err != nil {
		return err
	}
	s.put(body{Op: daybook.Op{Merge: &daybook.Merge{From: from, Into: into, Why: m.Why}}})
	return s.loadMerges()
}

// split undoes a merge. A rule splits only what a rule merged.
func (s *stage) split(sp daybook.Split) error {
	if Ruled(sp.Why) {
		m, merged, err := s.KnownAs(sp.Entity)
		if err != nil || !merged || !Ruled(m.Why) {
			return err
		}
	}
	if _, ok := s.merged[sp.Entity]; !ok {
		return daybook.Errorf(daybook.Conflict, "split: that name is not merged into another")
	}
	if err := s.touchEntity(sp.Entity); err != nil {
		return err
	}
	s.put(body{Op: daybook.Op{Split: &sp}})
	return s.loadMerges()
}

// mergeByRule keeps to the names that the rule gives, so that a chain of merges
// comes apart where it is split.
func (s *stage) mergeByRule(m daybook.Merge) error {
	if _, merged := s.merged[m.From]; merged || s.leadsTo(m.Into, m.From) {
		return nil
	}
	for _, e := range []daybook.EntityID{m.From, m.Into} {
		if o, err := s.alive(string(e)); err != nil || o == nil {
			return err
		}
	}
	if parted, err := s.parted(m.From); err != nil || parted {
		return err
	}
	if err := s.touchEntity(m.From, m.Into); err != nil {
		return err
	}
	s.put(body{Op: daybook.Op{Merge: &m}})
	return s.loadMerges()
}

// touchEntity marks every state of the entities for judgement.
func (s *stage) touchEntity(entities ...daybook.EntityID) error {
	for _, e := range entities {
		for _, alias := range s.aliases(e) {
			for o, err := range s.ops(subjectKey(alias)) {
				if err != nil {
					return err
				}
				if o.Fact != nil {
					s.touch(variableOf(o.Fact))
				}
			}
		}
	}
	return nil
}

// retract withdraws what an id names, and what stands on it alone. A judge
// withdraws only a link that it made itself and that is in force; else it is as if
// it had said nothing.
func (s *stage) retract(r daybook.Retract) error {
	o, err := s.alive(r.Target)
	if err != nil {
		return err
	}
	if r.By != "" && (o == nil || o.Relate == nil || o.Relate.By != r.By) {
		return nil
	}
	if o == nil || o.Entity != nil {
		return daybook.Errorf(daybook.NotFound, "retract: no note, event, fact or link %q in this scope", r.Target)
	}
	if err := daybook.CheckText("reason", r.Why); err != nil {
		return err
	}
	r.About = nil
	switch {
	case o.Fact != nil:
		r.About = []daybook.Variable{variableOf(o.Fact)}
	case o.Relate != nil:
		r.About = o.Relate.About
	}
	s.put(body{Op: daybook.Op{Retract: &r}})
	s.touch(r.About...)
	return s.retractDependents(r.Target)
}

// retractDependents withdraws what was learned from id and has no other support
// left.
func (s *stage) retractDependents(id string) error {
	var dependents []string
	for o, err := range s.ops(derivedKey(id)) {
		if err != nil {
			return err
		}
		if id := o.asserts(); id != "" && o.Observe == nil { // what was said stays said
			dependents = append(dependents, id)
		}
	}
	for _, d := range dependents {
		if err := s.retractUnsupported(d); err != nil {
			return err
		}
	}
	return nil
}

// supported reports whether an event or fact still has evidence: its event, and
// one of the notes that it quotes, or of its source notes where it quotes none and
// has any.
func (s *stage) supported(o *op) (bool, error) {
	var sources []daybook.NoteID
	if o.Event != nil {
		sources = o.Event.Sources
		if len(o.Event.Quotes) > 0 { // the others only lent words
			sources = nil
			for _, q := range o.Event.Quotes {
				sources = append(sources, q.Note)
			}
		}
	}
	if o.Fact != nil {
		sources = o.Fact.Sources
		if o.Fact.Event != "" {
			if e, err := s.alive(string(o.Fact.Event)); err != nil || e == nil {
				return false, err
			}
		}
	}
	for _, n := range sources {
		if note, err := s.alive(string(n)); err != nil || note != nil {
			return true, err
		}
	}
	return len(sources) == 0, nil
}

// revert undoes a commit: its operations are no longer in force, and what was
// learned from them alone is withdrawn.
func (s *stage) revert(r daybook.Revert) error {
	if s.undone[r.Seq] {
		return daybook.Errorf(daybook.Conflict, "commit %s is reverted already", r.Commit.Short())
	}
	undone, err := s.decodeCommit(r.Seq)
	if err != nil {
		return err
	}
	for _, o := range undone {
		if o.Erase != nil {
			return daybook.Errorf(daybook.Invalid, "commit %s erased content; what was erased cannot come back", r.Commit.Short())
		}
		if err := s.touchOp(o); err != nil {
			return err
		}
	}
	s.put(body{Op: daybook.Op{Revert: &r}})
	if err := s.loadReverts(); err != nil {
		return err
	}
	if err := s.loadMerges(); err != nil {
		return err
	}
	for _, o := range undone {
		if err := s.keepName(o); err != nil {
			return err
		}
		if err := s.dropDependents(o); err != nil {
			return err
		}
		if err := s.dropUnsupported(o); err != nil {
			return err
		}
	}
	return nil
}

// keepName declares an entity again whose declaration is undone while facts or
// events of other commits still speak of it.
func (s *stage) keepName(undone *op) error {
	if undone.Entity == nil {
		return nil
	}
	id := undone.Entity.ID
	if still, err := s.alive(string(id)); err != nil || still != nil {
		return err
	}
	for _, key := range []store.Key{subjectKey(id), participantKey(id)} {
		for o, err := range s.ops(key) {
			if err != nil {
				return err
			}
			if o.Fact == nil && o.Event == nil {
				continue
			}
			if said, err := s.alive(o.asserts()); err != nil || said == nil {
				if err != nil {
					return err
				}
				continue
			}
			s.put(body{Op: daybook.Op{Entity: undone.Entity}})
			return nil
		}
	}
	return nil
}

// dropUnsupported withdraws again what comes back when an operation is undone
// but has lost its evidence meanwhile.
func (s *stage) dropUnsupported(undone *op) error {
	var back []string
	switch {
	case undone.Retract != nil:
		back = []string{undone.Retract.Target}
	case undone.Revert != nil:
		again, err := s.decodeCommit(undone.Revert.Seq)
		if err != nil {
			return err
		}
		for _, o := range again {
			if id := o.asserts(); id != "" {
				back = append(back, id)
			}
		}
	}
	for _, id := range back {
		if err := s.retractUnsupported(id); err != nil {
			return err
		}
	}
	return nil
}

// retractUnsupported withdraws an event or fact that is in force and stands on
// nothing.
func (s *stage) retractUnsupported(id string) error {
	o, err := s.alive(id)
	if err != nil || o == nil {
		return err
	}
	supported, err := s.supported(o)
	if err != nil || supported {
		return err
	}
	return s.retract(daybook.Retract{Target: id, Why: "what it was learned from was withdrawn"})
}

// touchOp marks the states that change when an operation is undone.
func (s *stage) touchOp(o *op) error {
	switch {
	case o.Fact != nil:
		s.touch(variableOf(o.Fact))
	case o.Relate != nil:
		s.touch(o.Relate.About...)
	case o.Retract != nil:
		s.touch(o.Retract.About...)
	case o.Merge != nil:
		return s.touchEntity(o.Merge.From, o.Merge.Into)
	case o.Split != nil:
		return s.touchEntity(o.Split.Entity)
	case o.Revert != nil:
		again, err := s.decodeCommit(o.Revert.Seq)
		if err != nil {
			return err
		}
		for _, inner := range again {
			if err := s.touchOp(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropDependents withdraws what stood on an undone operation alone.
func (s *stage) dropDependents(o *op) error {
	id := o.asserts()
	if id == "" {
		return nil
	}
	still, err := s.alive(id)
	if err != nil || still != nil {
		return err
	}
	return s.retractDependents(id)
}

// decodeCommit returns a commit's operations that were not erased, its message
// left out.
func (b *Book) decodeCommit(seq uint64) ([]*op, error) {
	var ops []*op
	for c, err := range b.r.Contents(store.Range{From: seq, To: seq}) {
		if err != nil {
			return nil, err
		}
		o, err := decode(c)
		if err != nil {
			return nil, err
		}
		if o.kind() != 0 {
			ops = append(ops, o)
		}
	}
	return ops, nil
}
