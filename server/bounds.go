package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// What callers send decides neither how long a line of the log is nor how many series
// the metrics have.

// maxField is how many bytes of a value a log has; maxTrace, of where something broke.
const (
	maxField = 1 << 10
	maxTrace = 16 << 10
)

// clipping is a handler that shortens long values.
type clipping struct{ slog.Handler }

func (c clipping) Handle(ctx context.Context, r slog.Record) error {
	short := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		short.AddAttrs(clipped(a))
		return true
	})
	return c.Handler.Handle(ctx, short)
}

func (c clipping) WithAttrs(attrs []slog.Attr) slog.Handler {
	short := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		short[i] = clipped(a)
	}
	return clipping{c.Handler.WithAttrs(short)}
}

func (c clipping) WithGroup(name string) slog.Handler { return clipping{c.Handler.WithGroup(name)} }

func clipped(a slog.Attr) slog.Attr {
	limit := maxField
	if a.Key == "stack" {
		limit = maxTrace
	}
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(clip(v.String(), limit))
	case slog.KindAny:
		a.Value = slog.StringValue(clip(fmt.Sprint(v.Any()), limit))
	}
	return a
}

// clip returns the beginning of a text that is too long, and says how long it was.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + fmt.Sprintf("… (%d bytes)", len(text))
}

// methods are those that any endpoint takes, and what browsers ask before.
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true, http.MethodPatch: true, http.MethodDelete: true, http.MethodOptions: true,
}

// methodOf is the method of a request as logs and metrics have it.
func methodOf(r *http.Request) string {
	if methods[r.Method] {
		return r.Method
	}
	return "other"
}
