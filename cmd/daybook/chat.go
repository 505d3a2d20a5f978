package main

import (
	"bufio"
	"slices"
	"strings"

	"daybook"
	"daybook/engine"
)

type chatCmd struct {
	encoderFlag
	LLM    bool `name:"llm" help:"Let the configured language model answer."`
	Budget int  `help:"Most tokens of the evidence; 0 means about 2000." placeholder:"N"`
	Keep   bool `help:"Keep what you say as notes." default:"true" negatable:""`
	learnFlags
}

// Help says what the loop does.
func (c *chatCmd) Help() string {
	return `A question is answered from the memory, with the messages that were used under the reply. Anything else is kept as a
message of yours and learned from; with --llm the language model replies to it, too. /help lists the commands; quit, an
empty line or end of input ends the chat.`
}

func (c *chatCmd) Run(a *app) error {
	return a.learning(c.learnFlags, func(e *engine.Engine) error {
		return a.answering(e, c.encoderFlag, c.LLM, func(e *engine.Engine) error { return c.talk(a, e) })
	})
}

// talk replies to one line after the other until there are no more.
func (c *chatCmd) talk(a *app, e *engine.Engine) error {
	lines := bufio.NewScanner(a.in)
	lines.Buffer(nil, 1<<20)
	for a.printf("> "); lines.Scan(); a.printf("> ") {
		said := strings.TrimSpace(lines.Text())
		if said == "" || quits(said) {
			break
		}
		if c.command(a, said) {
			continue
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
}

// chatHelp is what /help prints.
const chatHelp = `a question      is answered from the memory
anything else   is kept, and learned from
/help           this list
/quit           ends the chat; so do quit, exit, /exit, an empty line and Ctrl-D
`

// quits reports a line that ends the chat.
func quits(said string) bool {
	return slices.Contains([]string{"quit", "exit", "/quit", "/exit", "/q"}, strings.ToLower(said))
}

// command carries out a line that is no message, and reports whether it was one.
func (c *chatCmd) command(a *app, said string) bool {
	switch {
	case said == "help" || said == "/help" || said == "/?":
		a.printf("%s", chatHelp)
	case strings.HasPrefix(said, "/") && !strings.ContainsAny(said, " ."):
		a.printf("there is no command %s; /help lists them\n", line(said, 40))
	default:
		return false
	}
	return true
}

// reply answers one line and keeps what is no question. What was only just said is
// not looked up; without a language model there is nothing to say to it.
func (c *chatCmd) reply(a *app, e *engine.Engine, said string) error {
	asks := strings.HasSuffix(said, "?")
	if asks || c.LLM {
		q := engine.Asked{Text: said, Budget: c.Budget}
		got, err := e.Ask(a.ctx, a.scope(), q)
		if err != nil {
			return err
		}
		if err := e.KeepAnswer(a.ctx, a.scope(), q, got); err != nil {
			return err
		}
		a.printAnswer(got)
	}
	if asks || !c.Keep {
		return nil
	}
	r, err := e.Add(a.ctx, a.scope(), a.by("chat"), []daybook.Note{{Session: a.Session, Speaker: a.scope().Speaker("", ""), Text: said}})
	if err != nil {
		return err
	}
	return a.receipt(e, r)
}
