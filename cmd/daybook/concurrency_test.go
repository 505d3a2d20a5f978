package main

import (
	"bufio"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/store"
	"daybook/store/sqlite"
)

// soak is how long the tests of this file keep up their load.
func soak(t testing.TB) time.Duration {
	if s := os.Getenv("DAYBOOK_SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if testing.Short() {
		return 500 * time.Millisecond
	}
	return 3 * time.Second
}

// load is writers and readers at once on one engine, until ctx is done.
type load struct {
	e    *engine.Engine
	name string // unlike that of any other load on the home
	fail func(format string, args ...any)

	mu           sync.Mutex
	acknowledged []string   // ids of notes
	past         []pastRead // what readers got for a time that was over
	reads        int
}

// pastRead is an answer that must never change: known at a past time.
type pastRead struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Answer  string    `json:"answer"`
}

// session names the sessions: a handful, so that writers meet in them.
func session(i int) string { return fmt.Sprintf("session %d", i%8) }

func (l *load) run(ctx context.Context, writers, readers int, rng *rand.Rand) {
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() { l.write(ctx, w) })
	}
	for range readers {
		own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		group.Go(func() { l.read(ctx, own) })
	}
	group.Wait()
}

// write adds notes in pairs, both of one session, and now and then a fact of a
// state that holds one value.
func (l *load) write(ctx context.Context, w int) {
	by := engine.By{Author: "test"}
	for i := 0; ctx.Err() == nil; i++ {
		id := fmt.Sprintf("%s-%d-%d", l.name, w, i)
		at := time.Unix(1e9+int64(i), int64(w))
		pair := []daybook.Note{
			{SourceID: id + "-a", Session: session(i), Time: at, Text: "first of " + id},
			{SourceID: id + "-b", Session: session(i), Time: at, Text: "second of " + id},
		}
		// A call that has begun is let finish: what is cut off was not promised.
		if _, err := l.e.Add(context.WithoutCancel(ctx), testScope, by, pair); err != nil {
			l.fail("%s: add: %v", l.name, err)
			return
		}
		l.mu.Lock()
		l.acknowledged = append(l.acknowledged, id+"-a", id+"-b")
		l.mu.Unlock()
		if i%8 != 0 {
			continue
		}
		_, err := l.e.AddFact(context.WithoutCancel(ctx), testScope, by, engine.NewFact{
			Subject: "Maya", Relation: "mood", Object: id, Holds: daybook.OneValue, Session: session(i),
			Valid: daybook.Span{From: at},
		})
		if err != nil {
			l.fail("%s: add fact: %v", l.name, err)
			return
		}
	}
}

// read looks at sessions: their notes come in pairs at any time, known now or at
// a past time, and the number of them never falls.
func (l *load) read(ctx context.Context, rng *rand.Rand) {
	most := map[string]int{}
	for ctx.Err() == nil {
		name := session(rng.IntN(8))
		notes, err := notesOf(ctx, l.e, name, daybook.AsOf{})
		if done(ctx, err) {
			return
		}
		if err != nil {
			l.fail("%s: read: %v", l.name, err)
			return
		}
		if n := len(notes); n%2 != 0 || n < most[name] {
			l.fail("%s: %s has %d notes after it had %d", l.name, name, n, most[name])
		}
		most[name] = len(notes)
		l.readPast(ctx, name)
	}
}

// readPast reads what is known at this very moment, twice, and keeps it.
func (l *load) readPast(ctx context.Context, name string) {
	p := pastRead{At: l.e.Now(), Session: name}
	answer, err := p.ask(ctx, l.e)
	if err == nil {
		p.Answer = answer
		answer, err = p.ask(ctx, l.e)
	}
	if done(ctx, err) {
		return
	}
	if err != nil {
		l.fail("%s: read the past: %v", l.name, err)
		return
	}
	if answer != p.Answer {
		l.fail("%s: what was known at %s changed at once:\n%.300s\n%.300s", l.name, p.At.Format(time.RFC3339Nano), p.Answer, answer)
	}
	l.mu.Lock()
	l.reads++
	if len(l.past) < 150 {
		l.past = append(l.past, p)
	} else {
		l.past[l.reads%len(l.past)] = p
	}
	l.mu.Unlock()
}

// ask reads the notes and facts of a session as they were known, in short.
func (p pastRead) ask(ctx context.Context, e *engine.Engine) (string, error) {
	at := daybook.AsOf{KnownAt: p.At, ValidAt: p.At}
	notes, err := notesOf(ctx, e, p.Session, at)
	if err != nil {
		return "", err
	}
	states, err := e.Facts(ctx, testScope, engine.FactQuery{Subject: "Maya", At: at})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"notes": strings.Join(notes, " "), "facts": states})
	return string(text), err
}

// done reports whether an error is only the end of the load.
func done(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }

func notesOf(ctx context.Context, e *engine.Engine, name string, at daybook.AsOf) (ids []string, err error) {
	err = e.Notes(ctx, testScope, name, at, func(n daybook.Note) error {
		ids = append(ids, n.SourceID)
		return nil
	})
	return ids, err
}

