package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/recall"
)

type recallCmd struct {
	asOfFlags
	encoderFlag
	rerankerFlag
	LocalOnly bool     `help:"Ask no language model for other ways to put the question, also where one is configured." env:"DAYBOOK_LOCAL_ONLY"`
	LLMTokens int      `name:"llm-tokens" help:"Most tokens that this may cost in all; 0 means no limit. Then questions are taken as they are." env:"DAYBOOK_LLM_TOKENS" placeholder:"N"`
	Question  []string `arg:"" optional:"" help:"What is asked."`
	K         int      `short:"k" help:"At most so many rows." default:"10"`
	View      string   `help:"Which state is asked for: current, historical, change, neutral; by default what the question itself says." placeholder:"VIEW"`
	Budget    int      `help:"Most tokens of all rows together; 0 means no limit." placeholder:"N"`
	Explain   bool     `help:"Say for each row by which ways it was found, what adds to its score, and why it has its role."`
	WhyNot    string   `help:"Say what became of this message, by its id, if it is not among the rows." placeholder:"NOTE"`
	Wide      bool     `help:"Look around the best rows, too: at what else was learned of their entities, and at other sessions on their topic; takes longer."`
	Chains    bool     `help:"Let paths go by what only comes before or after in time, too; takes longer."`
	Questions string   `help:"File of questions, one JSON object a line with \"id\" and \"question\"; one JSON line is printed for each." placeholder:"FILE"`
}

// Help says what comes back.
func (c *recallCmd) Help() string {
	return `Rows are messages as they were said, best first, each with its role: current (it holds), historical (superseded),
contested (contradicted), planned, transition (it made the change), aside (supposed, hearsay, an exception, or of somebody else). They are found by meaning, by words, by time and by
name, and ranked by one weighted sum; --explain shows its parts. Where the question asks for a state, rows that tell
of it stand in its order, whatever their score. A reranker, where one is given, puts the best in order; a language
model, where one is configured, gives other ways to ask, and what either fails to do is said.`
}

func (c *recallCmd) Run(a *app) error {
	question, err := oneQuestion("recall", c.Question, c.Questions)
	if err != nil {
		return err
	}
	if err := daybook.View(c.View).Check("--view"); err != nil {
		return err
	}
	models, closer, err := c.models(a)
	if err != nil {
		return err
	}
	return errors.Join(a.reading(func(e *engine.Engine) error {
		e = models(e)
		if c.Questions != "" {
			return c.batch(a, e)
		}
		result, err := c.ask(a, e.WithEchoes(), recallLine{Question: question})
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(result)
		}
		a.printRecall(result, c.Explain)
		return nil
	}), closer())
}

// models opens what the flags and the environment name, and returns what gives them to
// an engine.
func (c *recallCmd) models(a *app) (with func(*engine.Engine) *engine.Engine, closer func() error, err error) {
	closer = func() error { return nil }
	enc, err := a.encoder(c.encoderFlag)
	if err != nil {
		return nil, closer, err
	}
	with = func(e *engine.Engine) *engine.Engine { return e.WithEncoder(enc) }
	if c.Reranker != "" {
		r, err := openSlot(a, c.Reranker, model.OpenReranker)
		if err != nil {
			return nil, closer, err
		}
		encoded := with
		with = func(e *engine.Engine) *engine.Engine { return encoded(e).WithReranker(r) }
	}
	endpoint, err := model.ChatEndpoint(os.Getenv)
	if c.LocalOnly || a.local || daybook.KindOf(err) == daybook.NotFound {
		return with, closer, nil
	}
	if err != nil {
		return nil, closer, err
	}
	client, err := model.NewOpenAI(endpoint)
	if err != nil {
		return nil, closer, err
	}
	budgeted, local := model.NewBudget(c.LLMTokens, nil).Completer(client, client.Model()), with
	return func(e *engine.Engine) *engine.Engine { return local(e).WithExpander(budgeted) }, client.Close, nil
}

// oneQuestion is the question of a command line, whether it was quoted or not.
func oneQuestion(command string, words []string, file string) (string, error) {
	question := strings.Join(words, " ")
	if (question == "") == (file == "") {
		return "", daybook.Errorf(daybook.Invalid, "%s takes a question, or --questions FILE", command)
	}
	return question, nil
}

