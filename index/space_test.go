package index_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
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

// latencies gathers how long each turn took, and how much work it was: on a busy
// machine the latter says more.
type latencies struct {
	took []time.Duration
	cpu  time.Duration
}

func (l *latencies) time(do func()) {
	begin, cpu := time.Now(), processorTime()
	do()
	l.took = append(l.took, time.Since(begin))
	l.cpu += processorTime() - cpu
}

func (l *latencies) report(b *testing.B) {
	slices.Sort(l.took)
	at := func(share float64) float64 {
		return float64(l.took[int(share*float64(len(l.took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.50), "p50-ms")
	b.ReportMetric(at(0.95), "p95-ms")
	b.ReportMetric(l.cpu.Seconds()*1000/float64(len(l.took)), "cpu-ms")
	b.ReportMetric(0, "ns/op")
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

// TestNearestFindsTheSame measures recall@10 of the approximate search against
// products of unrounded vectors. DAYBOOK_BENCH_NOTES sets how many vectors.
func TestNearestFindsTheSame(t *testing.T) {
	c := openCorpus(t)
	n := 200_000
	if s := os.Getenv("DAYBOOK_BENCH_NOTES"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	s := c.space(t, n)
	const queries = 100
	truth := c.truth(n, queries)
	var approximate, exact float64
	for q := range queries {
		query := c.query(q * len(c.Questions) / queries)
		approximate += shared(s.Nearest(query, 10, nil), truth[q]) / queries
		exact += shared(s.NearestExact(query, 10, nil), truth[q]) / queries
	}
	t.Logf("%d vectors, %d questions: recall@10 of Nearest %.4f, of NearestExact %.4f", n, queries, approximate, exact)
	if approximate < 0.98 || exact < 0.99 {
		t.Errorf("recall@10 is too low")
	}
}

// truth is the ten nearest of each question, by products of unrounded vectors.
func (c *corpus) truth(n, queries int) [][]index.Hit {
	best := make([][]index.Hit, queries)
	c.mixed(n, func(i int, v []float32) {
		for q := range queries {
			var dot float32
			for j, x := range c.query(q * len(c.Questions) / queries) {
				dot += x * v[j]
			}
			if top := best[q]; len(top) == 10 && dot <= top[9].Score {
				continue
			}
			best[q] = append(best[q], index.Hit{Place: store.Place{Seq: uint64(i/8 + 1), Pos: i % 8}, Score: dot})
			slices.SortStableFunc(best[q], func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
			best[q] = best[q][:min(10, len(best[q]))]
		}
	})
	return best
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

// Dots are the products of a row as Row gives it.
func TestDots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var rows []store.Vector
	vector := func() []float32 {
		v := make([]float32, 64)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		unit(v)
		return v
	}
	for i := range 1500 {
		rows = append(rows, store.Vector{Place: store.Place{Seq: uint64(i + 1)}, Data: index.Pack(vector())})
	}
	s, err := index.NewList(64).With(rows)
	if err != nil {
		t.Fatal(err)
	}
	a, b, row := vector(), vector(), make([]float32, 64)
	for _, i := range []int{0, 1, 1023, 1024, 1499} {
		x, y, square := s.Dots(i, a, b, row)
		s.Row(row, i)
		for _, c := range []struct{ got, want float64 }{{float64(x), dot(a, row)}, {float64(y), dot(b, row)}, {float64(square), dot(row, row)}} {
			if math.Abs(c.got-c.want) > 1e-5 {
				t.Errorf("row %d: a product is %v, want %v", i, c.got, c.want)
			}
		}
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Highest returns at least the k highest scores, and nothing that is much lower.
func TestHighest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	scores := make([]float32, 5000)
	for i := range scores {
		scores[i] = float32(r.NormFloat64())
	}
	sorted := slices.Sorted(slices.Values(scores))
	for _, k := range []int{1, 10, 500, 4999, 5000, 9000} {
		got := index.Highest(scores, k)
		least := sorted[max(0, len(sorted)-k)]
		for i, s := range scores {
			if _, in := slices.BinarySearch(got, i); s >= least && !in || in && s < least-0.02 {
				t.Fatalf("k %d, least %g: score %g, returned %v", k, least, s, in)
			}
		}
	}
	if got := index.Highest([]float32{2, 2, 2}, 1); len(got) != 3 || index.Highest(nil, 1) != nil {
		t.Errorf("of equal scores %v are returned", got)
	}
}

// What is chosen by a rough look holds what is nearest by all that is kept.
func TestRoughFindsTheNearest(t *testing.T) {
	const dim, rows, k = 96, 6000, 20
	r := rand.New(rand.NewPCG(5, 5))
	vector := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(r.NormFloat64()) / 10
		}
		return v
	}
	var vectors []store.Vector
	for i := range rows {
		vectors = append(vectors, store.Vector{Place: store.Place{Seq: uint64(i/3 + 1), Pos: 1}, Part: i % 3, Data: index.Pack(vector())})
	}
	space, err := index.NewList(dim).With(vectors)
	if err != nil {
		t.Fatal(err)
	}
	query, row := vector(), make([]float32, dim)
	exact := make([]float32, rows)
	for i := range exact {
		exact[i] = space.Product(i, query, row)
		if want := dot(query, index.Unpack(vectors[i].Data)); math.Abs(float64(exact[i])-want) > 1e-3 {
			t.Fatalf("row %d: %g, want %g", i, exact[i], want)
		}
	}
	rough := make([]float32, space.Len())
	space.Rough(rough, query)
	chosen := index.Highest(rough, 2*k)
	for _, i := range index.Highest(exact, k)[:k] {
		if _, in := slices.BinarySearch(chosen, i); !in && exact[i] >= slices.Sorted(slices.Values(exact))[rows-k] {
			t.Errorf("row %d is among the nearest and was not chosen", i)
		}
	}
}
