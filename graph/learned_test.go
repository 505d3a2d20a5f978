package graph

import (
	"crypto/rand"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/store"
)

// pen writes to one scope and reads it.
type pen struct {
	t     testing.TB
	store store.Store
	now   time.Time
}

func newPen(t testing.TB) *pen {
	return &pen{t: t, store: openStore(t), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (p *pen) try(ops ...daybook.Op) error {
	p.now = p.now.Add(time.Hour)
	ledger := Ledger{Now: func() time.Time { return p.now }, Rand: rand.Reader}
	return p.store.Update(p.t.Context(), daybook.Scope{}, func(w store.Writer) error {
		_, err := ledger.Apply(w, Change{Author: "test", Ops: ops})
		return err
	})
}

func (p *pen) write(ops ...daybook.Op) {
	p.t.Helper()
	if err := p.try(ops...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pen) read(do func(b *Book) error) {
	p.t.Helper()
	err := p.store.View(p.t.Context(), daybook.Scope{}, func(r store.Reader) error {
		b, err := Open(r, daybook.AsOf{}, p.now)
		if err != nil {
			return err
		}
		return do(b)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *pen) revertHead() {
	p.t.Helper()
	var head store.Commit
	p.read(func(b *Book) error { head = b.Head(); return nil })
	p.write(daybook.Op{Revert: &daybook.Revert{Commit: head.ID, Seq: head.Seq}})
}

// sound runs a check.
func (p *pen) sound() {
	p.t.Helper()
	p.read(func(b *Book) error {
		r, err := b.Check()
		if err == nil && len(r.Damage) > 0 {
			p.t.Errorf("check: %v", r.Damage)
		}
		return err
	})
}

func day(d int) daybook.Span {
	return daybook.Span{From: time.Date(2025, 1, d, 0, 0, 0, 0, time.UTC), Granularity: daybook.Day}
}

func note(id, text string) daybook.Note {
	return daybook.Note{SourceID: id, Text: text, Time: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}.Named()
}

func TestQuotesLieInTheirNotes(t *testing.T) {
	p := newPen(t)
	n := note("m1", "Zoë moved")
	p.write(daybook.Op{Observe: &n})
	for _, c := range []struct {
		note       daybook.NoteID
		start, end int
		want       string
	}{
		{n.ID, 0, 4, ""}, // Zoë
		{n.ID, 5, 10, ""},
		{n.ID, 0, 3, "whole characters"}, // half of ë
		{n.ID, 3, 5, "whole characters"},
		{n.ID, 5, 11, "whole characters"},
		{n.ID, 5, 5, "has a length"},
		{n.ID, -1, 5, "has a length"},
		{"note_none", 0, 1, "not in this scope"},
	} {
		e := daybook.Event{Kind: daybook.Action, Text: "Zoë moved.", Quotes: []daybook.Quote{{Note: c.note, Start: c.start, End: c.end}}}
		err := p.try(daybook.Op{Event: &e})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("quote %d to %d: %v, want %q", c.start, c.end, err, c.want)
		}
	}
	p.read(func(b *Book) error {
		events, err := b.Events(EventSelect{Note: "m1"})
		if len(events) != 2 || !slices.Equal(events[0].Sources, []daybook.NoteID{n.ID}) {
			t.Errorf("events of the note: %+v", events)
		}
		return err
	})
	p.sound()
}

func TestEnriched(t *testing.T) {
	p := newPen(t)
	n := note("m1", "he moved")
	enriched := func() (text string) {
		p.read(func(b *Book) error {
			e, _, err := b.Enriched(n.ID)
			text = e.Text
			return err
		})
		return text
	}
	expect := func(when, want string) {
		t.Helper()
		if got := enriched(); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	enrich := func(text string) daybook.Op {
		return daybook.Op{Enrich: &daybook.Enrichment{Note: n.ID, Text: text, By: "rule:window"}}
	}
	if err := p.try(enrich("too early")); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("without its note: %v", err)
	}
	p.write(daybook.Op{Observe: &n}, enrich("Bo moved"))
	expect("first", "Bo moved")
	p.write(enrich("Bo moved to Oslo"))
	expect("last", "Bo moved to Oslo")
	p.write(enrich("Bo moved to Oslo"))
	p.read(func(b *Book) error {
		if b.Head().Seq != 2 {
			t.Errorf("saying it again made commit %d", b.Head().Seq)
		}
		return nil
	})
	p.revertHead()
	expect("reverted", "Bo moved")
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(n.ID)}})
	expect("note withdrawn", "")
	p.write(daybook.Op{Observe: &n})
	expect("note added again", "")
	p.sound()
}

// life is a subject with facts of three relations.
func life(p *pen) map[string]daybook.Fact {
	bo := daybook.Entity{ID: daybook.EntityNamed("Bo"), Name: "Bo"}
	p.write(daybook.Op{Entity: &bo})
	facts := map[string]daybook.Fact{
		"job":     {Subject: bo.ID, Relation: "works_at", Object: "Acme", Valid: day(1)},
		"retired": {Subject: bo.ID, Relation: "status", Object: "retired", Valid: day(5)},
		"travels": {Subject: bo.ID, Relation: "is_doing", Object: "travelling", Valid: day(9)},
	}
	for name, f := range facts {
		f = f.Named()
		facts[name] = f
		p.write(daybook.Op{Fact: &f})
	}
	return facts
}

// told shows the states of Bo in short.
func told(p *pen) string {
	var lines []string
	p.read(func(b *Book) error {
		states, err := b.States(Select{Subject: "Bo"})
		for _, st := range states {
			line := strings.Join(append([]string{st.Relation}, st.Also...), "+")
			for _, per := range st.Periods {
				line += fmt.Sprintf(" %s:%s", per.Object, per.Role)
			}
			lines = append(lines, line)
		}
		return err
	})
	return strings.Join(lines, "; ")
}

func TestLinksJoinRelations(t *testing.T) {
	p := newPen(t)
	facts := life(p)
	expect := func(when, want string) {
		t.Helper()
		if got := told(p); got != want {
			t.Errorf("%s: %s\nwant %s", when, got, want)
		}
		p.sound()
	}
	link := func(kind daybook.LinkKind, from, to string) daybook.Link {
		return daybook.Link{Kind: kind, From: string(facts[from].ID), To: string(facts[to].ID), By: "rule:test"}.Named()
	}
	relate := func(l daybook.Link) { t.Helper(); p.write(daybook.Op{Relate: &l}) }
	const apart = "is_doing travelling:current; status retired:current; works_at Acme:current"
	expect("apart", apart)
	relate(link(daybook.MayUpdate, "retired", "job"))
	expect("may update", apart)
	update := link(daybook.Updates, "retired", "job")
	relate(update)
	expect("updated", "is_doing travelling:current; works_at+status Acme:historical retired:current")
	relate(link(daybook.Contradicts, "travels", "retired"))
	expect("a chain", "works_at+is_doing+status Acme:historical retired:contested travelling:contested")
	p.revertHead()
	expect("reverted", "is_doing travelling:current; works_at+status Acme:historical retired:current")
	again := daybook.Fact{Subject: facts["job"].Subject, Relation: "works_at", Object: "Acme"}
	p.write(daybook.Op{Fact: &again}) // it had ended, so this is new, and of no other value to close
	expect("begun again", "is_doing travelling:current; works_at+status Acme:historical retired:current Acme:current")
	p.revertHead()
	const joined = "is_doing travelling:current; works_at+status Acme:historical retired:current"
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(update.ID), By: "rule:other"}})
	expect("not withdrawn by another judge", joined)
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(update.ID), By: "rule:test"}})
	expect("withdrawn by its judge", apart)
	relate(update)
	expect("which may judge anew", joined)
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(update.ID)}})
	expect("withdrawn", apart)
	relate(update)
	expect("a rule does not overrule", apart)
	update.By = "ana"
	relate(update)
	expect("a person may", "is_doing travelling:current; works_at+status Acme:historical retired:current")
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(facts["retired"].ID)}})
	expect("the newer withdrawn", "is_doing travelling:current; works_at Acme:current")
}

