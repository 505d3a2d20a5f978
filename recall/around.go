package recall

import (
	"slices"

	"daybook"
)

// lookAround lets the notes join that lie around the best: where routes lead to from the
// entities of what was learned from them (Hydra eq. 11 to 13), and those of events of
// other sessions on the topic of the very best (TRACE eq. 14). It reports whether any is
// new.
func (p *pool) lookAround(best []*candidate) (joined bool, err error) {
	asked := map[daybook.EntityID]bool{}
	for _, c := range best {
		for _, e := range c.learned.Events {
			for _, entity := range e.Participants {
				if asked[entity] {
					continue
				}
				asked[entity] = true
				routes, err := p.routesOf(entity)
				if err != nil {
					return false, err
				}
				p.near = append(p.near, routes...)
			}
		}
	}
	if joined, err = p.joinRoutes(byNear, p.near); err != nil || len(best) == 0 {
		return joined, err
	}
	more, err := p.onTopic(best[0])
	return joined || more, err
}

// routesOf are the routes from an entity, by its name.
func (p *pool) routesOf(entity daybook.EntityID) ([]*route, error) {
	names, err := p.namesOf([]daybook.EntityID{entity})
	if err != nil {
		return nil, err
	}
	return p.routesFrom(names[0])
}

// onTopic lets notes of events of the other sessions of a topic join.
func (p *pool) onTopic(c *candidate) (joined bool, err error) {
	session, had := p.Session(c.id), len(p.all)
	at := slices.IndexFunc(p.aids.Topics, func(t daybook.Topic) bool { return slices.Contains(t.Sessions, session) })
	if at < 0 {
		return false, nil
	}
	var notes []daybook.NoteID
	for _, other := range p.aids.Topics[at].Sessions {
		if other == session {
			continue
		}
		events, err := p.book.EventsOf(other, sessionEvents)
		if err != nil {
			return false, err
		}
		p.hierarchy = append(p.hierarchy, events...)
		for _, e := range events {
			notes = append(notes, e.Sources...)
		}
	}
	ids, err := p.findAll(notes)
	p.joinLikest(byTopic, ids)
	return len(p.all) > had, err
}
