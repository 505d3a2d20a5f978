package model_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"daybook"
	"daybook/model"
)

// counted replies with the usage given.
type counted struct {
	model string
	usage model.Usage
	err   error
}

func (c counted) Complete(context.Context, model.Request) (model.Reply, error) {
	return model.Reply{Text: "four by four!!!!", Model: c.model, Usage: c.usage}, c.err
}

func purpose(name string) model.Request {
	req := ask("hi")
	req.Purpose = name
	req.MaxTokens = 50
	return req
}

func TestBudgetAccounts(t *testing.T) {
	b := model.NewBudget(0, model.Prices{"dear": {In: 2, CachedIn: 1, Out: 10}, "free": {}})
	call := func(c model.Completer, name string) {
		t.Helper()
		_, _ = b.Completer(c, "asked").Complete(t.Context(), purpose(name))
	}
	call(counted{model: "dear", usage: model.Usage{In: 1000, CachedIn: 400, Out: 100}}, "extract")
	call(counted{model: "dear", usage: model.Usage{In: 1000, Out: 100}}, "extract")
	call(counted{model: "dear", usage: model.Usage{In: 10, Out: 1}}, "answer")
	call(counted{model: "unknown", usage: model.Usage{In: 10, Out: 1}}, "answer")
	call(counted{model: "free", usage: model.Usage{In: 10, Out: 1}}, "answer")
	call(counted{model: "unknown"}, "plan") // tells no usage
	call(counted{err: errors.New("no")}, "answer")

	want := map[string]model.Account{
		"extract/dear":   {Calls: 2, Usage: model.Usage{In: 2000, CachedIn: 400, Out: 200}, CostUSD: (1600*2 + 400*1 + 200*10) / 1e6},
		"answer/dear":    {Calls: 1, Usage: model.Usage{In: 10, Out: 1}, CostUSD: 30 / 1e6},
		"answer/unknown": {Calls: 1, Usage: model.Usage{In: 10, Out: 1}, Unpriced: 1},
		"answer/free":    {Calls: 1, Usage: model.Usage{In: 10, Out: 1}},
		"plan/unknown":   {Calls: 1, Usage: model.Usage{In: 4, Out: 8}, Unpriced: 1, Estimated: 1},
		"answer/asked":   {Failed: 1},
	}
	got := b.Snapshot()
	var order []string
	for _, a := range got.Accounts {
		name := a.Purpose + "/" + a.Model
		order = append(order, name)
		w := want[name]
		w.Purpose, w.Model = a.Purpose, a.Model
		if math.Abs(a.CostUSD-w.CostUSD) > 1e-12 {
			t.Errorf("%s cost %v, want %v", name, a.CostUSD, w.CostUSD)
		}
		w.CostUSD = a.CostUSD
		if a != w {
			t.Errorf("%s: got %+v, want %+v", name, a, w)
		}
	}
	if fmt.Sprint(order) != "[answer/asked answer/dear answer/free answer/unknown extract/dear plan/unknown]" {
		t.Errorf("order %v", order)
	}
	if got.Tokens != 2200+11*3+12 {
		t.Errorf("%d tokens", got.Tokens)
	}
}

func TestBudgetStopsBeforeItIsOver(t *testing.T) {
	b := model.NewBudget(100, nil)
	c := b.Completer(counted{model: "m", usage: model.Usage{In: 10, Out: 20}}, "m")
	for i := range 2 { // 54 reserved, 30 spent each
		if _, err := c.Complete(t.Context(), purpose("p")); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	_, err := c.Complete(t.Context(), purpose("p"))
	if !errors.Is(err, model.ErrBudget) || daybook.KindOf(err) != daybook.Unavailable {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "p needs up to 54 tokens, 40 of 100 are left") {
		t.Errorf("got %v", err)
	}
	if got := b.Snapshot(); got.Tokens != 60 || got.Accounts[0].Calls != 2 || got.Accounts[0].Failed != 0 {
		t.Errorf("got %+v", got)
	}
	for _, err := range c.Stream(t.Context(), purpose("p")) {
		if !errors.Is(err, model.ErrBudget) {
			t.Errorf("stream: %v", err)
		}
	}
}

func TestBudgetFailureFreesItsReserve(t *testing.T) {
	b := model.NewBudget(60, nil)
	c := b.Completer(counted{err: errors.New("down")}, "m")
	for range 10 {
		if _, err := c.Complete(t.Context(), purpose("p")); errors.Is(err, model.ErrBudget) {
			t.Fatal("failed calls used the budget up")
		}
	}
}

func TestBudgetConcurrent(t *testing.T) {
	b := model.NewBudget(1000, nil)
	c := b.Completer(counted{model: "m", usage: model.Usage{In: 4, Out: 50}}, "m")
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			_, _ = c.Complete(context.Background(), purpose("p"))
			_ = b.Snapshot()
		})
	}
	wg.Wait()
	if got := b.Snapshot(); got.Tokens > 1000 || got.Tokens < 900 {
		t.Errorf("%d tokens of 1000", got.Tokens)
	}
}

func TestBudgetStream(t *testing.T) {
	b := model.NewBudget(0, nil)
	c := b.Completer(canned("twelve bytes"), "asked")
	text, reply, err := collect(t.Context(), c)
	if err != nil || text != "twelve bytes" || reply == nil {
		t.Fatalf("got %q, %v", text, err)
	}
	for range c.Stream(t.Context(), ask("hi")) {
		break // after the first piece
	}
	got := b.Snapshot()
	if len(got.Accounts) != 2 || got.Accounts[0].Failed != 1 || got.Accounts[0].Usage.Out != 3 || got.Accounts[1].Calls != 1 {
		t.Errorf("got %+v", got)
	}
}

// axis is an Encoder that gives every text the same vector.
type axis struct{ calls *int }

func (a axis) Encode(_ context.Context, _ model.As, texts []string) (model.Vectors, error) {
	if a.calls != nil {
		*a.calls++
	}
	v := model.Vectors{Encoder: "axis", Dim: 2}
	for range texts {
		v.Data = append(v.Data, 1, 0)
	}
	return v, nil
}

func TestBudgetEncoder(t *testing.T) {
	b := model.NewBudget(20, model.Prices{"axis": {}})
	e := b.Encoder(axis{}, "embed", "axis")
	if _, err := e.Encode(t.Context(), model.AsText, []string{"12345678"}); err != nil {
		t.Fatal(err)
	}
	got := b.Snapshot().Accounts[0]
	if got.Calls != 1 || got.Estimated != 1 || got.Usage.In != 6 || got.Unpriced != 0 {
		t.Errorf("got %+v", got)
	}
	if _, err := e.Encode(t.Context(), model.AsText, []string{strings.Repeat("x", 100)}); !errors.Is(err, model.ErrBudget) {
		t.Errorf("got %v", err)
	}
}

func TestBudgetCountsWhatTheServerCounts(t *testing.T) {
	var batches []int
	enc := serveEncoder(t, embedder(t, &batches), 0)
	b := model.NewBudget(0, nil)
	if _, err := b.Encoder(enc, "embed", "m").Encode(t.Context(), model.AsText, []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if got := b.Snapshot().Accounts[0]; got.Usage.In != 5 || got.Estimated != 0 || got.Unpriced != 1 {
		t.Errorf("got %+v", got)
	}
}
