package recall

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
	"daybook/index"
)

// Path is a chain of events that supports an answer (TRACE eq. 15), with its
// scores: neural relevance, confidence, consistency in time, validity. Between the
// events of a route from an entity that the question names are no links, but entities.
type Path struct {
	Events  []daybook.EventView `json:"events"`
	Links   []daybook.LinkView  `json:"links"`             // one between each two events
	Through []string            `json:"through,omitempty"` // of a route: whom each two events share
	Score   float64             `json:"score"`
	NS      float64             `json:"ns"`
	PC      float64             `json:"pc"`
	TC      float64             `json:"tc"`
	UV      float64             `json:"uv"`
}

// String is the path on one line.
func (p Path) String() string {
	var out strings.Builder
	for i, e := range p.Events {
		switch {
		case i > 0 && len(p.Through) > 0:
			out.WriteString(" — " + p.Through[i-1] + " — ")
		case i > 0:
			arrow := " —" + string(p.Links[i-1].Kind) + "→ "
			if p.Links[i-1].To != string(e.ID) {
				arrow = " ←" + string(p.Links[i-1].Kind) + "— "
			}
			out.WriteString(arrow)
		}
		out.WriteString(e.Text)
	}
	return out.String()
}

// walker finds paths from the events of the best rows.
type walker struct {
	*pool
	events map[daybook.EventID]*daybook.Event
	links  map[daybook.EventID][]daybook.LinkView
	like   map[daybook.EventID]float64
	found  []trail
}

// trail is a path in the making.
type trail struct {
	events []*daybook.Event
	links  []daybook.LinkView
	Path   // its scores
}

// paths returns the best chains of events around the best rows. They add nothing to
// the rows, so what they may cost is bounded: see pathEvents and chainEvents.
func (p *pool) paths() ([]Path, error) {
	if p.aids.Flat {
		return nil, nil
	}
	w := &walker{
		pool: p, events: map[daybook.EventID]*daybook.Event{}, links: map[daybook.EventID][]daybook.LinkView{},
		like: map[daybook.EventID]float64{},
	}
	seeds, err := w.seeds()
	if err != nil {
		return nil, err
	}
	for _, e := range seeds {
		if err := w.walk(trail{events: []*daybook.Event{e}}); err != nil {
			return nil, err
		}
	}
	best, err := w.best()
	if err != nil {
		return nil, err
	}
	routes, err := p.routePaths()
	return append(best, routes...), err
}

// seeds are the events learned from the best rows (eq. 13), those of other sessions on
// their topic where the question looks around, and, where these are few, those of the
// best route from an entity that is named and of the session of the very best (eq. 14). Both ends of evolution links are
// in the pool already.
func (w *walker) seeds() (seeds []*daybook.Event, err error) {
	for _, c := range w.all[:min(len(w.all), linkRows)] {
		if c.learned != nil {
			seeds = append(seeds, c.learned.Events...)
		}
	}
	seeds = append(seeds, w.hierarchy...)
	if len(seeds) < fewSeeds && len(w.routes) > 0 {
		seeds = append(seeds, w.routes[0].Events...)
	}
	if len(seeds) > 0 && len(seeds) < fewSeeds && w.Session(w.all[0].id) != "" {
		more, err := w.book.EventsOf(w.Session(w.all[0].id), sessionEvents)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, more...)
	}
	unique := seeds[:0]
	for _, e := range seeds {
		if _, ok := w.events[e.ID]; !ok {
			w.events[e.ID] = e
			unique = append(unique, e)
		}
	}
	return unique, nil
}

// walk extends a path by every link that the rules allow, in both directions.
func (w *walker) walk(p trail) error {
	if len(w.found) >= rawPaths || len(p.events) > pathHops {
		return nil
	}
	last := p.events[len(p.events)-1]
	links, err := w.linksOf(last)
	if err != nil {
		return err
	}
	for _, l := range links[:min(len(links), fanOut)] {
		next, ok, err := w.step(p, l)
		if err != nil {
			return err
		}
		if !ok || len(w.found) >= rawPaths {
			continue
		}
		w.found = append(w.found, next)
		if err := w.walk(next); err != nil {
			return err
		}
	}
	return nil
}

// linksOf are the links of an event, those of evolution first. What only comes before
// or after in time is looked for where the question asks for that.
func (w *walker) linksOf(e *daybook.Event) ([]daybook.LinkView, error) {
	if links, ok := w.links[e.ID]; ok {
		return links, nil
	}
	if len(w.links) == pathEvents {
		return nil, nil
	}
	links, err := w.book.Steps(e, fanOut)
	if err != nil {
		return nil, err
	}
	if w.plan.Chains && len(w.links) < chainEvents {
		chained, err := w.book.ChainSteps(e.ID)
		if err != nil {
			return nil, err
		}
		links = append(links, chained...)
	}
	w.links[e.ID] = links
	return links, nil
}

