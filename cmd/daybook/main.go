// Command daybook keeps long-term memory for AI agents: what is true now, what
// used to be true, and what changed.
//
// Each subcommand has a file of its own; this one wires them to the engine and
// turns error kinds into exit codes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"syscall"
	"time"
	_ "time/tzdata" // zones where the system has none: containers, Windows
	"unicode/utf8"

	"daybook"
	"daybook/engine"
	"daybook/store"
	"daybook/store/sqlite"

	"github.com/alecthomas/kong"
)

// cli is the whole command line.
type cli struct {
	globals

	Demo   demoCmd   `cmd:"" group:"use" help:"Watch a memory being kept, changed, asked, undone and erased, in a home of its own."`
	Add    addCmd    `cmd:"" group:"use" help:"Keep one message, learn from it, and print a receipt."`
	Import importCmd `cmd:"" group:"use" help:"Take in files: exports of ChatGPT and Claude, WhatsApp chats, messages, documents."`
	Recall recallCmd `cmd:"" group:"use" help:"Find the messages that a question needs, best first."`
	Ask    askCmd    `cmd:"" group:"use" help:"Answer a question from the memory, with its sources."`
	Chat   chatCmd   `cmd:"" group:"use" help:"Talk to the memory, and see which messages are used."`

	Fact     factCmd     `cmd:"" group:"look" help:"State a fact."`
	Facts    factsCmd    `cmd:"" group:"look" help:"Show what holds: now, at a past time, or as it was known at a past time."`
	History  historyCmd  `cmd:"" group:"look" help:"Show every value that a subject had, and how it changed."`
	Notes    notesCmd    `cmd:"" group:"look" help:"Show the messages that were kept."`
	Events   eventsCmd   `cmd:"" group:"look" help:"Show what happened, and whether it still stands."`
	Learned  learnedCmd  `cmd:"" group:"look" help:"Show what was learned from a message, and why."`
	Entities entitiesCmd `cmd:"" group:"look" help:"List the people, places and things that facts speak of."`
	Topics   topicsCmd   `cmd:"" group:"look" help:"List what the conversations are about, in groups of like sessions."`
	Sessions sessionsCmd `cmd:"" group:"look" help:"List the conversations, each with its topic."`
	Trace    traceCmd    `cmd:"" group:"look" help:"Show what an answer stands on."`
	Merge    mergeCmd    `cmd:"" group:"look" help:"Let two names stand for one entity."`
	Split    splitCmd    `cmd:"" group:"look" help:"Undo a merge."`

	Log     logCmd     `cmd:"" group:"undo" help:"List commits, newest first."`
	Show    showCmd    `cmd:"" group:"undo" help:"Show one commit, note, fact, event or link."`
	Diff    diffCmd    `cmd:"" group:"undo" help:"Compare what was believed after two commits."`
	Revert  revertCmd  `cmd:"" group:"undo" help:"Undo one commit and only it."`
	Retract retractCmd `cmd:"" group:"undo" help:"Withdraw a note, fact, event or link; it stays in the ledger."`
	Forget  forgetCmd  `cmd:"" group:"undo" help:"Erase content and all that was made from it, for good."`

	Tree  treeCmd  `cmd:"" group:"trees" help:"Plans, lists and other things that are built up over many turns, with their versions."`
	Query queryCmd `cmd:"" group:"trees" help:"Ask a tree, or the memory itself, in Semantic XPath."`

	Serve serveCmd `cmd:"" group:"serve" help:"Serve the memory over HTTP."`
	MCP   mcpCmd   `cmd:"" group:"serve" name:"mcp" help:"Serve a memory to an agent over the Model Context Protocol."`
	Hook  hookCmd  `cmd:"" group:"serve" help:"Answer the hooks of a coding agent, which recall and remember by themselves."`
	Key   keyCmd   `cmd:"" group:"serve" help:"Make, list and revoke the keys that open the memory over HTTP."`

	Audit      auditCmd      `cmd:"" group:"serve" help:"Show who wrote, exported or was refused over HTTP."`
	Check      checkCmd      `cmd:"" group:"home" help:"Verify the whole home, or a certificate of erasure."`
	Stats      statsCmd      `cmd:"" group:"home" help:"Count what a scope holds."`
	Export     exportCmd     `cmd:"" group:"home" help:"Write a scope as JSON lines, without loss."`
	Backup     backupCmd     `cmd:"" group:"home" help:"Copy the whole home to one file while writers run."`
	Restore    restoreCmd    `cmd:"" group:"home" help:"Check a copy that backup made, and put it into an empty home."`
	Doctor     doctorCmd     `cmd:"" group:"home" help:"Look for what is wrong with this installation, and say what to do."`
	Reindex    reindexCmd    `cmd:"" group:"home" help:"Build the index anew from the ledger."`
	Completion completionCmd `cmd:"" group:"home" help:"Print a shell completion script."`
	Config     configCmd     `cmd:"" group:"home" help:"Show the settings that are in force, and where each comes from."`
	Version    versionCmd    `cmd:"" group:"home" help:"Print version, commit and models of this binary."`

	Models modelsCmd `cmd:"" group:"models" help:"Show which models are in use, where they are from, their licence, and how fast they run here."`
	Model  modelCmd  `cmd:"" group:"models" help:"Bring in a model of your own."`
	Encode encodeCmd `cmd:"" group:"models" help:"Print the vector of a text, or of each line of standard input, as a JSON array."`
	Embed  embedCmd  `cmd:"" group:"models" help:"Make the vectors of notes that have none yet, by the encoder in use."`
	Bench  benchCmd  `cmd:"" group:"models" help:"Measure this memory, baselines or a server on public data sets that you have."`
}

