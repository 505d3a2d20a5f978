package daybook

import (
	"cmp"
	"strings"
)

// Scope says whose memory is read or written. Nothing crosses from one scope to
// another. Empty keys are allowed and are keys like any other; a session is a
// part of a scope, not a scope of its own (docs/decisions/0001-scope.md).
type Scope struct {
	Tenant string `json:"tenant,omitempty"`
	User   string `json:"user,omitempty"`
	Agent  string `json:"agent,omitempty"`
}

// Validate reports whether every key is text that can be stored.
func (s Scope) Validate() error {
	for _, k := range []struct{ name, value string }{
		{"tenant", s.Tenant}, {"user", s.User}, {"agent", s.Agent},
	} {
		if err := CheckName(k.name, k.value); err != nil {
			return err
		}
	}
	return nil
}

// Speaker is who said a message in the scope, by what its sender tells: a name, else
// its role. The person whose memory it is goes by the user's name, or as "user".
func (s Scope) Speaker(role, name string) string {
	switch role = strings.ToLower(role); {
	case name != "":
		return name
	case role == "" || role == "user" || role == "human":
		return cmp.Or(s.User, "user")
	}
	return role
}

// String shows the scope for people: tenant/user/agent, empty keys as "-".
func (s Scope) String() string {
	show := func(k string) string {
		if k == "" {
			return "-"
		}
		return k
	}
	return strings.Join([]string{show(s.Tenant), show(s.User), show(s.Agent)}, "/")
}
