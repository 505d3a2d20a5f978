package engine

import (
	"cmp"
	"context"
	"slices"

	"daybook"
	"daybook/extract"
	"daybook/graph"
)

// Limits of what is looked at for one name.
const (
	aliasNames    = 48 // names with one word in common
	aliasSessions = 32 // sessions in which two names may meet
	maxForms      = 8  // longer forms of one name that are compared with each other
)

// resolve finds names of the lesson that stand for entities known by another name,
// or for which more than one entity is known by now, and returns the merges and
// splits to record. What a person merged or split is left as it is. In whatever
// order names arrive, the same are merged in the end.
func (e *Engine) resolve(ctx context.Context, scope daybook.Scope, l lesson, notes []daybook.Note) (ops []daybook.Op, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		r := newResolver(b, l, notes)
		ops, err = r.all()
		return err
	})
	return ops, err
}

// resolver compares names: those of the ledger with those of a lesson that is not
// in it yet.
type resolver struct {
	book     *graph.Book
	fresh    map[daybook.EntityID]daybook.Entity
	words    map[string][]daybook.EntityID // of fresh names
	speakers map[daybook.EntityID]bool     // of the new notes
	sessions map[daybook.EntityID][]string // of the lesson's events, by who takes part
	found    map[string][]daybook.Entity   // by word
}

func newResolver(b *graph.Book, l lesson, notes []daybook.Note) *resolver {
	r := &resolver{
		book: b, fresh: map[daybook.EntityID]daybook.Entity{}, words: map[string][]daybook.EntityID{},
		speakers: map[daybook.EntityID]bool{}, sessions: map[daybook.EntityID][]string{}, found: map[string][]daybook.Entity{},
	}
	for _, op := range l.ops {
		switch {
		case op.Entity != nil:
			r.meet(*op.Entity)
		case op.Event != nil:
			for _, p := range op.Event.Participants {
				if !slices.Contains(r.sessions[p], op.Event.Session) {
					r.sessions[p] = append(r.sessions[p], op.Event.Session)
				}
			}
		}
	}
	for _, n := range notes {
		r.speakers[daybook.EntityNamed(n.Speaker)] = true
	}
	return r
}

func (r *resolver) meet(e daybook.Entity) {
	if _, again := r.fresh[e.ID]; !again {
		for _, w := range graph.NameWords(e.Name) {
			r.words[w] = append(r.words[w], e.ID)
		}
	}
	if old := r.fresh[e.ID]; old.Kind == "" || e.Kind == "person" {
		r.fresh[e.ID] = e
	}
}

// all decides about every name that the lesson may have changed.
func (r *resolver) all() ([]daybook.Op, error) {
	var queue []daybook.EntityID
	done := map[daybook.EntityID]bool{}
	for id := range r.fresh {
		queue = append(queue, id)
	}
	slices.Sort(queue)
	var splits, merges []daybook.Op
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if done[id] {
			continue
		}
		done[id] = true
		e, err := r.entity(id)
		if err != nil {
			return nil, err
		}
		related, err := r.related(e)
		if err != nil {
			return nil, err
		}
		for _, o := range related { // shorter forms may stand for something else now
			if extract.AliasOf(o.Name, e.Name) != extract.NoAlias {
				queue = append(queue, o.ID)
			}
		}
		split, merge, err := r.settle(e, related)
		if err != nil {
			return nil, err
		}
		splits, merges = append(splits, split...), append(merges, merge...)
	}
	return append(splits, merges...), nil
}

// settle returns the operations that make a name stand for what it should.
func (r *resolver) settle(e daybook.Entity, related []daybook.Entity) (split, merge []daybook.Op, err error) {
	known, merged, err := r.book.KnownAs(e.ID)
	if err != nil || merged && !graph.Ruled(known.Why) {
		return nil, nil, err
	}
	target, alias, err := r.decide(e, related, known.Into)
	if err != nil || merged && known.Into == target {
		return nil, nil, err
	}
	if merged {
		why := "rule:name more than one entity is known by a longer form"
		split = []daybook.Op{{Split: &daybook.Split{Entity: e.ID, Why: why}}}
	}
	if target != "" {
		merge = []daybook.Op{{Merge: &daybook.Merge{From: e.ID, Into: target, Why: "rule:" + string(alias) + " " + reasons[alias]}}}
	}
	return split, merge, nil
}

// reasons keep content out of what is written to the ledger.
var reasons = map[extract.Alias]string{
	extract.Possessive: "the same name with a possessive ending",
	extract.Titled:     "the same name with a title before it",
	extract.Kin:        "another word for the same tie",
	extract.Surname:    "the surname of the only such person",
	extract.FirstName:  "the first name of the only such person",
	extract.Nickname:   "a short form of the only such name",
	extract.Acronym:    "the initials of the only such name",
}

