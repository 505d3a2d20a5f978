package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// about opens 'daybook --help'.
const about = `Long-term memory for AI agents that knows what is true now, what used to be true, and what changed.

Begin with:

    daybook demo                                              what it is for, in half a minute
    daybook add "My dentist is Dr. Weiss." --speaker Ana      keep a message, and learn from it
    daybook ask "Who is Ana's dentist?"                       an answer, with what it stands on

Memory lives in ~/.daybook, or where --home says. Times are written 2026-05-01T10:00:00Z, "2026-05-01 10:00" (UTC), 2026-05-01, 2026-05 or 2026.`

// groups are the headings of 'daybook --help', in order.
var groups = []kong.Group{
	{Key: "use", Title: "Keep and ask:"},
	{Key: "look", Title: "Look at what is known:"},
	{Key: "undo", Title: "Versions, undo, erasure:"},
	{Key: "trees", Title: "Plans and queries:"},
	{Key: "serve", Title: "Serve programs and agents:"},
	{Key: "home", Title: "Look after the home:"},
	{Key: "models", Title: "Models and measuring:"},
	{Key: "every", Title: "Flags of every command:"},
}

// examples end the help of each command, one a line behind the command's name. A test
// parses every one of them.
const examples = `
demo: daybook demo
add: daybook add "My dentist is Dr. Weiss." --speaker Ana
add: daybook add "I moved to Rome." --user ana --session trip --time 2026-05-01 --id m1
add: daybook add - --speaker Ana < message.txt
import files: daybook import examples/talk.jsonl
import files: daybook import chatgpt-export.zip --me Ana
import files: daybook import "WhatsApp Chat with Bo.txt" notes.md --zone Europe/Rome
import messages: daybook import messages chat.jsonl
import ledger: daybook import ledger ana.jsonl --user ana
fact add: daybook fact add Ana lives_in Rome
fact add: daybook fact add Ana lives_in Rome --valid-from 2026-05-01 --why "a new job"
facts: daybook facts --subject Ana
facts: daybook facts --as-of 2025-12-24 --known-at 2026-01-01
history: daybook history Ana
history: daybook history Ana lives_in
recall: daybook recall "What is the name of Ana's cat?"
recall: daybook recall "Where did Bo work?" -k 5 --explain
recall: daybook recall "Which cat?" --why-not m5
ask: daybook ask "Which bank does Ana use?"
ask: daybook ask "Which bank does Ana use?" --as-of 2025-03
ask: daybook ask "Which bank does Ana use?" --packet
trace: daybook trace ans_1f0c93d2
chat: daybook chat --user ana
notes: daybook notes --session trip
events: daybook events --subject Ana --since 2026-01 --until 2026-03
learned: daybook learned m1
entities: daybook entities --kind person
topics: daybook topics
sessions: daybook sessions --topic topic_5d2k9
merge: daybook merge Annie Ana --why "a nickname"
split: daybook split Annie
mcp: daybook mcp --user ana
mcp: claude mcp add memory -- daybook mcp --user ana
hook claude-code: daybook hook claude-code --user ana < event.json
tree import: daybook tree import examples/trip.md --name trip
tree list: daybook tree list
tree show: daybook tree show trip --version 2
tree do: daybook tree do trip "cancel everything on Day 2 except the shopping" --dry-run
tree edit: daybook tree edit trip changes.json --base 3
tree log: daybook tree log trip
tree diff: daybook tree diff trip 2..4
tree rollback: daybook tree rollback trip 2
tree schema: daybook tree schema trip
query: daybook query '//Session[-1]/Note[node~="deadline"]'
query: daybook query '//Section[2]/Task' --tree trip --explain
log: daybook log -n 5
show: daybook show HEAD
show: daybook show m1
diff: daybook diff HEAD~3..HEAD
diff: daybook diff root
revert: daybook revert HEAD
retract: daybook retract m1 --why "a joke"
forget: daybook forget m1 --dry-run
forget: daybook forget --entity "Ana Smith" -o certificate.json
forget: daybook forget --user ana
serve: daybook serve
serve: daybook serve --addr 0.0.0.0:7077 --origin https://app.example
key create: daybook key create --tenant acme --for ana --right read
key list: daybook key list
key revoke: daybook key revoke 4k2j7w3m5q6r
audit: daybook audit -n 20
encode: daybook encode "the boat is red"
encode: daybook encode --as query < questions.txt
embed: daybook embed --everyone
models: daybook models
model import: daybook model import ./all-MiniLM-L6-v2 --licence Apache-2.0
bench run: daybook bench smoke
bench run: daybook bench locomo --data locomo10.json --systems ours,bm25 --html report.html
bench list: daybook bench list
bench compare: daybook bench compare before.json after.json --metric recall@10
check: daybook check
check: daybook check --certificate certificate.json
reindex: daybook reindex
stats: daybook stats --user ana
export: daybook export -o ana.jsonl --user ana
backup: daybook backup copy.db
restore: daybook restore copy.db --home ./restored
doctor: daybook doctor
doctor: daybook doctor --server http://127.0.0.1:7077
completion: daybook completion bash > /etc/bash_completion.d/daybook
config: daybook config
config: daybook config --config /etc/daybook/daybook.yaml
version: daybook version
`

// examplesOf are the examples of one command.
func examplesOf(name string) (lines []string) {
	for line := range strings.Lines(examples) {
		if example, ok := strings.CutPrefix(line, name+": "); ok {
			lines = append(lines, strings.TrimSpace(example))
		}
	}
	return lines
}

