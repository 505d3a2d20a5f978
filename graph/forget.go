package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"daybook"
	"daybook/store"

	"golang.org/x/text/unicode/norm"
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

// eraser collects what is to be erased. Reverted and retracted operations are
// erased too: they are in the ledger.
type eraser struct {
	book    *Book
	places  map[store.Place]bool
	ids     map[string]bool // what the erased operations assert
	commits map[uint64]bool // commits that lose content
	queue   []string        // ids whose dependents are still to be followed
	spares  bool            // facts with other evidence live on
	named   map[string]bool // ids that were asked for; they never live on
	session string          // the session that is forgotten
	names   map[string]bool // under which the entity that is forgotten is known
	// subjects are entities that erased operations speak of.
	subjects []daybook.EntityID
}

func (e *eraser) take(o *op) {
	if e.places[o.Place] || o.Erase != nil {
		return
	}
	e.places[o.Place] = true
	e.commits[o.Seq] = true
	if o.Fact != nil {
		e.subjects = append(e.subjects, o.Fact.Subject, daybook.EntityNamed(o.Fact.Object))
	}
	if o.Event != nil {
		e.subjects = append(e.subjects, o.Event.Participants...)
	}
	if id := o.asserts(); id != "" && !e.ids[id] {
		e.ids[id] = true
		e.queue = append(e.queue, id)
	}
}

func (e *eraser) choose(f Forget) (string, error) {
	switch {
	case f.All:
		return "scope", e.takeWhere(func(*op) bool { return true })
	case f.Session != "":
		e.session = f.Session
		return "session", e.takeKey(sessionKey(f.Session), "session "+f.Session)
	case f.Entity != "":
		return "entity", e.takeEntity(f.Entity)
	case f.Tree != "":
		return "tree", e.takeKey(treeKey(f.Tree), "tree "+f.Tree)
	case len(f.IDs) > 0:
		for _, id := range f.IDs {
			if err := e.takeID(id); err != nil {
				return "", err
			}
		}
		return "id", nil
	}
	return "", daybook.Errorf(daybook.Invalid, "forget: name an id, a session, an entity, a tree or the whole scope")
}

func (e *eraser) takeKey(key store.Key, what string) error {
	found := false
	for o, err := range e.book.raw(key) {
		if err != nil {
			return err
		}
		found = true
		e.take(o)
	}
	if !found {
		return daybook.Errorf(daybook.NotFound, "forget: %s is not in this scope", what)
	}
	return nil
}

func (e *eraser) takeID(id string) error {
	if strings.HasPrefix(id, daybook.EntityPrefix) {
		return daybook.Errorf(daybook.Invalid, "forget: %s is an entity; forget it with --entity", id)
	}
	e.named[id] = true
	err := e.takeKey(idKey(id), id)
	if daybook.KindOf(err) == daybook.NotFound {
		named := string(daybook.Note{SourceID: id}.Named().ID)
		err = e.takeKey(idKey(named), id)
	}
	return err
}

// takeEntity takes the entity under all its names, and every operation that
// mentions one of them.
func (e *eraser) takeEntity(name string) error {
	b := e.book
	id := b.Subject(name)
	names := map[string]bool{}
	if !strings.HasPrefix(name, daybook.EntityPrefix) {
		names[strings.TrimSpace(name)] = true
	}
	for _, alias := range b.aliases(id) {
		for _, key := range []store.Key{subjectKey(alias), participantKey(alias), objectKey(alias), mergeKey(alias), idKey(string(alias))} {
			for o, err := range b.raw(key) {
				if err != nil {
					return err
				}
				if o.Entity != nil {
					names[o.Entity.Name] = true // a reverted declaration names it too
				}
				e.take(o)
				if err := e.takeSources(o); err != nil {
					return err
				}
			}
		}
	}
	e.names = names
	err := e.takeWhere(func(o *op) bool {
		for n := range names {
			if o.mentions(n) {
				return true
			}
		}
		return false
	})
	if err == nil && len(e.places) == 0 {
		err = daybook.Errorf(daybook.NotFound, "forget: nothing in this scope names %q", name)
	}
	return err
}