// form is an entity whose name another is a form of.
type form struct {
	daybook.Entity
	alias extract.Alias
}

// decide says which entity a name stands for, if it is another's; merged is the
// one that it was merged into before.
func (r *resolver) decide(e daybook.Entity, related []daybook.Entity, merged daybook.EntityID) (daybook.EntityID, extract.Alias, error) {
	forms := formsOf(e, related)
	if i := slices.IndexFunc(forms, func(f form) bool { return f.alias.Sure() }); i >= 0 {
		return forms[i].ID, forms[i].alias, nil
	}
	speaks, err := r.speaks(e)
	if err != nil || speaks || len(forms) == 0 {
		return "", "", err // who speaks under a name is nobody else
	}
	var speakers []form
	for _, f := range forms {
		if speaks, err := r.speaks(f.Entity); err != nil {
			return "", "", err
		} else if speaks {
			speakers = append(speakers, f)
		}
	}
	switch {
	case len(speakers) == 1:
		return speakers[0].ID, speakers[0].alias, nil
	case len(forms) > 1:
		return "", "", nil
	}
	if forms[0].ID != merged && forms[0].alias != extract.Acronym {
		if meet, err := r.meets(e.ID, forms[0].ID); err != nil || !meet {
			return "", "", err
		}
	}
	return forms[0].ID, forms[0].alias, nil
}

// formsOf returns the entities whose names e is a form of, without those that it
// is a form of only by way of another. Sure ones come first.
func formsOf(e daybook.Entity, related []daybook.Entity) (forms []form) {
	for _, f := range related {
		if a := extract.AliasOf(e.Name, f.Name); a.Sure() || a == extract.Acronym || a != extract.NoAlias && persons(e, f) {
			forms = append(forms, form{f, a})
		}
	}
	if len(forms) <= maxForms { // of more, none is meant for certain
		forms = slices.DeleteFunc(slices.Clone(forms), func(f form) bool {
			return slices.ContainsFunc(forms, func(g form) bool { return extract.AliasOf(g.Name, f.Name) != extract.NoAlias })
		})
	}
	daybook.Sort(forms, func(a, b form) int {
		if a.alias.Sure() != b.alias.Sure() {
			return map[bool]int{true: -1, false: 1}[a.alias.Sure()]
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return forms
}

// persons reports whether both may be persons and one is.
func persons(a, b daybook.Entity) bool {
	may := func(e daybook.Entity) bool { return e.Kind == "" || e.Kind == "person" }
	return may(a) && may(b) && (a.Kind == "person" || b.Kind == "person")
}

// related returns the entities whose names have to do with a name, itself left out.
func (r *resolver) related(e daybook.Entity) (all []daybook.Entity, err error) {
	for _, w := range extract.AliasWords(e.Name) {
		found, err := r.with(w)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f.ID != e.ID && !slices.ContainsFunc(all, func(o daybook.Entity) bool { return o.ID == f.ID }) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// with returns the entities with a word in their name.
func (r *resolver) with(word string) ([]daybook.Entity, error) {
	if found, ok := r.found[word]; ok {
		return found, nil
	}
	found, err := r.book.WithWord(word, aliasNames)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if f, ok := r.fresh[found[i].ID]; ok && f.Kind == "person" {
			found[i].Kind = f.Kind
		}
	}
	for _, id := range r.words[word] {
		if !slices.ContainsFunc(found, func(o daybook.Entity) bool { return o.ID == id }) {
			found = append(found, r.fresh[id])
		}
	}
	r.found[word] = found
	return found, nil
}

func (r *resolver) entity(id daybook.EntityID) (daybook.Entity, error) {
	e, err := r.book.Entity(id)
	if f, ok := r.fresh[id]; ok && (e.Name == "" || f.Kind == "person") {
		return f, err
	}
	return e, err
}

func (r *resolver) speaks(e daybook.Entity) (bool, error) {
	if r.speakers[e.ID] {
		return true, nil
	}
	return r.book.Speaks(e.Name)
}

// meets reports whether two entities take part in events of one session.
func (r *resolver) meets(a, b daybook.EntityID) (bool, error) {
	known, err := r.book.SessionsOf(a, aliasSessions)
	if err != nil {
		return false, err
	}
	for _, s := range append(slices.Clone(r.sessions[a]), known...) {
		if slices.Contains(r.sessions[b], s) {
			return true, nil
		}
		if in, err := r.book.InSession(b, s); err != nil || in {
			return in, err
		}
	}
	return false, nil
}
