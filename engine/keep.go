package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"daybook"
	"daybook/graph"
	"daybook/store"
	"daybook/tree"
)

// PlanForget says what an erasure would remove, and removes nothing.
func (e *Engine) PlanForget(ctx context.Context, scope daybook.Scope, f graph.Forget) (plan *graph.Plan, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		plan, err = b.Plan(f)
		return err
	})
	return plan, err
}

// Forget erases content and all that was made from it, overwrites it on disk,
// and returns the certificate. When only the overwriting failed, the certificate
// comes with an error; Scrub finishes the work.
func (e *Engine) Forget(ctx context.Context, scope daybook.Scope, by By, f graph.Forget) (graph.Certificate, error) {
	certs, err := e.ForgetIn(ctx, []daybook.Scope{scope}, by, f)
	if len(certs) == 0 {
		return graph.Certificate{}, err
	}
	return certs[0], err
}

// ForgetIn is Forget for several scopes: one certificate for each that was
// erased, and one pass over the disk.
func (e *Engine) ForgetIn(ctx context.Context, scopes []daybook.Scope, by By, f graph.Forget) (certs []graph.Certificate, err error) {
	for _, sc := range scopes {
		var cert graph.Certificate
		err = e.store.Update(ctx, sc, func(w store.Writer) (err error) {
			if cert, err = e.ledger.Forget(w, sc, by.Author, f); err != nil {
				return err
			}
			return errors.Join(dropWithBefore(w), e.dropTreeVectors(w, sc), w.DropVectors(returnedSpace), w.TrimRecords(answersKind, 0))
		})
		if err != nil {
			break
		}
		certs = append(certs, cert)
		e.refreshIndex(ctx, sc)
		if err = e.discard(ctx, sc); err != nil {
			break
		}
	}
	if len(certs) == 0 {
		return nil, err
	}
	return certs, errors.Join(err, e.Scrub(ctx))
}

// ScopesOf are the scopes of a user: one agent's where one is named, else all.
func (e *Engine) ScopesOf(ctx context.Context, user daybook.Scope) (scopes []daybook.Scope, err error) {
	all, err := e.Scopes(ctx)
	for _, sc := range all {
		if sc.Tenant == user.Tenant && sc.User == user.User && (user.Agent == "" || sc.Agent == user.Agent) {
			scopes = append(scopes, sc)
		}
	}
	return scopes, err
}

// PlanForgetIn is PlanForget for several scopes: what would be erased in all, and
// those of them that hold something of it.
func (e *Engine) PlanForgetIn(ctx context.Context, scopes []daybook.Scope, f graph.Forget) (counts map[string]int, holding []daybook.Scope, err error) {
	counts = map[string]int{}
	for _, sc := range scopes {
		plan, err := e.PlanForget(ctx, sc, f)
		if err != nil {
			return nil, nil, err
		}
		if len(plan.Counts) > 0 {
			holding = append(holding, sc)
		}
		for kind, n := range plan.Counts {
			counts[kind] += n
		}
	}
	return counts, holding, nil
}

// dropWithBefore removes vectors that stand for a note, or a sentence of it, together
// with the note before it, for that one may be erased. They are made anew.
func dropWithBefore(w store.Writer) error {
	spaces, err := w.Spaces()
	if err != nil {
		return err
	}
	for _, s := range spaces {
		if !strings.HasSuffix(s.Encoder, latentSuffix) && !strings.HasSuffix(s.Encoder, saidSuffix) {
			continue
		}
		if err := w.DropVectors(s.Encoder); err != nil {
			return err
		}
	}
	return nil
}

// Scrub overwrites what was erased wherever the store's files still hold it.
func (e *Engine) Scrub(ctx context.Context) error {
	k, err := e.keeper()
	if err != nil {
		return err
	}
	return k.Scrub(ctx)
}

// VerifyCertificate checks that an erasure is recorded and complete.
func (e *Engine) VerifyCertificate(ctx context.Context, c graph.Certificate) error {
	return e.read(ctx, c.Scope, daybook.AsOf{}, func(b *graph.Book) error { return b.Verify(c) })
}

