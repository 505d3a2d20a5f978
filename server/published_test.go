package server_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"daybook/server"
)

// published is where the published clients of a language are. Where they cannot be had the
// test does not run, and says so.
func published(t *testing.T, language string) string {
	t.Helper()
	var out, why strings.Builder
	cmd := exec.Command("../tools/clients/install.sh", language)
	cmd.Stdout, cmd.Stderr = &out, &why
	if err := cmd.Run(); err != nil {
		t.Skipf("\n\n*** NOT RUN: the published clients for %s could not be installed (%v):\n%s\n", language, err, why.String())
	}
	return strings.TrimSpace(out.String())
}

// runClient runs a client that must succeed, with a home of its own.
func runClient(t *testing.T, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "MEM0_TELEMETRY=False")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPublishedMem0Python(t *testing.T) {
	python := published(t, "python")
	d := open(t, nil)
	runClient(t, python, "testdata/mem0_client.py", d.url, d.key(server.Key{Tenant: "acme", Right: server.Admin}))
}

func TestPublishedMem0Node(t *testing.T) {
	folder := published(t, "node")
	d := open(t, nil)
	runClient(t, "node", "testdata/mem0_client.mjs", folder, d.url, d.key(server.Key{Tenant: "acme", Right: server.Admin}))
}
