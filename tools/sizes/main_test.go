package main

import "testing"

// No function of this repository is longer than sixty lines.
func TestSizes(t *testing.T) {
	packages := map[string]*group{}
	if err := measure("../..", packages); err != nil {
		t.Fatal(err)
	}
	if len(packages) < 20 {
		t.Fatalf("only %d packages were read", len(packages))
	}
	for _, g := range packages {
		for _, f := range g.functions {
			if f.lines > 60 {
				t.Errorf("%s has %d lines", f.place, f.lines)
			}
		}
	}
}
