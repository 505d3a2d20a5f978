package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/eval"
	"daybook/extract"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

// benchModels choose what reads and what judges in a bench.
type benchModels struct {
	encoderFlag
	Entailer string    `help:"Entailment model that the bench sick measures." env:"DAYBOOK_ENTAILER" placeholder:"MODEL"`
	Reader   string    `help:"Who answers for systems that only recall: quote (their best row), llm (the configured model, from their rows), none." enum:"quote,llm,none" default:"quote"`
	Judge    string    `help:"Let the configured model judge answers: off, binary (right or wrong), graded (by kind of question), auto (as the data set is judged elsewhere)." enum:"off,binary,graded,auto" default:"off"`
	Tokens   int       `help:"Most tokens that reading and judging may cost; 0 means no limit." placeholder:"N"`
	Price    []float64 `help:"What the language model costs, in dollars per million tokens read and written, e.g. 0.15,0.60. Without it tokens are counted and no dollars." placeholder:"IN,OUT"`
}

// benchLLM is the language model of a bench, with what was asked before and what
// it costs. A nil one is none.
type benchLLM struct {
	completer model.Completer
	model     string
	budget    *model.Budget
	tape      *model.Tape
	client    *model.OpenAI
}

// llm opens the model where a flag asks for one. Replies are kept in the cache's
// folder, by all that was asked.
func (c *benchRunCmd) llm(a *app) (*benchLLM, error) {
	if c.Reader != "llm" && c.Judge == "off" {
		return nil, nil
	}
	endpoint, err := model.ChatEndpoint(os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("bench: --reader llm and --judge need a language model: %w", err)
	}
	client, err := model.NewOpenAI(endpoint)
	if err != nil {
		return nil, err
	}
	prices, err := c.prices(client.Model())
	if err != nil {
		return nil, err
	}
	l := &benchLLM{model: client.Model(), budget: model.NewBudget(c.Tokens, prices), client: client}
	var completer model.Completer = client
	if !c.NoCache {
		if l.tape, err = c.replies(); err != nil {
			return nil, errors.Join(err, client.Close())
		}
		completer = l.tape.Completer(client, client.Model())
	}
	l.completer = l.budget.Completer(completer, client.Model())
	return l, nil
}

// replies opens the recording of what the model said before.
func (c *benchRunCmd) replies() (*model.Tape, error) {
	folder := c.cacheFolder()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open the cache of replies: %w", err)
	}
	return model.RecordTape(filepath.Join(folder, "replies.jsonl"))
}

// prices is what the model costs, where that was said.
func (c *benchRunCmd) prices(name string) (model.Prices, error) {
	switch {
	case len(c.Price) == 0:
		return nil, nil
	case len(c.Price) != 2 || c.Price[0] < 0 || c.Price[1] < 0:
		return nil, daybook.Errorf(daybook.Invalid, "bench: --price takes two numbers, dollars per million tokens read and written")
	}
	return model.Prices{name: {In: c.Price[0], CachedIn: c.Price[0], Out: c.Price[1]}}, nil
}

// close puts what was spent into the report, if there is one.
func (l *benchLLM) close(report *eval.Report) error {
	if l == nil {
		return nil
	}
	if report != nil {
		spent := l.budget.Snapshot()
		report.Spending = &spent
	}
	if l.tape == nil {
		return l.client.Close()
	}
	return errors.Join(l.tape.Close(), l.client.Close())
}

// withReader gives the systems that only recall somebody who answers.
func (c *benchRunCmd) withReader(systems []eval.System, l *benchLLM) []eval.System {
	read := slices.Clone(systems)
	for i, s := range systems {
		if ours, ok := s.(eval.Ours); ok && ours.Ask != nil {
			continue
		}
		switch c.Reader {
		case "quote":
			read[i] = eval.Quoting{System: s}
		case "llm":
			read[i] = eval.Reading{System: s, Completer: l.completer, Model: l.model}
		}
	}
	return read
}

func (c *benchRunCmd) judge(data eval.Dataset, l *benchLLM) *eval.Judge {
	if c.Judge == "off" {
		return nil
	}
	protocol := eval.Protocol(c.Judge)
	if c.Judge == "auto" {
		protocol = eval.Graded
		if strings.HasPrefix(data.Name, "locomo") || data.Name == "trace" {
			protocol = eval.Binary
		}
	}
	return &eval.Judge{Completer: l.completer, Model: l.model, Protocol: protocol}
}

// ours is Daybook itself, with the bench's encoder.
func ours(encoder model.Encoder) eval.Ours {
	return eval.Ours{
		Open:   func(ctx context.Context) (*engine.Engine, func() error, error) { return openTemporary(ctx, encoder) },
		Recall: recallRows,
		Ask:    askEngine,
		Trace:  recallTrail,
	}
}

