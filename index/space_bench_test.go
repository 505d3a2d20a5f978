package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"daybook/index"
	"daybook/store"
)

// mixed makes n vectors that lie as real ones do: each is a mixture of two real
// ones, with some noise, of unit length. The real ones come first.
func (c *corpus) mixed(n int, yield func(i int, v []float32)) {
	random := rand.New(rand.NewPCG(1, 2))
	real := len(c.Vectors) / c.Dim
	v := make([]float32, c.Dim)
	for i := range n {
		if i < real {
			copy(v, c.row(i))
		} else {
			a, b, t := c.row(random.IntN(real)), c.row(random.IntN(real)), random.Float32()*0.5
			for j := range v {
				v[j] = (1-t)*a[j] + t*b[j] + 0.01*float32(random.NormFloat64())
			}
		}
		unit(v)
		yield(i, v)
	}
}

func unit(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
}

func (c *corpus) space(tb testing.TB, n int) *index.Space {
	tb.Helper()
	s := index.NewSpace(c.Dim)
	batch := []store.Vector{}
	c.mixed(n, func(i int, v []float32) {
		batch = append(batch, store.Vector{Place: store.Place{Seq: uint64(i/8 + 1), Pos: i % 8}, Data: index.Pack(v)})
		if len(batch) == 65536 || i == n-1 {
			var err error
			if s, err = s.With(batch); err != nil {
				tb.Fatal(err)
			}
			batch = batch[:0]
		}
	})
	return s
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

// BenchmarkSpace searches spaces of several sizes with the questions of real data
// sets, exactly and as Nearest does.
func BenchmarkSpace(b *testing.B) {
	c := openCorpus(b)
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		s := c.space(b, n)
		for name, search := range map[string]func([]float32, int, func(store.Place) bool) []index.Hit{"nearest": s.Nearest, "exact": s.NearestExact} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				var l latencies
				for i := 0; b.Loop(); i++ {
					l.time(func() { search(c.query(i%len(c.Questions)), 10, nil) })
				}
				l.report(b)
				b.ReportMetric(float64(s.Bytes())/float64(n), "B/vector")
			})
		}
	}
}

// TestNearestFindsTheSame measures recall@10 of the approximate search against the
// exact one and against products of unrounded vectors.
func TestNearestFindsTheSame(t *testing.T) {
	c := openCorpus(t)
	n := 100_000
	s := c.space(t, n)
	queries := min(100, len(c.Questions))
	truth := make([][]index.Hit, queries)
	c.mixed(n, func(i int, v []float32) {
		for q := range queries {
			var dot float32
			for j, x := range c.query(q) {
				dot += x * v[j]
			}
			truth[q] = append(truth[q], index.Hit{Place: store.Place{Seq: uint64(i/8 + 1), Pos: i % 8}, Score: dot})
		}
	})
	var approximate, rounded float64
	for q := range queries {
		slices.SortFunc(truth[q], func(a, b index.Hit) int {
			if a.Score > b.Score {
				return -1
			}
			return 1
		})
		exact := s.NearestExact(c.query(q), 10, nil)
		approximate += shared(s.Nearest(c.query(q), 10, nil), exact) / float64(queries)
		rounded += shared(exact, truth[q][:10]) / float64(queries)
	}
	t.Logf("%d vectors, %d questions: recall@10 of nearest against exact %.4f, of exact in bytes against floats %.4f", n, queries, approximate, rounded)
	if approximate < 0.98 || rounded < 0.95 {
		t.Errorf("recall@10 is too low")
	}
}

func shared(found, want []index.Hit) float64 {
	n := 0
	for _, h := range found {
		if slices.ContainsFunc(want, func(w index.Hit) bool { return w.Place == h.Place }) {
			n++
		}
	}
	return float64(n) / float64(len(want))
}
