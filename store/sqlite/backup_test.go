package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/store/sqlite"
)

// A backup made while writers run is a home of its own: sound, and with every
// note that was acknowledged before it began.
func TestBackupWhileWriting(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s)
	scope, by := daybook.Scope{User: "u"}, engine.By{Author: "test"}
	add := func(writer, i int) {
		n := daybook.Note{SourceID: fmt.Sprintf("%d.%d", writer, i), Text: "note", Time: time.Unix(int64(i)+1, 0)}
		if _, err := e.Add(context.Background(), scope, by, []daybook.Note{n}); err != nil {
			t.Error(err)
		}
	}
	for i := range 20 {
		add(0, i)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w := 1; w <= 3; w++ {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					add(w, i)
				}
			}
		})
	}
	home := t.TempDir()
	copied := filepath.Join(home, sqlite.FileName)
	for i := range 5 {
		if err := e.Backup(t.Context(), fmt.Sprintf("%s.%d", copied, i)); err != nil {
			t.Fatalf("backup: %v", err)
		}
	}
	close(stop)
	wg.Wait()
	if err := e.Backup(t.Context(), copied+".0"); daybook.KindOf(err) != daybook.Conflict {
		t.Errorf("a backup over a file that exists: %v, want Conflict", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(copied+".4", copied); err != nil {
		t.Fatal(err)
	}
	restored, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	again := engine.New(restored)
	defer again.Close()
	for i := range 20 {
		if _, err := again.Note(t.Context(), scope, fmt.Sprintf("0.%d", i)); err != nil {
			t.Error(err)
		}
	}
	reports, err := again.Check(t.Context())
	if err != nil || len(reports) != 1 || len(reports[0].Damage) > 0 {
		t.Errorf("check of the backup: %+v, %v", reports, err)
	}
}
