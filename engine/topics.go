package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"daybook"
	"daybook/graph"
	"daybook/index"
	"daybook/store"
)

// Topics returns the topics of a scope in the order in which they began. Each
// session is in one. A session that comes later never moves an earlier one. With
// an encoder, the vectors that are missing are made first; without one, sessions
// are compared by their words.
func (e *Engine) Topics(ctx context.Context, scope daybook.Scope, at daybook.AsOf) (topics []daybook.Topic, err error) {
	err = e.clusters(ctx, scope, at, func(c *clusters) {
		topics = make([]daybook.Topic, len(c.topics))
		for i := range c.topics {
			topics[i] = c.topic(i)
		}
	})
	return topics, err
}

// Sessions returns the sessions of a scope in the order in which they began, each
// with its topic and its neighbours.
func (e *Engine) Sessions(ctx context.Context, scope daybook.Scope, at daybook.AsOf) (sessions []daybook.Session, err error) {
	err = e.clusters(ctx, scope, at, func(c *clusters) {
		for i := range c.sessions {
			sessions = append(sessions, c.session(i))
		}
		daybook.Sort(sessions, func(a, b daybook.Session) int {
			return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.ID, b.ID))
		})
		for i := 1; i < len(sessions); i++ {
			sessions[i].Previous, sessions[i-1].Next = sessions[i-1].ID, sessions[i].ID
		}
	})
	return sessions, err
}

// EventCounts returns how many events in force each session has.
func (e *Engine) EventCounts(ctx context.Context, scope daybook.Scope, at daybook.AsOf) (counts map[string]int, err error) {
	counts = map[string]int{}
	err = e.read(ctx, scope, at, func(b *graph.Book) error {
		events, err := b.Events(graph.EventSelect{})
		for _, ev := range events {
			counts[ev.Session]++
		}
		return err
	})
	return counts, err
}

func (c *clusters) topic(i int) daybook.Topic {
	t := c.topics[i]
	topic := daybook.Topic{ID: c.topicID(i), Terms: c.label(t.sessions)}
	topic.Label = strings.Join(topic.Terms, ", ")
	for _, k := range t.sessions {
		s := c.sessions[k]
		topic.Sessions = append(topic.Sessions, s.id)
		topic.Notes += s.notes
		if topic.First.IsZero() || s.first.Before(topic.First) {
			topic.First = s.first
		}
		if s.last.After(topic.Last) {
			topic.Last = s.last
		}
	}
	return topic
}

func (c *clusters) topicID(i int) daybook.TopicID {
	return daybook.TopicFrom(c.sessions[c.topics[i].sessions[0]].id)
}

func (c *clusters) session(i int) daybook.Session {
	s := c.sessions[i]
	terms := c.label([]int{i})
	return daybook.Session{
		ID: s.id, Topic: c.topicID(s.topic), Terms: terms, Label: strings.Join(terms, ", "), Speakers: slices.Clone(s.speakers),
		Notes: s.notes, First: s.first, Last: s.last,
	}
}

// topicCache keeps the clusters of scopes up to their last known commit. Notes that
// were appended since are folded into them; when notes went, all is folded anew.
type topicCache struct {
	mu     sync.Mutex
	scopes map[daybook.Scope]*cachedTopics
}

type cachedTopics struct {
	mu       sync.Mutex
	head     store.Commit
	last     store.Place // of the last note
	clusters *clusters
}

// maxTopicScopes scopes are kept; beyond that all are dropped.
const maxTopicScopes = 64

func (t *topicCache) scope(scope daybook.Scope) *cachedTopics {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.scopes[scope]
	if c == nil {
		if t.scopes == nil || len(t.scopes) >= maxTopicScopes {
			t.scopes = map[daybook.Scope]*cachedTopics{}
		}
		c = &cachedTopics{clusters: newClusters()}
		t.scopes[scope] = c
	}
	return c
}

func (t *topicCache) drop(scope daybook.Scope) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.scopes, scope)
}

// clusters hands the folded sessions of a scope to read, which must not keep them.
func (e *Engine) clusters(ctx context.Context, scope daybook.Scope, at daybook.AsOf, read func(*clusters)) error {
	if e.encoder != nil {
		if _, err := e.Embed(ctx, scope, nil); err != nil && !store.CannotWrite(err) {
			return err
		}
	}
	if !at.KnownAt.IsZero() {
		return e.read(ctx, scope, at, func(b *graph.Book) error {
			c := newClusters()
			err := e.foldNotes(b.Reader(), c, store.UpTo(b.Head().Seq), func(give func(graph.PlacedNote)) error {
				return b.PlacedNotes("", func(n graph.PlacedNote) error { give(n); return nil })
			})
			read(c)
			return err
		})
	}
	cached := e.topics.scope(scope)
	cached.mu.Lock()
	defer cached.mu.Unlock()
	err := e.store.View(ctx, scope, func(r store.Reader) error { return e.catchUpTopics(r, cached) })
	if err != nil {
		e.topics.drop(scope)
		return err
	}
	read(cached.clusters)
	return nil
}

// catchUpTopics folds what the ledger holds since the cached head.
func (e *Engine) catchUpTopics(r store.Reader, c *cachedTopics) error {
	if c.head.Seq == 0 {
		c.clusters, c.last = newClusters(), store.Place{}
	}
	var notes []graph.PlacedNote
	head, again := c.head, false
	gather := func(n graph.NoteChanges) error {
		again = again || n.Reset || len(n.Remove) > 0
		notes = append(notes, n.Add...)
		if n.Head.Seq > 0 {
			head = n.Head
		}
		return nil
	}
	if err := graph.ChangedNotes(r, c.head, gather); err != nil {
		return err
	}
	again = again && c.head.Seq > 0 || len(notes) > 0 && !after(notes[0].Place, c.last)
	if again {
		notes, c.clusters = nil, newClusters()
		if err := graph.ChangedNotes(r, store.Commit{}, gather); err != nil {
			return err
		}
	}
	if len(notes) > 0 {
		within := store.Range{From: notes[0].Seq, To: notes[len(notes)-1].Seq}
		c.last = notes[len(notes)-1].Place
		err := e.foldNotes(r, c.clusters, within, func(give func(graph.PlacedNote)) error {
			for _, n := range notes {
				give(n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	covered, err := e.covered(r, head.Seq)
	if c.head = head; !covered {
		c.head = store.Commit{} // vectors are still to come: next time from the start
	}
	return err
}

// covered reports whether the encoder's vectors reach a commit; true without one.
func (e *Engine) covered(r store.Reader, seq uint64) (bool, error) {
	if e.encoder == nil {
		return true, nil
	}
	spaces, err := r.Spaces()
	for _, s := range spaces {
		if s.Encoder == e.encoder.ID() {
			return s.UpTo >= seq, err
		}
	}
	return false, err
}

func after(a, b store.Place) bool { return a.Seq > b.Seq || a.Seq == b.Seq && a.Pos > b.Pos }

// foldNotes files notes, which a range of commits holds, with their vectors, and
// folds the sessions that are new.
func (e *Engine) foldNotes(r store.Reader, c *clusters, within store.Range, each func(func(graph.PlacedNote)) error) error {
	filed := map[store.Place]*sessionFold{}
	if err := each(func(n graph.PlacedNote) { filed[n.Place] = c.note(n) }); err != nil {
		return err
	}
	if e.encoder != nil {
		for v, err := range r.Vectors(e.encoder.ID(), within) {
			if err != nil {
				return err
			}
			if s := filed[v.Place]; s != nil {
				s.addVector(index.Unpack(v.Data))
			}
		}
	}
	c.fold()
	return nil
}
