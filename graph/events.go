package graph

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// EventSelect narrows a read of events. Empty fields do not narrow.
type EventSelect struct {
	Subject string       // a name or an entity id that takes part
	Session string       // the conversation
	Note    string       // learned from this note, by our id or the caller's
	Between daybook.Span // happens in this span, or reaches into it
}

// Events returns the events in force that the selection names, in the order of
// their time, each with its validity at the book's valid time. A note that is not
// there is NotFound.
func (b *Book) Events(sel EventSelect) ([]daybook.EventView, error) {
	keys, err := b.eventKeysFor(&sel)
	if err != nil {
		return nil, err
	}
	return b.eventsUnder(keys, func(e *daybook.Event) bool { return b.selects(sel, e) })
}

// SessionEvents returns the events of one session in force, in the order of their
// time. The session without a name is one too.
func (b *Book) SessionEvents(session string) ([]daybook.EventView, error) {
	return b.eventsUnder([]store.Key{sessionKey(session)}, func(e *daybook.Event) bool { return e.Session == session })
}

func (b *Book) eventsUnder(keys []store.Key, wanted func(*daybook.Event) bool) ([]daybook.EventView, error) {
	n := b.neighbourhood()
	var found []*op
	seen := map[daybook.EventID]bool{}
	for _, key := range keys {
		for o, err := range b.ops(key) {
			if err != nil {
				return nil, err
			}
			if o.Event == nil || seen[o.Event.ID] || !wanted(o.Event) {
				continue
			}
			seen[o.Event.ID] = true
			said, err := n.event(string(o.Event.ID))
			if err != nil {
				return nil, err
			}
			if said != nil {
				found = append(found, said)
			}
		}
	}
	return n.views(found)
}

// eventsWith are events in force in which an entity takes part, by any of its names, of
// the first so many that were recorded.
func (b *Book) eventsWith(entity daybook.EntityID, most int) (events []*daybook.Event, err error) {
	n := b.neighbourhood()
	seen := map[daybook.EventID]bool{}
	for _, one := range b.aliases(entity) {
		for o, err := range b.ops(participantKey(one)) {
			if err != nil || len(seen) == most {
				return events, err
			}
			if o.Event == nil || seen[o.Event.ID] {
				continue
			}
			seen[o.Event.ID] = true
			live, err := n.live(o.Event)
			if err != nil {
				return nil, err
			}
			if live {
				events = append(events, o.Event)
			}
		}
	}
	return events, nil
}

// eventKeysFor chooses the narrowest key for the selection, and puts our own id of
// the note into it. Without a key, everything is read at once.
func (b *Book) eventKeysFor(sel *EventSelect) (keys []store.Key, err error) {
	switch {
	case sel.Note != "":
		note, err := b.Note(sel.Note)
		if err != nil {
			return nil, err
		}
		sel.Note = string(note.ID)
		return []store.Key{derivedKey(sel.Note)}, nil
	case sel.Subject != "":
		for _, e := range b.aliases(b.Subject(sel.Subject)) {
			keys = append(keys, participantKey(e))
		}
		return keys, nil
	case sel.Session != "":
		return []store.Key{sessionKey(sel.Session)}, nil
	}
	return []store.Key{kindKey('v')}, b.neighbourhood().readAll()
}

func (b *Book) selects(sel EventSelect, e *daybook.Event) bool {
	if sel.Session != "" && e.Session != sel.Session {
		return false
	}
	if sel.Note != "" && !slices.Contains(e.Sources, daybook.NoteID(sel.Note)) {
		return false
	}
	if sel.Subject != "" {
		subject := b.Subject(sel.Subject)
		if !slices.ContainsFunc(e.Participants, func(p daybook.EntityID) bool { return b.canonical(p) == subject }) {
			return false
		}
	}
	return meets(e.Time, sel.Between)
}

// meets reports whether something that happened at a time did so in the window,
// in part at least. Without an end it took as long as its granularity says. What
// has no time meets only the window that is open at both ends.
func meets(at, window daybook.Span) bool {
	if window.From.IsZero() && window.Until.IsZero() {
		return true
	}
	if at.From.IsZero() && at.Until.IsZero() {
		return false
	}
	until := at.Until
	if until.IsZero() {
		until = at.Granularity.End(at.From)
	}
	begun := window.Until.IsZero() || at.From.Before(window.Until)
	return begun && (until.After(window.From) || at.From.Equal(window.From))
}

// Event returns one event with its validity. It is NotFound when it is not in
// force.
func (b *Book) Event(id daybook.EventID) (daybook.EventView, error) {
	n := b.neighbourhood()
	o, err := n.event(string(id))
	if err != nil {
		return daybook.EventView{}, err
	}
	if o == nil {
		return daybook.EventView{}, daybook.Errorf(daybook.NotFound, "no event %q in this scope", id)
	}
	return n.view(o)
}

