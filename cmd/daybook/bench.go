package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"daybook"
	"daybook/eval"
	"daybook/model"
)

type benchCmd struct {
	List    benchListCmd    `cmd:"" help:"What can be measured, with what data, and where to get it."`
	Compare benchCompareCmd `cmd:"" help:"How much better is B than A, and is that chance? Takes two reports that --out wrote."`
	Run     benchRunCmd     `cmd:"" default:"withargs" help:"Measure systems on a data set. This is what 'daybook bench NAME' does."`
}

type benchListCmd struct{}

func (c *benchListCmd) Run(a *app) error {
	sources := eval.Sources()
	if a.JSON {
		type row struct {
			Name     string `json:"name"`
			Measures string `json:"measures"`
			Licence  string `json:"licence"`
			Where    string `json:"where"`
		}
		rows := []row{}
		for _, s := range sources {
			rows = append(rows, row{s.Name, s.Measures, s.Licence, s.Where})
		}
		return a.json(map[string]any{"benches": rows})
	}
	for _, s := range sources {
		a.printf("%s  %s\n  %s\n", a.bold(s.Name), s.Measures, a.dim(s.Licence+" · "+s.Where))
	}
	return nil
}

type benchRunCmd struct {
	benchModels
	Name    string   `arg:"" help:"Data set; 'daybook bench list' names them. 'smoke' is bundled."`
	Data    string   `help:"File or folder that holds it; 'smoke' needs none." placeholder:"PATH"`
	Systems []string `help:"What to measure: ours, bm25, dense, hybrid, recent, or http:URL for a server." default:"ours,bm25,dense,hybrid,recent"`
	K       []int    `help:"Depths at which rankings are measured." default:"1,3,5,10,20"`
	Limit   int      `help:"Only so many questions of each conversation; 0 means all." placeholder:"N"`
	Seed    uint64   `help:"Seed of the intervals." default:"1"`
	Out     string   `help:"Also write the report as JSON to this file." placeholder:"FILE"`
	Misses  string   `help:"Write each question whose evidence was not all in the first 10 rows, and what came instead, as JSON lines." placeholder:"FILE"`
	Dump    string   `help:"Write the raw results of each system to this folder." placeholder:"DIR"`
	Cache   string   `help:"Folder that keeps vectors between runs." placeholder:"DIR"`
}

func (c *benchRunCmd) Run(a *app) error {
	if component := c.component(); component != nil {
		return c.runComponent(a, component)
	}
	data, err := c.load()
	if err != nil {
		return err
	}
	systems, closeAll, err := c.systems(a)
	if err != nil {
		return err
	}
	llm, err := c.llm(a)
	if err != nil {
		return errors.Join(err, closeAll())
	}
	report, err := eval.Run{
		Dataset: data, Systems: c.withReader(systems, llm), Ks: c.K, Seed: c.Seed, Judge: c.judge(data, llm),
		Progress: func(system string, done, total int) { a.progress("%s: %d of %d questions", system, done, total) },
	}.Do(a.ctx)
	a.endProgress()
	if err := errors.Join(err, llm.close(report), closeAll()); err != nil {
		return err
	}
	if err := c.write(data, report); err != nil {
		return err
	}
	if a.JSON {
		return a.json(report)
	}
	a.printReport(report)
	a.printLevels(report)
	return nil
}

func (c *benchRunCmd) load() (eval.Dataset, error) {
	if len(c.K) == 0 || slices.Min(c.K) < 1 {
		return eval.Dataset{}, daybook.Errorf(daybook.Invalid, "--k takes numbers from 1 on")
	}
	if c.Name == "smoke" {
		return eval.LoadSmoke()
	}
	for _, s := range eval.Sources() {
		if s.Name != c.Name {
			continue
		}
		if c.Data == "" {
			return eval.Dataset{}, daybook.Errorf(daybook.Invalid, "bench: give --data PATH; %s is not bundled: %s", c.Name, s.Where)
		}
		data, err := s.Load(c.Data)
		if err == nil && c.Limit > 0 {
			for i := range data.Conversations {
				q := &data.Conversations[i].Questions
				*q = (*q)[:min(c.Limit, len(*q))]
			}
		}
		return data, err
	}
	return eval.Dataset{}, daybook.Errorf(daybook.NotFound, "bench: no data set is called %q; see 'daybook bench list'", c.Name)
}

// systems makes what is to be measured. Dense ones share one encoder, whose
// vectors are kept between runs.
func (c *benchRunCmd) systems(a *app) (systems []eval.System, closeAll func() error, err error) {
	closeAll = func() error { return nil }
	var encoder model.Encoder
	if slices.Contains(c.Systems, "dense") || slices.Contains(c.Systems, "hybrid") {
		cached, err := c.encoder(a)
		if err != nil {
			return nil, nil, err
		}
		encoder, closeAll = cached, cached.Close
	}
	for _, name := range c.Systems {
		switch name {
		case "bm25":
			systems = append(systems, eval.BM25{})
		case "dense":
			systems = append(systems, eval.Dense{Encoder: encoder})
		case "hybrid":
			systems = append(systems, eval.Hybrid{Encoder: encoder})
		case "recent":
			systems = append(systems, eval.Recent{})
		case "ours":
			systems = append(systems, c.ours(a)...)
		default:
			server, err := httpSystem(name)
			if err != nil {
				return nil, nil, errors.Join(err, closeAll())
			}
			systems = append(systems, server)
		}
	}
	return systems, closeAll, nil
}

