package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"daybook/store/sqlite"
)

// examined is what doctor finds, by check.
func examined(t *testing.T, home string, args ...string) (map[string]finding, int) {
	t.Helper()
	code, out := daybookRun(t, home, append([]string{"doctor", "--json", "--addr", freeAddr(t)}, args...)...)
	var found struct{ Checks []finding }
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&found); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	byName := map[string]finding{}
	for _, f := range found.Checks {
		byName[f.Check] = f
	}
	return byName, code
}

func TestDoctorSound(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	must(t, home, "add", "I like tea.", "--no-learn")
	found, code := examined(t, home, "--full")
	for _, name := range []string{"settings", "home", "disk", "memory", "keys", "port", "models", "llm"} {
		if f := found[name]; f.Verdict == broken || f.Detail == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestDoctorFinds(t *testing.T) {
	check := func(name, verdict, want string, args []string, prepare func(home string)) {
		t.Helper()
		home := filepath.Join(t.TempDir(), "home")
		must(t, home, "add", "I like tea.", "--no-learn")
		prepare(home)
		found, code := examined(t, home, args...)
		if f := found[name]; f.Verdict != verdict || !strings.Contains(f.Detail, want) || f.Advice == "" {
			t.Errorf("%s: %+v", name, f)
		}
		if (code != 0) != (verdict == broken) {
			t.Errorf("%s: exit %d", name, code)
		}
	}
	nothing := func(string) {}
	check("memory", broken, "", nil, func(home string) {
		if err := os.WriteFile(filepath.Join(home, sqlite.FileName), []byte(strings.Repeat("no database ", 999)), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	check("memory", broken, "is gone", nil, func(home string) {
		if err := os.Remove(filepath.Join(home, sqlite.FileName)); err != nil {
			t.Fatal(err)
		}
	})
	check("keys", broken, "of an older daybook", nil, func(home string) { putFile(t, filepath.Join(home, "keys.json"), "{}") })
	check("keys", doubt, "all are revoked", []string{"--addr", "0.0.0.0:0"}, func(home string) {
		var key struct{ ID string }
		if err := json.Unmarshal([]byte(must(t, home, "key", "create", "--json")), &key); err != nil {
			t.Fatal(err)
		}
		must(t, home, "key", "revoke", key.ID)
	})
	check("home", doubt, "other users", nil, func(home string) {
		if err := os.Chmod(home, 0o755); err != nil {
			t.Fatal(err)
		}
	})
	check("models", broken, "none-such", []string{"--encoder", "none-such"}, nothing)
	check("keys", broken, "can be reached from other machines", []string{"--addr", "0.0.0.0:0"}, nothing)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	check("port", doubt, "in use", []string{"--addr", strings.TrimPrefix(other.URL, "http://")}, nothing)
	t.Setenv("DAYBOOK_LLM_MODEL", "m")
	t.Setenv("DAYBOOK_LLM_TIMEOUT", "soon")
	check("llm", broken, "DAYBOOK_LLM_TIMEOUT", nil, nothing)
}

// Looking at a home that is not there does not make it.
func TestDoctorMakesNothing(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if found, code := examined(t, home); code != 0 || found["keys"].Verdict != fine {
		t.Errorf("exit %d: %+v", code, found["keys"])
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("the home is there: %v", err)
	}
}

// A commit from the future means that a clock is wrong.
func TestDoctorClock(t *testing.T) {
	home := t.TempDir()
	must(t, home, "add", "I like tea.", "--no-learn")
	var out strings.Builder
	a := &app{ctx: t.Context(), terminal: newTerminal(strings.NewReader(""), &out, &out), now: func() time.Time { return time.Now().AddDate(-1, 0, 0) }}
	if code := runApp(a, []string{"doctor", "--home", home, "--addr", freeAddr(t)}); code != 0 || !strings.Contains(out.String(), "set it by NTP") {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
}

func TestDoctorServer(t *testing.T) {
	s := serveProcess(t, t.TempDir())
	if got := must(t, t.TempDir(), "doctor", "--server", s.url); got != "ready\n" {
		t.Errorf("it says %q", got)
	}
	found, _ := examined(t, t.TempDir(), "--addr", strings.TrimPrefix(s.url, "http://"))
	if f := found["port"]; f.Verdict != fine || !strings.Contains(f.Detail, "a Daybook server") {
		t.Errorf("port: %+v", f)
	}
	if code, out := daybookRun(t, t.TempDir(), "doctor", "--server", "http://127.0.0.1:9"); code != 5 || !strings.Contains(out, "not ready") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestRestore(t *testing.T) {
	home, to := t.TempDir(), filepath.Join(t.TempDir(), "new")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, home, "add", "I like tea.", "--no-learn", "--user", "ana")
	must(t, home, "backup", copied)
	must(t, home, "add", "I like coffee.", "--no-learn", "--user", "ana")
	if got := must(t, to, "restore", copied); !strings.Contains(got, "1 scope, 1 commit") {
		t.Errorf("it says %q", got)
	}
	if got := must(t, to, "notes", "--user", "ana"); !strings.Contains(got, "tea") || strings.Contains(got, "coffee") {
		t.Errorf("restored:\n%s", got)
	}
	must(t, to, "add", "I like cocoa.", "--no-learn", "--user", "ana") // it goes on from there
	if code, out := daybookRun(t, to, "restore", copied); code != 4 || !strings.Contains(out, "already") {
		t.Errorf("over a memory: exit %d, %s", code, out)
	}
	whole, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"cut": string(whole[:len(whole)/2]), "text": "hello", "empty": ""} {
		bad, empty := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), "home")
		putFile(t, bad, content)
		if code, out := daybookRun(t, empty, "restore", bad); code == 0 {
			t.Errorf("%s: %s", name, out)
		}
		if left, _ := os.ReadDir(empty); len(left) != 0 {
			t.Errorf("%s: %v was left", name, left)
		}
	}
}

// The keys of a home are in its backup, also where nothing was said yet.
func TestRestoreKeys(t *testing.T) {
	home, to := t.TempDir(), filepath.Join(t.TempDir(), "new")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, home, "key", "create", "--name", "first")
	must(t, home, "backup", copied)
	if got := must(t, to, "restore", copied); !strings.Contains(got, "0 scopes, 0 commits, 1 key") {
		t.Errorf("it says %q", got)
	}
	if got := must(t, to, "key", "list"); !strings.Contains(got, "first") {
		t.Errorf("keys:\n%s", got)
	}
}

// The log and the mark of a lost file are not those of the copy.
func TestRestoreBesideLeftovers(t *testing.T) {
	home, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy.db")
	must(t, home, "add", "I like tea.", "--no-learn")
	must(t, home, "backup", copied)
	if err := os.Remove(filepath.Join(home, sqlite.FileName)); err != nil {
		t.Fatal(err)
	}
	if code, out := daybookRun(t, home, "restore", copied); code != 4 || !strings.Contains(out, "daybook.db-mark") {
		t.Errorf("exit %d: %s", code, out)
	}
	if err := os.Remove(filepath.Join(home, sqlite.FileName+"-mark")); err != nil {
		t.Fatal(err)
	}
	must(t, home, "restore", copied)
	if got := must(t, home, "notes"); !strings.Contains(got, "tea") {
		t.Errorf("restored:\n%s", got)
	}
}

func TestVersion(t *testing.T) {
	got := must(t, t.TempDir(), "version")
	for _, want := range []string{"daybook dev\n", "  commit ", "  go       go1", "  encoder  e5-small-v2@"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLogLevel(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	for level, requests := range map[string]bool{"info": true, "warn": false} {
		ctx, stop := context.WithCancel(t.Context())
		addr, ended := freeAddr(t), make(chan int, 1)
		var out, log strings.Builder
		go func() {
			ended <- run(ctx, []string{"serve", "--home", t.TempDir(), "--addr", addr, "--log-level", level}, strings.NewReader(""), &out, &log)
		}()
		(&served{t: t, url: "http://" + addr}).ready(30 * time.Second)
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("%s: exit %d", level, code)
		}
		if got := strings.Contains(log.String(), `"msg":"request"`); got != requests {
			t.Errorf("%s: requests logged: %v\n%s", level, got, log.String())
		}
	}
}
