package eval

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
)

// sampleSize is how many facts are read by hand.
const sampleSize = 100

// TestFactsToRead prints a random sample of what is learned from LoCoMo dev, each
// fact with the turn it was read from, to be judged by hand. DAYBOOK_SEED says
// which sample; docs/results.md has the tallies.
func TestFactsToRead(t *testing.T) {
	root := os.Getenv("DAYBOOK_DATA")
	if root == "" {
		t.Skip("SKIPPED: no facts are sampled; set DAYBOOK_DATA to the folder of the data sets")
	}
	d, err := LoadLocomo(filepath.Join(root, "locomo", "locomo_dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []readFact
	notes, greeted := 0, 0
	for _, c := range d.Conversations {
		found := factsOf(t, c)
		notes += len(c.Notes)
		greeted += greetings(found)
		all = append(all, found...)
	}
	perNote := float64(len(all)) / float64(notes)
	t.Logf("%d facts of %d notes, %.2f a note; %d of notes of up to four words", len(all), notes, perNote, greeted)
	if perNote > 1.2 {
		t.Errorf("%.2f facts a note, at most 1.2 are worth keeping", perNote)
	}
	seed, _ := strconv.ParseUint(cmp.Or(os.Getenv("DAYBOOK_SEED"), "1"), 10, 64)
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i, f := range all[:min(sampleSize, len(all))] {
		t.Logf("%3d %s\n\t[%s] %s: %s", i+1, f.line(), f.before, f.note.Speaker, f.note.Text)
	}
}

// readFact is a fact with the note it was read from and the end of the one before.
type readFact struct {
	daybook.Fact
	subject string
	note    daybook.Note
	before  string
}

func (f readFact) line() string {
	return f.subject + " | " + f.Relation + " | " + f.Object + " | " + string(cmp.Or(f.Modality, daybook.Asserted)) + " | " + f.Valid.String()
}

// factsOf learns from a conversation and returns its facts in a fixed order.
func factsOf(t *testing.T, c Conversation) (all []readFact) {
	t.Helper()
	e, done, err := learner(t)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	}()
	scope := daybook.Scope{User: c.ID}
	if _, err := e.Add(t.Context(), scope, engine.By{Author: "test"}, slices.Clone(c.Notes)); err != nil {
		t.Fatal(err)
	}
	names := map[daybook.EntityID]string{}
	entities, err := e.Entities(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range entities {
		names[x.ID] = x.Name
	}
	for i, n := range c.Notes {
		learned, err := e.Learned(t.Context(), scope, n.SourceID, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		before := ""
		if i > 0 && c.Notes[i-1].Session == n.Session {
			before = c.Notes[i-1].Text
		}
		for _, f := range learned.Facts {
			all = append(all, readFact{Fact: f.Fact, subject: names[f.Subject], note: n, before: before})
		}
	}
	return all
}

// greetings counts facts of notes that are too short to say anything.
func greetings(all []readFact) (n int) {
	for _, f := range all {
		if len(strings.Fields(f.note.Text)) <= 4 {
			n++
		}
	}
	return n
}
