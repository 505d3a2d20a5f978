package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"daybook"
	"daybook/model"
)

// Run lets systems answer the questions of a data set.
type Run struct {
	Dataset Dataset
	Systems []System
	Ks      []int // depths at which rankings are measured
	Seed    uint64
	Judge   *Judge // nil for none
	// Code is the version of the code that is measured; see CodeVersion.
	Code string
	// Kept, where set, holds results between runs: what it has is not asked
	// again.
	Kept *Kept
	// Tokens, where set, counts the tokens of a text; see TokenCounter.
	Tokens func(text string) float64
	// Progress, where set, is told of every question.
	Progress func(Progress)
}

// Progress is how far one system is.
type Progress struct {
	System        string
	Conversation  int // that is being worked on, from 1
	Conversations int
	Done, Total   int // questions
	Cached        int // questions of Done whose result was kept from before
}

// Report is what came of a run. Everything but the Times is the same whenever
// the run is repeated.
type Report struct {
	Dataset   string         `json:"dataset"`
	Hash      string         `json:"hash"`
	Code      string         `json:"code"`
	Ks        []int          `json:"ks"`
	Seed      uint64         `json:"seed"`
	Questions int            `json:"questions"`
	Absent    []string       `json:"absent,omitempty"` // questions that nothing answers
	Systems   []SystemReport `json:"systems"`
	// References stand beside the systems' levels.
	References []Reference `json:"references,omitempty"`
	// Spending is what language models cost; it differs from run to run, as what
	// is cached costs nothing.
	Spending *model.Spending `json:"spending,omitempty"`
}

// ReaderK is how many rows count as handed to a reader: ten, or fewer where the
// run went less deep. Tokens and misses are counted at it.
func (r *Report) ReaderK() int { return readerK(r.Ks) }

func readerK(ks []int) int { return min(10, slices.Max(ks)) }

// SystemReport is one system's part.
type SystemReport struct {
	Name    string            `json:"name"`
	Version string            `json:"version,omitempty"` // see Versioned
	Groups  []Group           `json:"groups"`            // all questions first, then by category
	Results []Result          `json:"results"`           // in the order of the questions
	Scores  map[string]Scores `json:"scores"`            // by question
	Levels  Levels            `json:"levels"`
	Bank    []BankRow         `json:"bank,omitempty"`   // of a system that tells
	Ledger  []LedgerFact      `json:"ledger,omitempty"` // of natural chats, and a system that tells
	// TokensPerQuestion is the mean length of what a reader gets: the text of
	// the first ReaderK rows. 0 when it was not counted.
	TokensPerQuestion float64 `json:"tokens_per_question"`
	// Packets is what the answers were made from, of a system that tells.
	Packets *Packets `json:"packets,omitempty"`
	Times   Times    `json:"times"`
}

// Group is a set of questions with the mean of each metric.
type Group struct {
	Name    string              `json:"name"`
	N       int                 `json:"n"`
	Metrics map[string]Interval `json:"metrics"`
}

// Do runs every system over the whole data set. A run that was cut off has lost
// nothing of what Kept holds.
func (r Run) Do(ctx context.Context) (*Report, error) {
	report := &Report{Dataset: r.Dataset.Name, Hash: r.Dataset.Hash, Code: r.Code, Ks: r.Ks, Seed: r.Seed}
	for _, c := range r.Dataset.Conversations {
		report.Questions += len(c.Questions)
		for _, q := range c.Questions {
			if q.Absent {
				report.Absent = append(report.Absent, q.ID)
			}
		}
	}
	for _, s := range r.Systems {
		sr, err := r.system(ctx, s, report.Questions)
		if err != nil {
			return nil, fmt.Errorf("run %s on %s: %w", s.Name(), r.Dataset.Name, err)
		}
		report.Systems = append(report.Systems, sr)
	}
	var err error
	report.References, err = r.references(ctx)
	return report, err
}

