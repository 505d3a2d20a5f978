package graph

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/store"
)

// Cache keeps the decoded operations of subjects and states that were read, so that
// reading them again costs only what was appended since. The ledger never changes, so
// an entry is only ever extended; an erasure empties the scope's part. A nil Cache
// caches nothing. It is safe for use by many goroutines.
type Cache struct {
	mu     sync.Mutex
	scopes map[daybook.Scope]*scopeCache
	asked  int // how often a scope was asked for
}

// maxCached operations are kept for one scope, and so many scopes; beyond that
// the scope's, or all, entries are dropped and read again.
const (
	maxCached       = 200_000
	maxCachedScopes = 64
)

// recentHeads is how many commits a book may be behind the cache and still use it.
const recentHeads = 256

// scopeCache is one scope's part.
type scopeCache struct {
	mu       sync.Mutex
	head     store.Commit // up to here, erasures have been looked for
	turn     int          // how often all was forgotten
	size     int
	subjects map[daybook.EntityID]*subjectCache
	commits  map[uint64]commitMark
	trees    map[string]*treeCache
	states   map[daybook.Variable]*keptState
	records  records
	folds    folds
	used     int                      // when it was last asked for, by the cache's count; the cache's lock guards it
	asked    map[daybook.Variable]int // how often a state was asked about
	// recent are commits up to the head since the last erasure: a book of one of
	// them is of this ledger.
	recent map[uint64]daybook.CommitID
	// undone and merged are what every book reads first, and the same for all from
	// the commit moved on; nil while nobody read them. They are replaced, never
	// changed.
	undone map[uint64]bool
	merged map[daybook.EntityID]daybook.EntityID
	moved  uint64
	// gone are the ids that were ever retracted up to the head, with where, and
	// withdrawn is the last commit that took notes back or brought some back.
	gone      map[string][]store.Place
	withdrawn uint64
}

// commitMark is what readers are shown of a commit.
type commitMark struct {
	id         daybook.CommitID
	recordedAt time.Time
	author     string
}

// subjectCache holds every operation under a subject's key, in order, and what
// they fold to.
type subjectCache struct {
	upTo uint64
	ops  []*op
	// folded are the states of all the subject's names together, as of the
	// scope's head; nil when they must be folded again.
	folded    []*joint
	foldedOps int // how many operations they were folded from
}

// Open opens a book that reads through the cache.
func (c *Cache) Open(r store.Reader, scope daybook.Scope, at daybook.AsOf, now time.Time) (*Book, error) {
	b, newest, err := bookAt(r, at, now)
	if err != nil || c == nil {
		return b, errors.Join(err, b.load())
	}
	s := c.scope(scope)
	s.mu.Lock()
	defer s.mu.Unlock()
	if fits, err := s.fit(r, newest); err != nil {
		return nil, err
	} else if !fits {
		return b, b.load()
	}
	b.cache, b.turn, b.newest = s, s.turn, newest.Seq
	return b, b.share()
}

// share takes what the book reads first from the cache, or puts it there. The caller
// holds the lock of the cache.
func (b *Book) share() error {
	s := b.cache
	same := b.head.Seq >= s.moved
	if same && s.undone != nil {
		b.undone, b.merged = s.undone, s.merged
		return nil
	}
	err := b.load()
	if err == nil && same {
		s.undone, s.merged = b.undone, b.merged
	}
	return err
}

// scope returns the scope's part.
func (c *Cache) scope(scope daybook.Scope) *scopeCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.scopes[scope]
	if s == nil {
		if c.scopes == nil || len(c.scopes) >= maxCachedScopes {
			c.scopes = map[daybook.Scope]*scopeCache{}
		}
		s = &scopeCache{}
		s.clear()
		c.scopes[scope] = s
	}
	c.asked++
	s.used = c.asked
	c.makeRoom(s)
	return s
}

// Drop lets go of all that is kept of a scope: something in it was erased.
func (c *Cache) Drop(scope daybook.Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.scopes, scope)
}

// makeRoom empties the records of scopes, those that were not asked for longest first,
// while all together take too much memory. Those of mine stay. The caller holds the lock.
func (c *Cache) makeRoom(mine *scopeCache) {
	for {
		sum, oldest := 0, (*scopeCache)(nil)
		for _, s := range c.scopes {
			n := s.records.size()
			sum += n
			if s != mine && n > 0 && (oldest == nil || s.used < oldest.used) {
				oldest = s
			}
		}
		if sum <= recordBytes || oldest == nil {
			return
		}
		oldest.records.empty()
	}
}