// recallRows lets the engine recall for a question.
func recallRows(ctx context.Context, e *engine.Engine, scope daybook.Scope, q eval.Question, k int) ([]eval.Row, error) {
	found, err := e.Recall(ctx, scope, recall.Question{Text: q.Text, K: k}, daybook.AsOf{ValidAt: q.AsOf})
	rows := make([]eval.Row, len(found.Rows))
	for i, r := range found.Rows {
		rows[i] = eval.Row{ID: r.SourceID, Role: string(r.Role), Score: r.Score, Legs: slices.Sorted(maps.Keys(r.Explain.Legs))}
	}
	return rows, err
}

// askEngine lets the engine answer a question.
func askEngine(ctx context.Context, e *engine.Engine, scope daybook.Scope, q eval.Question) (eval.Answer, error) {
	got, err := e.Ask(ctx, scope, engine.Asked{Text: q.Text, At: daybook.AsOf{ValidAt: q.AsOf}})
	if err != nil {
		return eval.Answer{}, err
	}
	a := eval.Answer{Text: got.Text, Abstained: !got.Known, Packet: got.Packet.String()}
	for _, it := range got.Rows {
		a.Rows = append(a.Rows, eval.Row{ID: it.Source, Role: string(it.Role), Score: it.Score})
	}
	for _, c := range got.Citations {
		a.Citations = append(a.Citations, c.Source)
	}
	return a, nil
}

// recallTrail says what became of a note.
func recallTrail(ctx context.Context, e *engine.Engine, scope daybook.Scope, q eval.Question, id string) (eval.Trail, error) {
	found, err := e.Recall(ctx, scope, recall.Question{Text: q.Text, WhyNot: id}, daybook.AsOf{ValidAt: q.AsOf})
	if err != nil {
		return eval.Trail{}, err
	}
	return eval.Trail{Legs: slices.Sorted(maps.Keys(found.WhyNot.Legs)), Rank: found.WhyNot.Rank}, nil
}

// openTemporary opens an engine on a store that is gone when it is closed.
func openTemporary(ctx context.Context, encoder model.Encoder) (*engine.Engine, func() error, error) {
	dir, err := os.MkdirTemp("", "daybook-bench-*")
	if err != nil {
		return nil, nil, daybook.Errorf(daybook.Unavailable, "open a temporary store: %w", err)
	}
	s, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	reader, err := model.DefaultReader()
	if err != nil {
		return nil, nil, errors.Join(err, s.Close(), os.RemoveAll(dir))
	}
	e := engine.New(s).WithReader(reader).WithLearner(extract.NewReading(reader, encoder))
	if enc, ok := encoder.(engine.Encoder); ok {
		e = e.WithEncoder(enc)
	}
	return e, func() error { return errors.Join(e.Close(), os.RemoveAll(dir)) }, nil
}

// httpSystem reads http:URL, or the address itself. DAYBOOK_BENCH_AUTHORIZATION
// is sent as the header of that name.
func httpSystem(name string) (eval.System, error) {
	address := name
	if rest, ok := strings.CutPrefix(name, "http:"); ok && !strings.HasPrefix(rest, "//") {
		address = rest
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
	} else if !ok && !strings.HasPrefix(name, "https://") {
		return nil, daybook.Errorf(daybook.Invalid, "bench: no system is called %q; there are ours, bm25, dense, hybrid, recent, http:URL", name)
	}
	return eval.NewHTTP(address, os.Getenv("DAYBOOK_BENCH_AUTHORIZATION"))
}

// fileName is a system's name as that of a folder.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
}

// printLevels prints the tables of bank, retrieval of states, and answers.
func (a *app) printLevels(r *eval.Report) {
	for _, t := range r.LevelTables() {
		a.printTable(t)
	}
	for _, s := range r.Systems {
		if s.Levels.Unjudged > 0 {
			a.printf("\n%s: %d answers are without a verdict\n", s.Name, s.Levels.Unjudged)
		}
	}
	if r.Spending == nil {
		return
	}
	rows := [][]string{{"\nlanguage model", "model", "calls", "replayed", "failed", "tokens in", "tokens out", "dollars"}}
	for _, acc := range r.Spending.Accounts {
		dollars := fmt.Sprintf("%.4f", acc.CostUSD)
		if acc.Unpriced > 0 {
			dollars = "no --price"
		}
		rows = append(rows, []string{acc.Purpose, line(acc.Model, 40), fmt.Sprint(acc.Calls), fmt.Sprint(acc.Replayed), fmt.Sprint(acc.Failed), fmt.Sprint(acc.Usage.In), fmt.Sprint(acc.Usage.Out), dollars})
	}
	a.table(rows)
}

func (a *app) printTable(t eval.Table) {
	a.printf("\n%s\n", a.bold(t.Title))
	if t.Note != "" {
		a.printf("%s\n", a.dim(t.Note))
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i] = line(row[i], 60)
		}
	}
	a.table(t.Rows)
}
