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

// longTalk says so much of so many things that statements stand in each other's
// way: with every note others become the nearest.
var longTalk = append(slices.Clone(talk),
	said(4, 0, "Ana", "My doctor is Dr. Ortega."),
	said(4, 1, "Ana", "I take my tea with oat milk."),
	said(4, 2, "Ana", "My phone is a Pixel 7."),
	said(4, 3, "Ana", "My laptop is a Framework 13."),
	said(5, 0, "Ana", "I use Firefox as my browser."),
	said(5, 1, "Ana", "My bank is Cobalt Savings."),
	said(5, 2, "Ana", "I pay with the Voyager card."),
	said(6, 0, "Ana", "I switched browsers, I use Safari now."),
	said(6, 1, "Ana", "My piano teacher is Mrs. Lind."),
	said(6, 2, "Ana", "My sleep is down to 6 hours a night."),
	said(7, 0, "Ana", "My dentist is Dr. Weiss again."),
	said(7, 1, "Ana", "I bought an Asus Zenbook to replace my laptop."),
	said(7, 2, "Ana", "I closed the old account, I bank with Pinecrest now."),
	said(8, 0, "Ana", "I run 20 miles a week."),
	said(8, 1, "Ana", "I drive a Volvo wagon."),
	said(9, 0, "Ana", "I changed my training, I now run 8 miles a week."),
	said(9, 1, "Ana", "I sold the wagon, I drive a Honda Fit now."),
	said(9, 2, "Ana", "Firefox is my browser again."),
)

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

// links prints the judged links between statements in force, by their values.
func links(t testing.TB, e *engine.Engine, notes []daybook.Note) string {
	t.Helper()
	var lines []string
	for _, n := range notes {
		l, err := e.Learned(t.Context(), scopeOfTalk, n.SourceID, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range l.Links {
			if strings.HasPrefix(link.By, "rule:same-state") {
				lines = append(lines, fmt.Sprint(link.Kind, " ", link.From, " ", link.To))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// A value that comes back closes the one that had taken its place.
func TestLearnedStatesComeBack(t *testing.T) {
	e := learning(t)
	notes := append(slices.Clone(talk), said(7, 0, "Ana", "My dentist is Dr. Weiss again."))
	if _, err := e.Add(t.Context(), scopeOfTalk, by, notes); err != nil {
		t.Fatal(err)
	}
	got := states(t, e, "Ana")
	for _, want := range []string{
		"Dr. Weiss from 2024-01-10 until 2024-01-20 historical",
		"Dr. Moreau from 2024-01-20 until 2024-03-10 historical",
		"Dr. Weiss from 2024-03-10 until 0001-01-01 current",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
}

// Messages that are imported late or out of order end in the same states, with the
// same links.
func TestLawOrderOfLearning(t *testing.T) {
	inOrder := learning(t)
	if _, err := inOrder.Add(t.Context(), scopeOfTalk, by, longTalk); err != nil {
		t.Fatal(err)
	}
	want := states(t, inOrder, "Ana") + "\n" + links(t, inOrder, longTalk)
	rapid.Check(t, func(rt *rapid.T) {
		e := learning(t)
		notes := rapid.Permutation(longTalk).Draw(rt, "order")
		for len(notes) > 0 {
			n := rapid.IntRange(1, len(notes)).Draw(rt, "batch")
			if _, err := e.Add(t.Context(), scopeOfTalk, by, notes[:n]); err != nil {
				rt.Fatal(err)
			}
			notes = notes[n:]
		}
		if got := states(t, e, "Ana") + "\n" + links(t, e, longTalk); got != want {
			rt.Fatalf("states differ:\n%s\nin order:\n%s", got, want)
		}
	})
}
