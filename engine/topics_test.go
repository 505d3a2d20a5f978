package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// subjects are what the sessions of topicNotes speak of.
var subjects = [][]string{
	{"dog", "vet", "collar", "leash", "puppy", "park"},
	{"piano", "teacher", "concert", "violin", "melody", "orchestra"},
	{"garden", "tomato", "soil", "seed", "greenhouse", "compost"},
	{"bike", "helmet", "gear", "trail", "wheel", "pedal"},
}

// topicNotes are sessions that each speak of one of the subjects.
func topicNotes(rng *rand.Rand, sessions int) (notes []daybook.Note) {
	for s := range sessions {
		words := subjects[rng.IntN(len(subjects))]
		for n := range 4 {
			text := fmt.Sprintf("My %s and the %s were near the %s.", words[rng.IntN(6)], words[rng.IntN(6)], words[rng.IntN(6)])
			notes = append(notes, daybook.Note{
				Session: fmt.Sprint("s", s), Speaker: "Ann", Text: text, Time: time.Date(2024, 1, 1+s, 9, n, 0, 0, time.UTC),
			})
		}
	}
	return notes
}

func topicsOf(t *testing.T, e *engine.Engine, at daybook.AsOf) []daybook.Topic {
	t.Helper()
	topics, err := e.Topics(t.Context(), theScope, at)
	if err != nil {
		t.Fatal(err)
	}
	return topics
}

func TestTopicsAreTheSameWhenBuiltAnew(t *testing.T) {
	for seed := range uint64(3) {
		s, err := sqlite.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close() //nolint:errcheck // a test
		e := engine.New(s)
		notes := topicNotes(rand.New(rand.NewPCG(seed, 1)), 24)
		ids := map[string]daybook.TopicID{}
		var receipt daybook.Receipt
		for i := 0; i < len(notes); i += 2 { // sessions grow while they are looked at
			if receipt, err = e.Add(t.Context(), theScope, engine.By{Author: "test"}, notes[i:i+2]); err != nil {
				t.Fatal(err)
			}
			for _, topic := range topicsOf(t, e, daybook.AsOf{}) {
				for _, session := range topic.Sessions {
					if old, ok := ids[session]; ok && old != topic.ID && i%4 == 2 && session != notes[i].Session {
						t.Errorf("seed %d: %s moved when %s was added", seed, session, notes[i].Session)
					}
					ids[session] = topic.ID
				}
			}
		}
		kept, anew := topicsOf(t, e, daybook.AsOf{}), topicsOf(t, engine.New(s), daybook.AsOf{})
		if diff := cmp.Diff(kept, anew); diff != "" {
			t.Errorf("seed %d: built anew (-kept +anew):\n%s", seed, diff)
		}
		if len(kept) < 4 || len(kept) > 9 {
			t.Errorf("seed %d: %d topics of %d subjects", seed, len(kept), len(subjects))
		}
		known := daybook.AsOf{KnownAt: time.Now()}
		if _, err := e.Retract(t.Context(), theScope, engine.By{Author: "test"}, string(notes[0].Named().ID), ""); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(kept, topicsOf(t, e, known)); diff != "" || receipt.Seq == 0 {
			t.Errorf("seed %d: as known before the retraction (-kept +now):\n%s", seed, diff)
		}
		if diff := cmp.Diff(topicsOf(t, engine.New(s), daybook.AsOf{}), topicsOf(t, e, daybook.AsOf{})); diff != "" {
			t.Errorf("seed %d: after a retraction (-anew +kept):\n%s", seed, diff)
		}
	}
}

func TestSessionsAreChained(t *testing.T) {
	e := grammarian(t)
	notes := topicNotes(rand.New(rand.NewPCG(1, 1)), 5)
	addAll(t, e, append(notes[8:], notes[:8]...)...) // as they happened, not as they came
	sessions, err := e.Sessions(t.Context(), theScope, daybook.AsOf{})
	if err != nil || len(sessions) != 5 {
		t.Fatalf("%d sessions: %v", len(sessions), err)
	}
	for i, s := range sessions {
		want := daybook.Session{ID: fmt.Sprint("s", i), Notes: 4}
		if i > 0 {
			want.Previous = fmt.Sprint("s", i-1)
		}
		if i < 4 {
			want.Next = fmt.Sprint("s", i+1)
		}
		if s.ID != want.ID || s.Previous != want.Previous || s.Next != want.Next || s.Notes != want.Notes || s.Topic == "" || s.Label == "" {
			t.Errorf("session %d: %+v, want %+v", i, s, want)
		}
	}
}
