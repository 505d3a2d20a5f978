package main

import (
	"time"

	"daybook"
	"daybook/engine"
)

type topicsCmd struct {
	asOfFlags
	encoderFlag
	Words bool `help:"Compare sessions by their words only, without an encoder."`
}

// Help says what topics are.
func (c *topicsCmd) Help() string {
	return `A topic is a group of sessions that speak of like things. Topics are derived from the notes: a
new session joins the topic that is most like it or begins one, and moves no earlier session.`
}

func (c *topicsCmd) Run(a *app) error {
	return a.topicEngine(c.asOfFlags, c.encoderFlag, c.Words, func(e *engine.Engine, at daybook.AsOf) error {
		topics, err := e.Topics(a.ctx, a.scope(), at)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"topics": append([]daybook.Topic{}, topics...)})
		}
		var rows [][]string
		for _, t := range topics {
			rows = append(rows, []string{a.bold(line(t.Label, 60)), plural(len(t.Sessions), "session"), plural(t.Notes, "note"), fromTo(t.First, t.Last), a.dim(string(t.ID))})
		}
		a.table(rows)
		return nil
	})
}

type sessionsCmd struct {
	asOfFlags
	encoderFlag
	Topic string `help:"Only sessions of this topic, by its id." placeholder:"ID"`
	Words bool   `help:"Compare sessions by their words only, without an encoder."`
}

func (c *sessionsCmd) Run(a *app) error {
	return a.topicEngine(c.asOfFlags, c.encoderFlag, c.Words, func(e *engine.Engine, at daybook.AsOf) error {
		all, err := e.Sessions(a.ctx, a.scope(), at)
		if err != nil {
			return err
		}
		events, err := e.EventCounts(a.ctx, a.scope(), at)
		if err != nil {
			return err
		}
		shown := []sessionRow{}
		for _, s := range all {
			if c.Topic == "" || string(s.Topic) == c.Topic {
				shown = append(shown, sessionRow{s, events[s.ID]})
			}
		}
		if a.JSON {
			return a.json(map[string]any{"sessions": shown})
		}
		var rows [][]string
		for _, s := range shown {
			rows = append(rows, []string{a.bold(line(s.ID, 40)), fromTo(s.First, s.Last), plural(s.Notes, "note"), plural(s.Events, "event"), line(s.Label, 60), a.dim(string(s.Topic))})
		}
		a.table(rows)
		return nil
	})
}

type sessionRow struct {
	daybook.Session
	Events int `json:"events"`
}

// topicEngine runs do on an engine that compares sessions as the flags say.
func (a *app) topicEngine(f asOfFlags, ef encoderFlag, words bool, do func(*engine.Engine, daybook.AsOf) error) error {
	return a.reading(func(e *engine.Engine) error {
		at, err := f.parse(e.Now())
		if err != nil {
			return err
		}
		if !words {
			enc, err := a.encoder(ef)
			if err != nil {
				return err
			}
			e = e.WithEncoder(enc)
		}
		return do(e, at)
	})
}

// fromTo shows when something began and ended: the second day only where it is
// another one.
func fromTo(first, last time.Time) string {
	from, to := first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)
	if from == to {
		return from
	}
	return from + " – " + to
}