func (r Run) system(ctx context.Context, s System, total int) (SystemReport, error) {
	kept, err := r.Kept.open(keptKey{
		System: s.Name(), Version: versionOf(s), Dataset: r.Dataset.Name, Hash: r.Dataset.Hash, Code: r.Code, Depth: slices.Max(r.Ks),
	})
	if err != nil {
		return SystemReport{}, err
	}
	one := &oneSystem{
		Run: r, system: s, kept: kept,
		report:   SystemReport{Name: s.Name(), Version: versionOf(s), Scores: map[string]Scores{}},
		progress: Progress{System: s.Name(), Conversations: len(r.Dataset.Conversations), Total: total},
	}
	for _, c := range r.Dataset.Conversations {
		if err := one.conversation(ctx, c); err != nil {
			return one.report, errors.Join(fmt.Errorf("conversation %s: %w", c.ID, err), kept.close())
		}
	}
	if one.report.Levels, err = r.levels(ctx, s, one.report.Results, one.report.Bank, one.report.Ledger); err != nil {
		return one.report, errors.Join(err, kept.close())
	}
	one.report.Groups = r.groups(one.report.Scores)
	one.report.TokensPerQuestion = one.tokens / float64(max(1, total))
	one.report.Packets = r.packets(one.report.Results)
	one.report.Times = one.cost.times()
	return one.report, kept.close()
}

// oneSystem is a run of one system, under way.
type oneSystem struct {
	Run
	system   System
	kept     *keptFile
	report   SystemReport
	progress Progress
	cost     cost
	tokens   float64
}

// conversation asks the questions of one conversation. The system takes it in
// only when there is something that was not kept from before.
func (o *oneSystem) conversation(ctx context.Context, c Conversation) error {
	o.progress.Conversation++
	o.tell()
	from := newSource(c)
	built, kept := o.kept.whole(c)
	if kept {
		for _, q := range c.Questions {
			r, _ := o.kept.get(c.ID, q.ID)
			o.take(from, q, r, true)
		}
		o.built(built)
		return nil
	}
	watch := watchMemory()
	defer watch.stop()
	begin := time.Now()
	memory, err := o.system.Build(ctx, c)
	if err != nil {
		return err
	}
	built = keptBuild{Seconds: time.Since(begin).Seconds(), Notes: len(c.Notes)}
	for _, q := range c.Questions {
		if err := o.question(ctx, memory, from, q); err != nil {
			return errors.Join(fmt.Errorf("question %s: %w", q.ID, err), memory.Close())
		}
	}
	if built.Bank, err = banked(ctx, memory, c); err != nil {
		return errors.Join(err, memory.Close())
	}
	if len(o.Dataset.Chats) > 0 {
		if built.Ledger, err = ledgerOf(ctx, memory, c); err != nil {
			return errors.Join(err, memory.Close())
		}
	}
	if err := memory.Close(); err != nil {
		return err
	}
	built.PeakBytes = watch.stop()
	o.built(built)
	return o.kept.keepBuild(c.ID, built)
}

// built adds what a conversation cost and what is kept of it to the report.
func (o *oneSystem) built(b keptBuild) {
	o.cost.built(b)
	o.report.Bank = append(o.report.Bank, b.Bank...)
	o.report.Ledger = append(o.report.Ledger, b.Ledger...)
}

