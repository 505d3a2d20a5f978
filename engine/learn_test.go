package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
)

func learning(t testing.TB) *engine.Engine {
	t.Helper()
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	return open(t).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
}

func said(session int, minute int, speaker, text string) daybook.Note {
	return daybook.Note{
		SourceID: fmt.Sprintf("%d-%d", session, minute), Session: fmt.Sprintf("s%d", session), Speaker: speaker, Text: text,
		Time: time.Date(2024, 1, 10*session, 9, minute, 0, 0, time.UTC),
	}
}

var scopeOfTalk = daybook.Scope{User: "ana"}

// talk is a conversation with states that change, and talk that must not change
// them.
var talk = []daybook.Note{
	said(1, 0, "Ana", "My dentist is Dr. Weiss."),
	said(1, 1, "Ben", "My dentist is Dr. Kaya, she is great."),
	said(1, 2, "Ana", "I had such a good time at the fair!"),
	said(2, 0, "Ana", "I changed dentists, I go to Dr. Moreau now."),
	said(2, 1, "Ben", "Good for you."),
	said(2, 2, "Ana", "My rent is $900 a month."),
	said(3, 0, "Ana", "My rent went up to $1,050 because the heating was redone."),
	said(3, 1, "Ana", "My brother's rent is $700, lucky him."),
	said(3, 2, "Ana", "If my rent were $500 I would travel more."),
}

// states prints the values of a person's states with their ends.
func states(t testing.TB, e *engine.Engine, name string) string {
	t.Helper()
	all, err := e.Facts(t.Context(), scopeOfTalk, engine.FactQuery{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, st := range all {
		for _, p := range st.Periods {
			if st.Subject.Name == name && p.Modality == daybook.Asserted {
				lines = append(lines, fmt.Sprintf("%s from %s until %s %s", p.Object, p.Valid.From.Format(time.DateOnly), p.Valid.Until.Format(time.DateOnly), p.Role))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestLearnedStatesFollowEachOther(t *testing.T) {
	e := learning(t)
	for _, n := range talk {
		if _, err := e.Add(t.Context(), scopeOfTalk, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	got := states(t, e, "Ana")
	for _, want := range []string{
		"Dr. Weiss from 2024-01-10 until 2024-01-20 historical",
		"Dr. Moreau from 2024-01-20 until 0001-01-01 current",
		"$900 a month from 2024-01-20 until 2024-01-30 historical",
		"$1,050 from 2024-01-30 until 0001-01-01 current",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
	if ben := states(t, e, "Ben"); !strings.Contains(ben, "Dr. Kaya from 2024-01-10 until 0001-01-01 current") {
		t.Errorf("Ben's dentist: %s", ben)
	}
}

// Messages that are imported late or out of order end in the same states.
func TestLawOrderOfLearning(t *testing.T) {
	inOrder := learning(t)
	if _, err := inOrder.Add(t.Context(), scopeOfTalk, by, talk); err != nil {
		t.Fatal(err)
	}
	want := states(t, inOrder, "Ana")
	rapid.Check(t, func(rt *rapid.T) {
		e := learning(t)
		notes := rapid.Permutation(talk).Draw(rt, "order")
		for len(notes) > 0 {
			n := rapid.IntRange(1, len(notes)).Draw(rt, "batch")
			if _, err := e.Add(t.Context(), scopeOfTalk, by, notes[:n]); err != nil {
				rt.Fatal(err)
			}
			notes = notes[n:]
		}
		if got := states(t, e, "Ana"); got != want {
			rt.Fatalf("states differ:\n%s\nin order:\n%s", got, want)
		}
	})
}
