package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/server"
)

type serveCmd struct {
	encoderFlag
	learnFlags
	Addr    string        `help:"Address to listen on." default:"127.0.0.1:7077" env:"DAYBOOK_ADDR" placeholder:"HOST:PORT"`
	MaxBody int64         `help:"Most bytes of one request." default:"16777216" placeholder:"N"`
	Timeout time.Duration `help:"Most time that one request may take." default:"60s" placeholder:"TIME"`
}

// Help says where to look.
func (c *serveCmd) Help() string {
	return `Serves the memory in the home over HTTP; docs/http.md tells what is served, and /docs on the
server itself. A signal stops it: requests that were taken are answered first.`
}

func (c *serveCmd) Run(a *app) error {
	enc, err := a.encoder(c.encoderFlag)
	if err != nil {
		return err
	}
	return a.learning(c.learnFlags, func(e *engine.Engine) error {
		return c.serve(a, e.WithEncoder(enc))
	})
}

// serve listens until the command is interrupted, and then finishes what it took.
func (c *serveCmd) serve(a *app, e *engine.Engine) error {
	log := slog.New(slog.NewJSONHandler(a.err, nil))
	s := server.New(e, server.Options{Version: version, Tenant: a.Tenant, Log: log, MaxBody: c.MaxBody, Timeout: c.Timeout})
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "listen: %w", err)
	}
	if _, err := e.Scopes(a.ctx); err != nil { // the store is open and can be read
		return errors.Join(err, listener.Close())
	}
	s.SetReady(true)
	a.printf("daybook serves %s on http://%s\n", a.Home, listener.Addr())
	return c.until(a.ctx, s, listener)
}

// shutdownWithin is how long requests that were taken may go on.
const shutdownWithin = 30 * time.Second

func (c *serveCmd) until(ctx context.Context, s *server.Server, listener net.Listener) error {
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return daybook.Errorf(daybook.Unavailable, "serve: %w", err)
	case <-ctx.Done():
	}
	s.SetReady(false)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	return h.Shutdown(last)
}
