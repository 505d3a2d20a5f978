package examples_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"daybook/tools/clients"
)

// The types of both clients, and the synchronous client, are what clients/generate.py
// makes of the served description.
func TestClientsAreGenerated(t *testing.T) {
	has(t, "python3")
	reply, err := http.Get(serve(t) + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	api, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(path, api, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, ".", "python3", "../clients/generate.py", path, "--check")
}

// The Python client, built as a wheel and installed from it.
func TestPublishedPythonClient(t *testing.T) {
	python, site := pythonClient(t)
	tests, err := filepath.Abs("../clients/python/tests")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"test_client.py", "test_integrations.py"} {
		example(t, withPath(exec.Command(python, "-W", "ignore::ResourceWarning", filepath.Join(tests, file)), site))
	}
	// The tests and, as they import it, the whole client.
	cmd := exec.Command(python, "-m", "mypy", "--strict", "--python-version", "3.10", "--cache-dir", filepath.Join(filepath.Dir(python), "mypy-cache"), tests)
	cmd.Dir, cmd.Env = site, append(os.Environ(), "MYPYPATH="+site)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("mypy: %v\n%s", err, out)
	}
}

// The TypeScript client, built as a tarball and installed from it: as a module, with
// require, and compiled against.
func TestPublishedTypeScriptClient(t *testing.T) {
	folder := nodeClient(t)
	for _, file := range []string{"client.test.mjs", "client.test.cjs", "types.ts"} {
		copyFile(t, "../clients/typescript/tests/"+file, filepath.Join(folder, file))
	}
	example(t, exec.Command("node", "--test", folder+"/client.test.mjs"))
	example(t, exec.Command("node", "--test", folder+"/client.test.cjs"))
	run(t, folder, "node_modules/.bin/tsc", "--noEmit", "--strict", "--target", "ES2022", "--module", "NodeNext", "--skipLibCheck", "false", "--types", "", "types.ts")
	for _, kind := range []string{"esm", "cjs"} {
		code, err := os.ReadFile(filepath.Join(folder, "node_modules/daybook-memory/dist", kind, "index.js"))
		if err != nil {
			t.Error(err)
		} else if strings.Contains(string(code), `"node:`) {
			t.Errorf("the %s build needs Node; browsers have none", kind)
		}
	}
}

var shownCode = regexp.MustCompile("(?s)```(python|js)\n(.*?)```")

// programs are the pieces of code that a README shows, as files in a folder.
func programs(t *testing.T, readme, folder, ext string) (files []string) {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range shownCode.FindAllStringSubmatch(string(text), -1) {
		file := filepath.Join(folder, fmt.Sprintf("shown%d%s", i+1, ext))
		if err := os.WriteFile(file, []byte(m[2]), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		t.Fatalf("%s shows no code", readme)
	}
	return files
}

// The code that the clients' READMEs show prints what they say.
func TestPublishedReadmes(t *testing.T) {
	python, site := pythonClient(t)
	shown := programs(t, "../clients/python/README.md", t.TempDir(), ".py")
	for i, want := range []string{labelled + "Dr. Weiss\n", "I play the cello.\n"} {
		if got := example(t, withPath(exec.Command(python, shown[i]), site)); got != want {
			t.Errorf("the Python client's README, program %d prints\n%s", i+1, got)
		}
	}
	shown = programs(t, "../clients/typescript/README.md", nodeClient(t), ".mjs")
	if got := example(t, exec.Command("node", shown[0])); got != labelled+"Dr. Weiss\n" {
		t.Errorf("the TypeScript client's README prints\n%s", got)
	}
}

// integration is an example of at most 40 lines, and how what it prints ends.
type integration struct{ file, ends string }

const fromMemory = "[current] I changed dentists, I go to Dr. Moreau now.\n[historical] My dentist is Dr. Weiss.\n"

func TestPublishedIntegrationsPython(t *testing.T) {
	python, site := pythonClient(t)
	for _, e := range []integration{
		{"langgraph_store.py", "Noted.\nNoted.\nI know: I changed dentists, I go to Dr. Moreau now.\n"},
		{"langgraph_agent.py", fromMemory},
		{"openai_agents_session.py", fromMemory + "[said] Noted.\n[said] Noted.\n4 items on Monday, 2 on Friday\n"},
		{"llamaindex_memory.py", fromMemory + "[said] Noted.\n[said] Noted.\n"},
	} {
		t.Run(e.file, func(t *testing.T) {
			e.check(t, "python/", withPath(exec.Command(python, "python/"+e.file), site))
		})
	}
}

func TestPublishedIntegrationsNode(t *testing.T) {
	folder, e := nodeClient(t), integration{"ai_sdk_memory.mjs", fromMemory}
	copyFile(t, "node/"+e.file, filepath.Join(folder, e.file))
	e.check(t, "node/", exec.Command("node", filepath.Join(folder, e.file)))
}

func (e integration) check(t *testing.T, folder string, cmd *exec.Cmd) {
	t.Helper()
	source, err := os.ReadFile(folder + e.file)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(source), "\n"); lines > 40 {
		t.Errorf("%s has %d lines; 40 are allowed", e.file, lines)
	}
	if got := example(t, cmd); !strings.HasSuffix(got, e.ends) {
		t.Errorf("%s prints\n%s", e.file, got)
	}
}

