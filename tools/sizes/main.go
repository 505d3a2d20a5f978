// Command sizes prints how long the functions and files of Go code are, package by
// package, without tests and generated files, and names the longest functions.
//
//	go run ./tools/sizes [-over 60] [FOLDER ...]
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// function is one function or method; lines are those of its text.
type function struct {
	place string
	lines int
}

// group is the code of one package, or all of it.
type group struct {
	functions []function
	files     []int
}

func main() {
	over := flag.Int("over", 60, "name functions that are longer than so many lines")
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	packages := map[string]*group{}
	for _, root := range roots {
		if err := measure(root, packages); err != nil {
			log.Fatal(err)
		}
	}
	report(packages, *over)
}

// measure adds all Go files below a folder to their packages.
func measure(root string, packages map[string]*group) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "vendor"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return measureFile(path, packages)
	})
}

func measureFile(path string, packages map[string]*group) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	folder := filepath.Dir(path)
	g := packages[folder]
	if g == nil {
		g = &group{}
		packages[folder] = g
	}
	g.files = append(g.files, strings.Count(string(source), "\n"))
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
			g.functions = append(g.functions, function{path + " " + f.Name.Name, lines})
		}
	}
	return nil
}

// report prints a table of all packages, their sum, and the longest functions.
func report(packages map[string]*group, over int) {
	fmt.Println("| package | functions | median | nine in ten up to | over 45 | longest | files | median file | lines |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	all := &group{}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		g := packages[name]
		all.functions, all.files = append(all.functions, g.functions...), append(all.files, g.files...)
		row(name, g)
	}
	row("**all**", all)
	slices.SortStableFunc(all.functions, func(a, b function) int { return cmp.Compare(b.lines, a.lines) })
	fmt.Printf("\nOver %d lines:\n", over)
	for _, f := range all.functions {
		if f.lines > over {
			fmt.Printf("- %s: %d\n", f.place, f.lines)
		}
	}
}

func row(name string, g *group) {
	var lengths []int
	long := 0
	for _, f := range g.functions {
		lengths = append(lengths, f.lines)
		if f.lines > 45 {
			long++
		}
	}
	slices.Sort(lengths)
	files := slices.Sorted(slices.Values(g.files))
	sum := 0
	for _, n := range files {
		sum += n
	}
	share := 0.0
	if len(lengths) > 0 {
		share = 100 * float64(long) / float64(len(lengths))
	}
	fmt.Printf("| %s | %d | %d | %d | %.1f %% | %d | %d | %d | %d |\n", name, len(lengths), at(lengths, .5), at(lengths, .9), share, at(lengths, 1), len(files), at(files, .5), sum)
}

// at is the value at a share of the sorted lengths, 0 where there are none.
func at(sorted []int, share float64) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
