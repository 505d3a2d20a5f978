package main

import (
	"io"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
)

type addCmd struct {
	Text    []string `arg:"" help:"The message; '-' reads it from standard input."`
	ID      string   `help:"Your own id for the message. Adding it again changes nothing." placeholder:"ID"`
	Time    string   `help:"When it was said; now if not given." placeholder:"TIME"`
	Speaker string   `help:"Who said it; --user if not given, else 'user'." placeholder:"NAME"`
	Message string   `short:"m" help:"Commit message." placeholder:"TEXT"`
	learnFlags
}

func (c *addCmd) Run(a *app) error {
	n := daybook.Note{SourceID: c.ID, Session: a.Session, Speaker: a.scope().Speaker("", c.Speaker), Text: strings.Join(c.Text, " ")}
	if n.Text == "-" {
		text, err := io.ReadAll(io.LimitReader(a.in, daybook.MaxText+1))
		if err != nil {
			return err
		}
		n.Text = string(text)
	}
	if strings.TrimSpace(n.Text) == "" {
		return daybook.Errorf(daybook.Invalid, "text is empty")
	}
	var err error
	if n.Time, err = optionalTime(c.Time); err != nil {
		return err
	}
	return a.learning(c.learnFlags, func(e *engine.Engine) error {
		r, err := e.Add(a.ctx, a.scope(), a.by(c.Message), []daybook.Note{n})
		if err != nil {
			return err
		}
		return a.receipt(e, r)
	})
}

func optionalTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, _, err := daybook.ParseTime(s)
	return t, err
}

// receipt prints what a write did.
func (a *app) receipt(e *engine.Engine, r daybook.Receipt) error {
	if a.JSON {
		return a.json(r)
	}
	if len(r.IDs) == 1 {
		a.printf("%s ", r.IDs[0])
	}
	if r.Added == 0 && r.Known > 0 && len(r.Closed) == 0 {
		a.printf("known already; nothing was written %s\n", a.dim("(commit "+r.Commit.Short()+")"))
		return nil
	}
	a.printf("%s\n", a.bold("commit "+r.Commit.Short()))
	a.learned(r)
	for _, id := range r.Closed {
		if err := a.mention(e, "closes", id); err != nil {
			return err
		}
	}
	for _, id := range r.Clashes {
		if err := a.mention(e, a.role(daybook.RoleContested), id); err != nil {
			return err
		}
	}
	return nil
}

// mention names a fact in a receipt by what it says.
func (a *app) mention(e *engine.Engine, what string, id daybook.FactID) error {
	op, err := e.Get(a.ctx, a.scope(), string(id))
	if err != nil {
		return err
	}
	a.printf("  %s %s %s %s\n", what, line(op.Fact.Relation, 40), a.bold(line(op.Fact.Object, 60)), a.dim(string(id)))
	return nil
}
