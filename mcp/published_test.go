package mcp_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"daybook/tools/clients"
)

// runPython runs a script that must succeed.
func runPython(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(clients.Installed(t, "python"), args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// binary builds the program itself.
func binary(t *testing.T) string {
	t.Helper()
	daybook := filepath.Join(t.TempDir(), "daybook")
	if out, err := exec.Command("go", "build", "-o", daybook, "../cmd/daybook").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return daybook
}

func TestPublishedPythonStdio(t *testing.T) {
	runPython(t, "testdata/client.py", "stdio", binary(t), t.TempDir())
}

// The same over HTTP, with a process that serves.
func TestPublishedPythonHTTP(t *testing.T) {
	serve := exec.Command(binary(t), "serve", "--quiet", "--home", t.TempDir(), "--addr", "127.0.0.1:0")
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		if err := serve.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), " on ")
	if err != nil || !found {
		t.Fatalf("the server says %q, %v", line, err)
	}
	runPython(t, "testdata/client.py", "http", url+"/mcp/Ana")
}
