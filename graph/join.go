package graph

import (
	"cmp"
	"slices"

	"daybook"
)

// joint is the fold of one state: one state variable, or several of one subject
// whose facts updates and contradicts links join.
type joint struct {
	subject   daybook.EntityID
	relations []string // the first names the state, the others are sorted
	*variable
}

// holds is as of the one relation. Joined relations hold many values: nothing
// but a link closes a value across them.
func (j *joint) holds() daybook.Cardinality {
	if len(j.relations) > 1 {
		return daybook.Many
	}
	return j.variable.holds()
}

// closes reports whether the link, if it is one of update, ends the older fact.
func closes(l *daybook.Link, newer, older known) bool {
	return l.Kind == daybook.Updates && newer.Valid.From.After(older.Valid.From)
}

// crosses reports whether the link joins facts of different relations.
func crosses(l *daybook.Link) bool {
	return len(l.About) > 1 && l.About[0].Relation != l.About[1].Relation &&
		(l.Kind == daybook.Updates || l.Kind == daybook.Contradicts)
}

// join puts the state variables together that links in force join. What comes out
// depends only on the facts and links in force.
func join(folded map[daybook.Variable]*variable) []*joint {
	joints := make([]*joint, 0, len(folded))
	facts := crossedFacts(folded)
	if len(facts) == 0 {
		for at, v := range folded {
			joints = append(joints, &joint{at.Subject, []string{at.Relation}, v})
		}
		return joints
	}
	parts := partition{}
	for _, v := range folded {
		for _, l := range v.links {
			newer, ok := facts[l.From]
			older, known := facts[l.To]
			if ok && known && crosses(l) && newer.at.Subject == older.at.Subject && (l.Kind == daybook.Contradicts || closes(l, newer.known, older.known)) {
				parts.unite(newer.at, older.at)
			}
		}
	}
	groups := map[daybook.Variable][]daybook.Variable{}
	for at := range folded {
		root := parts.find(at)
		groups[root] = append(groups[root], at)
	}
	for _, group := range groups {
		joints = append(joints, joinGroup(group, folded))
	}
	return joints
}

// placed is a fact with its state variable under the canonical subject.
type placed struct {
	known
	at daybook.Variable
}

// crossedFacts indexes the facts of the state variables that a link between two
// relations is about.
func crossedFacts(folded map[daybook.Variable]*variable) map[string]placed {
	var facts map[string]placed
	for at, v := range folded {
		if !slices.ContainsFunc(v.links, crosses) {
			continue
		}
		if facts == nil {
			facts = map[string]placed{}
		}
		for _, f := range v.facts {
			facts[string(f.ID)] = placed{f, at}
		}
	}
	return facts
}

// joinGroup makes one state of the variables. It is named by the relation whose
// first fact is the earliest in valid time.
func joinGroup(group []daybook.Variable, folded map[daybook.Variable]*variable) *joint {
	if len(group) == 1 {
		return &joint{group[0].Subject, []string{group[0].Relation}, folded[group[0]]}
	}
	daybook.Sort(group, func(a, b daybook.Variable) int {
		return cmp.Or(folded[a].facts[0].Valid.From.Compare(folded[b].facts[0].Valid.From), cmp.Compare(a.Relation, b.Relation))
	})
	j := &joint{subject: group[0].Subject, variable: &variable{}}
	have := map[daybook.LinkID]bool{}
	for _, at := range group {
		j.relations = append(j.relations, at.Relation)
		j.facts = append(j.facts, folded[at].facts...)
		for _, l := range folded[at].links {
			if !have[l.ID] {
				have[l.ID] = true
				j.links = append(j.links, l)
			}
		}
	}
	slices.Sort(j.relations[1:])
	j.sort()
	return j
}

// joined folds the state that a state variable belongs to, reading only the
// variables that links lead to. It is shared and must not be changed.
func (b *Book) joined(v daybook.Variable) (*joint, error) {
	v.Subject = b.canonical(v.Subject)
	return b.folded(v.Subject, foldKey{relation: v.Relation, whole: true}, func() (*joint, error) {
		j, _, err := b.joinFrom(v, b.variable)
		return j, err
	})
}

// joinFrom joins the variables that links lead to from one, each folded by fold, and
// returns the state that this one belongs to with all that were looked at.
func (b *Book) joinFrom(v daybook.Variable, fold func(daybook.Variable) (*variable, error)) (*joint, map[daybook.Variable]*variable, error) {
	folded := map[daybook.Variable]*variable{}
	for queue := []daybook.Variable{v}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if folded[at] != nil {
			continue
		}
		one, err := fold(at)
		if err != nil {
			return nil, nil, err
		}
		folded[at] = one
		for _, l := range one.links {
			for _, next := range l.About {
				if next.Subject = b.canonical(next.Subject); crosses(l) && next.Subject == v.Subject {
					queue = append(queue, next)
				}
			}
		}
	}
	joints := join(folded)
	i := slices.IndexFunc(joints, func(j *joint) bool { return slices.Contains(j.relations, v.Relation) })
	return joints[i], folded, nil
}

// partition groups state variables: each leads to the one that stands for its
// group.
type partition map[daybook.Variable]daybook.Variable

func (p partition) find(v daybook.Variable) daybook.Variable {
	for {
		up, ok := p[v]
		if !ok {
			return v
		}
		v = up
	}
}

func (p partition) unite(a, b daybook.Variable) {
	if a, b = p.find(a), p.find(b); a != b {
		p[a] = b
	}
}
