package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"daybook"
	"daybook/engine"
	"daybook/tree"
)

type treeCmd struct {
	Import   treeImportCmd   `cmd:"" help:"Take in a plan or list: JSON, XML, YAML or a Markdown task list."`
	List     treeListCmd     `cmd:"" help:"List the trees of a scope."`
	Show     treeShowCmd     `cmd:"" help:"Show a tree, now or at an older version."`
	Do       treeDoCmd       `cmd:"" help:"Read or change a tree by a request in plain words."`
	Edit     treeEditCmd     `cmd:"" help:"Change a tree by a list of changes."`
	Log      treeLogCmd      `cmd:"" help:"List the versions of a tree, newest first."`
	Diff     treeDiffCmd     `cmd:"" help:"Compare two versions of a tree."`
	Rollback treeRollbackCmd `cmd:"" help:"Make a new version that is equal to an older one."`
	Schema   treeSchemaCmd   `cmd:"" help:"Show which types of nodes a tree has, with which attributes, below which."`
}

// weight prints a weight of a node.
func weight(w float64) string { return strconv.FormatFloat(w, 'f', 3, 64) }

type treeImportCmd struct {
	File   string `arg:"" help:"File to read; '-' reads standard input."`
	Name   string `required:"" help:"Name of the tree." placeholder:"NAME"`
	Format string `help:"json, xml, yaml or markdown; by default by the name of the file." placeholder:"FORMAT"`
}

func (c *treeImportCmd) Run(a *app) error {
	text, err := a.readFile(c.File)
	if err != nil {
		return err
	}
	format := c.Format
	if format == "" {
		if format, err = tree.FormatOf(c.File); err != nil {
			return err
		}
	}
	file, err := tree.Parse(format, text)
	if err != nil {
		return err
	}
	return a.with(func(e *engine.Engine) error {
		r, err := e.PlantTree(a.ctx, a.scope(), a.by("import "+c.Name), c.Name, file)
		if err != nil {
			return err
		}
		return a.printTreeReceipt(r)
	})
}

// readFile reads a file or standard input.
func (a *app) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, daybook.Errorf(daybook.NotFound, "there is no file %s", name)
	}
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	return text, nil
}

func (a *app) printTreeReceipt(r engine.TreeReceipt) error {
	if a.JSON {
		return a.json(r)
	}
	a.printf("%s version %d commit %s\n", a.bold(line(r.Tree, 60)), r.Version, r.Commit.Short())
	return nil
}

type treeListCmd struct{}

func (c *treeListCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		trees, err := e.Trees(a.ctx, a.scope())
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"trees": trees})
		}
		var rows [][]string
		for _, t := range trees {
			rows = append(rows, []string{a.bold(line(t.Name, 60)), fmt.Sprintf("version %d", t.Version), when(t.RecordedAt)})
		}
		a.table(rows)
		return nil
	})
}

// withTree reads a tree as it is now.
func (a *app) withTree(name string, do func(*engine.Engine, *tree.History) error) error {
	return a.existing(func(e *engine.Engine) error {
		h, err := e.Tree(a.ctx, a.scope(), name, daybook.AsOf{})
		if err != nil {
			return err
		}
		return do(e, h)
	})
}

type treeShowCmd struct {
	Name    string `arg:"" help:"Name of the tree."`
	Version int    `help:"Version to show; the current one by default." placeholder:"N"`
	Format  string `help:"outline, json, xml, yaml or markdown." default:"outline" placeholder:"FORMAT"`
}

func (c *treeShowCmd) Run(a *app) error {
	return a.withTree(c.Name, func(_ *engine.Engine, h *tree.History) error {
		v, err := h.At(c.Version)
		if err != nil {
			return err
		}
		if c.Format == "outline" && !a.JSON {
			a.printf("%s\n", a.bold(fmt.Sprintf("%s, version %d", line(h.Name, 60), v.Number)))
			a.printOutline(v.Task(), 0)
			return nil
		}
		if a.JSON {
			return a.json(map[string]any{"name": h.Name, "version": v.Number, "tree": v.Root()})
		}
		text, err := tree.Format(c.Format, v.Task())
		if err != nil {
			return err
		}
		a.printf("%s", text)
		return nil
	})
}

