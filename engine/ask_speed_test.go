package engine_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/store/sqlite"
)

// TestAskSpeed times ask on a memory of as many notes as DAYBOOK_ASK_SPEED says,
// half of which state something in so many words.
func TestAskSpeed(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("DAYBOOK_ASK_SPEED"))
	if err != nil {
		t.Skip("SKIPPED, NOTHING WAS TIMED: set DAYBOOK_ASK_SPEED to a number of notes such as 100000")
	}
	local, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, scope, z := engine.New(s).WithEncoder(noise{local}), daybook.Scope{User: "u"}, newZipf(1)
	defer e.Close()
	for first := 0; first < n; first += 1000 {
		var batch []daybook.Note
		for i := first; i < min(first+1000, n); i++ {
			text := z.text(5 + z.IntN(20))
			if i%2 == 0 {
				text = fmt.Sprintf("My %s is %s now.", z.text(1), z.text(2))
			}
			batch = append(batch, daybook.Note{
				SourceID: strconv.Itoa(i), Session: strconv.Itoa(i / 20), Speaker: []string{"Ana", "Bo"}[i%3%2], Text: text, Time: begin.Add(time.Duration(i) * time.Minute),
			})
		}
		if _, err := e.Add(t.Context(), scope, by, batch); err != nil {
			t.Fatal(err)
		}
	}
	var took []time.Duration
	for i := range 120 {
		began := time.Now()
		if _, err := e.Ask(t.Context(), scope, engine.Asked{Text: fmt.Sprintf("What is Ana's %s?", newZipf(uint64(i+100)).text(2))}); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	took = slices.Sorted(slices.Values(took[20:])) // the first ones warm up
	t.Logf("%d notes: ask p50 %s, p95 %s", n, took[len(took)/2], took[len(took)*95/100])
}
