package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/graph"
	"daybook/model"
	"daybook/recall"
	"daybook/store"
	"daybook/tree"

	lib "modernc.org/sqlite/lib"
)

// memory is an engine with all that writes: learning, vectors, what was returned, trees.
func memory(t *testing.T, s store.Store) *engine.Engine {
	t.Helper()
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	return engine.New(s).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc}).WithEchoes()
}

// deed is one thing that an engine writes, and whether it is there.
type deed struct {
	name  string
	do    func(context.Context, *engine.Engine) error
	there func(context.Context, *engine.Engine) bool
}

func noteOf(id, text string) daybook.Note {
	return daybook.Note{SourceID: id, Session: "s1", Speaker: "Ana", Time: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), Text: text}
}

func hasNote(id string) func(context.Context, *engine.Engine) bool {
	return func(ctx context.Context, e *engine.Engine) bool {
		_, err := e.Note(ctx, daybook.Scope{}, id)
		return err == nil
	}
}

func hasFile(path string) func(context.Context, *engine.Engine) bool {
	return func(context.Context, *engine.Engine) bool {
		_, err := os.Stat(path)
		return err == nil
	}
}

// deeds are what the engine writes, one after the other.
func deeds(dir string) []deed {
	by := engine.By{Author: "test"}
	var scope daybook.Scope
	backup := filepath.Join(dir, "backup.db")
	return []deed{
		{"a note that is learned from", func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Add(ctx, scope, by, []daybook.Note{noteOf("n1", "I changed dentists, I go to Dr. Moreau now."), noteOf("n2", strings.Repeat("long ", 800))})
			return err
		}, hasNote("n1")},
		{"a note for later", func(ctx context.Context, e *engine.Engine) error {
			_, _, err := e.AddLater(ctx, scope, by, []daybook.Note{noteOf("n3", "My rent is $900 a month.")})
			return err
		}, hasNote("n3")},
		{"a fact", func(ctx context.Context, e *engine.Engine) error {
			_, err := e.AddFact(ctx, scope, by, engine.NewFact{Subject: "Ana", Relation: "likes", Object: "tea"})
			return err
		}, func(ctx context.Context, e *engine.Engine) bool {
			states, err := e.Facts(ctx, scope, engine.FactQuery{Subject: "Ana", Relation: "likes"})
			return err == nil && len(states) == 1
		}},
		{"vectors", func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Embed(ctx, scope, nil)
			return err
		}, func(ctx context.Context, e *engine.Engine) bool { return true }},
		{"a tree", func(ctx context.Context, e *engine.Engine) error {
			_, err := e.PlantTree(ctx, scope, by, "plan", &tree.Node{Type: "Plan", Children: []*tree.Node{{Type: "Day", SourceID: "d1"}}})
			return err
		}, func(ctx context.Context, e *engine.Engine) bool {
			_, err := e.Tree(ctx, scope, "plan", daybook.AsOf{})
			return err == nil
		}},
		{"a note withdrawn", func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Retract(ctx, scope, by, "old", "")
			return err
		}, func(ctx context.Context, e *engine.Engine) bool { return !hasNote("old")(ctx, e) }},
		{"an index built anew", func(ctx context.Context, e *engine.Engine) error { return e.Reindex(ctx) },
			func(ctx context.Context, e *engine.Engine) bool { return hasNote("seed")(ctx, e) }},
		{"a note erased", func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Forget(ctx, scope, by, graph.Forget{IDs: []string{"gone"}})
			return err
		}, func(ctx context.Context, e *engine.Engine) bool { return !hasNote("gone")(ctx, e) }},
		{"a backup", func(ctx context.Context, e *engine.Engine) error { return e.Backup(ctx, backup) }, hasFile(backup)},
	}
}

