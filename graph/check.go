package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"daybook"
	"daybook/store"
)

// Report is what a check found. A ledger is sound when Damage is empty.
type Report struct {
	Commits  int      `json:"commits"`
	Contents int      `json:"contents"`
	Erased   int      `json:"erased"`
	Erasures int      `json:"erasures"`
	States   int      `json:"states"`
	Trees    int      `json:"trees,omitempty"`
	Damage   []string `json:"damage"`
}

const maxDamage = 50

func (r *Report) damaged(format string, args ...any) {
	if len(r.Damage) < maxDamage {
		r.Damage = append(r.Damage, fmt.Sprintf(format, args...))
	}
}

// Check reads the whole scope and verifies the chain of hashes, every content
// against its hash, every reference, every erasure, the sequence of every tree's
// versions, the index against one built anew, and every state against a fold from the bare ledger.
func (b *Book) Check() (*Report, error) {
	c := &checker{Book: b, report: &Report{Damage: []string{}}, ids: map[string]bool{}, absent: map[store.Place]bool{}, lengths: map[daybook.NoteID]int{}, trees: map[string]*treeCheck{}}
	for _, step := range []func() error{c.chain, c.contents, c.erasures, c.index, c.states} {
		if err := step(); err != nil {
			if daybook.KindOf(err) != daybook.Corrupt {
				return nil, err
			}
			c.report.damaged("%v", err)
			if len(c.leaves) < int(b.head.Seq) {
				break // the rest is told by place, and places are missing
			}
		}
	}
	return c.report, nil
}

type checker struct {
	*Book
	report *Report
	leaves [][]store.Hash       // by sequence number - 1
	absent map[store.Place]bool // places without content
	ids    map[string]bool      // asserted so far
	// dangling are references to what is not there. An erasure leaves no id
	// behind, so where there is one they prove nothing.
	dangling []string
	lengths  map[daybook.NoteID]int // of the notes' texts
	indexed  sum                    // of the index that the contents ask for
	facts    []*op                  // facts, links and retractions, to fold again
	trees    map[string]*treeCheck
}

// chain verifies that each commit follows from the one before.
func (c *checker) chain() error {
	var last store.Commit
	for commit, err := range c.r.Commits(store.UpTo(c.head.Seq)) {
		if err != nil {
			return err
		}
		leaves, err := c.r.Leaves(commit.Seq)
		if err != nil {
			return err
		}
		switch {
		case commit.Seq != last.Seq+1:
			return daybook.Errorf(daybook.Corrupt, "commit %d is missing", last.Seq+1)
		case commit.Parent != last.ID:
			c.report.damaged("commit %d does not follow from commit %d", commit.Seq, last.Seq)
		case commit.ID != commitID(commit, leaves):
			c.report.damaged("commit %d is not what its id says", commit.Seq)
		case !commit.RecordedAt.After(last.RecordedAt) && last.Seq > 0:
			c.report.damaged("commit %d was not recorded after commit %d", commit.Seq, last.Seq)
		}
		c.leaves = append(c.leaves, leaves)
		last = commit
	}
	c.report.Commits = len(c.leaves)
	if last.Seq != c.head.Seq {
		return daybook.Errorf(daybook.Corrupt, "commit %d is missing", last.Seq+1)
	}
	return nil
}

// contents verifies each content against its hash and its references against
// what came before.
func (c *checker) contents() error {
	next := store.Place{Seq: 1}
	for content, err := range c.r.Contents(store.UpTo(c.head.Seq)) {
		if err != nil {
			return err
		}
		next = c.skipTo(next, content.Place)
		next.Pos++
		leaves := c.leaves[content.Seq-1]
		if content.Pos >= len(leaves) || leafHash(content.Salt, content.Body) != leaves[content.Pos] {
			c.report.damaged("operation %d.%d is not what was written", content.Seq, content.Pos)
			continue
		}
		c.report.Contents++
		o, err := decode(content)
		if err != nil {
			return err
		}
		c.content(o)
	}
	c.skipTo(next, store.Place{Seq: c.head.Seq + 1})
	return nil
}

