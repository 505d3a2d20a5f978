package extract_test

import (
	"testing"

	"daybook/extract"
)

func TestAliasOf(t *testing.T) {
	for _, c := range []struct {
		short, full string
		want        extract.Alias
	}{
		{"Melanie's", "Melanie", extract.Possessive},
		{"Dr. Anna Smith", "Anna Smith", extract.Titled},
		{"Dr. Smith", "Anna Smith", extract.Surname},
		{"Anna", "Anna Smith", extract.FirstName},
		{"Mel", "Melanie", extract.Nickname},
		{"Bob", "Robert Miller", extract.Nickname},
		{"Bob Miller", "Robert Miller", extract.Nickname},
		{"Ben's mum", "Ben's mother", extract.Kin},
		{"NYC", "New York City", extract.Acronym},
		{"NYC", "New York", extract.NoAlias},
		{"Smith", "Anna Smith", extract.NoAlias},
		{"Mr. Smith", "Mrs. Smith", extract.NoAlias},
		{"Dr. Smith", "Prof. Anna Smith", extract.NoAlias},
		{"Eva", "Evan", extract.NoAlias},
		{"Anna", "Anna", extract.NoAlias},
		{"Ben's mum", "Tom's mother", extract.NoAlias},
		{"Ben's sister", "Ben's mother", extract.NoAlias},
		{"Central", "Central Park", extract.NoAlias},
		{"Charlotte", "Charlotte and the Harpers", extract.NoAlias},
	} {
		if got := extract.AliasOf(c.short, c.full); got != c.want {
			t.Errorf("%q for %q: %q, want %q", c.short, c.full, got, c.want)
		}
		if back := extract.AliasOf(c.full, c.short); back != extract.NoAlias && c.want != extract.NoAlias {
			t.Errorf("%q and %q are forms of each other", c.short, c.full)
		}
	}
}
