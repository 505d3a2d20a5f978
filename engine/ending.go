package engine

import (
	"slices"

	"daybook"
	"daybook/extract"
	"daybook/graph"
)

// Most facts that name a thing are looked at when it is given up, and when something new
// is told of it: that it had been given up by then is rare.
const (
	endedMost = 4096
	toldMost  = 64
)

// endings are facts by which values are over because their thing was given up: "I
// cancelled FitInn" ends "I go to FitInn". Both the new facts that give something up and
// those that come late, after they were given up, are looked at: the order in which they
// came does not matter.
func endings(b *graph.Book, facts []extract.Fact) (ops []daybook.Op, err error) {
	together := map[thing][]*daybook.Fact{}
	for i := range facts {
		of := thingOf(&facts[i].Fact)
		together[of] = append(together[of], &facts[i].Fact)
	}
	for i := range facts {
		f := &facts[i].Fact
		most := toldMost
		if gaveUp(f) {
			most = endedMost
		} else if !endable(f) {
			continue
		}
		mates, err := b.FactsNaming(f.Subject, f.Object, most)
		if err != nil {
			return nil, err
		}
		for _, g := range together[thingOf(f)] {
			if g != f {
				mates = append(mates, g)
			}
		}
		ended, err := endedBy(b, f, mates)
		if err != nil {
			return nil, err
		}
		ops = append(ops, ended...)
	}
	return ops, nil
}

// thing is what facts of one subject name, in whatever spelling.
type thing struct {
	subject daybook.EntityID
	object  string
}

func thingOf(f *daybook.Fact) thing { return thing{f.Subject, daybook.Fold(f.Object)} }

// endedBy are the endings that one of the facts of a thing brings to it.
func endedBy(b *graph.Book, f *daybook.Fact, mates []*daybook.Fact) (ops []daybook.Op, err error) {
	for _, g := range append(mates, f) {
		if !endable(g) {
			continue
		}
		stop := firstStop(g, append(mates, f))
		if stop == nil || stop.ID != f.ID && g.ID != f.ID {
			continue // nothing that is new
		}
		p, err := b.Period(g)
		if err != nil {
			return nil, err
		}
		if !p.Valid.Until.IsZero() && !p.Valid.Until.After(stop.Valid.From) {
			continue // over already
		}
		end := daybook.Fact{
			Subject: g.Subject, Relation: g.Relation, Object: g.Object, Valid: daybook.Span{Until: stop.Valid.From, Granularity: stop.Valid.Granularity, Known: stop.Valid.Known},
			Confidence: stop.Confidence, Importance: stop.Importance, Event: stop.Event, Sources: stop.Sources, Session: stop.Session,
		}.Named()
		ops = append(ops, daybook.Op{Fact: &end})
	}
	return ops, nil
}

// firstStop is the first time that a thing was given up after a fact began to hold.
func firstStop(g *daybook.Fact, all []*daybook.Fact) (stop *daybook.Fact) {
	for _, s := range all {
		if gaveUp(s) && s.Valid.From.After(g.Valid.From) && (stop == nil || s.Valid.From.Before(stop.Valid.From)) {
			stop = s
		}
	}
	return stop
}

func gaveUp(f *daybook.Fact) bool {
	return f.Relation == extract.Stopped && f.Modality == daybook.Asserted && !f.Valid.From.IsZero()
}

// endable reports whether a fact is of a value that is over when its thing is given up.
func endable(f *daybook.Fact) bool {
	return f.Modality == daybook.Asserted && extract.Lasting(f.Relation) && !f.Valid.From.IsZero() && f.Valid.Until.IsZero()
}

// withEndings adds the endings that new facts bring to a lesson.
func withEndings(b *graph.Book, l *lesson) error {
	ops, err := endings(b, l.facts)
	for _, op := range ops {
		if !slices.ContainsFunc(l.ops, func(o daybook.Op) bool { return o.Fact != nil && o.Fact.ID == op.Fact.ID }) {
			l.ops = append(l.ops, op)
		}
	}
	return err
}
