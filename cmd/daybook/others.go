package main

import (
	"fmt"
	"strings"

	"daybook"
	"daybook/engine"
)

// namedOthers is how many other scopes are named where one is empty.
const namedOthers = 8

// nameOthers says, where the scope was never written, which ones of the home were.
func (a *app) nameOthers(e *engine.Engine) error {
	if a.JSON {
		return nil
	}
	own, err := e.Log(a.ctx, a.scope(), 1)
	if err != nil || len(own) > 0 {
		return err
	}
	scopes, err := e.Scopes(a.ctx)
	var others []string
	for _, s := range scopes {
		if s != a.scope() {
			others = append(others, inFlags(s))
		}
	}
	if len(others) == 0 {
		return err
	}
	if more := len(others) - namedOthers; more > 0 {
		others = append(others[:namedOthers], fmt.Sprintf("%d more", more))
	}
	fmt.Fprintf(a.err, "daybook: nothing was ever kept %s; this home has memories %s\n", inFlags(a.scope()), strings.Join(others, ", "))
	return err
}

// inFlags is a scope as the command line names it.
func inFlags(s daybook.Scope) string {
	var words []string
	for _, f := range [][2]string{{"--tenant", s.Tenant}, {"--user", s.User}, {"--agent", s.Agent}} {
		if f[1] != "" {
			words = append(words, f[0]+" "+line(f[1], 60))
		}
	}
	if len(words) == 0 {
		return "without --user"
	}
	return "with " + strings.Join(words, " ")
}
