package eval

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

//go:embed page/report.html
var pageText string

// pageTemplate escapes whatever it is given; only the charts, which escape their
// own texts, go in as they are. html/template would do so too, and make the binary
// larger by 80 kB.
var pageTemplate = escaping(template.Must(template.New("report").Funcs(template.FuncMap{
	"escape": escape,
	"num":    func(f float64) string { return fmt.Sprintf("%.3f", f) },
	"ms":     func(f float64) string { return fmt.Sprintf("%.2f", f) },
	"one":    func(f float64) string { return fmt.Sprintf("%.1f", f) },
	"int":    func(f float64) string { return fmt.Sprintf("%.0f", f) },
	"mb":     func(n uint64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) },
}).Parse(pageText)))

// markup is a part of the page that is escaped already.
type markup string

// escape makes text of what goes into the page. What the script reads is JSON, in which
// no "<" is left either.
func escape(v any) (string, error) {
	switch v := v.(type) {
	case markup:
		return string(v), nil
	case missData:
		b, err := json.Marshal(v)
		return string(b), err
	}
	return html.EscapeString(fmt.Sprint(v)), nil
}

// escaping makes a template escape all that it prints.
func escaping(t *template.Template) *template.Template {
	escapeIn(t.Root)
	return t
}

func escapeIn(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			last := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{parse.NewIdentifier("escape").SetPos(n.Pos)}}
			n.Pipe.Cmds = append(n.Pipe.Cmds, last)
		case *parse.IfNode:
			escapeIn(n.List)
			escapeIn(n.ElseList)
		case *parse.RangeNode:
			escapeIn(n.List)
			escapeIn(n.ElseList)
		case *parse.WithNode:
			escapeIn(n.List)
			escapeIn(n.ElseList)
		}
	}
}

// What a page shows of the misses of one system, at most.
const (
	pageMisses    = 2000
	pageNoteRunes = 1500
)

// page is what the template is filled with.
type page struct {
	*Report
	K          int
	Main       string // the metric that is shown by category
	Columns    []string
	Quality    []pageRow
	Categories []pageRow
	All        []pageRow // every metric of every system and group
	Bars       markup
	Curves     markup
	Latencies  []markup
	Misses     missData
	LeftOut    int
}

// pageRow is a row of a table of intervals.
type pageRow struct {
	Name, Group string
	Colour      int
	N           int
	Cells       []Interval
}

