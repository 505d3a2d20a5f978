package server

import (
	"context"
	_ "embed"
	"net/http"
	"runtime"
	"runtime/debug"
)

type none struct{}

type statusOutput struct {
	Body struct {
		Status string `json:"status" example:"ok"`
	}
}

type versionOutput struct {
	Body struct {
		Version  string `json:"version"`
		Revision string `json:"revision,omitempty"`
		Go       string `json:"go"`
	}
}

// health adds what is asked by machines that watch, and by people who look around.
func (s *Server) health() {
	register(s, endpoint{http.MethodGet, "/health", "health", "Whether the process serves", Public, "service"},
		func(context.Context, *none) (*statusOutput, error) { return status("ok"), nil })
	register(s, endpoint{http.MethodGet, "/health/ready", "ready", "Whether the store is open and checked", Public, "service"},
		func(context.Context, *none) (*statusOutput, error) {
			if !s.ready.Load() {
				return nil, &refusal{status: http.StatusServiceUnavailable, detail: "not ready", after: 1}
			}
			return status("ready"), nil
		})
	register(s, endpoint{http.MethodGet, "/version", "version", "Which version serves", Public, "service"},
		func(context.Context, *none) (*versionOutput, error) { return s.version(), nil })
	s.page("/openapi.json", "application/json", s.document)
	s.page("/docs", "text/html; charset=utf-8", func() []byte { return docsPage })
}

//go:embed docs.html
var docsPage []byte

// document is the description of the API.
func (s *Server) document() []byte {
	data, err := s.api.OpenAPI().MarshalJSON()
	if err != nil {
		panic("the API is described wrongly: " + err.Error())
	}
	return data
}

// page serves something fixed to everybody.
func (s *Server) page(path, contentType string, content func() []byte) {
	s.public[path] = true
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Security-Policy", "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'")
		_, _ = w.Write(content())
	})
}

func status(word string) *statusOutput {
	out := &statusOutput{}
	out.Body.Status = word
	return out
}

func (s *Server) version() *versionOutput {
	out := &versionOutput{}
	out.Body.Version, out.Body.Go = s.opts.Version, runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, set := range info.Settings {
			if set.Key == "vcs.revision" {
				out.Body.Revision = set.Value
			}
		}
	}
	return out
}