// prepared makes a home with a little in it, and returns it closed.
func prepared(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	e := memory(t, mustOpen(t, home))
	_, err := e.Add(t.Context(), daybook.Scope{}, engine.By{}, []daybook.Note{
		noteOf("seed", "My dentist is Dr. Weiss."), noteOf("old", "I had a good time at the fair."), noteOf("gone", "I dislike the fair."),
	})
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// reads asserts that a memory on a full disk goes on answering.
func reads(t *testing.T, when string, e *engine.Engine) {
	t.Helper()
	got, err := e.Recall(t.Context(), daybook.Scope{}, recall.Question{Text: "Who is my dentist?"}, daybook.AsOf{})
	if err != nil || len(got.Rows) == 0 {
		t.Errorf("%s: recall: %d rows, %v", when, len(got.Rows), err)
	}
	said, err := e.Ask(t.Context(), daybook.Scope{}, engine.Asked{Text: "Who is Ana's dentist?"})
	if err != nil || !strings.Contains(said.Text, "Dr.") {
		t.Errorf("%s: ask: %q, %v", when, said.Text, err)
	}
	if _, err := e.Facts(t.Context(), daybook.Scope{}, engine.FactQuery{Subject: "Ana"}); err != nil {
		t.Errorf("%s: facts: %v", when, err)
	}
	if _, err := e.Topics(t.Context(), daybook.Scope{}, daybook.AsOf{}); err != nil {
		t.Errorf("%s: topics: %v", when, err)
	}
}

// The disk is full from each write on that an engine makes: the writer is told to make
// room, what was acknowledged stays, reads go on, and with room everything works again.
func TestFullDiskThroughTheEngine(t *testing.T) {
	noLeaks(t)
	home := prepared(t)
	writes := fullFrom(t, 1<<60, copyHome(t, home)) // never
	stride := max(1, writes/8)
	if os.Getenv("DAYBOOK_EVERY_WRITE") != "" {
		stride = 1
	}
	tried := 0
	for n := int64(1); n <= writes; n += stride {
		fullFrom(t, n, copyHome(t, home))
		if tried++; t.Failed() {
			t.Fatalf("full from the %d. write on", n)
		}
	}
	t.Logf("full at %d of %d writes", tried, writes)
}

// fullFrom runs the deeds on a disk that is full from the nth write on, and returns
// how many writes they made.
func fullFrom(t *testing.T, n int64, home string) (writes int64) {
	t.Helper()
	f := &faulty{which: func(op operation) bool { return op.name == "write" }, n: n, times: 1 << 60, code: lib.SQLITE_FULL}
	s := mustOpen(t, home)
	eager(t, s)
	e := memory(t, s)
	all := deeds(t.TempDir())
	acknowledged := make([]bool, len(all))
	f.on()
	for i, d := range all {
		err := d.do(t.Context(), e)
		acknowledged[i] = err == nil
		if err != nil {
			expectFull(t, d.name, err)
		}
	}
	reads(t, "full", e)
	f.off()
	for i, d := range all {
		if there := d.there(t.Context(), e); acknowledged[i] && !there {
			t.Errorf("%s was acknowledged and is not there", d.name)
		}
		if acknowledged[i] {
			continue
		}
		if err := d.do(t.Context(), e); err != nil && daybook.KindOf(err) != daybook.NotFound { // erased, and only the overwriting failed
			t.Errorf("with room again, %s: %v", d.name, err)
		}
		if !d.there(t.Context(), e) {
			t.Errorf("with room again, %s is not there", d.name)
		}
	}
	reads(t, "with room again", e)
	verify(t, "with room again", s, nil)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	return f.seen.Load()
}

func expectFull(t *testing.T, what string, err error) {
	t.Helper()
	if daybook.KindOf(err) != daybook.Unavailable || !strings.Contains(err.Error(), "the disk is full; make room") {
		t.Errorf("%s: kind %v: %v", what, daybook.KindOf(err), err)
	}
}

// full is a place to write to that has no room.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "somewhere", Err: syscall.ENOSPC}
}

// What is kept beside the ledger is made under another name: a full disk leaves what
// was kept before, and no half of the new.
func TestFullDiskAtTheShelf(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	defer s.Close()
	still := func(store.Reader) (bool, error) { return true, nil }
	fill := func(w io.Writer) error { _, err := fmt.Fprint(w, "before"); return err }
	if err := s.Shelve(t.Context(), daybook.Scope{}, fill, still); err != nil {
		t.Fatal(err)
	}
	err := s.Shelve(t.Context(), daybook.Scope{}, func(io.Writer) error { _, err := fmt.Fprint(full{}, "after"); return err }, still)
	expectFull(t, "shelve", err)
	files, err := filepath.Glob(filepath.Join(home, ShelfName, "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("%v is kept, %v", files, err)
	}
	err = s.Shelved(daybook.Scope{}, func(r io.Reader, size int64) error {
		got, err := io.ReadAll(r)
		if string(got) != "before" {
			t.Errorf("%q is kept", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