// skipTo notes every place between two contents as empty.
func (c *checker) skipTo(from, to store.Place) store.Place {
	for before(from, to) {
		if from.Pos >= len(c.leaves[from.Seq-1]) {
			from = store.Place{Seq: from.Seq + 1}
			continue
		}
		c.absent[from] = true
		from.Pos++
	}
	return to
}

func (c *checker) content(o *op) {
	for _, k := range o.keys() {
		c.indexed.add(store.Entry{Key: k, Place: o.Place})
	}
	for _, id := range o.references() {
		if !c.ids[id] {
			c.dangling = append(c.dangling, fmt.Sprintf("operation %d.%d refers to %s, which is not in the ledger", o.Seq, o.Pos, id))
		}
	}
	if id := o.asserts(); id != "" {
		c.ids[id] = true
	}
	if o.Observe != nil {
		c.lengths[o.Observe.ID] = len(o.Observe.Text)
	}
	if o.Event != nil {
		c.quotes(o)
	}
	if o.Tree != nil {
		c.tree(o)
	}
	if o.Fact != nil || o.Relate != nil || o.Retract != nil {
		c.facts = append(c.facts, o)
	}
}

// quotes verifies that what an event quotes lies in its note.
func (c *checker) quotes(o *op) {
	for _, q := range o.Event.Quotes {
		if n, ok := c.lengths[q.Note]; ok && (q.Start < 0 || q.Start >= q.End || q.End > n) {
			c.report.damaged("operation %d.%d quotes bytes %d to %d of %s, which has %d", o.Seq, o.Pos, q.Start, q.End, q.Note, n)
		}
	}
}

// treeCheck is how far the versions of a tree have come.
type treeCheck struct {
	head op // of the last version; its Tree is nil before the first
	part int
}

// tree verifies that an edit follows from those before it. What was written again
// after an erasure stands later than its number says, and is not compared.
func (c *checker) tree(o *op) {
	e := o.Tree
	t := c.trees[e.Tree]
	if t == nil {
		t = &treeCheck{}
		c.trees[e.Tree] = t
		c.report.Trees++
	}
	if !e.Made.IsZero() {
		return
	}
	last := 0
	if t.head.Tree != nil {
		last = t.head.Tree.Version
	}
	switch {
	case e.Part == 0 && e.Version <= last:
		c.report.damaged("operation %d.%d makes version %d of tree %q after version %d", o.Seq, o.Pos, e.Version, e.Tree, last)
	case e.Part == 0 && e.Base >= e.Version:
		c.report.damaged("operation %d.%d makes version %d of tree %q on version %d", o.Seq, o.Pos, e.Version, e.Tree, e.Base)
	case e.Part == 0 && last > 0 && e.Base > last, e.Part > 0 && (e.Version != last || o.Seq != t.head.Seq || e.Part != t.part+1):
		// An erasure may have taken what it follows.
		c.dangling = append(c.dangling, fmt.Sprintf("operation %d.%d, part %d of version %d of tree %q on version %d, does not follow from what is before it", o.Seq, o.Pos, e.Part, e.Version, e.Tree, e.Base))
	}
	if e.Part == 0 {
		t.head = *o
	}
	t.part = e.Part
}

// references are the ids that must have been asserted before.
func (b body) references() (ids []string) {
	switch {
	case b.Enrich != nil:
		ids = []string{string(b.Enrich.Note)}
		for _, n := range b.Enrich.From {
			ids = append(ids, string(n))
		}
	case b.Event != nil:
		for _, n := range b.Event.Sources {
			ids = append(ids, string(n))
		}
	case b.Fact != nil:
		for _, n := range b.Fact.Sources {
			ids = append(ids, string(n))
		}
		if b.Fact.Event != "" {
			ids = append(ids, string(b.Fact.Event))
		}
	case b.Relate != nil:
		ids = []string{b.Relate.From, b.Relate.To}
	case b.Retract != nil:
		ids = []string{b.Retract.Target}
	case b.Merge != nil:
		ids = []string{string(b.Merge.From), string(b.Merge.Into)}
	}
	return ids
}

