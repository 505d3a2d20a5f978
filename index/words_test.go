package index_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/index"
	"daybook/store"
)

// docs makes n notes of real words: each is the first half of one sentence and
// the second half of another, said by one of two people, in sessions of thirty.
func (c *corpus) docs(n int, yield func(part []index.Doc)) {
	random := rand.New(rand.NewPCG(3, 4))
	half := func() []string { return strings.Fields(c.Sentences[random.IntN(len(c.Sentences))]) }
	part := make([]index.Doc, 0, 16384)
	for i := range n {
		a, b := half(), half()
		text := [...]string{"Maya: ", "Ben: "}[i%2] + strings.Join(append(a[:(len(a)+1)/2], b[len(b)/2:]...), " ")
		part = append(part, index.Doc{
			Place: store.Place{Seq: uint64(i/8 + 1), Pos: i % 8}, Time: time.Unix(1_600_000_000+60*int64(i), 0), Session: fmt.Sprint("session-", i/30),
			Words: []index.Words{{Text: text}}, Names: []daybook.EntityID{daybook.EntityID(fmt.Sprint("ent_", random.IntN(1+n/50)))},
		})
		if len(part) == cap(part) || i == n-1 {
			yield(part)
			part = part[:0]
		}
	}
}

func (c *corpus) scope(tb testing.TB, n int) *index.Index {
	s := index.New()
	c.docs(n, func(part []index.Doc) {
		if err := s.Apply(index.Change{Add: part}); err != nil {
			tb.Fatal(err)
		}
	})
	return s
}

// BenchmarkWords searches scopes of several sizes with the questions of real data
// sets, and adds and removes one note.
func BenchmarkWords(b *testing.B) {
	c := openCorpus(b)
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		begin := time.Now()
		s := c.scope(b, n)
		v, took := s.Snapshot(), time.Since(begin)
		runtime.GC()
		b.Run(fmt.Sprintf("%d/search", n), func(b *testing.B) {
			var l latencies
			for i := 0; b.Loop(); i++ {
				q := c.Questions[i%len(c.Questions)]
				l.time(func() { v.Search(index.Ask(q, index.Content), 100, nil) })
			}
			l.report(b)
			b.ReportMetric(float64(v.Bytes())/float64(n), "B/note")
			b.ReportMetric(float64(n)/took.Seconds(), "built/s")
		})
		b.Run(fmt.Sprintf("%d/score", n), func(b *testing.B) {
			ids := make([]index.ID, 200)
			for i := range ids {
				ids[i] = index.ID(i * n / len(ids))
			}
			var l latencies
			for i := 0; b.Loop(); i++ {
				l.time(func() { v.Score(index.Ask(c.Questions[i%len(c.Questions)], index.Content), ids) })
			}
			l.report(b)
		})
		b.Run(fmt.Sprintf("%d/add", n), func(b *testing.B) {
			var l latencies
			for i := 0; b.Loop(); i++ {
				doc := index.Doc{Place: store.Place{Seq: uint64(n + i)}, Time: time.Unix(1_600_000_000, 0), Session: "new", Words: []index.Words{{Text: c.Sentences[i%len(c.Sentences)]}}}
				l.time(func() {
					if err := s.Apply(index.Change{Add: []index.Doc{doc}}); err != nil {
						b.Fatal(err)
					}
				})
			}
			l.report(b)
		})
		b.Run(fmt.Sprintf("%d/remove", n), func(b *testing.B) {
			var l latencies
			for i := 0; b.Loop(); i++ {
				places := []store.Place{{Seq: uint64(i + 1)}}
				l.time(func() {
					if err := s.Apply(index.Change{Remove: places}); err != nil {
						b.Fatal(err)
					}
				})
			}
			l.report(b)
		})
	}
}
