package engine_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/index"
	"daybook/model"
	"daybook/store"
	"daybook/store/sqlite"

	"pgregory.net/rapid"
)

// found is what an index says, as text.
func found(v *index.Snapshot, query []float32) string {
	var out strings.Builder
	for id := range v.Between(time.Time{}, time.Time{}) {
		fmt.Fprintln(&out, v.Place(id), v.Session(id), v.Time(id))
	}
	for i := range 10 {
		for _, f := range v.Search(index.Ask(fmt.Sprintf("Ana text of n%d", i), index.Content), 20, nil) {
			fmt.Fprint(&out, v.Place(f.ID), f.Score, " ")
		}
	}
	for _, f := range v.Nearest(engine.ContentSpace, query, 20, nil) {
		fmt.Fprint(&out, v.Place(f.ID), f.Score, " ")
	}
	return out.String()
}

// The index that followed the ledger step by step says what one that is built
// afresh says, and has the notes that are in force.
func TestLawIndex(t *testing.T) {
	laws(t, func(w *world) {
		ctx, enc := context.Background(), &bag{id: "one"}
		w.eng = w.eng.WithEncoder(enc)
		query, err := enc.Encode(ctx, model.AsQuery, []string{"Ana: text of n1"})
		w.must(err)
		for range rapid.IntRange(1, 15).Draw(w.t, "steps") {
			switch rapid.IntRange(0, 5).Draw(w.t, "what") {
			case 0:
				w.step()
			case 1:
				if len(w.notes) > 0 {
					id := daybook.Note{SourceID: rapid.SampledFrom(w.notes).Draw(w.t, "note")}.Named().ID
					_, err := w.eng.Retract(ctx, w.scope, by, string(id), "wrong")
					w.allow(err, daybook.NotFound)
				}
			case 2:
				w.forgetNote()
			case 3:
				w.revert()
			default:
				w.addNote()
			}
			w.tick()
			if rapid.Bool().Draw(w.t, "embed") {
				_, err := w.eng.Embed(ctx, w.scope, nil)
				w.must(err)
			}
			if rapid.Bool().Draw(w.t, "read") {
				_, err := w.eng.Index(ctx, w.scope)
				w.must(err)
			}
		}
		_, err = w.eng.Embed(ctx, w.scope, nil)
		w.must(err)
		followed, err := w.eng.Index(ctx, w.scope)
		w.must(err)
		fresh, err := engine.New(w.store).WithEncoder(enc).Index(ctx, w.scope)
		w.must(err)
		w.same("the index that followed", found(followed, query.Row(0)), found(fresh, query.Row(0)))
		n := 0
		w.must(w.eng.Notes(ctx, w.scope, "", daybook.AsOf{}, func(daybook.Note) error { n++; return nil }))
		if fresh.Len() != n || fresh.Space(engine.ContentSpace).Len() != n {
			w.t.Fatalf("%d notes are in force; the index has %d, with %d vectors", n, fresh.Len(), fresh.Space(engine.ContentSpace).Len())
		}
	})
}

// Many read while one adds: each snapshot is whole, and none is older than what was
// there when it was asked for.
func TestIndexWhileAdding(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := engine.New(s).WithEncoder(&bag{id: "one"})
	scope := daybook.Scope{User: "u"}
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 64 {
		readers.Go(func() {
			last := 0
			for {
				select {
				case <-stop:
					return
				default:
				}
				v, err := e.Index(t.Context(), scope)
				if err != nil {
					t.Error(err)
					return
				}
				if v.Len() < last || v.Len() != v.Frequency(index.Content, "boat") || len(v.Search(index.Ask("boat", index.Content), 1000, nil)) != v.Len() {
					t.Errorf("a torn snapshot: %d notes after %d, %d with the word", v.Len(), last, v.Frequency(index.Content, "boat"))
					return
				}
				last = v.Len()
			}
		})
	}
	for i := range 100 {
		addTexts(t, e, scope, fmt.Sprintf("boat number %d", i))
		if v, err := e.Index(t.Context(), scope); err != nil || v.Len() != i+1 {
			t.Fatalf("%d notes after adding %d: %v", v.Len(), i+1, err)
		}
	}
	close(stop)
	readers.Wait()
}

// BenchmarkIndexOpen builds the index of a scope from the store: words and one
// vector of 384 numbers a note. Making the home takes far longer; DAYBOOK_BENCH_HOME
// keeps it.
func BenchmarkIndexOpen(b *testing.B) {
	n, home := benchNotes(b), b.TempDir()
	if kept := os.Getenv("DAYBOOK_BENCH_HOME"); kept != "" {
		home = fmt.Sprintf("%s-index-%d", kept, n)
	}
	s, e := benchOpen(b, home)
	defer e.Close()
	e = e.WithEncoder(&bag{id: "bench"})
	if em, err := e.Embedding(b.Context(), benchScope); err != nil || em.Vectors != n {
		importFile(b, e, messageFile(b, n), n)
		putVectors(b, s, "bench", 384)
	}
	for b.Loop() {
		begin := time.Now()
		v, err := e.WithEncoder(&bag{id: "bench"}).Index(b.Context(), benchScope)
		if err != nil || v.Len() != n || v.Space(engine.ContentSpace).Len() != n {
			b.Fatalf("%d notes of %d: %v", v.Len(), n, err)
		}
		b.ReportMetric(time.Since(begin).Seconds(), "s/open")
		b.ReportMetric(float64(v.Bytes())/float64(n), "B/note")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/float64(n), "heap-B/note")
		b.ReportMetric(float64(m.Sys)/1e6, "sys-MB")
		runtime.KeepAlive(v)
	}
}

// putVectors gives every note a vector of random numbers.
func putVectors(b *testing.B, s *sqlite.Store, encoder string, dim int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for from := uint64(1); ; {
		err := s.Update(b.Context(), benchScope, func(w store.Writer) error {
			head, err := w.Head()
			if err != nil {
				return err
			}
			to := min(from+63, head.Seq)
			notes, err := graph.NotesIn(w, store.Range{From: from, To: to})
			if err != nil {
				return err
			}
			rows := make([]store.Vector, len(notes))
			for i, n := range notes {
				rows[i] = store.Vector{Place: n.Place, Data: make([]byte, 2*dim)}
				for j := range dim {
					binary.LittleEndian.PutUint16(rows[i].Data[2*j:], uint16(0x2800+random.IntN(0x400)+random.IntN(2)<<15))
				}
			}
			from = to + 1
			if to == head.Seq {
				from = 0
			}
			return w.PutVectors(encoder, to, rows)
		})
		if err != nil {
			b.Fatal(err)
		}
		if from == 0 {
			return
		}
	}
}
