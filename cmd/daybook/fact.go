package main

import (
	"daybook"
	"daybook/engine"
)

type factCmd struct {
	Add factAddCmd `cmd:"" help:"State that SUBJECT RELATION OBJECT holds, such as: alice lives_in Paris."`
}

type factAddCmd struct {
	Subject     string   `arg:"" help:"Who or what the fact is about."`
	Relation    string   `arg:"" help:"Such as lives_in, works_at, likes."`
	Object      string   `arg:"" help:"The value."`
	ValidFrom   string   `help:"Since when it holds; now if not given." placeholder:"TIME"`
	ValidUntil  string   `help:"The first time at which it no longer holds." placeholder:"TIME"`
	Why         string   `help:"The reason." placeholder:"TEXT"`
	Sentiment   string   `help:"How the speaker feels about it." placeholder:"TEXT"`
	Alternative []string `help:"What else was considered; may be repeated." placeholder:"TEXT" sep:"none"`
	Confidence  float64  `help:"Between 0 and 1." placeholder:"P"`
	Source      []string `help:"Id of a note it stands on; may be repeated." placeholder:"NOTE" sep:"none"`
	Supersedes  []string `help:"Id of a fact of the same subject that it takes the place of, or of a note that states such facts; may be repeated." placeholder:"ID" sep:"none"`
	OneValued   bool     `help:"The relation holds one value at a time: a new one closes the old." xor:"holds"`
	ManyValued  bool     `help:"The relation holds many values at a time." xor:"holds"`
	Planned     bool     `help:"A plan, not yet so; it closes nothing."`
	Message     string   `short:"m" help:"Commit message." placeholder:"TEXT"`
}

func (c *factAddCmd) Run(a *app) error {
	valid, err := daybook.ParseSpan(c.ValidFrom, c.ValidUntil)
	if err != nil {
		return err
	}
	f := engine.NewFact{
		Subject: c.Subject, Relation: c.Relation, Object: c.Object, Valid: valid, Confidence: c.Confidence,
		Context: daybook.Context{Why: c.Why, Sentiment: c.Sentiment, Alternatives: c.Alternative},
		Sources: c.Source, Session: a.Session, Supersedes: c.Supersedes,
	}
	switch {
	case c.OneValued:
		f.Holds = daybook.OneValue
	case c.ManyValued:
		f.Holds = daybook.Many
	}
	if c.Planned {
		f.Modality = daybook.Planned
	}
	return a.with(func(e *engine.Engine) error {
		r, err := e.AddFact(a.ctx, a.scope(), a.by(c.Message), f)
		if err != nil {
			return err
		}
		return a.receipt(e, r)
	})
}
