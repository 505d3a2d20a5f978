package recall

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
	"daybook/graph"
	"daybook/index"
)

// Path is a chain of events that supports an answer (TRACE eq. 15), with its
// scores: neural relevance, confidence, consistency in time, validity.
type Path struct {
	Events []daybook.EventView `json:"events"`
	Links  []daybook.LinkView  `json:"links"` // one between each two events
	Score  float64             `json:"score"`
	NS     float64             `json:"ns"`
	PC     float64             `json:"pc"`
	TC     float64             `json:"tc"`
	UV     float64             `json:"uv"`
}

// String is the path on one line.
func (p Path) String() string {
	var out strings.Builder
	for i, e := range p.Events {
		if i > 0 {
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
	events map[daybook.EventID]daybook.EventView
	links  map[daybook.EventID][]daybook.LinkView
	like   map[daybook.EventID]float64
	found  []Path
}

// paths returns the best chains of events around the best rows.
func (p *pool) paths() ([]Path, error) {
	w := &walker{
		pool: p, events: map[daybook.EventID]daybook.EventView{}, links: map[daybook.EventID][]daybook.LinkView{},
		like: map[daybook.EventID]float64{},
	}
	seeds, err := w.seeds()
	if err != nil {
		return nil, err
	}
	for _, e := range seeds {
		if err := w.walk(Path{Events: []daybook.EventView{e}}); err != nil {
			return nil, err
		}
	}
	return w.best()
}

// seeds are the events learned from the best rows (eq. 13), and those of the
// sessions of the very best (eq. 14). Both ends of evolution links are in the
// pool already.
func (w *walker) seeds() (seeds []daybook.EventView, err error) {
	for i, c := range w.all[:min(len(w.all), linkRows)] {
		if c.learned != nil {
			seeds = append(seeds, c.learned.Events...)
		}
		if i >= pathSessions || w.Session(c.id) == "" || c.learned == nil || len(c.learned.Events) == 0 {
			continue
		}
		more, err := w.book.Events(graph.EventSelect{Session: w.Session(c.id)})
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, more[:min(len(more), sessionEvents)]...)
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
func (w *walker) walk(p Path) error {
	if len(w.found) >= rawPaths || len(p.Events) > pathHops {
		return nil
	}
	last := p.Events[len(p.Events)-1]
	links, err := w.linksOf(last.ID)
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

// linksOf are the links of an event, those of evolution first.
func (w *walker) linksOf(id daybook.EventID) ([]daybook.LinkView, error) {
	if links, ok := w.links[id]; ok {
		return links, nil
	}
	if len(w.links) == pathEvents {
		return nil, nil
	}
	look := w.book.StatedLinks
	if len(w.links) < chainEvents {
		look = w.book.EventLinks
	}
	links, err := look(id)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(links, func(a, b daybook.LinkView) int {
		return cmp.Or(-compareBool(a.Kind.Evolution(), b.Kind.Evolution()), cmp.Compare(b.Confidence, a.Confidence))
	})
	w.links[id] = links
	return links, nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// step puts a link and the event at its other end to a path. It is not ok where
// the path has been there, or a rule forbids it: no invalidated link, no effect
// before its cause, no two contradictions in a row.
func (w *walker) step(p Path, l daybook.LinkView) (next Path, ok bool, err error) {
	last := p.Events[len(p.Events)-1]
	other := daybook.EventID(l.To)
	if l.To == string(last.ID) {
		other = daybook.EventID(l.From)
	}
	if !l.InvalidatedAt.IsZero() || slices.ContainsFunc(p.Events, func(e daybook.EventView) bool { return e.ID == other }) {
		return next, false, nil
	}
	if n := len(p.Links); n > 0 && l.Kind == daybook.Contradicts && p.Links[n-1].Kind == daybook.Contradicts {
		return next, false, nil
	}
	event, err := w.event(other)
	if err != nil {
		return next, false, allowMissing(err)
	}
	from, to := last, event
	if l.From == string(other) {
		from, to = event, last
	}
	if reversed(l.Kind, from.Time, to.Time) {
		return next, false, nil
	}
	next.Events = append(slices.Clone(p.Events), event)
	next.Links = append(slices.Clone(p.Links), l)
	return next, true, nil
}

func (w *walker) event(id daybook.EventID) (daybook.EventView, error) {
	if e, ok := w.events[id]; ok {
		return e, nil
	}
	e, err := w.book.Event(id)
	if err == nil {
		w.events[id] = e
	}
	return e, err
}

func allowMissing(err error) error {
	if daybook.KindOf(err) == daybook.NotFound {
		return nil
	}
	return err
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
// one holds is left out.
func (w *walker) best() ([]Path, error) {
	for i := range w.found {
		if err := w.score(&w.found[i]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.found, func(a, b Path) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(b.Events), len(a.Events)), strings.Compare(string(a.Events[0].ID), string(b.Events[0].ID)))
	})
	kept := []Path{}
	for _, p := range w.found {
		if p.Score < leastPath || len(kept) == keptPaths || slices.ContainsFunc(kept, func(k Path) bool { return holds(k, p) }) {
			continue
		}
		kept = append(kept, p)
	}
	return kept, nil
}

// holds reports whether every event of p is on k.
func holds(k, p Path) bool {
	return !slices.ContainsFunc(p.Events, func(e daybook.EventView) bool {
		return !slices.ContainsFunc(k.Events, func(o daybook.EventView) bool { return o.ID == e.ID })
	})
}

// score is eq. 16 to 20.
func (w *walker) score(p *Path) error {
	p.PC, p.TC, p.UV = 1, 1, 1
	for _, e := range p.Events {
		like, err := w.relevance(e)
		if err != nil {
			return err
		}
		p.NS += like / float64(len(p.Events))
		p.UV = min(p.UV, e.Validity)
	}
	contradicted := false
	for i, l := range p.Links {
		p.PC *= confidence(l)
		contradicted = contradicted || l.Kind == daybook.Contradicts
		a, b := p.Events[i], p.Events[i+1]
		if l.To == string(a.ID) {
			a, b = b, a
		}
		if l.Kind == daybook.Before && reversed(l.Kind, a.Time, b.Time) {
			p.TC = 0
		}
	}
	if contradicted {
		p.PC *= contradictedPath
	}
	p.Score = pathNS*p.NS + pathPC*p.PC + pathTC*p.TC + pathUV*p.UV
	return nil
}

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
func (w *walker) relevance(e daybook.EventView) (float64, error) {
	if w.query == nil {
		return 0, nil
	}
	if like, ok := w.like[e.ID]; ok {
		return like, nil
	}
	var ids []index.ID
	for _, n := range e.Sources {
		place, ok, err := w.book.NotePlace(n)
		if err != nil {
			return 0, err
		}
		if id, in := w.Find(place); ok && in {
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