// fit brings the cache up to a reader's snapshot, whose last commit is head. It is
// false where the cache is ahead of it and cannot tell that it is of the same ledger,
// with nothing erased since.
func (s *scopeCache) fit(r store.Reader, head store.Commit) (bool, error) {
	if head.Seq < s.head.Seq {
		return s.recent[head.Seq] == head.ID, nil
	}
	if s.size > maxCached {
		s.drop()
	}
	return true, s.advance(r, head)
}

// clear forgets all of the scope.
func (s *scopeCache) clear() {
	s.drop()
	s.turn++
	s.head, s.undone, s.merged, s.moved, s.withdrawn = store.Commit{}, nil, nil, 0, 0
	s.records.begin(s.turn)
	s.gone, s.recent, s.asked = map[string][]store.Place{}, map[uint64]daybook.CommitID{}, map[daybook.Variable]int{}
}

// drop forgets what can be read again piece by piece.
func (s *scopeCache) drop() {
	s.size = 0
	s.subjects = map[daybook.EntityID]*subjectCache{}
	s.commits = map[uint64]commitMark{}
	s.trees = map[string]*treeCache{}
	s.states = map[daybook.Variable]*keptState{}
	s.folds = folds{}
}

// advance makes the cache fit for a later head. It is emptied when something was
// erased in between, or when the ledger is not the one that was read before.
func (s *scopeCache) advance(r store.Reader, head store.Commit) error {
	if head.ID == s.head.ID {
		return nil
	}
	fits := true
	if s.head.Seq > 0 {
		was, err := commitAt(r, s.head.Seq)
		if err != nil {
			return err
		}
		fits = was.ID == s.head.ID
	}
	erased, err := anyOf(r, s.head.Seq, head.Seq, 'x')
	if err != nil {
		return err
	}
	before := max(s.head.Seq, head.Seq-min(head.Seq, recentHeads))
	if erased || !fits {
		s.clear()
		before = head.Seq - 1
	}
	if err := s.move(r, head); err != nil {
		return err
	}
	if err := s.loseUpTo(r, head); err != nil {
		return err
	}
	if err := s.see(r, store.Range{From: before + 1, To: head.Seq}); err != nil {
		return err
	}
	fresh, whole, err := s.records.follow(r, head.Seq)
	if err != nil {
		return err
	}
	if s.folds.follow(fresh, s.merged); !whole || s.merged == nil {
		s.folds = folds{}
	}
	s.head = head
	return nil
}

// move lets go of what reverts, merges and splits may have changed since the last head:
// what they do reaches states that they do not name.
func (s *scopeCache) move(r store.Reader, head store.Commit) error {
	reverted, err := anyOf(r, s.head.Seq, head.Seq, 'u')
	if err != nil {
		return err
	}
	named, err := anyOf(r, s.head.Seq, head.Seq, 'm', 's')
	if err != nil {
		return err
	}
	if reverted {
		s.withdrawn = head.Seq
	}
	if reverted || named {
		for _, sub := range s.subjects {
			sub.folded = nil
		}
		s.undone, s.merged, s.moved = nil, nil, head.Seq
	}
	return nil
}

// see notes commits as ones of this ledger, with nothing erased since.
func (s *scopeCache) see(r store.Reader, within store.Range) error {
	for c, err := range r.Commits(within) {
		if err != nil {
			return err
		}
		s.recent[c.Seq] = c.ID
	}
	if len(s.recent) > 2*recentHeads {
		maps.DeleteFunc(s.recent, func(seq uint64, _ daybook.CommitID) bool { return seq+recentHeads < within.To })
	}
	return nil
}

// loseUpTo takes note of what was retracted since the last head.
func (s *scopeCache) loseUpTo(r store.Reader, head store.Commit) error {
	for c, err := range r.ByKey(kindKey('r'), store.Range{From: s.head.Seq + 1, To: head.Seq}) {
		if err != nil {
			return err
		}
		o, err := decode(c)
		if err != nil {
			return err
		}
		s.gone[o.Retract.Target] = append(s.gone[o.Retract.Target], o.Place)
		if strings.HasPrefix(o.Retract.Target, daybook.NotePrefix) {
			s.withdrawn = max(s.withdrawn, o.Seq)
		}
	}
	return nil
}

// SharesNotes reports whether the notes that are in force after another commit are in
// force in the book, as far as it sees them. It may be false where they are.
func (b *Book) SharesNotes(after store.Commit) bool {
	if after.ID == b.head.ID {
		return true
	}
	s := b.cache
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn == b.turn && s.recent[after.Seq] == after.ID && s.withdrawn <= min(after.Seq, b.head.Seq)
}

