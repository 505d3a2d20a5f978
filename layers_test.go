package daybook_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLayers holds every package's imports against the table in
// docs/architecture.md.
func TestLayers(t *testing.T) {
	allowed := layerTable(t)
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		name := short(pkg.ImportPath)
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %s is not in the table of docs/architecture.md", name)
		}
		for _, imp := range pkg.Imports {
			if inModule(imp) && !slices.Contains(may, short(imp)) {
				t.Errorf("%s imports %s; the table allows %v", name, short(imp), may)
			}
		}
	}
}

func inModule(path string) bool { return path == "daybook" || strings.HasPrefix(path, "daybook/") }

func short(path string) string { return strings.TrimPrefix(path, "daybook/") }

var tableRow = regexp.MustCompile("(?m)^\\| \\d \\| `([^`]+)` \\|.*\\| ([^|]*)\\|$")

func layerTable(t *testing.T) map[string][]string {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string][]string{}
	for _, m := range tableRow.FindAllStringSubmatch(string(text), -1) {
		table[m[1]] = strings.Split(strings.ReplaceAll(strings.TrimSpace(m[2]), " ", ""), ",")
	}
	if len(table) < 5 {
		t.Fatalf("only %d rows of the table were read", len(table))
	}
	return table
}
