package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/source"
	"daybook/store/sqlite"
)

func open(t testing.TB) *engine.Engine {
	s, err := sqlite.Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine.New(s)
}

func fromText(text string) engine.Import {
	s, err := source.Open(source.Input{Name: "messages.jsonl", Data: strings.NewReader(text), Size: int64(len(text))}, source.Options{Format: source.Messages})
	if err != nil {
		panic(err) // the format is given, so that nothing is looked at
	}
	return engine.Import{Records: s.Records}
}

// DAYBOOK_LINES makes the file longer; make check imports 100,000 lines.
func TestImportOneBadLineOfMany(t *testing.T) {
	lines := 20_000
	if n, err := strconv.Atoi(os.Getenv("DAYBOOK_LINES")); err == nil {
		lines = n
	}
	worst := lines * 7 / 10
	var file strings.Builder
	for i := range lines {
		if i == worst {
			file.WriteString("{\"id\":\"x\",\"time\":\"2024-01-01\",\"text\":\"cut of\n")
			continue
		}
		fmt.Fprintf(&file, "{\"id\":\"m%d\",\"session\":%d,\"time\":\"2024-01-01T00:00:00Z\",\"speaker\":\"a\",\"text\":\"line %d\"}\n", i, i/50, i)
	}
	e := open(t)
	scope := daybook.Scope{User: "u"}
	_, err := e.Import(t.Context(), scope, by, fromText(file.String()))
	bad, ok := errors.AsType[*engine.ImportError](err)
	if !ok || len(bad.Bad) != 1 || bad.Bad[0].At.Line != worst+1 || daybook.KindOf(err) != daybook.Invalid {
		t.Fatalf("import: %v", err)
	}
	if st, err := e.Stats(t.Context(), scope); err != nil || st.Commits != 0 {
		t.Fatalf("after the refused import: %+v, %v", st, err)
	}
	in := fromText(file.String())
	in.SkipBad = true
	res, err := e.Import(t.Context(), scope, by, in)
	if err != nil || res.Added != lines-1 || len(res.Bad) != 1 {
		t.Fatalf("skipping: %d added, %d bad, %v", res.Added, len(res.Bad), err)
	}
	if st, err := e.Stats(t.Context(), scope); err != nil || st.Notes != lines-1 {
		t.Fatalf("after the import: %+v, %v", st, err)
	}
}

func TestOddInput(t *testing.T) {
	e := open(t)
	big := strings.Repeat("ten megabytes ", 10<<20/14)
	ids := []string{"../../etc/passwd", "'; DROP TABLE contents; --", "a\tb\nc", "💥", "%s%n", strings.Repeat("i", daybook.MaxName), "CON", "-"}
	for i, id := range ids {
		n := daybook.Note{SourceID: id, Session: id, Speaker: id, Text: id + big[:i*1000], Time: time.Date(i*1100, 1, 1, 0, 0, 0, 1, time.UTC)}
		if _, err := e.Add(t.Context(), daybook.Scope{User: id, Tenant: id}, by, []daybook.Note{n}); err != nil {
			t.Fatalf("add with id %q: %v", id, err)
		}
		got, err := e.Note(t.Context(), daybook.Scope{User: id, Tenant: id}, id)
		if err != nil || got.Text != n.Text || got.Session != id || !got.Time.Equal(n.Time) {
			t.Errorf("note %q came back as %.60q at %v, %v", id, got.Text, got.Time, err)
		}
	}
	n := daybook.Note{SourceID: "big", Text: big, Time: time.Date(9999, 12, 31, 23, 59, 59, 999, time.UTC)}
	if _, err := e.Add(t.Context(), daybook.Scope{}, by, []daybook.Note{n}); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Note(t.Context(), daybook.Scope{}, "big"); err != nil || got.Text != big {
		t.Errorf("10 MB came back as %d bytes, %v", len(got.Text), err)
	}
	for _, bad := range []daybook.Note{{Text: ""}, {Text: "a\x00b"}, {Text: "\xff"}, {Text: "x", SourceID: "\x00"}} {
		good := daybook.Note{SourceID: "beside", Text: "a good note beside a bad one"}
		if _, err := e.Add(t.Context(), daybook.Scope{}, by, []daybook.Note{good, bad}); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("%q: %v, want Invalid", bad.Text, err)
		}
	}
	if _, err := e.Note(t.Context(), daybook.Scope{}, "beside"); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("a note of a refused call was kept: %v", err)
	}
	if _, err := e.Add(t.Context(), daybook.Scope{User: "a\x00b"}, by, []daybook.Note{{Text: "x"}}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("a scope with a NUL byte: %v", err)
	}
	reports, err := e.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			t.Errorf("%s: %v", r.Scope, r.Damage)
		}
	}
}

// A clock that runs backwards does not reorder the ledger.
func TestBackwardClock(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	e := open(t).WithClock(func() time.Time { return now })
	for i := range 5 {
		if _, err := e.Add(t.Context(), daybook.Scope{}, by, []daybook.Note{{SourceID: fmt.Sprint(i), Text: "x", Time: now}}); err != nil {
			t.Fatal(err)
		}
		now = now.AddDate(-10, 0, 0)
	}
	entries, err := e.Log(t.Context(), daybook.Scope{}, 0)
	if err != nil || len(entries) != 5 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i := 1; i < len(entries); i++ {
		if !entries[i].RecordedAt.Before(entries[i-1].RecordedAt) {
			t.Errorf("commit %d was recorded at %v, after %v", entries[i].Seq, entries[i].RecordedAt, entries[i-1].RecordedAt)
		}
	}
}
