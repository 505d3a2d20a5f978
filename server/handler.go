package server

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Handler returns the server as what http.Server calls. Every request is given an
// id, a time limit and a caller; then it is served, counted and logged.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := givenID(r.Header.Get("X-Request-Id"))
	w.Header().Set("X-Request-Id", id)
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), requestKey{}, id), s.opts.Timeout)
	defer cancel()
	trimSlash(r)
	answer := &recorder{ResponseWriter: w}
	caller, err := s.admit(r)
	r = r.WithContext(withCaller(ctx, caller))
	defer func() { s.done(answer, r, began, recover()) }()
	if err != nil {
		s.refuse(answer, r, err)
		return
	}
	r.Body = http.MaxBytesReader(answer, r.Body, s.opts.MaxBody)
	s.mux.ServeHTTP(answer, r)
}

// admit says who calls, and refuses those who may not.
func (s *Server) admit(r *http.Request) (Caller, error) {
	if err := s.foreign(r); err != nil {
		return Caller{}, err
	}
	if s.public[r.URL.Path] {
		return Caller{Right: Public}, nil
	}
	return Caller{Tenant: s.opts.Tenant, Right: Admin}, nil
}

// foreign refuses what a page of another site makes a browser send: a write, or
// anything under a name that was made to point at this machine.
func (s *Server) foreign(r *http.Request) error {
	if s.origin.Check(r) != nil {
		return &refusal{status: http.StatusForbidden, detail: "a page of another site may not write here"}
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if ok && local.IP.IsLoopback() && !loopbackName(r.Host) {
		return &refusal{status: http.StatusForbidden, detail: "this server is asked for by a name that is not this machine's"}
	}
	return nil
}

// loopbackName reports whether a Host header names the machine itself.
func loopbackName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// done logs a request that was served, or that broke.
func (s *Server) done(w *recorder, r *http.Request, began time.Time, broke any) {
	if broke != nil && broke != http.ErrAbortHandler {
		s.log.Error("request broke", "request_id", requestID(r.Context()), "panic", fmt.Sprint(broke), "stack", string(debug.Stack()))
		if w.status == 0 {
			s.refuse(w, r, &refusal{status: http.StatusInternalServerError, detail: "something went wrong here; the log has it under request id " + requestID(r.Context())})
		}
	}
	s.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("request_id", requestID(r.Context())), slog.String("method", r.Method), slog.String("path", r.Pattern),
		slog.Int("status", w.status), slog.Duration("took", time.Since(began)), slog.String("key", CallerOf(r.Context()).Key))
	if broke == http.ErrAbortHandler {
		panic(broke)
	}
}

// refuse answers a request that reaches no endpoint.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	shown := s.problem(r.Context(), err)
	status := http.StatusInternalServerError
	if e, ok := errors.AsType[huma.StatusError](shown); ok {
		status = e.GetStatus()
		if h, ok := errors.AsType[huma.HeadersError](shown); ok {
			for k, v := range h.GetHeaders() {
				w.Header()[k] = v
			}
		}
		shown = e
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="daybook"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(shown)
}

// trimSlash makes /v1/memories/ mean /v1/memories; many clients end paths so.
func trimSlash(r *http.Request) {
	if p := strings.TrimRight(r.URL.Path, "/"); p != "" && p != r.URL.Path {
		r.URL.Path, r.URL.RawPath = p, strings.TrimRight(r.URL.RawPath, "/")
	}
}

type requestKey struct{}

// requestID names the request that ctx belongs to, in logs and to its caller.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// givenID is the caller's own id of a request where it can stand in a log, else a
// new one.
func givenID(id string) string {
	plain := func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
	}
	if id == "" || len(id) > 64 || strings.IndexFunc(id, func(c rune) bool { return !plain(c) }) >= 0 {
		return strings.ToLower(rand.Text()[:16])
	}
	return id
}

// recorder remembers the status that was sent.
type recorder struct {
	http.ResponseWriter
	status int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what was written.
func (w *recorder) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Hijack hands the connection over.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(w.ResponseWriter).Hijack()
}
