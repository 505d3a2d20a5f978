package engine_test

import (
	"bytes"
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/recall"
	"daybook/store"
	"daybook/store/sqlite"
)

// shelfFile is the file of the one scope that a home keeps an index of; empty when
// there is none.
func shelfFile(t *testing.T, home string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, sqlite.ShelfName, "*"))
	if err != nil || len(files) > 1 {
		t.Fatalf("the shelf holds %v (%v)", files, err)
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// An index is kept when the engine closes and read by the next, which finds the same;
// a damaged one is built again; an erasure and reindex remove it.
func TestIndexIsKept(t *testing.T) {
	home, scope := t.TempDir(), daybook.Scope{User: "u"}
	with := func(do func(e *engine.Engine)) {
		t.Helper()
		s, err := sqlite.Open(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(s)
		do(e)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(e *engine.Engine) (ids []string) {
		t.Helper()
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Who went to a pottery class?"}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			ids = append(ids, row.SourceID)
		}
		return ids
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if len(got) == 0 || len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("%s: found %v, want %v", what, got, want)
		}
	}
	var want []string
	with(func(e *engine.Engine) {
		if _, err := e.Add(t.Context(), scope, by, speedNotes(0, 2100)); err != nil {
			t.Fatal(err)
		}
		want = ask(e)
	})
	kept := shelfFile(t, home)
	if kept == "" {
		t.Fatal("no index was kept")
	}
	with(func(e *engine.Engine) { same("from the kept index", ask(e), want) })

	data, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(kept, data, 0o600); err != nil {
		t.Fatal(err)
	}
	with(func(e *engine.Engine) { same("beside a damaged index", ask(e), want) })
	if again, err := os.ReadFile(shelfFile(t, home)); err != nil || bytes.Equal(again, data) {
		t.Errorf("the damaged index was not replaced (%v)", err)
	}

	with(func(e *engine.Engine) {
		if _, err := e.Forget(t.Context(), scope, by, graph.Forget{IDs: []string{want[0]}}); err != nil {
			t.Fatal(err)
		}
		if file := shelfFile(t, home); file != "" {
			t.Errorf("%s is still there after an erasure", file)
		}
		if got := ask(e); len(got) == 0 || got[0] == want[0] {
			t.Errorf("after the erasure of %s the rows are %v", want[0], got)
		}
	})
	if shelfFile(t, home) == "" {
		t.Error("no index was kept after the erasure")
	}
	with(func(e *engine.Engine) {
		if err := e.Reindex(t.Context()); err != nil {
			t.Fatal(err)
		}
		if file := shelfFile(t, home); file != "" {
			t.Errorf("%s is still there after reindex", file)
		}
	})
}

// The index of an engine is kept by whoever closes one that it was made of, as the
// commands do.
func TestIndexOfKinIsKept(t *testing.T) {
	home, scope := t.TempDir(), daybook.Scope{User: "u"}
	s, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	base := engine.New(s)
	with := base.WithEncoder(speedEncoder(t)).WithRoom(2)
	if _, err := with.Add(t.Context(), scope, by, speedNotes(0, 2100)); err != nil {
		t.Fatal(err)
	}
	if _, err := with.Recall(t.Context(), scope, recall.Question{Text: "Who went to a pottery class?"}, daybook.AsOf{}); err != nil {
		t.Fatal(err)
	}
	if err := base.Close(); err != nil {
		t.Fatal(err)
	}
	if shelfFile(t, home) == "" {
		t.Error("no index was kept")
	}
}

// listener is a store that counts how often the vectors of sentences are read.
type listener struct {
	*sqlite.Store
	times *int
}

func (l listener) View(ctx context.Context, scope daybook.Scope, read func(store.Reader) error) error {
	return l.Store.View(ctx, scope, func(r store.Reader) error { return read(listened{r, l.times}) })
}

type listened struct {
	store.Reader
	times *int
}

func (l listened) Vectors(encoder string, within store.Range) iter.Seq2[store.Vector, error] {
	if strings.HasSuffix(encoder, "#said") {
		*l.times++
	}
	return l.Reader.Vectors(encoder, within)
}

// What was heard is kept with the index: the next engine answers the same without
// listening again, and what was forgotten is not there.
func TestSentencesAreKept(t *testing.T) {
	home, scope, enc, times := t.TempDir(), daybook.Scope{User: "u"}, speedEncoder(t), 0
	with := func(do func(e *engine.Engine)) {
		t.Helper()
		s, err := sqlite.Open(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(listener{s, &times}).WithEncoder(enc)
		do(e)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(e *engine.Engine) (rows []string) {
		t.Helper()
		r, err := e.Recall(t.Context(), scope, recall.Question{Text: "Where does Ana live now?"}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			rows = append(rows, row.SourceID+" "+string(row.Role))
		}
		return rows
	}
	var want, left []string
	with(func(e *engine.Engine) {
		if _, err := e.Add(t.Context(), scope, by, speedNotes(0, 2100)); err != nil {
			t.Fatal(err)
		}
		want = ask(e)
	})
	if times == 0 || !slices.ContainsFunc(want, func(row string) bool { return strings.HasSuffix(row, string(daybook.RoleCurrent)) }) {
		t.Fatalf("the sentences were read %d times, and the rows are %v", times, want)
	}
	times = 0
	with(func(e *engine.Engine) {
		if got := ask(e); !slices.Equal(got, want) || times > 0 {
			t.Errorf("with what was kept the rows are %v, want %v; the sentences were read %d times", got, want, times)
		}
		id, _, _ := strings.Cut(want[0], " ")
		if _, err := e.Forget(t.Context(), scope, by, graph.Forget{IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
		if left = ask(e); slices.Contains(left, want[0]) || times == 0 {
			t.Errorf("after the erasure of %s the rows are %v; the sentences were read %d times", id, left, times)
		}
	})
	times = 0
	with(func(e *engine.Engine) {
		if got := ask(e); !slices.Equal(got, left) || times > 0 {
			t.Errorf("with what was kept after an erasure the rows are %v, want %v; the sentences were read %d times", got, left, times)
		}
	})
}
