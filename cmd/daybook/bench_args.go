package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// benchJSON lets 'bench NAME' take a file after --json, which is a flag without
// a value everywhere else: --json FILE becomes --json-file=FILE. A word is the
// file only if a name of a data set stands beside it, so that 'bench --json
// smoke' prints what it always printed.
func benchJSON(parser *kong.Kong, args []string) []string {
	words := argWords(parser, args)
	if len(words) == 0 || args[words[0]] != "bench" {
		return args
	}
	at := slices.IndexFunc(args, func(a string) bool { return a == "--json" || strings.HasPrefix(a, "--json=") })
	if at < words[0] {
		return args
	}
	words = words[1:]
	if file, given := strings.CutPrefix(args[at], "--json="); given {
		if file == "true" || file == "false" || !namesData(args, words) {
			return args
		}
		return slices.Concat(args[:at], []string{"--json-file=" + file}, args[at+1:])
	}
	words = slices.DeleteFunc(words, func(w int) bool { return w == at+1 })
	if at+1 == len(args) || strings.HasPrefix(args[at+1], "-") || !namesData(args, words) {
		return args
	}
	return slices.Concat(args[:at], []string{"--json-file=" + args[at+1]}, args[at+2:])
}

// namesData reports whether the words after 'bench' name a data set to run.
func namesData(args []string, words []int) bool {
	if len(words) > 0 && args[words[0]] == "run" {
		words = words[1:]
	}
	return len(words) > 0 && args[words[0]] != "list" && args[words[0]] != "compare"
}

// argWords are the places of the arguments that are neither flags nor their
// values.
func argWords(parser *kong.Kong, args []string) (words []int) {
	takes := map[string]bool{}
	flagValues(parser.Model.Node, takes)
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			for i++; i < len(args); i++ {
				words = append(words, i)
			}
		case takes[args[i]]:
			i++
		case !strings.HasPrefix(args[i], "-"):
			words = append(words, i)
		}
	}
	return words
}

// flagValues collects the flags that take the next argument, of the parser and
// of all that is below 'bench'.
func flagValues(node *kong.Node, takes map[string]bool) {
	for _, f := range node.Flags {
		takes["--"+f.Name] = !f.IsBool()
		if f.Short != 0 {
			takes["-"+string(f.Short)] = !f.IsBool()
		}
	}
	for _, child := range node.Children {
		if node.Type != kong.ApplicationNode || child.Name == "bench" {
			flagValues(child, takes)
		}
	}
}
