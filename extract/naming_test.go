package extract_test

import (
	"slices"
	"strings"
	"testing"
)

// Names of people and animals are learned as what they are to the speaker.
func TestNamings(t *testing.T) {
	for text, want := range map[string]string{
		"My brother Marek plays the tuba.":                "brother Marek",
		"I had lunch with my boss Ingrid.":                "manager Ingrid",
		"my wife Farah and I love the coast":              "married_to Farah",
		"We have a grumpy beagle called Moses.":           "dog Moses",
		"we adopted a tabby yesterday, her name is Olive": "cat Olive",
		"I finally got a pony!!! She's called Biscuit.":   "horse Biscuit",
		"I'm seeing someone. His name is Idris.":          "partner Idris",
		"We rescued a kitten and named her Olive.":        "cat Olive",
		"My cofounder Tomoko is in Osaka.":                "cofounder Tomoko",
		"we hired a new cleaner, her name is Paula":       "cleaner Paula",
		"My late uncle Bohdan was a sailor.":              "",
		"My ex girlfriend Tara lives there.":              "",
		"I met a dog in the park. His name was on a tag.": "",
		"I'd love a puppy. A friend has one, he's called": "",
		"Ana has a cat called Figaro.":                    "",
	} {
		got := asserted(t, text)
		if want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for _, f := range got {
			if rel, _, _ := strings.Cut(f, " "); want == "" && (rel == "uncle" || rel == "partner" || rel == "dog" || rel == "cat") {
				t.Errorf("%q taught %q", text, f)
			}
		}
	}
}
