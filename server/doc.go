// Package server answers: how does a program on the other end of an HTTP
// connection read and write a memory?
//
// It decodes, calls the engine, and encodes; nothing is decided here that a user of
// the command line would want decided, too. Every request passes the same steps
// (Server.Handler): request id, log, limits, key, then the endpoint. An endpoint
// never sees a tenant that its caller's key does not name.
//
// # Adding endpoints
//
// An endpoint is a function of a context and an input struct. Put it into a file
// of its own with a method (s *Server) xyz() that calls register for each, and
// call that method in New:
//
//	type profileInput struct {
//		ScopeKeys                                // user_id, agent_id, run_id and aliases as query parameters
//		Limit int `query:"limit" default:"10"`
//	}
//	type profileOutput struct{ Body Profile }
//
//	func (s *Server) profiles() {
//		register(s, endpoint{http.MethodGet, "/v1/profile", "profile", "What is known of a user", Read, "memory"},
//			func(ctx context.Context, in *profileInput) (*profileOutput, error) {
//				scope, session, err := s.scope(ctx, in.ScopeKeys)
//				...
//			})
//	}
//
// For a JSON body, embed ScopeKeys in the struct that is the input's Body field
// instead. register asks for the right (Read, Write, Admin), turns an error's kind
// into a status (problem), bounds body and time, and puts the endpoint into
// /openapi.json; tests walk that document, so that no endpoint is without a key and
// none leaks across tenants. s.engine is the engine; s.add is the one way in which
// endpoints keep notes; CallerOf(ctx) says who calls. A path may be asked for with
// or without a slash at its end.
//
// What is not described by OpenAPI, such as /mcp, is mounted by the program:
// Server.Mount puts a handler behind the same steps, and CallerOf(r.Context())
// gives it its tenant and users.
//
// Start reading at Server.Handler and register.
package server
