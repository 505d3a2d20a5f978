package main

import (
	"daybook/engine"
)

type revertCmd struct {
	Commit  string `arg:"" help:"The commit to undo: id, beginning of an id, HEAD or HEAD~n."`
	Message string `short:"m" help:"Commit message." placeholder:"TEXT"`
}

func (c *revertCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		r, err := e.Revert(a.ctx, a.scope(), a.by(c.Message), c.Commit)
		if err != nil {
			return err
		}
		return a.receipt(e, r)
	})
}

type retractCmd struct {
	ID  string `arg:"" help:"Id of a note, fact, event or link."`
	Why string `help:"The reason." placeholder:"TEXT"`
}

func (c *retractCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		r, err := e.Retract(a.ctx, a.scope(), a.by(""), c.ID, c.Why)
		if err != nil {
			return err
		}
		return a.receipt(e, r)
	})
}
