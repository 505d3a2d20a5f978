package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/index"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

// TestSpeed times what a memory does at the sizes that DAYBOOK_SPEED lists: recall and
// ask beside words and vectors alone, the way from a commit to being found, opening,
// and one more note. Every question is another one.
//
//	make speed SIZES=1000,10000,100000
//
// DAYBOOK_SPEED_HOME keeps the memories for the next run, and DAYBOOK_SPEED_PROFILE
// names a folder for profiles of the processor.
func TestSpeed(t *testing.T) {
	sizes := os.Getenv("DAYBOOK_SPEED")
	if sizes == "" {
		t.Skip("SKIPPED, NOTHING WAS TIMED: set DAYBOOK_SPEED to sizes such as 1000,10000,100000")
	}
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(s, func(t *testing.T) { timeMemory(t, n) })
	}
}

// warmUp calls go before the timed ones.
const warmUp, timed = 100, 200

// learnedNotes is up to how many notes something is learned from.
const learnedNotes = 100_000

func timeMemory(t *testing.T, n int) {
	home, scope := speedHome(t, n), daybook.Scope{User: "u"}
	began := time.Now()
	e := openSpeed(t, home)
	first(t, e, scope, "without a kept index", began)
	began = time.Now()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("closed, and kept the index, in %s", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	e = openSpeed(t, home)
	defer e.Close() //nolint:errcheck // the test is over
	snapshot := first(t, e, scope, "with a kept index", began)
	t.Logf("%d notes: index %d bytes a note; on disk %s", n, snapshot.Bytes()/n, sizeOf(t, home))

	asked := 0
	question := func() string { asked++; return newTalk(uint64(1e9 + asked + n)).ask() }
	profiled(t, "recall", func() {
		timeCalls(t, "recall", func() error {
			_, err := e.Recall(t.Context(), scope, recall.Question{Text: question()}, daybook.AsOf{})
			return err
		})
	})
	profiled(t, "ask", func() {
		timeCalls(t, "ask", func() error {
			_, err := e.Ask(t.Context(), scope, engine.Asked{Text: question()})
			return err
		})
	})
	timeCalls(t, "words alone", func() error {
		snapshot.Search(index.Ask(question(), index.Content), 10, nil)
		return nil
	})
	enc := speedEncoder(t)
	timeCalls(t, "brute-force dense with its query", func() error {
		v, err := enc.Encode(t.Context(), model.AsQuery, []string{question()})
		if err == nil {
			snapshot.Space(engine.ContentSpace).NearestExact(v.Row(0), 10, nil)
		}
		return err
	})
	profiled(t, "add", func() { timeAdds(t, e, scope, n) })
	profiled(t, "crowd", func() { timeCrowd(t, e, scope, n) })
}

// crowd clients ask at once, and one call in five adds a note, for a while.
const (
	crowd     = 64
	crowdTime = 10 * time.Second
)

func timeCrowd(t *testing.T, e *engine.Engine, scope daybook.Scope, n int) {
	var mu sync.Mutex
	var recalls, adds []time.Duration
	var wait sync.WaitGroup
	began, before := time.Now(), processorTime(t)
	for client := range crowd {
		wait.Go(func() {
			for i := 0; time.Since(began) < crowdTime; i++ {
				number := n + 1000 + client*10_000 + i
				start := time.Now()
				var err error
				if i%5 == client%5 {
					_, err = e.Add(t.Context(), scope, by, speedNotes(number, 1))
				} else {
					_, err = e.Recall(t.Context(), scope, recall.Question{Text: newTalk(uint64(2e9 + number)).ask()}, daybook.AsOf{})
				}
				mu.Lock()
				if took := time.Since(start); err != nil {
					t.Error(err)
				} else if i%5 == client%5 {
					adds = append(adds, took)
				} else {
					recalls = append(recalls, took)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	spent := processorTime(t) - before
	t.Logf("%d clients for %s: %d recalls and %d adds, processor %s a call", crowd, crowdTime, len(recalls), len(adds), (spent / time.Duration(len(recalls)+len(adds))).Round(100*time.Microsecond))
	t.Logf("%-34s %s", "- recall", spread(recalls, nil))
	t.Logf("%-34s %s", "- add", spread(adds, nil))
}

// first asks the first question after opening.
func first(t *testing.T, e *engine.Engine, scope daybook.Scope, how string, began time.Time) *index.Snapshot {
	opened, before := time.Since(began), processorTime(t)
	if _, err := e.Recall(t.Context(), scope, recall.Question{Text: newTalk(1).ask()}, daybook.AsOf{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: opened in %s; the first question took %s, processor %s", how, opened.Round(time.Millisecond),
		(time.Since(began) - opened).Round(time.Millisecond), (processorTime(t) - before).Round(time.Millisecond))
	snapshot, err := e.Index(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// timeCalls prints how long a call takes, and what it costs in processor time.
func timeCalls(t *testing.T, what string, call func() error) {
	t.Helper()
	var times, costs []time.Duration
	for i := range warmUp + timed {
		began, before := time.Now(), processorTime(t)
		if err := call(); err != nil {
			t.Fatal(err)
		}
		if i >= warmUp {
			times, costs = append(times, time.Since(began)), append(costs, processorTime(t)-before)
		}
	}
	t.Logf("%-34s %s", what, spread(times, costs))
}

// spread is the middle and the 95th percentile of times, and the mean and the middle
// of costs.
func spread(times, costs []time.Duration) string {
	slices.Sort(times)
	sum := time.Duration(0)
	for _, c := range costs {
		sum += c
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	out := fmt.Sprintf("p50 %6.1f ms, p95 %6.1f ms", ms(times[len(times)/2]), ms(times[len(times)*95/100]))
	if len(costs) > 0 {
		slices.Sort(costs)
		out += fmt.Sprintf(", processor %6.1f ms (p50 %.1f)", ms(sum)/float64(len(costs)), ms(costs[len(costs)/2]))
	}
	return out
}

// timeAdds adds notes one by one, with learning, and looks for each by a word that no
// other note has.
func timeAdds(t *testing.T, e *engine.Engine, scope daybook.Scope, n int) {
	var add, addCost, find, findCost []time.Duration
	stamp := time.Now().UnixNano()
	for i, note := range speedNotes(n, 60) {
		word := fmt.Sprintf("qx%dz%d", stamp, i)
		note.SourceID, note.Text = word, note.Text+" I own a "+word+"."
		began, before := time.Now(), processorTime(t)
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{note}); err != nil {
			t.Fatal(err)
		}
		done, spent := time.Now(), processorTime(t)
		found, err := e.Recall(t.Context(), scope, recall.Question{Text: "Who owns a " + word + "?", WhyNot: word}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		if found.WhyNot.Rank == 0 {
			t.Fatalf("the note of %s was not found right after it was added: %s", word, found.WhyNot.Reason)
		}
		if i >= 10 {
			add, addCost = append(add, done.Sub(began)), append(addCost, spent-before)
			find, findCost = append(find, time.Since(done)), append(findCost, processorTime(t)-spent)
		}
	}
	t.Logf("%-34s %s", "add one note and learn from it", spread(add, addCost))
	t.Logf("%-34s %s", "from commit to its recall", spread(find, findCost))
}

// profiled runs do under the profiler, if one is asked for.
func profiled(t *testing.T, name string, do func()) {
	if dir := os.Getenv("DAYBOOK_SPEED_PROFILE"); dir != "" {
		f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")+"-"+name+".pprof"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // a profile
		if err := pprof.StartCPUProfile(f); err != nil {
			t.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	do()
}

func speedEncoder(t *testing.T) *mixer {
	local, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	return &mixer{LocalEncoder: local}
}

func openSpeed(t *testing.T, home string) *engine.Engine {
	s, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	enc := speedEncoder(t)
	return engine.New(s).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
}

// speedHome is the home of a memory of n notes, made anew or kept. Of a kept one a
// copy is used, so that every run finds the same.
func speedHome(t *testing.T, n int) string {
	home, kept := filepath.Join(t.TempDir(), "home"), os.Getenv("DAYBOOK_SPEED_HOME")
	if kept == "" {
		fillSpeed(t, home, n)
		return home
	}
	made := filepath.Join(kept, strconv.Itoa(n))
	if _, err := os.Stat(filepath.Join(made, "made")); err != nil {
		fillSpeed(t, made, n)
		if err := os.WriteFile(filepath.Join(made, "made"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(home, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
	return home
}

func fillSpeed(t *testing.T, home string, n int) {
	e, scope, began := openSpeed(t, home), daybook.Scope{User: "u"}, time.Now()
	defer e.Close() //nolint:errcheck // what matters is read again
	plain := e.WithLearner(nil)
	for i := 0; i < n; i += 1000 {
		with := e
		if i >= learnedNotes {
			with = plain
		}
		if _, err := with.Add(t.Context(), scope, by, speedNotes(i, min(1000, n-i))); err != nil {
			t.Fatal(err)
		}
		if i%20000 == 0 {
			t.Logf("%d of %d notes after %s", i, n, time.Since(began).Round(time.Second))
		}
	}
	if _, err := e.Embed(t.Context(), scope, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Ask(t.Context(), scope, engine.Asked{Text: newTalk(2).ask()}); err != nil {
		t.Fatal(err)
	}
	stats, err := e.Stats(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("filled in %s: %d notes, %d events, %d facts, %d links", time.Since(began).Round(time.Second), stats.Notes, stats.Events, stats.Facts, stats.Links)
}

func sizeOf(t *testing.T, home string) string {
	bytes := int64(0)
	err := filepath.WalkDir(home, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		bytes += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
