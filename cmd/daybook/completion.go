package main

import (
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Run(a *app, parser *kong.Kong) error {
	commands := completions(parser.Model.Node, nil)
	switch c.Shell {
	case "fish":
		for _, w := range commands {
			guard := "__fish_use_subcommand"
			if w.path != "" {
				guard = "__fish_seen_subcommand_from " + w.path[strings.LastIndexByte(w.path, ' ')+1:]
			}
			a.printf("complete -c daybook -f -n '%s' -a '%s'\n", guard, strings.Join(w.words, " "))
		}
		return nil
	case "zsh":
		a.printf("autoload -U +X bashcompinit && bashcompinit\n")
	}
	a.printf("_daybook() {\n  local words=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\" list\n  case \"$words\" in\n")
	for i := len(commands) - 1; i >= 0; i-- { // the longest paths first
		a.printf("    %s) list=\"%s\" ;;\n", pattern(commands[i].path), strings.Join(commands[i].words, " "))
	}
	a.printf("  esac\n  COMPREPLY=($(compgen -W \"$list\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _daybook daybook\n")
	return nil
}

func pattern(path string) string {
	if path == "" {
		return "*"
	}
	return "'" + path + "'*"
}

type completion struct {
	path  string // words typed so far
	words []string
}

// completions lists, for each command, what may follow it, parents first.
func completions(n *kong.Node, path []string) []completion {
	here := completion{path: strings.Join(path, " ")}
	var deeper []completion
	for _, child := range n.Children {
		here.words = append(here.words, child.Name)
		deeper = append(deeper, completions(child, append(path, child.Name))...)
	}
	for _, flags := range n.AllFlags(true) {
		for _, f := range flags {
			here.words = append(here.words, "--"+f.Name)
		}
	}
	return append([]completion{here}, deeper...)
}

type versionCmd struct{}

// version is set when a release is built.
var version = "dev"

func (c *versionCmd) Run(a *app) error {
	revision, goVersion := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	if a.JSON {
		return a.json(map[string]string{"version": version, "revision": revision, "go": goVersion})
	}
	a.printf("daybook %s %s %s\n", version, revision, goVersion)
	return nil
}
