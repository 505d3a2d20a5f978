package engine_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/store"

	"pgregory.net/rapid"
)

// apply appends operations as one commit, as learning does.
func (w *world) apply(ops ...daybook.Op) error {
	ledger := graph.Ledger{Now: func() time.Time { return *w.now }, Rand: rand.Reader}
	return w.store.Update(context.Background(), w.scope, func(tx store.Writer) error {
		_, err := ledger.Apply(tx, graph.Change{Author: "learner", Ops: ops})
		return err
	})
}

func entity(name string) daybook.Op {
	return daybook.Op{Entity: &daybook.Entity{ID: daybook.EntityNamed(name), Name: name}}
}

// drawEvent makes an event of a person, on a day or at no known time.
func (w *world) drawEvent() daybook.Event {
	e := daybook.Event{
		Kind: daybook.StateChange, Text: "event " + w.draw(objects, "about"),
		Participants: []daybook.EntityID{daybook.EntityNamed(w.draw(people, "participant"))},
	}
	if day := rapid.IntRange(-1, 6).Draw(w.t, "event day"); day >= 0 {
		e.Time = daybook.Span{From: begin.AddDate(0, 0, day-8), Granularity: daybook.Day}
	}
	if rapid.IntRange(0, 5).Draw(w.t, "event planned") == 0 {
		e.Kind, e.Modality = daybook.Plan, daybook.Planned
	}
	return e
}

// asserted are up to two facts that an event asserts.
func (w *world) asserted(e daybook.Event, least int) (facts []daybook.Fact) {
	for range rapid.IntRange(least, 2).Draw(w.t, "asserted") {
		nf := w.drawFact()
		f := daybook.Fact{
			Subject: daybook.EntityNamed(nf.Subject), Relation: nf.Relation, Object: nf.Object, Valid: nf.Valid,
			Holds: nf.Holds, Modality: nf.Modality, Event: e.ID,
		}
		if f.Valid.From.IsZero() {
			f.Valid.From = begin.AddDate(0, 0, -8)
		}
		facts = append(facts, f.Named())
	}
	return facts
}

// learn enriches a note, and reads an event and facts from it. Where there is no
// note, one is added instead.
func (w *world) learn() {
	if len(w.notes) == 0 {
		w.addNote()
		return
	}
	id := daybook.Note{SourceID: rapid.SampledFrom(w.notes).Draw(w.t, "learned from")}.Named().ID
	e := w.drawEvent()
	e.Quotes = []daybook.Quote{{Note: id, Start: 0, End: rapid.IntRange(1, 4).Draw(w.t, "quoted")}}
	e = e.Named()
	ops := []daybook.Op{
		{Enrich: &daybook.Enrichment{Note: id, Text: "enriched " + w.draw(objects, "with"), By: "rule:window"}},
		{Event: &e}, entity("Ana"), entity("Bo"),
	}
	facts := w.asserted(e, 0)
	for i := range facts {
		ops = append(ops, daybook.Op{Fact: &facts[i]})
	}
	err := w.apply(ops...)
	w.allow(err, daybook.NotFound) // the note may have been reverted
	if err == nil {
		w.events = append(w.events, string(e.ID))
		for _, f := range facts {
			w.facts = append(w.facts, string(f.ID))
		}
	}
}

var (
	factKinds  = []daybook.LinkKind{daybook.Updates, daybook.Updates, daybook.Contradicts, daybook.MayUpdate}
	eventKinds = []daybook.LinkKind{daybook.Updates, daybook.Updates, daybook.Causes, daybook.Causes, daybook.Enables, daybook.Prevents, daybook.Before, daybook.Contradicts}
)

// drawLink joins two of the ids; By is a person, who may judge anew.
func (w *world) drawLink(ids []string, kinds []daybook.LinkKind) daybook.Link {
	return daybook.Link{
		Kind: rapid.SampledFrom(kinds).Draw(w.t, "kind"), By: "test",
		From: rapid.SampledFrom(ids).Draw(w.t, "newer"), To: rapid.SampledFrom(ids).Draw(w.t, "older"),
	}.Named()
}

func (w *world) relate() {
	ids, kinds := w.facts, factKinds
	if rapid.Bool().Draw(w.t, "events") {
		ids, kinds = w.events, eventKinds
	}
	if len(ids) < 2 {
		return
	}
	l := w.drawLink(ids, kinds)
	err := w.apply(daybook.Op{Relate: &l})
	w.allow(err, daybook.NotFound, daybook.Invalid)
	if err == nil {
		w.links = append(w.links, string(l.ID))
	}
}

