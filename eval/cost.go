package eval

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// Times is what a run cost; it differs from run to run. What was kept from an
// earlier run counts with the times of that run.
type Times struct {
	BuildSeconds   float64 `json:"build_seconds"`
	NotesPerSecond float64 `json:"notes_per_second"`
	RecallP50MS    float64 `json:"recall_p50_ms"`
	RecallP95MS    float64 `json:"recall_p95_ms"`
	// Recall counts questions by how long they took, each bucket up to twice the
	// time of the one before; only those that are not empty.
	Recall []Bucket `json:"recall,omitempty"`
	// PeakMemoryBytes is the most memory that this process held from the system
	// while the system took in and answered: the heap, stacks and what else the
	// runtime needs, with the data set and the vectors that systems share. A
	// system elsewhere (a server) is not in it.
	PeakMemoryBytes uint64 `json:"peak_memory_bytes"`
	// Cached is how many results were kept from earlier runs.
	Cached int `json:"cached"`
}

// Rate shows the notes per second; a dash when building took too short a time to
// tell.
func (t Times) Rate() string {
	if t.BuildSeconds < 0.001 {
		return "–"
	}
	return fmt.Sprintf("%.0f", t.NotesPerSecond)
}

// Bucket is how many questions took up to so long.
type Bucket struct {
	UpToMS float64 `json:"up_to_ms"`
	N      int     `json:"n"`
}

// cost adds up what a run costs.
type cost struct {
	build  float64
	notes  int
	peak   uint64
	took   []float64 // seconds
	cached int
}

func (c *cost) built(b keptBuild) {
	c.build += b.Seconds
	c.notes += b.Notes
	c.peak = max(c.peak, b.PeakBytes)
}

func (c *cost) asked(seconds float64, cached bool) {
	c.took = append(c.took, seconds)
	if cached {
		c.cached++
	}
}

func (c *cost) times() Times {
	slices.Sort(c.took)
	at := func(p float64) float64 {
		if len(c.took) == 0 {
			return 0
		}
		return milliseconds(c.took[int(p*float64(len(c.took)-1))])
	}
	return Times{
		BuildSeconds: c.build, NotesPerSecond: float64(c.notes) / max(c.build, 1e-9),
		RecallP50MS: at(0.50), RecallP95MS: at(0.95), Recall: histogram(c.took),
		PeakMemoryBytes: c.peak, Cached: c.cached,
	}
}

// milliseconds of seconds, to the microsecond.
func milliseconds(seconds float64) float64 { return math.Round(seconds*1e6) / 1e3 }

// leastBucket is the first of the buckets, in milliseconds.
const leastBucket = 1.0 / 64

// histogram of sorted seconds.
func histogram(took []float64) (buckets []Bucket) {
	upTo := leastBucket
	for _, t := range took {
		for t*1000 > upTo {
			upTo *= 2
		}
		if n := len(buckets); n == 0 || buckets[n-1].UpToMS != upTo {
			buckets = append(buckets, Bucket{UpToMS: upTo})
		}
		buckets[len(buckets)-1].N++
	}
	return buckets
}

// memoryWatch looks now and then at how much memory the process holds.
type memoryWatch struct {
	peak    uint64
	end     chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// watchMemory gives back what is not needed, so that one system does not pay for
// the garbage of another, and begins to watch. Somebody must call stop.
func watchMemory() *memoryWatch {
	debug.FreeOSMemory()
	w := &memoryWatch{peak: heldMemory(), end: make(chan struct{})}
	w.stopped.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.end:
				return
			case <-tick.C:
				w.peak = max(w.peak, heldMemory())
			}
		}
	})
	return w
}

// stop ends the watch and returns the most that was seen. It may be called again.
func (w *memoryWatch) stop() uint64 {
	w.once.Do(func() {
		close(w.end)
		w.stopped.Wait()
		w.peak = max(w.peak, heldMemory())
	})
	return w.peak
}

// heldMemory is what the runtime holds from the system and has not given back.
func heldMemory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
