package engine_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/source"
	"daybook/store"
	"daybook/store/sqlite"
)

// The benchmarks of this file make the figures of docs: run them with
//
//	DAYBOOK_BENCH_NOTES=1000000 go test ./engine -run '^$' -bench . -timeout 1h
//
// DAYBOOK_BENCH_HOME keeps the home of BenchmarkLedger in a directory, and uses
// it as it is when it is there already.

var benchScope = daybook.Scope{User: "bench"}

func benchNotes(b *testing.B) int {
	n := 20_000
	if s := os.Getenv("DAYBOOK_BENCH_NOTES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

func benchOpen(b *testing.B, home string) (*sqlite.Store, *engine.Engine) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), home)
	if err != nil {
		b.Fatal(err)
	}
	return s, engine.New(s)
}

// words are what messages are made of.
var words = strings.Fields(`we went to the market in the rain and then home because nobody had
	brought an umbrella my sister says hello she moved last spring from Lisbon and works at a
	bakery now I will call you tomorrow about the trip the tickets are cheaper on Tuesday`)

// messageFile writes n messages of some twenty words, in sessions of fifty.
func messageFile(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "messages.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		text := make([]string, 10+rng.IntN(20))
		for j := range text {
			text[j] = words[rng.IntN(len(words))]
		}
		err = errors.Join(err, enc.Encode(map[string]string{
			"id": fmt.Sprintf("msg-%d", i), "session": fmt.Sprintf("session-%d", i/50), "speaker": [...]string{"Maya", "Ben"}[i%2],
			"time": time.Unix(1_600_000_000+60*int64(i), 0).UTC().Format(time.RFC3339), "text": strings.Join(text, " "),
		}))
	}
	if err := errors.Join(err, w.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return path
}

func importFile(b *testing.B, e *engine.Engine, path string, want int) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	s, err := source.Open(source.Input{Name: path, Data: f, Size: info.Size()}, source.Options{Format: source.Messages})
	if err != nil {
		b.Fatal(err)
	}
	r, err := e.Import(b.Context(), benchScope, engine.By{Author: "bench"}, engine.Import{Records: s.Records})
	if err != nil || r.Added != want {
		b.Fatalf("%d of %d messages were added: %v", r.Added, want, err)
	}
}

// latencies gathers how long each turn took.
type latencies []time.Duration

func (l *latencies) time(do func()) {
	begin := time.Now()
	do()
	*l = append(*l, time.Since(begin))
}

