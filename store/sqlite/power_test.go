package sqlite

import (
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
)

// sector is what a disk writes whole or not at all.
const sector = 512

// disk is what is known of a home's files while events go by: what is synced, and what was
// written since.
type disk struct {
	synced  map[string][]byte // by path
	pending map[string][]fileEvent
}

func newDisk(files map[string][]byte) *disk {
	return &disk{synced: maps.Clone(files), pending: map[string][]fileEvent{}}
}

// do lets an event reach the disk.
func (d *disk) do(e fileEvent) {
	if e.name != "sync" {
		d.pending[e.path] = append(d.pending[e.path], e)
		return
	}
	for _, p := range d.pending[e.path] {
		d.synced[e.path] = apply(d.synced[e.path], p)
	}
	delete(d.pending, e.path)
}

// apply returns a file after an event; nil is no file.
func apply(file []byte, e fileEvent) []byte {
	switch e.name {
	case "delete":
		return nil
	case "truncate":
		return slices.Grow(slices.Clone(file), 1)[:min(int(e.offset), len(file))]
	}
	if end := int(e.offset) + len(e.data); end > len(file) {
		file = append(slices.Clone(file), make([]byte, end-len(file))...)
	} else {
		file = slices.Clone(file)
	}
	copy(file[e.offset:], e.data)
	return file
}

// cut is what a power cut leaves: what was synced, and of the rest any part, in any order,
// sector by sector.
func (d *disk) cut(rng *rand.Rand) map[string][]byte {
	left := maps.Clone(d.synced)
	for path, events := range d.pending {
		keep := rng.IntN(4) // nothing, all, or each by chance
		for _, e := range events {
			if keep == 0 || keep > 1 && rng.IntN(2) == 0 {
				continue
			}
			if e.name != "write" || keep == 1 {
				left[path] = apply(left[path], e)
				continue
			}
			for _, part := range sectors(e) {
				if rng.IntN(3) > 0 {
					left[path] = apply(left[path], part)
				}
			}
		}
	}
	return left
}

// sectors parts a write where the disk's sectors begin.
func sectors(e fileEvent) (parts []fileEvent) {
	for len(e.data) > 0 {
		n := min(len(e.data), sector-int(e.offset%sector))
		parts = append(parts, fileEvent{"write", e.path, e.offset, e.data[:n]})
		e.offset, e.data = e.offset+int64(n), e.data[n:]
	}
	return parts
}

// record runs a workload and returns what was done to the files, and after how many events
// each note was acknowledged.
func record(t *testing.T, home string, notes int) (events []fileEvent, acknowledged []int) {
	t.Helper()
	var mu sync.Mutex
	note := func(e fileEvent) {
		mu.Lock()
		defer mu.Unlock()
		if filepath.Dir(e.path) == home {
			events = append(events, e)
		}
	}
	tap.Store(&note)
	defer tap.Store(nil)
	for i := 0; i < notes; {
		s := mustOpen(t, home)
		if _, err := s.writer.ExecContext(t.Context(), "PRAGMA wal_autocheckpoint = 12"); err != nil {
			t.Fatal(err)
		}
		e := engine.New(s)
		for range 4 { // then it is closed and opened again
			n := daybook.Note{SourceID: fmt.Sprintf("m%d", i), Time: time.Unix(1e9, 0), Text: fmt.Sprintf("message %d %s", i, strings.Repeat("words ", 900*(i%3)))}
			if _, err := e.Add(t.Context(), someone, engine.By{Author: "test"}, []daybook.Note{n}); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			acknowledged = append(acknowledged, len(events))
			mu.Unlock()
			i++
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return events, acknowledged
}

// trials is how often a random test tries, in a short run and with DAYBOOK_TRIALS.
func trials(t *testing.T, short int) int {
	n, err := strconv.Atoi(os.Getenv("DAYBOOK_TRIALS"))
	if err != nil {
		return short
	}
	t.Logf("%d trials", n)
	return n
}

// Wherever power is cut, everything that was acknowledged is there, and the home is sound.
func TestPowerCuts(t *testing.T) {
	home := t.TempDir()
	if err := mustOpen(t, home).Close(); err != nil {
		t.Fatal(err)
	}
	begin := filesOf(t, home)
	events, acknowledged := record(t, home, 12)
	rng := seeded(t)
	tries := trials(t, 120)
	underWay := 0
	for try := range tries {
		at := try * len(events) / tries // every place in turn, where there are enough tries
		d := newDisk(begin)
		for _, e := range events[:at] {
			d.do(e)
		}
		want := 0
		for _, n := range acknowledged {
			if n <= at {
				want++
			}
		}
		if want > 0 && len(d.pending) > 0 {
			underWay++
		}
		after := t.TempDir()
		for path, data := range d.cut(rng) {
			if data == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(after, filepath.Base(path)), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := notesThere(t, after); err != nil || got < want {
			t.Errorf("power cut after %d of %d events: %d of %d acknowledged notes, %v", at, len(events), got, want, err)
		}
	}
	t.Logf("%d events, %d cuts, %d of them with writes under way", len(events), tries, underWay)
}

// filesOf reads the files of a home, but not the shared memory.
func filesOf(t *testing.T, home string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, suffix := range []string{"", "-wal", markSuffix} {
		path := filepath.Join(home, FileName+suffix)
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		files[path] = data
	}
	return files
}

// Damage to any sectors of any file is named, or changes no answer.
func TestDamagedSectors(t *testing.T) {
	live := t.TempDir()
	s := mustOpen(t, live)
	fill(t, s)
	killed := copyHome(t, live)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rng := seeded(t)
	kinds := map[string]map[string][]byte{"killed": filesOf(t, killed), "closed": filesOf(t, live)}
	named, tries := 0, trials(t, 60)
	for _, state := range []string{"killed", "closed"} {
		files := kinds[state]
		want := ask(t.Context(), put(t, files))
		for name, a := range want {
			if a.err != nil {
				t.Fatalf("undamaged, %s: %s: %v", state, name, a.err)
			}
		}
		paths := slices.Sorted(maps.Keys(files))
		for range tries / 2 {
			damaged := maps.Clone(files)
			path := paths[rng.IntN(len(paths))]
			data, what := spoil(rng, files[path])
			damaged[path] = data
			if compare(t, fmt.Sprintf("%s, %s: %s", state, filepath.Base(path), what), ask(t.Context(), put(t, damaged)), want) {
				named++
			}
		}
	}
	t.Logf("%d damages, %d named", tries, named)
}

// put writes files to a new home.
func put(t *testing.T, files map[string][]byte) (home string) {
	t.Helper()
	home = t.TempDir()
	for path, data := range files {
		if err := os.WriteFile(filepath.Join(home, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// spoil damages one to 128 sectors of a file: lost, garbled, or in another's place.
func spoil(rng *rand.Rand, file []byte) ([]byte, string) {
	file = slices.Clone(file)
	at := rng.IntN((len(file)+sector-1)/sector) * sector
	size := min(sector<<rng.IntN(8), len(file)-at)
	part := file[at:][:size]
	kind := []string{"lost", "garbled", "misplaced"}[rng.IntN(3)]
	switch kind {
	case "lost":
		clear(part)
	case "garbled":
		for i := range part {
			part[i] = byte(rng.Uint32())
		}
	case "misplaced":
		from := rng.IntN((len(file)+sector-1)/sector) * sector
		copy(part, file[from:])
	}
	return file, fmt.Sprintf("%d bytes at %d of %d %s", size, at, len(file), kind)
}