func (a *app) printOutline(n *tree.Node, depth int) {
	if n == nil {
		return
	}
	a.printf("%s%s %s  %s\n", strings.Repeat("  ", depth), a.dim(n.Type), line(n.Label(), 70), a.dim(line(n.ID, 40)))
	for _, c := range n.Children {
		a.printOutline(c, depth+1)
	}
}

type treeDoCmd struct {
	treeFlags
	Name    string `arg:"" help:"Name of the tree."`
	Request string `arg:"" help:"What you want, such as 'add a coffee break on the day packed with conference sessions'."`
	Scorer  string `help:"What weighs nodes by meaning: blend, embedding, words, exact, entailment or llm." placeholder:"NAME"`
	DryRun  bool   `help:"Only say what would be done."`
	Explain bool   `help:"Show every step of the query."`
}

// doneReport is what became of a request, as it is printed.
type doneReport struct {
	*engine.Done
	engine.QueryReport
}

func (c *treeDoCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		e, err := a.treeEngine(c.treeFlags, e)
		if err != nil {
			return err
		}
		done, err := e.Do(a.ctx, a.scope(), a.by(""), engine.Request{Tree: c.Name, Text: c.Request, Scorer: c.Scorer, DryRun: c.DryRun})
		if err != nil {
			return err
		}
		report, err := done.Found.Report(a.ctx, c.Explain)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.json(doneReport{done, report})
		}
		if len(report.Nodes) == 0 {
			return daybook.Errorf(daybook.NotFound, "no node of the tree fits the request, which was understood as %s %s", done.Intent, report.Query)
		}
		a.printf("%s  %s\n", a.bold(string(done.Intent)), a.dim(line(report.Query, 200)))
		if done.Intent == tree.Read || c.DryRun {
			if err := a.printFound(report, c.Explain); err != nil {
				return err
			}
		}
		if done.Summary != "" {
			a.printf("%s\n", line(done.Summary, 300))
		}
		if done.Receipt != nil {
			return a.printTreeReceipt(*done.Receipt)
		}
		return nil
	})
}

type treeEditCmd struct {
	Name    string `arg:"" help:"Name of the tree."`
	Changes string `arg:"" help:"File with a JSON list of changes; '-' reads standard input."`
	Base    int    `help:"Version that the changes were made on; if the tree has gone on since, nothing is written." placeholder:"N"`
	Message string `short:"m" help:"What was asked for." placeholder:"TEXT"`
}

// Help shows each kind of change.
func (c *treeEditCmd) Help() string {
	return `Nodes are named by the ids that 'daybook tree show' prints. Attributes are pairs of a name and a text; "at" is
the place among the parent's children, from 1, and the last if it is not given:

    [{"set": {"node": "n6", "attrs": [["status", "done"]], "unset": ["cost"]}},
     {"add": {"id": "tea", "type": "Task", "parent": "n5", "at": 2, "attrs": [["description", "Tea"]]}},
     {"move": {"node": "n8", "parent": "n9"}},
     {"remove": "n7"}]`
}

func (c *treeEditCmd) Run(a *app) error {
	text, err := a.readFile(c.Changes)
	if err != nil {
		return err
	}
	var changes []daybook.TreeChange
	if err := json.Unmarshal(text, &changes); err != nil {
		return daybook.Errorf(daybook.Invalid, "read the changes: %w", err)
	}
	return a.existing(func(e *engine.Engine) error {
		r, err := e.EditTree(a.ctx, a.scope(), a.by(c.Message), engine.TreeEdit{Tree: c.Name, Base: c.Base, Request: c.Message, Summary: c.Message, Changes: changes})
		if err != nil {
			return err
		}
		return a.printTreeReceipt(r)
	})
}

type treeLogCmd struct {
	Name string `arg:"" help:"Name of the tree."`
}

// treeVersion is a version as the log shows it.
type treeVersion struct {
	Version    int              `json:"version"`
	Base       int              `json:"base,omitempty"`
	Request    string           `json:"request,omitempty"`
	Summary    string           `json:"summary,omitempty"`
	RecordedAt string           `json:"recorded_at"`
	Author     string           `json:"author"`
	Commit     daybook.CommitID `json:"commit"`
}

