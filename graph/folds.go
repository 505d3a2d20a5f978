package graph

import (
	"daybook"
)

// folds are states and parts of them as they were folded up to the last commit of a
// scope's cache, by subject. A commit takes away those of the subjects that it is about;
// reverts, merges and splits reach further and take all. What is kept is shared and must
// not be changed. The cache's lock guards them.
type folds struct {
	size    int // facts and links in them
	subject map[daybook.EntityID]map[foldKey]*joint
}

// foldKey is which part of what is known of a subject was folded: the state that a
// relation belongs to, or what decides on one value of the relation.
type foldKey struct {
	relation, value string
	whole           bool
	slim            bool // made of slim operations
}

// maxFolded facts and links are kept folded for one scope; beyond that all are let go.
const maxFolded = 200_000

// folded returns what fold makes of a subject, which is done once between two commits
// about it. The subject is canonical.
func (b *Book) folded(subject daybook.EntityID, key foldKey, fold func() (*joint, error)) (*joint, error) {
	s := b.cache
	if s == nil {
		return fold()
	}
	s.mu.Lock()
	j := s.folds.subject[subject][key]
	fits := b.head.Seq == s.head.Seq && b.turn == s.turn
	s.mu.Unlock()
	if fits && j != nil {
		return j, nil
	}
	j, err := fold()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.head.Seq == s.head.Seq && b.turn == s.turn { // nobody has gone on meanwhile
		s.folds.keep(subject, key, j)
	}
	return j, nil
}

func (f *folds) keep(subject daybook.EntityID, key foldKey, j *joint) {
	f.size += 1 + len(j.facts) + len(j.links)
	if f.subject == nil || f.size > maxFolded {
		*f = folds{size: 1 + len(j.facts) + len(j.links), subject: map[daybook.EntityID]map[foldKey]*joint{}}
	}
	if f.subject[subject] == nil {
		f.subject[subject] = map[foldKey]*joint{}
	}
	f.subject[subject][key] = j
}

// follow lets go of what operations that were appended are about.
func (f *folds) follow(fresh []*op, merged map[daybook.EntityID]daybook.EntityID) {
	for _, o := range fresh {
		for _, v := range o.about() {
			subject := canonicalIn(merged, v.Subject)
			for _, j := range f.subject[subject] {
				f.size -= 1 + len(j.facts) + len(j.links)
			}
			delete(f.subject, subject)
		}
	}
}

// about are the state variables that an operation tells of.
func (b body) about() []daybook.Variable {
	switch {
	case b.Fact != nil:
		return []daybook.Variable{variableOf(b.Fact)}
	case b.Relate != nil:
		return b.Relate.About
	case b.Retract != nil:
		return b.Retract.About
	}
	return nil
}
