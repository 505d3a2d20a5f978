package extract_test

import (
	"slices"
	"testing"

	"daybook"
	"daybook/english"
	"daybook/extract"
)

// What took the place of something is learned, and what made way is over.
func TestSwaps(t *testing.T) {
	for text, want := range map[string][]string{
		"We switched our phone plan from Vodafone to Three.":  {"phone_plan Three", "stopped Vodafone"},
		"I've moved from Evernote to Bear.":                   {"stopped Evernote"},
		"I traded my Vespa for a Brompton.":                   {"stopped Vespa"},
		"we replaced Travis with Drone last week":             {"stopped Travis"},
		"We migrated the blog to Hugo.":                       {"blog Hugo"},
		"I might switch from Evernote to Bear.":               nil,
		"We're going to switch from Evernote to Bear.":        nil,
		"I didn't switch from Evernote to Bear.":              nil,
		"My brother switched from Evernote to Bear.":          nil,
		"If we switched from Evernote to Bear, who would pay": nil,
	} {
		got := asserted(t, text)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%q: %q, want %q", text, got, w)
			}
		}
		if want == nil && slices.Contains(got, "stopped Evernote") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// asserted are the relations and values that are learned from what Anna says.
func asserted(t *testing.T, text string) (all []string) {
	t.Helper()
	for _, f := range learn(t, daybook.Note{Speaker: "Anna", Text: text}).Facts {
		if f.Modality == daybook.Asserted {
			all = append(all, f.Relation+" "+f.Object)
		}
	}
	return all
}

func TestHeir(t *testing.T) {
	const text = "Big news. We moved from Jenkins to Drone, at last."
	if got := extract.Heir(text, "Jenkins"); got != "Drone" {
		t.Errorf("%q", got)
	}
	if got := extract.Heir(text, "Travis"); got != "" {
		t.Errorf("%q", got)
	}
}

// The value of a sentence is never what the sentence gives up.
func TestGivenUpIsNoValue(t *testing.T) {
	for text, want := range map[string]string{
		"I switched from Evernote to Bear.": "Bear",
		"I cancelled my Hulu subscription.": "Hulu over",
		"Marek and I broke up.":             "Marek over",
		"My fiance and I have split up.":    "fiance over",
		"Our cat Minka died yesterday.":     "Minka over",
		"The doctor took me off warfarin.":  "warfarin over",
	} {
		s := english.ReadSentence(text)
		st, ok := extract.StatementOf(&s, extract.States)
		if given, over := extract.Given(&s); !ok && over {
			st = given
		}
		got := st.Object
		if st.Ended {
			got += " over"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
