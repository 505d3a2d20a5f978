package main

import (
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

type diffCmd struct {
	Range string `arg:"" help:"A..B: what is believed after B and was not after A. A alone means A..HEAD; 'root' is before the first commit."`
}

func (c *diffCmd) Run(a *app) error {
	from, to, found := strings.Cut(c.Range, "..")
	if !found || to == "" {
		to = "HEAD"
	}
	if from == "" {
		from = "root"
	}
	return a.existing(func(e *engine.Engine) error {
		d, err := e.Diff(a.ctx, a.scope(), from, to)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(d)
		}
		a.printDiff(d)
		return nil
	})
}

func (a *app) printDiff(d graph.Diff) {
	minus, plus := func(s string) string { return a.paint("31", "- "+s) }, func(s string) string { return a.paint("32", "+ "+s) }
	for _, n := range d.NotesRemoved {
		a.printf("%s\n", minus("note "+line(n.Speaker+": "+n.Text, 100)))
	}
	for _, n := range d.NotesAdded {
		a.printf("%s\n", plus("note "+line(n.Speaker+": "+n.Text, 100)))
	}
	period := func(p daybook.Period) string {
		return line(p.Object, 60) + "  " + p.Valid.String() + "  " + string(p.Role)
	}
	for _, st := range d.States {
		a.printf("%s %s\n", a.bold(line(st.Subject.Name, 40)), a.bold(line(st.Relation, 40)))
		for _, p := range st.Removed {
			a.printf("  %s\n", minus(period(p)))
		}
		for _, p := range st.Added {
			a.printf("  %s\n", plus(period(p)))
		}
	}
	if len(d.NotesAdded)+len(d.NotesRemoved)+len(d.States) == 0 {
		a.printf("no difference\n")
	}
}