// WriteHTML writes a report on a data set as one page that needs nothing else:
// tables, charts, and the misses to look through.
func WriteHTML(w io.Writer, d Dataset, r *Report) error {
	p := page{Report: r, K: r.ReaderK()}
	p.Main = mainRecall(r)
	p.Columns = rankingColumns(r)
	for i, s := range r.Systems {
		all := s.Groups[0]
		p.Quality = append(p.Quality, pageRow{Name: s.Name, Colour: i, N: all.N, Cells: cells(all, p.Columns)})
		for _, g := range s.Groups {
			for _, m := range slices.Sorted(maps.Keys(g.Metrics)) {
				p.All = append(p.All, pageRow{Name: s.Name + " · " + m, Group: g.Name, N: g.Metrics[m].N, Cells: []Interval{g.Metrics[m]}})
			}
		}
		p.Latencies = append(p.Latencies, latencyChart(s, i))
	}
	p.Categories = categoryRows(r, p.Main)
	p.Bars = barChart(r, p.Categories, shortName(p.Main))
	p.Curves = curveChart(d, r)
	p.Misses, p.LeftOut = newMissData(d, r)
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// mainRecall is the recall at the reader's depth, or at the deepest that was
// measured; of sessions where notes are not known.
func mainRecall(r *Report) string {
	k := slices.Max(r.Ks)
	if slices.Contains(r.Ks, r.ReaderK()) {
		k = r.ReaderK()
	}
	for _, s := range r.Systems {
		if _, ok := s.Groups[0].Metrics[at("recall", k)]; ok {
			return at("recall", k)
		}
	}
	return "session " + at("recall", k)
}

// rankingColumns are the metrics of the first table.
func rankingColumns(r *Report) (names []string) {
	for _, k := range r.Ks {
		names = append(names, at("recall", k))
	}
	k := slices.Max(r.Ks)
	if slices.Contains(r.Ks, r.ReaderK()) {
		k = r.ReaderK()
	}
	return append(names, "mrr", at("ndcg", k), at("any", k), at("all", k), "session "+at("recall", k))
}

// Short names the columns for people.
func (p page) Short(name string) string { return shortName(name) }

func shortName(name string) string {
	return strings.NewReplacer("recall@", "R@", "ndcg", "nDCG", "mrr", "MRR").Replace(name)
}

func cells(g Group, names []string) (out []Interval) {
	for _, name := range names {
		out = append(out, g.Metrics[name])
	}
	return out
}

// categoryRows has a row per group, a cell per system.
func categoryRows(r *Report, metric string) (rows []pageRow) {
	for _, s := range r.Systems {
		for _, g := range s.Groups {
			if !slices.ContainsFunc(rows, func(row pageRow) bool { return row.Name == g.Name }) {
				rows = append(rows, pageRow{Name: g.Name, N: g.N, Cells: make([]Interval, len(r.Systems))})
			}
		}
	}
	for i, s := range r.Systems {
		for _, g := range s.Groups {
			at := slices.IndexFunc(rows, func(row pageRow) bool { return row.Name == g.Name })
			rows[at].Cells[i] = g.Metrics[metric]
		}
	}
	return rows
}

// missData is what the page's script looks through: the misses, and the text of
// each note that they name, once.
type missData struct {
	Systems    []string                     `json:"systems"`
	Categories []string                     `json:"categories"`
	Stages     []string                     `json:"stages"`
	Notes      map[string]map[string]string `json:"notes"` // by conversation and id
	Misses     []Miss                       `json:"misses"`
}

func newMissData(d Dataset, r *Report) (data missData, leftOut int) {
	data = missData{Systems: []string{}, Categories: []string{}, Stages: []string{}, Notes: map[string]map[string]string{}, Misses: []Miss{}}
	for _, s := range r.Systems {
		misses := Misses(d, s, r.ReaderK())
		leftOut += max(0, len(misses)-pageMisses)
		for _, m := range misses[:min(pageMisses, len(misses))] {
			m.Gold, m.Returned = data.lift(m.Conversation, m.Gold), data.lift(m.Conversation, m.Returned)
			data.Misses = append(data.Misses, m)
			data.Systems, data.Categories, data.Stages = with(data.Systems, m.System), with(data.Categories, m.Category), with(data.Stages, m.Stage)
		}
	}
	slices.Sort(data.Categories)
	slices.SortFunc(data.Stages, func(a, b string) int { return cmp.Compare(slices.Index(stages, a), slices.Index(stages, b)) })
	return data, leftOut
}

// lift moves the texts of rows to the notes, cut where they are very long.
func (m *missData) lift(conversation string, rows []MissedRow) []MissedRow {
	if m.Notes[conversation] == nil {
		m.Notes[conversation] = map[string]string{}
	}
	out := make([]MissedRow, len(rows))
	for i, row := range rows {
		text := []rune(row.Text)
		if len(text) > pageNoteRunes {
			text = append(text[:pageNoteRunes:pageNoteRunes], '…')
		}
		m.Notes[conversation][row.ID] = string(text)
		row.Text = ""
		out[i] = row
	}
	return out
}

func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// recallCurve is the mean recall of a system at every depth from 1 on, over the
// questions that the conversations answer.
func recallCurve(d Dataset, s SystemReport, depth int) []float64 {
	results := map[string]Result{}
	for _, r := range s.Results {
		results[r.ID] = r
	}
	curve, n := make([]float64, depth), 0.0
	for _, c := range d.Conversations {
		for _, q := range c.Questions {
			if q.Absent || len(q.Evidence) == 0 {
				continue
			}
			n++
			gold, found := set(q.Evidence), 0.0
			for k := range depth {
				if rows := results[q.ID].Rows; k < len(rows) && gold[rows[k].ID] {
					gold[rows[k].ID] = false // once only
					found++
				}
				curve[k] += found / float64(len(gold))
			}
		}
	}
	for k := range curve {
		curve[k] /= max(n, 1)
	}
	return curve
}