// erasures verifies that content is missing exactly where an erasure says so.
func (c *checker) erasures() error {
	for o, err := range c.raw(kindKey('x')) {
		if err != nil {
			return err
		}
		c.report.Erasures++
		if err := c.verifyErase(o); err != nil {
			c.report.damaged("%v", err)
		}
		for _, t := range o.Erase.Targets {
			for pos := t.From; pos <= t.To; pos++ {
				place := store.Place{Seq: t.Seq, Pos: pos}
				if c.absent[place] {
					c.report.Erased++
				}
				delete(c.absent, place)
			}
		}
	}
	if c.report.Erasures == 0 {
		for _, d := range c.dangling {
			c.report.damaged("%s", d)
		}
	}
	for place := range c.absent {
		c.report.damaged("operation %d.%d has lost its content, and no erasure explains it", place.Seq, place.Pos)
	}
	return nil
}

// index compares the stored index with the one that the contents ask for.
func (c *checker) index() error {
	var stored sum
	for e, err := range c.r.Keys() {
		if err != nil {
			return err
		}
		stored.add(e)
	}
	if stored != c.indexed {
		c.report.damaged("the index has %d rows and the ledger asks for %d, or they differ; run 'daybook reindex'", stored.n, c.indexed.n)
	}
	return nil
}

// sum adds up the hashes of index rows, in any order.
type sum struct {
	n    int
	a, b uint64
}

func (s *sum) add(e store.Entry) {
	text := append([]byte(e.Key), make([]byte, 16)...)
	binary.BigEndian.PutUint64(text[len(e.Key):], e.Seq)
	binary.BigEndian.PutUint64(text[len(e.Key)+8:], uint64(e.Pos))
	h := sha256.Sum256(text)
	s.n++
	s.a += binary.BigEndian.Uint64(h[:])
	s.b += binary.BigEndian.Uint64(h[8:])
}

// states folds every state from the bare ledger and asks whether a judgement is
// missing, and whether reading by subject gives the same.
func (c *checker) states() error {
	groups := map[daybook.Variable][]*op{}
	for _, o := range c.facts {
		if !c.undone[o.Seq] {
			c.group(groups, o)
		}
	}
	folded := map[daybook.Variable]*variable{}
	for v, ops := range groups {
		folded[v] = gather(ops)
		if missing := folded[v].judge(); len(missing) > 0 {
			c.report.damaged("state %s %s lacks %d judgements", v.Subject, v.Relation, len(missing))
		}
	}
	for _, bare := range join(folded) {
		c.report.States++
		read, err := c.joined(daybook.Variable{Subject: bare.subject, Relation: bare.relations[0]})
		if err != nil {
			return err
		}
		if !slices.Equal(bare.relations, read.relations) || !sameSpans(bare.spans(), read.spans()) {
			c.report.damaged("state %s %s reads differently by the index; run 'daybook reindex'", bare.subject, bare.relations[0])
		}
	}
	return nil
}

func sameSpans(a, b []*span) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].object != b[i].object || !a[i].from.Equal(b[i].from) || a[i].end != b[i].end || len(a[i].facts) != len(b[i].facts) {
			return false
		}
	}
	return true
}

// Reindex builds the scope's index anew from its contents.
func Reindex(w store.Writer) error {
	return w.ReplaceKeys(entries(w))
}

func entries(r store.Reader) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for c, err := range r.Contents(store.All) {
			var o *op
			if err == nil {
				o, err = decode(c)
			}
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			for _, k := range o.keys() {
				if !yield(store.Entry{Key: k, Place: c.Place}, nil) {
					return
				}
			}
		}
	}
}
