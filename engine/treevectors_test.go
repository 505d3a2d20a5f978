//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/model"
	"daybook/store"
	"daybook/store/sqlite"
	"daybook/tree"
)

// tallied counts the passages that it encodes.
type tallied struct {
	hashed
	n *int
}

func (t tallied) Encode(ctx context.Context, as model.As, texts []string) (model.Vectors, error) {
	if as == model.AsPassage {
		*t.n += len(texts)
	}
	return t.hashed.Encode(ctx, as, texts)
}

// What a tree says is encoded once for all processes, and erased with the tree.
func TestTreeVectorsAreKept(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a test
	scope, encoded := daybook.Scope{User: "u"}, 0
	enc := tallied{hashed{maphash.MakeSeed()}, &encoded}
	list := &tree.Node{Type: "List"}
	for i := range 300 {
		list.Children = append(list.Children, &tree.Node{Type: "Task", Attrs: []tree.Attr{{"name", fmt.Sprint("call supplier ", i)}}})
	}
	if _, err := engine.New(s).PlantTree(t.Context(), scope, by, "list", list); err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		encoded = 0
		e := engine.New(s).WithEncoder(enc) // as another process
		found, err := e.Query(t.Context(), scope, engine.Query{Text: `//Task[node~="a supplier"]`, Tree: "list"})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, n := range found.Nodes {
			fmt.Fprintln(&out, n.ID, n.Weight)
		}
		return out.String()
	}
	first := ask()
	if encoded < 300 {
		t.Errorf("%d texts were encoded at first", encoded)
	}
	if again := ask(); encoded != 0 || again != first {
		t.Errorf("%d texts were encoded again, or the weights differ", encoded)
	}
	vectors := func() (n int) {
		err := s.View(t.Context(), scope, func(r store.Reader) error {
			spaces, err := r.Spaces()
			for _, s := range spaces {
				n += s.Count
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if vectors() < 300 {
		t.Errorf("%d vectors are kept", vectors())
	}
	if _, err := engine.New(s).Forget(t.Context(), scope, by, graph.Forget{Tree: "list"}); err != nil {
		t.Fatal(err)
	}
	if n := vectors(); n != 0 {
		t.Errorf("%d vectors are left of a forgotten tree", n)
	}
}
