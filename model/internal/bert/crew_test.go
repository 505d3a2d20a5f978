package bert

import (
	"sync/atomic"
	"testing"
	"time"
)

func never() bool { return false }

// TestCrewWaits checks that a step is over only when its helper's part is, be
// it so slow that the worker goes to sleep.
func TestCrewWaits(t *testing.T) {
	c, parts := newCrew(), [stepParts]atomic.Int64{}
	helper, done := new(scratch), make(chan struct{})
	began := make(chan struct{}, 1)
	go func() {
		defer close(done)
		for c.state.Load() != finished {
			c.help(helper, never)
		}
	}()
	for range 20 {
		c.slept = false
		c.share(nil, new(scratch), func(_ *pass, w *scratch, s span) {
			if w == helper {
				began <- struct{}{}
				time.Sleep(5 * time.Millisecond)
			} else {
				select { // leave the helper a part, if it comes
				case <-began:
				case <-time.After(time.Second):
				}
			}
			parts[s.at].Add(1)
		})
	}
	c.dismiss()
	<-done
	for i := range parts {
		if n := parts[i].Load(); n != 20 {
			t.Errorf("part %d ran %d times, want 20", i, n)
		}
	}
}

// TestCrewAlone checks that a worker whose helper never comes does it all.
func TestCrewAlone(t *testing.T) {
	c, ran := newCrew(), 0
	for range 3 {
		c.share(nil, nil, func(*pass, *scratch, span) { ran++ })
	}
	c.dismiss()
	c.help(nil, never)
	if ran != 3*stepParts {
		t.Errorf("%d parts ran, want %d", ran, 3*stepParts)
	}
}

// TestHelperLeaves checks that a helper goes home when another run begins, and
// when there is nothing to do.
func TestHelperLeaves(t *testing.T) {
	c := newCrew()
	c.help(nil, never)
	ran := 0
	c.step = func(*pass, *scratch, span) { ran++ }
	c.left.Store(stepParts + 1)
	c.state.Store(1 << 8)
	c.help(nil, func() bool { return true })
	if ran != 1 {
		t.Errorf("%d parts ran in a crowd, want 1", ran)
	}
}
