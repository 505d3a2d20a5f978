package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

type forgetCmd struct {
	ID         []string `arg:"" optional:"" help:"Ids of notes (ours or yours), facts or events."`
	Entity     string   `help:"A person, place or thing, and everything that names it." placeholder:"NAME"`
	Tree       string   `help:"A tree, with all its versions." placeholder:"NAME"`
	Everything bool     `help:"All that the scope holds."`
	DryRun     bool     `help:"Only say what would be erased."`
	Yes        bool     `short:"y" help:"Do not ask."`
	Out        string   `short:"o" help:"Write the certificate to this file as well." placeholder:"FILE"`
}

// Help says how the parts of the command line choose.
func (c *forgetCmd) Help() string {
	return `Names ids, or --entity, or --tree, or --session alone for one conversation, or --user alone
for all that is kept of a user, with every agent. Erasure follows provenance: what was
learned from erased notes goes with them. The ledger keeps only hashes, and the
certificate that is printed can be verified later with 'daybook check --certificate'.`
}

// selection turns the command line into what to forget, and in which scopes.
func (c *forgetCmd) selection(a *app, e *engine.Engine) (graph.Forget, []daybook.Scope, error) {
	here := []daybook.Scope{a.scope()}
	given := 0
	for _, is := range []bool{len(c.ID) > 0, c.Entity != "", c.Tree != "", c.Everything} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return graph.Forget{}, nil, daybook.Errorf(daybook.Invalid, "forget: give ids, or --entity, or --tree, or --everything, and only one of them")
	case len(c.ID) > 0:
		return graph.Forget{IDs: c.ID}, here, nil
	case c.Entity != "":
		return graph.Forget{Entity: c.Entity}, here, nil
	case c.Tree != "":
		return graph.Forget{Tree: c.Tree}, here, nil
	case c.Everything:
		return graph.Forget{All: true}, here, nil
	case a.Session != "":
		return graph.Forget{Session: a.Session}, here, nil
	case a.User != "" && a.typed["user"]: // not from the environment: that would be too easy
		scopes, err := c.scopesOfUser(a, e)
		return graph.Forget{All: true}, scopes, err
	}
	return graph.Forget{}, nil, daybook.Errorf(daybook.Invalid, "forget: say what: ids, --entity, --tree, --session, --user or --everything")
}

// scopesOfUser are the user's scopes: one agent's where one is named, else all.
func (c *forgetCmd) scopesOfUser(a *app, e *engine.Engine) (scopes []daybook.Scope, err error) {
	scopes, err = e.ScopesOf(a.ctx, a.scope())
	if err == nil && len(scopes) == 0 {
		err = daybook.Errorf(daybook.NotFound, "forget: nothing is kept of user %q", a.User)
	}
	return scopes, err
}

func (c *forgetCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		what, scopes, err := c.selection(a, e)
		if err != nil {
			return err
		}
		counts, holding, err := e.PlanForgetIn(a.ctx, scopes, what)
		if err != nil {
			return err
		}
		if len(counts) == 0 {
			return daybook.Errorf(daybook.NotFound, "forget: there is nothing left to erase in scope %s", a.scope())
		}
		if c.DryRun {
			return c.printPlan(a, counts)
		}
		if err := c.confirm(a, counts, holding); err != nil {
			return err
		}
		return c.erase(a, e, holding, what)
	})
}

func (c *forgetCmd) confirm(a *app, counts map[string]int, scopes []daybook.Scope) error {
	if c.Yes {
		return nil
	}
	from := "scope " + line(scopes[0].String(), 80)
	if n := len(scopes); n > 1 {
		from = fmt.Sprintf("all %d scopes of user %s", n, line(a.User, 80))
	}
	ok, err := a.confirm(fmt.Sprintf("Erase %s from %s for good?", summary(graph.LogEntry{Counts: counts}), from))
	if err == nil && !ok {
		err = daybook.Errorf(daybook.Invalid, "forget: not confirmed; nothing was erased")
	}
	return err
}

func (c *forgetCmd) erase(a *app, e *engine.Engine, scopes []daybook.Scope, what graph.Forget) error {
	certs, err := e.ForgetIn(a.ctx, scopes, a.by(""), what)
	if len(certs) == 0 {
		return err
	}
	return errors.Join(err, c.printCertificates(a, certs)) // erased, even if the disk is not clean yet
}

func (c *forgetCmd) printPlan(a *app, counts map[string]int) error {
	if a.JSON {
		return a.json(map[string]any{"counts": counts})
	}
	a.printf("would erase %s\n", summary(graph.LogEntry{Counts: counts}))
	return nil
}

// printCertificates prints the certificate, or a list of them where several
// scopes were erased.
func (c *forgetCmd) printCertificates(a *app, certs []graph.Certificate) error {
	if len(certs) == 0 {
		return nil
	}
	var v any = certs
	if len(certs) == 1 {
		v = certs[0]
	}
	if c.Out != "" {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.Out, append(text, '\n'), 0o600); err != nil {
			return daybook.Errorf(daybook.Unavailable, "the content is erased, but the certificate could not be written: %w", err)
		}
	}
	return a.json(v)
}