// verify asserts, when all is quiet, that nothing was lost, that the past reads
// as it did, and that the home is sound.
func (l *load) verify(t *testing.T) {
	t.Helper()
	ids, err := notesOf(t.Context(), l.e, "", daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]int{}
	for _, id := range ids {
		there[id]++
	}
	for _, id := range l.acknowledged {
		if there[id] != 1 {
			t.Errorf("acknowledged note %s is there %d times", id, there[id])
		}
	}
	if len(ids) != len(l.acknowledged) {
		t.Errorf("%d notes are there and %d were acknowledged", len(ids), len(l.acknowledged))
	}
	for _, p := range l.past {
		again, err := p.ask(t.Context(), l.e)
		if err != nil {
			t.Fatal(err)
		}
		if again != p.Answer {
			t.Errorf("what was known at %s has changed: %d bytes, were %d", p.At.Format(time.RFC3339Nano), len(again), len(p.Answer))
		}
	}
	commits := sound(t, l.e)
	t.Logf("%d notes, %d commits, %d reads of the past", len(ids), commits, len(l.past))
	if len(l.acknowledged) == 0 || len(l.past) == 0 {
		t.Error("there was no load")
	}
}

func TestManyWritersAndReaders(t *testing.T) {
	noLeaks(t)
	rng := seeded(t)
	l := &load{e: openHome(t, t.TempDir()), name: "one", fail: t.Errorf}
	defer l.e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), soak(t))
	defer cancel()
	l.run(ctx, 16, 16, rng)
	l.verify(t)
}

// TestSoakProcess is not a test: it is what each process of TestManyProcesses
// runs. It ends by itself and then says what was acknowledged and read.
func TestSoakProcess(t *testing.T) {
	if os.Getenv(roleEnv) != "soak" {
		t.Skip("only as a child of TestManyProcesses")
	}
	rng := seeded(t)
	l := &load{e: openHome(t, os.Getenv(homeEnv)), name: os.Getenv(nameEnv), fail: t.Errorf}
	ctx, cancel := context.WithTimeout(t.Context(), soak(t))
	defer cancel()
	l.run(ctx, 4, 4, rng)
	if err := l.e.Close(); err != nil {
		t.Error(err)
	}
	for _, v := range []any{l.acknowledged, l.past} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("> %s\n", text)
	}
}

func TestManyProcesses(t *testing.T) {
	noLeaks(t)
	home := t.TempDir()
	total := &load{e: openHome(t, home), fail: t.Errorf}
	defer total.e.Close()
	var group sync.WaitGroup
	for p := range 4 {
		cmd := child(t.Context(), "TestSoakProcess", "soak", home, fmt.Sprintf("process%d", p), "DAYBOOK_SOAK="+soak(t).String())
		group.Go(func() {
			out, err := cmd.Output()
			if err == nil {
				err = total.hear(string(out))
			}
			if err != nil {
				t.Errorf("process %d: %v\n%s", p, err, out)
			}
		})
	}
	group.Wait()
	total.verify(t)
}

// hear adds up what a process of the load said.
func (l *load) hear(out string) error {
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<30)
	var said []string
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "> "); ok {
			said = append(said, text)
		}
	}
	if len(said) != 2 {
		return fmt.Errorf("said %d lines, want 2", len(said))
	}
	var ids []string
	var past []pastRead
	err := errors.Join(lines.Err(), json.Unmarshal([]byte(said[0]), &ids), json.Unmarshal([]byte(said[1]), &past))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged = append(l.acknowledged, ids...)
	l.past = append(l.past, past...)
	return err
}

// betweenViews runs do before the nth View of the store under it.
type betweenViews struct {
	store.Store
	n  int
	do func()
}

func (s *betweenViews) View(ctx context.Context, scope daybook.Scope, read func(store.Reader) error) error {
	if s.n--; s.n == 0 {
		s.do()
	}
	return s.Store.View(ctx, scope, read)
}