// globals are the flags that every command takes.
type globals struct {
	Home    string `group:"every" help:"Directory that holds the memory; ~/.daybook if not given." env:"DAYBOOK_HOME" default:"${home}" placeholder:"DIR"`
	Tenant  string `group:"every" help:"Tenant whose memory it is." env:"DAYBOOK_TENANT" placeholder:"NAME"`
	User    string `group:"every" short:"u" help:"User whose memory it is." env:"DAYBOOK_USER" placeholder:"NAME"`
	Agent   string `group:"every" help:"Agent whose memory it is." env:"DAYBOOK_AGENT" placeholder:"NAME"`
	Session string `group:"every" help:"Conversation: what is written belongs to it; facts, history, notes and forget are narrowed to it." env:"DAYBOOK_SESSION" placeholder:"NAME"`
	Author  string `group:"every" help:"Who writes, as the log shows it." env:"DAYBOOK_AUTHOR" default:"cli" placeholder:"NAME"`
	Config  string `group:"every" help:"File of settings; daybook.yaml in the home if not given." env:"DAYBOOK_CONFIG" placeholder:"FILE"`
	JSON    bool   `group:"every" help:"Print JSON instead of text."`
}

func (g globals) scope() daybook.Scope {
	return daybook.Scope{Tenant: g.Tenant, User: g.User, Agent: g.Agent}
}

// app is what a command runs with.
type app struct {
	globals
	ctx context.Context
	terminal
	now func() time.Time // the clock; the demo plays through years
	// typed are the flags that stand on the command line itself.
	typed  map[string]bool
	config *config // the file of settings
	local  bool    // no language model is asked, whatever is configured; for the demo
}

// open opens the engine on the home; the caller closes it.
func (a *app) open() (*engine.Engine, error) {
	s, err := sqlite.Open(a.ctx, a.Home)
	if err != nil {
		return nil, err
	}
	return engine.New(s).WithClock(a.now), nil
}

// existing is with for commands that only make sense where there is a memory: a
// mistyped home is an error and not a new, empty one.
func (a *app) existing(do func(*engine.Engine) error) error {
	found, err := sqlite.Exists(a.Home)
	if err != nil {
		return err
	}
	if !found {
		return daybook.Errorf(daybook.NotFound, "there is no memory in %s yet; 'daybook add' or 'daybook import' begins one", a.Home)
	}
	return a.with(do)
}

// reading is existing for commands that show what a scope holds. Where it holds nothing
// the others are named: most likely the user was mistyped or left out.
func (a *app) reading(do func(*engine.Engine) error) error {
	return a.existing(func(e *engine.Engine) error {
		err := do(e)
		if err == nil || daybook.KindOf(err) == daybook.NotFound {
			err = errors.Join(err, a.nameOthers(e))
		}
		return err
	})
}

// with runs do on the engine and closes it. A home that is not there is made.
func (a *app) with(do func(*engine.Engine) error) error {
	e, err := a.open()
	if err != nil {
		return err
	}
	return errors.Join(do(e), e.Close())
}

func (a *app) by(message string) engine.By { return engine.By{Author: a.Author, Message: message} }

