package model

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	"daybook"
)

// ErrBudget is in the chain of every error of a call that was not made because
// it could have gone over the budget.
var ErrBudget = errors.New("token budget is spent")

// Price is what a model costs, in dollars per million tokens.
type Price struct{ In, CachedIn, Out float64 }

// Prices are by the name the server gives the model. A model that is not there
// has an unknown price; one that costs nothing is there with zeros.
type Prices map[string]Price

// Budget counts what models cost, by purpose and model, and stops calls when
// the tokens of a run are spent. Safe for concurrent use; wrap any number of
// completers and encoders with one.
type Budget struct {
	limit  int
	prices Prices

	mu       sync.Mutex
	spent    int
	reserved int // for calls under way
	accounts map[account]*Account
}

type account struct{ purpose, model string }

// NewBudget returns a budget of limit tokens, read and written together; 0
// means no limit. The prices must not change afterwards.
func NewBudget(limit int, prices Prices) *Budget {
	return &Budget{limit: limit, prices: prices, accounts: map[account]*Account{}}
}

// Account is what one purpose has cost with one model.
type Account struct {
	Purpose   string  `json:"purpose"`
	Model     string  `json:"model"`
	Calls     int     `json:"calls"`     // answered by a model
	Failed    int     `json:"failed"`    // ended in an error, or were broken off
	Replayed  int     `json:"replayed"`  // answered from a recording, at no cost; an encoder cannot tell, so its replays are Calls
	Usage     Usage   `json:"usage"`     // of Calls, and what is known of Failed
	Estimated int     `json:"estimated"` // of Calls, those whose usage the server did not tell
	CostUSD   float64 `json:"cost_usd"`  // of the calls whose price is known
	Unpriced  int     `json:"unpriced"`  // of Calls, those whose price is not known
}

// Spending is a Budget at one moment.
type Spending struct {
	Limit    int       `json:"limit"`  // 0: none
	Tokens   int       `json:"tokens"` // spent so far
	Accounts []Account `json:"accounts"`
}

// Snapshot returns the spending so far, accounts sorted by purpose and model.
// It shares nothing with the budget.
func (b *Budget) Snapshot() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Spending{Limit: b.limit, Tokens: b.spent}
	for _, a := range b.accounts {
		s.Accounts = append(s.Accounts, *a)
	}
	daybook.Sort(s.Accounts, func(x, y Account) int {
		return cmp.Or(cmp.Compare(x.Purpose, y.Purpose), cmp.Compare(x.Model, y.Model))
	})
	return s
}

// defaultReserve is set aside for the reply of a request without MaxTokens.
const defaultReserve = 1024

// reserve sets tokens aside for a call, or refuses it with Unavailable.
func (b *Budget) reserve(purpose string, tokens int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit > 0 && b.spent+b.reserved+tokens > b.limit {
		return daybook.Errorf(daybook.Unavailable, "%s needs up to %d tokens, %d of %d are left: %w",
			purpose, tokens, max(b.limit-b.spent-b.reserved, 0), b.limit, ErrBudget)
	}
	b.reserved += tokens
	return nil
}

// outcome is how a call for which tokens were reserved has ended.
type outcome struct {
	account
	reserved int
	usage    Usage
	guess    Usage // counts when the server told no usage
	replayed bool
	failed   bool
}

// settle books the outcome.
func (b *Budget) settle(o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= o.reserved
	a := b.accounts[o.account]
	if a == nil {
		a = &Account{Purpose: o.purpose, Model: o.model}
		b.accounts[o.account] = a
	}
	switch {
	case o.failed:
		a.Failed++
		b.book(a, o.usage)
	case o.replayed:
		a.Replayed++
	default:
		a.Calls++
		if o.usage == (Usage{}) {
			o.usage = o.guess
			a.Estimated++
		}
		if _, known := b.prices[o.model]; !known {
			a.Unpriced++
		}
		b.book(a, o.usage)
	}
}

// book adds tokens, and their cost where it is known, to the account.
func (b *Budget) book(a *Account, u Usage) {
	a.Usage = a.Usage.plus(u)
	b.spent += u.In + u.Out
	price := b.prices[a.Model]
	a.CostUSD += (float64(u.In-u.CachedIn)*price.In + float64(u.CachedIn)*price.CachedIn + float64(u.Out)*price.Out) / 1e6
}

