package server_test

import (
	"os"
	"os/exec"
	"testing"

	"daybook/server"
	"daybook/tools/clients"
)

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
	python := clients.Installed(t, "python")
	d := open(t, nil)
	runClient(t, python, "testdata/mem0_client.py", d.url, d.key(server.Key{Tenant: "acme", Right: server.Admin}))
}

func TestPublishedMem0Node(t *testing.T) {
	folder := clients.Installed(t, "node")
	d := open(t, nil)
	runClient(t, "node", "testdata/mem0_client.mjs", folder, d.url, d.key(server.Key{Tenant: "acme", Right: server.Admin}))
}
