package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/store"
	"daybook/tree"
)

// TreeReceipt is what the writer of a tree gets once its version is durable.
type TreeReceipt struct {
	daybook.Receipt
	Tree    string `json:"tree"`
	Version int    `json:"version"`
}

// Trees lists the trees of a scope.
func (e *Engine) Trees(ctx context.Context, scope daybook.Scope) (trees []graph.TreeInfo, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		trees, err = b.Trees()
		return err
	})
	return trees, err
}

// Tree returns a tree with all its versions, as it was known at a time. It is
// NotFound when it was not there then.
func (e *Engine) Tree(ctx context.Context, scope daybook.Scope, name string, at daybook.AsOf) (*tree.History, error) {
	h, err := e.history(ctx, scope, name, at)
	if err == nil && h == nil {
		err = daybook.Errorf(daybook.NotFound, "no tree %q in this scope; 'daybook tree list' shows what is there", name)
	}
	return h, err
}

// history is Tree, and nil for a tree that is not there.
func (e *Engine) history(ctx context.Context, scope daybook.Scope, name string, at daybook.AsOf) (h *tree.History, err error) {
	err = e.read(ctx, scope, at, func(b *graph.Book) error {
		edits, err := b.TreeEdits(name)
		if err != nil || len(edits) == 0 {
			return err
		}
		grown := e.trees.fold(scope, name, edits, func(ctx context.Context, at time.Time) (*tree.History, error) {
			if now := e.ledger.Now(); at.After(now) {
				at = now
			}
			return e.history(ctx, scope, name, daybook.AsOf{KnownAt: at})
		})
		// When the planting was reverted and later edits were not, there are
		// versions and no tree.
		if len(grown.Versions) > 0 && grown.Current().Root() != nil {
			h = grown
		}
		return nil
	})
	return h, err
}

// PlantTree takes a new tree into a scope. A tree of that name that is there
// already is a Conflict.
func (e *Engine) PlantTree(ctx context.Context, scope daybook.Scope, by By, name string, file *tree.Node) (TreeReceipt, error) {
	edits, err := tree.Plant(name, file, by.Message)
	if err != nil {
		return TreeReceipt{}, err
	}
	there, err := e.history(ctx, scope, name, daybook.AsOf{})
	if err != nil {
		return TreeReceipt{}, err
	}
	if there != nil {
		return TreeReceipt{}, daybook.Errorf(daybook.Conflict, "there is a tree %q in this scope already; give the new one another name, or edit that one", name)
	}
	var current, inForce, next int
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		if current, inForce, err = b.TreeHead(name); err == nil {
			next, err = b.NextVersion(name)
		}
		return err
	})
	if err != nil {
		return TreeReceipt{}, err
	}
	for i := range edits { // numbers of a tree that was reverted are not used again
		if edits[i].Version == 1 {
			edits[i].Base = current
		} else {
			edits[i].Base += next - 1
		}
		edits[i].Version += next - 1
	}
	return e.applyTree(ctx, scope, by, inForce, edits)
}

// TreeEdit is a change of a tree that somebody asks for.
type TreeEdit struct {
	Tree    string
	Base    int    // the version that it was made on; 0 for the current one
	Request string // the user's words
	Summary string // what it does
	Changes []daybook.TreeChange
}

// EditTree makes a new version of a tree. It is a Conflict when the tree has gone
// on since the base: nothing is written then, and the error names the version that
// is there now. Changes that the tree cannot take are Invalid or NotFound.
func (e *Engine) EditTree(ctx context.Context, scope daybook.Scope, by By, ed TreeEdit) (TreeReceipt, error) {
	h, err := e.Tree(ctx, scope, ed.Tree, daybook.AsOf{})
	if err != nil {
		return TreeReceipt{}, err
	}
	return e.editTree(ctx, scope, by, ed, h)
}

// editTree is EditTree on a history that was read before.
func (e *Engine) editTree(ctx context.Context, scope daybook.Scope, by By, ed TreeEdit, h *tree.History) (TreeReceipt, error) {
	current := h.Current()
	if ed.Base != 0 && ed.Base != current.Number {
		return TreeReceipt{}, daybook.Errorf(daybook.Conflict, "tree %q is at version %d now (commit %s), and the edit was made on version %d; nothing was written: look at the tree and edit again", ed.Tree, current.Number, current.Commit.Short(), ed.Base)
	}
	if len(ed.Changes) == 0 {
		return TreeReceipt{}, daybook.Errorf(daybook.Invalid, "the edit changes nothing")
	}
	if err := tree.Check(current, h.Schema(), ed.Changes); err != nil {
		return TreeReceipt{}, err
	}
	next, err := e.nextVersion(ctx, scope, ed.Tree)
	if err != nil {
		return TreeReceipt{}, err
	}
	if by.Message == "" {
		by.Message = ed.Request
	}
	return e.applyTree(ctx, scope, by, h.InForce, tree.Split(daybook.TreeEdit{
		Tree: ed.Tree, Version: next, Base: current.Number, Request: ed.Request, Summary: ed.Summary, Changes: ed.Changes,
	}))
}