// views looks at events, and orders them by their time.
func (n *near) views(events []*op) ([]daybook.EventView, error) {
	slices.SortFunc(events, func(x, y *op) int {
		return cmp.Or(x.Event.Time.From.Compare(y.Event.Time.From), cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Pos, y.Pos))
	})
	views := make([]daybook.EventView, len(events))
	for i, o := range events {
		var err error
		if views[i], err = n.view(o); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// view works out the validity of one event (1, 0.5 or 0) at the book's valid time.
// What a superseded event caused or enabled is doubtful: one step on, no further.
func (n *near) view(o *op) (v daybook.EventView, err error) {
	m, err := n.book.mark(o.Seq)
	if err != nil {
		return v, err
	}
	v = daybook.EventView{Event: *o.Event, RecordedAt: m.recordedAt, Validity: 1}
	s, err := n.superseded(o.Event)
	if err != nil {
		return v, err
	}
	v.ValidUntil = s.at
	if s.ended(n.book.validAt) {
		v.Validity, v.Reason = 0, s.reason()
		return v, nil
	}
	edges, err := n.edges(string(o.Event.ID))
	for _, e := range edges {
		if e.Relate.To != string(o.Event.ID) || e.Relate.Kind != daybook.Causes && e.Relate.Kind != daybook.Enables {
			continue
		}
		cause, err := n.superseded(e.from.Event)
		if err != nil {
			return v, err
		}
		if cause.ended(n.book.validAt) {
			v.Validity, v.Reason = 0.5, fmt.Sprintf("it %s, which was superseded on %s", leadFrom[e.Relate.Kind]+" "+e.Relate.From, cause.at.Format(time.DateOnly))
			break
		}
	}
	return v, err
}

var leadFrom = map[daybook.LinkKind]string{daybook.Causes: "was caused by", daybook.Enables: "was enabled by"}

// ended reports whether the event no longer stands at a time.
func (s supersession) ended(t time.Time) bool { return !s.at.IsZero() && !t.Before(s.at) }

func (s supersession) reason() string {
	if s.facts {
		return fmt.Sprintf("all that it asserts was superseded, last by %s on %s", s.by, s.at.Format(time.DateOnly))
	}
	return fmt.Sprintf("superseded by %s on %s", s.by, s.at.Format(time.DateOnly))
}

// EventLinks returns the links from and to an event: those in the ledger, the
// evolution links that follow from links between its facts and those of other
// events, and the before links that follow from the anchors of events next to it
// in time. It is NotFound for an event that is not in force.
func (b *Book) EventLinks(id daybook.EventID) ([]daybook.LinkView, error) {
	links, o, err := b.statedLinks(id)
	if err != nil {
		return nil, err
	}
	chained, err := b.neighbourhood().chained(o.Event)
	return addLinks(links, chained), err
}

func (b *Book) statedLinks(id daybook.EventID) ([]daybook.LinkView, *op, error) {
	n := b.neighbourhood()
	o, err := n.event(string(id))
	if err == nil && o == nil {
		err = daybook.Errorf(daybook.NotFound, "no event %q in this scope", id)
	}
	if err != nil {
		return nil, nil, err
	}
	links, err := n.linksAt(string(id))
	if err != nil {
		return nil, nil, err
	}
	derived, err := n.derivedLinks(id)
	return addLinks(links, derived), o, err
}

// addLinks puts in the links that are not there yet, all in order.
func addLinks(links, more []daybook.LinkView) []daybook.LinkView {
	for _, d := range more {
		if !slices.ContainsFunc(links, func(l daybook.LinkView) bool { return l.ID == d.ID }) {
			links = append(links, d)
		}
	}
	sortLinks(links)
	return links
}

func sortLinks(links []daybook.LinkView) {
	daybook.Sort(links, func(a, b daybook.LinkView) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), cmp.Compare(a.ID, b.ID))
	})
}

// linksAt returns the links of the ledger at either end of an event or a fact.
func (n *near) linksAt(id string) (links []daybook.LinkView, err error) {
	edges, err := n.edges(id)
	for _, e := range edges {
		l, err := n.linkView(e)
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return links, err
}

func (n *near) linkView(e edge) (l daybook.LinkView, err error) {
	m, err := n.book.mark(e.Seq)
	if err != nil {
		return l, err
	}
	l = daybook.LinkView{Link: *e.Relate, RecordedAt: m.recordedAt}
	if e.from.Event != nil && (l.Kind == daybook.Causes || l.Kind == daybook.Enables || l.Kind == daybook.Prevents) {
		s, err := n.superseded(e.from.Event)
		if err != nil {
			return l, err
		}
		l.InvalidatedAt = s.at
	}
	return l, nil
}

// derivedLinks turns the evolution links of an event's facts into links of the
// events that assert the facts, one of each kind between two events: the one that
// was recorded first.
func (n *near) derivedLinks(id daybook.EventID) (links []daybook.LinkView, err error) {
	facts, err := n.factsOf(id)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		edges, err := n.edges(string(f.Fact.ID))
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			l, ok, err := n.derivedLink(e)
			if err != nil {
				return nil, err
			}
			if ok {
				links = append(links, l)
			}
		}
	}
	daybook.Sort(links, func(a, b daybook.LinkView) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.RecordedAt.Compare(b.RecordedAt), cmp.Compare(a.Of, b.Of))
	})
	return slices.CompactFunc(links, func(a, b daybook.LinkView) bool { return a.ID == b.ID }), nil
}