func (o *oneSystem) question(ctx context.Context, memory Memory, from source, q Question) error {
	if r, ok := o.kept.get(from.conversation, q.ID); ok {
		o.take(from, q, r, true)
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	begin := time.Now()
	rows, err := memory.Recall(ctx, q, slices.Max(o.Ks))
	if err != nil {
		return err
	}
	if rows == nil {
		rows = []Row{} // as it is read back
	}
	r := keptResult{Seconds: time.Since(begin).Seconds()}
	if r.Result, err = recalled(ctx, memory, q, rows, o.Tokens); err != nil {
		return err
	}
	if err := o.kept.keep(from.conversation, r); err != nil {
		return err
	}
	o.take(from, q, r, false)
	return nil
}

// take measures a result and adds it to the report.
func (o *oneSystem) take(from source, q Question, r keptResult, cached bool) {
	o.report.Results = append(o.report.Results, r.Result)
	if scores := from.score(q, r.Result.Rows, o.Ks); scores != nil {
		o.report.Scores[q.ID] = scores
	}
	if o.Tokens != nil {
		for _, row := range r.Result.Rows[:min(readerK(o.Ks), len(r.Result.Rows))] {
			o.tokens += o.Tokens(from.texts[row.ID])
		}
	}
	o.cost.asked(r.Seconds, cached)
	o.progress.Done++
	if cached {
		o.progress.Cached++
	}
	o.tell()
}

func (o *oneSystem) tell() {
	if o.Progress != nil {
		o.Progress(o.progress)
	}
}

// source is a conversation as rows are looked up in it.
type source struct {
	conversation string
	sessions     map[string]string // of notes, by id
	texts        map[string]string // of notes as a reader gets them
}

func newSource(c Conversation) source {
	s := source{c.ID, make(map[string]string, len(c.Notes)), make(map[string]string, len(c.Notes))}
	for _, n := range c.Notes {
		s.sessions[n.SourceID], s.texts[n.SourceID] = n.Session, n.Passage()
	}
	return s
}

// score measures the rows of one question: by note where notes are known, and by
// session.
func (s source) score(q Question, rows []Row, ks []int) Scores {
	ranked := make([]string, len(rows))
	for i, row := range rows {
		ranked[i] = row.ID
	}
	scores := Retrieval(ranked, q.Evidence, ks)
	wanted := q.Sessions
	if len(wanted) == 0 {
		for _, id := range q.Evidence {
			if session := s.sessions[id]; !slices.Contains(wanted, session) {
				wanted = append(wanted, session)
			}
		}
	}
	for name, v := range Retrieval(SessionRanking(ranked, s.sessions), wanted, ks) {
		if scores == nil {
			scores = Scores{}
		}
		scores["session "+name] = v
	}
	return scores
}

// groups averages the scores over all questions that the conversation answers,
// and over each category.
func (r Run) groups(scores map[string]Scores) []Group {
	byCategory := map[string][]Scores{}
	var all []Scores
	for _, c := range r.Dataset.Conversations {
		for _, q := range c.Questions {
			if s := scores[q.ID]; s != nil {
				if !q.Absent {
					all = append(all, s)
				}
				byCategory[q.Category] = append(byCategory[q.Category], s)
			}
		}
	}
	groups := []Group{r.group("all", all)}
	for _, name := range slices.Sorted(maps.Keys(byCategory)) {
		groups = append(groups, r.group(name, byCategory[name]))
	}
	return groups
}

func (r Run) group(name string, scores []Scores) Group {
	g := Group{Name: name, N: len(scores), Metrics: map[string]Interval{}}
	values := map[string][]float64{}
	for _, s := range scores {
		for metric, v := range s {
			values[metric] = append(values[metric], v)
		}
	}
	for metric, v := range values {
		g.Metrics[metric] = Bootstrap(v, r.Seed)
	}
	return g
}

// SystemDifference is how much better a system is in one report than in another.
type SystemDifference struct {
	System string `json:"system"`
	Metric string `json:"metric"`
	Difference
}

// CompareReports sets the systems of report b against those of the same name in
// report a, question by question, on one metric; two reports of one system each are
// compared whatever these are called. Rankings are compared over the
// questions that the conversations answer, as in the tables. Reports on different
// data, without a system in common or without the metric are Invalid.
func CompareReports(a, b *Report, metric string, seed uint64) ([]SystemDifference, error) {
	if a.Hash != b.Hash {
		return nil, daybook.Errorf(daybook.Invalid, "the reports are on different data: %s (%.12s) and %s (%.12s)", a.Dataset, a.Hash, b.Dataset, b.Hash)
	}
	var diffs []SystemDifference
	alone := len(a.Systems) == 1 && len(b.Systems) == 1
	for _, after := range b.Systems {
		for _, before := range a.Systems {
			if alone || before.Name == after.Name {
				x, y := Pair(a.values(before, metric), b.values(after, metric))
				if len(x) == 0 {
					return nil, daybook.Errorf(daybook.Invalid, "no question of %s has the metric %q in both reports", after.Name, metric)
				}
				diffs = append(diffs, SystemDifference{after.Name, metric, Compare(x, y, seed)})
			}
		}
	}
	if len(diffs) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "the reports have no system in common")
	}
	return diffs, nil
}

// values are those of a metric, by question.
func (r *Report) values(s SystemReport, metric string) map[string]float64 {
	values := map[string]float64{}
	for id, scores := range s.Scores {
		if v, ok := scores[metric]; ok && !slices.Contains(r.Absent, id) {
			values[id] = v
		}
	}
	for id, scores := range s.Levels.Scores {
		if v, ok := scores[metric]; ok {
			values[id] = v
		}
	}
	return values
}