// A link between names that were merged joins until they are split.
func TestJoinedThroughMerge(t *testing.T) {
	p := newPen(t)
	facts := life(p)
	bob := daybook.Entity{ID: daybook.EntityNamed("Bobby"), Name: "Bobby"}
	moved := daybook.Fact{Subject: bob.ID, Relation: "was_hired_by", Object: "Globex", Valid: day(3)}.Named()
	l := daybook.Link{Kind: daybook.Updates, From: string(moved.ID), To: string(facts["job"].ID), By: "rule:test"}
	p.write(daybook.Op{Entity: &bob}, daybook.Op{Fact: &moved})
	if err := p.try(daybook.Op{Relate: &l}); err == nil || !strings.Contains(err.Error(), "different subjects") {
		t.Errorf("before the merge: %v", err)
	}
	p.write(daybook.Op{Merge: &daybook.Merge{From: bob.ID, Into: facts["job"].Subject}})
	p.write(daybook.Op{Relate: &l})
	if got := told(p); !strings.Contains(got, "works_at+was_hired_by Acme:historical Globex:current") {
		t.Errorf("merged: %s", got)
	}
	p.sound()
	p.write(daybook.Op{Split: &daybook.Split{Entity: bob.ID}})
	if got := told(p); !strings.Contains(got, "works_at Acme:current") {
		t.Errorf("split: %s", got)
	}
	p.sound()
}

