// Package clients installs the clients that other people publish, for tests that talk
// to Daybook with them.
package clients

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Installed is where the published clients of a language are: the interpreter of an
// environment (python), or a folder that holds node_modules (node). Where they cannot
// be had the test does not run, and says so.
func Installed(t *testing.T, language string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	var out, why strings.Builder
	cmd := exec.Command(filepath.Join(filepath.Dir(here), "install.sh"), language)
	cmd.Stdout, cmd.Stderr = &out, &why
	if err := cmd.Run(); err != nil {
		t.Skipf("\n\n*** NOT RUN: the published clients for %s could not be installed (%v):\n%s\n", language, err, why.String())
	}
	return strings.TrimSpace(out.String())
}
