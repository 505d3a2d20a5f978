package daybook_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// documents are the Markdown files of the repository.
func documents(t *testing.T) (paths []string) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "clients/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return paths
}

var (
	mdLink  = regexp.MustCompile(`\]\(([^)\s#]+)(?:#[^)]*)?\)`)
	mdCode  = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	inTicks = regexp.MustCompile("`([^`\n]+)`")
)

// Every link of a document to a file leads somewhere.
func TestLinks(t *testing.T) {
	seen := 0
	for _, doc := range documents(t) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", doc, m[1])
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d links were found", seen)
	}
}

// TestPathsNameSymbols holds docs/paths against the code: every file, and every
// symbol written package.Name, Type.method or Name, is there.
func TestPathsNameSymbols(t *testing.T) {
	known := symbols(t)
	paths, err := filepath.Glob("docs/paths/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no paths: %v", err)
	}
	symbol := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*){0,2}$`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range regexp.MustCompile(`\b[\w/-]+\.(go|txt)\b`).FindAllString(string(text), -1) {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: there is no file %s", path, file)
			}
		}
		for _, m := range inTicks.FindAllStringSubmatch(string(text), -1) {
			if symbol.MatchString(m[1]) && !known[m[1]] && !strings.HasSuffix(m[1], ".go") {
				t.Errorf("%s: there is no %s", path, m[1])
			}
		}
	}
}

// symbols are the names that the code declares: alone, behind their package, behind
// their type, behind both; and what stands between quotation marks.
func symbols(t *testing.T) map[string]bool {
	known := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add := func(parts ...string) {
			known[strings.Join(parts, ".")] = true
			known[file.Name.Name+"."+strings.Join(parts, ".")] = true
		}
		known[file.Name.Name] = true
		ast.Inspect(file, func(n ast.Node) bool { declared(n, add, known); return true })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// declared adds the names that one node declares.
func declared(n ast.Node, add func(...string), known map[string]bool) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		add(n.Name.Name)
		if n.Recv != nil {
			add(receiver(n.Recv.List[0].Type), n.Name.Name)
		}
	case *ast.TypeSpec:
		add(n.Name.Name)
		switch typ := n.Type.(type) {
		case *ast.StructType:
			fields(typ.Fields, n.Name.Name, add)
		case *ast.InterfaceType:
			fields(typ.Methods, n.Name.Name, add)
		}
	case *ast.ValueSpec:
		for _, name := range n.Names {
			add(name.Name)
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
			known[text] = true
		}
	}
}

func fields(list *ast.FieldList, of string, add func(...string)) {
	for _, f := range list.List {
		for _, name := range f.Names {
			add(name.Name)
			add(of, name.Name)
		}
	}
}

// receiver is the name of a method's type.
func receiver(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return receiver(typ.X)
	case *ast.IndexExpr:
		return receiver(typ.X)
	case *ast.Ident:
		return typ.Name
	}
	return ""
}
