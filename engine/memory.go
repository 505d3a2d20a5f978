package engine

import (
	"context"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/tree"
	"daybook/xpath"
)

// queryMemory runs a query over the memory seen as a tree: Memory/Session/Note.
// Sessions and notes are read when a step asks for them.
func (e *Engine) queryMemory(ctx context.Context, scope daybook.Scope, q Query, parsed xpath.Query) (f *Found, err error) {
	err = e.read(ctx, scope, q.At, func(b *graph.Book) (err error) {
		f, err = e.run(ctx, newMemory(b), q, parsed)
		return err
	})
	return f, err
}

// memory is a scope as a tree.Source. What stands on a level is told by a shelf,
// so that another level is another shelf.
type memory struct {
	root    *tree.Node
	shelves map[string][]shelf // by type of the parent
}

// shelf holds the children of one type.
type shelf interface {
	// typ is the type of the nodes.
	typ() string
	// count says how many a parent has.
	count(parent *tree.Node) (int, error)
	// nodes returns those from one index up to another.
	nodes(parent *tree.Node, from, to int) ([]*tree.Node, error)
}

// Types of the memory's nodes.
const (
	memoryType  = "Memory"
	sessionType = "Session"
	noteType    = "Note"
)

func newMemory(b *graph.Book) *memory {
	m := &memory{root: &tree.Node{ID: "root", Type: tree.RootType}}
	sessions := &sessionShelf{book: b}
	m.shelves = map[string][]shelf{
		tree.RootType: {fixedShelf{&tree.Node{ID: "memory", Type: memoryType}}},
		memoryType:    {sessions},
		sessionType:   {&noteShelf{book: b, made: map[string][]*tree.Node{}}},
	}
	return m
}

// Root implements tree.Source.
func (m *memory) Root(context.Context) (*tree.Node, error) { return m.root, nil }

// Children implements tree.Source. Only what the range selects is read.
func (m *memory) Children(_ context.Context, parent *tree.Node, typ string, at xpath.Range) (out []tree.Child, err error) {
	var shelves []shelf
	var counts []int
	total := 0
	for _, s := range m.shelves[parent.Type] {
		if typ != xpath.Any && s.typ() != typ {
			continue
		}
		n, err := s.count(parent)
		if err != nil {
			return nil, err
		}
		shelves, counts, total = append(shelves, s), append(counts, n), total+n
	}
	from, to := at.Bounds(total)
	offset := 0
	for i, s := range shelves {
		low, high := max(from-offset, 0), min(to-offset, counts[i])
		if low < high {
			nodes, err := s.nodes(parent, low, high)
			if err != nil {
				return nil, err
			}
			for j, n := range nodes {
				out = append(out, tree.Child{Node: n, Pos: offset + low + j})
			}
		}
		offset += counts[i]
	}
	return out, nil
}

// Inner implements tree.Source.
func (m *memory) Inner(parent *tree.Place, typ string) (types []string) {
	for _, s := range m.shelves[parent.Type] {
		if m.holds(s.typ(), typ) {
			types = append(types, s.typ())
		}
	}
	return types
}

// holds reports whether nodes of a type stand anywhere below another.
func (m *memory) holds(above, typ string) bool {
	for _, s := range m.shelves[above] {
		if typ == xpath.Any || s.typ() == typ || m.holds(s.typ(), typ) {
			return true
		}
	}
	return false
}

// Step implements tree.Stepper: notes and sessions are named by their ids, which
// stay when others come.
func (m *memory) Step(p *tree.Place) string {
	if p.Type == memoryType {
		return "/" + p.Type
	}
	return "/" + p.Type + `[@id="` + p.ID + `"]`
}

// fixedShelf holds one node.
type fixedShelf struct{ node *tree.Node }

func (f fixedShelf) typ() string                   { return f.node.Type }
func (f fixedShelf) count(*tree.Node) (int, error) { return 1, nil }
func (f fixedShelf) nodes(*tree.Node, int, int) ([]*tree.Node, error) {
	return []*tree.Node{f.node}, nil
}

// sessionShelf holds the sessions of the scope in the order of their first notes.
type sessionShelf struct {
	book *graph.Book
	all  []*tree.Node
	read bool
}

func (s *sessionShelf) typ() string { return sessionType }

func (s *sessionShelf) load() error {
	if s.read {
		return nil
	}
	sessions, err := s.book.Sessions()
	for _, session := range sessions {
		s.all = append(s.all, &tree.Node{ID: session.Name, SourceID: session.Name, Type: sessionType, Attrs: []tree.Attr{
			{"name", session.Name}, {"time", session.Began.UTC().Format(time.RFC3339)},
		}})
	}
	s.read = err == nil
	return err
}

func (s *sessionShelf) count(*tree.Node) (int, error) {
	err := s.load()
	return len(s.all), err
}

func (s *sessionShelf) nodes(_ *tree.Node, from, to int) ([]*tree.Node, error) {
	return s.all[from:to], nil
}

// noteShelf holds the notes of each session in the order of recording. A session
// is read when it is first asked for.
type noteShelf struct {
	book *graph.Book
	made map[string][]*tree.Node // by session
}

func (s *noteShelf) typ() string { return noteType }

func (s *noteShelf) count(parent *tree.Node) (int, error) {
	if nodes, ok := s.made[parent.ID]; ok {
		return len(nodes), nil
	}
	nodes := []*tree.Node{}
	err := s.book.SessionNotes(parent.ID, func(n daybook.Note) error {
		nodes = append(nodes, noteNode(n))
		return nil
	})
	s.made[parent.ID] = nodes
	return len(nodes), err
}

func (s *noteShelf) nodes(parent *tree.Node, from, to int) ([]*tree.Node, error) {
	return s.made[parent.ID][from:to], nil
}

func noteNode(n daybook.Note) *tree.Node {
	return &tree.Node{ID: string(n.ID), SourceID: n.SourceID, Type: noteType, Text: n.Text, Attrs: []tree.Attr{
		{"speaker", n.Speaker}, {"time", n.Time.UTC().Format(time.RFC3339)},
	}}
}
