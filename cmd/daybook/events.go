package main

import (
	"fmt"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
)

type eventsCmd struct {
	asOfFlags
	Subject string `help:"Only events in which this person or thing takes part." placeholder:"NAME"`
	Since   string `help:"Only what happened at this time or later." placeholder:"TIME"`
	Until   string `help:"Only what happened up to this time; a coarse time is taken whole." placeholder:"TIME"`
	Note    string `help:"Only what was learned from this message." placeholder:"ID"`
}

func (c *eventsCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		var q engine.EventQuery
		var err error
		if q.At, err = c.parse(e.Now()); err != nil {
			return err
		}
		if q.Between, err = between(c.Since, c.Until); err != nil {
			return err
		}
		q.Subject, q.Session, q.Note = c.Subject, a.Session, c.Note
		events, err := e.Events(a.ctx, a.scope(), q)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"events": append([]daybook.EventView{}, events...)})
		}
		var rows [][]string
		for _, ev := range events {
			rows = append(rows, a.eventRow(ev))
		}
		a.table(rows)
		return nil
	})
}

// between reads a window of time. Its end is exclusive.
func between(since, until string) (w daybook.Span, err error) {
	if since != "" {
		if w.From, _, err = daybook.ParseTime(since); err != nil {
			return w, err
		}
	}
	if until != "" {
		t, granularity, err := daybook.ParseTime(until)
		if err != nil {
			return w, err
		}
		w.Until = granularity.End(t)
		if granularity == daybook.Instant {
			w.Until = t.Add(time.Microsecond)
		}
	}
	return w, w.Validate()
}

func (a *app) eventRow(ev daybook.EventView) []string {
	return []string{eventTime(ev.Time), meant(ev.Event), a.bold(line(ev.Text, 100)), a.validity(ev), a.dim(why(ev.Why)), a.dim(string(ev.ID))}
}

// eventTime shows when something happened: as finely as it is known.
func eventTime(s daybook.Span) string {
	if !s.From.IsZero() && s.Until.IsZero() {
		return s.Granularity.Format(s.From)
	}
	return s.String()
}

// meant is the kind of an event and how it was meant.
func meant(ev daybook.Event) string {
	if ev.Modality == daybook.Asserted {
		return string(ev.Kind)
	}
	return string(ev.Kind) + ", " + string(ev.Modality)
}

// validity says whether an event stands; nothing for one that simply does.
func (a *app) validity(ev daybook.EventView) string {
	switch {
	case ev.Validity == 0:
		return a.dim("superseded " + ev.ValidUntil.Format(time.DateOnly))
	case ev.Validity < 1:
		return "doubtful"
	case !ev.ValidUntil.IsZero():
		return "until " + ev.ValidUntil.Format(time.DateOnly)
	}
	return "stands"
}

type learnedCmd struct {
	asOfFlags
	Note string `arg:"" help:"Id of the message, ours or yours."`
}

func (c *learnedCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		at, err := c.parse(e.Now())
		if err != nil {
			return err
		}
		l, err := e.Learned(a.ctx, a.scope(), c.Note, at)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(l)
		}
		p := learnedPrinter{a, e, l.Note}
		p.print(l)
		return nil
	})
}

// learnedPrinter shows what was learned from a note.
type learnedPrinter struct {
	*app
	engine *engine.Engine
	note   daybook.Note
}

func (a *learnedPrinter) print(l daybook.Learned) {
	a.printf("%s %s\n", a.bold("note"), line(l.Note.Passage(), 400))
	if l.Enriched != nil {
		a.printf("%s %s %s\n", a.bold("read as"), line(l.Enriched.Text, 400), a.dim("by "+line(l.Enriched.By, 40)))
	}
	for _, ev := range l.Events {
		a.event(ev)
	}
	for _, f := range l.Facts {
		a.printf("%s %s %s %s  %s\n", a.bold("fact"), a.words(string(f.Subject)), line(f.Relation, 40), a.bold(line(f.Object, 60)), f.Valid)
		a.printf("  %s%s%s\n", scores(f.Fact), dot(why(f.Context.Why)), a.dim(string(f.ID)))
	}
	for _, lk := range l.Links {
		a.link(lk)
	}
	if len(l.Events)+len(l.Facts) == 0 {
		a.printf("nothing was learned from it\n")
	}
}

// words says what an id stands for: the name of an entity, the sentence of an
// event, the triple of a fact. What is not there any more is shown by its id.
func (a *learnedPrinter) words(id string) string {
	op, err := a.engine.Get(a.ctx, a.scope(), id)
	switch {
	case err != nil:
		return id
	case op.Entity != nil:
		return line(op.Entity.Name, 40)
	case op.Event != nil:
		return "“" + line(op.Event.Text, 80) + "”"
	case op.Fact != nil:
		return "“" + a.words(string(op.Fact.Subject)) + " " + line(op.Fact.Relation, 40) + " " + line(op.Fact.Object, 60) + "”"
	}
	return id
}

func (a *learnedPrinter) event(ev daybook.EventView) {
	a.printf("%s %s  %s, %s  %s\n", a.bold("event"), a.bold(line(ev.Text, 200)), meant(ev.Event), eventTime(ev.Time), a.validity(ev))
	var with []string
	for _, p := range ev.Participants {
		with = append(with, a.words(string(p)))
	}
	if len(with) > 0 {
		a.printf("  with %s\n", strings.Join(with, ", "))
	}
	for _, q := range ev.Quotes {
		if text, ok := q.In(a.note.Text); ok && q.Note == a.note.ID {
			a.printf("  from “%s” %s\n", line(text, 200), a.dim(fmt.Sprintf("bytes %d to %d", q.Start, q.End)))
		}
	}
	if ev.Reason != "" {
		a.printf("  %s\n", ev.Reason)
	}
	a.printf("  %s%s\n", dot(why(ev.Why)), a.dim(string(ev.ID)+by(ev.By)))
}

// by says what made something, where that is known.
func by(maker string) string {
	if maker == "" {
		return ""
	}
	return " by " + line(maker, 60)
}

// dot sets a part of a line apart from the next, where there is one.
func dot(part string) string {
	if part == "" {
		return ""
	}
	return part + " "
}

// scores shows how sure and how important a fact is, and how it is meant, as far
// as that is known.
func scores(f daybook.Fact) string {
	s := ""
	if f.Modality != daybook.Asserted {
		s += string(f.Modality) + ", "
	}
	if f.Confidence > 0 {
		s += fmt.Sprintf("confidence %.2f, ", f.Confidence)
	}
	if f.Importance > 0 {
		s += fmt.Sprintf("importance %.2f, ", f.Importance)
	}
	if s == "" {
		return ""
	}
	return s[:len(s)-2] + " "
}

func (a *learnedPrinter) link(l daybook.LinkView) {
	a.printf("%s %s %s %s\n", a.bold("link"), a.words(l.From), a.bold(string(l.Kind)), a.words(l.To))
	a.printf("  by %s%s", line(l.By, 60), a.dim(" "+dot(why(l.Why))+string(l.ID)))
	if !l.InvalidatedAt.IsZero() {
		a.printf("  invalidated %s", l.InvalidatedAt.Format(time.DateOnly))
	}
	a.printf("\n")
}
