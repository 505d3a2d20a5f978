package eval

import (
	"context"
	"fmt"
	"slices"
)

// timexBench measures how many of the specs' expressions of time are read as the
// specs want.
func timexBench(_ context.Context, path string, env Env) (ComponentReport, error) {
	specs, hash, err := LoadTimex(path)
	if err != nil {
		return ComponentReport{}, err
	}
	specs = specs[:env.limited(len(specs))]
	scored := ScoreTimex(specs)
	r := ComponentReport{Name: "timex", Hash: hash, Part: "dates, ranges and date-times", Cases: scored.All.N + scored.Silence.N, Notes: excluded(scored.Excluded)}
	r.Metrics = []ComponentMetric{{"right", scored.All.interval(env.Seed)}, {"silent where nothing is a time", scored.Silence.interval(env.Seed)}}
	r.Tables = []Table{tallyTable("by type", "type", scored.Types), tallyTable("by file", "file", scored.Files)}
	missed := Table{Title: "missed", Note: "the first of them", Rows: [][]string{{"spec", "type", "text", "wanted", "read"}}}
	for _, m := range scored.Missed[:min(len(scored.Missed), shownMissed)] {
		var read []string
		for _, e := range m.Got {
			read = append(read, e.Text+" "+e.Span.String())
		}
		missed.Rows = append(missed.Rows, []string{fmt.Sprintf("%s %d", m.File, m.Number), m.Type, orInput(m), fmt.Sprint(m.Want), fmt.Sprint(read)})
	}
	r.Tables = append(r.Tables, missed)
	return r, nil
}

// shownMissed is how many misses of a part a report lists.
const shownMissed = 20

func orInput(m TimexMiss) string {
	if m.Text == "" {
		return m.Input
	}
	return m.Text
}

// anchorBench measures how often the time of an event is read from the note that
// tells it.
func anchorBench(_ context.Context, path string, env Env) (ComponentReport, error) {
	data, err := LoadLocomo(path)
	if err != nil {
		return ComponentReport{}, err
	}
	scored := ScoreAnchors(data)
	r := ComponentReport{Name: "anchors", Hash: data.Hash, Part: "times of events", Cases: scored.All.N, Notes: excluded(scored.Excluded)}
	r.Metrics = []ComponentMetric{
		{"right", scored.All.interval(env.Seed)}, {"right, of those with one gold note", scored.Single.interval(env.Seed)},
		{"the very interval", scored.Exact.interval(env.Seed)}, {"always the day of the note", scored.NoteDay.interval(env.Seed)},
	}
	r.Tables = []Table{tallyTable("by granularity of the key", "granularity", scored.Groups)}
	return r, nil
}

// interval is the share with its interval over cases.
func (t TimexTally) interval(seed uint64) Interval {
	values := make([]float64, t.N)
	for i := range t.Right {
		values[i] = 1
	}
	return Bootstrap(values, seed)
}

func tallyTable(title, head string, tallies map[string]TimexTally) Table {
	t := Table{Title: title, Rows: [][]string{{head, "n", "right", "share"}}}
	for _, name := range sortedKeys(tallies) {
		c := tallies[name]
		t.Rows = append(t.Rows, []string{name, itoa(c.N), itoa(c.Right), figure(c.Share())})
	}
	return t
}

// excluded says what was not scored and why, the most frequent reason first.
func excluded(reasons map[string]int) (notes []string) {
	names := sortedKeys(reasons)
	slices.SortStableFunc(names, func(a, b string) int { return reasons[b] - reasons[a] })
	for _, why := range names {
		notes = append(notes, fmt.Sprintf("not scored: %d, %s", reasons[why], why))
	}
	return notes
}
