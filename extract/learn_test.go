package extract_test

import (
	"context"
	"testing"
	"time"

	"daybook"
	"daybook/extract"
)

func learn(t *testing.T, notes ...daybook.Note) extract.Learned {
	t.Helper()
	for i := range notes {
		notes[i].Time = time.Date(2024, 5, 1, 10, i, 0, 0, time.UTC)
		notes[i] = notes[i].Named()
	}
	got, err := extract.Local{}.Learn(context.Background(), extract.Window{Notes: notes})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		text, relation, object string
		modality               daybook.Modality
	}{
		{"My bank is Northern Trust.", "bank", "Northern Trust", ""},
		{"I live in Porto.", "lives_in", "Porto", ""},
		{"I work at Siemens.", "works_at", "Siemens", ""},
		{"I report to Ingrid.", "manager", "Ingrid", ""},
		{"I drive an old Volvo.", "drives", "an old Volvo", ""},
		{"I love jazz.", "likes", "jazz", ""},
		{"I'm going to move to Berlin next year.", "moved_to", "Berlin", daybook.Planned},
		{"I might study Dutch one day.", "studies", "Dutch", daybook.Hypothetical},
		{"My rent is $900 a month.", "rent", "$900 a month", ""},
	} {
		got := learn(t, daybook.Note{Speaker: "Anna", Text: c.text})
		found := false
		for _, f := range got.Facts {
			found = found || f.Relation == c.relation && f.Object == c.object && f.Modality == c.modality
		}
		if !found {
			t.Errorf("%q: no (%s, %s, %q) among %d facts", c.text, c.relation, c.object, c.modality, len(got.Facts))
			for _, f := range got.Facts {
				t.Logf("   %s %s %q", f.Relation, f.Object, f.Modality)
			}
		}
	}
}

func TestFillersTeachNothing(t *testing.T) {
	for _, text := range []string{"Hey!", "Thanks so much!", "Wow, that's awesome.", "How are you?", "Haha, yeah.", "Good night!", "Take care.", "See you soon!", "Sounds great!", "Congrats!"} {
		if got := learn(t, daybook.Note{Speaker: "Anna", Text: text}); len(got.Facts) > 0 {
			t.Errorf("%q taught %s %s", text, got.Facts[0].Relation, got.Facts[0].Object)
		}
	}
}

func TestEnrich(t *testing.T) {
	got := learn(t,
		daybook.Note{Speaker: "Ben", Text: "How many kids do you have?"},
		daybook.Note{Speaker: "Anna", Text: "Two, both in school."})
	want := "Ben asked: How many kids do you have? Anna: Two, both in school."
	if len(got.Enrichments) != 1 || got.Enrichments[0].Text != want {
		t.Errorf("enriched: %+v, want %q", got.Enrichments, want)
	}
}
