package graph

import (
	"sync"

	"daybook/store"
)

// recordBytes is how much memory the records of all scopes of a cache may take, about.
const recordBytes = 192 << 20

// records are operations of one scope that were read lately, so that they need not be
// read and decoded again: each by its place, and lists of them by the keys of ids and state variables. An
// operation never changes and the ledger only grows, so a list stays whole by what is
// appended to it; an erasure empties all. What is given out is shared and must not be
// changed. It is safe for use by many goroutines. They begin with begin.
type records struct {
	mu   sync.Mutex
	turn int    // how often they were emptied by an erasure: a book of another turn has no part in them
	upTo uint64 // lists are whole up to this commit
	// What is not asked for while young fills goes with old.
	young, old generation
}

// generation is what was read or asked for in one while.
type generation struct {
	placed map[store.Place]*op
	lists  map[store.Key][]*op
	bytes  int
}

// bytesOf is about what an operation takes in memory beside what its text takes twice,
// and what a list does.
const (
	bytesOfOp   = 500
	bytesOfList = 120
)

// listable reports whether what stands under a key is kept in a list: what asserts,
// retracts and links an id, what was made from it, and what a state variable is told by.
// Who reads such a key reads all of it.
func listable(key store.Key) bool { return key[0] == 'i' || key[0] == 'd' || key[0] == 'v' }

func newGeneration() generation {
	return generation{placed: map[store.Place]*op{}, lists: map[store.Key][]*op{}}
}

func (g *generation) place(o *op) {
	if g.placed[o.Place] == nil {
		g.placed[o.Place] = o
		g.bytes += bytesOfOp + 2*o.size
	}
}

func (g *generation) list(key store.Key, ops []*op) {
	for _, o := range ops {
		g.place(o)
	}
	g.lists[key] = ops
	g.bytes += bytesOfList + 8*len(ops)
}

// extend appends an operation to the list of a key, where there is one.
func (g *generation) extend(key store.Key, o *op) {
	if ops, ok := g.lists[key]; ok {
		g.place(o)
		g.lists[key] = append(ops, o)
		g.bytes += 8
	}
}

// list returns what stands under a key up to the records' last commit, or false.
func (r *records) list(key store.Key, turn int) ([]*op, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != turn {
		return nil, false
	}
	ops, ok := r.young.lists[key]
	if !ok {
		if ops, ok = r.old.lists[key]; ok {
			delete(r.old.lists, key) // or it would be extended twice
			r.young.list(key, ops)
			r.age()
		}
	}
	return ops, ok
}

// at returns the operation at a place, or nil.
func (r *records) at(p store.Place, turn int) *op {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != turn {
		return nil
	}
	o := r.young.placed[p]
	if o == nil && r.old.placed[p] != nil {
		o = r.old.placed[p]
		r.young.place(o)
		r.age()
	}
	return o
}

// keep takes in what a book read under a key, all of it up to a commit.
func (r *records) keep(key store.Key, ops []*op, upTo uint64, turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != turn || r.upTo != upTo { // others have gone on: what came since is not in it
		return
	}
	if _, known := r.young.lists[key]; !known {
		r.young.list(key, ops)
		r.age()
	}
}

// keepAt takes in what a book read at a place.
func (r *records) keepAt(o *op, turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn == turn {
		r.young.place(o)
		r.age()
	}
}

// age begins a new generation where the young one is full.
func (r *records) age() {
	if r.young.bytes > recordBytes/2 {
		r.old, r.young = r.young, newGeneration()
	}
}

// empty lets go of all that is held.
func (r *records) empty() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.old, r.young = newGeneration(), newGeneration()
}

// begin lets go of all for a new turn.
func (r *records) begin(turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.old, r.young, r.turn, r.upTo = newGeneration(), newGeneration(), turn, 0
}

// size is how much memory the records take, about.
func (r *records) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.young.bytes + r.old.bytes
}

// follow extends the lists by what was appended up to a later commit, and returns it.
// Where that is much, it lets go of them and is not whole. Only one may call it at a time.
func (r *records) follow(from store.Reader, head uint64) (fresh []*op, whole bool, err error) {
	far := head-r.upTo > recentHeads || r.size() == 0
	if !far {
		if fresh, err = decodeAll(from.Contents(store.Range{From: r.upTo + 1, To: head})); err != nil {
			return nil, false, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if far { // under the lock: a list may have come meanwhile
		r.old, r.young = newGeneration(), newGeneration()
	}
	for _, o := range fresh {
		for _, k := range o.keys() {
			if listable(k) {
				r.young.extend(k, o)
				r.old.extend(k, o)
			}
		}
	}
	r.upTo = head
	return fresh, !far, nil
}

// listed returns the operations under a key that is kept in lists as the book sees them,
// reverted ones included, by way of the cache; not ok where the cache has no part in it.
func (b *Book) listed(key store.Key) (ops []*op, ok bool, err error) {
	if b.cache == nil || !listable(key) {
		return nil, false, nil
	}
	kept := &b.cache.records
	if ops, ok = kept.list(key, b.turn); !ok {
		for c, err := range b.r.ByKey(key, store.UpTo(b.newest)) {
			if err != nil {
				return nil, true, err
			}
			o := kept.at(c.Place, b.turn)
			if o == nil {
				if o, err = decode(c); err != nil {
					return nil, true, err
				}
			}
			ops = append(ops, o)
		}
		kept.keep(key, ops, b.newest, b.turn)
	}
	n := len(ops)
	for n > 0 && ops[n-1].Seq > b.head.Seq {
		n--
	}
	return ops[:n:n], true, nil
}