// A fact that other notes support stays closed when one of its notes is forgotten.
func TestForgetKeepsJudgements(t *testing.T) {
	p := newPen(t)
	facts := life(p)
	for _, id := range []string{"m1", "m2"} {
		n := note(id, "Bo works at Globex")
		p.write(daybook.Op{Observe: &n})
	}
	job := facts["job"]
	job.Object, job.Relation, job.Sources = "Globex", "employed_by", []daybook.NoteID{note("m1", "").ID, note("m2", "").ID}
	job = job.Named()
	l := daybook.Link{Kind: daybook.Updates, From: string(facts["retired"].ID), To: string(job.ID), By: "rule:test", Why: "as m1 says"}
	p.write(daybook.Op{Fact: &job}, daybook.Op{Relate: &l})
	const want = "employed_by+status Globex:historical retired:current; is_doing travelling:current; works_at Acme:current"
	if got := told(p); got != want {
		t.Fatalf("before: %s", got)
	}
	p.forget("m1")
	if got := told(p); got != want {
		t.Errorf("after: %s", got)
	}
	p.sound()
}

func (p *pen) forget(id string) {
	p.t.Helper()
	err := p.store.Update(p.t.Context(), daybook.Scope{}, func(w store.Writer) error {
		_, err := Ledger{Now: func() time.Time { return p.now }, Rand: rand.Reader}.Forget(w, daybook.Scope{}, "test", Forget{IDs: []string{id}})
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// A note that was withdrawn supports nothing when the other one is forgotten.
func TestForgetAfterRetract(t *testing.T) {
	p := newPen(t)
	a, b := note("m1", "Bo left"), note("m2", "Bo left, I hear")
	f := daybook.Fact{Subject: daybook.EntityNamed("Bo"), Relation: "status", Object: "away", Valid: day(1), Sources: []daybook.NoteID{a.ID, b.ID}}.Named()
	p.write(daybook.Op{Observe: &a}, daybook.Op{Observe: &b}, daybook.Op{Fact: &f})
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(b.ID)}})
	p.forget("m1")
	if got := told(p); got != "" {
		t.Errorf("still believed: %s", got)
	}
	p.sound()
}

// A difference shows what a link did to each relation.
func TestDiffOfJoined(t *testing.T) {
	p := newPen(t)
	facts := life(p)
	l := daybook.Link{Kind: daybook.Updates, From: string(facts["retired"].ID), To: string(facts["job"].ID), By: "rule:test"}
	p.write(daybook.Op{Relate: &l})
	p.write(daybook.Op{Retract: &daybook.Retract{Target: string(facts["retired"].ID)}})
	compare := func(back uint64) (lines []string) {
		p.read(func(b *Book) error {
			from, err := commitAt(b.r, b.Head().Seq-back-1)
			if err != nil {
				return err
			}
			to, err := commitAt(b.r, b.Head().Seq-back)
			if err != nil {
				return err
			}
			d, err := Compare(b.r, from, to, p.now)
			for _, st := range d.States {
				lines = append(lines, fmt.Sprintf("%s -%d +%d", st.Relation, len(st.Removed), len(st.Added)))
			}
			return err
		})
		return lines
	}
	if got := compare(1); !slices.Equal(got, []string{"works_at -1 +1"}) {
		t.Errorf("the link: %v", got)
	}
	if got := compare(0); !slices.Equal(got, []string{"status -1 +0", "works_at -1 +1"}) {
		t.Errorf("the retraction: %v", got)
	}
}

