package server

import (
	"context"

	"daybook"
)

// ScopeKeys say whose memory is meant, in the words of those who ask: as query
// parameters where it is embedded in an input, as fields of the body where it is
// embedded in that.
type ScopeKeys struct {
	UserID       string `json:"user_id,omitempty" query:"user_id" doc:"Whose memory it is." example:"alice"`
	AgentID      string `json:"agent_id,omitempty" query:"agent_id" doc:"The agent whose memory it is, where agents are kept apart."`
	RunID        string `json:"run_id,omitempty" query:"run_id" doc:"One conversation: what is written belongs to it, what is listed is narrowed to it."`
	SessionID    string `json:"session_id,omitempty" query:"session_id" doc:"Another name of run_id."`
	GroupID      string `json:"group_id,omitempty" query:"group_id" doc:"Another name of user_id."`
	BankID       string `json:"bank_id,omitempty" query:"bank_id" doc:"Another name of user_id."`
	ContainerTag string `json:"containerTag,omitempty" query:"containerTag" doc:"Another name of user_id."`
}

// scope returns the scope and the session that the keys name, as far as the caller
// may see them.
func (s *Server) scope(ctx context.Context, k ScopeKeys) (scope daybook.Scope, session string, err error) {
	caller := CallerOf(ctx)
	if scope.User, err = oneOf("user_id", k.UserID, k.GroupID, k.BankID, k.ContainerTag); err != nil {
		return scope, "", err
	}
	if session, err = oneOf("run_id", k.RunID, k.SessionID); err != nil {
		return scope, "", err
	}
	if scope.User, err = caller.User(scope.User); err != nil {
		return scope, "", err
	}
	scope.Tenant, scope.Agent = caller.Tenant, k.AgentID
	if err := daybook.CheckName("run_id", session); err != nil {
		return scope, "", err
	}
	requestOf(ctx).scope = scope
	return scope, session, scope.Validate()
}

// oneOf returns the one value that a key and its other names are given.
func oneOf(name string, values ...string) (one string, err error) {
	for _, v := range values {
		if v != "" && one != "" && v != one {
			return "", daybook.Errorf(daybook.Invalid, "%s is given twice, as %q and as %q", name, one, v)
		}
		if v != "" {
			one = v
		}
	}
	return one, nil
}
