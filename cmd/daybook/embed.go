package main

import (
	"daybook"
	"daybook/engine"
)

type embedCmd struct {
	encoderFlag
	Again      bool `help:"Drop the encoder's vectors first and make them all anew."`
	DropOthers bool `help:"Then drop the vectors of every other encoder."`
	Everyone   bool `help:"In every scope of the home."`
}

// Help says what vectors are to the ledger.
func (c *embedCmd) Help() string {
	return `Vectors are derived: each encoder has a space of its own beside the ledger, and spaces are
never mixed. Changing the encoder takes nothing in again; it makes vectors of what is there.`
}

func (c *embedCmd) Run(a *app) error {
	enc, err := a.encoder(c.encoderFlag)
	if err != nil {
		return err
	}
	return a.existing(func(e *engine.Engine) error {
		e = e.WithEncoder(enc)
		scopes := []daybook.Scope{a.scope()}
		if c.Everyone {
			if scopes, err = e.Scopes(a.ctx); err != nil {
				return err
			}
		}
		done := []scopeEmbedding{}
		for _, sc := range scopes {
			em, err := c.embed(a, e, sc)
			if err != nil {
				return err
			}
			done = append(done, scopeEmbedding{sc, em})
		}
		return a.printEmbeddings(done)
	})
}

type scopeEmbedding struct {
	Scope daybook.Scope `json:"scope"`
	engine.Embedding
}

func (c *embedCmd) embed(a *app, e *engine.Engine, scope daybook.Scope) (engine.Embedding, error) {
	if c.Again {
		if err := e.DropSpace(a.ctx, scope); err != nil {
			return engine.Embedding{}, err
		}
	}
	em, err := e.Embed(a.ctx, scope, func(em engine.Embedding) {
		a.progress("scope %s: %d vectors, %d of %d commits", line(scope.String(), 40), em.Vectors, em.UpTo, em.Head)
	})
	a.endProgress()
	if err != nil || !c.DropOthers {
		return em, err
	}
	return em, e.DropOtherSpaces(a.ctx, scope)
}

func (a *app) printEmbeddings(done []scopeEmbedding) error {
	if a.JSON {
		return a.json(map[string]any{"scopes": done})
	}
	var rows [][]string
	for _, d := range done {
		rows = append(rows, []string{"scope " + line(d.Scope.String(), 60), plural(d.Vectors, "vector"), a.dim(d.Encoder)})
	}
	a.table(rows)
	return nil
}
