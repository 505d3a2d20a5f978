package bert

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"daybook"
	"daybook/model/internal/kernel"
)

// Input is one token sequence. Tokens from Second on belong to the second text
// of a pair; for a single text Second is len(IDs).
type Input struct {
	IDs    []int32
	Second int
}

// groupTokens is how many tokens go through a product at once: enough rows to
// use each weight often, few enough to stay in the cache.
const groupTokens = 84

// Run pushes every input through the network and hands its last hidden states
// to visit: one row per token, valid only during the call. Calls for different
// inputs may come at once and in any order. Inputs that do not fit the network
// are Invalid; a cancelled context ends the run between groups.
//
// Groups of inputs are handed out to as many workers as are free. The steps of
// a single group are shared with one helper, when no other run is under way.
func (n *Network) Run(ctx context.Context, inputs []Input, visit func(i int, states kernel.Matrix)) error {
	for i, in := range inputs {
		if err := n.checkInput(in); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
	}
	n.running.Add(1)
	defer n.running.Add(-1)
	groups := group(inputs)
	if len(groups) == 1 && ctx.Err() == nil {
		n.runShared(inputs, groups[0], visit)
		return nil
	}
	var next atomic.Int64
	work := func() {
		w := n.scratch.Get().(*scratch)
		defer n.scratch.Put(w)
		for ctx.Err() == nil {
			g := int(next.Add(1)) - 1
			if g >= len(groups) {
				return
			}
			n.runGroup(w, inputs, groups[g], visit, nil)
		}
	}
	n.withHelpers(len(groups)-1, work)
	if err := ctx.Err(); err != nil {
		return daybook.Errorf(daybook.Unavailable, "run %s: %w", n.Config.Name, err)
	}
	return nil
}

// withHelpers runs work here and on up to most other goroutines, as many as no
// other run is using.
func (n *Network) withHelpers(most int, work func()) {
	var wg sync.WaitGroup
	for range most {
		select {
		case n.helpers <- struct{}{}:
			wg.Go(func() {
				defer func() { <-n.helpers }()
				work()
			})
			continue
		default:
		}
		break
	}
	work()
	wg.Wait()
}

func (n *Network) runGroup(w *scratch, inputs []Input, g [2]int, visit func(int, kernel.Matrix), c *crew) {
	states, at := n.forward(w, inputs[g[0]:g[1]], c), 0
	for i := g[0]; i < g[1]; i++ {
		tokens := len(inputs[i].IDs)
		visit(i, kernel.Matrix{Rows: tokens, Stride: states.Stride, Data: states.Data[at*states.Stride : (at+tokens)*states.Stride]})
		at += tokens
	}
}

// runShared runs a single group with a helper, if one can be had.
func (n *Network) runShared(inputs []Input, g [2]int, visit func(int, kernel.Matrix)) {
	c := n.hire()
	defer n.release(c)
	w := n.scratch.Get().(*scratch)
	defer n.scratch.Put(w)
	n.runGroup(w, inputs, g, visit, c)
}

// group cuts inputs into runs of about groupTokens tokens.
func group(inputs []Input) (groups [][2]int) {
	start, tokens := 0, 0
	for i, in := range inputs {
		tokens += len(in.IDs)
		if tokens >= groupTokens || i == len(inputs)-1 {
			groups = append(groups, [2]int{start, i + 1})
			start, tokens = i+1, 0
		}
	}
	return groups
}

func (n *Network) checkInput(in Input) error {
	if len(in.IDs) == 0 || len(in.IDs) > n.Config.Positions-n.Config.PositionOffset {
		return daybook.Errorf(daybook.Invalid, "%d tokens, want 1 to %d", len(in.IDs), n.Config.Positions-n.Config.PositionOffset)
	}
	for _, id := range in.IDs {
		if id < 0 || int(id) >= n.Config.Vocabulary {
			return daybook.Errorf(daybook.Invalid, "token %d is not in the vocabulary of %d", id, n.Config.Vocabulary)
		}
	}
	return nil
}