// drawWithdrawal names a fact, an event or a link; "" when there is none.
func (w *world) drawWithdrawal() string {
	var ids []string
	for _, some := range [][]string{w.facts, w.events, w.links, w.links} { // links are few
		ids = append(ids, some...)
	}
	if len(ids) == 0 {
		return ""
	}
	return rapid.SampledFrom(ids).Draw(w.t, "withdrawn")
}

// learned is what a reader can see of events and of what was learned.
func (w *world) learned(scope daybook.Scope, at daybook.AsOf) string {
	w.t.Helper()
	ctx := context.Background()
	var all []any
	events, err := w.eng.Events(ctx, scope, engine.EventQuery{At: at})
	w.must(err)
	for _, ev := range events {
		links, err := w.eng.EventLinks(ctx, scope, ev.ID, at)
		w.must(err)
		all = append(all, ev, links)
	}
	for _, p := range people { // read by key
		some, err := w.eng.Events(ctx, scope, engine.EventQuery{EventSelect: graph.EventSelect{Subject: p}, At: at})
		w.must(err)
		all = append(all, some)
	}
	w.must(w.eng.Notes(ctx, scope, "", at, func(n daybook.Note) error {
		l, err := w.eng.Learned(ctx, scope, string(n.ID), at)
		all = append(all, l)
		return err
	}))
	text, err := json.MarshalIndent(all, "", " ")
	w.must(err)
	return string(text)
}

// believedEvents is what is believed of events, without when it was recorded.
func (w *world) believedEvents() string {
	events, err := w.eng.Events(context.Background(), w.scope, engine.EventQuery{At: daybook.AsOf{ValidAt: begin}})
	w.must(err)
	var lines []string
	for _, ev := range events {
		lines = append(lines, fmt.Sprintf("%s %v until %s", ev.ID, ev.Validity, ev.ValidUntil))
	}
	return sortLines(lines)
}

// states is what is believed, with the names of states and which facts assert
// what.
func (w *world) states() string {
	states, err := w.eng.Facts(context.Background(), w.scope, engine.FactQuery{All: true, At: daybook.AsOf{ValidAt: begin}})
	w.must(err)
	var lines []string
	for _, st := range states {
		for _, p := range st.Periods {
			var facts []string
			for _, f := range p.Facts {
				facts = append(facts, string(f.ID))
			}
			lines = append(lines, fmt.Sprintf("%s %s %v %s %s %s %s %s", st.Subject.ID, st.Relation, st.Also, p.Relation, strings.ToLower(p.Object), p.Valid, p.Role, sortLines(facts)))
		}
	}
	return sortLines(lines)
}

// The order in which events, facts and the links between them arrive does not
// matter to what is believed.
func TestLawArrivalOfLinks(t *testing.T) {
	laws(t, func(w *world) {
		var ops []daybook.Op
		for range rapid.IntRange(1, 4).Draw(w.t, "events") {
			e := w.drawEvent().Named()
			w.events = append(w.events, string(e.ID))
			ops = append(ops, daybook.Op{Event: &e})
			for _, f := range w.asserted(e, 1) {
				w.facts = append(w.facts, string(f.ID))
				ops = append(ops, daybook.Op{Fact: &f})
			}
		}
		for range rapid.IntRange(0, 5).Draw(w.t, "fact links") {
			l := w.drawLink(w.facts, factKinds)
			ops = append(ops, daybook.Op{Relate: &l})
		}
		for range rapid.IntRange(0, 4).Draw(w.t, "event links") {
			l := w.drawLink(w.events, eventKinds)
			ops = append(ops, daybook.Op{Relate: &l})
		}
		believed := func(scope daybook.Scope, order []daybook.Op) string {
			w.scope = scope
			w.must(w.apply(entity("Ana"), entity("Bo")))
			for len(order) > 0 { // what refers to something that has not come waits
				var waiting []daybook.Op
				for _, o := range order {
					w.tick()
					if err := w.apply(o); daybook.KindOf(err) == daybook.NotFound {
						waiting = append(waiting, o)
					} else {
						w.allow(err, daybook.Invalid)
					}
				}
				order = waiting
			}
			w.sound()
			return w.states() + "\n" + w.believedEvents()
		}
		inOrder := believed(daybook.Scope{User: "one"}, ops)
		shuffled := believed(daybook.Scope{User: "two"}, rapid.Permutation(ops).Draw(w.t, "order"))
		w.same("in another order", shuffled, inOrder)
	})
}

