package main

import (
	"daybook"
	"daybook/engine"
)

type entitiesCmd struct{}

func (c *entitiesCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		all, err := e.Entities(a.ctx, a.scope())
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"entities": append([]daybook.Entity{}, all...)})
		}
		var rows [][]string
		for _, ent := range all {
			rows = append(rows, []string{a.bold(line(ent.Name, 60)), ent.Kind, a.dim(string(ent.ID))})
		}
		a.table(rows)
		return nil
	})
}

type mergeCmd struct {
	From string `arg:"" help:"The name that is given up."`
	Into string `arg:"" help:"The name that stays."`
	Why  string `help:"The reason." placeholder:"TEXT"`
}

func (c *mergeCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		r, err := e.Merge(a.ctx, a.scope(), a.by(""), c.From, c.Into, c.Why)
		if err != nil {
			return err
		}
		return a.receipt(e, r)
	})
}

type splitCmd struct {
	Name string `arg:"" help:"The name that was merged into another."`
	Why  string `help:"The reason." placeholder:"TEXT"`
}

func (c *splitCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		r, err := e.Split(a.ctx, a.scope(), a.by(""), c.Name, c.Why)
		if err != nil {
			return err
		}
		return a.receipt(e, r)
	})
}
