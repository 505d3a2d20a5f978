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
	together, heirs := map[thing][]*daybook.Fact{}, map[daybook.FactID]string{}
	for i := range facts {
		heirs[facts[i].ID] = facts[i].Heir
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
		mates, err := naming(b, f, most)
		if err != nil {
			return nil, err
		}
		for _, g := range together[thingOf(f)] {
			if g != f {
				mates = append(mates, g)
			}
		}
		ended, err := endedBy(b, f, mates, heirs)
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

func thingOf(f *daybook.Fact) thing { return thing{f.Subject, bareValue(f.Object)} }

// naming are the facts of a subject that name the thing of a fact, with whatever article.
func naming(b *graph.Book, f *daybook.Fact, most int) (all []*daybook.Fact, err error) {
	for _, article := range []string{"", "the ", "a ", "an "} {
		facts, err := b.FactsNaming(f.Subject, article+bareValue(f.Object), most)
		if err != nil {
			return nil, err
		}
		all = append(all, facts...)
	}
	return all, nil
}

// endedBy are the endings that one of the facts of a thing brings to it, and what took
// its place: by heirs, or by the note that says that it was given up.
func endedBy(b *graph.Book, f *daybook.Fact, mates []*daybook.Fact, heirs map[daybook.FactID]string) (ops []daybook.Op, err error) {
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
		heir, err := heirOf(b, stop, heirs)
		if err != nil {
			return nil, err
		}
		if heir != "" && !housed(g, mates) {
			ops = append(ops, succeeds(g, stop, heir)...)
		} else {
			ops = append(ops, ended(g, stop))
		}
	}
	return ops, nil
}

// atStop is a fact of the state of another, as told by what says that this was given up.
func atStop(g, stop *daybook.Fact) daybook.Fact {
	return daybook.Fact{
		Subject: g.Subject, Relation: g.Relation, Confidence: stop.Confidence, Importance: stop.Importance,
		Event: stop.Event, Sources: stop.Sources, Session: stop.Session,
	}
}

// ended says that a fact is over since its thing was given up.
func ended(g, stop *daybook.Fact) daybook.Op {
	end := atStop(g, stop)
	end.Object, end.Valid = g.Object, daybook.Span{Until: stop.Valid.From, Granularity: stop.Valid.Granularity, Known: stop.Valid.Known}
	end = end.Named()
	return daybook.Op{Fact: &end}
}

// heirOf is what took the place of a thing that was given up; empty where it is not said.
func heirOf(b *graph.Book, stop *daybook.Fact, heirs map[daybook.FactID]string) (string, error) {
	if heir, fresh := heirs[stop.ID]; fresh || len(stop.Sources) == 0 {
		return heir, nil
	}
	n, err := b.Note(string(stop.Sources[0]))
	if err != nil {
		return "", err
	}
	return extract.Heir(n.Own().Text, stop.Object), nil
}

// housed reports whether a fact names a place where its subject lives, and is not of that:
// who moves from Graz to Vienna need not do there what they did in Graz.
func housed(g *daybook.Fact, mates []*daybook.Fact) bool {
	home := func(f *daybook.Fact) bool { return f.Relation == "lives_in" || f.Relation == "moved_to" }
	return !home(g) && slices.ContainsFunc(mates, home)
}

// succeeds says that another thing took the place of a fact's when that was given up.
func succeeds(g, stop *daybook.Fact, heir string) []daybook.Op {
	next := atStop(g, stop)
	next.Object, next.Holds, next.Valid = heir, g.Holds, stop.Valid
	next = next.Named()
	link := daybook.Link{Kind: daybook.Updates, From: string(next.ID), To: string(g.ID), Confidence: stop.Confidence, Why: "said to have taken its place", By: extract.By}.Named()
	return []daybook.Op{{Fact: &next}, {Relate: &link}}
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
		switch {
		case op.Relate != nil:
			l.links = append(l.links, op)
		case !slices.ContainsFunc(l.ops, func(o daybook.Op) bool { return o.Fact != nil && o.Fact.ID == op.Fact.ID }):
			l.ops = append(l.ops, op)
		}
	}
	return err
}
