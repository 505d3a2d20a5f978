package graph

import (
	"time"

	"daybook"
	"daybook/store"
)

// Session is a conversation or document of the scope.
type Session struct {
	Name  string
	Began time.Time // when its first note was said
	first store.Place
}

// Sessions lists the sessions that have a note in force, in the order in which
// their first notes were recorded. It reads one note of each, not all.
func (b *Book) Sessions() ([]Session, error) {
	gone, err := b.retracted(daybook.NotePrefix)
	if err != nil {
		return nil, err
	}
	var sessions []Session
	leaping, ok := b.r.(store.Firsts)
	entries := b.r.Keys()
	if ok {
		entries = leaping.Firsts('s')
	}
	last := store.Key("")
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if e.Key[0] != 's' || e.Key == last {
			continue
		}
		last = e.Key
		s, found, err := b.session(e.Key, gone)
		if err != nil {
			return nil, err
		}
		if found {
			sessions = append(sessions, s)
		}
	}
	daybook.Sort(sessions, func(x, y Session) int {
		if before(x.first, y.first) {
			return -1
		}
		return 1
	})
	return sessions, nil
}

// session reads a session off its first note in force.
func (b *Book) session(key store.Key, gone map[string]store.Place) (Session, bool, error) {
	for o, err := range b.ops(key) {
		if err != nil {
			return Session{}, false, err
		}
		if o.Observe != nil && !before(o.Place, gone[string(o.Observe.ID)]) {
			return Session{Name: o.Observe.Session, Began: o.Observe.Time, first: o.Place}, true, nil
		}
	}
	return Session{}, false, nil
}

// SessionNotes yields the notes of one session in the order of recording. The
// session without a name is one too.
func (b *Book) SessionNotes(session string, yield func(daybook.Note) error) error {
	gone, err := b.retracted(daybook.NotePrefix)
	if err != nil {
		return err
	}
	seen := map[daybook.NoteID]bool{}
	for o, err := range b.ops(sessionKey(session)) {
		if err != nil {
			return err
		}
		if o.Observe == nil || before(o.Place, gone[string(o.Observe.ID)]) || seen[o.Observe.ID] {
			continue
		}
		seen[o.Observe.ID] = true
		if err := yield(*o.Observe); err != nil {
			return err
		}
	}
	return nil
}
