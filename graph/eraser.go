package graph

import (
	"maps"
	"slices"
	"strings"

	"daybook"
	"daybook/store"
)

// eraser collects what is to be erased. Reverted and retracted operations are
// erased too: they are in the ledger.
type eraser struct {
	book    *Book
	places  map[store.Place]bool
	ids     map[string]bool // what the erased operations assert
	commits map[uint64]bool // commits that lose content
	queue   []string        // ids whose dependents are still to be followed
	spares  bool            // facts with other evidence live on
	named   map[string]bool // ids that were asked for; they never live on
	session string          // the session that is forgotten
	names   map[string]bool // under which the entity that is forgotten is known
	// subjects are entities that erased operations speak of.
	subjects []daybook.EntityID
}

func (e *eraser) take(o *op) {
	if e.places[o.Place] || o.Erase != nil {
		return
	}
	e.places[o.Place] = true
	e.commits[o.Seq] = true
	if o.Fact != nil {
		e.subjects = append(e.subjects, o.Fact.Subject, daybook.EntityNamed(o.Fact.Object))
	}
	if o.Event != nil {
		e.subjects = append(e.subjects, o.Event.Participants...)
	}
	if id := o.asserts(); id != "" && !e.ids[id] {
		e.ids[id] = true
		e.queue = append(e.queue, id)
	}
}

func (e *eraser) choose(f Forget) (string, error) {
	switch {
	case f.All:
		return "scope", e.takeWhere(func(*op) bool { return true })
	case f.Session != "":
		e.session = f.Session
		return "session", e.takeKey(sessionKey(f.Session), "session "+f.Session)
	case f.Entity != "":
		return "entity", e.takeEntity(f.Entity)
	case f.Tree != "":
		return "tree", e.takeKey(treeKey(f.Tree), "tree "+f.Tree)
	case len(f.IDs) > 0:
		for _, id := range f.IDs {
			if err := e.takeID(id); err != nil {
				return "", err
			}
		}
		return "id", nil
	}
	return "", daybook.Errorf(daybook.Invalid, "forget: name an id, a session, an entity, a tree or the whole scope")
}

func (e *eraser) takeKey(key store.Key, what string) error {
	found := false
	for o, err := range e.book.raw(key) {
		if err != nil {
			return err
		}
		found = true
		e.take(o)
	}
	if !found {
		return daybook.Errorf(daybook.NotFound, "forget: %s is not in this scope", what)
	}
	return nil
}

func (e *eraser) takeID(id string) error {
	if strings.HasPrefix(id, daybook.EntityPrefix) {
		return daybook.Errorf(daybook.Invalid, "forget: %s is an entity; forget it with --entity", id)
	}
	e.named[id] = true
	err := e.takeKey(idKey(id), id)
	if daybook.KindOf(err) == daybook.NotFound {
		named := string(daybook.Note{SourceID: id}.Named().ID)
		err = e.takeKey(idKey(named), id)
	}
	return err
}

// takeEntity takes the entity under all its names, and every operation that
// mentions one of them.
func (e *eraser) takeEntity(name string) error {
	b := e.book
	id := b.Subject(name)
	names := map[string]bool{}
	if !strings.HasPrefix(name, daybook.EntityPrefix) {
		names[strings.TrimSpace(name)] = true
	}
	for _, alias := range b.aliases(id) {
		for _, key := range []store.Key{subjectKey(alias), participantKey(alias), objectKey(alias), mergeKey(alias), idKey(string(alias))} {
			for o, err := range b.raw(key) {
				if err != nil {
					return err
				}
				if o.Entity != nil {
					names[o.Entity.Name] = true // a reverted declaration names it too
				}
				e.take(o)
				if err := e.takeSources(o); err != nil {
					return err
				}
			}
		}
	}
	e.names = names
	err := e.takeWhere(func(o *op) bool {
		for n := range names {
			if o.mentions(n) {
				return true
			}
		}
		return false
	})
	if err == nil && len(e.places) == 0 {
		err = daybook.Errorf(daybook.NotFound, "forget: nothing in this scope names %q", name)
	}
	return err
}

// takeSources takes the notes that an event or fact about the entity was learned
// from.
func (e *eraser) takeSources(o *op) error {
	var sources []daybook.NoteID
	if o.Event != nil {
		sources = o.Event.Sources
	} else if o.Fact != nil {
		sources = o.Fact.Sources
	}
	for _, id := range sources {
		for n, err := range e.book.raw(idKey(string(id))) {
			if err != nil {
				return err
			}
			e.take(n)
		}
	}
	return nil
}

func (e *eraser) takeWhere(match func(*op) bool) error {
	for c, err := range e.book.r.Contents(store.UpTo(e.book.head.Seq)) {
		if err != nil {
			return err
		}
		o, err := decode(c)
		if err != nil {
			return err
		}
		if match(o) {
			e.take(o)
		}
	}
	return nil
}

