package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/store/sqlite"
)

// Tests that need a second process run this test binary again, with roleEnv
// naming the part that it plays.
const (
	roleEnv = "DAYBOOK_TEST_ROLE"
	homeEnv = "DAYBOOK_TEST_HOME"
	nameEnv = "DAYBOOK_TEST_NAME"
)

var testScope = daybook.Scope{Tenant: "test", User: "maya"}

// child runs a test function of this binary in another process on a home. What
// it prints on lines that begin with "> " is for the parent.
func child(ctx context.Context, test, role, home, name string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$", "-test.count=1", "-test.timeout=10m")
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role, homeEnv+"="+home, nameEnv+"="+name), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

func openHome(t testing.TB, home string) *engine.Engine {
	t.Helper()
	s, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	return engine.New(s)
}

// seeded returns a source of randomness whose seed is logged; DAYBOOK_SEED
// repeats it.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DAYBOOK_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("DAYBOOK_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
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

// sound asserts that a check of the whole home finds nothing.
func sound(t testing.TB, e *engine.Engine) (commits int) {
	t.Helper()
	reports, err := e.Check(t.Context())
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, r := range reports {
		commits += r.Commits
		if len(r.Damage) > 0 {
			t.Errorf("check found damage in scope %s: %q", r.Scope, r.Damage)
		}
	}
	return commits
}

// TestCrashWriters is not a test: it is what the process runs that
// TestKilledProcess kills. Four writers print each acknowledged id at once.
func TestCrashWriters(t *testing.T) {
	if os.Getenv(roleEnv) != "crash" {
		t.Skip("only as a child of TestKilledProcess")
	}
	e := openHome(t, os.Getenv(homeEnv))
	run := os.Getenv(nameEnv)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				if err := writeAndSay(t.Context(), e, fmt.Sprintf("%s-%d-%d", run, w, i), i); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	writers.Wait() // until the parent kills us
}

// writeAndSay writes a pair of notes, and every third time a fact, and prints an
// acknowledgement after each call that returned.
func writeAndSay(ctx context.Context, e *engine.Engine, id string, i int) error {
	by := engine.By{Author: "test", Message: "write " + id}
	at := time.Unix(1e9+int64(i), 0)
	text := id + strings.Repeat(" words", 50*(i%40))
	_, err := e.Add(ctx, testScope, by, []daybook.Note{
		{SourceID: id + "-a", Session: "crash", Time: at, Text: text},
		{SourceID: id + "-b", Session: "crash", Time: at, Text: text},
	})
	if err != nil {
		return err
	}
	fmt.Printf("> note %s-a\n> note %s-b\n", id, id) // one write to the pipe
	if i%3 != 0 {
		return nil
	}
	r, err := e.AddFact(ctx, testScope, by, engine.NewFact{
		Subject: "Maya", Relation: "mood in " + os.Getenv(nameEnv), Object: id, Holds: daybook.OneValue,
		Valid: daybook.Span{From: at}, Sources: []string{id + "-a"},
	})
	if err == nil {
		fmt.Printf("> fact %s\n", r.IDs[0])
	}
	return err
}

// killsPerHome bounds how large a home grows under TestKilledProcess, which reads
// all of it after each kill.
const killsPerHome = 100

// TestKilledProcess kills a writing process again and again on one home, and on
// the next after killsPerHome. What was acknowledged, before this kill or any
// earlier one, must be there each time, whole, in a ledger without damage.
func TestKilledProcess(t *testing.T) {
	kills := 15
	if testing.Short() {
		kills = 3
	}
	if s := os.Getenv("DAYBOOK_KILLS"); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	noLeaks(t)
	rng := seeded(t)
	var home string
	var acknowledged []string // in home
	var total int
	for k := range kills {
		if k%killsPerHome == 0 {
			home, acknowledged = freshHome(t, home), nil
			t.Logf("%d kills, %d acknowledgements", k, total)
		}
		patience := time.Duration(rng.IntN(150_000)) * time.Microsecond
		said := killAfter(t, home, fmt.Sprintf("run%d", k), patience)
		total += len(said)
		acknowledged = append(acknowledged, said...)
		verifyAcknowledged(t, home, acknowledged)
		if t.Failed() {
			t.Fatalf("after kill %d, %s after the first acknowledgement", k+1, patience)
		}
	}
	t.Logf("%d kills, %d acknowledgements", kills, total)
}

// freshHome returns an empty home and removes the one that was used before it.
func freshHome(t *testing.T, old string) string {
	t.Helper()
	if old != "" {
		if err := os.RemoveAll(old); err != nil {
			t.Fatal(err)
		}
	}
	return t.TempDir()
}

// killAfter starts the writers, kills them some time after their first
// acknowledgement, and returns all that they printed until then.
func killAfter(t *testing.T, home, run string, patience time.Duration) (acknowledged []string) {
	t.Helper()
	cmd := child(t.Context(), "TestCrashWriters", "crash", home, run)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var timer *time.Timer
	defer func() {
		if timer != nil {
			timer.Stop()
		}
	}()
	var other strings.Builder
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil { // the pipe ends with the process; a half line was not said
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
			break
		}
		ack, ok := strings.CutPrefix(line, "> ")
		if !ok {
			other.WriteString(line)
			continue
		}
		acknowledged = append(acknowledged, strings.TrimSpace(ack))
		if timer == nil {
			timer = time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the writers ended by themselves: %v\n%s", err, other.String())
	}
	if len(acknowledged) == 0 {
		t.Fatal("nothing was acknowledged")
	}
	return acknowledged
}

func verifyAcknowledged(t *testing.T, home string, acknowledged []string) {
	t.Helper()
	e := openHome(t, home)
	defer e.Close()
	notes := map[string]bool{}
	err := e.Notes(t.Context(), testScope, "crash", daybook.AsOf{}, func(n daybook.Note) error {
		notes[n.SourceID] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range notes { // a commit is there whole or not at all
		if stem, half := id[:len(id)-1], id[len(id)-1:]; !notes[stem+"a"] || !notes[stem+"b"] {
			t.Errorf("of the pair %s only %s is there", stem, half)
		}
	}
	for _, ack := range acknowledged {
		kind, id, _ := strings.Cut(ack, " ")
		if kind == "note" && !notes[id] {
			t.Errorf("acknowledged note %s is gone", id)
		}
		if kind == "fact" {
			if _, err := e.Get(t.Context(), testScope, id); err != nil {
				t.Errorf("acknowledged fact %s: %v", id, err)
			}
		}
	}
	sound(t, e)
}
