package server

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"daybook"
	"daybook/engine"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Handler returns the server as what http.Server calls. Every request is given an
// id, a time limit and a caller; then it is served, counted and logged.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := givenID(r.Header.Get("X-Request-Id"))
	w.Header().Set("X-Request-Id", id)
	cleanPath(r)
	answer := &recorder{ResponseWriter: w}
	// Whatever becomes of the request, its body arrives in time or the connection is closed.
	_ = http.NewResponseController(w).SetReadDeadline(began.Add(s.opts.Timeout))
	if s.preflight(answer, r) {
		return
	}
	ctx, cancel := s.bounded(context.WithValue(r.Context(), requestKey{}, &request{id: id}), w, r)
	defer cancel()
	ctx, span := s.begin(ctx, r)
	defer span.End()
	caller, err := s.admit(r.WithContext(ctx))
	r = r.WithContext(withCaller(ctx, caller))
	defer func() { s.done(answer, r, span, began, recover()) }()
	if err != nil {
		s.refuse(answer, r, err)
		return
	}
	if err := s.lost(r); err != nil {
		s.refuse(answer, r, err)
		return
	}
	r.Body = http.MaxBytesReader(answer, r.Body, s.opts.MaxBody)
	s.mux.ServeHTTP(answer, r)
}

// lost refuses a request for which there is no endpoint.
func (s *Server) lost(r *http.Request) error {
	h, pattern := s.mux.Handler(r)
	if pattern != "" {
		return nil
	}
	told := &told{header: http.Header{}}
	h.ServeHTTP(told, r)
	if allow := told.header.Get("Allow"); allow != "" {
		return &refusal{status: http.StatusMethodNotAllowed, detail: "this path takes " + allow + ", not " + methodOf(r), allow: allow}
	}
	return &refusal{status: http.StatusNotFound, detail: "there is nothing at this path; /docs lists what there is"}
}

// told keeps the header of an answer and nothing else.
type told struct{ header http.Header }

func (t *told) Header() http.Header         { return t.header }
func (t *told) Write(b []byte) (int, error) { return len(b), nil }
func (t *told) WriteHeader(int)             {}

// bounded gives a request its time, to be answered and to take the answer in. What
// is mounted may hold a connection open for as long as it likes.
func (s *Server) bounded(ctx context.Context, w http.ResponseWriter, r *http.Request) (context.Context, context.CancelFunc) {
	if _, pattern := s.mux.Handler(r); s.mounted[pattern] {
		return context.WithCancel(ctx)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.opts.Timeout + writeGrace))
	return context.WithTimeout(ctx, s.opts.Timeout)
}

// writeGrace is how long a caller may take to read what was answered in time.
const writeGrace = 30 * time.Second

// begin begins the trace of a request, or goes on with that of its caller.
func (s *Server) begin(ctx context.Context, r *http.Request) (context.Context, trace.Span) {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	ctx, span := s.tracer.Start(ctx, methodOf(r), trace.WithSpanKind(trace.SpanKindServer))
	return engine.WithStages(ctx, func(stage string, began, ended time.Time) {
		s.metrics.stages.Observe(ended.Sub(began).Seconds(), stage)
		_, part := s.tracer.Start(ctx, stage, trace.WithTimestamp(began))
		part.End(trace.WithTimestamp(ended))
	}), span
}

