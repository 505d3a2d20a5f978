package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
)

// seeded returns a source of randomness whose seed is logged; DAYBOOK_SEED
// repeats a run.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DAYBOOK_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("DAYBOOK_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

var someone = daybook.Scope{User: "maya"}

// fill writes a few hundred notes and facts, in two scopes.
func fill(t testing.TB, s *Store) {
	t.Helper()
	e := engine.New(s)
	by := engine.By{Author: "test", Message: "fill"}
	day := func(i int) time.Time { return time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC) }
	var notes []daybook.Note
	for i := range 240 {
		notes = append(notes, daybook.Note{
			SourceID: fmt.Sprintf("m%d", i), Session: fmt.Sprintf("s%d", i%7), Speaker: "Maya", Time: day(i),
			Text: fmt.Sprintf("message %d %s", i, strings.Repeat("words ", i)),
		})
	}
	for i := 0; i < len(notes); i += 60 {
		if _, err := e.Add(t.Context(), someone, by, notes[i:i+60]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Add(t.Context(), daybook.Scope{User: "ben"}, by, notes[:40]); err != nil {
		t.Fatal(err)
	}
	for i := range 48 {
		_, err := e.AddFact(t.Context(), someone, by, engine.NewFact{
			Subject: "Maya", Relation: fmt.Sprintf("relation %d", i%6), Object: fmt.Sprintf("value %d", i),
			Holds: daybook.OneValue, Valid: daybook.Span{From: day(i)}, Sources: []string{fmt.Sprintf("m%d", i)},
			Context: daybook.Context{Why: "because"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// filled returns the bytes of a database that was filled and closed.
func filled(t testing.TB) []byte {
	t.Helper()
	home := t.TempDir()
	s := mustOpen(t, home)
	fill(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home, FileName+"-wal")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the log is still there after closing: %v", err)
	}
	b, err := os.ReadFile(filepath.Join(home, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answers is what a reader gets: each entry the answer in JSON, or an error.
type answers map[string]answer

type answer struct {
	text string
	err  error
}

// ask opens a home and reads all that there is.
func ask(ctx context.Context, home string) answers {
	a := answers{}
	s, err := Open(ctx, home)
	if err != nil {
		a["open"] = answer{err: err}
		return a
	}
	defer s.Close()
	e := engine.New(s)
	put := func(name string, v any, err error) {
		text, jsonErr := json.Marshal(v)
		a[name] = answer{string(text), errors.Join(err, jsonErr)}
	}
	at := daybook.AsOf{ValidAt: time.Date(2020, 1, 20, 0, 0, 0, 0, time.UTC)}
	facts, err := e.Facts(ctx, someone, engine.FactQuery{Subject: "Maya", At: at})
	put("facts", facts, err)
	history, err := e.History(ctx, someone, engine.FactQuery{Subject: "Maya", At: at})
	put("history", history, err)
	var notes []daybook.Note
	err = e.Notes(ctx, someone, "", daybook.AsOf{}, func(n daybook.Note) error {
		notes = append(notes, n)
		return nil
	})
	put("notes", notes, err)
	scopes, err := e.Scopes(ctx)
	put("scopes", scopes, err)
	reports, err := e.Check(ctx)
	for _, r := range reports {
		if err == nil && len(r.Damage) > 0 {
			err = daybook.Errorf(daybook.Corrupt, "check names %q", r.Damage)
		}
	}
	put("check", reports, err)
	return a
}

// compare asserts that a damaged home gives the undamaged answers or a Corrupt
// error, and returns whether damage was named anywhere.
func compare(t *testing.T, what string, got, want answers) (named bool) {
	t.Helper()
	for name, g := range got {
		switch {
		case g.err != nil && daybook.KindOf(g.err) != daybook.Corrupt:
			t.Errorf("%s: %s gives kind %v: %v", what, name, daybook.KindOf(g.err), g.err)
		case g.err != nil:
			named = true
		case g.text != want[name].text:
			t.Errorf("%s: %s gives another answer:\n%.300s\nwant\n%.300s", what, name, g.text, want[name].text)
		}
	}
	return named
}

// asked puts a database into an empty home and asks it.
func asked(t *testing.T, home string, db []byte) answers {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm", markSuffix} {
		if err := os.Remove(filepath.Join(home, FileName+suffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, FileName), db, 0o600); err != nil {
		t.Fatal(err)
	}
	return ask(t.Context(), home)
}

func soundAnswers(t *testing.T, home string, db []byte) answers {
	t.Helper()
	want := asked(t, home, db)
	for name, a := range want {
		if a.err != nil {
			t.Fatalf("undamaged %s: %v", name, a.err)
		}
	}
	return want
}

func TestFlippedByte(t *testing.T) {
	noLeaks(t)
	db := filled(t)
	rng := seeded(t)
	home := t.TempDir()
	want := soundAnswers(t, home, db)
	type flip struct {
		at  int
		xor byte
	}
	var flips []flip
	for at := range 112 { // the file's header and that of its first page
		flips = append(flips, flip{at, byte(1 + rng.IntN(255))})
	}
	for bit := range 8 { // a page size that is another power of two, and more
		flips = append(flips, flip{16, 0x10 ^ byte(1<<bit)}, flip{17, 1 << bit}, flip{20, 1 << bit}, flip{18, 1 << bit}, flip{19, 1 << bit})
	}
	random := 250
	if testing.Short() {
		random = 25
	}
	for range random {
		flips = append(flips, flip{rng.IntN(len(db)), byte(1 + rng.IntN(255))})
	}
	named := 0
	for _, f := range flips {
		if f.xor == 0 {
			continue
		}
		damaged := bytes.Clone(db)
		damaged[f.at] ^= f.xor
		if compare(t, fmt.Sprintf("byte %d (page %d + %d) ^ %#02x", f.at, f.at/pageSize+1, f.at%pageSize, f.xor), asked(t, home, damaged), want) {
			named++
		}
	}
	t.Logf("%d pages; %d flips, %d of them named", len(db)/pageSize, len(flips), named)
	if named < len(flips)*9/10 {
		t.Errorf("only %d of %d flips were noticed", named, len(flips))
	}
}

// A stretch of zeros, as a lost write leaves it, and a page that took another
// page's place are damage too.
func TestLostAndMisplacedPages(t *testing.T) {
	db := filled(t)
	rng := seeded(t)
	home := t.TempDir()
	want := soundAnswers(t, home, db)
	page := func(b []byte, i int) []byte { return b[i*pageSize : (i+1)*pageSize] }
	pages := len(db) / pageSize
	named, tried := 0, 40
	if testing.Short() {
		tried = 8
	}
	for i := range tried {
		damaged, at := bytes.Clone(db), rng.IntN(pages)
		what := fmt.Sprintf("page %d lost", at+1)
		if from := rng.IntN(pages); i%2 == 0 && from != at {
			what = fmt.Sprintf("page %d in the place of page %d", from+1, at+1)
			copy(page(damaged, at), page(db, from))
		} else {
			clear(page(damaged, at))
		}
		if compare(t, what, asked(t, home, damaged), want) {
			named++
		}
	}
	t.Logf("%d of %d named", named, tried)
}

func TestTruncated(t *testing.T) {
	noLeaks(t)
	db := filled(t)
	rng := seeded(t)
	home := t.TempDir()
	want := soundAnswers(t, home, db)
	lengths := []int{0, 1, 15, 16, 99, 100, 101, 512, pageSize / 2, pageSize - 1, pageSize, pageSize + 1, 2 * pageSize,
		len(db) / 2 / pageSize * pageSize, len(db) - pageSize, len(db) - pageSize/2, len(db) - 1}
	for range 25 {
		lengths = append(lengths, rng.IntN(len(db)))
	}
	for _, n := range lengths {
		what := fmt.Sprintf("cut to %d bytes", n)
		if !compare(t, what, asked(t, home, db[:n]), want) {
			t.Errorf("%s: nobody noticed", what)
		}
	}
}

// killedLog returns a home as a kill leaves it, with every commit in the log,
// and the number of frames at the end of each commit.
func killedLog(t *testing.T, commits int) (home string, ends []int) {
	t.Helper()
	live := t.TempDir()
	s := mustOpen(t, live)
	defer s.Close()
	if _, err := s.writer.ExecContext(t.Context(), "PRAGMA wal_autocheckpoint = 0"); err != nil {
		t.Fatal(err)
	}
	e := engine.New(s)
	for i := range commits {
		n := daybook.Note{SourceID: fmt.Sprintf("m%d", i), Time: time.Unix(1e9, 0), Text: fmt.Sprintf("message %d %s", i, strings.Repeat("words ", 900*(i%3)))}
		if _, err := e.Add(t.Context(), someone, engine.By{Author: "test"}, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	home = copyHome(t, live)
	log, err := os.ReadFile(filepath.Join(home, FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < (len(log)-walHeader)/frameSize; i++ {
		if binary.BigEndian.Uint32(log[walHeader+i*frameSize+4:]) != 0 {
			ends = append(ends, i+1)
		}
	}
	return home, ends
}

// notesThere opens a home and returns how many of the notes m0, m1, … are there;
// a gap is an error of the test.
func notesThere(t *testing.T, home string) (int, error) {
	t.Helper()
	s, err := Open(t.Context(), home)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	n := 0
	err = engine.New(s).Notes(t.Context(), someone, "", daybook.AsOf{}, func(note daybook.Note) error {
		if note.SourceID != fmt.Sprintf("m%d", n) {
			t.Errorf("note %d is %s", n, note.SourceID)
		}
		n++
		return nil
	})
	if err == nil {
		compareSound(t, engine.New(s))
	}
	return n, err
}

func compareSound(t *testing.T, e *engine.Engine) {
	t.Helper()
	reports, err := e.Check(t.Context())
	if err != nil {
		t.Errorf("check: %v", err)
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			t.Errorf("check found damage: %q", r.Damage)
		}
	}
}

func TestDamagedLog(t *testing.T) {
	noLeaks(t)
	const commits = 12
	killed, ends := killedLog(t, commits)
	rng := seeded(t)
	if n, err := notesThere(t, copyHome(t, killed)); err != nil || n != commits {
		t.Fatalf("the undamaged log gives %d notes, %v", n, err)
	}
	log, err := os.ReadFile(filepath.Join(killed, FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	var offsets []int
	for at := range walHeader {
		offsets = append(offsets, at)
	}
	for _, end := range ends { // the header and the page of every commit frame
		f := walHeader + (end-1)*frameSize
		offsets = append(offsets, f+rng.IntN(4), f+4+rng.IntN(4), f+8+rng.IntN(8), f+16+rng.IntN(8), f+frameHeader+rng.IntN(pageSize))
	}
	random := 120
	if testing.Short() {
		random = 10
	}
	for range random {
		offsets = append(offsets, rng.IntN(len(log)))
	}
	corrupt := 0
	for _, at := range offsets {
		damaged := bytes.Clone(log)
		damaged[at] ^= byte(1 + rng.IntN(255))
		frame := (at - walHeader) / frameSize
		where := fmt.Sprintf("byte %d (frame %d of %d + %d)", at, frame, ends[len(ends)-1], (at-walHeader)%frameSize)
		if at < walHeader {
			where = fmt.Sprintf("byte %d of the log's header", at)
		}
		home := copyHome(t, killed)
		if err := os.WriteFile(filepath.Join(home, FileName+"-wal"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := notesThere(t, home)
		switch {
		case err != nil && daybook.KindOf(err) == daybook.Corrupt:
			corrupt++
		case err != nil:
			t.Errorf("%s: kind %v: %v", where, daybook.KindOf(err), err)
		case n == commits: // a byte that does not matter
		default:
			t.Errorf("%s: %d of %d commits are left, and nobody says so", where, n, commits)
		}
	}
	t.Logf("%d of %d corrupt", corrupt, len(offsets))
}

// damagedLog opens a copy of a killed home with another log and asserts that every
// commit is there or that the damage is named.
func damagedLog(t *testing.T, what, killed string, log []byte, commits int) (named bool) {
	t.Helper()
	home := copyHome(t, killed)
	path := filepath.Join(home, FileName+"-wal")
	err := os.WriteFile(path, log, 0o600)
	if log == nil {
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := notesThere(t, home)
	switch {
	case err != nil && daybook.KindOf(err) == daybook.Corrupt && strings.Contains(err.Error(), "commits would be lost"):
		return true
	case err != nil:
		t.Errorf("%s: kind %v: %v", what, daybook.KindOf(err), err)
	case n != commits:
		t.Errorf("%s: %d of %d commits are left, and nobody says so", what, n, commits)
	}
	return false
}

// A hole in the log, as a sector that was lost leaves it, a log that was cut and one
// that was deleted must not open with fewer commits.
func TestHolesInTheLog(t *testing.T) {
	const commits = 9
	killed, _ := killedLog(t, commits)
	log, err := os.ReadFile(filepath.Join(killed, FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	rng := seeded(t)
	for _, size := range []int{512, 4 << 10, 64 << 10} {
		for range 25 {
			hole, at := bytes.Clone(log), rng.IntN(len(log)/512)*512
			clear(hole[at:min(at+size, len(log))])
			if bytes.Equal(hole, log) {
				continue
			}
			if !damagedLog(t, fmt.Sprintf("%d zeros at %d of %d", size, at, len(log)), killed, hole, commits) {
				t.Errorf("%d zeros at %d of %d go unnoticed", size, at, len(log))
			}
		}
	}
	for _, n := range []int{0, 1, walHeader, walHeader + 3*frameSize, len(log) / 2, len(log) - frameSize, len(log) - 1} {
		if !damagedLog(t, fmt.Sprintf("cut to %d", n), killed, log[:n], commits) {
			t.Errorf("cut to %d of %d bytes: nobody noticed", n, len(log))
		}
	}
	if !damagedLog(t, "deleted", killed, nil, commits) {
		t.Error("a deleted log: nobody noticed")
	}
}

// A ledger that is gone is not a home without a memory, while anything that stood
// beside it is left.
func TestDeletedDatabase(t *testing.T) {
	killed, _ := killedLog(t, 2)
	for _, left := range [][]string{{"-wal", markSuffix}, {"-wal"}, {markSuffix}} {
		home := copyHome(t, killed)
		for _, suffix := range []string{"", "-wal", markSuffix} {
			if slices.Contains(left, suffix) {
				continue
			}
			if err := os.Remove(filepath.Join(home, FileName+suffix)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(t.Context(), home); daybook.KindOf(err) != daybook.Corrupt {
			t.Errorf("with %q left, open says %v", left, err)
		}
		if _, err := Exists(home); daybook.KindOf(err) != daybook.Corrupt {
			t.Errorf("with %q left, Exists says %v", left, err)
		}
	}
	if found, err := Exists(t.TempDir()); found || err != nil {
		t.Errorf("an empty folder: %t, %v", found, err)
	}
}

// A mark that is damaged is named; one that is missing, as beside a restored backup, is
// made again.
func TestDamagedMark(t *testing.T) {
	killed, _ := killedLog(t, 3)
	home := copyHome(t, killed)
	path := filepath.Join(home, FileName+markSuffix)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[20] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), home); daybook.KindOf(err) != daybook.Corrupt || !strings.Contains(err.Error(), markSuffix) {
		t.Errorf("a damaged mark: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if n, err := notesThere(t, home); n != 3 || err != nil {
		t.Errorf("without its mark: %d notes, %v", n, err)
	}
	if m, found, err := readMark(filepath.Join(home, FileName)); !found || err != nil || m.frames != 0 {
		t.Errorf("after closing, the mark is %+v, %t, %v", m, found, err)
	}
}

// A log that a kill cut short in its last transaction loses that one only: it was not
// acknowledged, so the mark has not come so far.
func TestTornLog(t *testing.T) {
	const commits = 6
	killed, ends := killedLog(t, commits)
	log, err := os.ReadFile(filepath.Join(killed, FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	begin := walHeader + ends[len(ends)-2]*frameSize
	before := walk(log[:begin], mark{}).mark
	if err := os.WriteFile(filepath.Join(killed, FileName+markSuffix), before.encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{begin, begin + 1, begin + frameHeader, begin + frameSize - 1, begin + frameSize, len(log) - frameSize, len(log) - 1} {
		home := copyHome(t, killed)
		if err := os.WriteFile(filepath.Join(home, FileName+"-wal"), log[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := notesThere(t, home); err != nil || got != commits-1 {
			t.Errorf("cut to %d of %d bytes: %d of %d commits, %v", n, len(log), got, commits, err)
		}
	}
}

// readOnlyEnv names the home for the child process of TestReadOnlyHome.
const readOnlyEnv = "DAYBOOK_TEST_READONLY_HOME"

// TestReadOnlyChild is not a test: it is what the child process runs. It prints
// the kind of error of each thing it tries.
func TestReadOnlyChild(t *testing.T) {
	home := os.Getenv(readOnlyEnv)
	if home == "" {
		t.Skip("only as a child of TestReadOnlyHome")
	}
	say := func(what string, err error) {
		kind := "ok"
		if err != nil {
			kind = daybook.KindOf(err).String()
		}
		fmt.Printf("> %s: %s: %v\n", what, kind, err)
	}
	s, err := Open(t.Context(), home)
	say("open", err)
	if err != nil {
		return
	}
	defer s.Close()
	for name, a := range ask(t.Context(), home) {
		say(name, a.err)
	}
	_, err = engine.New(s).Facts(t.Context(), someone, engine.FactQuery{Subject: "Maya", At: daybook.AsOf{KnownAt: time.Now()}})
	say("known-at", err)
	_, err = engine.New(s).Add(t.Context(), someone, engine.By{}, []daybook.Note{{Text: "no"}})
	say("write", err)
	say("scrub", s.Scrub(t.Context()))
}

// asStranger runs TestReadOnlyChild in a process that may not write the home,
// and returns what it says, by what it tried.
func asStranger(t *testing.T, exe, home string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestReadOnlyChild$")
	cmd.Env = append(os.Environ(), readOnlyEnv+"="+home)
	cmd.Dir = filepath.Dir(exe)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if what, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
			name, rest, _ := strings.Cut(what, ": ")
			said[name] = rest
		}
	}
	return said
}

// openDir makes a directory below the system's temporary one that strangers may
// enter; t.TempDir lets nobody in.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "daybook-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, 0o700)
			}
			return err
		})
		os.RemoveAll(dir)
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadOnlyHome(t *testing.T) {
	dir := openDir(t)
	exe := filepath.Join(dir, "child")
	copyExecutable(t, exe)
	protect := func(home string) {
		t.Helper()
		entries, err := os.ReadDir(home)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			err = errors.Join(err, os.Chmod(filepath.Join(home, e.Name()), 0o444))
		}
		if err = errors.Join(err, os.Chmod(home, 0o555)); err != nil {
			t.Fatal(err)
		}
	}
	mkdir := func(name string) string {
		home := filepath.Join(dir, name)
		if err := os.Mkdir(home, 0o755); err != nil {
			t.Fatal(err)
		}
		return home
	}
	expect := func(said map[string]string, what, kind, text string) {
		t.Helper()
		if got := said[what]; !strings.HasPrefix(got, kind+": ") || !strings.Contains(got, text) {
			t.Errorf("%s: said %q, want %s with %q", what, got, kind, text)
		}
	}

	closed := mkdir("closed")
	s := mustOpen(t, closed)
	fill(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	protect(closed)
	said := asStranger(t, exe, closed)
	for _, what := range []string{"open", "facts", "history", "notes", "scopes", "check", "known-at"} {
		expect(said, what, "ok", "")
	}
	expect(said, "write", "unavailable", "read-only")
	expect(said, "scrub", "unavailable", "")

	killed, _ := killedLog(t, 3)
	left := mkdir("left")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(filepath.Join(killed, FileName+suffix))
		if err == nil {
			err = os.WriteFile(filepath.Join(left, FileName+suffix), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	protect(left)
	expect(asStranger(t, exe, left), "open", "unavailable", "read-only")

	empty := mkdir("empty")
	protect(empty)
	expect(asStranger(t, exe, empty), "open", "unavailable", empty)
	expect(asStranger(t, exe, filepath.Join(empty, "below")), "open", "unavailable", empty)
}

func copyExecutable(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}

// A home of a format that is not known yet is refused with a sentence, and left as it is.
func TestNewerFormat(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	if _, err := s.writer.ExecContext(t.Context(), fmt.Sprintf("PRAGMA user_version = %d", format+1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, home)
	_, err := Open(t.Context(), home)
	if daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), "use the daybook that wrote it") {
		t.Errorf("a newer home: %v", err)
	}
	for path, data := range filesOf(t, home) {
		if !bytes.Equal(data, before[path]) {
			t.Errorf("%s was changed", filepath.Base(path))
		}
	}
}
