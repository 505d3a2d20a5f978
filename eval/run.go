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
	// Progress, where set, is told the system and how many questions are done.
	Progress func(system string, done, total int)
}

// Report is what came of a run. Everything but the Times is the same whenever
// the run is repeated.
type Report struct {
	Dataset   string         `json:"dataset"`
	Hash      string         `json:"hash"`
	Ks        []int          `json:"ks"`
	Seed      uint64         `json:"seed"`
	Questions int            `json:"questions"`
	Systems   []SystemReport `json:"systems"`
	// References stand beside the systems' levels.
	References []Reference `json:"references,omitempty"`
	// Spending is what language models cost; it differs from run to run, as what
	// is cached costs nothing.
	Spending *model.Spending `json:"spending,omitempty"`
}

// SystemReport is one system's part.
type SystemReport struct {
	Name    string            `json:"name"`
	Groups  []Group           `json:"groups"`  // all questions first, then by category
	Results []Result          `json:"results"` // in the order of the questions
	Scores  map[string]Scores `json:"scores"`  // by question
	Levels  Levels            `json:"levels"`
	Bank    []BankRow         `json:"bank,omitempty"` // of a system that tells
	Times   Times             `json:"times"`
}

// Group is a set of questions with the mean of each metric.
type Group struct {
	Name    string              `json:"name"`
	N       int                 `json:"n"`
	Metrics map[string]Interval `json:"metrics"`
}

// Times is what a run cost; it differs from run to run.
type Times struct {
	BuildSeconds   float64 `json:"build_seconds"`
	NotesPerSecond float64 `json:"notes_per_second"`
	RecallP50MS    float64 `json:"recall_p50_ms"`
	RecallP95MS    float64 `json:"recall_p95_ms"`
}

// Do runs every system over the whole data set.
func (r Run) Do(ctx context.Context) (*Report, error) {
	report := &Report{Dataset: r.Dataset.Name, Hash: r.Dataset.Hash, Ks: r.Ks, Seed: r.Seed}
	for _, c := range r.Dataset.Conversations {
		report.Questions += len(c.Questions)
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
	sr := SystemReport{Name: s.Name(), Scores: map[string]Scores{}}
	var took []time.Duration
	var build time.Duration
	notes := 0
	for _, c := range r.Dataset.Conversations {
		begin := time.Now()
		memory, err := s.Build(ctx, c)
		if err != nil {
			return sr, fmt.Errorf("conversation %s: %w", c.ID, err)
		}
		build += time.Since(begin)
		notes += len(c.Notes)
		for _, q := range c.Questions {
			begin := time.Now()
			rows, err := memory.Recall(ctx, q, slices.Max(r.Ks))
			if err != nil {
				return sr, fmt.Errorf("question %s: %w", q.ID, err)
			}
			took = append(took, time.Since(begin))
			result, err := recalled(ctx, memory, q, rows)
			if err != nil {
				return sr, fmt.Errorf("question %s: %w", q.ID, err)
			}
			sr.Results = append(sr.Results, result)
			if scores := score(c, q, rows, r.Ks); scores != nil {
				sr.Scores[q.ID] = scores
			}
			if r.Progress != nil {
				r.Progress(s.Name(), len(took), total)
			}
		}
		bank, err := banked(ctx, memory, c)
		if err := errors.Join(err, memory.Close()); err != nil {
			return sr, err
		}
		sr.Bank = append(sr.Bank, bank...)
	}
	var err error
	if sr.Levels, err = r.levels(ctx, s, sr.Results, sr.Bank); err != nil {
		return sr, err
	}
	sr.Groups = r.groups(sr.Scores)
	sr.Times = times(build, notes, took)
	return sr, nil
}

// score measures the rows of one question: by note where notes are known, else
// by session.
func score(c Conversation, q Question, rows []Row, ks []int) Scores {
	ranked := make([]string, len(rows))
	for i, row := range rows {
		ranked[i] = row.ID
	}
	sessions := map[string]string{}
	for _, n := range c.Notes {
		sessions[n.SourceID] = n.Session
	}
	scores := Retrieval(ranked, q.Evidence, ks)
	gold := q.Sessions
	if len(gold) == 0 {
		for _, id := range q.Evidence {
			if s := sessions[id]; !slices.Contains(gold, s) {
				gold = append(gold, s)
			}
		}
	}
	for name, v := range Retrieval(SessionRanking(ranked, sessions), gold, ks) {
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

func times(build time.Duration, notes int, took []time.Duration) Times {
	slices.Sort(took)
	at := func(p float64) float64 {
		if len(took) == 0 {
			return 0
		}
		return float64(took[int(p*float64(len(took)-1))].Microseconds()) / 1000
	}
	return Times{
		BuildSeconds: build.Seconds(), NotesPerSecond: float64(notes) / max(build.Seconds(), 1e-9),
		RecallP50MS: at(0.50), RecallP95MS: at(0.95),
	}
}

// SystemDifference is how much better a system is in one report than in another.
type SystemDifference struct {
	System string `json:"system"`
	Metric string `json:"metric"`
	Difference
}

// CompareReports sets the systems of report b against those of the same name in
// report a, question by question, on one metric. Reports on different data are
// Invalid.
func CompareReports(a, b *Report, metric string, seed uint64) ([]SystemDifference, error) {
	if a.Hash != b.Hash {
		return nil, daybook.Errorf(daybook.Invalid, "the reports are on different data: %s (%.12s) and %s (%.12s)", a.Dataset, a.Hash, b.Dataset, b.Hash)
	}
	var diffs []SystemDifference
	for _, after := range b.Systems {
		for _, before := range a.Systems {
			if before.Name == after.Name {
				x, y := Pair(valuesOf(before, metric), valuesOf(after, metric))
				diffs = append(diffs, SystemDifference{after.Name, metric, Compare(x, y, seed)})
			}
		}
	}
	return diffs, nil
}

func valuesOf(s SystemReport, metric string) map[string]float64 {
	values := map[string]float64{}
	for _, by := range []map[string]Scores{s.Scores, s.Levels.Scores} {
		for id, scores := range by {
			if v, ok := scores[metric]; ok {
				values[id] = v
			}
		}
	}
	return values
}
