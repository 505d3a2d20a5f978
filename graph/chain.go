package graph

import (
	"cmp"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// Events of one participant follow each other in time. The links of that chain,
// "before", are read out of the anchors of events and are not in the ledger: they
// come out the same in whatever order events arrive, and heal when one goes.
const (
	// chainReach events on either side of an event are candidates.
	chainReach = 10
	// chainMonths is how far apart, in months, neighbours of a chain may lie.
	chainMonths = 60
	// chainOverlap is how much of their participants two events must share: the
	// size of the intersection over that of the union.
	chainOverlap = 0.3
	// chainMembers of an event have chains that are followed.
	chainMembers = 8
)

// byAnchors says who judged a link of the chain.
const byAnchors = "rule:anchors"

// chained returns the links of the chains through an event: from the events that
// end before it and to those that begin after it, next to it in time, among those
// that share participants with it.
func (n *near) chained(e *daybook.Event) (links []daybook.LinkView, err error) {
	if !inTime(e) {
		return nil, nil
	}
	seen := map[daybook.LinkID]bool{}
	for _, p := range e.Participants[:min(len(e.Participants), chainMembers)] {
		chain, at, err := n.chain(n.book.canonical(p), e)
		if err != nil {
			return nil, err
		}
		for _, l := range n.book.neighbours(chain, at) {
			if !seen[l.ID] {
				seen[l.ID] = true
				links = append(links, l)
			}
		}
	}
	for i := range links { // known once both its events are
		if links[i].RecordedAt, err = n.laterOf(links[i].From, links[i].To); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// inTime reports whether an event has a place in time: it has an anchor, and is
// not said to be unreal. A plan has one only when it says for when.
func inTime(e *daybook.Event) bool {
	switch e.Modality {
	case daybook.Negated, daybook.Hypothetical, daybook.Wished:
		return false
	case daybook.Planned:
		return !e.Time.From.IsZero() && e.Time.Known != daybook.Spoken && e.Time.Known != daybook.Assumed
	}
	return !e.Time.From.IsZero()
}

// ends is the first instant that certainly lies after the event's anchor.
func ends(s daybook.Span) time.Time {
	if s.Until.IsZero() {
		return s.Granularity.End(s.From)
	}
	return s.Until
}

// precedes reports whether one anchor lies before another. Anchors that are equal
// or overlap have no order.
func precedes(a, b daybook.Span) bool {
	return a.From.Before(b.From) && !ends(a).After(b.From)
}

func (n *near) laterOf(ids ...string) (last time.Time, err error) {
	for _, id := range ids {
		o, err := n.event(id)
		if err != nil || o == nil {
			return last, err
		}
		m, err := n.book.mark(o.Seq)
		if err != nil {
			return last, err
		}
		if m.recordedAt.After(last) {
			last = m.recordedAt
		}
	}
	return last, nil
}

// neighbours links the event at a place of a chain with those around it: with the
// first that begins after its end, and with each of which it is the last that
// ended before; and the same backwards.
func (b *Book) neighbours(chain []*daybook.Event, at int) (links []daybook.LinkView) {
	links = b.follow(links, chain, at)
	for w := max(0, at-chainReach); w < at; w++ {
		if b.adjoins(chain, w, at) {
			links = append(links, chainLink(chain[w], chain[at]))
		}
	}
	return links
}

func (b *Book) follow(links []daybook.LinkView, chain []*daybook.Event, at int) []daybook.LinkView {
	for y := at + 1; y < len(chain) && y <= at+chainReach; y++ {
		if b.adjoins(chain, at, y) {
			links = append(links, chainLink(chain[at], chain[y]))
		}
	}
	return links
}

// adjoins reports whether no event of the chain lies between x and y for one of
// the two: y is the first that x precedes, or x the last that precedes y.
func (b *Book) adjoins(chain []*daybook.Event, x, y int) bool {
	if !b.ordered(chain[x], chain[y]) {
		return false
	}
	first, last := true, true
	for w := x + 1; w < y && (first || last); w++ {
		first = first && !b.ordered(chain[x], chain[w])
		last = last && !b.ordered(chain[w], chain[y])
	}
	return first || last
}

// ordered reports whether x comes before y and has enough participants in common
// with it.
func (b *Book) ordered(x, y *daybook.Event) bool {
	return precedes(x.Time, y.Time) && b.overlap(x, y) >= chainOverlap
}

// overlap is the Jaccard index of the participants of two events.
func (b *Book) overlap(x, y *daybook.Event) float64 {
	one := b.known(x.Participants)
	two := b.known(y.Participants)
	shared := 0
	for _, p := range one {
		if slices.Contains(two, p) {
			shared++
		}
	}
	return float64(shared) / float64(max(1, len(one)+len(two)-shared))
}

// known are entities under the ids that they are known as, each once.
func (b *Book) known(entities []daybook.EntityID) []daybook.EntityID {
	ids := make([]daybook.EntityID, len(entities))
	for i, e := range entities {
		ids[i] = b.canonical(e)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func chainLink(x, y *daybook.Event) daybook.LinkView {
	l := daybook.Link{Kind: daybook.Before, From: string(x.ID), To: string(y.ID), Confidence: 1, By: byAnchors, Why: "its time ends before the other's begins"}
	if x.Time.Known == daybook.Spoken || y.Time.Known == daybook.Spoken {
		l.Confidence, l.Why = 0.8, "by the time at which it was said"
	}
	return daybook.LinkView{Link: l.Named()}
}

// chain returns events in force of a participant around an event, in the order of
// their anchors, and the event's place among them: up to chainReach on either side
// of it, as many as lie within reach.
func (n *near) chain(p daybook.EntityID, e *daybook.Event) ([]*daybook.Event, int, error) {
	walk := chainWalk{near: n, names: n.book.aliases(p)}
	few, err := walk.few()
	if err != nil {
		return nil, 0, err
	}
	key := func(name daybook.EntityID) store.Key { return participantKey(name) }
	if !few {
		key = func(name daybook.EntityID) store.Key { return dayKey(name, e.Time.From) }
	}
	events, err := walk.under(key)
	at := slices.IndexFunc(events, func(x *daybook.Event) bool { return x.ID == e.ID })
	if err != nil || at < 0 {
		return nil, 0, err
	}
	slices.Reverse(events[:at])
	earlier, err := walk.side(events[:at], e, -1, few)
	if err != nil {
		return nil, 0, err
	}
	later, err := walk.side(events[at+1:], e, +1, few)
	slices.Reverse(earlier)
	return slices.Concat(earlier, []*daybook.Event{e}, later), len(earlier), err
}

// side returns up to chainReach events in force on one side of an event, the
// nearest first: of those given, and of the days beyond unless these are all.
func (w *chainWalk) side(events []*daybook.Event, e *daybook.Event, direction int, all bool) (side []*daybook.Event, err error) {
	for day := e.Time.From; ; {
		for _, x := range events {
			live, err := w.near.live(x)
			if err != nil {
				return nil, err
			}
			if !live {
				continue
			}
			if side = append(side, x); len(side) == chainReach {
				return side, nil
			}
		}
		if all {
			return side, nil
		}
		if events, day, err = w.step(day, direction); err != nil || len(events) == 0 {
			return side, err
		}
		if direction < 0 {
			slices.Reverse(events)
		}
	}
}

// chainWalk goes along the events of a participant, day by day.
type chainWalk struct {
	near  *near
	names []daybook.EntityID // all that the participant is known as
}

// fewEvents of a participant are read at once rather than day by day.
const fewEvents = 2 * chainReach

// few reports whether the participant has only a few events.
func (w *chainWalk) few() (bool, error) {
	all := 0
	for _, name := range w.names {
		n, err := w.near.book.upTo(fewEvents+1, participantKey(name))
		if err != nil {
			return false, err
		}
		all += n
	}
	return all <= fewEvents, nil
}

// day returns the events that begin on the day of t, in the order of the chain.
func (w *chainWalk) day(t time.Time) ([]*daybook.Event, error) {
	return w.under(func(name daybook.EntityID) store.Key { return dayKey(name, t) })
}

// under returns the events under a key of each name, in the order of the chain,
// withdrawn ones included.
func (w *chainWalk) under(key func(daybook.EntityID) store.Key) (events []*daybook.Event, err error) {
	seen := map[daybook.EventID]bool{}
	for _, name := range w.names {
		ops, err := w.near.under(key(name))
		if err != nil {
			return nil, err
		}
		for _, o := range ops {
			if o.Event == nil || seen[o.Event.ID] || !inTime(o.Event) {
				continue
			}
			seen[o.Event.ID] = true
			events = append(events, o.Event)
		}
	}
	slices.SortFunc(events, func(a, b *daybook.Event) int {
		return cmp.Or(a.Time.From.Compare(b.Time.From), ends(a.Time).Compare(ends(b.Time)), cmp.Compare(a.ID, b.ID))
	})
	return events, nil
}

// step returns the events of the next day in a direction that has any, and the
// day; none when there is none within reach.
func (w *chainWalk) step(from time.Time, direction int) ([]*daybook.Event, time.Time, error) {
	day := from.UTC().Truncate(24 * time.Hour)
	month := firstOfMonth(day)
	for range chainMonths {
		for day = day.AddDate(0, 0, direction); firstOfMonth(day).Equal(month); day = day.AddDate(0, 0, direction) {
			if any, err := w.any(day, dayKey); err != nil || !any {
				if err != nil {
					return nil, day, err
				}
				continue
			}
			if events, err := w.day(day); err != nil || len(events) > 0 {
				return events, day, err
			}
		}
		next, err := w.nextMonth(month, direction)
		if err != nil || next.IsZero() {
			return nil, day, err
		}
		month, day = next, next.AddDate(0, 0, -1)
		if direction < 0 {
			day = next.AddDate(0, 1, 0)
		}
	}
	return nil, day, nil
}

// nextMonth is the next month in a direction that has events of the participant;
// zero when there is none within reach.
func (w *chainWalk) nextMonth(month time.Time, direction int) (time.Time, error) {
	for range chainMonths {
		month = month.AddDate(0, direction, 0)
		if any, err := w.any(month, monthKey); err != nil || any {
			return month, err
		}
	}
	return time.Time{}, nil
}

func firstOfMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// any reports whether anything stands under the key of a day or a month.
func (w *chainWalk) any(t time.Time, key func(daybook.EntityID, time.Time) store.Key) (bool, error) {
	for _, name := range w.names {
		k := key(name, t)
		if ops, ok := w.near.ops[k]; ok {
			if len(ops) > 0 {
				return true, nil
			}
			continue
		}
		n, err := w.near.book.upTo(1, k)
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}