// preflight answers browsers who ask whether a page may call, and names the page's
// site in what it then gets. Without Origins no page may.
func (s *Server) preflight(w http.ResponseWriter, r *http.Request) (answered bool) {
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(s.opts.Origins, origin) {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, X-Request-Id")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// admit says who calls, and refuses those who may not.
func (s *Server) admit(r *http.Request) (Caller, error) {
	if err := s.foreign(r); err != nil {
		return Caller{}, err
	}
	if s.public[r.URL.Path] {
		return Caller{Right: Public}, nil
	}
	asked, err := s.asksForKeys(r.Context())
	if err != nil {
		return Caller{}, err
	}
	if !asked {
		return Caller{Tenant: s.opts.Tenant, Right: Admin}, nil
	}
	key, ok, err := s.opts.Keys.Find(r.Context(), secretOf(r.Header))
	if err != nil {
		return Caller{}, err
	}
	if !ok {
		if err := s.stranger(r); err != nil {
			return Caller{}, err
		}
		return Caller{}, &refusal{status: http.StatusUnauthorized, detail: "no key, or not one that opens anything; 'daybook key create' makes one"}
	}
	caller := Caller{Key: key.ID, Tenant: key.Tenant, Users: key.Users, Right: key.Right}
	return caller, s.limit(key)
}

// asksForKeys reports whether callers need a key: from the first on that the home ever had.
func (s *Server) asksForKeys(ctx context.Context) (bool, error) {
	if s.opts.Keys == nil {
		return false, nil
	}
	return s.opts.Keys.Used(ctx)
}

// secretOf is the key that a request carries, in any of the ways that clients send
// one.
func secretOf(h http.Header) string {
	if k := h.Get("X-API-Key"); k != "" {
		return k
	}
	scheme, rest, _ := strings.Cut(h.Get("Authorization"), " ")
	switch strings.ToLower(scheme) {
	case "bearer", "token", "api-key":
		return strings.TrimSpace(rest)
	}
	return ""
}

// foreign refuses what a page of another site makes a browser send: a write, or
// anything under a name that was made to point at this machine.
func (s *Server) foreign(r *http.Request) error {
	if s.origin.Check(r) != nil {
		return &refusal{status: http.StatusForbidden, detail: "a page of another site may not write here"}
	}
	asked, err := s.asksForKeys(r.Context())
	if err != nil {
		return err
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !asked && ok && local.IP.IsLoopback() && !loopbackName(r.Host) {
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

// done counts and logs a request that was served, or that broke.
func (s *Server) done(w *recorder, r *http.Request, span trace.Span, began time.Time, broke any) {
	if broke != nil && broke != http.ErrAbortHandler {
		s.log.Error("request broke", "request_id", requestID(r.Context()), "panic", fmt.Sprint(broke), "stack", string(debug.Stack()))
		if w.status == 0 {
			s.refuse(w, r, &refusal{status: http.StatusInternalServerError, detail: "something went wrong here; the log has it under request id " + requestID(r.Context())})
		}
	}
	took := time.Since(began)
	s.metrics.observe(r, w.status, took)
	span.SetName(cmp.Or(r.Pattern, methodOf(r)))
	span.SetAttributes(attribute.Int("http.response.status_code", w.status), attribute.String("http.request.method", methodOf(r)), attribute.String("http.route", r.Pattern))
	if w.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, http.StatusText(w.status))
	}
	line := []slog.Attr{
		slog.String("request_id", requestID(r.Context())), slog.String("method", methodOf(r)), slog.String("path", r.Pattern),
		slog.Int("status", w.status), slog.Float64("took_ms", float64(took.Microseconds())/1000), slog.String("key", CallerOf(r.Context()).Key),
	}
	if !requestOf(r.Context()).flood {
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
	}
	s.audited(r, w.status, line)
	if broke == http.ErrAbortHandler {
		panic(broke)
	}
}

// audited writes down who wrote, exported or was refused, and where; never what.
func (s *Server) audited(r *http.Request, status int, line []slog.Attr) {
	refused := status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
	scope, wrote := requestOf(r.Context()).scope, false
	if by := requestOf(r.Context()).wrote.Load(); by != nil {
		scope, wrote = *by, true
	}
	right := s.rights[r.Pattern]
	if requestOf(r.Context()).flood || r.Pattern == metricsPattern && !refused {
		return
	}
	if refused || wrote || right == Write || right == Admin {
		s.audit.LogAttrs(r.Context(), slog.LevelInfo, "audit", append(line, slog.String("tenant", CallerOf(r.Context()).Tenant),
			slog.String("user", scope.User), slog.String("agent", scope.Agent), slog.String("from", r.RemoteAddr))...)
	}
}

// refusedBody is how long the body of a request that is refused may still arrive: callers who
// are sending it read the answer only then.
const refusedBody = 2 * time.Second

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
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedBody))
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(shown)
}

// cleanPath makes //v1/memories/ mean /v1/memories: clients put addresses together in many
// ways, and http.ServeMux would answer them with a redirection. A slash that a caller
// escaped is part of a name and stays.
func cleanPath(r *http.Request) {
	escaped := r.URL.EscapedPath()
	clean := path.Clean("/" + escaped)
	if clean == escaped {
		return
	}
	if plain, err := url.PathUnescape(clean); err == nil {
		r.URL.Path, r.URL.RawPath = plain, clean
	}
}

type requestKey struct{}

// request is what is noted of a request while it is served.
type request struct {
	id    string
	scope daybook.Scope                 // the one that it named, if any
	wrote atomic.Pointer[daybook.Scope] // what was mounted may have written to; see Wrote
	flood bool                          // one of very many without a key: it is counted, and not written down
}

// Wrote notes, for the audit log, that a request to something mounted wrote to a scope, or
// tried to. It may be called from any goroutine.
func Wrote(ctx context.Context, scope daybook.Scope) { requestOf(ctx).wrote.Store(&scope) }

func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}

// requestID names the request that ctx belongs to, in logs and to its caller.
func requestID(ctx context.Context) string { return requestOf(ctx).id }

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
