package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"

	"daybook"
	"daybook/engine"

	"github.com/danielgtaylor/huma/v2"
)

// statuses by kind of error; docs/http.md lists them.
var statuses = map[daybook.Kind]int{
	daybook.Invalid:     http.StatusBadRequest,
	daybook.NotFound:    http.StatusNotFound,
	daybook.Conflict:    http.StatusConflict,
	daybook.Unavailable: http.StatusServiceUnavailable,
	daybook.Corrupt:     http.StatusInternalServerError,
	daybook.Internal:    http.StatusInternalServerError,
}

// busyAfter is in how many seconds a writer may try again when too much waits.
const busyAfter = 5

// refusal is an error that only a door knows: no key, no right, too much.
type refusal struct {
	status int
	detail string
	after  int    // seconds, for Retry-After; 0 means none is sent
	allow  string // methods, for Allow; empty means none are sent
}

func (r *refusal) Error() string { return r.detail }

// problem turns an error into what the caller sees. What is our own fault is logged
// in full and shown as nothing.
func (s *Server) problem(ctx context.Context, err error) error {
	if shown, ok := errors.AsType[huma.StatusError](err); ok {
		return shown
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		shown := withRetry(huma.NewError(r.status, r.detail), r.after)
		if r.allow != "" {
			shown = huma.ErrorWithHeaders(shown, http.Header{"Allow": {r.allow}})
		}
		return shown
	}
	if errors.Is(err, engine.ErrBusy) {
		return withRetry(huma.NewError(http.StatusTooManyRequests, err.Error()), busyAfter)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return withRetry(huma.NewError(http.StatusServiceUnavailable, "the time limit of the request has passed"), 1)
	}
	status := statuses[daybook.KindOf(err)]
	switch {
	case status == http.StatusServiceUnavailable:
		s.log.LogAttrs(ctx, slog.LevelWarn, "request could not be served now", slog.String("request_id", requestID(ctx)), slog.String("error", err.Error()))
		return withRetry(huma.NewError(status, withoutPaths(err.Error())), 1)
	case status >= http.StatusInternalServerError:
		s.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("request_id", requestID(ctx)), slog.String("error", err.Error()))
		return huma.NewError(status, "something went wrong here; the log has it under request id "+requestID(ctx))
	}
	return huma.NewError(status, err.Error())
}

// filePath is the path of a file or folder with at least two parts.
var filePath = regexp.MustCompile(`(^|[\s"'(=])(?:/[^\s/:;,"')]+){2,}/?`)

// withoutPaths is a text without the paths of this machine, which are nobody's business.
func withoutPaths(text string) string { return filePath.ReplaceAllString(text, "${1}…") }

func withRetry(err error, seconds int) error {
	if seconds == 0 {
		return err
	}
	return huma.ErrorWithHeaders(err, http.Header{"Retry-After": {itoa(seconds)}})
}
