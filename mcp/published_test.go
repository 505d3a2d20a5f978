package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"daybook"
	"daybook/mcp"
)

// python is the interpreter that has the published clients. Where they cannot be had the
// test does not run, and says so.
func python(t *testing.T) string {
	t.Helper()
	var out, why strings.Builder
	cmd := exec.Command("../tools/clients/install.sh", "python")
	cmd.Stdout, cmd.Stderr = &out, &why
	if err := cmd.Run(); err != nil {
		t.Skipf("\n\n*** NOT RUN: the published Python clients could not be installed (%v):\n%s\n", err, why.String())
	}
	return strings.TrimSpace(out.String())
}

// runPython runs a script that must succeed.
func runPython(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(python(t), args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPublishedPythonStdio(t *testing.T) {
	daybook := filepath.Join(t.TempDir(), "daybook")
	if out, err := exec.Command("go", "build", "-o", daybook, "../cmd/daybook").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runPython(t, "testdata/client.py", "stdio", daybook, t.TempDir())
}

func TestPublishedPythonHTTP(t *testing.T) {
	h := mcp.New(newEngine(t), "test", quiet).Handler(func(_ http.ResponseWriter, r *http.Request) (mcp.Reach, bool) {
		return mcp.Reach{Scope: daybook.Scope{User: r.PathValue("user")}}, true
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp/{user}", h)
	s := httptest.NewServer(mux)
	defer s.Close()
	runPython(t, "testdata/client.py", "http", s.URL+"/mcp/Ana")
}