// Check verifies the store's file and every scope in it. The reports are by
// scope; damage to the file itself comes under the empty-named report.
func (e *Engine) Check(ctx context.Context) ([]ScopeReport, error) {
	var reports []ScopeReport
	k, err := e.keeper()
	if err == nil {
		damage, err := k.Verify(ctx)
		if err != nil {
			return nil, fmt.Errorf("verify the file: %w", err)
		}
		if len(damage) > 0 {
			return []ScopeReport{{File: true, Report: graph.Report{Damage: damage}}}, nil
		}
	}
	scopes, err := e.store.Scopes(ctx)
	if err != nil {
		return nil, err
	}
	for _, sc := range scopes {
		r, err := e.checkScope(ctx, sc)
		if err != nil {
			return nil, fmt.Errorf("check scope %s: %w", sc, err)
		}
		reports = append(reports, ScopeReport{Scope: sc, Report: *r})
	}
	return reports, nil
}

// ScopeReport is what a check found in one scope, or in the file as a whole.
type ScopeReport struct {
	Scope daybook.Scope `json:"scope"`
	File  bool          `json:"file,omitempty"`
	graph.Report
}

func (e *Engine) checkScope(ctx context.Context, scope daybook.Scope) (r *graph.Report, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		if r, err = b.Check(); err != nil || len(r.Damage) > 0 {
			return err
		}
		return e.checkTrees(scope, b, r)
	})
	return r, err
}

// checkTrees folds every tree anew, and holds it against itself and against what is
// kept of it.
func (e *Engine) checkTrees(scope daybook.Scope, b *graph.Book, r *graph.Report) error {
	trees, err := b.Trees()
	if err != nil {
		return err
	}
	for _, t := range trees {
		edits, err := b.TreeEdits(t.Name)
		if err != nil {
			return err
		}
		versions := tree.Fold(nil, treeEdits(edits))
		for _, d := range tree.Unsound(versions) {
			r.Damage = append(r.Damage, fmt.Sprintf("tree %q: %s", t.Name, d))
		}
		kept := e.trees.kept(scope, t.Name, edits)
		if kept != nil && !tree.Equal(kept, versions[len(versions)-1]) {
			r.Damage = append(r.Damage, fmt.Sprintf("tree %q: version %d reads differently when it is folded anew", t.Name, kept.Number))
		}
	}
	return nil
}

// Reindex builds every scope's index anew.
func (e *Engine) Reindex(ctx context.Context) error {
	scopes, err := e.store.Scopes(ctx)
	if err != nil {
		return err
	}
	for _, sc := range scopes {
		if err := e.store.Update(ctx, sc, graph.Reindex); err != nil {
			return fmt.Errorf("reindex scope %s: %w", sc, err)
		}
		e.indexes.Drop(sc)
		if err := e.discard(ctx, sc); err != nil {
			return err
		}
	}
	return nil
}

// Export hands out a scope whole, from one moment.
func (e *Engine) Export(ctx context.Context, scope daybook.Scope, header func(graph.Header) error, line func(graph.Line) error) error {
	return e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) error { return b.Export(scope, header, line) })
}

// ImportLedger takes an export into a scope, all of it or nothing, and returns
// how many commits were new.
func (e *Engine) ImportLedger(ctx context.Context, scope daybook.Scope, header graph.Header, lines iter.Seq2[graph.Line, error]) (added int, err error) {
	if err := graph.CheckHeader(header); err != nil {
		return 0, err
	}
	erased := false
	err = e.store.Update(ctx, scope, func(w store.Writer) (err error) {
		added, erased, err = graph.Import(w, header, lines)
		return err
	})
	if err != nil || !erased {
		return added, err
	}
	e.refreshIndex(ctx, scope)
	return added, errors.Join(e.discard(ctx, scope), e.Scrub(ctx)) // what the export erases may have been here
}

// Backup copies the whole store to a new file while writers run.
func (e *Engine) Backup(ctx context.Context, path string) error {
	k, err := e.keeper()
	if err != nil {
		return err
	}
	return k.Backup(ctx, path)
}
