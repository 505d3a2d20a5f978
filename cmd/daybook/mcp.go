package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"daybook"
	"daybook/engine"
	"daybook/mcp"
	"daybook/server"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type mcpCmd struct {
	encoderFlag
	learnFlags
	Users    bool `help:"Let every call name the user whose memory it is, instead of --user."`
	ReadOnly bool `help:"Offer no tool that writes."`
	LLM      bool `name:"llm" help:"Let the configured language model write the answers of the ask tool."`
}

// Help says how hosts run it.
func (c *mcpCmd) Help() string {
	return `Speaks the Model Context Protocol on standard input and output; hosts start it themselves. In their
settings: command "daybook", arguments "mcp", "--user", NAME. 'daybook serve' offers the same over HTTP, at /mcp.`
}

func (c *mcpCmd) Run(a *app) error {
	return a.learning(c.learnFlags, func(e *engine.Engine) error {
		return a.answering(e.WithEchoes(), c.encoderFlag, c.LLM, func(e *engine.Engine) error { return c.serve(a, e) })
	})
}

// serve talks until the host hangs up or the process is told to end; both are a
// good end.
func (c *mcpCmd) serve(a *app, e *engine.Engine) error {
	reach := mcp.Reach{Scope: a.scope(), Session: a.Session, ReadOnly: c.ReadOnly, Author: a.Author}
	if !a.typed["author"] && reach.Author == "cli" {
		reach.Author = "mcp"
	}
	if c.Users {
		reach.User = func(string) error { return nil }
	}
	if a.asks { // a host would not be at a terminal
		fmt.Fprintln(a.err, "daybook speaks MCP here, one JSON message a line, and waits for an agent's host; docs/integrations.md says how hosts start it. Ctrl-C ends it.")
	}
	door := mcp.New(e, version, slog.New(slog.NewTextHandler(a.err, nil)))
	lines := mcp.NewLines(a.in, a.out, maxLine)
	err := door.Serve(a.ctx, reach, &sdk.IOTransport{Reader: lines, Writer: lines, MaxLineLength: maxLine + 1})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// reachOf is what the caller of a request to the server may do: with the memory of the
// user in the address, or of each that its calls name.
func reachOf(w http.ResponseWriter, r *http.Request) (mcp.Reach, bool) {
	caller := server.CallerOf(r.Context())
	reach := mcp.Reach{
		Scope:    daybook.Scope{Tenant: caller.Tenant, Agent: r.URL.Query().Get("agent")},
		ReadOnly: !caller.May(server.Write), Author: caller.By("").Author,
		Wrote: func(scope daybook.Scope) { server.Wrote(r.Context(), scope) },
	}
	asked := r.PathValue("user")
	if asked == "" && len(caller.Users) != 1 {
		reach.User = func(name string) error {
			if _, err := caller.User(name); err != nil {
				return daybook.Errorf(daybook.Invalid, "%w", err)
			}
			return nil
		}
		return reach, true
	}
	user, err := caller.User(asked)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return reach, false
	}
	reach.Scope.User = user
	return reach, true
}

// maxLine is how long a message from the host may be: a note of full length can take
// more bytes as JSON.
const maxLine = 4 * daybook.MaxText