// endWithin is how long a command may take to end after a signal. The store is made for a
// process that dies at any time.
const endWithin = 9 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.AfterFunc(endWithin, func() {
			fmt.Fprintln(os.Stderr, "daybook: interrupted; what was acknowledged is kept, and what was being done is taken up the next time")
			os.Exit(exitCodes[daybook.Unavailable])
		})
	})
	tendHeap()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	t := newTerminal(in, out, errOut)
	t.in = interruptible{ctx, in}
	return runApp(&app{ctx: ctx, terminal: t, now: time.Now}, args)
}

func runApp(a *app, args []string) int {
	var c cli
	code := -1
	settings, err := openConfig(args)
	if err == nil {
		err = settings.setEnv()
	}
	if err != nil {
		return a.fail(err)
	}
	a.config = settings
	parser, err := kong.New(&c,
		kong.Name("daybook"),
		kong.Description(about),
		kong.ExplicitGroups(groups),
		kong.Vars{"home": defaultHome(), "limit": strconv.Itoa(engine.DefaultLimit), "threshold": fmt.Sprint(engine.DefaultThreshold), "parts": engine.PartNames(engine.Parts())},
		kong.Writers(a.out, a.err),
		kong.Exit(func(n int) { code = n }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Bind(a),
		kong.Resolvers(settings),
	)
	if err != nil {
		panic("the command line is declared wrongly: " + err.Error())
	}
	for i, arg := range args { // the parser would put U+FFFD there without a word
		if !utf8.ValidString(arg) {
			return a.fail(daybook.Errorf(daybook.Invalid, "argument %d is not valid UTF-8", i+1))
		}
	}
	addExamples(parser.Model.Node)
	args = helpOfDefault(parser, benchJSON(parser, inOurWords(args)))
	parsed, err := parser.Parse(args)
	if code >= 0 { // --help has been printed
		return code
	}
	if err == nil {
		a.typed = typedFlags(parsed)
		err = emptyFlag(parsed)
	}
	if err != nil {
		a.globals = c.globals
		a.JSON = a.JSON || slices.Contains(args, "--json") // the parser may have stopped before it
		return a.fail(daybook.Errorf(daybook.Invalid, "%w; see '%s'", unknownCommand(err), helpFor(err)))
	}
	a.globals = c.globals
	if err := parsed.Run(a, parser); err != nil {
		return a.fail(err)
	}
	if a.lost.err != nil {
		return a.fail(daybook.Errorf(daybook.Unavailable, "what was done could not all be shown: %w", a.lost.err))
	}
	return 0
}

// emptyFlag reports a flag that was given without a value, as --entity "$NAME"
// is when NAME is not set. Only the keys of a scope may be empty.
func emptyFlag(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		if p.Flag == nil || p.Flag.Target.Kind() != reflect.String || p.Flag.Target.String() != "" {
			continue
		}
		if !slices.Contains([]string{"tenant", "user", "agent"}, p.Flag.Name) {
			return fmt.Errorf("--%s is empty", p.Flag.Name)
		}
	}
	return nil
}

// typedFlags tells flags that were given from those that the environment or a file set.
func typedFlags(parsed *kong.Context) map[string]bool {
	typed := map[string]bool{}
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved {
			typed[p.Flag.Name] = true
		}
	}
	return typed
}

func defaultHome() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ".daybook"
	}
	return filepath.Join(dir, ".daybook")
}

// exitCodes by kind of error; docs/cli.md lists them.
var exitCodes = map[daybook.Kind]int{
	daybook.Internal:    1,
	daybook.Invalid:     2,
	daybook.NotFound:    3,
	daybook.Conflict:    4,
	daybook.Unavailable: 5,
	daybook.Corrupt:     6,
}

// fail shows an error and returns its exit code.
func (a *app) fail(err error) int {
	kind := daybook.KindOf(err)
	if errors.Is(err, context.Canceled) {
		kind, err = daybook.Unavailable, errors.New("interrupted; what was acknowledged is kept")
	}
	if errors.Is(err, syscall.ENOSPC) && !errors.Is(err, store.ErrFull) {
		kind, err = daybook.Unavailable, fmt.Errorf("%w; make room and try again", err)
	}
	if a.JSON {
		_ = json.NewEncoder(a.err).Encode(map[string]string{"error": err.Error(), "kind": kind.String()})
	} else {
		fmt.Fprintf(a.err, "daybook: %s\n", line(err.Error(), 4000))
	}
	return exitCodes[kind]
}
