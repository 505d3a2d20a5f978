package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"daybook"
	"daybook/engine"
	"daybook/eval"
	"daybook/model"
)

type benchCmd struct {
	List    benchListCmd    `cmd:"" help:"What can be measured, with what data, and where to get it."`
	Compare benchCompareCmd `cmd:"" help:"How much better is B than A, and is that chance? Takes two reports that --json FILE wrote."`
	Run     benchRunCmd     `cmd:"" default:"withargs" help:"Measure systems on a data set. This is what 'daybook bench NAME' does."`
}

type benchListCmd struct{}

// smokeSource is the one set that comes along.
var smokeSource = eval.Source{
	Name: "smoke", Measures: "does the bench work? 12 questions about 30 notes, on all three levels", Licence: "free", Where: "in the binary; needs no --data",
}

func (c *benchListCmd) Run(a *app) error {
	sources := append([]eval.Source{smokeSource}, eval.Sources()...)
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
	Name       string   `arg:"" help:"Data set; 'daybook bench list' names them. 'smoke' is bundled."`
	Data       string   `help:"File or folder that holds it; 'smoke' needs none." placeholder:"PATH"`
	Systems    []string `help:"What to measure: ours, bm25, dense, hybrid, recent, or http:URL for a server." default:"ours,bm25,dense,hybrid,recent"`
	Without    []string `help:"Leave parts of ours undone, to see what they add: ${parts}." placeholder:"PART"`
	ReaderFile string   `name:"reader-file" help:"Model file of the reader that 'bench reader' measures." placeholder:"FILE"`
	K          []int    `help:"Depths at which rankings are measured." default:"1,3,5,10,20"`
	Metrics    []string `help:"What the table shows: recall, any, all, ndcg, mrr, session (recall of sessions), or a metric of the ranking by its name." default:"recall,mrr"`
	Limit      int      `help:"Only so many questions of each conversation; 0 means all." placeholder:"N"`
	Seed       uint64   `help:"Seed of the intervals." default:"1"`
	JSONFile   string   `name:"json-file" help:"Write the report as JSON to this file; '--json FILE' means the same." placeholder:"FILE"`
	HTML       string   `name:"html" help:"Write the report as one HTML page that needs no network: tables, charts and the misses." placeholder:"FILE"`
	Misses     string   `help:"Write each question that went wrong, with what was returned and the stage at which the gold was lost, as JSON lines." placeholder:"FILE"`
	Dump       string   `help:"Write the raw results of each system to this folder." placeholder:"DIR"`
	Cache      string   `help:"Folder that keeps vectors and results between runs; by default in the user's cache." placeholder:"DIR"`
	NoCache    bool     `name:"no-cache" help:"Use nothing that was kept and keep nothing."`
}

// Help says what is kept between runs.
func (c *benchRunCmd) Help() string {
	return `Results are kept as they come, by system, data and version of the code: a run that was cut off goes on
where it stopped when it is started again, and what has not changed is not run again. Its times are then
those of the run that made it, and the table says how many results are such.`
}

func (c *benchRunCmd) Run(a *app) error {
	if component := c.component(); component != nil {
		return c.runComponent(a, component)
	}
	data, err := c.load()
	if err != nil {
		return err
	}
	run := eval.Run{Dataset: data, Ks: c.K, Seed: c.Seed}
	closeAll, err := c.prepare(a, &run)
	if err != nil {
		return err
	}
	llm, err := c.llm(a)
	if err != nil {
		return errors.Join(err, closeAll())
	}
	run.Systems, run.Judge = c.withReader(run.Systems, llm), c.judge(data, llm)
	bar := newBenchProgress(a)
	run.Progress = bar.show
	report, err := run.Do(a.ctx)
	bar.end()
	if err := errors.Join(err, llm.close(report), closeAll()); err != nil {
		if errors.Is(err, context.Canceled) && run.Kept != nil {
			fmt.Fprintln(a.err, "daybook: what was answered is kept; the same command goes on from there")
		}
		return err
	}
	if err := c.write(data, report); err != nil {
		return err
	}
	if a.JSON {
		return a.json(report)
	}
	if err := a.printReport(report, c.Metrics); err != nil {
		return err
	}
	a.printLevels(report)
	return nil
}