// bytesPerToken is a rough rate for European languages; it only serves where a
// server does not count.
const bytesPerToken = 4

func guessTokens(texts ...string) int {
	n := 0
	for _, text := range texts {
		n += len(text)/bytesPerToken + 4 // what frames each message
	}
	return n
}

// Completer returns c under this budget. The model's name is only used for
// calls that fail; a reply names its own. What it returns is a Streamer too.
func (b *Budget) Completer(c Completer, model string) *BudgetCompleter {
	return &BudgetCompleter{budget: b, inner: c, model: model}
}

// BudgetCompleter is a Completer and Streamer whose calls are counted. A call
// that could go over the budget is refused before it is made, with ErrBudget.
type BudgetCompleter struct {
	budget *Budget
	inner  Completer
	model  string
}

// Complete asks the inner completer; see Completer.
func (c *BudgetCompleter) Complete(ctx context.Context, req Request) (Reply, error) {
	o, err := c.begin(req)
	if err != nil {
		return Reply{}, err
	}
	reply, err := c.inner.Complete(ctx, req)
	c.end(o, reply, err)
	return reply, err
}

// Stream asks the inner completer piece by piece; see Streamer. A stream that
// is broken off is counted as failed, with the text that came.
func (c *BudgetCompleter) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		o, err := c.begin(req)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		written := 0
		ended := false
		defer func() {
			if !ended {
				o.failed, o.usage = true, Usage{In: o.guess.In, Out: written / bytesPerToken}
				c.budget.settle(o)
			}
		}()
		for chunk, err := range Stream(ctx, c.inner, req) {
			written += len(chunk.Text)
			if chunk.Reply != nil && err == nil {
				ended = true
				c.end(o, *chunk.Reply, nil)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

func (c *BudgetCompleter) begin(req Request) (outcome, error) {
	in := 0
	for _, m := range req.Messages {
		in += guessTokens(m.Content)
	}
	if req.Schema != nil {
		in += guessTokens(req.Schema.String())
	}
	o := outcome{account: account{req.label(), c.model}, guess: Usage{In: in}}
	o.reserved = in + cmp.Or(req.MaxTokens, defaultReserve)
	return o, c.budget.reserve(req.label(), o.reserved)
}

func (c *BudgetCompleter) end(o outcome, reply Reply, err error) {
	o.failed = err != nil
	o.replayed = reply.Cached
	o.usage = reply.Usage
	o.guess.Out = guessTokens(reply.Text)
	if reply.Model != "" {
		o.model = reply.Model
	}
	c.budget.settle(o)
}

// Encoder returns e under this budget, its tokens counted for the purpose and
// the model given.
func (b *Budget) Encoder(e Encoder, purpose, model string) *BudgetEncoder {
	return &BudgetEncoder{budget: b, inner: e, account: account{purpose, model}}
}

// BudgetEncoder is an Encoder whose calls are counted. A call that could go over
// the budget is refused before it is made, with ErrBudget.
type BudgetEncoder struct {
	budget  *Budget
	inner   Encoder
	account account
}

// counter is an encoder whose server counts tokens.
type counter interface {
	encodeCounted(ctx context.Context, as As, texts []string) (Vectors, Usage, error)
}

// Encode asks the inner encoder; see Encoder.
func (e *BudgetEncoder) Encode(ctx context.Context, as As, texts []string) (Vectors, error) {
	o := outcome{account: e.account, guess: Usage{In: guessTokens(texts...)}}
	o.reserved = o.guess.In
	if err := e.budget.reserve(e.account.purpose, o.reserved); err != nil {
		return Vectors{}, err
	}
	var vectors Vectors
	var err error
	if c, ok := e.inner.(counter); ok {
		vectors, o.usage, err = c.encodeCounted(ctx, as, texts)
	} else {
		vectors, err = e.inner.Encode(ctx, as, texts)
	}
	o.failed = err != nil
	e.budget.settle(o)
	return vectors, err
}
