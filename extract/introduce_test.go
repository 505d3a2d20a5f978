package extract_test

import (
	"slices"
	"testing"

	"daybook"
)

// What people say of themselves in so many words is learned, several things of one
// sentence too.
func TestIntroductions(t *testing.T) {
	for text, want := range map[string][]string{
		"I'm Tomas.": {"name Tomas"},
		"Hey, I'm Tomas and I work as a paramedic in Graz.":   {"name Tomas", "job a paramedic"},
		"I'm a software engineer at Siemens.":                 {"job a software engineer", "works_at Siemens"},
		"I'm allergic to penicillin, keep that in mind.":      {"allergic_to penicillin"},
		"I'm allergic to peanuts and shellfish.":              {"allergic_to peanuts", "allergic_to shellfish"},
		"Call me Tom.":                                        {"nickname Tom"},
		"I'm a regular at Luigi's.":                           nil,
		"I'm German.":                                         nil,
		"I might be allergic to cats.":                        nil,
		"If I'm allergic to nuts, what should I cook for us?": nil,
	} {
		got := learn(t, daybook.Note{Speaker: "Anna", Text: text})
		var all []string
		for _, f := range got.Facts {
			if f.Modality == daybook.Asserted {
				all = append(all, f.Relation+" "+f.Object)
			}
		}
		for _, w := range want {
			if !slices.Contains(all, w) {
				t.Errorf("%q: %q, want %q", text, all, w)
			}
		}
		for _, a := range all {
			if want == nil && (a[:4] == "name" || a[:4] == "alle" || a[:4] == "work" || a[:3] == "job") {
				t.Errorf("%q taught %q", text, a)
			}
		}
	}
}
