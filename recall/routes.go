package recall

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
	"daybook/graph"
	"daybook/index"
)

// route is a route from an entity that the question names (Hydra eq. 8), with the notes
// that each of its events was learned from and how well all of it matches the question.
type route struct {
	graph.Route
	from  string // the name in the question
	notes [][]index.ID
	score float64 // eq. 10
	gains bool    // by its last event: it matches better than without it
}

// ends are the notes where a route leads to.
func (r *route) ends() []index.ID { return r.notes[len(r.notes)-1] }

// named lets the notes join that routes from the entities which the question names lead
// to: those of an entity itself, those a hop away (G-Long), of each the likest first, and
// all by how well their routes match.
func (p *pool) named() error {
	if p.aids.Flat {
		return nil
	}
	for _, n := range p.plan.Asking.Names {
		routes, err := p.routesFrom(n.Text)
		if err != nil {
			return err
		}
		p.routes = append(p.routes, routes...)
	}
	var about, beside []index.ID
	for _, r := range p.routes {
		if len(r.Events) == 1 {
			about = append(about, r.ends()...)
		} else {
			beside = append(beside, r.ends()...)
		}
	}
	p.joinLikest(byName, about)
	p.joinLikest(byHop, beside)
	_, err := p.joinRoutes(byRoute, p.routes)
	return err
}

// routesFrom are the routes from an entity to notes that the index has; none from one
// that is everywhere.
func (p *pool) routesFrom(name string) (routes []*route, err error) {
	if p.isHub(name) {
		return nil, nil
	}
	all, err := p.book.Routes(name, graph.Reach{Events: namedRows, Hops: routeHops, Entities: hopEntities, Few: hopEvents})
	if err != nil {
		return nil, err
	}
	for _, found := range all {
		r := &route{Route: found, from: name}
		for _, e := range found.Events {
			ids, err := p.findAll(e.Sources)
			if err != nil {
				return nil, err
			}
			r.notes = append(r.notes, ids)
		}
		if len(r.ends()) > 0 {
			routes = append(routes, r)
		}
	}
	return routes, nil
}

// joinRoutes puts the best routes first and lets the notes join where they end. It
// reports whether any is new.
func (p *pool) joinRoutes(leg Leg, routes []*route) (joined bool, err error) {
	if len(routes) == 0 {
		return false, nil
	}
	if err := p.scoreRoutes(routes); err != nil {
		return false, err
	}
	had, rank := len(p.all), 0
	for _, r := range routes[:min(len(routes), legRows)] {
		for _, id := range r.ends() {
			if c := p.byID[id]; c == nil || c.ranks[leg] == 0 {
				rank++
				c = p.add(id, leg, rank)
				c.route = cmp.Or(c.route, r)
			}
		}
	}
	return len(p.all) > had, nil
}

// findAll are those of the notes that the index has.
func (p *pool) findAll(notes []daybook.NoteID) (ids []index.ID, err error) {
	for _, n := range notes {
		id, ok, err := p.find(n)
		if err != nil {
			return nil, err
		}
		if ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// joinLikest lets notes join, ranked by how like the question they are.
func (p *pool) joinLikest(leg Leg, ids []index.ID) {
	slices.Sort(ids)
	for rank, f := range p.likest(slices.Compact(ids)) {
		p.add(f.ID, leg, rank+1)
	}
}

// scoreRoutes says how well each route matches the question, and puts the best first. A
// cross-encoder, where there is one, reads the best as text.
func (p *pool) scoreRoutes(routes []*route) error {
	var ids []index.ID
	for _, r := range routes {
		ids = append(ids, slices.Concat(r.notes...)...)
	}
	slices.Sort(ids)
	m := matcher{ids: slices.Compact(ids), share: p.shareOf()}
	m.words, m.like = p.Match(p.plan.Words, m.ids), make([]float64, len(m.ids))
	if p.query != nil {
		m.like = p.Likeness(Content, p.query, m.ids)
	}
	for _, r := range routes {
		before := len(r.notes) - 1
		r.score = m.score(r.notes)
		r.gains = before > 0 && r.score > m.score(r.notes[:before])
	}
	slices.SortStableFunc(routes, byScore)
	return p.rerankRoutes(routes[:min(len(routes), rerankedRoutes)])
}

// matcher says how well the notes of routes match the question.
type matcher struct {
	ids   []index.ID // of all routes, in order
	like  []float64
	words *index.Matches
	share map[string]float64 // of each word of the question
}

// score is the likeness of the best note of each event, the mean of all, and the share
// of the question's words that the notes have together.
func (m *matcher) score(events [][]index.ID) (sum float64) {
	var slots []int
	for _, notes := range events {
		most := 0.0
		for _, id := range notes {
			slot, _ := slices.BinarySearch(m.ids, id)
			slots, most = append(slots, slot), max(most, m.like[slot])
		}
		sum += most / float64(len(events))
	}
	for t := range m.words.Terms {
		if slices.ContainsFunc(slots, func(slot int) bool { return m.words.Has(slot, t) }) {
			sum += routeCover * m.share[m.words.Terms[t].Term]
		}
	}
	return sum
}

// rerankRoutes lets a cross-encoder put the best routes in order.
func (p *pool) rerankRoutes(first []*route) (err error) {
	if p.aids.Rerank == nil || len(first) < 2 {
		return nil
	}
	texts := make([]string, len(first))
	for i, r := range first {
		if texts[i], err = p.contextOf(r); err != nil {
			return err
		}
	}
	scores, err := p.aids.Rerank(p.plan.Text, texts)
	if err != nil || len(scores) != len(first) {
		p.aids.Missed = append(p.aids.Missed, missed("reranker of routes", err))
		return nil
	}
	for i := range first {
		first[i].score = float64(scores[i])
	}
	slices.SortStableFunc(first, byScore)
	return nil
}

func byScore(a, b *route) int { return cmp.Compare(b.score, a.score) }

// contextOf is a route as text: names, what happened, and when (eq. 9).
func (p *pool) contextOf(r *route) (string, error) {
	through, err := p.namesOf(r.Through)
	var out strings.Builder
	out.WriteString(r.from)
	for i, e := range r.Events {
		if i > 0 && err == nil {
			out.WriteString(" — " + through[i-1])
		}
		out.WriteString(" — " + e.Text)
		if !e.Time.From.IsZero() {
			out.WriteString(" (" + e.Time.Granularity.Format(e.Time.From) + ")")
		}
	}
	return out.String(), err
}

func (p *pool) namesOf(entities []daybook.EntityID) (names []string, err error) {
	for _, id := range entities {
		e, err := p.book.Entity(id)
		if err != nil {
			return nil, err
		}
		names = append(names, cmp.Or(e.Name, string(id)))
	}
	return names, nil
}

// pathOf shows a route as a path.
func (p *pool) pathOf(r *route) (path Path, err error) {
	path = Path{Links: []daybook.LinkView{}, Score: r.score, NS: r.score, PC: 1, TC: 1, UV: 1}
	if path.Through, err = p.namesOf(r.Through); err != nil {
		return path, err
	}
	for _, e := range r.Events {
		view, err := p.book.Event(e.ID)
		if err != nil {
			return path, err
		}
		path.Events, path.UV = append(path.Events, view), min(path.UV, view.Validity)
	}
	return path, nil
}

// routePaths are the best routes that match better than they would without their last
// event (eq. 16).
func (p *pool) routePaths() (paths []Path, err error) {
	for _, r := range slices.Concat(p.routes, p.near) {
		if len(paths) == keptRoutes {
			break
		}
		if !r.gains {
			continue
		}
		path, err := p.pathOf(r)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