// takeSources takes the notes that an event or fact about the entity was learned
// from.
func (e *eraser) takeSources(o *op) error {
	var sources []daybook.NoteID
	if o.Event != nil {
		sources = o.Event.Sources
	} else if o.Fact != nil {
		sources = o.Fact.Sources
	}
	for _, id := range sources {
		for n, err := range e.book.raw(idKey(string(id))) {
			if err != nil {
				return err
			}
			e.take(n)
		}
	}
	return nil
}

func (e *eraser) takeWhere(match func(*op) bool) error {
	for c, err := range e.book.r.Contents(store.UpTo(e.book.head.Seq)) {
		if err != nil {
			return err
		}
		o, err := decode(c)
		if err != nil {
			return err
		}
		if match(o) {
			e.take(o)
		}
	}
	return nil
}

// follow takes what was derived from the erased operations, and what speaks of
// them by id.
func (e *eraser) follow() error {
	for len(e.queue) > 0 {
		id := e.queue[0]
		e.queue = e.queue[1:]
		for _, key := range []store.Key{derivedKey(id), idKey(id)} {
			for o, err := range e.book.raw(key) {
				if err != nil {
					return err
				}
				e.take(o)
			}
		}
		if len(e.queue) == 0 {
			if err := e.takeOrphans(); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOrphans takes the declarations of entities that nothing speaks of any
// more.
func (e *eraser) takeOrphans() error {
	for _, id := range e.subjects {
		if e.ids[string(id)] {
			continue
		}
		left, err := e.spokenOf(id)
		if err != nil {
			return err
		}
		if left {
			continue
		}
		for _, key := range []store.Key{idKey(string(id)), mergeKey(id)} {
			for o, err := range e.book.raw(key) {
				if err != nil {
					return err
				}
				e.take(o)
			}
		}
	}
	e.subjects = nil
	return nil
}

func (e *eraser) spokenOf(id daybook.EntityID) (bool, error) {
	for _, key := range []store.Key{subjectKey(id), participantKey(id), objectKey(id)} {
		for o, err := range e.book.raw(key) {
			if err != nil || !e.places[o.Place] {
				return true, err
			}
			if _, lives, err := e.survivor(o); err != nil || lives {
				return true, err
			}
		}
	}
	return false, nil
}

// plan reads the contents that will go and works out which facts live on.
func (e *eraser) plan(selector string) (*Plan, error) {
	p := &Plan{Selector: selector, Counts: map[string]int{}}
	renamed := map[string]string{} // erased facts that live on, under their new ids
	var links []daybook.Link
	for _, seq := range slices.Sorted(maps.Keys(e.commits)) {
		for c, err := range e.book.r.Contents(store.Range{From: seq, To: seq}) {
			if err != nil {
				return nil, err
			}
			o, err := decode(c)
			if err != nil {
				return nil, err
			}
			if !e.places[c.Place] && o.kind() != 0 {
				continue // a message goes with any operation of its commit
			}
			c.Keys = o.keys()
			p.targets = append(p.targets, c)
			if o.kind() != 0 {
				p.Counts[kindNames[o.kind()]]++
			}
			f, lives, err := e.survivor(o)
			if err != nil {
				return nil, err
			}
			if lives {
				p.kept = append(p.kept, f)
				renamed[string(o.Fact.ID)] = string(f.Named().ID)
			}
			if o.Relate != nil {
				links = append(links, *o.Relate)
			}
			if o.Tree != nil && len(e.names) > 0 {
				rest, left, err := e.restOfTree(o)
				if err != nil {
					return nil, err
				}
				if left {
					p.trees = append(p.trees, rest)
				}
			}
		}
	}
	return p, e.keepLinks(p, links, renamed)
}

// keepLinks lets a judgement live on whose facts do, without its justification.
// Rules make theirs again.
func (e *eraser) keepLinks(p *Plan, links []daybook.Link, renamed map[string]string) error {
	for _, l := range links {
		said, err := e.book.alive(string(l.ID))
		if err != nil {
			return err
		}
		from, ok, err := e.livesAs(l.From, renamed)
		if err != nil {
			return err
		}
		to, both, err := e.livesAs(l.To, renamed)
		if err != nil {
			return err
		}
		if said == nil || !ok || !both || e.named[string(l.ID)] || l.By == judgeName {
			continue
		}
		p.links = append(p.links, daybook.Link{Kind: l.Kind, From: from, To: to, Confidence: l.Confidence, By: l.By})
	}
	return nil
}

// livesAs returns the id under which a fact is there after the erasure, if it is.
func (e *eraser) livesAs(id string, renamed map[string]string) (string, bool, error) {
	if as, ok := renamed[id]; ok {
		return as, true, nil
	}
	o, err := e.book.alive(id)
	return id, o != nil && o.Fact != nil && !e.ids[id], err
}

// survivor returns the form in which an erased fact lives on: if other notes
// support it, with those notes alone and without its context, which may have
// come from an erased note.
func (e *eraser) survivor(o *op) (daybook.Fact, bool, error) {
	if o.Fact == nil || !e.spares || e.ids[string(o.Fact.Event)] || e.named[string(o.Fact.ID)] {
		return daybook.Fact{}, false, nil
	}
	f := *o.Fact
	if f.Event != "" {
		if event, err := e.book.alive(string(f.Event)); err != nil || event == nil {
			return daybook.Fact{}, false, err
		}
	}
	f.Sources = nil
	for _, n := range o.Fact.Sources {
		note, err := e.book.alive(string(n))
		if err != nil {
			return daybook.Fact{}, false, err
		}
		if note != nil && !e.ids[string(n)] {
			f.Sources = append(f.Sources, n)
		}
	}
	f.Context = daybook.Context{}
	if f.Session == e.session {
		f.Session = ""
	}
	alive, err := e.book.alive(string(f.ID))
	return f, alive != nil && len(f.Sources) > 0 && len(f.Sources) < len(o.Fact.Sources), err
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
			return daybook.Errorf(daybook.Corrupt, "the certificate does not match erasure %s", c.Commit.Short())
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

// mentions reports whether any text of the operation has the name as words of
// its own. A lower-case word does not count for a name of one word that is
// written with a capital, so that forgetting Will keeps what people will do.
func (b body) mentions(name string) bool {
	return slices.ContainsFunc(b.texts(), func(text string) bool { return mentionsName(text, name) })
}

// texts returns everything in an operation that people wrote.
func (b body) texts() []string {
	switch {
	case b.Observe != nil:
		texts := []string{b.Observe.Text, b.Observe.Speaker, b.Observe.Session, b.Observe.SourceID}
		if len(b.Observe.Metadata) > 0 {
			if data, err := json.Marshal(b.Observe.Metadata); err == nil { // it was read from JSON
				texts = append(texts, string(data))
			}
		}
		return texts
	case b.Enrich != nil:
		return []string{b.Enrich.Text}
	case b.Entity != nil:
		return []string{b.Entity.Name}
	case b.Event != nil:
		return []string{b.Event.Text, b.Event.Why, b.Event.Session}
	case b.Fact != nil:
		return append([]string{b.Fact.Object, b.Fact.Context.Why, b.Fact.Context.Sentiment, b.Fact.Session}, b.Fact.Context.Alternatives...)
	case b.Relate != nil:
		return []string{b.Relate.Why}
	case b.Merge != nil:
		return []string{b.Merge.Why}
	case b.Split != nil:
		return []string{b.Split.Why}
	case b.Tree != nil:
		return b.Tree.Texts()
	case b.Retract != nil:
		return []string{b.Retract.Why}
	}
	return []string{b.Message}
}

func mentionsName(text, name string) bool {
	name = plain(name)
	for rest := plain(text); ; {
		i := indexFold(rest, name)
		if i < 0 {
			return false
		}
		found := rest[i : i+len(name)]
		first, _ := utf8.DecodeRuneInString(found)
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		after, _ := utf8.DecodeRuneInString(rest[i+len(name):])
		if !isWord(before) && !isWord(after) && (found == name || unicode.IsUpper(first) || strings.Contains(name, " ")) {
			return true
		}
		_, size := utf8.DecodeRuneInString(found)
		rest = rest[i+size:]
	}
}

// plain brings text to the form in which daybook.Fold compares names, with its
// case kept: composed characters, single spaces.
func plain(text string) string {
	return strings.Join(strings.Fields(norm.NFKC.String(text)), " ")
}

// isWord reports whether a name that stands next to r is only part of a word.
// Scripts without spaces put names beside other words.
func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// indexFold finds name in text without regard to case.
func indexFold(text, name string) int {
	for i := 0; i+len(name) <= len(text); i++ {
		if utf8.RuneStart(text[i]) && strings.EqualFold(text[i:i+len(name)], name) {
			return i
		}
	}
	return -1
}
