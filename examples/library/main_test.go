package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), t.TempDir(), &out); err != nil {
		t.Fatal(err)
	}
	want := `current     I changed dentists, I go to Dr. Moreau now.
historical  My dentist is Dr. Weiss.
Dr. Weiss
`
	if out.String() != want {
		t.Errorf("it prints\n%s", out.String())
	}
}
