package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/graph"

	lib "modernc.org/sqlite/lib"
)

// run is one short history. Its seed decides what is written, how the clock goes, which
// operations of the disk fail, when the process dies or power is cut, and what the model does.
type run struct {
	t     *testing.T
	rng   *rand.Rand
	said  []string // what was done, for a history that fails
	home  string
	store *Store
	now   time.Time
	next  int
	// What must be there, what must not, and what may or may not: its write was not
	// acknowledged, or not refused for good.
	kept, gone, open map[string]bool

	mu   sync.Mutex
	disk *disk
}

func (r *run) say(format string, args ...any) { r.said = append(r.said, fmt.Sprintf(format, args...)) }

// clock goes on, stands still, or jumps back or ahead by years.
func (r *run) clock() time.Time {
	switch r.rng.IntN(12) {
	case 0:
		r.now = r.now.Add(-time.Duration(r.rng.IntN(3*365*24)) * time.Hour)
	case 1:
		r.now = r.now.Add(time.Duration(r.rng.IntN(3*365*24)) * time.Hour)
	case 2:
	default:
		r.now = r.now.Add(time.Duration(r.rng.IntN(1e9)))
	}
	return r.now
}

// Learn is a model that answers, fails, is out of time, or talks nonsense.
func (r *run) Learn(_ context.Context, w extract.Window) (extract.Learned, error) {
	switch r.rng.IntN(6) {
	case 0:
		return extract.Learned{}, errors.New("the model broke")
	case 1:
		return extract.Learned{}, daybook.Errorf(daybook.Unavailable, "the model does not answer: %w", context.DeadlineExceeded)
	case 2:
		return extract.Learned{Enrichments: []daybook.Enrichment{{Note: "note_that_is_not_there"}}}, nil
	}
	return extract.Learned{}, nil
}

func (r *run) engine() *engine.Engine {
	e := engine.New(r.store).WithClock(r.clock)
	if r.rng.IntN(2) == 0 {
		e = e.WithLearner(r)
	}
	return e
}

// failing lets an operation of the disk fail, some way ahead, once or from then on.
func (r *run) failing() *faulty {
	f := &faulty{n: 1 + int64(r.rng.IntN(12)), times: 1, code: lib.SQLITE_IOERR_WRITE}
	name, wal := []string{"write", "sync", "read"}[r.rng.IntN(3)], r.rng.IntN(4) > 0
	f.which = func(o operation) bool { return o.name == name && o.wal == wal }
	switch {
	case name == "read":
		f.code = lib.SQLITE_IOERR_READ
	case name == "sync":
		f.code = lib.SQLITE_IOERR_FSYNC
	case r.rng.IntN(2) == 0:
		f.code = lib.SQLITE_FULL
	}
	if r.rng.IntN(3) == 0 {
		f.times = 1 << 60
	}
	r.say("the disk fails: %s, log %t, after %d, %d times", name, wal, f.n, f.times)
	return f
}

// add writes one to three notes.
func (r *run) add() {
	var notes []daybook.Note
	for range 1 + r.rng.IntN(3) {
		id := fmt.Sprintf("n%d", r.next)
		r.next++
		notes = append(notes, daybook.Note{SourceID: id, Speaker: "Ana", Time: r.clock(), Text: id + strings.Repeat(" words", r.rng.IntN(1500))})
	}
	_, err := r.engine().Add(r.t.Context(), someone, engine.By{Author: "test"}, notes)
	for _, n := range notes {
		r.note(n.SourceID, err)
	}
	r.say("add %s and %d more: %v", notes[0].SourceID, len(notes)-1, err)
}

// note decides what becomes of a note whose write ended so.
func (r *run) note(id string, err error) {
	switch {
	case err == nil:
		r.kept[id] = true
	case daybook.KindOf(err) == daybook.Unavailable:
		r.open[id] = true
	default:
		r.gone[id] = true
	}
}

