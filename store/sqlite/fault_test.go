package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/store"

	lib "modernc.org/sqlite/lib"
)

// faulty fails chosen file operations while a test runs: those for which which
// is true, from the nth on (counted from 1), and at most times of them.
type faulty struct {
	which    func(operation) bool
	n, times int64
	code     int32
	seen     atomic.Int64
	failed   atomic.Int64
	first    atomic.Pointer[operation] // the first that failed
}

func (f *faulty) hook(op operation) int32 {
	if !f.which(op) {
		return lib.SQLITE_OK
	}
	if f.seen.Add(1) < f.n || f.failed.Add(1) > f.times {
		return lib.SQLITE_OK
	}
	f.first.CompareAndSwap(nil, &op)
	return f.code
}

func (f *faulty) on()  { hook := f.hook; fault.Store(&hook) }
func (f *faulty) off() { fault.Store(nil) }

// step is one write of the workload. Its ids are known before it runs, so that
// a test can ask later whether all of it or nothing of it is there.
type step struct {
	name  string
	notes []daybook.Note
	fact  *engine.NewFact
}

// workload is several notes and facts, with a value that is superseded and a
// note that spills over several pages.
func workload() []step {
	at := func(day int) time.Time { return time.Date(2024, 1, day, 12, 0, 0, 0, time.UTC) }
	note := func(id string, day int, text string) daybook.Note {
		return daybook.Note{SourceID: id, Session: "s1", Speaker: "Maya", Time: at(day), Text: text}
	}
	fact := func(object string, day int) *engine.NewFact {
		return &engine.NewFact{Subject: "Maya", Relation: "lives_in", Object: object, Sources: []string{"m1"}, Valid: daybook.Span{From: at(day)}}
	}
	return []step{
		{name: "notes", notes: []daybook.Note{note("m1", 1, "I live in Rome"), note("m2", 1, strings.Repeat("long ", 3000)), note("m3", 2, "I moved")}},
		{name: "fact", fact: fact("Rome", 1)},
		{name: "superseding fact", fact: fact("Oslo", 3)},
		{name: "more notes", notes: []daybook.Note{note("m4", 4, "it is cold"), note("m5", 5, "I like it")}},
	}
}

func (s step) run(t *testing.T, e *engine.Engine) error {
	by := engine.By{Author: "test", Message: s.name}
	var r daybook.Receipt
	var err error
	if s.fact != nil {
		r, err = e.AddFact(t.Context(), daybook.Scope{}, by, *s.fact)
	} else {
		r, err = e.Add(t.Context(), daybook.Scope{}, by, s.notes)
	}
	if want := max(1, len(s.notes)); err == nil && r.Added+r.Known != want {
		t.Errorf("step %q: acknowledged %d of %d", s.name, r.Added+r.Known, want)
	}
	return err
}

// there counts how many of the step's notes and facts can be read.
func (s step) there(t *testing.T, e *engine.Engine) (found, of int) {
	t.Helper()
	for _, n := range s.notes {
		got, err := e.Note(t.Context(), daybook.Scope{}, n.SourceID)
		if err == nil && got.Text == n.Text {
			found++
		} else if err == nil || daybook.KindOf(err) != daybook.NotFound {
			t.Errorf("read note %s: %v, text of %d bytes", n.SourceID, err, len(got.Text))
		}
	}
	if s.fact == nil {
		return found, len(s.notes)
	}
	states, err := e.Facts(t.Context(), daybook.Scope{}, engine.FactQuery{Subject: s.fact.Subject, All: true})
	if err != nil {
		t.Errorf("read facts: %v", err)
	}
	for _, st := range states {
		for _, p := range st.Periods {
			if p.Object == s.fact.Object {
				return 1, 1
			}
		}
	}
	return 0, 1
}

// outcome is what the caller was told about a step.
type outcome struct {
	step
	acknowledged bool
}

// runAll runs the workload, of which nothing may fail.
func runAll(t *testing.T, s *Store) (outcomes []outcome) {
	t.Helper()
	for _, st := range workload() {
		if err := st.run(t, engine.New(s)); err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, outcome{st, true})
	}
	return outcomes
}

// verify asserts the promises: acknowledged steps are there whole, the others
// whole or not at all, and the check finds no damage.
func verify(t *testing.T, when string, s store.Store, outcomes []outcome) {
	t.Helper()
	e := engine.New(s)
	for _, o := range outcomes {
		found, of := o.there(t, e)
		switch {
		case o.acknowledged && found != of:
			t.Errorf("%s: acknowledged step %q has %d of %d", when, o.name, found, of)
		case found != 0 && found != of:
			t.Errorf("%s: step %q is half written: %d of %d", when, o.name, found, of)
		}
	}
	reports, err := e.Check(t.Context())
	if err != nil {
		t.Errorf("%s: check: %v", when, err)
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			t.Errorf("%s: check found damage: %q", when, r.Damage)
		}
	}
}