// follow takes what was derived from the erased operations, and what speaks of
// them by id.
func (e *eraser) follow() error {
	for len(e.queue) > 0 {
		id := e.queue[0]
		e.queue = e.queue[1:]
		for _, key := range []store.Key{derivedKey(id), idKey(id)} {
			for o, err := range e.book.raw(key) {
				if err != nil {
					return err
				}
				e.take(o)
			}
		}
		if len(e.queue) == 0 {
			if err := e.takeOrphans(); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOrphans takes the declarations of entities that nothing speaks of any
// more.
func (e *eraser) takeOrphans() error {
	for _, id := range e.subjects {
		if e.ids[string(id)] {
			continue
		}
		left, err := e.spokenOf(id)
		if err != nil {
			return err
		}
		if left {
			continue
		}
		for _, key := range []store.Key{idKey(string(id)), mergeKey(id)} {
			for o, err := range e.book.raw(key) {
				if err != nil {
					return err
				}
				e.take(o)
			}
		}
	}
	e.subjects = nil
	return nil
}

func (e *eraser) spokenOf(id daybook.EntityID) (bool, error) {
	for _, key := range []store.Key{subjectKey(id), participantKey(id), objectKey(id)} {
		for o, err := range e.book.raw(key) {
			if err != nil || !e.places[o.Place] {
				return true, err
			}
			if _, lives, err := e.survivor(o); err != nil || lives {
				return true, err
			}
		}
	}
	return false, nil
}

// plan reads the contents that will go and works out which facts live on.
func (e *eraser) plan(selector string) (*Plan, error) {
	p := &Plan{Selector: selector, Counts: map[string]int{}}
	renamed := map[string]string{} // erased facts that live on, under their new ids
	var links []daybook.Link
	for _, seq := range slices.Sorted(maps.Keys(e.commits)) {
		for c, err := range e.book.r.Contents(store.Range{From: seq, To: seq}) {
			if err != nil {
				return nil, err
			}
			o, err := decode(c)
			if err != nil {
				return nil, err
			}
			if !e.places[c.Place] && o.kind() != 0 {
				continue // a message goes with any operation of its commit
			}
			c.Keys = o.keys()
			p.targets = append(p.targets, c)
			if o.kind() != 0 {
				p.Counts[kindNames[o.kind()]]++
			}
			f, lives, err := e.survivor(o)
			if err != nil {
				return nil, err
			}
			if lives {
				p.kept = append(p.kept, f)
				renamed[string(o.Fact.ID)] = string(f.Named().ID)
			}
			if o.Relate != nil {
				links = append(links, *o.Relate)
			}
			if o.Tree != nil && len(e.names) > 0 {
				rest, left, err := e.restOfTree(o)
				if err != nil {
					return nil, err
				}
				if left {
					p.trees = append(p.trees, rest)
				}
			}
		}
	}
	return p, e.keepLinks(p, links, renamed)
}

// keepLinks lets a judgement live on whose facts do, without its justification.
// Rules make theirs again.
func (e *eraser) keepLinks(p *Plan, links []daybook.Link, renamed map[string]string) error {
	for _, l := range links {
		said, err := e.book.alive(string(l.ID))
		if err != nil {
			return err
		}
		from, ok, err := e.livesAs(l.From, renamed)
		if err != nil {
			return err
		}
		to, both, err := e.livesAs(l.To, renamed)
		if err != nil {
			return err
		}
		if said == nil || !ok || !both || e.named[string(l.ID)] || l.By == judgeName {
			continue
		}
		p.links = append(p.links, daybook.Link{Kind: l.Kind, From: from, To: to, Confidence: l.Confidence, By: l.By})
	}
	return nil
}

// livesAs returns the id under which a fact is there after the erasure, if it is.
func (e *eraser) livesAs(id string, renamed map[string]string) (string, bool, error) {
	if as, ok := renamed[id]; ok {
		return as, true, nil
	}
	o, err := e.book.alive(id)
	return id, o != nil && o.Fact != nil && !e.ids[id], err
}

// survivor returns the form in which an erased fact lives on: if other notes
// support it, with those notes alone and without its context, which may have
// come from an erased note.
func (e *eraser) survivor(o *op) (daybook.Fact, bool, error) {
	if o.Fact == nil || !e.spares || e.ids[string(o.Fact.Event)] || e.named[string(o.Fact.ID)] {
		return daybook.Fact{}, false, nil
	}
	f := *o.Fact
	if f.Event != "" {
		if event, err := e.book.alive(string(f.Event)); err != nil || event == nil {
			return daybook.Fact{}, false, err
		}
	}
	f.Sources = nil
	for _, n := range o.Fact.Sources {
		note, err := e.book.alive(string(n))
		if err != nil {
			return daybook.Fact{}, false, err
		}
		if note != nil && !e.ids[string(n)] {
			f.Sources = append(f.Sources, n)
		}
	}
	f.Context = daybook.Context{}
	if f.Session == e.session {
		f.Session = ""
	}
	alive, err := e.book.alive(string(f.ID))
	return f, alive != nil && len(f.Sources) > 0 && len(f.Sources) < len(o.Fact.Sources), err
}