// A known-at time that lies in the future when a read begins, and no longer when
// it looks, is refused or its answer stays.
func TestKnownAtAlmostNow(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	knownAt := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	clock := func(now *time.Time) func() time.Time { return func() time.Time { return *now } }
	readerNow, writerNow := knownAt.Add(-10*time.Millisecond), knownAt.Add(-time.Hour)
	writer := engine.New(s).WithClock(clock(&writerNow))
	add := func(text string) {
		t.Helper()
		if _, err := writer.Add(t.Context(), testScope, engine.By{}, []daybook.Note{{Text: text, Session: "s"}}); err != nil {
			t.Fatal(err)
		}
	}
	count := func(e *engine.Engine) (n int, err error) {
		err = e.Notes(t.Context(), testScope, "s", daybook.AsOf{KnownAt: knownAt}, func(daybook.Note) error { n++; return nil })
		return n, err
	}
	add("long ago")
	// Time passes between the reader's two looks at the store. A writer that
	// began in between, and took its time before knownAt, ends after the second.
	slow := &betweenViews{Store: s, n: 2, do: func() { readerNow = knownAt.Add(time.Millisecond) }}
	before, err := count(engine.New(slow).WithClock(clock(&readerNow)))
	if daybook.KindOf(err) == daybook.Invalid {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	writerNow = knownAt.Add(-5 * time.Millisecond)
	add("slowly")
	readerNow = knownAt.Add(time.Hour)
	after, err := count(engine.New(s).WithClock(clock(&readerNow)))
	if err != nil {
		t.Fatal(err)
	}
	if before != after {
		t.Errorf("%d notes were known at %s, and later %d were", before, knownAt, after)
	}
}

// Readers of the past, each on a snapshot of its own, share what the engine
// remembers. A writer must find its own facts through it at once, and what was
// erased must not come back through a reader that began before.
func TestReadYourWrites(t *testing.T) {
	noLeaks(t)
	e := openHome(t, t.TempDir())
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), soak(t)/2)
	defer cancel()
	var readers sync.WaitGroup
	defer readers.Wait()
	for range 8 {
		readers.Go(func() {
			for ctx.Err() == nil {
				_, err := e.Facts(ctx, testScope, engine.FactQuery{Subject: "Maya", At: daybook.AsOf{KnownAt: e.Now()}})
				if err != nil && !done(ctx, err) {
					t.Errorf("read: %v", err)
					return
				}
			}
		})
	}
	believed := func() map[string]bool {
		states, err := e.Facts(t.Context(), testScope, engine.FactQuery{Subject: "Maya", All: true})
		if err != nil {
			t.Fatal(err)
		}
		objects := map[string]bool{}
		for _, st := range states {
			for _, p := range st.Periods {
				objects[p.Object] = true
			}
		}
		return objects
	}
	written := 0
	for i := 0; ctx.Err() == nil && !t.Failed(); i++ {
		object := fmt.Sprintf("value %d", i)
		r, err := e.AddFact(t.Context(), testScope, engine.By{}, engine.NewFact{Subject: "Maya", Relation: fmt.Sprintf("relation %d", i%10), Object: object})
		if err != nil {
			t.Fatal(err)
		}
		if !believed()[object] {
			t.Errorf("fact %d was acknowledged and cannot be read", i)
		}
		written++
		if i%5 != 4 {
			continue
		}
		if _, err := e.Forget(t.Context(), testScope, engine.By{}, graph.Forget{IDs: r.IDs}); err != nil {
			t.Fatal(err)
		}
		if believed()[object] {
			t.Errorf("fact %d was erased and can still be read", i)
		}
	}
	cancel()
	t.Logf("%d facts", written)
}

// A reader that began before a change and reads on after it leaves nothing old
// in the cache that it shares with later readers.
func TestCacheAfterSlowReader(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, s store.Store, known string)
		want   string
	}{
		{"a fact is added", func(t *testing.T, s store.Store, known string) { addHome(t, engine.New(s), "Oslo") }, "[Rome Oslo]"},
		{"a fact is erased", func(t *testing.T, s store.Store, known string) { eraseFact(t, s, known) }, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := sqlite.Open(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			known := addHome(t, engine.New(s), "Rome")
			cache := &graph.Cache{}
			homes := func(b *graph.Book) (objects []string, err error) {
				states, err := b.States(graph.Select{Subject: "Maya"})
				for _, st := range states {
					for _, p := range st.Periods {
						objects = append(objects, p.Object)
					}
				}
				return objects, err
			}
			read := func(do func(*graph.Book) error) error {
				return s.View(t.Context(), testScope, func(r store.Reader) error {
					b, err := cache.Open(r, testScope, daybook.AsOf{}, time.Now())
					if err != nil {
						return err
					}
					return do(b)
				})
			}
			err = read(func(slow *graph.Book) error {
				c.change(t, s, known)
				if err := read(func(*graph.Book) error { return nil }); err != nil { // the cache learns of the change
					return err
				}
				objects, err := homes(slow)
				if got := fmt.Sprint(objects); got != "[Rome]" {
					t.Errorf("the slow reader sees %s, and its snapshot has [Rome]", got)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			err = read(func(b *graph.Book) error {
				objects, err := homes(b)
				if got := fmt.Sprint(objects); got != c.want {
					t.Errorf("a later reader sees %s, want %s", got, c.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// addHome states where Maya lives, and returns the fact's id.
func addHome(t *testing.T, e *engine.Engine, city string) string {
	t.Helper()
	r, err := e.AddFact(t.Context(), testScope, engine.By{}, engine.NewFact{Subject: "Maya", Relation: "lives_in", Object: city})
	if err != nil {
		t.Fatal(err)
	}
	return r.IDs[0]
}

// eraseFact erases without scrubbing, which would wait for readers.
func eraseFact(t *testing.T, s store.Store, id string) {
	t.Helper()
	err := s.Update(t.Context(), testScope, func(w store.Writer) error {
		_, err := graph.Ledger{Now: time.Now, Rand: crand.Reader}.Forget(w, testScope, "test", graph.Forget{IDs: []string{id}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
