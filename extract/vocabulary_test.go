package extract

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"daybook"
)

// docs/vocabulary.md prints the vocabulary as it is.
func TestVocabularyIsDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# The relations

Relations are open: whatever the words of a note name becomes a relation of its own, written with underscores
("my chess rating is 1500" gives ` + "`chess_rating`" + `). Those that people speak of in many ways have one name. A relation that
holds one value at a time lets a later value close an earlier one; the others keep all. "My X is Y" in the singular holds
one value whatever X is. ` + "`go test ./extract -run Vocabulary -update`" + ` writes this page.

| relation | holds | said as |
|---|---|---|
`)
	for _, r := range vocabulary {
		holds := "many"
		if r.holds == daybook.OneValue {
			holds = "one"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.name, holds, strings.ReplaceAll(r.said, "|", ", "))
	}
	const path = "../docs/vocabulary.md"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/vocabulary.md is not the vocabulary (%v); run go test ./extract -run Vocabulary -update", err)
	}
}
