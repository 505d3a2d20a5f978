package main

import (
	"fmt"
	"os"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/engine"
	"daybook/model"
)

type askCmd struct {
	asOfFlags
	encoderFlag
	Question  []string `arg:"" optional:"" help:"What is asked."`
	View      string   `help:"Which state is asked for: current, historical, change, neutral; by default what the question itself says." placeholder:"VIEW"`
	Budget    int      `help:"Most tokens of the evidence; 0 means about 2000." placeholder:"N"`
	LLM       bool     `name:"llm" help:"Let the configured language model write the answer."`
	Packet    bool     `help:"Print the evidence that is handed to a reader, and do not answer."`
	Questions string   `help:"File of questions, one JSON object a line with \"id\", \"question\" and perhaps \"as_of\"; one JSON line is printed for each." placeholder:"FILE"`
}

// Help says what comes back.
func (c *askCmd) Help() string {
	return `The answer stands on messages, which are cited by their number in the evidence (--packet shows it), each with
its role: current, historical (superseded), contested, planned, transition (it made the change), aside (said, but not so).
What is not in the memory is "Not known". The last line is the answer's id: 'daybook trace ID' shows what each sentence stands on.`
}

func (c *askCmd) Run(a *app) error {
	question, err := oneQuestion("ask", c.Question, c.Questions)
	if err != nil {
		return err
	}
	if err := daybook.View(c.View).Check("--view"); err != nil {
		return err
	}
	return a.asking(c.encoderFlag, c.LLM, func(e *engine.Engine) error {
		if c.Questions != "" {
			return c.batch(a, e)
		}
		return c.one(a, e.WithEchoes(), question)
	})
}

// asking runs do on an engine that can answer from the memory that is there.
func (a *app) asking(flag encoderFlag, llm bool, do func(*engine.Engine) error) error {
	return a.reading(func(e *engine.Engine) error { return a.answering(e, flag, llm, do) })
}

// answering gives the engine its encoder and, with llm, the configured language
// model, and runs do on it.
func (a *app) answering(e *engine.Engine, flag encoderFlag, llm bool, do func(*engine.Engine) error) error {
	enc, err := a.encoder(flag)
	if err != nil {
		return err
	}
	reader, err := model.DefaultReader()
	if err != nil {
		return err
	}
	e = e.WithEncoder(enc).WithReader(reader)
	if !llm {
		return do(e)
	}
	endpoint, err := model.ChatEndpoint(os.Getenv)
	if err != nil {
		return err
	}
	client, err := model.NewOpenAI(endpoint)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return do(e.WithCompleter(client))
}

func (c *askCmd) asked(e *engine.Engine, q recallLine) (engine.Asked, error) {
	at, err := c.asOfFlags.of(q).parse(e.Now())
	return engine.Asked{Text: q.Question, View: daybook.View(c.View), At: at, Budget: c.Budget}, err
}

func (c *askCmd) one(a *app, e *engine.Engine, question string) error {
	q, err := c.asked(e, recallLine{Question: question})
	if err != nil {
		return err
	}
	if c.Packet {
		asking, err := e.Evidence(a.ctx, a.scope(), q)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(asking.Packet)
		}
		a.printf("%s", asking.Packet.String())
		return nil
	}
	began := time.Now()
	got, err := e.Ask(a.ctx, a.scope(), q)
	if err != nil {
		return err
	}
	if err := e.KeepAnswer(a.ctx, a.scope(), q, got); err != nil {
		return err
	}
	if a.JSON {
		return a.json(engine.NewAnswered("", got, time.Since(began)))
	}
	a.printAnswer(got)
	return nil
}

// batch answers a file of questions.
func (c *askCmd) batch(a *app, e *engine.Engine) error {
	return a.eachQuestion(c.Questions, func(q recallLine) (any, error) {
		began := time.Now()
		asked, err := c.asked(e, q)
		if err != nil {
			return nil, err
		}
		got, err := e.Ask(a.ctx, a.scope(), asked)
		if err != nil {
			return nil, err
		}
		return engine.NewAnswered(q.ID, got, time.Since(began)), nil
	})
}

func (a *app) printAnswer(got answer.Answer) {
	a.printf("%s\n", a.bold(line(got.Text, 400)))
	for _, c := range got.Citations {
		for _, it := range got.Rows {
			if it.N == c.N {
				a.printf("%s\n", a.dim(fmt.Sprintf("  [%d] %s %s: %s  %s", c.N, when(it.Time), line(it.Speaker, 20), line(c.Quote, 120), roleAndReason(it))))
			}
		}
	}
	a.printf("%s\n", a.dim("  "+got.ID))
}

func roleAndReason(it answer.Item) string {
	if it.Reason == "" {
		return string(it.Role)
	}
	return string(it.Role) + ", " + line(it.Reason, 80)
}