// The validity of an event is what its definition says, worked out from every
// pair of ids there is.
func TestLawValidity(t *testing.T) {
	laws(t, func(w *world) {
		w.addNote()
		for range rapid.IntRange(2, 4).Draw(w.t, "events") {
			w.tick()
			w.learn()
		}
		for range rapid.IntRange(2, 12).Draw(w.t, "steps") {
			w.tick()
			switch rapid.SampledFrom([]string{"learn", "relate", "relate", "relate", "relate", "relate", "retract"}).Draw(w.t, "do") {
			case "learn":
				w.learn()
			case "relate":
				w.relate()
			case "retract":
				w.retract()
			}
		}
		at := begin.AddDate(0, 0, rapid.IntRange(-9, 3).Draw(w.t, "valid"))
		d := definition{w: w, at: at}
		events, err := w.eng.Events(context.Background(), w.scope, engine.EventQuery{At: daybook.AsOf{ValidAt: at}})
		w.must(err)
		for _, ev := range events {
			validity, until := d.validity(ev.Event)
			if ev.Validity != validity || !ev.ValidUntil.Equal(until) {
				w.t.Fatalf("%s has validity %v until %v (%s), want %v until %v", ev.ID, ev.Validity, ev.ValidUntil, ev.Reason, validity, until)
			}
		}
	})
}

// definition works out validity slowly.
type definition struct {
	w  *world
	at time.Time
}

func (d definition) get(id string) (daybook.Op, bool) {
	op, err := d.w.eng.Get(context.Background(), d.w.scope, id)
	return op, err == nil
}

func (d definition) linked(kind daybook.LinkKind, from, to string) bool {
	_, ok := d.get(string(daybook.Link{Kind: kind, From: from, To: to}.Named().ID))
	return ok && from != to
}

func (d definition) validity(e daybook.Event) (float64, time.Time) {
	until := d.until(e)
	if !until.IsZero() && !d.at.Before(until) {
		return 0, until
	}
	for _, id := range d.w.events {
		cause, ok := d.get(id)
		if !ok || !d.linked(daybook.Causes, id, string(e.ID)) && !d.linked(daybook.Enables, id, string(e.ID)) {
			continue
		}
		if u := d.until(*cause.Event); !u.IsZero() && !d.at.Before(u) {
			return 0.5, until
		}
	}
	return 1, until
}

// until is when an event was superseded.
func (d definition) until(e daybook.Event) time.Time {
	var first, last time.Time
	for _, id := range d.w.events {
		if newer, ok := d.get(id); ok && d.linked(daybook.Updates, id, string(e.ID)) {
			first = earlier(first, newer.Event.Time.From)
		}
	}
	for _, id := range d.w.facts {
		f, ok := d.get(id)
		if !ok || f.Fact.Event != e.ID || f.Fact.Modality != daybook.Asserted {
			continue
		}
		closed := d.closed(*f.Fact)
		if closed.IsZero() {
			return first
		}
		if closed.After(last) {
			last = closed
		}
	}
	return earlier(first, last)
}

func (d definition) closed(f daybook.Fact) (at time.Time) {
	for _, id := range d.w.facts {
		if newer, ok := d.get(id); ok && d.linked(daybook.Updates, id, string(f.ID)) {
			at = earlier(at, newer.Fact.Valid.From)
		}
	}
	return at
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// A state that links join is found by each of its names and reads the same by
// each.
func TestLawJoined(t *testing.T) {
	laws(t, func(w *world) {
		for range rapid.IntRange(2, 12).Draw(w.t, "steps") {
			w.step()
			w.relate()
		}
		states, err := w.eng.Facts(context.Background(), w.scope, engine.FactQuery{All: true})
		w.must(err)
		for _, st := range states {
			for _, name := range append([]string{st.Relation}, st.Also...) {
				again, err := w.eng.Facts(context.Background(), w.scope, engine.FactQuery{Subject: string(st.Subject.ID), Relation: name, All: true})
				w.must(err)
				if len(again) != 1 {
					w.t.Fatalf("%d states have the name %s", len(again), name)
				}
				w.same("by the name "+name, string(encode(w.t, again[0])), string(encode(w.t, st)))
			}
		}
		w.sound()
	})
}
