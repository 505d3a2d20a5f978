package index_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/index"
	"daybook/store"

	"pgregory.net/rapid"
)

// plainBM25 is the formula as it stands in the books, over the content field.
func plainBM25(docs []index.Doc, q index.Query) []float64 {
	counts, lengths, mean := make([]map[string]float64, len(docs)), make([]float64, len(docs)), 0.0
	frequency := map[string]float64{}
	for i, d := range docs {
		counts[i] = map[string]float64{}
		for _, t := range index.Terms(d.Words[0].Text) {
			if counts[i][t]++; counts[i][t] == 1 {
				frequency[t]++
			}
			lengths[i]++
		}
		mean += lengths[i] / float64(len(docs))
	}
	scores := make([]float64, len(docs))
	for i := range docs {
		for _, t := range q.Terms {
			f, n := frequency[t.Term], float64(len(docs))
			idf := math.Log(1 + (n-f+0.5)/(f+0.5))
			c := counts[i][t.Term]
			scores[i] += cmp.Or(t.Weight, 1) * idf * c * (q.K1 + 1) / (c + q.K1*(1-q.B+q.B*lengths[i]/mean))
		}
	}
	return scores
}

// Search and Score are BM25, whatever the segments and shortcuts.
func TestSearchIsBM25(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := index.New()
		var docs []index.Doc
		seq := uint64(1)
		for range rapid.IntRange(1, 12).Draw(t, "commits") {
			var part []store.Place
			for i := range rapid.IntRange(1, 40).Draw(t, "notes") {
				part = append(part, store.Place{Seq: seq, Pos: i})
				d, _ := note(part[i])
				docs = append(docs, d)
			}
			seq++
			apply(t, s, part, nil)
		}
		q := index.Query{K1: 1.2, B: 0.75}
		for range rapid.IntRange(1, 6).Draw(t, "terms") {
			for _, term := range index.QueryTerms(rapid.SampledFrom(vocabulary).Draw(t, "word")) {
				q.Terms = append(q.Terms, index.QueryTerm{Term: term, Weight: float64(rapid.IntRange(0, 3).Draw(t, "weight"))})
			}
		}
		v, want := s.Snapshot(), plainBM25(docs, q)
		ids := make([]index.ID, len(docs))
		for i := range ids {
			ids[i] = index.ID(i)
		}
		scores := v.Score(q, ids)
		for i := range want {
			if math.Abs(scores[i]-want[i]) > 1e-6 {
				t.Fatalf("note %d scores %v, want %v", i, scores[i], want[i])
			}
		}
		k := rapid.IntRange(1, 30).Draw(t, "k")
		slices.SortStableFunc(ids, func(a, b index.ID) int { return cmp.Compare(scores[b], scores[a]) })
		for i, f := range v.Search(q, k, nil) {
			if f.ID != ids[i] || f.Score != scores[f.ID] {
				t.Fatalf("place %d has note %d with %v, want %d with %v", i, f.ID, f.Score, ids[i], scores[ids[i]])
			}
		}
		odd := v.Search(q, k, func(id index.ID) bool { return id%2 == 1 })
		for _, f := range odd {
			if f.ID%2 == 0 {
				t.Fatalf("note %d was not to be kept", f.ID)
			}
		}
	})
}

// What is withdrawn leaves no word behind.
func TestRemovalLeavesNothing(t *testing.T) {
	s := index.New()
	secret, other := store.Place{Seq: 1}, store.Place{Seq: 2}
	err := s.Apply(index.Change{Add: []index.Doc{
		{Place: secret, Session: "hidden", Words: []index.Words{{Text: "Xanadu Zanzibar"}}, Names: []daybook.EntityID{"ent_secret"}},
		{Place: other, Session: "open", Words: []index.Words{{Text: "something else"}}},
	}})
	if err == nil {
		err = s.Apply(index.Change{Remove: []store.Place{secret}})
	}
	if err != nil {
		t.Fatal(err)
	}
	v := s.Snapshot()
	for term := range v.Terms(index.Content, "") {
		if strings.ContainsAny(term, "xz") {
			t.Errorf("the term %s is still there", term)
		}
	}
	if v.Len() != 1 || v.InSession("hidden") != nil || v.Named("ent_secret") != nil || v.Frequency(index.Content, "xanadu") != 0 {
		t.Errorf("something is left of the note")
	}
	if err := s.Apply(index.Change{Remove: []store.Place{other}}); err != nil || s.Snapshot().Len() != 0 {
		t.Errorf("%d notes are left: %v", s.Snapshot().Len(), err)
	}
}