func (c *benchRunCmd) encoder(a *app) (*eval.CachedEncoder, error) {
	local, err := a.encoder(c.encoderFlag)
	if err != nil {
		return nil, err
	}
	return eval.OpenCachedEncoder(local, local.ID(), c.cacheFolder())
}

// cacheFolder keeps what is made between runs.
func (c *benchRunCmd) cacheFolder() string {
	if c.Cache != "" {
		return c.Cache
	}
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "daybook", "bench")
}

// write leaves the report and the raw results where they were asked for.
func (c *benchRunCmd) write(data eval.Dataset, report *eval.Report) error {
	if c.Out != "" {
		text, err := json.MarshalIndent(report, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.Out, append(text, '\n'), 0o644); err != nil {
			return daybook.Errorf(daybook.Unavailable, "write the report: %w", err)
		}
	}
	if c.Misses != "" {
		if err := c.writeMisses(data, report); err != nil {
			return daybook.Errorf(daybook.Unavailable, "write misses: %w", err)
		}
	}
	if c.Dump == "" {
		return nil
	}
	for _, s := range report.Systems {
		if err := s.Dump(filepath.Join(c.Dump, fileName(s.Name))); err != nil {
			return err
		}
	}
	return nil
}

func (c *benchRunCmd) writeMisses(data eval.Dataset, report *eval.Report) error {
	f, err := os.Create(c.Misses)
	if err != nil {
		return err
	}
	for _, s := range report.Systems {
		if err := eval.WriteMisses(f, eval.Misses(data, s, 10)); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// printReport prints one table a person can read: the main metrics overall, with
// intervals, then recall by category.
func (a *app) printReport(r *eval.Report) {
	a.printf("%s  %d questions  sha256 %s\n\n", a.bold(r.Dataset), r.Questions, r.Hash[:min(16, len(r.Hash))])
	head := []string{"system", "n"}
	for _, k := range r.Ks {
		head = append(head, "R@"+strconv.Itoa(k))
	}
	head = append(head, "MRR", "95 % of R@"+strconv.Itoa(r.Ks[len(r.Ks)-1]), "build s", "notes/s", "p50 ms", "p95 ms")
	rows := [][]string{head}
	for _, s := range r.Systems {
		g := s.Groups[0]
		last := g.Metrics[fmt.Sprintf("recall@%d", r.Ks[len(r.Ks)-1])]
		row := append([]string{s.Name, strconv.Itoa(g.N)}, recalls(g, r.Ks)...)
		row = append(row, number(g.Metrics["mrr"].Mean), number(last.Low)+"–"+number(last.High),
			fmt.Sprintf("%.1f", s.Times.BuildSeconds), fmt.Sprintf("%.0f", s.Times.NotesPerSecond),
			fmt.Sprintf("%.2f", s.Times.RecallP50MS), fmt.Sprintf("%.2f", s.Times.RecallP95MS))
		rows = append(rows, row)
	}
	a.table(rows)
	for _, s := range r.Systems {
		a.printf("\n%s by category\n", a.bold(s.Name))
		rows := [][]string{}
		for _, g := range s.Groups[1:] {
			rows = append(rows, append(append([]string{"  " + line(g.Name, 30), strconv.Itoa(g.N)}, recalls(g, r.Ks)...), number(g.Metrics["mrr"].Mean)))
		}
		a.table(rows)
	}
}

func recalls(g eval.Group, ks []int) (cells []string) {
	for _, k := range ks {
		cells = append(cells, number(g.Metrics[fmt.Sprintf("recall@%d", k)].Mean))
	}
	return cells
}

func number(f float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", f), "0") }

type benchCompareCmd struct {
	A      string `arg:"" help:"Report of the system as it was."`
	B      string `arg:"" help:"Report of the system as it is."`
	Metric string `help:"What to compare by." default:"recall@10" placeholder:"NAME"`
	Seed   uint64 `help:"Seed of the bootstrap." default:"1"`
}

func (c *benchCompareCmd) Run(a *app) error {
	before, err := readReport(c.A)
	if err != nil {
		return err
	}
	after, err := readReport(c.B)
	if err != nil {
		return err
	}
	diffs, err := eval.CompareReports(before, after, c.Metric, c.Seed)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.json(map[string]any{"differences": append([]eval.SystemDifference{}, diffs...)})
	}
	rows := [][]string{{"system", "n", c.Metric, "95 %", "p", ""}}
	for _, d := range diffs {
		verdict := "may be chance"
		if d.Significant() {
			verdict = "significant"
		}
		rows = append(rows, []string{d.System, strconv.Itoa(d.N), fmt.Sprintf("%+.3f", d.Mean), fmt.Sprintf("%+.3f … %+.3f", d.Low, d.High), fmt.Sprintf("%.4f", d.P), verdict})
	}
	a.table(rows)
	return nil
}

func readReport(path string) (*eval.Report, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r eval.Report
	if err := json.NewDecoder(f).Decode(&r); err != nil || r.Hash == "" {
		return nil, daybook.Errorf(daybook.Invalid, "%s is not a report of 'daybook bench'", path)
	}
	return &r, nil
}
