package graph

import "daybook"

// Made counts what one maker made: an extractor, a model with its prompt, or a
// rule.
type Made struct {
	Enrichments int `json:"enrichments,omitempty"`
	Events      int `json:"events,omitempty"`
	Facts       int `json:"facts,omitempty"`
	Links       int `json:"links,omitempty"`
}

// Makers counts what is in force by who or what made it. Facts are counted with
// the event that asserts them; what was stated as such, with no event, is not
// counted. It reads the whole scope.
func (b *Book) Makers() (map[string]Made, error) {
	affected, err := b.affected()
	if err != nil {
		return nil, err
	}
	made := map[string]Made{}
	makerOf := map[daybook.EventID]string{}
	for _, kind := range []byte{'w', 'v', 'f', 'l'} { // events before their facts
		for o, err := range b.ops(kindKey(kind)) {
			if err != nil {
				return nil, err
			}
			if id := o.asserts(); affected[id] {
				live, err := b.alive(id)
				if err != nil {
					return nil, err
				}
				if live == nil || live.Place != o.Place {
					continue
				}
			}
			countMade(o, made, makerOf)
		}
	}
	return made, nil
}

func countMade(o *op, made map[string]Made, makerOf map[daybook.EventID]string) {
	by, m := "", Made{}
	switch {
	case o.Enrich != nil:
		by, m = o.Enrich.By, made[o.Enrich.By]
		m.Enrichments++
	case o.Event != nil:
		by, m = o.Event.By, made[o.Event.By]
		makerOf[o.Event.ID] = by
		m.Events++
	case o.Fact != nil:
		by = makerOf[o.Fact.Event]
		m = made[by]
		m.Facts++
	case o.Relate != nil:
		by, m = o.Relate.By, made[o.Relate.By]
		m.Links++
	}
	if by != "" {
		made[by] = m
	}
}