// eager lets every commit be followed by a checkpoint, so that a short workload
// writes and syncs the database file too.
func eager(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.writer.ExecContext(t.Context(), "PRAGMA wal_autocheckpoint = 4"); err != nil {
		t.Fatal(err)
	}
}

// noLeaks asserts at the end of the test that its goroutines have ended.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<16)
				t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
				return
			}
		}
	})
}

func mustOpen(t testing.TB, home string) *Store {
	t.Helper()
	s, err := Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copyHome copies a home as a crash would leave it: without the shared memory.
func copyHome(t testing.TB, home string) string {
	t.Helper()
	to := t.TempDir()
	for _, suffix := range []string{"", "-wal", markSuffix} {
		b, err := os.ReadFile(filepath.Join(home, FileName+suffix))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, FileName+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestFaults(t *testing.T) {
	noLeaks(t)
	const forever = 1 << 60
	for _, k := range []struct {
		name  string
		code  int32
		times int64
		on    string
		says  string
	}{
		{"a write fails", lib.SQLITE_IOERR_WRITE, 1, "write", "disk"},
		{"writes fail from then on", lib.SQLITE_IOERR_WRITE, forever, "write", "disk"},
		{"the disk is full", lib.SQLITE_FULL, forever, "write", "full"},
		{"a sync fails", lib.SQLITE_IOERR_FSYNC, 1, "sync", "disk"},
		{"syncs fail from then on", lib.SQLITE_IOERR_FSYNC, forever, "sync", "disk"},
		{"a read fails", lib.SQLITE_IOERR_READ, 1, "read", "disk"},
		{"reads fail from then on", lib.SQLITE_IOERR_READ, forever, "read", "disk"},
	} {
		t.Run(k.name, func(t *testing.T) {
			stride := int64(1)
			if testing.Short() {
				stride = 7
			}
			met := map[bool]int{} // by file: the log, or the database
			tried := 0
			for n := int64(1); ; n += stride {
				f := &faulty{n: n, times: k.times, code: k.code}
				f.which = func(op operation) bool { return op.name == k.on }
				if untouched := withFault(t, f, k.says); untouched {
					break
				}
				met[f.first.Load().wal]++
				tried++
				if t.Failed() {
					t.Fatalf("at the %d. %s", n, k.on)
				}
			}
			t.Logf("%d faults tried: %d on the log, %d on the database", tried, met[true], met[false])
			if met[true] == 0 && k.on != "read" || met[false] == 0 {
				t.Error("the workload does not meet both files")
			}
		})
	}
}

// withFault runs the workload on a fresh home with the fault and verifies the
// promises at once, after a crash, and after retrying and reopening. It reports whether the workload ended before the fault was due.
func withFault(t *testing.T, f *faulty, says string) (untouched bool) {
	t.Helper()
	home := t.TempDir()
	s := mustOpen(t, home)
	eager(t, s)
	// A store that has served before: caches are warm, the log has frames.
	seed := step{name: "seed", notes: []daybook.Note{{SourceID: "seed", Time: time.Unix(1e9, 0), Text: "here before"}}}
	if err := seed.run(t, engine.New(s)); err != nil {
		t.Fatal(err)
	}
	outcomes := []outcome{{seed, true}}
	f.on()
	for _, st := range workload() {
		err := st.run(t, engine.New(s))
		outcomes = append(outcomes, outcome{st, err == nil})
		// A fact whose source note was not kept is told so.
		dependent := st.fact != nil && daybook.KindOf(err) == daybook.NotFound && !outcomes[1].acknowledged
		if err != nil && !dependent {
			expectUnavailable(t, home, err, says)
		}
	}
	f.off()
	verify(t, "same store", s, outcomes)
	crashed := mustOpen(t, copyHome(t, home))
	verify(t, "after a crash", crashed, outcomes)
	if err := crashed.Close(); err != nil {
		t.Errorf("close the copy: %v", err)
	}
	for i, o := range outcomes {
		if err := o.run(t, engine.New(s)); err != nil {
			t.Errorf("again, without fault, step %q: %v", o.name, err)
		}
		outcomes[i].acknowledged = true
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	again := mustOpen(t, home)
	defer again.Close()
	verify(t, "reopened", again, outcomes)
	return f.failed.Load() == 0
}

func expectUnavailable(t *testing.T, home string, err error, says string) {
	t.Helper()
	if daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("a fault gives kind %v: %v", daybook.KindOf(err), err)
	}
	if text := err.Error(); !strings.Contains(text, home) || !strings.Contains(text, says) {
		t.Errorf("message does not name the file and %q: %s", says, text)
	}
}

// A store whose last close cannot checkpoint loses nothing: the log stays.
func TestFaultAtClose(t *testing.T) {
	noLeaks(t)
	for _, op := range []string{"write", "sync"} {
		t.Run(op, func(t *testing.T) {
			home := t.TempDir()
			s := mustOpen(t, home)
			outcomes := runAll(t, s)
			f := &faulty{which: func(o operation) bool { return o.name == op }, n: 1, times: 1 << 60, code: lib.SQLITE_IOERR_WRITE}
			f.on()
			err := s.Close()
			f.off()
			if err != nil && daybook.KindOf(err) != daybook.Unavailable {
				t.Errorf("close gives kind %v: %v", daybook.KindOf(err), err)
			}
			again := mustOpen(t, home)
			defer again.Close()
			verify(t, "reopened", again, outcomes)
		})
	}
}

// Every operation of opening fails in turn: an error that says so, no half-made
// home, and the next open serves.
func TestFaultAtOpen(t *testing.T) {
	noLeaks(t)
	for _, op := range []string{"read", "write", "sync"} {
		t.Run(op, func(t *testing.T) {
			for n := int64(1); ; n++ {
				home := t.TempDir()
				f := &faulty{which: func(o operation) bool { return o.name == op }, n: n, times: 1 << 60, code: lib.SQLITE_IOERR}
				f.on()
				s, err := Open(t.Context(), home)
				f.off()
				if err == nil {
					s.Close()
				} else {
					expectUnavailable(t, home, err, "disk")
				}
				again := mustOpen(t, home)
				verify(t, fmt.Sprintf("%d. %s", n, op), again, nil)
				if err := (step{name: "first", notes: workload()[0].notes}).run(t, engine.New(again)); err != nil {
					t.Errorf("%d. %s: add after: %v", n, op, err)
				}
				again.Close()
				if f.failed.Load() == 0 || t.Failed() {
					return
				}
			}
		})
	}
}

// A disk that refuses to sync for a while leaves whole transactions behind that
// were never acknowledged. What is acknowledged afterwards overwrites them from
// the front, and a crash then must not take the rest for damage.
func TestFailedSyncsThenCrash(t *testing.T) {
	noLeaks(t)
	home := t.TempDir()
	s := mustOpen(t, home)
	defer s.Close()
	e := engine.New(s)
	note := func(id string, pages int) step {
		return step{name: id, notes: []daybook.Note{{SourceID: id, Time: time.Unix(1e9, 0), Text: id + strings.Repeat("x", pages*pageSize)}}}
	}
	outcomes := []outcome{{note("before", 1), true}}
	if err := outcomes[0].run(t, e); err != nil {
		t.Fatal(err)
	}
	f := &faulty{which: func(o operation) bool { return o.name == "sync" && o.wal }, n: 1, times: 1 << 60, code: lib.SQLITE_IOERR_FSYNC}
	f.on()
	for _, pages := range []int{40, 30, 20, 10} { // each shorter than the one it overwrites
		st := note(fmt.Sprintf("lost%d", pages), pages)
		expectUnavailable(t, home, st.run(t, e), "disk")
		outcomes = append(outcomes, outcome{st, false})
	}
	f.off()
	after := note("after", 1)
	if err := after.run(t, e); err != nil {
		t.Fatal(err)
	}
	outcomes = append(outcomes, outcome{after, true})
	verify(t, "same store", s, outcomes)
	crashed, err := Open(t.Context(), copyHome(t, home))
	if err != nil {
		t.Fatalf("open after the crash: %v", err)
	}
	defer crashed.Close()
	verify(t, "after a crash", crashed, outcomes)
}

// Reads that fail in the middle say so, and serve again afterwards.
func TestFaultWhileReading(t *testing.T) {
	noLeaks(t)
	home := t.TempDir()
	s := mustOpen(t, home)
	outcomes := runAll(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for n := int64(1); ; n++ {
		s := mustOpen(t, home)
		f := &faulty{which: func(o operation) bool { return o.name == "read" }, n: n, times: 1 << 60, code: lib.SQLITE_IOERR_READ}
		f.on()
		read := func() error {
			_, err := engine.New(s).Facts(t.Context(), daybook.Scope{}, engine.FactQuery{Subject: "Maya"})
			return errors.Join(err, engine.New(s).Notes(t.Context(), daybook.Scope{}, "", daybook.AsOf{}, func(daybook.Note) error { return nil }))
		}
		err := read()
		_, checkErr := engine.New(s).Check(t.Context())
		f.off()
		for _, err := range []error{err, checkErr} {
			if err != nil && daybook.KindOf(err) != daybook.Unavailable {
				t.Errorf("%d. read: kind %v: %v", n, daybook.KindOf(err), err)
			}
		}
		verify(t, fmt.Sprintf("%d. read, afterwards", n), s, outcomes)
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if f.failed.Load() == 0 || t.Failed() {
			t.Logf("%d faults tried", n-1)
			return
		}
	}
}
