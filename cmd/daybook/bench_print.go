package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"daybook"
	"daybook/eval"
)

// printReport prints tables a person can read: quality overall, with an
// interval; what it cost; quality by category.
func (a *app) printReport(r *eval.Report, metrics []string) error {
	names, err := tableMetrics(r, metrics)
	if err != nil {
		return err
	}
	a.printf("%s  %d questions  sha256 %.16s  code %s  seed %d\n\n", a.bold(r.Dataset), r.Questions, r.Hash, r.Code, r.Seed)
	if r.HasEvidence() {
		a.table(qualityRows(r, names))
		a.printf("\n")
	}
	a.table(costRows(r))
	a.packets(r)
	if !r.HasEvidence() {
		a.printf("\nWhich notes answer these questions is not known, so that recall is not measured.\n")
		return nil
	}
	for _, s := range r.Systems {
		a.printf("\n%s by category\n", a.bold(s.Name))
		rows := [][]string{qualityHead("category", r, names)}
		for _, g := range s.Groups[1:] {
			rows = append(rows, qualityRow(line(g.Name, 30), g, r, names))
		}
		a.table(rows)
	}
	return nil
}

// tableMetrics are the columns that the names stand for: a family at every
// depth, or one metric by its name.
func tableMetrics(r *eval.Report, chosen []string) (names []string, err error) {
	families := map[string]string{"recall": "recall", "any": "any", "all": "all", "ndcg": "ndcg", "session": "session recall"}
	known := map[string]bool{"mrr": true}
	for _, s := range r.Systems {
		for _, g := range s.Groups {
			for name := range g.Metrics {
				known[name] = true
			}
		}
	}
	for _, name := range chosen {
		family, ok := families[name]
		switch {
		case ok:
			for _, k := range r.Ks {
				names = append(names, family+"@"+strconv.Itoa(k))
			}
		case known[name]:
			names = append(names, name)
		default:
			return nil, daybook.Errorf(daybook.Invalid, "bench: no metric is called %q; there are recall, any, all, ndcg, session, %s", name,
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return names, nil
}

// mainMetric is the one whose interval is shown: at the reader's depth, else the
// last.
func mainMetric(r *eval.Report, names []string) string {
	for _, name := range names {
		if strings.HasSuffix(name, "@"+strconv.Itoa(r.ReaderK())) {
			return name
		}
	}
	return names[len(names)-1]
}

// shortMetric is the name of a metric as the head of a column.
func shortMetric(name string) string {
	name = strings.Replace(name, "session ", "session-", 1)
	name = strings.Replace(name, "recall@", "R@", 1)
	name = strings.Replace(name, "ndcg", "nDCG", 1)
	return strings.Replace(name, "mrr", "MRR", 1)
}

func qualityHead(first string, r *eval.Report, names []string) []string {
	head := []string{first, "n"}
	for _, name := range names {
		head = append(head, shortMetric(name))
	}
	return append(head, "95 % of "+shortMetric(mainMetric(r, names)))
}

func qualityRow(first string, g eval.Group, r *eval.Report, names []string) []string {
	row := []string{first, strconv.Itoa(g.N)}
	for _, name := range names {
		cell := "–"
		if m, ok := g.Metrics[name]; ok {
			cell = number(m.Mean)
		}
		row = append(row, cell)
	}
	if m, ok := g.Metrics[mainMetric(r, names)]; ok {
		row = append(row, number(m.Low)+"–"+number(m.High))
	}
	return row
}

func qualityRows(r *eval.Report, names []string) [][]string {
	rows := [][]string{qualityHead("system", r, names)}
	for _, s := range r.Systems {
		rows = append(rows, qualityRow(s.Name, s.Groups[0], r, names))
	}
	return rows
}

func costRows(r *eval.Report) [][]string {
	rows := [][]string{{"system", "tokens/question", "build s", "notes/s", "p50 ms", "p95 ms", "peak MB", "cached"}}
	for _, s := range r.Systems {
		t := s.Times
		rows = append(rows, []string{
			s.Name, fmt.Sprintf("%.0f", s.TokensPerQuestion),
			fmt.Sprintf("%.1f", t.BuildSeconds), t.Rate(),
			fmt.Sprintf("%.2f", t.RecallP50MS), fmt.Sprintf("%.2f", t.RecallP95MS),
			fmt.Sprintf("%.0f", float64(t.PeakMemoryBytes)/1e6), strconv.Itoa(t.Cached),
		})
	}
	return rows
}

// packets says how long the packets are that answers were made from, and what they hold.
func (a *app) packets(r *eval.Report) {
	rows := [][]string{{"packets of", "n", "tokens", "rows", "recall"}}
	for _, s := range r.Systems {
		if p := s.Packets; p != nil {
			recall := "–"
			if p.Known > 0 {
				recall = number(p.Recall)
			}
			rows = append(rows, []string{s.Name, strconv.Itoa(p.N), fmt.Sprintf("%.0f", p.Tokens), fmt.Sprintf("%.1f", p.Rows), recall})
		}
	}
	if len(rows) > 1 {
		a.printf("\n")
		a.table(rows)
	}
}

func number(f float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", f), "0") }

// benchProgress shows how far a run is: a bar where a person watches, else a
// line now and then.
type benchProgress struct {
	a      *app
	system string
	begun  time.Time // the system
	shown  time.Time
	every  time.Duration
}

func newBenchProgress(a *app) *benchProgress {
	if a.watches {
		return &benchProgress{a: a, every: 50 * time.Millisecond}
	}
	return &benchProgress{a: a, every: 10 * time.Second}
}

func (b *benchProgress) show(p eval.Progress) {
	now := time.Now()
	if p.System != b.system {
		b.system, b.begun, b.shown = p.System, now, now
	}
	whole := p.Done == p.Total
	if !whole && now.Sub(b.shown) < b.every {
		return
	}
	b.shown = now
	text := progressText(p, now.Sub(b.begun))
	switch {
	case b.a.watches:
		b.a.progress("%s", progressBar(p)+" "+text)
	case !b.a.JSON:
		fmt.Fprintln(b.a.err, text)
	}
}

func (b *benchProgress) end() { b.a.endProgress() }

// progressBar draws how much is done.
func progressBar(p eval.Progress) string {
	const width = 20
	full := width
	if p.Total > 0 {
		full = width * p.Done / p.Total
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// progressText says the share, the rate and the time to go. Results that were
// kept come at once and count for no rate.
func progressText(p eval.Progress, took time.Duration) string {
	text := fmt.Sprintf("%s: %d of %d questions", line(p.System, 40), p.Done, p.Total)
	if p.Total > 0 {
		text += fmt.Sprintf(", %d %%", 100*p.Done/p.Total)
	}
	if p.Cached > 0 {
		text += fmt.Sprintf(", %d cached", p.Cached)
	}
	switch rate := float64(p.Done-p.Cached) / max(took.Seconds(), 1e-9); {
	case p.Done == p.Total:
		return text + ", " + took.Round(10*time.Millisecond).String()
	case p.Done > p.Cached:
		left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
		return text + fmt.Sprintf(", %.1f/s, %s to go", rate, left.Round(time.Second))
	}
	return text + fmt.Sprintf(", conversation %d of %d", p.Conversation, p.Conversations)
}