// forget erases a note that is there.
func (r *run) forget() {
	there := slices.Sorted(maps.Keys(r.kept))
	if len(there) == 0 {
		return
	}
	id := there[r.rng.IntN(len(there))]
	cert, err := r.engine().Forget(r.t.Context(), someone, engine.By{Author: "test"}, graph.Forget{IDs: []string{id}})
	r.say("forget %s: %v", id, err)
	if err == nil || cert.Erased > 0 {
		delete(r.kept, id)
		r.gone[id] = true
	} else if daybook.KindOf(err) == daybook.Unavailable {
		delete(r.kept, id)
		r.open[id] = true
	}
}

// die ends the process, or the power, and begins again with what is left.
func (r *run) die() {
	after := r.t.TempDir()
	r.mu.Lock()
	var files map[string][]byte
	if cut := r.rng.IntN(2) == 0; cut {
		r.say("power is cut")
		files = r.disk.cut(r.rng)
		r.mu.Unlock()
	} else {
		r.say("the process is killed")
		r.mu.Unlock()
		files = filesOf(r.t, r.home)
	}
	for path, data := range files {
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(after, filepath.Base(path)), data, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	tap.Store(nil)
	_ = r.store.Close() // it may not close well; it is not looked at again
	r.begin(after)
}

func (r *run) begin(home string) {
	r.home = home
	r.disk = newDisk(filesOf(r.t, home))
	note := func(e fileEvent) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if filepath.Dir(e.path) == r.home {
			r.disk.do(e)
		}
	}
	tap.Store(&note)
	var err error
	if r.store, err = Open(r.t.Context(), home); err != nil {
		r.t.Fatalf("open: %v\n%s", err, strings.Join(r.said, "\n"))
	}
	r.verify()
}

// verify holds what is there against what was acknowledged.
func (r *run) verify() {
	found := map[string]bool{}
	e := engine.New(r.store).WithClock(func() time.Time { return r.now })
	err := e.Notes(r.t.Context(), someone, "", daybook.AsOf{}, func(n daybook.Note) error {
		found[n.SourceID] = true
		return nil
	})
	if err != nil {
		r.t.Errorf("read: %v", err)
	}
	for id := range r.kept {
		if !found[id] {
			r.t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	for id := range found {
		if r.gone[id] || !r.kept[id] && !r.open[id] {
			r.t.Errorf("%s is there and should not be", id)
		}
	}
	for id := range r.open { // from now on it is known
		delete(r.open, id)
		if found[id] {
			r.kept[id] = true
		} else {
			r.gone[id] = true
		}
	}
	compareSound(r.t, e)
	if r.t.Failed() {
		r.t.Fatalf("history:\n%s", strings.Join(r.said, "\n"))
	}
}

func (r *run) play() {
	home := r.t.TempDir()
	if err := mustOpen(r.t, home).Close(); err != nil { // a home is synced when it is made
		r.t.Fatal(err)
	}
	r.begin(home)
	for range 3 + r.rng.IntN(8) {
		f := (*faulty)(nil)
		if r.rng.IntN(3) == 0 {
			f = r.failing()
			f.on()
		}
		if r.rng.IntN(6) == 0 {
			r.forget()
		} else {
			r.add()
		}
		if f != nil {
			f.off()
		}
		if r.rng.IntN(4) == 0 {
			r.die()
		}
	}
	r.verify()
	tap.Store(nil)
	if err := r.store.Close(); err != nil {
		r.t.Errorf("close: %v\n%s", err, strings.Join(r.said, "\n"))
	}
}

// Whatever fails in a history, what was acknowledged is there and what was refused or erased
// is not. DAYBOOK_SEED plays one history again.
func TestHistoriesWithFaults(t *testing.T) {
	histories, err := strconv.Atoi(os.Getenv("DAYBOOK_HISTORIES"))
	if err != nil {
		histories = 60
	}
	first := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("DAYBOOK_SEED"), 10, 64); err == nil {
		first, histories = given, 1
	}
	for i := range histories {
		seed := first + uint64(i)
		ok := t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			defer fault.Store(nil)
			defer tap.Store(nil)
			r := &run{t: t, rng: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
				kept: map[string]bool{}, gone: map[string]bool{}, open: map[string]bool{}}
			r.play()
		})
		if !ok {
			return
		}
	}
}
