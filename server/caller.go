package server

import (
	"context"
	"net/http"
	"slices"

	"daybook"
	"daybook/engine"
)

// Right is what a caller may do. Each includes the ones before it.
type Right string

// Rights. Public is what needs no key.
const (
	Public Right = "public"
	Read   Right = "read"
	Write  Right = "write"
	Admin  Right = "admin"
)

var rightOrder = []Right{Public, Read, Write, Admin}

// Caller is who sent a request.
type Caller struct {
	Key    string   // id of the key; empty where none is asked for
	Tenant string   // whose memory the caller may touch
	Users  []string // the only users of the tenant that it may touch; empty means all
	Right  Right
}

// May reports whether the caller has a right.
func (c Caller) May(r Right) bool {
	return slices.Index(rightOrder, c.Right) >= slices.Index(rightOrder, r)
}

// User returns the user that is meant: the asked one where the caller may touch it,
// the only one where none is asked for.
func (c Caller) User(asked string) (string, error) {
	switch {
	case len(c.Users) == 0 || slices.Contains(c.Users, asked):
		return asked, nil
	case asked == "" && len(c.Users) == 1:
		return c.Users[0], nil
	}
	return "", &refusal{status: http.StatusForbidden, detail: "this key is not for that user_id"}
}

// Sees reports whether a scope is one that the caller may touch.
func (c Caller) Sees(scope daybook.Scope) bool {
	return scope.Tenant == c.Tenant && (len(c.Users) == 0 || slices.Contains(c.Users, scope.User))
}

// By says who writes, as the log of the scope shows it.
func (c Caller) By(message string) engine.By {
	if c.Key == "" {
		return engine.By{Author: "http", Message: message}
	}
	return engine.By{Author: "key " + c.Key, Message: message}
}

type callerKey struct{}

// CallerOf returns who sent the request that ctx belongs to; one without rights
// where nobody was let in.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

func withCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}
