package main

import (
	"fmt"
	"strings"

	"daybook/engine"
)

type traceCmd struct {
	encoderFlag
	Answer string `arg:"" help:"Id of an answer, or its beginning."`
}

// Help says what comes back.
func (c *traceCmd) Help() string {
	return `Each sentence of the answer is shown with the messages that bear it out, or as unsupported; then the
paths that lead to it, with their scores. The question is looked up again; the answer stays as it was given.`
}

func (c *traceCmd) Run(a *app) error {
	return a.asking(c.encoderFlag, false, func(e *engine.Engine) error {
		kept, err := e.FindAnswer(a.ctx, a.scope(), c.Answer)
		if err != nil {
			return err
		}
		q := engine.Asked{Text: kept.Text, View: kept.View, At: kept.At, Budget: kept.Budget}
		trace, err := e.Trace(a.ctx, a.scope(), q, &kept.Answer)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(trace)
		}
		a.printf("%s\n", a.dim(line(kept.Text, 200)))
		for _, s := range trace.Sentences {
			mark := "unsupported"
			if len(s.Rows) > 0 {
				mark = strings.Trim(fmt.Sprint(s.Rows), "[]")
			}
			a.printf("%s  %s\n", a.bold(line(s.Text, 200)), a.dim(fmt.Sprintf("%s (%.2f)", mark, s.Support)))
		}
		for _, cited := range trace.Answer.Citations {
			a.printf("  [%d] %s  %s\n", cited.N, line(cited.Quote, 160), a.dim(string(cited.ID)))
		}
		for _, p := range trace.Paths {
			a.printf("path %.2f  %s\n", p.Score, line(p.Path, 200))
		}
		return nil
	})
}
