package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/model"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Options is what a server is given besides its engine. The zero value serves one
// tenant and asks nobody for a key.
type Options struct {
	Version string       // shown by /version and in /openapi.json
	Tenant  string       // whose memory callers without a key touch
	Keys    *Keys        // nil: nobody is asked for a key
	Log     *slog.Logger // nil: nothing is logged
	Audit   *slog.Logger // is told of every write and refusal; nil: none
	Tracer  trace.Tracer // nil: no traces

	MaxBody   int64         // most bytes of a request; 0 means DefaultMaxBody
	Timeout   time.Duration // for one request; 0 means DefaultTimeout
	PerMinute int           // requests of a key that has no limit of its own; 0 means no limit
	Strangers int           // requests without a good key from one address in a minute; 0 means DefaultStrangers
	Origins   []string      // sites whose pages may call; none by default

	Worker    engine.WorkerOptions
	Completer model.Completer       // writes answers where a caller asks for it; may be nil
	Spending  func() model.Spending // what language models cost; may be nil

	PrivateHooks bool // webhooks may go to private addresses
}

// What holds where Options say nothing.
const (
	DefaultMaxBody   = 16 << 20
	DefaultTimeout   = 60 * time.Second
	DefaultStrangers = 120
)

// Server is an http.Handler on an engine. It is ready for use by many goroutines
// once New has returned; Mount is called before that.
type Server struct {
	engine  *engine.Engine // for reads, and for writes that leave nothing to be done
	worker  *engine.Worker
	opts    Options
	log     *slog.Logger
	audit   *slog.Logger
	tracer  trace.Tracer
	mux     *http.ServeMux
	api     huma.API
	public  map[string]bool  // paths that need no key
	rights  map[string]Right // what each pattern of the mux needs
	mounted map[string]bool  // patterns of Mount
	ready   atomic.Bool
	origin  *http.CrossOriginProtection
	rates   rates
	// strangers are the addresses of callers without a good key.
	strangers rates
	metrics   *measures
	hooks     *hooks
	tags      sync.Map // scopes by their tags in ids of memories
}

// New returns a server on an engine, which stays the caller's to close. Run does
// what it leaves to the background.
func New(e *engine.Engine, opts Options) (*Server, error) {
	s := &Server{
		opts: opts, log: opts.Log, audit: opts.Audit, tracer: opts.Tracer, mux: http.NewServeMux(), public: map[string]bool{}, rights: map[string]Right{}, mounted: map[string]bool{},
		origin: http.NewCrossOriginProtection(),
	}
	for _, o := range opts.Origins {
		if err := s.origin.AddTrustedOrigin(o); err != nil {
			return nil, daybook.Errorf(daybook.Invalid, "%w", err)
		}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.audit == nil {
		s.audit = slog.New(slog.DiscardHandler)
	}
	s.log, s.audit = slog.New(clipping{s.log.Handler()}), slog.New(clipping{s.audit.Handler()})
	if s.tracer == nil {
		s.tracer = noop.NewTracerProvider().Tracer("")
	}
	s.opts.MaxBody = cmp.Or(opts.MaxBody, DefaultMaxBody)
	s.opts.Timeout = cmp.Or(opts.Timeout, DefaultTimeout)
	s.opts.Strangers = cmp.Or(opts.Strangers, DefaultStrangers)
	s.opts.Worker.Failed = s.jobFailed
	s.worker = engine.NewWorker(e.WithWatch(s.committed), s.opts.Worker)
	s.engine = s.worker.Reader()
	s.metrics = newMeasures(s.worker.Waiting, opts.Spending)
	s.hooks = newHooks(e.Records(), opts.PrivateHooks, s.log, s.metrics.hooks)
	s.api = humago.New(s.mux, s.config())
	for _, add := range []func(){
		s.health, s.metricsPage, s.memories, s.recalls, s.asks, s.facts, s.commits, s.queries, s.trees,
		s.erasures, s.transfers, s.packets, s.jobs, s.webhooks, s.mem0,
	} {
		add()
	}
	return s, nil
}

// Run does in the background what requests leave to be done, until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	var wait sync.WaitGroup
	wait.Go(func() { s.hooks.run(ctx) })
	err := s.worker.Run(ctx)
	wait.Wait()
	return err
}

