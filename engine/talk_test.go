package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/store/sqlite"
)

// toldAndAsked is what somebody said, a message a day from 1 March 2026 on, and what is answered:
// "*" stands for nothing that is known.
type toldAndAsked struct {
	said  []string
	asked map[string]string
}

// What was given up, changed for something else or lost is answered as that, and so is
// what somebody or something is called.
func TestTalks(t *testing.T) {
	for name, talk := range map[string]toldAndAsked{
		"given up": {
			[]string{"I joined the climbing hall Boulderado.", "My phone plan is from Tello.", "I cancelled my Boulderado membership."},
			map[string]string{"Do I still go to Boulderado?": "No, no longer: over by 3 March 2026."},
		},
		"changed": {
			[]string{"We use Trello at work.", "My bank is Nordea.", "We switched from Trello to Asana.", "I changed my bank from Nordea to Handelsbanken."},
			map[string]string{
				"Do we still use Trello?":      "No, now Asana; Trello was before.",
				"Which bank do I use?":         "Handelsbanken",
				"Which bank did I use before?": "Nordea",
			},
		},
		"parted": {
			[]string{"My girlfriend Ewa plays the cello.", "I work at a bakery.", "Ewa and I broke up."},
			map[string]string{"Do I have a girlfriend?": "No, no longer Ewa (ended 2026-03-03)."},
		},
		"names": {
			[]string{"My name is Sven.", "we got a beagle!! her name is Toffee", "I live in Oulu.", "My brother Mikko visits me a lot.", "My aunt Ritva has moved to Espoo."},
			map[string]string{
				"What is my dog called?":          "Toffee",
				"Do I have a dog?":                "Yes, Toffee.",
				"What is my brother's name?":      "Mikko",
				"What is the name of my dentist?": "*",
				"Where do I live?":                "in Oulu",
				"Where does Ritva live?":          "Espoo",
				"Where does Sven live?":           "in Oulu",
			},
		},
		"set anew": {
			[]string{"My driving test is on 4 May.", "The rent is 700 euros.", "They moved the driving test to 19 May.", "The landlord raised the rent to 750 euros."},
			map[string]string{"When is my driving test?": "19 May", "How much is the rent?": "750 euros"},
		},
	} {
		e, scope := talked(t, talk.said, false)
		for question, want := range talk.asked {
			a, err := e.Ask(t.Context(), scope, engine.Asked{Text: question})
			if err != nil {
				t.Fatal(err)
			}
			if want == "*" && a.Known || want != "*" && a.Text != want {
				t.Errorf("%s: %s %q, want %q", name, question, a.Text, want)
			}
		}
	}
}

// talked is a memory of what somebody said, taken in as it was said or from the end.
func talked(t *testing.T, said []string, backwards bool) (*engine.Engine, daybook.Scope) {
	t.Helper()
	local, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, scope := engine.New(s).WithEncoder(local).WithLearner(extract.Local{Encoder: local}), daybook.Scope{User: "u"}
	t.Cleanup(func() { e.Close() }) //nolint:errcheck // the test is over
	var notes []daybook.Note
	for i, text := range said {
		notes = append(notes, daybook.Note{Speaker: "user", Text: text, Session: text, Time: time.Date(2026, 3, 1+i, 10, 0, 0, 0, time.UTC)})
	}
	if backwards {
		slices.Reverse(notes)
	}
	for _, n := range notes {
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	return e, scope
}

// What took the place of a thing takes it wherever the thing was told of, in whatever order
// the notes came; who moves house does not do elsewhere what they did at home.
func TestHeirs(t *testing.T) {
	said := []string{"We use Trello at work.", "I live in Graz.", "I moved from Graz to Linz.", "We switched from Trello to Asana."}
	for _, backwards := range []bool{false, true} {
		e, scope := talked(t, said, backwards)
		states, err := e.Facts(t.Context(), scope, engine.FactQuery{Subject: "user", All: true})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, st := range states {
			for _, p := range st.Periods {
				all = append(all, strings.Join([]string{st.Relation, p.Object, string(p.Role)}, " "))
			}
		}
		for _, want := range []string{"use Trello historical", "use Asana current", "lives_in Graz historical"} {
			if !slices.Contains(all, want) {
				t.Errorf("backwards %v: no %q in %q", backwards, want, all)
			}
		}
	}
}
