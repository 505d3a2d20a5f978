package engine

import (
	"context"
	"time"

	"daybook"
	"daybook/graph"
	"daybook/tree"
	"daybook/xpath"
)

// queryMemory runs a query over the memory seen as a tree: Memory/Session/Note,
// Memory/Session/Event, and Memory/Topic/Session. Sessions, notes and events are read
// when a step asks for them; topics are folded only for a query that names them.
func (e *Engine) queryMemory(ctx context.Context, scope daybook.Scope, q Query, parsed xpath.Query) (*Found, error) {
	moments, err := e.moments(ctx, scope, q, parsed)
	if err != nil {
		return nil, err
	}
	scorer, err := e.memoryScorer(scope, q.Scorer)
	if err != nil {
		return nil, err
	}
	var f *Found
	err = e.read(ctx, scope, q.At, func(b *graph.Book) error {
		m := newMemory(b, moments[0].topics)
		m.then = func(at time.Time) (*memory, error) {
			for _, past := range moments[1:] {
				if !past.asked.Equal(at) {
					continue
				}
				book, err := graph.Open(b.Reader(), past.at, e.ledger.Now())
				return newMemory(book, past.topics), err
			}
			return nil, daybook.Errorf(daybook.Internal, "the query goes over to %s, and nobody saw it", at)
		}
		f, err = e.run(ctx, m, q, parsed, scorer)
		return err
	})
	return f, err
}

// moment is a time that a query looks at the memory from, and the topics as they
// were known then.
type moment struct {
	asked  time.Time // as the query says it
	at     daybook.AsOf
	topics []daybook.Topic
}

