package bert

import (
	"runtime"
	"sync/atomic"
)

// crew is a worker and its helper, who share the steps of one pass. A step is
// cut in parts that each of them claims as it gets there, so the worker never
// waits for a helper that has not come yet, or has left: only for a part that
// the helper has begun. A nil crew is a worker alone.
type crew struct {
	// state is the number of the step, then the next part to claim (one byte).
	// Both in one word: a helper that is late cannot claim a part of a step
	// that is not the one it saw.
	state atomic.Uint64
	left  atomic.Int64  // parts not finished, and one that the worker holds
	woken chan struct{} // the last part was finished while the worker slept
	slept bool          // the helper lost its processor: the worker goes on alone

	// Written between steps; read by who has claimed a part.
	pass *pass
	step func(*pass, *scratch, span)
}

const (
	// stepParts is how many parts a step has. One for each: the worker comes
	// first and takes the first, so each finds most of what it reads in its own
	// cache; smaller parts were slower.
	stepParts = 2
	// Looking again costs half a nanosecond to one. Steps take 5 to 100 µs: whoever
	// waits longer than these waits for somebody who is not on a processor.
	workerLooks = 100_000
	helperLooks = 60_000
	// restRuns is how many runs do without a helper after a worker or a
	// helper lost its processor: other programs want it, and a wait for them is dear.
	restRuns = 16

	closed   = stepParts  // a next part that nobody can claim
	finished = ^uint64(0) // the state that sends the helper home
)

func newCrew() *crew {
	c := &crew{woken: make(chan struct{}, 1)}
	c.state.Store(closed)
	return c
}

// share runs one step and returns when all of it is done. Only the worker calls
// it; w is its own scratch.
func (c *crew) share(p *pass, w *scratch, step func(*pass, *scratch, span)) {
	if c == nil || c.slept {
		step(p, w, whole)
		return
	}
	c.pass, c.step = p, step
	c.left.Store(stepParts + 1)
	c.state.Store((c.state.Load()>>8 + 1) << 8)
	for c.claim(w) {
	}
	c.wait()
}

// claim runs one part of the current step, if one is left.
func (c *crew) claim(w *scratch) bool {
	for {
		state := c.state.Load()
		part := int(state & 0xff)
		if part >= stepParts {
			return false
		}
		if c.state.CompareAndSwap(state, state+1) {
			c.step(c.pass, w, span{part, stepParts})
			if c.left.Add(-1) == 0 {
				c.woken <- struct{}{}
			}
			return true
		}
	}
}

// wait returns when the helper has finished what it claimed. After a while the
// worker gives its own count back and sleeps until the last part wakes it.
func (c *crew) wait() {
	for range workerLooks {
		if c.left.Load() == 1 {
			return
		}
	}
	if c.left.Add(-1) != 0 {
		<-c.woken
		c.slept = true
	}
}

// help claims parts until the worker is done, has nothing for a while, or
// somebody else wants the processor. It reports false for the second: then the
// worker has lost its processor, perhaps to this helper.
func (c *crew) help(w *scratch, busy func() bool) bool {
	for looks := 0; looks < helperLooks; looks++ {
		if c.state.Load() == finished {
			return true
		}
		if c.claim(w) {
			looks = 0
			if busy() {
				return true
			}
		}
	}
	return false
}

func (c *crew) dismiss() { c.state.Store(finished) }

// release sends the helper of a run home.
func (n *Network) release(c *crew) {
	if c == nil {
		return
	}
	if c.slept {
		n.rest.Store(restRuns)
	}
	c.dismiss()
}

// hire returns a crew whose helper is on its way, or nil when this run is not
// alone or there is no second processor. The helper takes no token of helpers:
// it leaves when another run begins, which must not find it holding one.
func (n *Network) hire() *crew {
	if n.crowded() || runtime.GOMAXPROCS(0) < 2 {
		return nil
	}
	if n.rest.Load() > 0 {
		n.rest.Add(-1)
		return nil
	}
	c := newCrew()
	go func() {
		w := n.scratch.Get().(*scratch)
		defer n.scratch.Put(w)
		if !c.help(w, n.crowded) {
			n.rest.Store(restRuns)
		}
	}()
	return c
}

func (n *Network) crowded() bool { return n.running.Load() > 1 }