func (n *near) derivedLink(e edge) (l daybook.LinkView, ok bool, err error) {
	from, to := e.from.Fact.Event, e.to.Fact.Event
	if !e.Relate.Kind.Evolution() || from == to {
		return l, false, nil
	}
	for _, id := range []daybook.EventID{from, to} {
		if o, err := n.event(string(id)); err != nil || o == nil {
			return l, false, err
		}
	}
	if l, err = n.linkView(e); err != nil {
		return l, false, err
	}
	l.Of, l.From, l.To, l.About = l.ID, string(from), string(to), nil
	l.Link = l.Named()
	return l, true, nil
}

// Learned returns all that stands on a note, given by our id or the caller's. It
// is NotFound when the note is not in force.
func (b *Book) Learned(note string) (l daybook.Learned, err error) {
	l, chained, err := b.stated(note)
	if err != nil {
		return l, err
	}
	seen := map[daybook.LinkID]bool{}
	for _, k := range l.Links {
		seen[k.ID] = true
	}
	more, err := b.neighbourhood().chains(chained, seen)
	l.Links = append(l.Links, more...)
	return l, err
}

// stated is Learned without the before links that only follow from the times of
// events. It also returns the events and facts as they stand in the ledger.
func (b *Book) stated(note string) (l daybook.Learned, stand []*op, err error) {
	if l.Note, err = b.Note(note); err != nil {
		return l, nil, err
	}
	enriched, known, err := b.Enriched(l.Note.ID)
	if err != nil {
		return l, nil, err
	}
	if known {
		l.Enriched = &enriched
	}
	n := b.neighbourhood()
	events, facts, err := n.standOn(l.Note.ID)
	if err != nil {
		return l, nil, err
	}
	if l.Events, err = n.views(events); err != nil {
		return l, nil, err
	}
	l.Facts, l.Links = []daybook.RecordedFact{}, []daybook.LinkView{}
	for _, o := range facts {
		f, err := b.recorded(o.Fact, o.Seq)
		if err != nil {
			return l, nil, err
		}
		l.Facts = append(l.Facts, f)
	}
	stand = append(events, facts...)
	l.Links, err = n.linksOf(stand)
	return l, stand, err
}

// standOn returns the events that were learned from a note, and the facts that
// were, or that one of those events asserts.
func (n *near) standOn(note daybook.NoteID) (events, facts []*op, err error) {
	ops, err := n.under(derivedKey(string(note)))
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	add := func(o *op) error {
		id := o.asserts()
		if id == "" || seen[id] {
			return nil
		}
		seen[id] = true
		said, err := n.alive(id)
		switch {
		case err != nil || said == nil:
			return err
		case said.Event != nil:
			events = append(events, said)
		case said.Fact != nil:
			facts = append(facts, said)
		}
		return nil
	}
	for _, o := range ops {
		if err := add(o); err != nil {
			return nil, nil, err
		}
	}
	for _, e := range events {
		more, err := n.factsOf(e.Event.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range more {
			if err := add(o); err != nil {
				return nil, nil, err
			}
		}
	}
	return events, facts, nil
}

// linksOf returns the links of the ledger at either end of any of the events and
// facts.
func (n *near) linksOf(ops []*op) ([]daybook.LinkView, error) {
	all := []daybook.LinkView{}
	seen := map[daybook.LinkID]bool{}
	for _, o := range ops {
		links, err := n.linksAt(o.asserts())
		if err != nil {
			return nil, err
		}
		all = appendUnseen(all, links, seen)
	}
	sortLinks(all)
	return all, nil
}

// appendUnseen appends the links that were not seen yet, and marks them as seen.
func appendUnseen(all, links []daybook.LinkView, seen map[daybook.LinkID]bool) []daybook.LinkView {
	for _, l := range links {
		if !seen[l.ID] {
			seen[l.ID] = true
			all = append(all, l)
		}
	}
	return all
}

// chains returns the links of the chains through any of the events, without those
// that were seen.
func (n *near) chains(ops []*op, seen map[daybook.LinkID]bool) (all []daybook.LinkView, err error) {
	for _, o := range ops {
		if o.Event == nil {
			continue
		}
		links, err := n.chained(o.Event)
		if err != nil {
			return nil, err
		}
		all = appendUnseen(all, links, seen)
	}
	sortLinks(all)
	return all, nil
}

// FactsNaming returns the facts in force of a subject whose object is the given one; none
// where there are more than most facts with that object.
func (b *Book) FactsNaming(subject daybook.EntityID, object string, most int) (facts []*daybook.Fact, err error) {
	ops, _, err := b.neighbourhood().few(objectKey(daybook.EntityNamed(object)), most)
	for _, o := range ops {
		if o.Fact == nil || o.Fact.Subject != subject {
			continue
		}
		said, err := b.neighbourhood().asserted(string(o.Fact.ID))
		if err != nil {
			return nil, err
		}
		if said != nil && said.Fact != nil {
			facts = append(facts, said.Fact)
		}
	}
	return facts, err
}
