package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/model"
	"daybook/store"
	"daybook/store/sqlite"
)

// bag is an encoder for tests: texts that share words are alike.
type bag struct {
	id    string
	calls atomic.Int64
	fail  atomic.Bool
}

func (b *bag) ID() string { return b.id }

func (b *bag) Encode(_ context.Context, _ model.As, texts []string) (model.Vectors, error) {
	if b.fail.Load() {
		return model.Vectors{}, daybook.Errorf(daybook.Unavailable, "the encoder is out")
	}
	b.calls.Add(int64(len(texts)))
	const dim = 64
	v := model.Vectors{Encoder: b.id, Dim: dim, Data: make([]float32, dim*len(texts))}
	for i, t := range texts {
		row, sum := v.Row(i), float32(0)
		for w := range strings.FieldsSeq(strings.ToLower(t)) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w + b.id))
			row[h.Sum32()%dim]++
		}
		for _, x := range row {
			sum += x * x
		}
		for j := range row {
			row[j] /= max(float32(math.Sqrt(float64(sum))), 1)
		}
	}
	return v, nil
}

func addTexts(t *testing.T, e *engine.Engine, scope daybook.Scope, texts ...string) {
	t.Helper()
	for i, text := range texts {
		n := daybook.Note{SourceID: fmt.Sprintf("%s-%d", text, i), Text: text, Time: begin}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
}

func nearest(t *testing.T, e *engine.Engine, scope daybook.Scope, question string, k int) (texts []string) {
	t.Helper()
	found, err := e.Nearest(t.Context(), scope, question, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		texts = append(texts, f.Text)
	}
	return texts
}

// Changing the encoder makes new vectors from the ledger, takes nothing in
// again, and never compares the two kinds.
func TestEncoderChange(t *testing.T) {
	e := open(t)
	scope := daybook.Scope{User: "u"}
	addTexts(t, e, scope, "the red boat", "a green house", "the red house")
	one, two := &bag{id: "one"}, &bag{id: "two"}
	first := e.WithEncoder(one)
	if got := nearest(t, first, scope, "red boat", 1); fmt.Sprint(got) != "[the red boat]" {
		t.Errorf("by the first encoder: %v", got)
	}
	second := e.WithEncoder(two)
	before, err := second.Embedding(t.Context(), scope)
	if err != nil || before.Vectors != 0 || before.Behind() != 3 {
		t.Fatalf("before it is embedded: %+v, %v", before, err)
	}
	if got := nearest(t, second, scope, "green house", 1); fmt.Sprint(got) != "[a green house]" {
		t.Errorf("by the second encoder: %v", got)
	}
	if log, err := e.Log(t.Context(), scope, 0); err != nil || len(log) != 3 {
		t.Errorf("the ledger has %d commits, %v; embedding wrote to it", len(log), err)
	}
	if one.calls.Load() != 3+2+1 || two.calls.Load() != 3+2+1 {
		t.Errorf("texts encoded: %d and %d, want each note once, two with the one before, and the question", one.calls.Load(), two.calls.Load())
	}
	addTexts(t, e, scope, "a blue boat")
	if got := nearest(t, first, scope, "blue boat", 1); fmt.Sprint(got) != "[a blue boat]" {
		t.Errorf("after another note: %v", got)
	}
	if err := second.DropOtherSpaces(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	if em, err := first.Embedding(t.Context(), scope); err != nil || em.Vectors != 0 {
		t.Errorf("a dropped space: %+v, %v", em, err)
	}
}

// What is withdrawn is not found, and what is forgotten has no vector left.
func TestVectorsFollowTheLedger(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := engine.New(s).WithEncoder(&bag{id: "one"})
	scope := daybook.Scope{User: "u"}
	addTexts(t, e, scope, "the red boat", "the red house", "the red door")
	nearest(t, e, scope, "red", 3)
	if _, err := e.Revert(t.Context(), scope, by, "HEAD"); err != nil {
		t.Fatal(err)
	}
	if got := nearest(t, e, scope, "the red door", 3); len(got) != 2 {
		t.Errorf("after a revert: %v", got)
	}
	if _, err := e.Forget(t.Context(), scope, by, graph.Forget{IDs: []string{"the red boat-0"}}); err != nil {
		t.Fatal(err)
	}
	if got := nearest(t, e, scope, "the red boat", 3); fmt.Sprint(got) != "[the red house]" {
		t.Errorf("after forgetting: %v", got)
	}
	err = s.View(t.Context(), scope, func(r store.Reader) error {
		for v, err := range r.Vectors("one", store.All) {
			if err != nil {
				return err
			}
			if _, ok, err := r.Content(v.Place); !ok || err != nil {
				t.Errorf("a vector of %d.%d is left without its content: %v", v.Seq, v.Pos, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An encoder that fails loses nothing: the note is durable, the error has its
// kind, and embedding goes on where it stopped.
func TestEncoderFails(t *testing.T) {
	b := &bag{id: "one"}
	e := open(t).WithEncoder(b)
	scope := daybook.Scope{User: "u"}
	b.fail.Store(true)
	addTexts(t, e, scope, "the red boat")
	if _, err := e.Nearest(t.Context(), scope, "boat", 1); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("nearest: %v, want Unavailable", err)
	}
	b.fail.Store(false)
	if got := nearest(t, e, scope, "boat", 1); len(got) != 1 {
		t.Errorf("once it serves again: %v", got)
	}
	if _, err := open(t).Nearest(t.Context(), scope, "boat", 1); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("without an encoder: %v, want Invalid", err)
	}
}

// In the background, vectors follow writes in every scope.
func TestWorkerEmbeds(t *testing.T) {
	e := open(t).WithEncoder(&bag{id: "one"})
	scopes := []daybook.Scope{{User: "a"}, {User: "b"}}
	addTexts(t, e, scopes[0], "the red boat", "a green house")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	w := engine.NewWorker(e, engine.WorkerOptions{})
	go func() { done <- w.Run(ctx) }()
	addTexts(t, e, scopes[1], "the red boat", "a green house")
	if err := w.Wait(t.Context(), scopes[1], 1); err != nil {
		t.Fatal(err)
	}
	for _, sc := range scopes {
		for {
			em, err := e.Embedding(t.Context(), sc)
			if err != nil {
				t.Fatal(err)
			}
			if em.Behind() == 0 && em.Vectors == 2 {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("it ended with %v", err)
	}
}
