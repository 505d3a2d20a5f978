package main

import (
	"daybook"
	"daybook/engine"
)

type historyCmd struct {
	asOfFlags
	Subject  string `arg:"" help:"Who or what."`
	Relation string `arg:"" optional:"" help:"Only this relation."`
}

func (c *historyCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		at, err := c.parse(e.Now())
		if err != nil {
			return err
		}
		histories, err := e.History(a.ctx, a.scope(), engine.FactQuery{Subject: c.Subject, Relation: c.Relation, Session: a.Session, At: at})
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"states": histories})
		}
		for _, h := range histories {
			a.printHistory(h)
		}
		return nil
	})
}

func (a *app) printHistory(h engine.History) {
	a.printf("%s %s\n", a.bold(line(h.Subject.Name, 40)), a.bold(line(h.Relation, 40)))
	var rows [][]string
	for _, p := range h.Periods {
		rows = append(rows, []string{"  " + p.Valid.String(), a.bold(line(p.Object, 60)), a.role(p.Role), a.dim(why(p.Facts[0].Context.Why))})
	}
	a.table(rows)
	for _, t := range h.Transitions {
		if t.From == "" && t.To != "" {
			continue // the first value is no change
		}
		a.printf("  %s %s\n", a.dim("changed"), a.transition(t))
	}
}

// transition tells one change in a sentence.
func (a *app) transition(t daybook.Transition) string {
	to := line(t.To, 60)
	if to == "" {
		to = "nothing"
	}
	s := line(t.From, 60) + " → " + to + " on " + t.ValidAt.Format("2006-01-02") + a.dim(", learned "+when(t.Learned))
	if t.Why != "" {
		s += " " + a.dim(why(t.Why))
	}
	return s
}