// prepare gives a run its systems, what counts tokens, and the caches.
func (c *benchRunCmd) prepare(a *app, run *eval.Run) (closeAll func() error, err error) {
	if run.Code, err = eval.CodeVersion(); err != nil {
		return nil, err
	}
	embedded, err := model.Default()
	if err != nil {
		return nil, err
	}
	run.Tokens = eval.TokenCounter(embedded)
	if !c.NoCache {
		run.Kept = &eval.Kept{Folder: c.cacheFolder(), Warn: func(text string) { fmt.Fprintf(a.err, "daybook: %s\n", line(text, 400)) }}
	}
	encoder, closeAll, err := c.denseEncoder(a)
	if err != nil {
		return nil, err
	}
	if run.Systems, err = c.systems(encoder); err != nil {
		return nil, errors.Join(err, closeAll())
	}
	return closeAll, nil
}

func (c *benchRunCmd) load() (eval.Dataset, error) {
	if len(c.K) == 0 || slices.Min(c.K) < 1 {
		return eval.Dataset{}, daybook.Errorf(daybook.Invalid, "--k takes numbers from 1 on")
	}
	data, err := c.read()
	if err != nil {
		return eval.Dataset{}, err
	}
	for i := range data.Conversations {
		if q := &data.Conversations[i].Questions; c.Limit > 0 {
			*q = (*q)[:min(c.Limit, len(*q))]
		}
	}
	return data, nil
}

func (c *benchRunCmd) read() (eval.Dataset, error) {
	if c.Name == "smoke" {
		return eval.LoadSmoke()
	}
	for _, s := range eval.Sources() {
		switch {
		case s.Name != c.Name:
		case c.Data == "":
			return eval.Dataset{}, daybook.Errorf(daybook.Invalid, "bench: give --data PATH; %s is not bundled: %s", c.Name, s.Where)
		default:
			return s.Load(c.Data)
		}
	}
	return eval.Dataset{}, daybook.Errorf(daybook.NotFound, "bench: no data set is called %q; see 'daybook bench list'", c.Name)
}

// systems makes what is to be measured. Dense ones share one encoder.
func (c *benchRunCmd) systems(encoder model.Encoder) (systems []eval.System, err error) {
	without, err := c.without()
	if err != nil {
		return nil, err
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
			system := ours(encoder)
			system.Without = without
			systems = append(systems, system)
		default:
			server, err := httpSystem(name)
			if err != nil {
				return nil, err
			}
			systems = append(systems, server)
		}
	}
	return systems, nil
}

// without are the parts that ours leaves undone.
func (c *benchRunCmd) without() ([]engine.Part, error) {
	if len(c.Without) > 0 && !slices.Contains(c.Systems, "ours") {
		return nil, daybook.Errorf(daybook.Invalid, "bench: --without leaves out parts of ours, which --systems does not name")
	}
	parts, err := engine.ReadParts(c.Without)
	if err != nil {
		return nil, fmt.Errorf("bench: --without: %w", err)
	}
	return parts, nil
}

// denseEncoder returns the encoder of the dense systems, if there are any.
func (c *benchRunCmd) denseEncoder(a *app) (enc model.Encoder, closeAll func() error, err error) {
	nothing := func() error { return nil }
	if !slices.ContainsFunc(c.Systems, func(s string) bool { return s == "dense" || s == "hybrid" || s == "ours" }) {
		return nil, nothing, nil
	}
	if c.NoCache {
		local, err := a.encoder(c.encoderFlag)
		return local, nothing, err
	}
	cached, err := c.encoder(a)
	if err != nil {
		return nil, nil, err
	}
	return cached, cached.Close, nil
}

// encoder returns the encoder that was chosen; its vectors are kept between runs.
func (c *benchRunCmd) encoder(a *app) (*eval.CachedEncoder, error) {
	local, err := a.encoder(c.encoderFlag)
	if err != nil {
		return nil, err
	}
	return eval.OpenCachedEncoder(local, local.ID(), c.cacheFolder())
}

// cacheFolder is where vectors and results are kept.
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

// writeJSON writes a report where --json FILE says.
func (c *benchRunCmd) writeJSON(report any) error {
	if c.JSONFile == "" {
		return nil
	}
	text, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.JSONFile, append(text, '\n'), 0o644); err != nil {
		return daybook.Errorf(daybook.Unavailable, "write the report: %w", err)
	}
	return nil
}

// write leaves the report and the raw results where they were asked for.
func (c *benchRunCmd) write(data eval.Dataset, report *eval.Report) error {
	if err := c.writeJSON(report); err != nil {
		return err
	}
	if c.HTML != "" {
		if err := writeFile(c.HTML, func(w io.Writer) error { return eval.WriteHTML(w, data, report) }); err != nil {
			return daybook.Errorf(daybook.Unavailable, "write the page: %w", err)
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
	return writeFile(c.Misses, func(w io.Writer) error {
		for _, s := range report.Systems {
			if err := eval.WriteMisses(w, eval.Misses(data, s, report.ReaderK())); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeFile lets write fill a file.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

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
