package mcp

import (
	"context"
	"net/http"

	"daybook"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody is how many bytes a request may have; a note may be that long.
const maxBody = daybook.MaxText + 1<<20

// Handler serves streamable HTTP. For each request, reach says what its caller may do;
// where that is nothing, it writes the refusal itself and returns false. No state is
// kept between requests: who may do what is asked every time, so a session that one
// caller began can never serve another.
func (d *Door) Handler(reach func(http.ResponseWriter, *http.Request) (Reach, bool)) http.Handler {
	h := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		s, _ := r.Context().Value(serverKey{}).(*sdk.Server)
		return s
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, Logger: d.log, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		may, ok := reach(w, r)
		if !ok {
			return
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, d.server(may))))
	}))
}

// serverKey is where a request carries the server of its caller.
type serverKey struct{}
