//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/tree"
)

// wideTree has about 100,000 nodes: lists, projects, tasks.
func wideTree() *tree.Node {
	root := &tree.Node{Type: "Work", Attrs: []tree.Attr{{"name", "Everything"}}}
	for i := range 100 {
		list := &tree.Node{Type: "List", Attrs: []tree.Attr{{"name", fmt.Sprintf("List %d", i)}}}
		for j := range 10 {
			project := &tree.Node{Type: "Project", Attrs: []tree.Attr{{"name", fmt.Sprintf("Project %d of list %d", j, i)}}}
			for k := range 99 {
				project.Children = append(project.Children, &tree.Node{Type: "Task", Attrs: []tree.Attr{
					{"description", fmt.Sprintf("task %d: call supplier %d about order %d", k, i*j, k*7)}, {"status", []string{"Todo", "Done", "Blocked"}[k%3]},
				}})
			}
			list.Children = append(list.Children, project)
		}
		root.Children = append(root.Children, list)
	}
	return root
}

// hashed is an encoder that costs nothing, for measuring what is around it.
type hashed struct{ seed maphash.Seed }

func (hashed) ID() string { return "hashed" }

func (h hashed) Encode(_ context.Context, _ model.As, texts []string) (model.Vectors, error) {
	const dim = 8
	v := model.Vectors{Encoder: "hashed", Dim: dim, Data: make([]float32, dim*len(texts))}
	for i, t := range texts {
		v.Data[i*dim+int(maphash.String(h.seed, t)%dim)] = 1
	}
	return v, nil
}

// BenchmarkQuery100k runs queries over a tree of 100,000 nodes; p95 is reported. A #
// stands for another number each time, so that no query is the one before.
func BenchmarkQuery100k(b *testing.B) {
	e, scope := open(b).WithEncoder(hashed{maphash.MakeSeed()}), daybook.Scope{User: "u"}
	if _, err := e.PlantTree(b.Context(), scope, by, "wide", wideTree()); err != nil {
		b.Fatal(err)
	}
	for _, q := range []struct{ name, text string }{
		{"positions", `//List[50]/Project[3]/Task[-1]`},
		{"other positions", `//List[#]/Project[3]/Task[-#]`},
		{"other exact", `//List[#]//Task[@status="Blocked"]`},
		{"other runs", `//Task[#:99]`},
		{"other values", `//Task[@status="#"]`},
		{"each parent", `//Task[2]`},
		{"exact", `//List[7]//Task[@status="Blocked"]`},
		{"containers", `//Project`},
		{"everything", `//*`},
		{"cached meaning", `//Task[node~="order for a supplier"]`},
		{"cached meaning elsewhere", `//List[1:#]/Project/Task[node~="order for a supplier"]`},
		{"cached aggregation", `//Project[avg(/Task[node~="order for a supplier"])]`},
	} {
		b.Run(q.name, func(b *testing.B) {
			n := 0
			ask := func() {
				n++
				text := strings.ReplaceAll(q.text, "#", fmt.Sprint(1+n%90))
				if _, err := e.Query(b.Context(), scope, engine.Query{Text: text, Tree: "wide", Limit: engine.DefaultLimit}); err != nil {
					b.Fatal(err)
				}
			}
			measure(b, ask)
		})
	}
	b.Run("edit", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if _, err := e.EditTree(b.Context(), scope, by, engine.TreeEdit{Tree: "wide", Changes: set("n5000", "status", fmt.Sprint(n))}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// measure reports the 95th percentile of a call, and what it costs in processor
// time, which a busy machine does not change.
func measure(b *testing.B, call func()) {
	call() // fold, fill caches
	var times []time.Duration
	before := processorTime(b)
	for b.Loop() {
		began := time.Now()
		call()
		times = append(times, time.Since(began))
	}
	spent := processorTime(b) - before
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(len(times)), "cpu-ms/op")
}

func processorTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMemory100k asks a memory of 100,000 notes in 2,000 sessions.
func BenchmarkMemory100k(b *testing.B) {
	e, scope := open(b), daybook.Scope{User: "u"}
	const sessions, notes = 2000, 50
	for i := range sessions {
		var batch []daybook.Note
		for j := range notes {
			batch = append(batch, daybook.Note{
				SourceID: fmt.Sprintf("%d/%d", i, j), Session: fmt.Sprint("talk ", i), Speaker: "Ana",
				Text: fmt.Sprintf("line %d of talk %d is about order %d", j, i, i*j), Time: begin.Add(time.Duration(i*notes+j) * time.Minute),
			})
		}
		if _, err := e.Add(b.Context(), scope, by, batch); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []string{`//Session[-1]/Note[1]`, `//Session[-1]/Note[node~="an order"]`, `//Session[3]`} {
		b.Run(q, func(b *testing.B) {
			measure(b, func() {
				if _, err := e.Query(b.Context(), scope, engine.Query{Text: q, Scorer: tree.Words, Limit: engine.DefaultLimit}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
