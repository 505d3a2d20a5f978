package graph

import (
	"cmp"
	"slices"

	"daybook"
)

// Standing is what stands on a note, as ranking needs it.
type Standing struct {
	Events []*daybook.Event // learned from the note, in force
	Facts  []*daybook.Fact
	Ties   []Tie
}

// Tie is an evolution link of one of the events or facts, with the notes that both
// its ends stand on.
type Tie struct {
	Link     daybook.LinkID
	Kind     daybook.LinkKind
	From, To string
	Notes    []daybook.NoteID
}

// Standing returns what stands on a note that is in force, with up to so many ties:
// updates and contradictions first, of these the surest. What it returns is shared
// and must not be changed.
func (b *Book) Standing(note daybook.NoteID, ties int) (s Standing, err error) {
	n := b.neighbourhood()
	s, links, err := n.standing(note)
	if err == nil {
		s.Ties, err = n.ties(links, ties)
	}
	return s, err
}

// Updated is Standing with the updates among those ties alone, which is less to read.
func (b *Book) Updated(note daybook.NoteID, ties int) (s Standing, err error) {
	n := b.neighbourhood()
	s, links, err := n.standing(note)
	links = slices.DeleteFunc(links, func(o *op) bool { return o.Relate.Kind != daybook.Updates }) // they come first in Standing
	if err == nil {
		s.Ties, err = n.ties(links, ties)
	}
	return s, err
}

// standing is what stands on a note, with the evolution links of it, in force or not.
func (n *near) standing(note daybook.NoteID) (s Standing, links []*op, err error) {
	ops, err := n.under(derivedKey(string(note)))
	if err != nil {
		return s, nil, err
	}
	for _, o := range latest(ops) {
		id := o.asserts()
		said, err := n.said(o)
		if err != nil {
			return s, nil, err
		}
		if said == nil {
			continue
		}
		if said.Event != nil {
			s.Events = append(s.Events, said.Event)
		} else if said.Fact != nil {
			s.Facts = append(s.Facts, said.Fact)
		}
		at, err := n.under(idKey(id))
		if err != nil {
			return s, nil, err
		}
		links = append(links, evolutions(at, id)...)
	}
	return s, links, nil
}

// latest are the last operations to assert each id, in order. All that assert an id
// stand under the same keys, so that of what one key leads to the last is the last of
// all.
func latest(ops []*op) (last []*op) {
	at := make(map[string]int, len(ops))
	for _, o := range ops {
		id := o.asserts()
		if id == "" {
			continue
		}
		if i, ok := at[id]; ok {
			last[i] = o
			continue
		}
		at[id] = len(last)
		last = append(last, o)
	}
	return last
}

// said returns what is in force of what an operation asserts, the last to do so.
func (n *near) said(o *op) (*op, error) {
	gone, known := n.book.retractedAt(o.asserts())
	switch {
	case !known:
		return n.alive(o.asserts())
	case before(o.Place, gone):
		return nil, nil
	}
	return o, nil
}

// evolutions are the evolution links at an id, in force or not.
func evolutions(ops []*op, id string) (links []*op) {
	for _, o := range ops {
		if l := o.Relate; l != nil && l.Kind.Evolution() && (l.From == id || l.To == id) {
			links = append(links, o)
		}
	}
	return links
}

// bySay orders links: those that close first, then those that contradict, then what
// else is evolution, then the rest; of each the surest.
func bySay(a, b *op) int {
	return cmp.Or(cmp.Compare(say(a.Relate.Kind), say(b.Relate.Kind)), cmp.Compare(b.Relate.Confidence, a.Relate.Confidence), cmp.Compare(a.Relate.ID, b.Relate.ID))
}

func say(k daybook.LinkKind) int {
	switch {
	case k == daybook.Updates:
		return 0
	case k == daybook.Contradicts:
		return 1
	case k.Evolution():
		return 2
	}
	return 3
}

