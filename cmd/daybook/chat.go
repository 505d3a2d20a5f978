package main

import (
	"bufio"
	"strings"

	"daybook"
	"daybook/engine"
)

type chatCmd struct {
	encoderFlag
	LLM    bool `name:"llm" help:"Let the configured language model answer."`
	Budget int  `help:"Most tokens of the evidence; 0 means about 2000." placeholder:"N"`
	Keep   bool `help:"Keep what you say as notes." default:"true" negatable:""`
}

// Help says what the loop does.
func (c *chatCmd) Help() string {
	return `Each line you type is looked up in the memory, answered, and kept as a note of this session. Under each
reply stand the messages that were used. Without --llm the local reader replies. An empty line or end of
input ends the chat.`
}

func (c *chatCmd) Run(a *app) error {
	return a.asking(c.encoderFlag, c.LLM, func(e *engine.Engine) error {
		lines := bufio.NewScanner(a.in)
		lines.Buffer(nil, 1<<20)
		for a.printf("> "); lines.Scan(); a.printf("> ") {
			said := strings.TrimSpace(lines.Text())
			if said == "" {
				break
			}
			if err := c.reply(a, e, said); err != nil {
				return err
			}
		}
		a.printf("\n")
		if err := lines.Err(); err != nil {
			return daybook.Errorf(daybook.Invalid, "read what was said: %w", err)
		}
		return nil
	})
}

// reply answers one line and keeps it. What was only just said is not looked up.
func (c *chatCmd) reply(a *app, e *engine.Engine, said string) error {
	got, err := e.Ask(a.ctx, a.scope(), engine.Asked{Text: said, Budget: c.Budget})
	if err != nil {
		return err
	}
	a.printAnswer(got)
	if !c.Keep || strings.HasSuffix(said, "?") {
		return nil
	}
	_, err = e.Add(a.ctx, a.scope(), a.by("chat"), []daybook.Note{{Session: a.Session, Speaker: a.User, Text: said}})
	return err
}