// Worker is what keeps notes and learns from them.
func (s *Server) Worker() *engine.Worker { return s.worker }

// committed is told of each commit.
func (s *Server) committed(scope daybook.Scope, r daybook.Receipt) {
	s.metrics.committed(r)
	s.hooks.committed(scope, r)
}

// jobFailed is told of each job that is left alone.
func (s *Server) jobFailed(scope daybook.Scope, j engine.Job) {
	s.metrics.failed.Inc()
	s.log.Error("a job failed for good; it can be tried again", "job", j.ID, "tries", j.Tries)
	s.hooks.tell(scope, hookEvent{Event: eventJobFailed, Commit: j.Commit, Seq: j.Seq, Job: j.ID})
}

// config describes the API. The pages that huma would add are left out: its /docs
// loads a program from another host.
func (s *Server) config() huma.Config {
	c := huma.DefaultConfig("Daybook", s.opts.Version)
	c.Info.Description = "Long-term memory that knows what is true now, what used to be true, and what changed."
	c.DocsPath, c.OpenAPIPath, c.SchemasPath, c.CreateHooks = "", "", "", nil
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer"},
		"header": {Type: "apiKey", In: "header", Name: "X-API-Key"},
	}
	// What curl -d sends when it is not told otherwise. Browsers of other sites are
	// refused before (foreign), so it opens nothing.
	c.Formats = map[string]huma.Format{
		"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat, "application/x-www-form-urlencoded": huma.DefaultJSONFormat,
	}
	c.Security = []map[string][]string{{"bearer": {}}, {"header": {}}}
	return c
}

// schemaName names a type in /openapi.json; types of other packages carry the
// package's name, so that no two clash.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	pkg := t.PkgPath()
	pkg = pkg[strings.LastIndex(pkg, "/")+1:]
	if pkg == "" || pkg == "daybook" || pkg == "server" || pkg == "huma" || pkg == "v2" {
		return name
	}
	return strings.ToUpper(pkg[:1]) + pkg[1:] + name
}

// operation is what the API's description says of an endpoint, with its limits.
func (s *Server) operation(ep endpoint) *huma.Operation {
	op := &huma.Operation{
		Method: ep.method, Path: ep.path, OperationID: ep.id, Summary: ep.summary, Tags: []string{ep.tag},
		MaxBodyBytes: s.opts.MaxBody, BodyReadTimeout: s.opts.Timeout,
		Errors:      []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{s.demand(ep.right)},
	}
	s.rights[ep.method+" "+ep.path] = ep.right
	if ep.right == Public {
		s.public[ep.path] = true
		op.Security, op.Errors, op.Middlewares = []map[string][]string{}, nil, nil
	}
	return op
}

// demand lets only callers with a right through to an endpoint.
func (s *Server) demand(r Right) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if !CallerOf(ctx.Context()).May(r) {
			_ = huma.WriteErr(s.api, ctx, http.StatusForbidden, "this key has no right to "+string(r))
			return
		}
		next(ctx)
	}
}

// Mount puts a handler behind the steps that every request passes, for callers with
// a right. The pattern is one of http.ServeMux. It has no time limit.
func (s *Server) Mount(pattern string, r Right, h http.Handler) {
	s.rights[pattern], s.mounted[pattern] = r, true
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		if !CallerOf(req.Context()).May(r) {
			s.refuse(w, req, &refusal{status: http.StatusForbidden, detail: "this key has no right to " + string(r)})
			return
		}
		if err := received(w, req); err != nil {
			s.refuse(w, req, err)
			return
		}
		h.ServeHTTP(w, req)
	})
}

// received reads a body whole, within the time that serve gave it. After that what is
// mounted may take its time.
func received(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{status: http.StatusRequestEntityTooLarge, detail: "the body has more than " + strconv.FormatInt(tooLarge.Limit, 10) + " bytes"}
	}
	if err != nil {
		return &refusal{status: http.StatusRequestTimeout, detail: "the body did not arrive in time"}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// OpenAPI is the description of the API.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

// SetReady says whether /health/ready answers yes.
func (s *Server) SetReady(ready bool) { s.ready.Store(ready) }

func itoa(n int) string { return strconv.Itoa(n) }