// Snapshots stay whole while the scope changes under them.
func TestReadersWhileWriting(t *testing.T) {
	s := index.New()
	var readers sync.WaitGroup
	var stop atomic.Bool
	for range 8 {
		readers.Go(func() {
			for !stop.Load() {
				v := s.Snapshot()
				if a, b := answers(v), answers(v); a != b {
					t.Error("one snapshot gave two answers")
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 1))
	for seq := range uint64(60) {
		var remove []store.Place
		if seq > 5 {
			remove = append(remove, store.Place{Seq: random.Uint64N(seq)})
		}
		apply(t, s, []store.Place{{Seq: seq}, {Seq: seq, Pos: 1}}, remove)
	}
	stop.Store(true)
	readers.Wait()
}

func TestPool(t *testing.T) {
	var loads atomic.Int64
	broken := atomic.Bool{}
	look := func(context.Context, daybook.Scope) (index.Mark, error) {
		return index.Mark{Head: store.Commit{Seq: 1}}, nil
	}
	pool := index.NewPool(40_000, look, func(_ context.Context, scope daybook.Scope, have *index.Snapshot, give func(index.Change) error) error {
		if broken.Load() {
			return errors.New("no disk")
		}
		if have.Head().Seq > 0 {
			return nil
		}
		loads.Add(1)
		time.Sleep(5 * time.Millisecond)
		c := index.Change{Head: store.Commit{Seq: 1}}
		for i := range 100 {
			d, _ := note(store.Place{Seq: 1, Pos: i})
			c.Add = append(c.Add, d)
		}
		return give(c)
	})
	scope := func(i int) daybook.Scope { return daybook.Scope{User: fmt.Sprint(i)} }
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if v, err := pool.Snapshot(t.Context(), scope(0)); err != nil || v.Len() != 100 {
				t.Errorf("%v", err)
			}
		})
	}
	wait.Wait()
	if loads.Load() != 1 {
		t.Errorf("loaded %d times at once", loads.Load())
	}
	for i := range 20 {
		if _, err := pool.Snapshot(t.Context(), scope(i)); err != nil {
			t.Fatal(err)
		}
	}
	if pool.Bytes() > 40_000 || pool.Peek(scope(0)) != nil || pool.Peek(scope(19)) == nil {
		t.Errorf("the pool holds %d bytes; first %v, last %v", pool.Bytes(), pool.Peek(scope(0)), pool.Peek(scope(19)))
	}
	broken.Store(true)
	if _, err := pool.Snapshot(t.Context(), scope(50)); err == nil || pool.Peek(scope(50)) != nil {
		t.Error("a scope that could not be read is in the pool")
	}
}

// Who gives up waiting for an index does not stop it from being built; closing the pool
// does.
func TestPoolOutlivesCallers(t *testing.T) {
	var builds atomic.Int64
	begun, goOn := make(chan struct{}, 2), make(chan struct{})
	look := func(context.Context, daybook.Scope) (index.Mark, error) {
		return index.Mark{Head: store.Commit{Seq: 1}}, nil
	}
	pool := index.NewPool(40_000, look, func(ctx context.Context, _ daybook.Scope, _ *index.Snapshot, give func(index.Change) error) error {
		builds.Add(1)
		begun <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
			return ctx.Err()
		}
		d, _ := note(store.Place{Seq: 1})
		return give(index.Change{Head: store.Commit{Seq: 1}, Add: []index.Doc{d}})
	})
	impatient, giveUp := context.WithCancel(t.Context())
	go func() { <-begun; giveUp() }()
	if _, err := pool.Snapshot(impatient, daybook.Scope{User: "a"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the impatient caller got %v", err)
	}
	close(goOn)
	if v, err := pool.Snapshot(t.Context(), daybook.Scope{User: "a"}); err != nil || v.Len() != 1 || builds.Load() != 1 {
		t.Errorf("then %v (%v) after %d builds", v, err, builds.Load())
	}
	goOn = make(chan struct{})
	go func() { <-begun; pool.Close() }()
	if _, err := pool.Snapshot(t.Context(), daybook.Scope{User: "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a closed pool built on: %v", err)
	}
}
