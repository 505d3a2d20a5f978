package main

import (
	"fmt"
	"slices"
	"strings"

	"daybook"
	"daybook/engine"
)

type historyCmd struct {
	asOfFlags
	Subject  string `arg:"" help:"Who or what."`
	Relation string `arg:"" optional:"" help:"Only this relation."`
}

func (c *historyCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		at, err := c.parse(e.Now())
		if err != nil {
			return err
		}
		histories, err := e.History(a.ctx, a.scope(), engine.FactQuery{Subject: c.Subject, Relation: c.Relation, Session: a.Session, At: at})
		if daybook.KindOf(err) == daybook.NotFound {
			return fmt.Errorf("%w; 'daybook entities' lists who and what is known", err)
		}
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
	a.printf("%s %s\n", a.bold(line(h.Subject.Name, 40)), a.bold(line(strings.Join(append([]string{h.Relation}, h.Also...), ", "), 120)))
	var rows [][]string
	for _, p := range h.Periods {
		row := []string{"  " + p.Valid.String(), a.bold(line(p.Object, 60)), a.role(p.Role), a.dim(why(p.Facts[0].Context.Why))}
		if len(h.Also) > 0 {
			row = slices.Insert(row, 1, line(relationOf(h.State, p), 40))
		}
		rows = append(rows, row)
	}
	a.table(rows)
	for _, t := range h.Transitions {
		if t.From == "" && t.To != "" {
			continue // the first value is no change
		}
		a.printf("  %s %s\n", a.dim("changed"), a.transition(t))
	}
}

// named shows a value, with its relation where that does not name the state.
func named(relation, value string) string {
	if relation == "" {
		return line(value, 60)
	}
	return line(relation, 40) + " " + line(value, 60)
}

// transition tells one change in a sentence.
func (a *app) transition(t daybook.Transition) string {
	to := named(t.ToRelation, t.To)
	if to == "" {
		to = "nothing"
	}
	s := named(t.FromRelation, t.From) + " → " + to + " on " + t.ValidAt.Format("2006-01-02") + a.dim(", learned "+when(t.Learned))
	if t.Why != "" {
		s += " " + a.dim(why(t.Why))
	}
	return s
}
