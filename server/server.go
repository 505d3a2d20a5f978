package server

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"daybook/engine"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Options is what a server is given besides its engine. The zero value serves one
// tenant and asks nobody for a key.
type Options struct {
	Version string       // shown by /version and in /openapi.json
	Tenant  string       // whose memory callers without a key touch
	Log     *slog.Logger // nil: nothing is logged

	MaxBody int64         // most bytes of a request; 0 means DefaultMaxBody
	Timeout time.Duration // for one request; 0 means DefaultTimeout
}

// What holds where Options say nothing.
const (
	DefaultMaxBody = 16 << 20
	DefaultTimeout = 60 * time.Second
)

// Server is an http.Handler on an engine. It is ready for use by many goroutines
// once New has returned; Mount is called before that.
type Server struct {
	engine *engine.Engine
	opts   Options
	log    *slog.Logger
	mux    *http.ServeMux
	api    huma.API
	public map[string]bool // paths that need no key
	ready  atomic.Bool
	origin *http.CrossOriginProtection
}

// New returns a server on an engine, which stays the caller's to close.
func New(e *engine.Engine, opts Options) *Server {
	s := &Server{
		engine: e, opts: opts, log: opts.Log, mux: http.NewServeMux(), public: map[string]bool{}, origin: http.NewCrossOriginProtection(),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.opts.MaxBody = cmp.Or(opts.MaxBody, DefaultMaxBody)
	s.opts.Timeout = cmp.Or(opts.Timeout, DefaultTimeout)
	s.api = humago.New(s.mux, s.config())
	s.health()
	s.memories()
	s.recalls()
	return s
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

// endpoint describes one operation of the API.
type endpoint struct {
	method, path string
	id           string // unique; clients are named after it
	summary      string
	right        Right
	tag          string // the group that it is shown in
}

// register adds an endpoint to the API.
func register[I, O any](s *Server, ep endpoint, do func(context.Context, *I) (*O, error)) {
	huma.Register(s.api, s.operation(ep), func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return out, nil
	})
}

// operation is what the API's description says of an endpoint, with its limits.
func (s *Server) operation(ep endpoint) huma.Operation {
	op := huma.Operation{
		Method: ep.method, Path: ep.path, OperationID: ep.id, Summary: ep.summary, Tags: []string{ep.tag},
		MaxBodyBytes: s.opts.MaxBody, BodyReadTimeout: s.opts.Timeout,
		Errors:      []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{s.demand(ep.right)},
	}
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
// a right. The pattern is one of http.ServeMux.
func (s *Server) Mount(pattern string, r Right, h http.Handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		if !CallerOf(req.Context()).May(r) {
			s.refuse(w, req, &refusal{status: http.StatusForbidden, detail: "this key has no right to " + string(r)})
			return
		}
		h.ServeHTTP(w, req)
	})
}

// OpenAPI is the description of the API.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

// SetReady says whether /health/ready answers yes.
func (s *Server) SetReady(ready bool) { s.ready.Store(ready) }

func itoa(n int) string { return strconv.Itoa(n) }
