// Package examples_test runs the examples against a server of their own, and holds
// docs/integrations.md, which shows them, against the files.
package examples_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"daybook/tools/clients"
)

// labelled is what the examples that recall print of the rows.
const labelled = "current | I changed dentists, I go to Dr. Moreau now.\nhistorical | My dentist is Dr. Weiss.\n"

func TestCurl(t *testing.T) {
	has(t, "curl")
	got := twice(t, exec.Command("sh", "curl.sh"))
	for _, want := range []string{`"role":"current"`, `"role":"historical"`, `"answer":"Dr. Weiss"`, `"transitions":`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestPythonHTTP(t *testing.T) {
	has(t, "python3")
	prints(t, exec.Command("python3", "python/http_client.py"), labelled+"Dr. Weiss\n")
}

func TestNodeHTTP(t *testing.T) {
	has(t, "node")
	prints(t, exec.Command("node", "node/http_client.mjs"), labelled+"Dr. Weiss\n")
}

func TestPublishedMem0Python(t *testing.T) {
	found(t, exec.Command(clients.Installed(t, "python"), "python/mem0_client.py"))
}

func TestPublishedMem0Node(t *testing.T) {
	folder, modules := t.TempDir(), clients.Installed(t, "node")+"/node_modules"
	source, err := os.ReadFile("node/mem0_client.mjs")
	if err == nil {
		err = os.WriteFile(folder+"/mem0_client.mjs", source, 0o644)
	}
	if err == nil {
		err = os.Symlink(modules, folder+"/node_modules")
	}
	if err != nil {
		t.Fatal(err)
	}
	found(t, exec.Command("node", folder+"/mem0_client.mjs"))
}

// has skips the test where the machine lacks a program.
func has(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("*** NOT RUN: there is no %s", program)
	}
}

func prints(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	if got := twice(t, cmd); got != want {
		t.Errorf("it prints\n%s", got)
	}
}

// found runs an example that prints both rows. mem0's search puts them in the order of
// their scores.
func found(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	got := strings.SplitAfter(twice(t, cmd), "\n")
	slices.Sort(got)
	if strings.Join(got, "") != labelled {
		t.Errorf("it prints\n%s", got)
	}
}

// example runs one against a new server and returns what it prints.
func example(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	return against(t, serve(t), cmd)
}

// twice runs one two times against a new server, as somebody does who tries things, and
// returns what it prints the second time.
func twice(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	url, again := serve(t), exec.Command(cmd.Args[0], cmd.Args[1:]...)
	against(t, url, cmd)
	return against(t, url, again)
}

func against(t *testing.T, url string, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Env = append(slices.Clone(cmd.Environ()), "DAYBOOK_URL="+url, "HOME="+t.TempDir(), "MEM0_TELEMETRY=False")
	var out, why strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &why
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out.String(), why.String())
	}
	return out.String()
}

// folder holds what tests build.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "daybook-examples-*"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// program is Daybook itself, built once.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "daybook")
	return path, exec.Command("go", "build", "-o", path, "../cmd/daybook").Run()
})

// serve starts a server with an empty home and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(path, "serve", "--quiet", "--home", t.TempDir(), "--addr", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url := regexp.MustCompile(`http://[^\s/]+`).FindString(lines.Text()); url != "" {
			return url
		}
	}
	t.Fatal("the server does not say where it listens")
	return ""
}

var shownFile = regexp.MustCompile("(?s)<!-- (examples/[^ ]+) -->\n```[a-z]+\n(.*?)```")

// What docs/integrations.md shows are the files, to the letter.
func TestIntegrationsShowTheExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/integrations.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := shownFile.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 5 {
		t.Fatalf("only %d files are shown", len(blocks))
	}
	for _, m := range blocks {
		file, err := os.ReadFile("../" + m[1])
		if err != nil {
			t.Error(err)
		} else if string(file) != m[2] {
			t.Errorf("docs/integrations.md shows something else than %s", m[1])
		}
	}
}
