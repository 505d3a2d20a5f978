package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settings are what 'daybook config --json' shows, by name.
func settings(t *testing.T, home string, args ...string) map[string]inForce {
	t.Helper()
	var shown struct{ Settings []inForce }
	out := must(t, home, append([]string{"config", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	byName := map[string]inForce{}
	for _, s := range shown.Settings {
		byName[s.Name] = s
	}
	return byName
}

func putFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// unset takes a variable out of the environment until the test ends.
func unset(t *testing.T, names ...string) {
	for _, name := range names {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConfigOrder(t *testing.T) {
	unset(t, "DAYBOOK_USER", "DAYBOOK_ADDR", "DAYBOOK_LLM_MODEL", "DAYBOOK_LLM_API_KEY", "DAYBOOK_CONFIG")
	home := t.TempDir()
	putFile(t, filepath.Join(home, configName), `# remarks are allowed
user: ana
serve:
  addr: 127.0.0.1:7999
  origin: [https://a.example, https://b.example]
  max_body: 1000
recall:
  k: 3
env:
  DAYBOOK_LLM_MODEL: tiny
  DAYBOOK_LLM_API_KEY: hidden-key
`)
	got := settings(t, home)
	for name, want := range map[string]inForce{
		"user":                {"user", "ana", "daybook.yaml:2"},
		"serve addr":          {"serve addr", "127.0.0.1:7999", "daybook.yaml:4"},
		"serve origin":        {"serve origin", "https://a.example,https://b.example", "daybook.yaml:5"},
		"serve max-body":      {"serve max-body", "1000", "daybook.yaml:6"},
		"serve timeout":       {"serve timeout", "60s", "default"},
		"recall k":            {"recall k", "3", "daybook.yaml:8"},
		"DAYBOOK_LLM_MODEL":   {"DAYBOOK_LLM_MODEL", "tiny", "daybook.yaml:10"},
		"DAYBOOK_LLM_API_KEY": {"DAYBOOK_LLM_API_KEY", "(set)", "daybook.yaml:11"},
	} {
		if got[name] != want {
			t.Errorf("%s is %+v, want %+v", name, got[name], want)
		}
	}
	t.Setenv("DAYBOOK_USER", "bo")
	t.Setenv("DAYBOOK_LLM_MODEL", "large")
	if got := settings(t, home); got["user"] != (inForce{"user", "bo", "environment, DAYBOOK_USER"}) || got["DAYBOOK_LLM_MODEL"] != (inForce{"DAYBOOK_LLM_MODEL", "large", "environment"}) {
		t.Errorf("the environment does not come first: %+v, %+v", got["user"], got["DAYBOOK_LLM_MODEL"])
	}
	if got := settings(t, home, "--user", "cy")["user"]; got != (inForce{"user", "cy", "command line"}) {
		t.Errorf("the command line does not come first: %+v", got)
	}
}

// What the file says is in force, and not only shown.
func TestConfigHolds(t *testing.T) {
	unset(t, "DAYBOOK_USER", "DAYBOOK_CONFIG", "DAYBOOK_LEARN")
	home := t.TempDir()
	putFile(t, filepath.Join(home, configName), "user: ana\nlearn: false\nrecall:\n  k: 1\n")
	must(t, home, "add", "The gate code is 4711.")
	must(t, home, "add", "The gate is green.")
	if got := must(t, home, "notes"); strings.Count(got, "gate") != 2 {
		t.Errorf("notes of the file's user:\n%s", got)
	}
	if got := must(t, home, "recall", "gate"); strings.Count(got, "gate") != 1 {
		t.Errorf("recall with k: 1 shows\n%s", got)
	}
	if got := must(t, home, "notes", "--user", "bo"); strings.Contains(got, "gate") {
		t.Errorf("another user has\n%s", got)
	}
	// Erasing a whole user still needs the user on the command line.
	if code, out := daybookRun(t, home, "forget", "--yes"); code == 0 {
		t.Errorf("the file's user was erased:\n%s", out)
	}
}

func TestConfigMistakes(t *testing.T) {
	unset(t, "DAYBOOK_CONFIG")
	for text, want := range map[string]string{
		"adress: x\n":        `daybook.yaml:1: there is no setting "adress"`,
		"serve:\n  prot: 1":  `daybook.yaml:2: there is no setting "serve prot"`,
		"user: [\n":          "daybook.yaml",
		"just words":         "settings are lines such as 'user: ana'",
		"serve:\n  addr: ''": "--addr is empty",
		"config: other.yaml": `there is no setting "config"`,
	} {
		home := t.TempDir()
		putFile(t, filepath.Join(home, configName), text)
		if code, out := daybookRun(t, home, "serve"); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%q: exit %d, %s", text, code, out)
		}
	}
	if code, out := daybookRun(t, t.TempDir(), "stats", "--config", "/nowhere/daybook.yaml"); code != 3 || !strings.Contains(out, "no configuration file /nowhere") {
		t.Errorf("exit %d, %s", code, out)
	}
}

func TestConfigNamed(t *testing.T) {
	unset(t, "DAYBOOK_HOME", "DAYBOOK_USER", "DAYBOOK_CONFIG")
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "my.yaml")
	putFile(t, file, "home: "+home+"\nuser: dee\n")
	var out strings.Builder
	if code := run(t.Context(), []string{"add", "I like tea.", "--config", file}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	if got := must(t, home, "notes", "--user", "dee"); !strings.Contains(got, "tea") {
		t.Errorf("the home of the file has\n%s", got)
	}
}
