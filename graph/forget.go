package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"time"

	"daybook"
	"daybook/store"
)

// Forget says what to erase. Exactly one field is set.
type Forget struct {
	IDs     []string // of notes (ours or the caller's), facts, events or links
	Session string
	Entity  string // a name or an id
	Tree    string // name of a tree: all its versions
	All     bool   // everything in the scope
}

// Certificate proves an erasure: it names the commit that records it and commits
// to the hash of every erased operation. It holds no content.
type Certificate struct {
	Format     string           `json:"format"`
	Scope      daybook.Scope    `json:"scope"`
	Commit     daybook.CommitID `json:"commit"`
	Seq        uint64           `json:"seq"`
	RecordedAt time.Time        `json:"recorded_at"`
	Selector   string           `json:"selector"`
	Erased     int              `json:"erased"`
	Counts     map[string]int   `json:"counts"`
	Digest     string           `json:"digest"`
}

const certificateFormat = "daybook erasure 1"

// Plan says what an erasure would remove.
type Plan struct {
	Selector string
	Counts   map[string]int
	targets  []store.Content
	kept     []daybook.Fact     // facts that other notes still support, without what is erased
	trees    []daybook.TreeEdit // what is left of edits that named an entity
	links    []daybook.Link     // between facts, of which at least one is kept
}

// Plan follows provenance from what is to be forgotten to all that was made from
// it: events, facts, links, retractions, commit messages.
func (b *Book) Plan(f Forget) (*Plan, error) {
	e := &eraser{book: b, places: map[store.Place]bool{}, ids: map[string]bool{}, commits: map[uint64]bool{}, named: map[string]bool{}}
	selector, err := e.choose(f)
	if err != nil {
		return nil, err
	}
	e.spares = selector == "id" || selector == "session"
	if selector != "scope" {
		if err := e.follow(); err != nil {
			return nil, err
		}
	}
	return e.plan(selector)
}

// Forget erases what the plan of f names, as one commit, and returns the
// certificate. The store must be scrubbed afterwards: until then old pages may
// still hold the bytes.
func (l Ledger) Forget(w store.Writer, scope daybook.Scope, author string, f Forget) (Certificate, error) {
	s, err := l.stage(w, Change{Author: author})
	if err != nil {
		return Certificate{}, err
	}
	plan, err := s.Plan(f)
	if err != nil {
		return Certificate{}, err
	}
	erase, err := s.eraseOp(plan)
	if err != nil {
		return Certificate{}, err
	}
	if err := s.hide(plan.targets); err != nil {
		return Certificate{}, err
	}
	s.put(body{Op: daybook.Op{Erase: &erase}})
	for i := range plan.kept {
		if err := s.add(daybook.Op{Fact: &plan.kept[i]}); err != nil {
			return Certificate{}, err
		}
	}
	for _, l := range plan.links {
		// What does not pass the guard any more must not stop an erasure.
		if err := s.relate(l); err != nil && daybook.KindOf(err) != daybook.Invalid {
			return Certificate{}, err
		}
	}
	for i := range plan.trees {
		s.put(body{Op: daybook.Op{Tree: &plan.trees[i]}})
	}
	if err := s.judge(); err != nil {
		return Certificate{}, err
	}
	if _, err := s.commit(w); err != nil {
		return Certificate{}, err
	}
	if err := w.Erase(plan.targets); err != nil {
		return Certificate{}, err
	}
	return Certificate{
		Format: certificateFormat, Scope: scope, Commit: s.next.ID, Seq: s.next.Seq, RecordedAt: s.next.RecordedAt,
		Selector: erase.Selector, Erased: erase.Count, Counts: plan.Counts, Digest: erase.Digest,
	}, nil
}

// hide lets the stage see the ledger without the targets, and marks the states
// that lose something for judgement.
func (s *stage) hide(targets []store.Content) error {
	s.hidden = map[store.Place]bool{}
	for _, c := range targets {
		o, err := decode(c)
		if err != nil {
			return err
		}
		if err := s.touchOp(o); err != nil {
			return err
		}
		s.hidden[c.Place] = true
	}
	return s.loadMerges()
}

func (b *Book) eraseOp(p *Plan) (daybook.Erase, error) {
	e := daybook.Erase{Selector: p.Selector, Count: len(p.targets), Counts: p.Counts}
	for _, c := range p.targets {
		if n := len(e.Targets); n > 0 && e.Targets[n-1].Seq == c.Seq && e.Targets[n-1].To == c.Pos-1 {
			e.Targets[n-1].To = c.Pos
		} else {
			e.Targets = append(e.Targets, daybook.Erased{Seq: c.Seq, From: c.Pos, To: c.Pos})
		}
	}
	var err error
	e.Digest, err = b.digest(e.Targets)
	return e, err
}

// digest hashes the place and the leaf of every erased operation.
func (b *Book) digest(targets []daybook.Erased) (string, error) {
	h := sha256.New()
	h.Write([]byte(certificateFormat + "\n"))
	var leaves []store.Hash
	for i, t := range targets {
		if i == 0 || t.Seq != targets[i-1].Seq { // runs of one commit stand together
			var err error
			if leaves, err = b.r.Leaves(t.Seq); err != nil {
				return "", err
			}
		}
		if t.From < 0 || t.To >= len(leaves) || t.From > t.To {
			return "", daybook.Errorf(daybook.Corrupt, "an erasure names operation %d.%d, which is not there", t.Seq, t.To)
		}
		for pos := t.From; pos <= t.To; pos++ {
			h.Write(binary.BigEndian.AppendUint64(nil, t.Seq))
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(pos)))
			h.Write(leaves[pos][:])
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Verify checks a certificate against the ledger: the commit is there, says the
// same, and every operation that it names has no content.
func (b *Book) Verify(c Certificate) error {
	if c.Format != certificateFormat {
		return daybook.Errorf(daybook.Invalid, "certificate has format %q, want %q", c.Format, certificateFormat)
	}
	stored, err := b.Resolve(c.Commit.String())
	if err != nil {
		return err
	}
	ops, err := b.decodeCommit(stored.Seq)
	if err != nil {
		return err
	}
	for _, o := range ops {
		if o.Erase == nil {
			continue
		}
		same := o.Erase.Digest == c.Digest && o.Erase.Count == c.Erased && o.Erase.Selector == c.Selector &&
			maps.Equal(o.Erase.Counts, c.Counts) && stored.Seq == c.Seq && stored.RecordedAt.Equal(c.RecordedAt)
		if !same {
			return daybook.Errorf(daybook.Invalid, "the certificate does not match erasure %s", c.Commit.Short())
		}
		return b.verifyErase(o)
	}
	return daybook.Errorf(daybook.Invalid, "commit %s erased nothing", c.Commit.Short())
}

func (b *Book) verifyErase(o *op) error {
	digest, err := b.digest(o.Erase.Targets)
	if err != nil {
		return err
	}
	if digest != o.Erase.Digest {
		return daybook.Errorf(daybook.Corrupt, "erasure %d: the hashes of the erased operations have changed", o.Seq)
	}
	for _, t := range o.Erase.Targets {
		for pos := t.From; pos <= t.To; pos++ {
			_, there, err := b.r.Content(store.Place{Seq: t.Seq, Pos: pos})
			if err != nil {
				return err
			}
			if there {
				return daybook.Errorf(daybook.Corrupt, "erasure %d: operation %d.%d still has content", o.Seq, t.Seq, pos)
			}
		}
	}
	return nil
}
