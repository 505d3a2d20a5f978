package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	want := `current     I changed dentists, I go to Dr. Moreau now.
historical  My dentist is Dr. Weiss.
Dr. Weiss
`
	home := t.TempDir()
	for range 2 { // what is said again changes nothing
		var out strings.Builder
		if err := run(t.Context(), home, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("it prints\n%s", out.String())
		}
	}
}
