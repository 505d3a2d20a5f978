package main

import (
	"os"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/tree"
)

// treeFlags choose the models that trees are asked with.
type treeFlags struct {
	encoderFlag
	Entailer string `help:"Entailment model to use." env:"DAYBOOK_ENTAILER" placeholder:"MODEL"`
}

// treeEngine gives an engine the models that the flags and the environment name.
func (a *app) treeEngine(f treeFlags, e *engine.Engine) (*engine.Engine, error) {
	enc, err := a.encoder(f.encoderFlag)
	if err != nil {
		return nil, err
	}
	m := tree.Models{Encoder: enc}
	if f.Entailer != "" {
		if m.Entailer, err = openSlot(a, f.Entailer, model.OpenEntailer); err != nil {
			return nil, err
		}
	}
	endpoint, err := model.ChatEndpoint(os.Getenv)
	if err == nil {
		m.Completer, err = model.NewOpenAI(endpoint)
	} else if daybook.KindOf(err) == daybook.NotFound {
		err = nil // no language model; the templates do
	}
	return e.WithEncoder(enc).WithTreeModels(m), err
}

type queryCmd struct {
	treeFlags
	Query     string  `arg:"" help:"Query in Semantic XPath, such as '//Day[3]/POI[node~=\"museum\"]'."`
	Tree      string  `help:"Tree to ask." placeholder:"NAME" xor:"what"`
	Memory    bool    `help:"Ask the memory itself: Memory/Session/Note, Memory/Topic/Session/Event. This is what happens without --tree." xor:"what"`
	Explain   bool    `help:"Show every step, with the score of each node and its parts."`
	Scorer    string  `help:"What weighs ~=: blend, embedding, words, exact, entailment or llm." placeholder:"NAME"`
	Limit     int     `help:"At most so many nodes of a query that weighs them; 0 means all." default:"${limit}"`
	Threshold float64 `help:"Leave out nodes of a query that weighs them below this weight." default:"${threshold}"`
	KnownAt   string  `help:"As the ledger knew it at this time." placeholder:"TIME"`
}

// Help points to the language.
func (c *queryCmd) Help() string {
	return `Steps walk down (/child, //descendant), [2] [-1] [2:4] choose by position below each parent,
[node~="…"] and [attribute~="…"] weigh by meaning, [@attribute="…"] compares exactly. See docs/query.md.`
}

func (c *queryCmd) Run(a *app) error {
	if c.Limit < 0 {
		return daybook.Errorf(daybook.Invalid, "--limit is %d; it cannot be below 0", c.Limit)
	}
	if strings.TrimSpace(c.Query) == "" {
		return daybook.Errorf(daybook.Invalid, "the query is empty; /Memory/Session/Note asks for all messages, docs/query.md has the language")
	}
	return a.existing(func(e *engine.Engine) error {
		e, err := a.treeEngine(c.treeFlags, e)
		if err != nil {
			return err
		}
		at, err := asOfFlags{KnownAt: c.KnownAt}.parse(e.Now())
		if err != nil {
			return err
		}
		found, err := e.Query(a.ctx, a.scope(), engine.Query{
			Text: c.Query, Tree: c.Tree, Scorer: c.Scorer, At: at, Limit: c.Limit, Threshold: c.Threshold,
		})
		if err != nil {
			return err
		}
		report, err := found.Report(a.ctx, c.Explain)
		if err != nil {
			return err
		}
		if err := a.printFound(report, c.Explain); err != nil {
			return err
		}
		if len(report.Nodes) == 0 && !a.JSON {
			a.printf("%s\n", a.dim(c.typesThere()))
		}
		return nil
	})
}

// typesThere says what a step can name; a type that is written otherwise finds nothing.
func (c *queryCmd) typesThere() string {
	if c.Tree == "" {
		return "the types are Topic, Session, Note and Event"
	}
	return "'daybook tree schema " + line(c.Tree, 60) + "' lists the types that there are"
}

func (a *app) printFound(r engine.QueryReport, explain bool) error {
	if a.JSON {
		return a.json(r)
	}
	if explain {
		for _, s := range r.Steps {
			a.printStep(s)
		}
	}
	if len(r.Nodes) == 0 {
		a.printf("no node\n")
		return nil
	}
	var rows [][]string
	for _, n := range r.Nodes {
		score := ""
		if r.Scorer != "" {
			score = weight(n.Score)
		}
		rows = append(rows, []string{score, a.bold(line(n.Path, 60)), line(n.Text, 90), a.dim(line(n.ID, 40))})
	}
	a.table(rows)
	if r.Left > 0 {
		a.printf("%s\n", a.dim(plural(r.Left, "node")+" left out by --limit and --threshold"))
	}
	return nil
}

func (a *app) printStep(s engine.FoundStep) {
	a.printf("%s  %d → %d\n", a.bold(line(s.Step, 200)), s.InCount, s.OutCount)
	for _, n := range s.Scores {
		a.printScore(n, 1)
	}
}

func (a *app) printScore(n engine.ScoredNode, depth int) {
	a.printf("%s%s  %s  %s\n", strings.Repeat("  ", depth), weight(n.Score), line(n.Label, 50), a.dim(line(n.Predicate, 80)))
	for _, p := range n.Parts {
		a.printScore(p, depth+1)
	}
}
