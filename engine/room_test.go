package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"daybook"
)

// fullRoom is a room of one place that is taken until leave is called.
func fullRoom(t *testing.T) (r *room, leave func()) {
	t.Helper()
	r = (&Engine{}).WithRoom(1).room
	leave, err := r.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r, leave
}

// yields is how long a write makes way.
func yields(t *testing.T, r *room) time.Duration {
	t.Helper()
	began := time.Now()
	done, err := r.yield(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done()
	return time.Since(began)
}

func TestWritesMakeWayForQuestions(t *testing.T) {
	t.Run("nothing is asked", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if got := yields(t, (&Engine{}).WithRoom(1).room); got != 0 {
				t.Errorf("it waited for %v", got)
			}
		})
	})
	t.Run("until there is room for a breath", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, leave := fullRoom(t)
			go func() {
				time.Sleep(time.Second)
				leave()
				time.Sleep(breath / 2) // whoever was answered asks again
				leave, err := r.enter(t.Context())
				if err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				leave()
			}()
			if got := yields(t, r); got < 2*time.Second || got > 2*time.Second+3*breath {
				t.Errorf("it waited for %v, want two seconds and little more", got)
			}
		})
	})
	t.Run("where a place is free it waits for a breath", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := (&Engine{}).WithRoom(2).room
			leave, err := r.enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := yields(t, r); got != breath {
				t.Errorf("it waited for %v", got)
			}
			leave()
		})
	})
	t.Run("not for ever", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, leave := fullRoom(t)
			defer leave()
			if got := yields(t, r); got != longestYield {
				t.Errorf("it waited for %v", got)
			}
		})
	})
}

// One write begins at a time, and those behind it wait no longer than it does.
func TestWritesBeginOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := (&Engine{}).WithRoom(1).room
		done, err := r.yield(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := false
		go func() {
			yields(t, r)
			began = true
		}()
		if synctest.Wait(); began {
			t.Error("two write at once")
		}
		done()
		if synctest.Wait(); !began {
			t.Error("the second does not begin when the first is done")
		}
	})
}

func TestWritesGiveUpWithTheirCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, leave := fullRoom(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.yield(ctx); daybook.KindOf(err) != daybook.Unavailable {
			t.Errorf("it says %v", err)
		}
		leave()
		if got := yields(t, r); got != 0 {
			t.Errorf("the next one waits for %v", got)
		}
	})
}
