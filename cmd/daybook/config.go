package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"daybook"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// configName is the file of settings that a home may hold.
const configName = "daybook.yaml"

// configEnv is the section of environment variables.
const configEnv = "env"

// setting is one line of the file.
type setting struct {
	value any
	line  int
}

// config is a file of settings: flags of every command at its top, flags of one command
// under that command's name, environment variables under env. The command line wins over
// the environment, which wins over the file.
type config struct {
	path     string // empty where there is no file
	settings map[string]setting
	env      map[string]setting
}

// openConfig reads the file that --config or DAYBOOK_CONFIG names, or else daybook.yaml in
// the home where there is one.
func openConfig(args []string) (*config, error) {
	path, named := flagIn(args, "config"), true
	if path == "" {
		path = os.Getenv("DAYBOOK_CONFIG")
	}
	if path == "" {
		home := flagIn(args, "home")
		if home == "" {
			home = os.Getenv("DAYBOOK_HOME")
		}
		if home == "" {
			home = defaultHome()
		}
		path, named = filepath.Join(home, configName), false
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && !named:
		return &config{}, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, daybook.Errorf(daybook.NotFound, "there is no configuration file %s", path)
	case err != nil:
		return nil, daybook.Errorf(daybook.Unavailable, "configuration: %w", err)
	}
	return parseConfig(path, text)
}

// flagIn is the value of a flag on a command line that is not parsed yet.
func flagIn(args []string, name string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--"+name && i+1 < len(args) {
			return args[i+1]
		}
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

func parseConfig(path string, text []byte) (*config, error) {
	c := &config{path: path, settings: map[string]setting{}, env: map[string]setting{}}
	var root yaml.Node
	err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root)
	if err == io.EOF { // nothing but remarks
		return c, nil
	}
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "%s: %w", path, err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, daybook.Errorf(daybook.Invalid, "%s: settings are lines such as 'user: ana'", path)
	}
	return c, c.read("", root.Content[0])
}

// read takes in one section and those below it. Their names are joined by spaces, as a
// command line has them.
func (c *config) read(prefix string, section *yaml.Node) error {
	for i := 0; i+1 < len(section.Content); i += 2 {
		key, value := section.Content[i], section.Content[i+1]
		name := strings.TrimSpace(prefix + " " + strings.ReplaceAll(key.Value, "_", "-"))
		if prefix == configEnv {
			c.env[key.Value] = setting{value.Value, key.Line}
			continue
		}
		if value.Kind == yaml.MappingNode {
			if err := c.read(name, value); err != nil {
				return err
			}
			continue
		}
		var v any
		if err := value.Decode(&v); err != nil {
			return daybook.Errorf(daybook.Invalid, "%s:%d: %w", c.path, key.Line, err)
		}
		c.settings[name] = setting{v, key.Line}
	}
	return nil
}

// setEnv sets the variables of the file that the environment does not have.
func (c *config) setEnv() error {
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		if _, ok := os.LookupEnv(name); ok {
			delete(c.env, name) // it is not the file's that is in force
			continue
		}
		if err := os.Setenv(name, fmt.Sprint(c.env[name].value)); err != nil {
			return daybook.Errorf(daybook.Invalid, "%s:%d: %w", c.path, c.env[name].line, err)
		}
	}
	return nil
}

// Validate reports a setting that no command has.
func (c *config) Validate(app *kong.Application) error {
	known := map[string]bool{}
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		for _, f := range n.Flags {
			known[strings.TrimSpace(path+" "+f.Name)] = true
			known[f.Name] = true
		}
		for _, child := range n.Children {
			walk(child, strings.TrimSpace(path+" "+child.Name))
		}
	}
	walk(app.Node, "")
	for _, name := range slices.Sorted(maps.Keys(c.settings)) {
		if !known[name] || name == "config" {
			return daybook.Errorf(daybook.Invalid, "%s:%d: there is no setting %q; 'daybook config' lists what can be set", c.path, c.settings[name].line, name)
		}
	}
	return nil
}

// Resolve gives a flag its value of the file, if it has one there and the environment does
// not set it.
func (c *config) Resolve(_ *kong.Context, at *kong.Path, flag *kong.Flag) (any, error) {
	if envOf(flag) != "" {
		return nil, nil
	}
	command := ""
	if at.Command != nil {
		command = strings.TrimPrefix(at.Command.FullPath(), "daybook ")
	}
	if s, ok := c.lookup(command, flag.Name); ok {
		return fmt.Sprint(s.value), nil
	}
	return nil, nil
}