// BenchmarkNear reads one event with its links in a scope of many: the cost must
// not follow the size of the scope.
func BenchmarkNear(b *testing.B) {
	for _, size := range []int{1_000, 20_000} {
		p := newPen(b)
		ids := chain(p, size)
		b.Run(fmt.Sprintf("events=%d", size), func(b *testing.B) {
			i := 0
			for b.Loop() {
				i++
				p.read(func(book *Book) error {
					if _, err := book.Event(ids[i*7919%size]); err != nil {
						return err
					}
					_, err := book.EventLinks(ids[i*7919%size])
					return err
				})
			}
		})
	}
}

// chain writes events, each with a fact and caused by the one before.
func chain(p *pen, size int) (ids []daybook.EventID) {
	var ops []daybook.Op
	for i := range size {
		e := daybook.Event{Kind: daybook.Action, Text: fmt.Sprint("event ", i), Participants: []daybook.EntityID{"ent_a"}, Time: day(1 + i)}.Named()
		f := daybook.Fact{Subject: "ent_a", Relation: "did", Object: fmt.Sprint("thing ", i), Valid: day(1 + i), Event: e.ID}.Named()
		ops = append(ops, daybook.Op{Event: &e}, daybook.Op{Fact: &f})
		if i > 0 {
			ops = append(ops, daybook.Op{Relate: &daybook.Link{Kind: daybook.Causes, From: string(ids[i-1]), To: string(e.ID), By: "rule:test"}})
		}
		ids = append(ids, e.ID)
		if len(ops) > 500 {
			p.write(ops...)
			ops = nil
		}
	}
	p.write(ops...)
	return ids
}

// counting counts the contents that are read.
type counting struct {
	store.Writer
	read *int
}

func (c counting) ByKey(k store.Key, within store.Range) iter.Seq2[store.Content, error] {
	return c.count(c.Writer.ByKey(k, within))
}

func (c counting) Contents(within store.Range) iter.Seq2[store.Content, error] {
	return c.count(c.Writer.Contents(within))
}

func (c counting) count(all iter.Seq2[store.Content, error]) iter.Seq2[store.Content, error] {
	return func(yield func(store.Content, error) bool) {
		for content, err := range all {
			*c.read++
			if !yield(content, err) {
				return
			}
		}
	}
}

// Learning from a note, and reading an event with its links, take as many reads in
// a large scope as in a small one.
func TestNothingScansTheScope(t *testing.T) {
	reads := func(size int) (learn, read int) {
		p := newPen(t)
		ids := chain(p, size)
		n := note("m1", "something new")
		e := daybook.Event{Kind: daybook.Action, Text: "new", Participants: []daybook.EntityID{"ent_a"}, Time: day(1 + size), Quotes: []daybook.Quote{{Note: n.ID, Start: 0, End: 4}}}.Named()
		f := daybook.Fact{Subject: "ent_a", Relation: "did", Object: "more", Valid: day(1 + size), Event: e.ID}.Named()
		err := p.store.Update(t.Context(), daybook.Scope{}, func(w store.Writer) error {
			ledger := Ledger{Now: func() time.Time { return p.now }, Rand: rand.Reader}
			_, err := ledger.Apply(counting{w, &learn}, Change{Author: "test", Ops: []daybook.Op{
				{Observe: &n}, {Enrich: &daybook.Enrichment{Note: n.ID, Text: "enriched", By: "rule:test"}}, {Event: &e}, {Fact: &f},
				{Relate: &daybook.Link{Kind: daybook.Causes, From: string(ids[size/2]), To: string(e.ID), By: "rule:test"}},
			}})
			if err != nil {
				return err
			}
			b, err := Open(counting{w, &read}, daybook.AsOf{}, p.now)
			if err != nil {
				return err
			}
			if _, err := b.Learned("m1"); err != nil {
				return err
			}
			_, err = b.EventLinks(ids[size/2])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return learn, read
	}
	smallLearn, smallRead := reads(60)
	learn, read := reads(300)
	if learn != smallLearn || read > smallRead+5 { // a chain may pass one more month
		t.Errorf("with 300 events %d and %d contents are read, with 60 only %d and %d", learn, read, smallLearn, smallRead)
	}
	if learn == 0 || read == 0 {
		t.Error("nothing was counted")
	}
}
