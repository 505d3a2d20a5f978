package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Run(a *app, parser *kong.Kong) error {
	commands := completions(parser.Model.Node, nil)
	var out strings.Builder
	switch c.Shell {
	case "fish":
		fishCompletion(&out, commands)
	case "zsh":
		out.WriteString("autoload -U +X bashcompinit && bashcompinit\n")
		bashCompletion(&out, commands)
	default:
		bashCompletion(&out, commands)
	}
	if a.JSON {
		return a.json(map[string]string{"shell": c.Shell, "script": out.String()})
	}
	a.printf("%s", out.String())
	return nil
}

// bashCompletion offers subcommands, and flags once a dash is typed; where there
// are neither, the shell offers files.
func bashCompletion(out *strings.Builder, commands []completion) {
	out.WriteString("_daybook() {\n  local typed=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\" word=\"${COMP_WORDS[COMP_CWORD]}\" subs flags\n  case \"$typed\" in\n")
	for i := len(commands) - 1; i >= 0; i-- { // the longest paths first
		c := commands[i]
		pattern := "*"
		if c.path != "" {
			pattern = "'" + c.path + "'*"
		}
		fmt.Fprintf(out, "    %s) subs=\"%s\" flags=\"%s\" ;;\n", pattern, strings.Join(c.subs, " "), strings.Join(c.flags, " "))
	}
	out.WriteString("  esac\n  case \"$word\" in -*) subs=\"$flags\" ;; esac\n  COMPREPLY=($(compgen -W \"$subs\" -- \"$word\"))\n}\ncomplete -o default -F _daybook daybook\n")
}

func fishCompletion(out *strings.Builder, commands []completion) {
	for _, c := range commands {
		guard := "__fish_use_subcommand"
		if c.path != "" {
			guard = "string match -q -- 'daybook " + c.path + "*' (commandline -pc)"
		}
		for _, w := range c.subs {
			fmt.Fprintf(out, "complete -c daybook -n \"%s\" -a '%s'\n", guard, w)
		}
		for _, f := range c.flags {
			fmt.Fprintf(out, "complete -c daybook -n \"%s\" -l '%s'\n", guard, strings.TrimPrefix(f, "--"))
		}
	}
}

type completion struct {
	path        string // words typed so far
	subs, flags []string
}

// completions lists, for each command, what may follow it, parents first.
func completions(n *kong.Node, path []string) []completion {
	here := completion{path: strings.Join(path, " ")}
	var deeper []completion
	for _, child := range n.Children {
		here.subs = append(here.subs, child.Name)
		deeper = append(deeper, completions(child, append(path, child.Name))...)
	}
	for _, flags := range n.AllFlags(true) {
		for _, f := range flags {
			here.flags = append(here.flags, "--"+f.Name)
		}
	}
	return append([]completion{here}, deeper...)
}
