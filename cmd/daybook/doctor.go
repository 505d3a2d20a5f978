package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/model"
	"daybook/server"
	"daybook/store/sqlite"
)

type doctorCmd struct {
	encoderFlag
	rerankerFlag
	Addr   string `help:"Address that 'daybook serve' would listen on." default:"127.0.0.1:7077" env:"DAYBOOK_ADDR"`
	Full   bool   `help:"Also verify the whole memory, as 'daybook check' does."`
	Server string `help:"Only ask whether the server at this address is ready, such as http://127.0.0.1:7077; for health checks." placeholder:"URL"`
}

// Help says what the words mean.
func (c *doctorCmd) Help() string {
	return `Checks the home, the disk, the memory, the clock, keys, the port, models and settings, and says what to do about
what is wrong. The exit code is 0 where nothing fails; a warning is no failure.`
}

// Verdicts of a check.
const (
	fine   = "ok"
	doubt  = "warn"
	broken = "fail"
)

// finding is what one check found.
type finding struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail"`
	Advice  string `json:"advice,omitempty"` // what to do
}

func (c *doctorCmd) Run(a *app) error {
	if c.Server != "" {
		return c.ready(a)
	}
	var found []finding
	for _, check := range []func(*app) finding{c.settings, c.home, c.disk, c.memory, c.keys, c.port, c.models, c.llm} {
		found = append(found, check(a))
	}
	failed := 0
	for _, f := range found {
		if f.Verdict == broken {
			failed++
		}
	}
	if a.JSON {
		if err := a.json(map[string]any{"ok": failed == 0, "checks": found}); err != nil {
			return err
		}
	} else {
		c.print(a, found)
	}
	if failed > 0 {
		return daybook.Errorf(daybook.Unavailable, "doctor: %s failed", plural(failed, "check"))
	}
	return nil
}

func (c *doctorCmd) print(a *app, found []finding) {
	colours := map[string]string{fine: "32", doubt: "33", broken: "31"}
	for _, f := range found {
		a.printf("%s %-9s %s\n", a.paint(colours[f.Verdict], fmt.Sprintf("%-4s", f.Verdict)), f.Check, line(f.Detail, 300))
		if f.Advice != "" {
			a.printf("               %s\n", line(f.Advice, 300))
		}
	}
}

func (c *doctorCmd) settings(a *app) finding {
	if a.config.path == "" {
		return finding{"settings", fine, "no configuration file; defaults, environment and command line hold", ""}
	}
	return finding{"settings", fine, a.config.path + " is read", ""}
}

func (c *doctorCmd) home(a *app) finding {
	info, err := os.Stat(a.Home)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return finding{"home", fine, a.Home + " is not there yet; the first message makes it", ""}
	case err != nil:
		return finding{"home", broken, err.Error(), "name a folder that can be read with --home"}
	case !info.IsDir():
		return finding{"home", broken, a.Home + " is a file", "name a folder with --home"}
	}
	probe, err := os.CreateTemp(a.Home, ".doctor-*")
	if err != nil {
		return finding{"home", broken, a.Home + " cannot be written: " + err.Error(), "the memory can be asked but not added to; give this user the right to write there"}
	}
	_ = errors.Join(probe.Close(), os.Remove(probe.Name()))
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		return finding{"home", doubt, fmt.Sprintf("%s can be opened by other users (%s)", a.Home, info.Mode().Perm()), "chmod 700 " + a.Home}
	}
	return finding{"home", fine, a.Home + " can be written", ""}
}

// Room on disk below which there is a warning, or a failure.
const (
	littleRoom = 1 << 30
	noRoom     = 64 << 20
)

