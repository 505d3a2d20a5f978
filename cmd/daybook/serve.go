package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/mcp"
	"daybook/model"
	"daybook/server"
	"daybook/tree"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

type serveCmd struct {
	encoderFlag
	rerankerFlag
	learnFlags
	Addr         string        `help:"Address to listen on." default:"127.0.0.1:7077" env:"DAYBOOK_ADDR"`
	MaxBody      int64         `help:"Most bytes of one request." default:"16777216"`
	Timeout      time.Duration `help:"Most time that one request may take." default:"60s"`
	PerMinute    int           `help:"Most requests of one key in a minute; 0 means no limit." placeholder:"N"`
	Origin       []string      `help:"Site whose pages may call, such as https://example.com; none by default." placeholder:"URL"`
	Workers      int           `help:"Scopes that are learned in at once, in the background; half the processors by default." placeholder:"N"`
	MaxWaiting   int           `help:"Notes that may wait to be learned from before writes are refused." default:"100000"`
	Questions    int           `help:"Questions that are worked on at once; as many as processors by default." placeholder:"N"`
	PrivateHooks bool          `help:"Webhooks may go to private addresses."`
	NoAuth       bool          `help:"Ask nobody for a key, also where this home has or had keys; on this machine only."`
	LogLevel     string        `help:"Least that is logged: debug, info (every request), warn or error." enum:"debug,info,warn,error" default:"info" env:"DAYBOOK_LOG_LEVEL"`
	Quiet        bool          `short:"q" help:"Log only what went wrong; --log-level warn."`
}

// Help says where to look.
func (c *serveCmd) Help() string {
	return `Serves the memory in the home over HTTP; docs/http.md tells what is served, and /docs on the
server itself. It asks for keys once 'daybook key create' has made one, and goes on asking
when all are revoked; off loopback there must be one. A signal stops it: requests that were
taken are answered first, and what is left to be learned is taken up at the next start.`
}

func (c *serveCmd) Run(a *app) error {
	return a.with(func(e *engine.Engine) error {
		keys, err := c.keys(a, e)
		if err != nil {
			return err
		}
		models, err := c.models(a)
		if err != nil {
			return err
		}
		return errors.Join(c.serve(a, models.engine(e, c), models, keys), models.close())
	})
}

// keys are the home's keys. Where it never had any, or none are asked for, only this machine
// may call.
func (c *serveCmd) keys(a *app, e *engine.Engine) (*server.Keys, error) {
	local, err := c.local(a)
	if err != nil {
		return nil, err
	}
	keys, err := server.OpenKeys(a.ctx, e)
	if err != nil {
		return nil, err
	}
	used, err := keys.Used(a.ctx)
	if err != nil || used && !c.NoAuth {
		return keys, err
	}
	if !local {
		return nil, c.unguarded()
	}
	if c.NoAuth {
		return nil, nil
	}
	return keys, nil
}