func (e *Engine) nextVersion(ctx context.Context, scope daybook.Scope, name string) (next int, err error) {
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		next, err = b.NextVersion(name)
		return err
	})
	return next, err
}

// applyTree writes edits that were made on so many versions.
func (e *Engine) applyTree(ctx context.Context, scope daybook.Scope, by By, on int, edits []daybook.TreeEdit) (TreeReceipt, error) {
	name := edits[0].Tree
	ch := graph.Change{Author: by.Author, Message: by.Message, Trees: map[string]int{name: on}}
	for i := range edits {
		ch.Ops = append(ch.Ops, daybook.Op{Tree: &edits[i]})
	}
	r, err := e.apply(ctx, scope, ch)
	return TreeReceipt{r, name, edits[len(edits)-1].Version}, err
}

// RollBackTree makes a new version of a tree that is equal to an older one.
func (e *Engine) RollBackTree(ctx context.Context, scope daybook.Scope, by By, name string, to int) (TreeReceipt, error) {
	h, err := e.Tree(ctx, scope, name, daybook.AsOf{})
	if err != nil {
		return TreeReceipt{}, err
	}
	then, err := h.At(to)
	if err != nil {
		return TreeReceipt{}, err
	}
	changes := tree.Changes(h.Current(), then)
	if len(changes) == 0 {
		return TreeReceipt{}, daybook.Errorf(daybook.Invalid, "tree %q is the same as version %d already", name, to)
	}
	next, err := e.nextVersion(ctx, scope, name)
	if err != nil {
		return TreeReceipt{}, err
	}
	request := by.Message
	if request == "" {
		request = fmt.Sprintf("roll back to version %d", to)
		by.Message = request
	}
	return e.applyTree(ctx, scope, by, h.InForce, tree.Split(daybook.TreeEdit{
		Tree: name, Version: next, Base: h.Current().Number, Request: request, Summary: fmt.Sprintf("Rolled back to version %d", to), Changes: changes,
	}))
}

// forest keeps folded trees, so that reading one again costs only what was added
// since. It is safe for use by many goroutines.
type forest struct {
	mu    sync.Mutex
	trees map[treeName]*grown
}

type treeName struct {
	scope daybook.Scope
	name  string
}

// grown is a folded tree and the edits that it was folded from.
type grown struct {
	places   []store.Place
	numbers  []int // of the versions that they make
	versions []*tree.Version
	history  *tree.History
}

// maxTrees are kept; beyond that all are dropped and folded again.
const maxTrees = 64

// fold returns the history that edits make. Reads of the past do not push the
// present out.
func (f *forest) fold(scope daybook.Scope, name string, edits []graph.TreeRecord, then func(context.Context, time.Time) (*tree.History, error)) *tree.History {
	places, numbers := make([]store.Place, len(edits)), make([]int, len(edits))
	all := make([]tree.Edit, len(edits))
	for i, r := range edits {
		places[i], numbers[i] = r.Place, r.Version
		all[i] = tree.Edit{TreeEdit: r.TreeEdit, RecordedAt: r.RecordedAt, Author: r.Author, Commit: r.Commit}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := treeName{scope, name}
	old := f.trees[key]
	var earlier []*tree.Version
	if old != nil {
		if slices.Equal(old.places, places) {
			return old.history
		}
		earlier, all = old.common(places, all)
	}
	versions := tree.Fold(earlier, all)
	h := &tree.History{Name: name, InForce: len(versions), Then: then}
	for _, v := range versions {
		if v.Root() != nil {
			h.Versions = append(h.Versions, v)
		}
	}
	if old == nil || len(places) >= len(old.places) {
		if f.trees == nil || len(f.trees) >= maxTrees {
			f.trees = map[treeName]*grown{}
		}
		f.trees[key] = &grown{places, numbers, versions, h}
	}
	return h
}

// common returns the versions that other edits begin with too, and the edits that
// follow. A version is the same when all its parts are.
func (g *grown) common(places []store.Place, edits []tree.Edit) ([]*tree.Version, []tree.Edit) {
	n, shared := 0, 0
	for n < len(edits) {
		end := n + 1
		for end < len(edits) && edits[end].Version == edits[n].Version {
			end++
		}
		if end > len(g.places) || !slices.Equal(places[n:end], g.places[n:end]) || end < len(g.places) && g.numbers[end] == edits[n].Version {
			break
		}
		n, shared = end, shared+1
	}
	return g.versions[:shared:shared], edits[n:]
}