func (l latencies) report(b *testing.B) {
	slices.Sort(l)
	at := func(share float64) float64 { return float64(l[int(share*float64(len(l)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(0.50), "p50-ms")
	b.ReportMetric(at(0.95), "p95-ms")
}

// BenchmarkCommitOneNote is one durable commit a turn.
func BenchmarkCommitOneNote(b *testing.B) {
	_, e := benchOpen(b, b.TempDir())
	defer e.Close()
	var l latencies
	i := 0
	for b.Loop() {
		i++
		n := daybook.Note{SourceID: strconv.Itoa(i), Time: time.Unix(1e9, 0), Session: "s", Speaker: "Maya", Text: "I moved to Lisbon last spring"}
		l.time(func() {
			if _, err := e.Add(b.Context(), benchScope, engine.By{Author: "bench"}, []daybook.Note{n}); err != nil {
				b.Fatal(err)
			}
		})
	}
	l.report(b)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkImport takes in a whole file of messages a turn.
func BenchmarkImport(b *testing.B) {
	n := min(benchNotes(b), 20_000)
	path := messageFile(b, n)
	b.ResetTimer()
	for b.Loop() {
		_, e := benchOpen(b, b.TempDir())
		importFile(b, e, path, n)
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "notes/s")
}

const (
	benchRelations = 50
	benchValues    = 20 // of each relation
)

// ledgerHome returns a closed home with many notes and, in the same scope, a
// subject with a thousand facts, each from a commit of its own.
func ledgerHome(b *testing.B, notes int) string {
	b.Helper()
	home := os.Getenv("DAYBOOK_BENCH_HOME")
	if home == "" {
		home = b.TempDir()
	} else if _, err := os.Stat(filepath.Join(home, sqlite.FileName)); err == nil {
		return home
	}
	s, e := benchOpen(b, home)
	begin := time.Now()
	importFile(b, e, messageFile(b, notes), notes)
	b.Logf("imported %d notes: %.0f notes/s", notes, float64(notes)/time.Since(begin).Seconds())
	size, err := s.Size(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes on disk, %.0f for each note", size, float64(size)/float64(notes))
	begin = time.Now()
	for i := range benchRelations * benchValues {
		_, err := e.AddFact(b.Context(), benchScope, engine.By{Author: "bench"}, engine.NewFact{
			Subject: "Maya", Relation: fmt.Sprintf("relation_%d", i%benchRelations), Object: fmt.Sprintf("value %d", i/benchRelations),
			Holds: daybook.OneValue, Valid: daybook.Span{From: benchDay(i / benchRelations)}, Sources: []string{fmt.Sprintf("msg-%d", i)},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d facts: %.0f commits/s", benchRelations*benchValues, benchRelations*benchValues/time.Since(begin).Seconds())
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	return home
}

func benchDay(i int) time.Time { return time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC) }

// BenchmarkLedger reads a home of DAYBOOK_BENCH_NOTES notes.
func BenchmarkLedger(b *testing.B) {
	notes := benchNotes(b)
	home := ledgerHome(b, notes)
	b.Run("Open", func(b *testing.B) { benchmarkOpen(b, home, notes) })
	b.Run("FactsAsOf", func(b *testing.B) {
		_, e := benchOpen(b, home)
		defer e.Close()
		first, last := benchRecorded(b, e)
		rng := rand.New(rand.NewPCG(3, 4))
		for _, c := range []struct {
			name  string
			query func() engine.FactQuery
		}{
			{"now", func() engine.FactQuery { return engine.FactQuery{Subject: "Maya"} }},
			{"valid-at", func() engine.FactQuery {
				return engine.FactQuery{Subject: "Maya", At: daybook.AsOf{ValidAt: benchDay(rng.IntN(benchValues))}}
			}},
			{"known-at", func() engine.FactQuery {
				known := first.Add(time.Duration(rng.Int64N(int64(last.Sub(first)))))
				return engine.FactQuery{Subject: "Maya", At: daybook.AsOf{ValidAt: benchDay(rng.IntN(benchValues)), KnownAt: known}}
			}},
			{"one-relation", func() engine.FactQuery {
				return engine.FactQuery{Subject: "Maya", Relation: fmt.Sprintf("relation_%d", rng.IntN(benchRelations))}
			}},
			{"history", func() engine.FactQuery { return engine.FactQuery{Subject: "Maya", All: true} }},
		} {
			b.Run(c.name, func(b *testing.B) { benchmarkFacts(b, e, c.query) })
		}
	})
}

// benchRecorded returns when the first and the last fact were recorded.
func benchRecorded(b *testing.B, e *engine.Engine) (first, last time.Time) {
	b.Helper()
	entries, err := e.Log(b.Context(), benchScope, benchRelations*benchValues)
	if err != nil {
		b.Fatal(err)
	}
	return entries[len(entries)-1].RecordedAt, entries[0].RecordedAt
}

func benchmarkFacts(b *testing.B, e *engine.Engine, query func() engine.FactQuery) {
	var l latencies
	var found int
	for b.Loop() {
		q := query()
		l.time(func() {
			states, err := e.Facts(b.Context(), benchScope, q)
			if err != nil {
				b.Fatal(err)
			}
			found += len(states)
		})
	}
	if found == 0 {
		b.Fatal("no states were found")
	}
	l.report(b)
}

// benchmarkOpen opens the home and reads its head.
func benchmarkOpen(b *testing.B, home string, notes int) {
	var l latencies
	for b.Loop() {
		l.time(func() {
			s, e := benchOpen(b, home)
			err := s.View(b.Context(), benchScope, func(r store.Reader) error {
				head, err := r.Head()
				if err == nil && head.Seq == 0 {
					err = errors.New("the home is empty")
				}
				return err
			})
			if err := errors.Join(err, e.Close()); err != nil {
				b.Fatal(err)
			}
		})
	}
	l.report(b)
	info, err := os.Stat(filepath.Join(home, sqlite.FileName))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(notes), "bytes/note")
}
