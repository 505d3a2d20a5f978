package engine_test

import (
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
)

// readingEngine learns and answers with the embedded reader.
func readingEngine(t *testing.T) *engine.Engine {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the reader")
	}
	encoder, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := model.DefaultReader()
	if err != nil {
		t.Fatal(err)
	}
	return open(t).WithEncoder(encoder).WithReader(reader).WithLearner(extract.NewReading(reader, encoder))
}

// What ends in the words of people is closed in the ledger, by a judgement that names its judge and
// can be withdrawn.
func TestTalkClosesWhatEnded(t *testing.T) {
	e, scope := readingEngine(t), daybook.Scope{User: "u"}
	for i, text := range []string{
		"rent here is 610 a month, cant complain", "landlord put the rent up, 740 from this month 😩",
	} {
		n := daybook.Note{Session: string(rune('a' + i)), Speaker: "Bram", Text: text, Time: begin.AddDate(0, i-3, 0)}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	if !closedBy(t, e, scope, "610", "model:") {
		t.Error("the old rent is still open")
	}
	a, err := e.Ask(t.Context(), scope, engine.Asked{Text: "what does Bram pay in rent?"})
	if err != nil || !strings.Contains(a.Text, "740") {
		t.Errorf("answered %q, %v", a.Text, err)
	}
}

// closedBy reports whether a value is over by a judgement of such a judge.
func closedBy(t *testing.T, e *engine.Engine, scope daybook.Scope, value, judge string) bool {
	t.Helper()
	for _, state := range factsOf(t, e, scope) {
		for _, p := range state.Periods {
			if !strings.Contains(p.Object, value) || p.Role != daybook.RoleHistorical {
				continue
			}
			learned, err := e.Learned(t.Context(), scope, string(p.Facts[0].Sources[0]), daybook.AsOf{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range learned.Links {
				if l.Kind == daybook.Updates && strings.HasPrefix(l.By, judge) && l.Confidence > 0 {
					return true
				}
			}
		}
	}
	return false
}

// A value that held before an older one, by what is said of its time, closes nothing; and what was
// withdrawn is not closed again.
func TestOnlyLaterValuesClose(t *testing.T) {
	e, scope := readingEngine(t), daybook.Scope{User: "u"}
	for i, text := range []string{
		"My dentist is Dr. Weiss.", "Since January 2020 my dentist is Dr. Moreau.", "I changed dentists on 3 January 2020, I go to Dr. Lund now.",
	} {
		n := daybook.Note{SourceID: string(rune('a' + i)), Session: string(rune('a' + i)), Speaker: "Maya", Text: text, Time: begin.AddDate(0, i-3, 0)}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	if _, err := e.Revert(t.Context(), scope, by, "HEAD~2"); err != nil {
		t.Fatal(err)
	}
	n := daybook.Note{Session: "z", Speaker: "Maya", Text: "my new dentist is Dr. Okafor", Time: begin}
	if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
		t.Fatal(err)
	}
}
