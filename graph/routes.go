package graph

import (
	"cmp"
	"maps"
	"slices"

	"daybook"
)

// Route leads from an entity to others by events that they share: an event in which it
// takes part and, for every further event, the entity that takes part in both.
type Route struct {
	Events  []*daybook.Event
	Through []daybook.EntityID // one less than events
}

// Last is the event where a route ends.
func (r *Route) Last() *daybook.Event { return r.Events[len(r.Events)-1] }

// Reach bounds a walk along routes.
type Reach struct {
	Events   int // of the entity where it begins
	Hops     int // to further entities
	Entities int // that each hop goes to
	Few      int // events that a hop looks at: an entity with more is everywhere, and no route goes through it
}

// Routes returns the routes from an entity, found by any of its names: to each of its
// events in force, the earliest known first, and, hop by hop, to those of the entities
// that take part in these most often. To no entity there are two.
func (b *Book) Routes(name string, within Reach) (routes []Route, err error) {
	self := b.Subject(name)
	events, err := b.eventsWith(self, within.Events)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		routes = append(routes, Route{Events: []*daybook.Event{e}})
	}
	passed := map[daybook.EntityID]bool{self: true}
	ends := routes[:min(len(routes), within.Few)]
	for range within.Hops {
		if ends, err = b.further(ends, passed, within); err != nil {
			return nil, err
		}
		routes = append(routes, ends...)
	}
	return routes, nil
}

// further goes one hop on from routes, to entities that none has passed.
func (b *Book) further(from []Route, passed map[daybook.EntityID]bool, within Reach) (on []Route, err error) {
	times, first := map[daybook.EntityID]int{}, map[daybook.EntityID]Route{}
	for _, r := range from {
		for _, p := range b.known(r.Last().Participants) {
			if times[p]++; times[p] == 1 {
				first[p] = r
			}
		}
	}
	maps.DeleteFunc(times, func(e daybook.EntityID, _ int) bool { return passed[e] })
	beside := slices.SortedFunc(maps.Keys(times), func(x, y daybook.EntityID) int {
		return cmp.Or(cmp.Compare(times[y], times[x]), cmp.Compare(x, y))
	})
	for _, other := range beside[:min(len(beside), within.Entities)] {
		passed[other] = true
		events, err := b.eventsWith(other, within.Few+1)
		if err != nil {
			return nil, err
		}
		if len(events) <= within.Few {
			on = append(on, first[other].through(other, events)...)
		}
	}
	return on, nil
}

// through are the routes that go on to the events of an entity.
func (r Route) through(entity daybook.EntityID, events []*daybook.Event) (on []Route) {
	for _, e := range events {
		if !slices.ContainsFunc(r.Events, func(o *daybook.Event) bool { return o.ID == e.ID }) {
			on = append(on, Route{append(slices.Clone(r.Events), e), append(slices.Clone(r.Through), entity)})
		}
	}
	return on
}