// step puts a link and the event at its other end to a path. It is not ok where
// the path has been there, or a rule forbids it: no invalidated link, no effect
// before its cause, no two contradictions in a row.
func (w *walker) step(p trail, l daybook.LinkView) (next trail, ok bool, err error) {
	last := p.events[len(p.events)-1]
	other := daybook.EventID(l.To)
	if l.To == string(last.ID) {
		other = daybook.EventID(l.From)
	}
	if !l.InvalidatedAt.IsZero() || slices.ContainsFunc(p.events, func(e *daybook.Event) bool { return e.ID == other }) {
		return next, false, nil
	}
	if n := len(p.links); n > 0 && l.Kind == daybook.Contradicts && p.links[n-1].Kind == daybook.Contradicts {
		return next, false, nil
	}
	event, err := w.event(other)
	if err != nil || event == nil {
		return next, false, err
	}
	from, to := last, event
	if l.From == string(other) {
		from, to = event, last
	}
	if reversed(l.Kind, from.Time, to.Time) {
		return next, false, nil
	}
	next.events = append(slices.Clone(p.events), event)
	next.links = append(slices.Clone(p.links), l)
	return next, true, nil
}

// event returns an event that is in force, or nil.
func (w *walker) event(id daybook.EventID) (*daybook.Event, error) {
	if e, ok := w.events[id]; ok {
		return e, nil
	}
	e, err := w.book.EventInForce(id)
	if err == nil {
		w.events[id] = e
	}
	return e, err
}

// reversed reports whether a link leads back in time: a cause after its effect, or
// an update older than what it updates.
func reversed(kind daybook.LinkKind, from, to daybook.Span) bool {
	if from.From.IsZero() || to.From.IsZero() {
		return false
	}
	switch kind {
	case daybook.Causes, daybook.Enables, daybook.Prevents, daybook.Before:
		return from.From.After(to.From)
	case daybook.Updates, daybook.MayUpdate:
		return from.From.Before(to.From)
	}
	return false
}

// best scores the paths and keeps the few that are good enough; one that another
// one holds is left out. How valid the events are is looked up only while it can
// change which paths are kept.
func (w *walker) best() ([]Path, error) {
	for i := range w.found {
		if err := w.score(&w.found[i]); err != nil {
			return nil, err
		}
	}
	kept := []trail{}
	for len(w.found) > 0 && len(kept) < keptPaths {
		at := w.first()
		t := w.found[at]
		if t.Score < leastPath {
			break
		}
		if t.Events == nil { // its score may still fall
			if err := w.see(&w.found[at]); err != nil {
				return nil, err
			}
			continue
		}
		w.found = slices.Delete(w.found, at, at+1)
		if !slices.ContainsFunc(kept, func(k trail) bool { return holds(k, t) }) {
			kept = append(kept, t)
		}
	}
	paths := make([]Path, len(kept))
	for i, t := range kept {
		paths[i] = t.Path
	}
	return paths, nil
}

// first is the number of the best path, by the scores that are known so far.
func (w *walker) first() (at int) {
	for i := range w.found {
		a, b := &w.found[i], &w.found[at]
		if cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(b.events), len(a.events)), cmp.Compare(a.events[0].ID, b.events[0].ID)) < 0 {
			at = i
		}
	}
	return at
}

// see looks up how valid the events of a path are, and lowers its score by that.
func (w *walker) see(t *trail) error {
	t.Links = t.links
	for _, e := range t.events {
		view, err := w.book.Event(e.ID)
		if err != nil {
			return err
		}
		t.Events = append(t.Events, view)
		t.UV = min(t.UV, view.Validity)
	}
	t.total()
	return nil
}

// holds reports whether every event of p is on k.
func holds(k, p trail) bool {
	return !slices.ContainsFunc(p.events, func(e *daybook.Event) bool {
		return !slices.ContainsFunc(k.events, func(o *daybook.Event) bool { return o.ID == e.ID })
	})
}

// score is eq. 16 to 20, with all events taken to be valid.
func (w *walker) score(t *trail) error {
	t.PC, t.TC, t.UV = 1, 1, 1
	for _, e := range t.events {
		like, err := w.relevance(e)
		if err != nil {
			return err
		}
		t.NS += like / float64(len(t.events))
	}
	contradicted := false
	for i, l := range t.links {
		t.PC *= confidence(l)
		contradicted = contradicted || l.Kind == daybook.Contradicts
		a, b := t.events[i], t.events[i+1]
		if l.To == string(a.ID) {
			a, b = b, a
		}
		if l.Kind == daybook.Before && reversed(l.Kind, a.Time, b.Time) {
			t.TC = 0
		}
	}
	if contradicted {
		t.PC *= contradictedPath
	}
	t.total()
	return nil
}

func (t *trail) total() { t.Score = pathNS*t.NS + pathPC*t.PC + pathTC*t.TC + pathUV*t.UV }

// confidence is how far a link is to be trusted; one without a number is certain.
func confidence(l daybook.LinkView) float64 {
	c := l.Confidence
	if c == 0 {
		c = 1
	}
	if l.Kind == daybook.Enables {
		c *= enablesLink
	}
	return c
}

// relevance is the likeness of the question to the best of an event's notes.
func (w *walker) relevance(e *daybook.Event) (float64, error) {
	if w.query == nil {
		return 0, nil
	}
	if like, ok := w.like[e.ID]; ok {
		return like, nil
	}
	var ids []index.ID
	for _, n := range e.Sources {
		id, ok, err := w.find(n)
		if err != nil {
			return 0, err
		}
		if ok {
			ids = append(ids, id)
		}
	}
	most := 0.0
	for _, like := range w.Likeness(Content, w.query, ids) {
		most = max(most, like)
	}
	w.like[e.ID] = most
	return most, nil
}
