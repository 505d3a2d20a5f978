package main

import (
	"strings"

	"daybook"
	"daybook/engine"
)

type entitiesCmd struct {
	asOfFlags
	Kind string `help:"Only entities of this kind: person, place, organisation or thing." placeholder:"KIND"`
}

func (c *entitiesCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		at, err := c.parse(e.Now())
		if err != nil {
			return err
		}
		all, err := e.EntityViews(a.ctx, a.scope(), at)
		if err != nil {
			return err
		}
		shown := []daybook.EntityView{}
		for _, ent := range all {
			if c.Kind == "" || ent.Kind == c.Kind {
				shown = append(shown, ent)
			}
		}
		if a.JSON {
			return a.json(map[string]any{"entities": shown})
		}
		var rows [][]string
		for _, ent := range shown {
			rows = append(rows, a.entityRow(ent))
		}
		a.table(rows)
		return nil
	})
}

func (a *app) entityRow(ent daybook.EntityView) []string {
	also := ""
	if len(ent.Aliases) > 0 {
		also = "also " + line(strings.Join(ent.Aliases, ", "), 60)
	}
	return []string{a.bold(line(ent.Name, 60)), ent.Kind, plural(ent.Facts, "fact"), plural(ent.Events, "event"), also, a.dim(string(ent.ID))}
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