// lookup finds a flag of a command: under the command's name, else at the top.
func (c *config) lookup(command, flag string) (setting, bool) {
	if s, ok := c.settings[strings.TrimSpace(command+" "+flag)]; ok {
		return listed(s), true
	}
	s, ok := c.settings[flag]
	return listed(s), ok
}

// listed is a list as the command line has it, with commas.
func listed(s setting) setting {
	if list, ok := s.value.([]any); ok {
		var words []string
		for _, v := range list {
			words = append(words, fmt.Sprint(v))
		}
		s.value = strings.Join(words, ",")
	}
	return s
}

// envOf is the variable that sets a flag now, or empty.
func envOf(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return name
		}
	}
	return ""
}

type configCmd struct{}

// Help says where settings come from.
func (c *configCmd) Help() string {
	return `Settings come from the command line, else from the environment, else from daybook.yaml in the home
(or the file that --config or DAYBOOK_CONFIG names), else they have their default. The file has flags of every command at
its top, flags of one command under its name, and environment variables under env:

    user: ana
    serve:
      addr: 0.0.0.0:7077
      log-level: warn
    env:
      DAYBOOK_LLM_MODEL: gpt-4.1-mini

Shown are the settings of every command and of serve, and whatever else is set.`
}

// inForce is a setting, its value and where that comes from.
type inForce struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func (c *configCmd) Run(a *app, parser *kong.Kong) error {
	rows := a.flagsInForce(parser.Model.Node, "")
	for _, n := range parser.Model.Children {
		for _, r := range a.flagsInForce(n, n.Name) {
			if n.Name == "serve" || r.From != "default" {
				rows = append(rows, r)
			}
		}
	}
	rows = append(rows, a.envInForce()...)
	if a.JSON {
		return a.json(map[string]any{"file": a.config.path, "settings": rows})
	}
	file := a.config.path
	if file == "" {
		file = "none; " + filepath.Join(a.Home, configName) + " would be read"
	}
	a.printf("configuration file: %s\n", file)
	var table [][]string
	for _, r := range rows {
		table = append(table, []string{r.Name, line(r.Value, 60), r.From})
	}
	a.table(table)
	return nil
}

// flagsInForce are the flags of a command with their values.
func (a *app) flagsInForce(n *kong.Node, command string) (rows []inForce) {
	for _, f := range n.Flags {
		if f.Name == "help" || f.Name == "json" {
			continue
		}
		row := inForce{strings.TrimSpace(command + " " + f.Name), f.Default, "default"}
		if s, ok := a.config.lookup(command, f.Name); ok {
			row.Value, row.From = fmt.Sprint(s.value), fmt.Sprintf("%s:%d", filepath.Base(a.config.path), s.line)
		}
		if name := envOf(f); name != "" {
			row.Value, row.From = os.Getenv(name), "environment, "+name
			if s, ok := a.config.env[name]; ok {
				row.From = fmt.Sprintf("%s:%d, %s", filepath.Base(a.config.path), s.line, name)
			}
		}
		if command == "" && a.typed[f.Name] {
			row.Value, row.From = fmt.Sprint(reflect.Indirect(f.Target)), "command line"
		}
		rows = append(rows, row)
	}
	return rows
}

// modelVariables name language models and embeddings; commands read them by themselves.
var modelVariables = []string{
	"DAYBOOK_LLM_BASE_URL", "DAYBOOK_LLM_MODEL", "DAYBOOK_LLM_API_KEY", "DAYBOOK_EMBED_BASE_URL", "DAYBOOK_EMBED_MODEL", "DAYBOOK_EMBED_API_KEY",
	"OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY", "DAYBOOK_CPU", "OTEL_EXPORTER_OTLP_ENDPOINT",
}

// envInForce are variables that no flag stands for. Keys are not shown.
func (a *app) envInForce() (rows []inForce) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(a.config.env)), modelVariables...)))) {
		value, ok := os.LookupEnv(name)
		if !ok || value == "" {
			continue
		}
		if strings.HasSuffix(name, "_KEY") || strings.Contains(name, "SECRET") || strings.Contains(name, "TOKEN") {
			value = "(set)"
		}
		from := "environment"
		if s, ok := a.config.env[name]; ok {
			from = fmt.Sprintf("%s:%d", filepath.Base(a.config.path), s.line)
		}
		rows = append(rows, inForce{name, value, from})
	}
	return rows
}
