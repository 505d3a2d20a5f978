package graph

import (
	"fmt"
	"testing"
	"time"

	"daybook"
	"daybook/store"
)

// values returns the operations of one state variable that took n values, with
// the judgements that follow.
func values(n int) []*op {
	var ops []*op
	for i := range n {
		f := daybook.Fact{
			Subject: daybook.EntityNamed("Maya"), Relation: "lives_in", Object: fmt.Sprintf("city %d", i), Holds: daybook.OneValue,
			Valid: daybook.Span{From: time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC)},
		}.Named()
		ops = append(ops, &op{Place: store.Place{Seq: uint64(i + 1)}, body: body{Op: daybook.Op{Fact: &f}}})
	}
	for i, l := range gather(ops).judge() {
		ops = append(ops, &op{Place: store.Place{Seq: uint64(n + 1), Pos: i}, body: body{Op: daybook.Op{Relate: &l}}})
	}
	return ops
}

// BenchmarkFold folds one state: what is read for it, without the reading.
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{20, 1000} {
		ops := values(n)
		b.Run(fmt.Sprintf("values=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := len(gather(ops).spans()); got != n {
					b.Fatalf("%d spans, want %d", got, n)
				}
			}
		})
	}
}

// BenchmarkJudge judges one state: what a writer does on top of folding.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{20, 1000} {
		folded := gather(values(n))
		b.Run(fmt.Sprintf("values=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if missing := folded.judge(); len(missing) != 0 {
					b.Fatalf("%d judgements are missing", len(missing))
				}
			}
		})
	}
}

// BenchmarkDecode decodes one stored fact.
func BenchmarkDecode(b *testing.B) {
	text, err := values(1)[0].encode()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(store.Content{Body: text}); err != nil {
			b.Fatal(err)
		}
	}
}