// untouched reports whether nothing can have happened to what an id names since it
// was first asserted. It is false where the cache cannot tell.
func (b *Book) untouched(id string) bool {
	gone, known := b.retractedAt(id)
	return known && len(b.undone) == 0 && gone == store.Place{}
}

// retractedAt is where an id was last retracted, zero where it never was. It is not
// known without a cache.
func (b *Book) retractedAt(id string) (at store.Place, known bool) {
	s := b.cache
	if s == nil {
		return at, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Backward(s.gone[id]) {
		if p.Seq <= b.head.Seq && !b.undone[p.Seq] {
			return p, s.turn == b.turn
		}
	}
	return at, s.turn == b.turn
}

// anyOf reports whether an operation of one of the kinds stands after one commit
// and up to another.
func anyOf(r store.Reader, after, upTo uint64, kinds ...byte) (bool, error) {
	for _, k := range kinds {
		for _, err := range r.ByKey(kindKey(k), store.Range{From: after + 1, To: upTo}) {
			return err == nil, err
		}
	}
	return false, nil
}

// foldedSubject returns the folded states of a subject as of the scope's head,
// or nil when the book sees an earlier one.
func (b *Book) foldedSubject(root daybook.EntityID) ([]*joint, error) {
	s := b.cache
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.head.Seq != s.head.Seq {
		return nil, nil
	}
	aliases, count := b.aliases(root), 0
	for _, e := range aliases {
		if err := b.extend(e); err != nil {
			return nil, err
		}
		count += len(s.subjects[e].ops)
	}
	entry := s.subjects[root]
	if entry.folded == nil || entry.foldedOps != count {
		ops := make([]*op, 0, count)
		for _, e := range aliases {
			ops = append(ops, s.subjects[e].ops...)
		}
		entry.foldedOps = count
		entry.folded = b.foldAll(ops)
	}
	return entry.folded, nil
}

// groupAll files the operations in force under their state variables.
func (b *Book) groupAll(ops []*op) map[daybook.Variable][]*op {
	groups := map[daybook.Variable][]*op{}
	for _, o := range ops {
		if !b.undone[o.Seq] {
			b.group(groups, o)
		}
	}
	return groups
}

// subjectOps returns the operations under a subject's key that the book sees,
// reverted ones included, or false when the cache has gone on to a later head,
// of which the book's snapshot knows nothing. The slice is shared and must not
// be changed.
func (b *Book) subjectOps(e daybook.EntityID) ([]*op, bool, error) {
	b.cache.mu.Lock()
	defer b.cache.mu.Unlock()
	if b.newest != b.cache.head.Seq {
		return nil, false, nil
	}
	if err := b.extend(e); err != nil {
		return nil, false, err
	}
	ops := b.cache.subjects[e].ops
	n := len(ops)
	for n > 0 && ops[n-1].Seq > b.head.Seq {
		n--
	}
	return ops[:n:n], true, nil
}

// extend reads what was appended under a subject's key since it was last read.
// The caller holds the lock.
func (b *Book) extend(e daybook.EntityID) error {
	s := b.cache
	entry := s.subjects[e]
	if entry == nil {
		entry = &subjectCache{}
	}
	if entry.upTo < s.head.Seq {
		for c, err := range b.r.ByKey(subjectKey(e), store.Range{From: entry.upTo + 1, To: s.head.Seq}) {
			var o *op
			if err == nil {
				o, err = decode(c)
			}
			if err != nil {
				delete(s.subjects, e)
				return err
			}
			entry.ops = append(entry.ops, o)
			s.size++
		}
	}
	entry.upTo = s.head.Seq
	s.subjects[e] = entry
	return nil
}

// mark returns what readers are shown of a commit.
func (b *Book) mark(seq uint64) (commitMark, error) {
	if b.cache != nil {
		b.cache.mu.Lock()
		m, ok := b.cache.commits[seq]
		ok = ok && b.cache.turn == b.turn
		b.cache.mu.Unlock()
		if ok {
			return m, nil
		}
	}
	c, err := b.commit(seq)
	m := commitMark{c.ID, c.RecordedAt, c.Author}
	if err == nil && b.cache != nil {
		b.cache.mu.Lock()
		if b.cache.turn == b.turn {
			b.cache.commits[seq] = m
			b.cache.size++
		}
		b.cache.mu.Unlock()
	}
	return m, err
}