func (c *doctorCmd) disk(a *app) finding {
	dir := a.Home
	for { // the nearest folder that is there
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	free, err := freeBytes(dir)
	if err != nil {
		return finding{"disk", doubt, "the room on the disk of " + dir + " is not known: " + err.Error(), ""}
	}
	detail := fmt.Sprintf("%.1f GB free on the disk of %s", float64(free)/1e9, dir)
	switch {
	case free < noRoom:
		return finding{"disk", broken, detail, "make room; until then nothing can be added"}
	case free < littleRoom:
		return finding{"disk", doubt, detail, "make room soon"}
	}
	return finding{"disk", fine, detail, ""}
}

// memory opens the store, and looks at the clock: what was recorded later than now means
// that the clock was, or is, wrong.
func (c *doctorCmd) memory(a *app) finding {
	found, err := sqlite.Exists(a.Home)
	if err == nil && !found {
		return finding{"memory", fine, "none yet", ""}
	}
	if err != nil { // what stood beside it is there
		return finding{"memory", broken, err.Error(), "once that is moved away, 'daybook restore' puts a backup in place"}
	}
	f := finding{"memory", fine, "", ""}
	err = a.with(func(e *engine.Engine) (err error) {
		f, err = c.inspect(a, e)
		return err
	})
	if err != nil {
		return finding{"memory", broken, err.Error(), "'daybook restore' puts a backup in place, once daybook.db and the files beside it are moved away"}
	}
	return f
}

func (c *doctorCmd) inspect(a *app, e *engine.Engine) (finding, error) {
	scopes, err := e.Scopes(a.ctx)
	if err != nil {
		return finding{}, err
	}
	for _, scope := range scopes {
		log, err := e.Log(a.ctx, scope, 1)
		if err != nil {
			return finding{}, err
		}
		if len(log) > 0 && log[0].RecordedAt.After(a.now().Add(time.Minute)) {
			detail := fmt.Sprintf("the last commit %s was recorded at %s, and it is %s now", inFlags(scope), when(log[0].RecordedAt), when(a.now()))
			return finding{"memory", doubt, detail, "the clock of this machine was wrong then or is wrong now; set it by NTP"}, nil
		}
	}
	detail := fmt.Sprintf("%s, opens; the clock agrees with it", plural(len(scopes), "scope"))
	if !c.Full {
		return finding{"memory", fine, detail, ""}, nil
	}
	reports, err := e.Check(a.ctx)
	if err != nil {
		return finding{}, err
	}
	for _, r := range reports {
		if len(r.Damage) > 0 {
			return finding{"memory", broken, r.Damage[0], "restore a backup, or export what is left; 'daybook check' has the whole report"}, nil
		}
	}
	return finding{"memory", fine, detail + "; every byte was verified", ""}, nil
}

// keys looks at the keys in the store as serve does, but makes no store to do so.
func (c *doctorCmd) keys(a *app) finding {
	serve := serveCmd{Addr: c.Addr}
	local, err := serve.local(a)
	if err != nil {
		return finding{"keys", broken, err.Error(), "'daybook serve' refuses to start until then"}
	}
	var list []server.Key
	found, err := sqlite.Exists(a.Home)
	if err == nil && found {
		err = a.with(func(e *engine.Engine) error {
			keys, err := server.OpenKeys(a.ctx, e)
			if err != nil {
				return err
			}
			list, err = keys.List(a.ctx)
			return err
		})
	}
	valid := 0
	for _, k := range list {
		if k.RevokedAt.IsZero() {
			valid++
		}
	}
	switch {
	case err != nil:
		return finding{"keys", broken, err.Error(), "keys are kept in the memory, which must open first"}
	case valid > 0:
		return finding{"keys", fine, "the server asks for a key", ""}
	case len(list) > 0:
		return finding{"keys", doubt, "all are revoked, and the server goes on asking for one", "daybook key create"}
	case !local:
		return finding{"keys", broken, serve.unguarded().Error(), "daybook key create"}
	}
	return finding{"keys", fine, "none; the server is open to this machine only", ""}
}

func (c *doctorCmd) port(a *app) finding {
	listener, err := net.Listen("tcp", c.Addr)
	if err == nil {
		_ = listener.Close()
		return finding{"port", fine, c.Addr + " is free for 'daybook serve'", ""}
	}
	if version, ok := serverVersion(a.ctx, c.Addr); ok {
		return finding{"port", fine, fmt.Sprintf("a Daybook server (%s) listens on %s", version, c.Addr), ""}
	}
	return finding{"port", doubt, err.Error(), "stop what listens there, or choose another address with --addr"}
}

// serverVersion asks whether a Daybook server answers at an address.
func serverVersion(ctx context.Context, addr string) (string, bool) {
	body, err := get(ctx, "http://"+addr+"/version")
	if err != nil {
		return "", false
	}
	return body["version"], body["version"] != ""
}

// get fetches a small JSON object.
func get(ctx context.Context, url string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close() //nolint:errcheck // it was read
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", url, reply.Status)
	}
	body := map[string]string{}
	return body, json.NewDecoder(http.MaxBytesReader(nil, reply.Body, 1<<16)).Decode(&body)
}

func (c *doctorCmd) models(a *app) finding {
	encoder, err := a.encoder(c.encoderFlag)
	if err == nil {
		err = encoder.Verify()
	}
	if err != nil {
		return finding{"models", broken, err.Error(), "choose another with --encoder, or leave it out for the one in the binary"}
	}
	if c.Reranker != "" {
		if _, err := openSlot(a, c.Reranker, model.OpenReranker); err != nil {
			return finding{"models", broken, err.Error(), "choose another with --reranker, or leave it out"}
		}
	}
	info := encoder.Info()
	if info.Kernel == "portable" {
		return finding{"models", doubt, info.ID + " runs without vector instructions", "this processor has none that Daybook knows; embedding is several times slower"}
	}
	return finding{"models", fine, fmt.Sprintf("encoder %s runs with %s", info.ID, info.Kernel), ""}
}

// llm asks nothing: a question to a model may cost money.
func (c *doctorCmd) llm(a *app) finding {
	endpoint, err := model.ChatEndpoint(os.Getenv)
	switch {
	case daybook.KindOf(err) == daybook.NotFound:
		return finding{"llm", fine, "no language model is configured; none is needed", ""}
	case err != nil:
		return finding{"llm", broken, err.Error(), "correct or unset the variables; docs/cli.md, Models, lists them"}
	}
	return finding{"llm", fine, endpoint.String() + " is configured (it was not asked)", ""}
}

// ready asks one server.
func (c *doctorCmd) ready(a *app) error {
	body, err := get(a.ctx, strings.TrimRight(c.Server, "/")+"/health/ready")
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "the server is not ready: %w", err)
	}
	if a.JSON {
		return a.json(body)
	}
	a.printf("%s\n", body["status"])
	return nil
}
