package engine_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/graph"
	"daybook/model"
	"daybook/recall"
	"daybook/store"
	"daybook/store/sqlite"
)

// echoing opens an engine that remembers what it returns.
func echoing(t *testing.T, home string) *engine.Engine {
	t.Helper()
	s, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	return engine.New(s).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc}).WithEchoes()
}

func keep(t *testing.T, e *engine.Engine, n daybook.Note) daybook.Receipt {
	t.Helper()
	r, err := e.Add(t.Context(), scopeOfTalk, engine.By{Author: "t"}, []daybook.Note{n})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func dentists(t *testing.T, e *engine.Engine) (all []string) {
	t.Helper()
	states, err := e.Facts(t.Context(), scopeOfTalk, engine.FactQuery{Subject: "Ana"})
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range states {
		for _, p := range st.Periods {
			all = append(all, fmt.Sprintf("%s (%d)", p.Object, len(p.Facts)))
		}
	}
	return all
}

const carried = "<memory>\nMy dentist is Dr. Weiss.\n</memory>\nI adopted a cat called Tilda."

// An outdated row that an agent carries back into a user's message does not become
// what holds, and the user's own words beside it are learned.
func TestEchoIsNotLearned(t *testing.T) {
	for _, remembers := range []bool{true, false} {
		home := t.TempDir()
		e := echoing(t, home)
		keep(t, e, said(1, 0, "Ana", "My dentist is Dr. Weiss."))
		keep(t, e, said(2, 0, "Ana", "I changed dentists, I go to Dr. Moreau now."))
		if remembers {
			if _, err := e.Recall(t.Context(), scopeOfTalk, recall.Question{Text: "Who is Ana's dentist?", K: 10}, daybook.AsOf{}); err != nil {
				t.Fatal(err)
			}
		}
		r := keep(t, e, said(3, 0, "Ana", carried))
		now := strings.Join(dentists(t, e), ", ")
		if got := r.Echoes == 1 && !strings.Contains(now, "Weiss") && strings.Contains(now, "Moreau"); got != remembers {
			t.Errorf("remembers %v: %d echoes, holds %s", remembers, r.Echoes, now)
		}
		n, err := e.Note(t.Context(), scopeOfTalk, "3-0")
		if err != nil || n.Text != carried || (len(n.Echoes) == 1) != remembers {
			t.Errorf("the note is %+v, %v", n, err)
		}
		if remembers && !strings.Contains(now, "Tilda") {
			t.Errorf("what the user said beside it is not learned: %s", now)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever says it again in words of their own is learned from, whatever was returned.
func TestRestatingIsNoEcho(t *testing.T) {
	e := echoing(t, t.TempDir())
	defer e.Close()
	keep(t, e, said(1, 0, "Ana", "My dentist is Dr. Weiss."))
	keep(t, e, said(2, 0, "Ana", "I changed dentists, I go to Dr. Moreau now."))
	if _, err := e.Ask(t.Context(), scopeOfTalk, engine.Asked{Text: "Who was Ana's dentist before?"}); err != nil {
		t.Fatal(err)
	}
	if r := keep(t, e, said(3, 0, "Ana", "My dentist is Dr. Weiss.")); r.Echoes != 0 || r.Learned != 1 {
		t.Errorf("%+v", r)
	}
	if now := strings.Join(dentists(t, e), ", "); !strings.Contains(now, "Weiss") {
		t.Errorf("holds %s", now)
	}
}

// What was returned is known after a restart, and to another process; what an echo
// repeats is not found twice.
func TestEchoAfterRestart(t *testing.T) {
	home := t.TempDir()
	e := echoing(t, home)
	keep(t, e, said(1, 0, "Ana", "My dentist is Dr. Weiss, on Hill Street."))
	if _, err := e.Ask(t.Context(), scopeOfTalk, engine.Asked{Text: "Who is Ana's dentist?"}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = echoing(t, home)
	defer e.Close()
	if r := keep(t, e, said(2, 0, "assistant", "Your dentist is Dr. Weiss, on Hill Street.")); r.Echoes != 1 {
		t.Errorf("%+v", r)
	}
	found, err := e.Recall(t.Context(), scopeOfTalk, recall.Question{Text: "Who is Ana's dentist?", K: 10}, daybook.AsOf{})
	if err != nil || len(found.Rows) != 1 || found.Rows[0].SourceID != "1-0" {
		t.Errorf("%d rows, %v", len(found.Rows), err)
	}
}

// Forgetting a note forgets its echoes, and what was returned of it.
func TestForgettingForgetsEchoes(t *testing.T) {
	home := t.TempDir()
	e := echoing(t, home)
	keep(t, e, said(1, 0, "Ana", "My dentist is Dr. Weiss, on Hill Street."))
	keep(t, e, said(1, 1, "Ana", "I live in Lisbon, near the river."))
	ask := func() {
		t.Helper()
		if _, err := e.Recall(t.Context(), scopeOfTalk, recall.Question{Text: "Who is Ana's dentist?", K: 10}, daybook.AsOf{}); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	keep(t, e, said(2, 0, "assistant", "Your dentist is Dr. Weiss, on Hill Street."))
	keep(t, e, said(2, 1, "assistant", "Good evening to you."))
	if _, err := e.Forget(t.Context(), scopeOfTalk, engine.By{Author: "t"}, graph.Forget{IDs: []string{"1-0"}}); err != nil {
		t.Fatal(err)
	}
	var left []string
	err := e.Notes(t.Context(), scopeOfTalk, "", daybook.AsOf{}, func(n daybook.Note) error {
		left = append(left, n.SourceID)
		return nil
	})
	if err != nil || strings.Join(left, " ") != "1-1 2-1" {
		t.Errorf("left: %v, %v", left, err)
	}
	if r := keep(t, e, said(3, 0, "assistant", "Your dentist is Dr. Weiss, on Hill Street.")); r.Echoes != 0 {
		t.Errorf("what was forgotten is known again: %+v", r)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if reports, err := engineCheck(t, home); err != nil || len(reports) > 0 {
		t.Errorf("check finds %v, %v", reports, err)
	}
}

func engineCheck(t *testing.T, home string) (damage []string, err error) {
	e := echoing(t, home)
	defer e.Close()
	reports, err := e.Check(t.Context())
	for _, r := range reports {
		damage = append(damage, r.Damage...)
	}
	return damage, err
}

// The record stays bounded, whatever is asked.
func TestReturnedIsBounded(t *testing.T) {
	home := t.TempDir()
	began, seconds := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), atomic.Int64{}
	s, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s).WithEchoes().WithClock(func() time.Time { return began.Add(time.Duration(seconds.Add(1)) * time.Second) })
	var notes []daybook.Note
	for i := range 3000 {
		notes = append(notes, daybook.Note{Speaker: "Ana", Session: fmt.Sprint(i / 50), Text: fmt.Sprintf("Crate number %d went to port%c%c by ship %d.", i, 'a'+i/50%8, 'a'+i/400, i*13)})
	}
	if _, err := e.Add(t.Context(), scopeOfTalk, engine.By{Author: "t"}, notes); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if _, err := e.Recall(t.Context(), scopeOfTalk, recall.Question{Text: fmt.Sprintf("port%c%c", 'a'+i%8, 'a'+i/8), K: 50}, daybook.AsOf{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.Open(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), scopeOfTalk, func(r store.Reader) error {
		spaces, err := r.Spaces()
		for _, space := range spaces {
			if space.Encoder == "#returned" && (space.Count == 0 || space.Count > 2*1024) {
				t.Errorf("%d texts are kept", space.Count)
			}
			t.Logf("%s: %d", space.Encoder, space.Count)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
