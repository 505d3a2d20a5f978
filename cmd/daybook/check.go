package main

import (
	"encoding/json"
	"io"

	"daybook"
	"daybook/engine"
	"daybook/graph"
)

type checkCmd struct {
	Certificate string `help:"Verify this certificate of erasure instead; '-' reads standard input." placeholder:"FILE"`
	Scrub       bool   `help:"First overwrite what was erased wherever files still hold it."`
}

func (c *checkCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		if c.Scrub {
			if err := e.Scrub(a.ctx); err != nil {
				return err
			}
		}
		if c.Certificate != "" {
			return c.verify(a, e)
		}
		reports, err := e.Check(a.ctx)
		if err != nil {
			return err
		}
		return c.print(a, reports)
	})
}

func (c *checkCmd) print(a *app, reports []engine.ScopeReport) error {
	damaged := 0
	for _, r := range reports {
		damaged += len(r.Damage)
	}
	if a.JSON {
		if err := a.json(map[string]any{"ok": damaged == 0, "scopes": append([]engine.ScopeReport{}, reports...)}); err != nil {
			return err
		}
	} else {
		for _, r := range reports {
			name := "scope " + line(r.Scope.String(), 200)
			if r.File {
				name = "file"
			}
			a.printf("%s: %d commits, %d operations, %d erased, %d states\n", name, r.Commits, r.Contents, r.Erased, r.States)
			for _, d := range r.Damage {
				a.printf("  %s\n", a.paint("31", line(d, 300)))
			}
		}
		if damaged == 0 {
			a.printf("%s\n", a.paint("32", "sound"))
		}
	}
	if damaged > 0 {
		return daybook.Errorf(daybook.Corrupt, "check found %d kinds of damage; restore a backup, or export what is left", damaged)
	}
	return nil
}

func (c *checkCmd) verify(a *app, e *engine.Engine) error {
	in := a.in
	if c.Certificate != "-" {
		f, err := openFile(c.Certificate)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return err
	}
	certs, err := parseCertificates(text)
	if err != nil {
		return daybook.Errorf(daybook.Invalid, "%s is not a certificate: %w", c.Certificate, err)
	}
	erased := 0
	for _, cert := range certs {
		if err := e.VerifyCertificate(a.ctx, cert); err != nil {
			return err
		}
		erased += cert.Erased
	}
	if a.JSON {
		return a.json(map[string]any{"ok": true, "certificates": len(certs), "erased": erased})
	}
	a.printf("valid: %d operations were erased and have no content\n", erased)
	return nil
}

// parseCertificates reads what 'daybook forget' prints: one certificate or a
// list.
func parseCertificates(text []byte) (certs []graph.Certificate, err error) {
	if json.Unmarshal(text, &certs) == nil && len(certs) > 0 {
		return certs, nil
	}
	var one graph.Certificate
	err = json.Unmarshal(text, &one)
	return []graph.Certificate{one}, err
}

type reindexCmd struct{}

func (c *reindexCmd) Run(a *app) error {
	return a.existing(func(e *engine.Engine) error {
		if err := e.Reindex(a.ctx); err != nil {
			return err
		}
		if a.JSON {
			return a.json(map[string]any{"ok": true})
		}
		a.printf("the index was built anew\n")
		return nil
	})
}
