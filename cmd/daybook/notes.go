package main

import (
	"daybook"
	"daybook/engine"
)

type notesCmd struct {
	asOfFlags
	Limit int `help:"At most so many, the last ones; 0 means all." default:"20"`
}

func (c *notesCmd) Run(a *app) error {
	if c.Limit < 0 {
		return daybook.Errorf(daybook.Invalid, "--limit is %d; it cannot be below 0", c.Limit)
	}
	return a.reading(func(e *engine.Engine) error {
		at, err := c.parse(e.Now())
		if err != nil {
			return err
		}
		notes := []daybook.Note{}
		err = e.Notes(a.ctx, a.scope(), a.Session, at, func(n daybook.Note) error {
			notes = append(notes, n)
			if c.Limit > 0 && len(notes) > c.Limit {
				notes = notes[1:]
			}
			return nil
		})
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"notes": notes})
		}
		var rows [][]string
		for _, n := range notes {
			rows = append(rows, []string{when(n.Time), line(n.Session, 20), a.bold(line(n.Speaker, 20)), line(n.Text, 100), a.dim(string(n.ID))})
		}
		a.table(rows)
		return nil
	})
}
