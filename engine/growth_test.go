package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/store/sqlite"
)

// grownNotes are n notes of two people who tell of themselves and of others, from
// number i on: five minutes apart, fifty to a session. What they tell holds many
// values at a time, so that no state grows with the scope.
func grownNotes(i, n int) (notes []daybook.Note) {
	first := []string{"Rebecca", "Melanie", "Robert", "Daniel", "Laura", "Simon", "Teresa", "Victor"}
	short := []string{"Becky", "Mel", "Bob", "Dan", "Sue", "Tom", "Tess", "Vic"}
	for k := i; k < i+n; k++ {
		rng := rand.New(rand.NewPCG(uint64(k), 9))
		who := short[rng.IntN(len(short))]
		if rng.IntN(2) == 0 {
			who = fmt.Sprintf("%s Stone%c%c", first[rng.IntN(len(first))], 'a'+rune(rng.IntN(26)), 'a'+rune(k/4000))
		}
		text := [...]string{
			"I visited Company%d because %s called me.", "I went to Town%d with %s yesterday.", "I bought a Kia%d from %s.", "I met %[2]s, so I read Book%[1]d.",
		}[rng.IntN(4)]
		notes = append(notes, daybook.Note{
			Session: fmt.Sprint("session-", k/50), Speaker: [...]string{"Maya", "Ben"}[k%2], Text: fmt.Sprintf(text, rng.IntN(500), who),
			Time: time.Unix(1_600_000_000+300*int64(k), 0).UTC(),
		})
	}
	return notes
}

// addCost is how long it takes to learn from one note and to read what was
// learned with its links, at the middle of a hundred.
func addCost(t testing.TB, e *engine.Engine, at int) (add, read time.Duration) {
	t.Helper()
	var adds, reads []time.Duration
	for _, n := range grownNotes(at, 100) {
		begin := time.Now()
		r, err := e.Add(t.Context(), benchScope, engine.By{Author: "bench"}, []daybook.Note{n})
		if err != nil {
			t.Fatal(err)
		}
		adds = append(adds, time.Since(begin))
		begin = time.Now()
		if _, err := e.Learned(t.Context(), benchScope, r.IDs[0], daybook.AsOf{}); err != nil {
			t.Fatal(err)
		}
		reads = append(reads, time.Since(begin))
	}
	slices.Sort(adds)
	slices.Sort(reads)
	return adds[len(adds)/2], reads[len(reads)/2]
}

// BenchmarkLearning measures what one more note costs in scopes of growing size:
//
//	DAYBOOK_BENCH_NOTES=100000 go test ./engine -run '^$' -bench Learning -benchtime 1x -timeout 1h
func BenchmarkLearning(b *testing.B) {
	s, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	e := engine.New(s).WithLearner(extract.Local{})
	defer e.Close() //nolint:errcheck // a benchmark
	have := 0
	for size := 1000; size <= benchNotes(b); size *= 10 {
		for have < size {
			n := min(2000, size-have)
			if _, err := e.Add(b.Context(), benchScope, engine.By{Author: "bench"}, grownNotes(have, n)); err != nil {
				b.Fatal(err)
			}
			have += n
		}
		add, read := addCost(b, e, have)
		have += 100
		b.ReportMetric(float64(add.Microseconds())/1000, fmt.Sprintf("ms/add@%d", size))
		b.ReportMetric(float64(read.Microseconds())/1000, fmt.Sprintf("ms/read@%d", size))
	}
}
