package main

import (
	"fmt"
	"strings"

	"daybook/engine"
	"daybook/server"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key and print it, this once."`
	List   keyListCmd   `cmd:"" help:"List the keys; what was printed is not kept."`
	Revoke keyRevokeCmd `cmd:"" help:"Make a key worthless, also for servers that run."`
}

type keyCreateCmd struct {
	Name      string   `help:"What it is for, for the list." placeholder:"TEXT"`
	For       []string `help:"Users that it is for; all of the tenant if not given." placeholder:"USER"`
	Right     string   `help:"read, write (and read) or admin (and both)." enum:"read,write,admin" default:"write"`
	PerMinute int      `help:"Most requests in a minute; 0 means the server's limit." placeholder:"N"`
}

// Help says what a key opens.
func (c *keyCreateCmd) Help() string {
	return `A key opens the memory of one tenant, which --tenant names, over HTTP and MCP. Once a home has had a key,
'daybook serve' asks for one, also when all are revoked; 'daybook serve --no-auth' asks nobody.`
}

func (c *keyCreateCmd) Run(a *app) error {
	return a.with(func(e *engine.Engine) error { return c.create(a, e) })
}

func (c *keyCreateCmd) create(a *app, e *engine.Engine) error {
	keys, err := server.OpenKeys(a.ctx, e)
	if err != nil {
		return err
	}
	secret, key, err := keys.Create(a.ctx, server.Key{Name: c.Name, Tenant: a.Tenant, Users: c.For, Right: server.Right(c.Right), PerMinute: c.PerMinute})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.json(map[string]any{"key": secret, "id": key.ID, "tenant": key.Tenant, "users": key.Users, "right": key.Right})
	}
	a.printf("%s\n", secret)
	fmt.Fprintln(a.err, "Keep it: it is not shown again. Send it as 'Authorization: Bearer KEY'. Servers of this home ask for a key from now on.")
	return nil
}

type keyListCmd struct{}

func (c *keyListCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error { return c.list(a, e) })
}

func (c *keyListCmd) list(a *app, e *engine.Engine) error {
	keys, err := server.OpenKeys(a.ctx, e)
	if err != nil {
		return err
	}
	list, err := keys.List(a.ctx)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.json(map[string]any{"keys": list})
	}
	var rows [][]string
	for _, k := range list {
		state, users := "", "all users"
		if !k.RevokedAt.IsZero() {
			state = "revoked " + when(k.RevokedAt)
		}
		if len(k.Users) > 0 {
			users = line(strings.Join(k.Users, ", "), 60)
		}
		rows = append(rows, []string{a.bold(k.ID), string(k.Right), "tenant " + line(k.Tenant, 40), users, line(k.Name, 40), when(k.CreatedAt), state})
	}
	a.table(rows)
	return nil
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"Id of the key, as 'daybook key list' shows it."`
}

func (c *keyRevokeCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error { return c.revoke(a, e) })
}

func (c *keyRevokeCmd) revoke(a *app, e *engine.Engine) error {
	keys, err := server.OpenKeys(a.ctx, e)
	if err != nil {
		return err
	}
	key, err := keys.Revoke(a.ctx, c.ID)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.json(key)
	}
	a.printf("key %s is revoked\n", key.ID)
	return nil
}
