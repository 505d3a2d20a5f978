package extract_test

import (
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/model"
)

func reading(t *testing.T) extract.Reading {
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
	return extract.NewReading(reader, encoder)
}

func chat(lines ...string) (w extract.Window) {
	at := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	for i, l := range lines {
		speaker, text, _ := strings.Cut(l, ": ")
		n := daybook.Note{Session: "s", Speaker: speaker, Text: text, Time: at.Add(time.Duration(i) * time.Minute)}
		w.Notes = append(w.Notes, n.Named())
	}
	return w
}

func TestReadingLearnsFromTalk(t *testing.T) {
	got, err := reading(t).Learn(t.Context(), chat(
		"Tomo: so we signed for the flat on Harrow Lane yesterday, 940 a month",
		"Ines: omg finally!!",
		"Tomo: would love a dog there tbh but the landlord says no"))
	if err != nil {
		t.Fatal(err)
	}
	rent := false
	for _, f := range got.Facts {
		rent = rent || strings.Contains(f.Object, "940") && f.Modality == daybook.Asserted
		if f.Modality == daybook.Asserted && strings.Contains(f.Object, "dog") {
			t.Errorf("a wish was learned as a fact: %+v", f.Fact)
		}
	}
	if !rent {
		t.Errorf("the rent was not learned: %+v", got.Facts)
	}
}

// Nothing is learned where nothing is said, and no message does harm.
func TestReadingOfNothing(t *testing.T) {
	l := reading(t)
	for _, text := range []string{"", " ", "👍🏽", "\x01\x02", "ok", "lol", strings.Repeat("ha", 50000)} {
		w := extract.Window{Notes: []daybook.Note{{ID: "note_x", Session: "s", Speaker: "Ana", Text: text, Time: time.Unix(1e9, 0)}}}
		got, err := l.Learn(t.Context(), w)
		if err != nil {
			t.Errorf("%.10q: %v", text, err)
		}
		if len(got.Facts) > 0 {
			t.Errorf("%.10q: learned %+v", text, got.Facts[0].Fact)
		}
	}
}

// What a few words state is erased with the message that they answer.
func TestBareStatementStandsOnBoth(t *testing.T) {
	w := chat("Ines: how many kids do you have?", "Tomo: two, both in school")
	got, err := reading(t).Learn(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Facts {
		if f.Stated == nil && f.Read != nil && len(f.Sources) != 2 {
			t.Errorf("%q stands on %v", f.Object, f.Sources)
		}
	}
}
