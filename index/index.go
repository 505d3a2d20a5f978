package index

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"daybook/store"
)

// Index is the index of one scope. Apply changes it; readers take a Snapshot, which
// stays as it is. All methods may be called from many goroutines at once, and no
// reader waits for a writer.
type Index struct {
	writing sync.Mutex
	now     atomic.Pointer[Snapshot]
}

// New returns the index of a scope without notes.
func New() *Index {
	x := &Index{}
	x.now.Store(&Snapshot{})
	return x
}

// Snapshot returns the index as it is now.
func (x *Index) Snapshot() *Snapshot { return x.now.Load() }

// Change is what happened to the notes in force.
type Change struct {
	Reset   bool         // forget all that was known before
	From    *Snapshot    // go on from this one instead, such as a saved one
	Head    store.Commit // the commit up to which this goes; zero leaves it as it was
	Remove  []store.Place
	Add     []Doc
	Vectors []Vectors
}

// Vectors are vectors for one set, which Space names. Vectors of notes that the
// index does not have are left out.
type Vectors struct {
	Space string
	Dim   int
	Reset bool   // forget the set's vectors first
	UpTo  uint64 // the set is complete up to this commit; 0 leaves it as it was
	Rows  []store.Vector
}

// Apply makes a change, all of it at once for those who read.
func (x *Index) Apply(c Change) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	next, err := x.now.Load().with(c)
	if err != nil {
		return err
	}
	x.now.Store(next)
	return nil
}

// with returns the snapshot after a change.
func (v *Snapshot) with(c Change) (*Snapshot, error) {
	if c.From != nil {
		v = c.From
	}
	n := &Snapshot{head: v.head, segments: slices.Clone(v.segments), spaces: maps.Clone(v.spaces), covers: maps.Clone(v.covers)}
	if c.Reset {
		n = &Snapshot{}
	}
	if n.spaces == nil {
		n.spaces, n.covers = map[string]*Space{}, map[string]uint64{}
	}
	if c.Head.Seq > 0 {
		n.head = c.Head
	}
	if len(c.Remove) == 0 && v.endsBefore(c.Add) && !c.Reset {
		n.asked = v.asked
	}
	n.remove(c.Remove)
	n.add(c.Add)
	n.number()
	for _, vectors := range c.Vectors {
		if err := n.addVectors(vectors); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// endsBefore reports whether notes come after all that the snapshot has.
func (v *Snapshot) endsBefore(docs []Doc) bool {
	n := len(v.segments)
	if n == 0 {
		return true
	}
	last := v.segments[n-1].places
	return !slices.ContainsFunc(docs, func(d Doc) bool { return comparePlaces(last[len(last)-1], d.Place) >= 0 })
}

// number gives out the ids.
func (v *Snapshot) number() {
	if v.asked == nil {
		v.asked = &frequencies{}
	}
	v.base, v.notes = make([]uint32, len(v.segments)), 0
	for i, s := range v.segments {
		v.base[i] = uint32(v.notes)
		v.notes += len(s.places)
	}
}

// remove leaves out notes with all that they were found by.
func (v *Snapshot) remove(places []store.Place) {
	if len(places) == 0 {
		return
	}
	drop := map[store.Place]bool{}
	for _, p := range places {
		drop[p] = true
	}
	for i, s := range v.segments {
		if slices.ContainsFunc(places, func(p store.Place) bool { _, ok := s.find(p); return ok }) {
			v.segments[i] = join([]*segment{s}, drop)
		}
	}
	v.segments = slices.DeleteFunc(v.segments, func(s *segment) bool { return len(s.places) == 0 })
	for name, space := range v.spaces {
		v.spaces[name] = space.Without(places)
	}
}

// draftNotes is how many notes a segment is made of at once.
const draftNotes = 1 << 14

// add puts notes in. Those later in the ledger than all others become a segment
// of their own; an older one, which comes back after it was withdrawn, is merged
// with those around it.
func (v *Snapshot) add(docs []Doc) {
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b Doc) int { return comparePlaces(a.Place, b.Place) })
	for part := range slices.Chunk(docs, draftNotes) {
		made := newSegment(part)
		if hasRepeats(made.places) {
			made = join([]*segment{made}, nil)
		}
		at := len(v.segments)
		for at > 0 && comparePlaces(v.segments[at-1].places[len(v.segments[at-1].places)-1], made.places[0]) >= 0 {
			at--
		}
		if at < len(v.segments) {
			made = join(append(slices.Clone(v.segments[at:]), made), nil)
		}
		v.segments = append(v.segments[:at:at], made)
		v.tidy()
	}
}

func hasRepeats(places []store.Place) bool {
	for i := 1; i < len(places); i++ {
		if places[i] == places[i-1] {
			return true
		}
	}
	return false
}

// fan segments of about the same size are joined to one.
const fan = 4

// tidy joins the last segments while there are many of a size, so that each note
// is copied only a few times however many come one by one.
func (v *Snapshot) tidy() {
	for n := len(v.segments); n >= fan && tier(v.segments[n-fan]) <= tier(v.segments[n-1]); n = len(v.segments) {
		joined := join(v.segments[n-fan:], nil)
		v.segments = append(v.segments[:n-fan:n-fan], joined)
	}
}

// tier is the logarithm of a segment's size to base fan.
func tier(s *segment) (t int) {
	for n := len(s.places); n >= fan; n /= fan {
		t++
	}
	return t
}

func (v *Snapshot) addVectors(vectors Vectors) error {
	space := v.spaces[vectors.Space]
	if space == nil || vectors.Reset || space.dim != vectors.Dim && space.rows == 0 {
		space = NewSpace(vectors.Dim)
		delete(v.covers, vectors.Space)
	}
	rows := slices.Clone(vectors.Rows)
	rows = slices.DeleteFunc(rows, func(r store.Vector) bool { _, ok := v.Find(r.Place); return !ok })
	space, err := space.With(rows)
	if err != nil {
		return err
	}
	v.spaces[vectors.Space] = space
	if vectors.UpTo > 0 {
		v.covers[vectors.Space] = vectors.UpTo
	}
	return nil
}
