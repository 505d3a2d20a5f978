package eval

import (
	"context"
	"fmt"
	"strings"

	"daybook"
	"daybook/model"
)

// Component is a bench of one part by itself: an encoder, a reader of times, an
// extractor.
type Component struct {
	Name string
	// Run measures the part on the data at a path. A part that is not there yet
	// is an error of kind Unavailable that says so.
	Run func(ctx context.Context, path string, env Env) (ComponentReport, error)
}

// Env are the parts that can be measured. What is nil is not there yet.
type Env struct {
	Encoder      model.Encoder
	EncoderName  string
	Entailer     model.Entailer
	EntailerName string
	// Extract finds what a text that somebody says in the first person states.
	Extract func(ctx context.Context, text string) ([]Triplet, error)
	// Reader reads talk, and Rows are the notes that recall finds for each question of a
	// conversation, by SourceID, best first.
	Reader model.Reader
	Rows   func(ctx context.Context, c Conversation, k int) ([][]string, error)
	// Query executes a Semantic XPath query on a tree.
	Query func(ctx context.Context, tree *XPathNode, query string) ([]XPathHit, error)
	Limit int // only so many cases; 0 means all
	Seed  uint64
	// Progress, where set, is told how many cases are done.
	Progress func(done, total int)
}

// ComponentReport is what came of a component's bench; the same whenever it is
// made again.
type ComponentReport struct {
	Name    string            `json:"name"`
	Hash    string            `json:"hash"` // of the data
	Part    string            `json:"part"` // what was measured
	Cases   int               `json:"cases"`
	Metrics []ComponentMetric `json:"metrics"`
	Tables  []Table           `json:"tables,omitempty"` // by kind
	Notes   []string          `json:"notes,omitempty"`
}

// ComponentMetric is one figure with its interval.
type ComponentMetric struct {
	Name string `json:"name"`
	Interval
}

// Components are the component benches. A further one takes the place of the one
// with its name, so that a bench which lives beside its part can be plugged in.
func Components(further ...Component) []Component {
	all := []Component{
		{"reader", readerBench},
		{"personaext", personaBench},
		{"timex", timexBench},
		{"anchors", anchorBench},
		{"sick", sickBench},
		{"xpath", xpathBench},
	}
	for _, f := range further {
		for i := range all {
			if all[i].Name == f.Name {
				all[i] = f
			}
		}
	}
	return all
}

func missingPart(name, part string) error {
	return daybook.Errorf(daybook.Unavailable, "bench %s: there is no %s in this build yet, so there is nothing to measure", name, part)
}

func (e Env) told(done, total int) {
	if e.Progress != nil {
		e.Progress(done, total)
	}
}

func (e Env) limited(n int) int {
	if e.Limit > 0 {
		return min(e.Limit, n)
	}
	return n
}

func xpathBench(ctx context.Context, path string, env Env) (ComponentReport, error) {
	gold, err := LoadXPath(path)
	if err != nil {
		return ComponentReport{}, err
	}
	if env.Query == nil {
		return ComponentReport{}, missingPart("xpath", "executor of Semantic XPath queries")
	}
	report := ComponentReport{Name: "xpath", Hash: gold.Hash, Part: "Semantic XPath", Cases: env.limited(len(gold.Requests))}
	var wanted []XPathWanted
	var results []XPathResult
	for i, r := range gold.Requests[:report.Cases] {
		wanted = append(wanted, XPathWanted{ID: r.ID, Tree: r.Tree, Kind: r.Kind, Op: r.Op, Gold: r.Gold, Acceptable: r.Acceptable, NeedsSemantics: r.NeedsSemantics})
		nodes, err := env.Query(ctx, gold.Trees[r.Tree], r.Query)
		if err != nil {
			if ctx.Err() != nil {
				return report, err
			}
			report.Notes = append(report.Notes, fmt.Sprintf("%s: %v", r.ID, err))
		}
		results = append(results, XPathResult{ID: r.ID, Nodes: nodes})
		env.told(i+1, report.Cases)
	}
	scored, err := ScoreXPath(wanted, results, nil)
	if err != nil {
		return report, err
	}
	report.xpath(scored, wanted, env.Seed)
	return report, nil
}

func (r *ComponentReport) xpath(scored XPathReport, wanted []XPathWanted, seed uint64) {
	metrics := []string{"exact", "exact@k", "P@k", "R@all", "MRR"}
	for _, m := range metrics {
		var values []float64
		for _, w := range wanted {
			values = append(values, scored.PerQuestion[w.ID][m])
		}
		r.Metrics = append(r.Metrics, ComponentMetric{m, Bootstrap(values, seed)})
	}
	rows := [][]string{append([]string{"group", "n"}, metrics...)}
	for _, name := range sortedKeys(scored.Groups) {
		g := scored.Groups[name]
		row := []string{name, itoa(g.N)}
		for _, m := range metrics {
			row = append(row, figure(g.Means[m]))
		}
		rows = append(rows, row)
	}
	r.Tables = append(r.Tables, Table{Title: "by group", Rows: rows})
}

// MetricTable shows the figures of the report.
func (r ComponentReport) MetricTable() Table {
	t := Table{Title: strings.TrimSpace(r.Name + " " + r.Part), Rows: [][]string{{"metric", "n", "value", "95 %"}}}
	for _, m := range r.Metrics {
		t.Rows = append(t.Rows, []string{m.Name, itoa(m.N), figure4(m.Mean), figure4(m.Low) + "–" + figure4(m.High)})
	}
	return t
}

func figure4(f float64) string { return strings.Replace(fmt.Sprintf("%.4f", f), "0.", ".", 1) }