// recallLine is one question of a file.
type recallLine struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	AsOf     string `json:"as_of"`
	KnownAt  string `json:"known_at"`
}

// of are the flags as one question of a file overrules them.
func (f asOfFlags) of(q recallLine) asOfFlags {
	return asOfFlags{AsOf: cmp.Or(q.AsOf, f.AsOf), KnownAt: cmp.Or(q.KnownAt, f.KnownAt)}
}

func (c *recallCmd) ask(a *app, e *engine.Engine, q recallLine) (*engine.Recalled, error) {
	at, err := c.asOfFlags.of(q).parse(e.Now())
	if err != nil {
		return nil, err
	}
	found, err := e.Recall(a.ctx, a.scope(), recall.Question{
		Text: q.Question, K: c.K, View: daybook.View(c.View), Budget: c.Budget, WhyNot: c.WhyNot, Wide: c.Wide, Chains: c.Chains,
	}, at)
	if err != nil {
		return nil, err
	}
	return engine.NewRecalled(q.ID, found, c.Explain), nil
}

// batch answers a file of questions.
func (c *recallCmd) batch(a *app, e *engine.Engine) error {
	return a.eachQuestion(c.Questions, func(q recallLine) (any, error) { return c.ask(a, e, q) })
}

// eachQuestion answers a file of questions, one line of JSON each.
func (a *app) eachQuestion(path string, answer func(recallLine) (any, error)) error {
	f, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(a.out)
	out.SetEscapeHTML(false)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var q recallLine
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return daybook.Errorf(daybook.Invalid, "%s line %d: %w", path, n, err)
		}
		result, err := answer(q)
		if err != nil {
			return fmt.Errorf("%s line %d: %w", path, n, err)
		}
		if err := out.Encode(result); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return daybook.Errorf(daybook.Invalid, "%s: %w", path, err)
	}
	return nil
}

// printRecall prints the rows for a person.
func (a *app) printRecall(r *engine.Recalled, explain bool) {
	if len(r.Rows) == 0 {
		a.printf("nothing is remembered that bears on it\n")
	}
	for i, row := range r.Rows {
		a.printf("%d  %s  %s%s  %s\n", i+1, when(row.Time), a.said(row.Speaker), line(row.Text, 120), a.dim(strings.TrimSpace(string(row.Role)+" "+string(row.Note))))
		if explain {
			a.printf("%s\n", a.dim("   "+explanation(row)))
		}
	}
	if explain && len(r.Asked) > 0 {
		a.printf("%s\n", a.dim("also asked: "+line(strings.Join(r.Asked, " | "), 200)))
	}
	for _, m := range r.Missed {
		a.printf("%s\n", a.dim("done without "+line(m, 200)))
	}
	for _, p := range r.Paths {
		a.printf("path %.2f  %s\n", p.Score, line(p.String(), 200))
	}
	if r.WhyNot != nil {
		a.printf("%s\n", r.WhyNot.String())
	}
}

// explanation is a row's reasons on one line: that of its role, the legs, then the
// parts of the score, the largest first, and the links that led to it.
func explanation(row engine.RecalledRow) string {
	var words []string
	if row.Reason != "" { // why it stands there, whatever its score
		words = append(words, line(row.Reason, 80))
	}
	for _, leg := range slices.Sorted(maps.Keys(row.Explain.Legs)) {
		words = append(words, leg+" #"+strconv.Itoa(row.Explain.Legs[leg]))
	}
	parts := slices.SortedFunc(maps.Keys(row.Explain.Parts), func(a, b string) int {
		x, y := row.Explain.Parts[a], row.Explain.Parts[b]
		if d := max(y, -y) - max(x, -x); d != 0 {
			return int(d / max(d, -d))
		}
		return strings.Compare(a, b)
	})
	words = append(words, fmt.Sprintf("score %.2f", row.Score))
	for _, p := range parts[:min(len(parts), 6)] {
		words = append(words, fmt.Sprintf("%s %+.2f", p, row.Explain.Parts[p]))
	}
	for _, l := range row.Explain.Links {
		words = append(words, "by "+string(l))
	}
	if row.Explain.Route != "" {
		words = append(words, "by way of "+line(row.Explain.Route, 160))
	}
	return strings.Join(words, ", ")
}
