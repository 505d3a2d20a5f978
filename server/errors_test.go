package server

import "testing"

func TestWithoutPaths(t *testing.T) {
	for text, want := range map[string]string{
		"write ledger /home/ana/.daybook/daybook.db: the disk is full; make room": "write ledger …: the disk is full; make room",
		"open \"/var/lib/x\": no":                 "open \"…\": no",
		"wait for commit 3 to be indexed: and/or": "wait for commit 3 to be indexed: and/or",
		"see /docs": "see /docs",
	} {
		if got := withoutPaths(text); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