// local reports whether only this machine can reach the address. A home whose keys are in
// the file of an older daybook is refused.
func (c *serveCmd) local(a *app) (bool, error) {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return false, daybook.Errorf(daybook.Invalid, "--addr %q is not HOST:PORT, such as 127.0.0.1:7077", c.Addr)
	}
	if _, err := os.Stat(filepath.Join(a.Home, "keys.json")); err == nil {
		return false, daybook.Errorf(daybook.Invalid, "%s is of an older daybook, which kept its keys there; make keys anew with 'daybook key create' and remove that file", filepath.Join(a.Home, "keys.json"))
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

func (c *serveCmd) unguarded() error {
	return daybook.Errorf(daybook.Invalid, "--addr %s can be reached from other machines, and nobody would be asked for a key: 'daybook key create' makes one", c.Addr)
}

// serveModels are the models that a server works with.
type serveModels struct {
	encoder   *model.LocalEncoder
	reader    *model.LocalReader
	reranker  model.Reranker
	learner   engine.Learner
	completer model.Completer
	spending  func() model.Spending
	close     func() error
}

func (c *serveCmd) models(a *app) (m serveModels, err error) {
	m.close = func() error { return nil }
	if m.encoder, err = a.encoder(c.encoderFlag); err != nil {
		return m, err
	}
	if m.reader, err = model.DefaultReader(); err != nil {
		return m, err
	}
	if c.Reranker != "" {
		if m.reranker, err = openSlot(a, c.Reranker, model.OpenReranker); err != nil {
			return m, err
		}
	}
	budget := model.NewBudget(c.LLMTokens, nil)
	m.spending = budget.Snapshot
	if m.learner, m.close, err = a.learnerIn(c.learnFlags, budget); err != nil {
		return m, err
	}
	if endpoint, err := model.ChatEndpoint(os.Getenv); err == nil && !c.LocalOnly {
		client, err := model.NewOpenAI(endpoint)
		if err != nil {
			return m, err
		}
		m.completer = budget.Completer(client, client.Model())
		closeLearner := m.close
		m.close = func() error { return errors.Join(closeLearner(), client.Close()) }
	}
	return m, nil
}

// engine gives an engine the models.
func (m serveModels) engine(e *engine.Engine, c *serveCmd) *engine.Engine {
	room := c.Questions
	if room == 0 {
		room = runtime.GOMAXPROCS(0)
	}
	e = e.WithEncoder(m.encoder).WithReader(m.reader).WithTreeModels(tree.Models{Encoder: m.encoder, Completer: m.completer}).WithRoom(room).WithEchoes()
	if m.reranker != nil {
		e = e.WithReranker(m.reranker)
	}
	if m.learner != nil {
		e = e.WithLearner(m.learner)
	}
	return e
}

// serve listens until the command is interrupted, and then finishes what it took.
func (c *serveCmd) serve(a *app, e *engine.Engine, m serveModels, keys *server.Keys) error {
	if err := e.Writable(a.ctx, a.scope()); err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(a.err, &slog.HandlerOptions{Level: c.level()}))
	slog.SetDefault(log)
	audit := openAudit(e.Records(), log)
	defer audit.Close()
	traces, err := server.NewTracing(os.Getenv, version)
	if err != nil {
		return err
	}
	opts := server.Options{
		Version: version, Tenant: a.Tenant, Keys: keys, Log: log, Audit: slog.New(slog.NewJSONHandler(audit, nil)),
		MaxBody: c.MaxBody, Timeout: c.Timeout, PerMinute: c.PerMinute, Origins: c.Origin,
		Worker: engine.WorkerOptions{Workers: c.Workers, MaxWaiting: c.MaxWaiting}, Completer: m.completer, Spending: m.spending,
		PrivateHooks: c.PrivateHooks,
	}
	if traces != nil {
		opts.Tracer = traces.Tracer("daybook")
	}
	s, err := server.New(e, opts)
	if err != nil {
		return err
	}
	agents := mcp.New(s.Worker().Engine(), version, log).Handler(reachOf)
	s.Mount("/mcp", server.Read, agents)
	s.Mount("/mcp/{user}", server.Read, agents)
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return cannotListen(c.Addr, err)
	}
	if _, err := e.Scopes(a.ctx); err != nil { // the store can be read
		return errors.Join(err, listener.Close())
	}
	a.printf("daybook serves %s on http://%s\n", a.Home, listener.Addr())
	return errors.Join(c.until(a.ctx, s, listener), shutdown(traces))
}

// level is the least that is logged.
func (c *serveCmd) level() slog.Level {
	if c.Quiet {
		return slog.LevelWarn
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		panic("the parser takes a level that is none: " + err.Error())
	}
	return level
}

// cannotListen says what to do about an address that cannot be had.
func cannotListen(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return daybook.Errorf(daybook.Unavailable, "something listens on %s already, perhaps another 'daybook serve'; --addr chooses another address", addr)
	}
	return daybook.Errorf(daybook.Unavailable, "listen: %w", err)
}

// shutdownWithin is how long requests that were taken may go on.
const shutdownWithin = 5 * time.Second

// until serves until ctx is done, or serving fails.
func (c *serveCmd) until(ctx context.Context, s *server.Server, listener net.Listener) error {
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	// The background outlives the signal: requests that are being answered may wait for it.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	worked := make(chan error, 1)
	go func() { worked <- s.Run(background) }()
	s.SetReady(true)
	var err error
	select {
	case err = <-failed:
		err = daybook.Errorf(daybook.Unavailable, "serve: %w", err)
	case err = <-worked:
		err = daybook.Errorf(daybook.Unavailable, "background work ended: %w", err)
		worked <- nil
	case <-ctx.Done():
	}
	s.SetReady(false)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	if h.Shutdown(last) != nil {
		slog.Warn("requests that were not answered in time are cut off", "within", shutdownWithin.String())
		err = errors.Join(err, h.Close())
	}
	stop()
	<-worked
	return err
}

// shutdown sends the traces that are left.
func shutdown(traces *sdktrace.TracerProvider) error {
	if traces == nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return traces.Shutdown(last)
}
