package engine_test

import (
	"flag"
	"os"
	"testing"
)

// defaultChecks is how many random histories each law is tried on where
// -rapid.checks does not say. Each run draws others; make check draws many more.
const defaultChecks = "50"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", defaultChecks); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // parses the flags: the command line has the last word
}