func (c *treeLogCmd) Run(a *app) error {
	return a.withTree(c.Name, func(_ *engine.Engine, h *tree.History) error {
		versions := []treeVersion{}
		var rows [][]string
		for i := len(h.Versions) - 1; i >= 0; i-- {
			v := h.Versions[i]
			versions = append(versions, treeVersion{v.Number, v.Base, v.Request, v.Summary, v.RecordedAt.UTC().Format("2006-01-02T15:04:05Z"), v.Author, v.Commit})
			rows = append(rows, []string{a.bold(fmt.Sprintf("version %d", v.Number)), when(v.RecordedAt), line(v.Summary, 60), a.dim(line(v.Request, 60)), a.dim(v.Commit.Short())})
		}
		if a.JSON {
			return a.json(map[string]any{"tree": h.Name, "versions": versions})
		}
		a.table(rows)
		return nil
	})
}

type treeDiffCmd struct {
	Name  string `arg:"" help:"Name of the tree."`
	Range string `arg:"" optional:"" help:"A..B: versions to compare; by default the current one with the one before it. A alone means A to the current one."`
}

func (c *treeDiffCmd) Run(a *app) error {
	return a.withTree(c.Name, func(_ *engine.Engine, h *tree.History) error {
		from, to, err := c.versions(h)
		if err != nil {
			return err
		}
		d := tree.Compare(from, to)
		if a.JSON {
			return a.json(d)
		}
		a.printTreeDiff(d)
		return nil
	})
}

func (c *treeDiffCmd) versions(h *tree.History) (from, to *tree.Version, err error) {
	a, b, _ := strings.Cut(c.Range, "..")
	to = h.Current()
	if b != "" {
		if to, err = versionAt(h, b); err != nil {
			return nil, nil, err
		}
	}
	if a != "" {
		from, err = versionAt(h, a)
		return from, to, err
	}
	if len(h.Versions) < 2 {
		return nil, nil, daybook.Errorf(daybook.NotFound, "tree %q has one version only", h.Name)
	}
	return h.Versions[len(h.Versions)-2], to, nil
}

func versionAt(h *tree.History, number string) (*tree.Version, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(number, "v"))
	if err != nil || n < 1 {
		return nil, daybook.Errorf(daybook.Invalid, "version %q is not a number", number)
	}
	return h.At(n)
}

func (a *app) printTreeDiff(d tree.Difference) {
	minus, plus := func(s string) string { return a.paint("31", "- "+s) }, func(s string) string { return a.paint("32", "+ "+s) }
	show := func(o tree.Outline) string { return line(o.Path+"  "+o.Label, 120) }
	for _, o := range d.Removed {
		a.printf("%s\n", minus(show(o)))
	}
	for _, o := range d.Added {
		a.printf("%s\n", plus(show(o)))
	}
	for _, o := range d.Moved {
		a.printf("> %s\n", show(o))
	}
	for _, f := range d.Changed {
		a.printf("  %s %s\n    %s\n    %s\n", show(f.Outline), f.Attr, minus(line(f.Old, 100)), plus(line(f.New, 100)))
	}
	if len(d.Removed)+len(d.Added)+len(d.Moved)+len(d.Changed) == 0 {
		a.printf("no difference\n")
	}
}

type treeRollbackCmd struct {
	Name    string `arg:"" help:"Name of the tree."`
	Version int    `arg:"" help:"Version to go back to."`
	Message string `short:"m" help:"Why." placeholder:"TEXT"`
}

func (c *treeRollbackCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		r, err := e.RollBackTree(a.ctx, a.scope(), a.by(c.Message), c.Name, c.Version)
		if err != nil {
			return err
		}
		return a.printTreeReceipt(r)
	})
}

type treeSchemaCmd struct {
	Name string `arg:"" help:"Name of the tree."`
}

func (c *treeSchemaCmd) Run(a *app) error {
	return a.withTree(c.Name, func(_ *engine.Engine, h *tree.History) error {
		if a.JSON {
			return a.json(h.Schema())
		}
		var rows [][]string
		for _, t := range h.Schema().Types {
			rows = append(rows, []string{a.bold(t.Name), strconv.Itoa(t.Count), strings.Join(t.Attrs, ", "), "below " + strings.Join(t.Parents, ", ")})
		}
		a.table(rows)
		return nil
	})
}