// pythonClient builds the wheel and unpacks it: the interpreter to run, and the folder
// that holds the installed package.
func pythonClient(t *testing.T) (python, site string) {
	t.Helper()
	python = clients.Installed(t, "own-python")
	site = filepath.Join(folder, "site")
	once(t, site, func(t *testing.T) {
		source := filepath.Join(t.TempDir(), "python")
		if err := os.CopyFS(source, os.DirFS("../clients/python")); err != nil {
			t.Fatal(err)
		}
		run(t, source, python, "-m", "build", "--wheel", "--no-isolation")
		wheels, err := filepath.Glob(source + "/dist/daybook_memory-*-py3-none-any.whl")
		if err != nil || len(wheels) != 1 {
			t.Fatalf("wheels: %v %v", wheels, err)
		}
		run(t, source, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", site, wheels[0])
	})
	return python, site
}

// nodeClient builds the tarball and installs it: a folder with node_modules.
func nodeClient(t *testing.T) string {
	t.Helper()
	modules := filepath.Join(clients.Installed(t, "own-node"), "node_modules")
	used := filepath.Join(folder, "node")
	once(t, used, func(t *testing.T) {
		source := filepath.Join(t.TempDir(), "typescript")
		if err := os.CopyFS(source, os.DirFS("../clients/typescript")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(modules, source+"/node_modules"); err != nil {
			t.Fatal(err)
		}
		run(t, source, "npm", "pack", "--silent")
		if err := os.MkdirAll(used+"/node_modules", 0o755); err != nil {
			t.Fatal(err)
		}
		// Unpacked as npm does, beside links to what else is installed.
		run(t, used, "tar", "xzf", source+"/daybook-memory-0.1.0.tgz")
		link(t, modules, used+"/node_modules")
		if err := os.Rename(used+"/package", used+"/node_modules/daybook-memory"); err != nil {
			t.Fatal(err)
		}
	})
	return used
}

// link makes a folder that has all entries of another as links.
func link(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

var made sync.Map

// once makes something for all tests; where that failed, later tests fail, too.
func once(t *testing.T, what string, do func(*testing.T)) {
	t.Helper()
	if ok, tried := made.Load(what); tried {
		if !ok.(bool) {
			t.Fatalf("%s could not be made; an earlier test says why", filepath.Base(what))
		}
		return
	}
	made.Store(what, false)
	do(t)
	made.Store(what, true)
}

func run(t *testing.T, in, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// withPath lets a Python program find the client.
func withPath(cmd *exec.Cmd, site string) *exec.Cmd {
	cmd.Env = append(os.Environ(), "PYTHONPATH="+site)
	return cmd
}