// moments prepares what cannot be read while the book is open: the query's own
// time and those that its steps go over to.
func (e *Engine) moments(ctx context.Context, scope daybook.Scope, q Query, parsed xpath.Query) ([]moment, error) {
	all := []moment{{at: q.At}}
	for _, t := range parsed.Times() {
		at := q.At
		at.KnownAt = t
		if now := e.ledger.Now(); t.After(now) {
			at.KnownAt = now
		}
		if err := e.settle(ctx, scope, at.KnownAt); err != nil {
			return nil, err
		}
		all = append(all, moment{asked: t, at: at})
	}
	if !parsed.Names(topicType) {
		return all, nil
	}
	for i := range all {
		var err error
		if all[i].topics, err = e.Topics(ctx, scope, all[i].at); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// memory is a scope as a tree.Source. What stands on a level is told by a shelf,
// so that another level is another shelf. Every session stands below the memory, and
// once more below its topic; only a step that names Topic goes there, so that //Session
// finds each once.
type memory struct {
	root    *tree.Node
	memory  *tree.Node
	shelves map[string][]shelf // by type of the parent
	then    func(time.Time) (*memory, error)
	pasts   map[time.Time]*memory
	past    map[*tree.Node]*memory // nodes that as-of led to
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
	topicType   = "Topic"
	sessionType = "Session"
	noteType    = "Note"
	eventType   = "Event"
)

func newMemory(b *graph.Book, topics []daybook.Topic) *memory {
	m := &memory{
		root: &tree.Node{ID: "root", Type: tree.RootType}, memory: &tree.Node{ID: "memory", Type: memoryType},
		pasts: map[time.Time]*memory{}, past: map[*tree.Node]*memory{},
	}
	sessions := &sessionShelf{book: b}
	m.shelves = map[string][]shelf{
		tree.RootType: {fixedShelf{m.memory}},
		memoryType:    {newTopicShelf(topics), sessions},
		topicType:     {&topicSessions{topics: topics, sessions: sessions}},
		sessionType: {
			&readShelf{of: noteType, made: map[string][]*tree.Node{}, read: func(session string) ([]*tree.Node, error) { return noteNodes(b, session) }},
			&readShelf{of: eventType, made: map[string][]*tree.Node{}, read: func(session string) ([]*tree.Node, error) { return eventNodes(b, session) }},
		},
	}
	return m
}

// Root implements tree.Source.
func (m *memory) Root(context.Context) (*tree.Node, error) { return m.root, nil }

// Children implements tree.Source. Only what the range selects is read.
func (m *memory) Children(ctx context.Context, parent *tree.Node, typ string, at xpath.Range) (out []tree.Child, err error) {
	if then := m.past[parent]; then != nil {
		out, err = then.Children(ctx, parent, typ, at)
		for _, c := range out {
			m.past[c.Node] = then
		}
		return out, err
	}
	var shelves []shelf
	var counts []int
	total := 0
	for _, s := range m.shelves[parent.Type] {
		if s.typ() != typ && (typ != xpath.Any || s.typ() == topicType) {
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
		if s.typ() != topicType && m.holds(s.typ(), typ) {
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

// AsOf implements tree.Past: the root, the memory, a topic, a session or what is in
// one, as it was known at a time.
func (m *memory) AsOf(ctx context.Context, p *tree.Place, at tree.AsOf) (*tree.Place, error) {
	then := m.pasts[at]
	if then == nil {
		var err error
		if then, err = m.then(at); err != nil {
			return nil, err
		}
		m.pasts[at] = then
	}
	if p.Up == nil {
		m.past[then.root] = then
		return &tree.Place{Node: then.root}, nil
	}
	up, err := m.AsOf(ctx, p.Up, at)
	if err != nil || up == nil {
		return nil, err
	}
	brothers, err := m.Children(ctx, up.Node, p.Type, xpath.Range{})
	for _, b := range brothers {
		if b.ID == p.ID {
			return tree.PlaceBelow(up, b), nil
		}
	}
	return nil, err
}

// Step implements tree.Stepper: what stands below the memory is named by their ids, which
// stay when others come.
func (m *memory) Step(p *tree.Place) string {
	if p.Type == memoryType {
		return "/" + p.Type
	}
	return "/" + p.Type + xpath.Exact{Attr: "id", Text: p.ID}.String()
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

// newTopicShelf holds the topics of the scope in the order in which they began.
func newTopicShelf(topics []daybook.Topic) *listShelf {
	s := &listShelf{of: topicType}
	for _, t := range topics {
		s.all = append(s.all, &tree.Node{ID: string(t.ID), SourceID: string(t.ID), Type: topicType, Attrs: []tree.Attr{
			{"name", t.Label}, {"time", t.First.UTC().Format(time.RFC3339)}, {"until", t.Last.UTC().Format(time.RFC3339)},
		}})
	}
	return s
}

// listShelf holds nodes that are there already.
type listShelf struct {
	of  string
	all []*tree.Node
}

func (s *listShelf) typ() string                   { return s.of }
func (s *listShelf) count(*tree.Node) (int, error) { return len(s.all), nil }
func (s *listShelf) nodes(_ *tree.Node, from, to int) ([]*tree.Node, error) {
	return s.all[from:to], nil
}

// topicSessions holds the sessions of each topic: the very nodes that stand below
// the memory.
type topicSessions struct {
	topics   []daybook.Topic
	sessions *sessionShelf
	byTopic  map[string][]*tree.Node
}

func (s *topicSessions) typ() string { return sessionType }

func (s *topicSessions) count(parent *tree.Node) (int, error) {
	if s.byTopic != nil {
		return len(s.byTopic[parent.ID]), nil
	}
	if err := s.sessions.load(); err != nil {
		return 0, err
	}
	in := map[string]string{}
	for _, t := range s.topics {
		for _, session := range t.Sessions {
			in[session] = string(t.ID)
		}
	}
	s.byTopic = map[string][]*tree.Node{}
	for _, n := range s.sessions.all {
		if t, ok := in[n.ID]; ok {
			s.byTopic[t] = append(s.byTopic[t], n)
		}
	}
	return len(s.byTopic[parent.ID]), nil
}

func (s *topicSessions) nodes(parent *tree.Node, from, to int) ([]*tree.Node, error) {
	return s.byTopic[parent.ID][from:to], nil
}

// readShelf holds what a session is made of. It is read, a session at a time, when
// it is first asked for.
type readShelf struct {
	of   string
	read func(session string) ([]*tree.Node, error)
	made map[string][]*tree.Node // by session
}

func (s *readShelf) typ() string { return s.of }

func (s *readShelf) count(parent *tree.Node) (int, error) {
	nodes, ok := s.made[parent.ID]
	if ok {
		return len(nodes), nil
	}
	nodes, err := s.read(parent.ID)
	if err == nil {
		s.made[parent.ID] = nodes
	}
	return len(nodes), err
}

func (s *readShelf) nodes(parent *tree.Node, from, to int) ([]*tree.Node, error) {
	return s.made[parent.ID][from:to], nil
}

// noteNodes are the notes of a session in the order of recording.
func noteNodes(b *graph.Book, session string) (nodes []*tree.Node, err error) {
	err = b.SessionNotes(session, func(n daybook.Note) error {
		nodes = append(nodes, &tree.Node{ID: string(n.ID), SourceID: n.SourceID, Type: noteType, Text: n.Text, Attrs: []tree.Attr{
			{"speaker", n.Speaker}, {"time", n.Time.UTC().Format(time.RFC3339)},
		}})
		return nil
	})
	return nodes, err
}

// eventNodes are the events of a session in the order of their time.
func eventNodes(b *graph.Book, session string) (nodes []*tree.Node, err error) {
	events, err := b.SessionEvents(session)
	for _, ev := range events {
		n := &tree.Node{ID: string(ev.ID), SourceID: string(ev.ID), Type: eventType, Text: ev.Text, Attrs: []tree.Attr{{"kind", string(ev.Kind)}}}
		if !ev.Time.From.IsZero() {
			n.Attrs = append(n.Attrs, tree.Attr{"time", ev.Time.From.UTC().Format(time.RFC3339)})
		}
		if ev.Why != "" {
			n.Attrs = append(n.Attrs, tree.Attr{"why", ev.Why})
		}
		nodes = append(nodes, n)
	}
	return nodes, err
}
