package extract_test

import (
	"slices"
	"testing"

	"daybook"
	"daybook/extract"
)

// What is over with nothing in its place is learned as that.
func TestEndings(t *testing.T) {
	for text, want := range map[string]string{
		"I no longer use Notion.":              "use Notion until",
		"I don't use Notion anymore.":          "use Notion until",
		"I stopped taking ibuprofen.":          "take ibuprofen until",
		"I've stopped using Slack at work.":    "use Slack until",
		"I quit my job at Voith.":              "works_at Voith until",
		"I cancelled FitInn.":                  "stopped FitInn",
		"cancelled FitInn, too far away":       "stopped FitInn",
		"I cancelled my Netflix subscription.": "stopped Netflix",
		"I gave up coffee.":                    "stopped coffee",
		"I sold my car.":                       "stopped car",
		"I left Revolut.":                      "stopped Revolut",
		"I didn't cancel FitInn.":              "",
		"I might cancel FitInn.":               "",
		"Did I cancel FitInn?":                 "",
		"I'm thinking of leaving Revolut.":     "",
		"If I cancelled FitInn, I'd be sad.":   "",
	} {
		got := learn(t, daybook.Note{Speaker: "Anna", Text: text})
		var all []string
		for _, f := range got.Facts {
			said := f.Relation + " " + f.Object
			if f.Modality == daybook.Asserted && f.Valid.From.IsZero() {
				said += " until"
			}
			if f.Modality == daybook.Asserted {
				all = append(all, said)
			}
		}
		if want != "" && !slices.Contains(all, want) {
			t.Errorf("%q: %q, want %q", text, all, want)
		}
		if want == "" && slices.ContainsFunc(all, func(s string) bool { return s == "stopped FitInn" || s == "stopped Revolut" }) {
			t.Errorf("%q: %q", text, all)
		}
	}
}

// What began some time ago goes on.
func TestBeginnings(t *testing.T) {
	got := learn(t, daybook.Note{Speaker: "Anna", Text: "I started playing acoustic guitar about five years ago."})
	i := slices.IndexFunc(got.Facts, func(f extract.Fact) bool { return f.Relation == "plays" })
	if i < 0 || got.Facts[i].Valid.From.Year() != 2019 && got.Facts[i].Valid.From.Year() != 2018 || !got.Facts[i].Valid.Until.IsZero() {
		t.Errorf("%+v", got.Facts)
	}
}
