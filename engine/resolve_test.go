package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/store/sqlite"
)

// grammarian returns an engine on an empty home that learns by grammar.
func grammarian(t testing.TB) *engine.Engine {
	t.Helper()
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s).WithLearner(extract.Local{})
	t.Cleanup(func() { _ = e.Close() })
	return e
}

var theScope = daybook.Scope{User: "u"}

// say is a note of a session, at a minute of it.
func say(session, speaker, text string, minute int) daybook.Note {
	return daybook.Note{Session: session, Speaker: speaker, Text: text, Time: time.Date(2024, 5, 1, 10, minute, 0, 0, time.UTC)}
}

func addAll(t testing.TB, e *engine.Engine, notes ...daybook.Note) {
	t.Helper()
	for _, n := range notes {
		if _, err := e.Add(t.Context(), theScope, engine.By{Author: "test"}, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
}

// alsoKnown lists entities with other names, as "Melanie = Mel".
func alsoKnown(t testing.TB, e *engine.Engine) (all []string) {
	t.Helper()
	views, err := e.EntityViews(t.Context(), theScope, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if len(v.Aliases) > 0 {
			all = append(all, v.Name+" = "+strings.Join(v.Aliases, ", "))
		}
	}
	slices.Sort(all)
	return all
}

func TestNamesOfOneEntity(t *testing.T) {
	for _, c := range []struct {
		name  string
		notes []daybook.Note
		want  string
	}{
		{"a nickname of who speaks", []daybook.Note{say("s", "Caroline", "Mel loves pottery.", 1), say("s", "Melanie", "I live in Porto.", 2)}, "Melanie = Mel"},
		{"two that it may stand for", []daybook.Note{say("s", "Ann", "Mel loves pottery.", 1), say("s", "Ann", "Melanie lives in Porto.", 2), say("s", "Ann", "Melissa lives in Rome.", 3)}, ""},
		{"of two the one who speaks", []daybook.Note{say("s", "Ann", "Mel loves pottery.", 1), say("s", "Melanie", "I live in Porto.", 2), say("s", "Ann", "Melissa lives in Rome.", 3)}, "Melanie = Mel"},
		{"a first name in the same session", []daybook.Note{say("s", "Ann", "Rebecca Stone lives in Rome.", 1), say("s", "Ann", "Rebecca loves jazz.", 2)}, "Rebecca Stone = Rebecca"},
		{"a first name in another session", []daybook.Note{say("s", "Ann", "Rebecca Stone lives in Rome.", 1), say("z", "Ann", "Rebecca loves jazz.", 2)}, ""},
		{"who speaks is nobody else", []daybook.Note{say("s", "Rebecca", "Rebecca Stone lives in Rome.", 1), say("s", "Rebecca", "I love jazz.", 2)}, ""},
		{"initials", []daybook.Note{say("s", "Ann", "I live in NYC.", 1), say("z", "Ann", "I work in New York City.", 2)}, "New York City = NYC"},
		{"two words for one tie", []daybook.Note{say("s", "Ann", "My mom lives in Rome.", 1), say("s", "Ann", "My mother loves jazz.", 2)}, "Ann's mother = Ann's mom"},
	} {
		e := grammarian(t)
		addAll(t, e, c.notes...)
		if got := strings.Join(alsoKnown(t, e), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMergesWhateverTheOrderOfArrival(t *testing.T) {
	people := []string{"Rebecca Stone", "Becky", "Rebecca", "Melanie", "Mel", "Melissa Jones", "Dr. Stone", "Robert", "Bob", "Bobby"}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var notes []daybook.Note
		for i := range 14 {
			who := people[rng.IntN(len(people))]
			speaker, text := "Ann", fmt.Sprintf("%s lives in %s.", who, []string{"Rome", "Porto", "Oslo"}[rng.IntN(3)])
			if rng.IntN(5) == 0 {
				speaker, text = []string{"Melanie", "Robert"}[rng.IntN(2)], "I live in Lyon."
			}
			notes = append(notes, say(fmt.Sprint("s", rng.IntN(3)), speaker, text, i))
		}
		var first []string
		for round := range 3 {
			e := grammarian(t)
			addAll(t, e, notes...)
			got := alsoKnown(t, e)
			if round > 0 && !slices.Equal(got, first) {
				t.Errorf("seed %d: %q in one order of arrival, %q in another", seed, first, got)
			}
			first = got
			rng.Shuffle(len(notes), func(i, j int) { notes[i], notes[j] = notes[j], notes[i] })
		}
	}
}

func TestASplitIsRespected(t *testing.T) {
	e := grammarian(t)
	addAll(t, e, say("s", "Ann", "Mel loves pottery.", 1), say("s", "Melanie", "I live in Porto.", 2))
	if _, err := e.Split(t.Context(), theScope, engine.By{Author: "test"}, "Mel", "somebody else"); err != nil {
		t.Fatal(err)
	}
	addAll(t, e, say("s", "Ann", "Mel lives in Rome.", 3), say("s", "Melanie", "I love jazz.", 4))
	if got := alsoKnown(t, e); len(got) > 0 {
		t.Errorf("merged again after a person split it: %q", got)
	}
	if _, err := e.Merge(t.Context(), theScope, engine.By{Author: "test"}, "Mel", "Melanie", "asked her"); err != nil {
		t.Fatal(err)
	}
	addAll(t, e, say("s", "Ann", "Melissa lives in Oslo.", 5), say("s", "Ann", "Melinda lives in Oslo.", 6))
	if got := alsoKnown(t, e); !slices.Equal(got, []string{"Melanie = Mel"}) {
		t.Errorf("a person's merge does not stand: %q", got)
	}
}