// addExamples puts the examples at the end of what each command's help says.
func addExamples(node *kong.Node) {
	for _, child := range node.Children {
		if lines := examplesOf(strings.TrimPrefix(child.FullPath(), "daybook ")); len(lines) > 0 {
			child.Detail = strings.TrimLeft(child.Detail+"\n\nFor example:\n\n    "+strings.Join(lines, "\n    "), "\n")
		}
		addExamples(child)
	}
}

// inOurWords turns the ways in which people ask other programs for help and version into ours.
func inOurWords(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// elsewhere are commands of other memories, and what does the same here.
var elsewhere = map[string]string{
	"search": "recall", "find": "recall", "retrieve": "recall", "query-memory": "recall", "remember": "add", "save": "add", "retain": "add", "store": "add",
	"new": "add", "put": "add", "delete": "forget", "remove": "forget", "rm": "forget", "del": "forget", "erase": "forget", "clear": "forget", "reset": "forget",
	"list": "notes", "ls": "notes", "memories": "notes", "get": "show", "cat": "show", "undo": "revert", "rollback": "revert", "profile": "facts",
	"server": "serve", "start": "serve", "run": "serve", "status": "stats", "info": "stats", "health": "doctor", "verify": "check", "settings": "config",
	"load": "import", "ingest": "import", "dump": "export", "users": "stats", "answer": "ask", "question": "ask",
}

// needless are commands of other programs that nothing has to do here.
var needless = map[string]string{
	"init":    "nothing has to be set up: 'daybook add' or 'daybook import' begins a memory",
	"setup":   "nothing has to be set up: 'daybook add' or 'daybook import' begins a memory",
	"login":   "there is no account; 'daybook key create' makes keys for the server",
	"stop":    "there is no service in the background; Ctrl-C ends 'daybook serve'",
	"upgrade": "a newer binary opens an older home; docs/install.md tells how to get one",
	"update":  "a memory is not changed in place: 'daybook add' what is new, and 'daybook retract' what was wrong",
}

// elsewhereFlags are flags of other programs, and ours; some only of one command.
var elsewhereFlags = map[string]string{
	"limit": "-k (recall), -n (log)", "top-k": "-k", "top_k": "-k", "port": "--addr 127.0.0.1:PORT", "host": "--addr HOST:PORT", "listen": "--addr",
	"user-id": "--user", "user_id": "--user", "agent-id": "--agent", "session-id": "--session", "run-id": "--session", "data-dir": "--home", "db": "--home",
	"dir": "--home", "path": "--home", "model": "--encoder, or DAYBOOK_LLM_MODEL for a language model", "output": "-o", "at": "--as-of", "date": "--time", "when": "--time",
	"force": "--yes", "verbose": "--log-level debug (serve)", "from": "--speaker", "as": "--speaker", "role": "--speaker", "dryrun": "--dry-run",
}

// unknownCommand says what to type instead of a line that begins with no command, which the
// parser calls an unexpected argument, or that has a flag of another program.
func unknownCommand(err error) error {
	if flag, ok := strings.CutPrefix(err.Error(), "unknown flag --"); ok {
		name, _, _ := strings.Cut(flag, ",") // the parser may have a guess of its own
		if here, ok := elsewhereFlags[name]; ok {
			return fmt.Errorf("there is no flag --%s; here it is %s", name, here)
		}
		return err
	}
	var wrong *kong.ParseError
	rest, ok := strings.CutPrefix(err.Error(), "unexpected argument ")
	if !ok || !errors.As(err, &wrong) || wrong.Context.Selected() != nil {
		return err
	}
	name, _, _ := strings.Cut(rest, ",")
	if why, ok := needless[name]; ok {
		return fmt.Errorf("there is no command %s; %s", name, why)
	}
	if here, ok := elsewhere[name]; ok {
		return fmt.Errorf("there is no command %s; 'daybook %s' does that here", name, here)
	}
	if here, ok := nearest(name, wrong.Context.Model.Children); ok {
		return fmt.Errorf("there is no command %s; perhaps 'daybook %s' is meant", name, here)
	}
	return fmt.Errorf("there is no command %s", name)
}

// nearest is the command whose name is one or two letters away.
func nearest(name string, commands []*kong.Node) (best string, ok bool) {
	least := 1 + max(1, min(2, len(name)/3))
	for _, c := range commands {
		if d := distance(name, c.Name); d < least {
			best, least, ok = c.Name, d, true
		}
	}
	return best, ok
}

// distance is how many letters have to be put in, taken out, changed or swapped.
func distance(a, b string) int {
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// helpOfDefault lets 'daybook import --help' show the flags of what 'daybook
// import FILE' runs, and not a list of subcommands.
func helpOfDefault(parser *kong.Kong, args []string) []string {
	if len(args) != 2 || args[1] != "--help" && args[1] != "-h" {
		return args
	}
	at := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == args[0] && n.DefaultCmd != nil })
	if at < 0 {
		return args
	}
	return []string{args[0], parser.Model.Children[at].DefaultCmd.Name, args[1]}
}

// helpFor names the help that a wrong command line should have looked at.
func helpFor(err error) string {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context.Selected() == nil {
		return "daybook --help"
	}
	node := wrong.Context.Selected()
	if node.Parent != nil && node.Parent.DefaultCmd == node {
		node = node.Parent
	}
	return node.FullPath() + " --help"
}