// edgesOf are the first of the links, each once, that are in force.
func (n *near) edgesOf(links []*op, most int) (edges []edge, err error) {
	links = latest(links)
	slices.SortFunc(links, bySay)
	for _, l := range links {
		if len(edges) == most {
			break
		}
		e, err := n.edge(l)
		if err != nil {
			return nil, err
		}
		if e.op != nil {
			edges = append(edges, e)
		}
	}
	return edges, nil
}

// ties are the first of the links that are in force, with their notes.
func (n *near) ties(links []*op, most int) (ties []Tie, err error) {
	edges, err := n.edgesOf(links, most)
	for _, e := range edges {
		ties = append(ties, Tie{e.Relate.ID, e.Relate.Kind, e.Relate.From, e.Relate.To, slices.Concat(e.from.sources(), e.to.sources())})
	}
	return ties, err
}

// Steps returns up to so many links from and to an event: those of the ledger, and
// those that follow from links between its facts and those of other events. They
// come in the order of bySay.
func (b *Book) Steps(event *daybook.Event, most int) (steps []daybook.LinkView, err error) {
	n, id := b.neighbourhood(), event.ID
	ops, err := n.under(idKey(string(id)))
	if err != nil {
		return nil, err
	}
	var links []*op
	for _, o := range ops {
		if l := o.Relate; l != nil && (l.From == string(id) || l.To == string(id)) {
			links = append(links, o)
		}
	}
	facts, err := n.factsWith(event)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		at, err := n.under(idKey(string(f)))
		if err != nil {
			return nil, err
		}
		links = append(links, evolutions(at, string(f))...)
	}
	edges, err := n.edgesOf(links, most)
	for _, e := range edges {
		l, ok, err := n.step(e)
		if err != nil {
			return nil, err
		}
		if ok && !slices.ContainsFunc(steps, func(s daybook.LinkView) bool { return s.ID == l.ID }) {
			steps = append(steps, l)
		}
	}
	return steps, err
}

// factsWith are the facts that an event asserts and that stand on its notes, in force
// or not: edges are looked at again.
func (n *near) factsWith(e *daybook.Event) (facts []daybook.FactID, err error) {
	for _, source := range e.Sources {
		ops, err := n.under(derivedKey(string(source)))
		if err != nil {
			return nil, err
		}
		for _, o := range ops {
			if o.Fact != nil && o.Fact.Event == e.ID && !slices.Contains(facts, o.Fact.ID) {
				facts = append(facts, o.Fact.ID)
			}
		}
	}
	return facts, nil
}

// step is an edge as a link between events; it is not ok for one between facts of
// the same event.
func (n *near) step(e edge) (l daybook.LinkView, ok bool, err error) {
	if e.from.Fact != nil {
		return n.derivedLink(e)
	}
	l, err = n.linkView(e)
	return l, err == nil, err
}

// ChainSteps returns the links that only follow from the times of events next to one:
// see EventLinks. They take long to find.
func (b *Book) ChainSteps(id daybook.EventID) ([]daybook.LinkView, error) {
	n := b.neighbourhood()
	o, err := n.event(string(id))
	if err != nil || o == nil {
		return nil, err
	}
	return n.chained(o.Event)
}

// sources are the notes that an event or a fact stands on.
func (b body) sources() []daybook.NoteID {
	switch {
	case b.Event != nil:
		return b.Event.Sources
	case b.Fact != nil:
		return b.Fact.Sources
	}
	return nil
}

// EventInForce returns an event that is in force, or nil. It must not be changed.
func (b *Book) EventInForce(id daybook.EventID) (*daybook.Event, error) {
	o, err := b.neighbourhood().event(string(id))
	if err != nil || o == nil {
		return nil, err
	}
	return o.Event, nil
}

// EventsOf returns the first events in force of a session, as they were recorded.
// They must not be changed.
func (b *Book) EventsOf(session string, most int) (events []*daybook.Event, err error) {
	n := b.neighbourhood()
	ops, err := n.under(sessionKey(session))
	for _, o := range ops {
		if o.Event == nil || o.Event.Session != session || len(events) == most {
			continue
		}
		live, err := n.live(o.Event)
		if err != nil {
			return nil, err
		}
		if live {
			events = append(events, o.Event)
		}
	}
	return events, err
}
