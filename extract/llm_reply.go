package extract

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"daybook"
)

// reply is what the model says of a part; prompts/learn-1.txt tells it how.
type reply struct {
	Notes    []replyNote   `json:"notes"`
	Entities []replyEntity `json:"entities"`
	Events   []replyEvent  `json:"events"`
	Facts    []replyFact   `json:"facts"`
	Links    []replyLink   `json:"links"`
	Updates  []replyUpdate `json:"updates"`
}

type replyNote struct {
	Note int    `json:"note"`
	Text string `json:"text"`
}

type replyEntity struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Aliases []string `json:"aliases"`
}

type replyEvent struct {
	ID       string       `json:"id"`
	Kind     string       `json:"kind"`
	Text     string       `json:"text"`
	With     []string     `json:"with"`
	When     string       `json:"when"`
	Modality string       `json:"modality"`
	Polarity string       `json:"polarity"`
	Why      string       `json:"why"`
	Quotes   []replyQuote `json:"quotes"`
}

// replyQuote is words From to To of a note, both counted from 1 and included.
type replyQuote struct {
	Note int    `json:"note"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

type replyFact struct {
	ID           string   `json:"id"`
	Event        string   `json:"event"`
	Subject      string   `json:"subject"`
	Relation     string   `json:"relation"`
	Object       string   `json:"object"`
	Holds        string   `json:"holds"`
	From         string   `json:"from"`
	Until        string   `json:"until"`
	Sentiment    string   `json:"sentiment"`
	Intensity    float64  `json:"intensity"`
	Alternatives []string `json:"alternatives"`
	Confidence   float64  `json:"confidence"`
	Importance   float64  `json:"importance"`
}

type replyLink struct {
	Kind       string  `json:"kind"`
	From       string  `json:"from"`
	To         string  `json:"to"`
	Confidence float64 `json:"confidence"`
	Why        string  `json:"why"`
}

type replyUpdate struct {
	Kind       string  `json:"kind"`
	Fact       string  `json:"fact"`
	Known      string  `json:"known"`
	Confidence float64 `json:"confidence"`
	Why        string  `json:"why"`
}

// Bounds of what is taken from a reply.
const (
	maxEventText   = 600 // bytes
	maxReason      = 300
	maxObject      = 200
	maxNameWords   = 6
	eventsPerNote  = 6 // to read, on average
	factsPerEvent  = 3
	maxConfidence  = 0.95 // a model is never surer
	linkConfidence = 0.5  // less is not kept
	sureUpdate     = 0.8  // less closes nothing
)

// check holds a reply against the notes of its part and returns what they bear
// out, and how many items that is.
func (r reply) check(p part, by string) (out Learned, kept int) {
	c := checker{
		part: p, by: by, ground: newGround(p), out: &out,
		names: map[string]daybook.Entity{}, events: map[string]daybook.Event{}, facts: map[string]Fact{},
	}
	for _, n := range r.Notes {
		c.count(c.note(n))
	}
	for _, e := range r.Entities {
		c.count(c.entity(e))
	}
	for _, e := range r.Events {
		c.count(c.event(e))
	}
	for _, f := range r.Facts {
		c.count(c.fact(f))
	}
	for _, l := range r.Links {
		c.count(c.link(l))
	}
	for _, u := range r.Updates {
		c.count(c.update(u))
	}
	return out, c.kept
}

// checker checks one item after the other; later ones may refer to earlier ones.
type checker struct {
	part
	by     string
	ground ground
	out    *Learned
	kept   int
	names  map[string]daybook.Entity // by folded name
	events map[string]daybook.Event  // by the model's ids
	facts  map[string]Fact
	drops  map[string]int // why items were dropped; for tests and reports
}

// count books an item: kept when nothing speaks against it.
func (c *checker) count(against string) {
	if against == "" {
		c.kept++
		return
	}
	c.out.Dropped++
	if c.drops == nil {
		c.drops = map[string]int{}
	}
	c.drops[against]++
}

// note takes the enriched text of a note: whole, about as long as the note, and
// in words that the notes around it use.
func (c *checker) note(n replyNote) (against string) {
	if n.Note < 1 || n.Note > len(c.notes) || !c.read[n.Note-1] {
		return "enriched: no such note to read"
	}
	of := c.notes[n.Note-1]
	text, ok := c.ground.expand(n.Text)
	switch {
	case !ok || daybook.Fold(text) == "":
		return "enriched: no text"
	case len(text) > 4*len(of.Text)+2*contextBytes:
		return "enriched: far longer than the note"
	case c.ground.share(text) < 0.6:
		return "enriched: words that the notes do not use"
	case slices.ContainsFunc(c.out.Enrichments, func(e daybook.Enrichment) bool { return e.Note == of.ID }):
		return "enriched: twice"
	}
	e := daybook.Enrichment{Note: of.ID, Text: text, From: c.ground.lenders(text, []daybook.NoteID{of.ID}), By: c.by}
	if e.Validate() != nil {
		return "enriched: cannot be kept"
	}
	if text != of.Text && text != of.Passage() {
		c.out.Enrichments = append(c.out.Enrichments, e)
	}
	return ""
}

var entityKinds = map[string]bool{"person": true, "place": true, "organisation": true, "thing": true}

func (c *checker) entity(e replyEntity) (against string) {
	name, ok := c.ground.expand(e.Name)
	if !ok || !c.known(name) {
		return "entity: a name that the notes do not use"
	}
	if !entityKinds[e.Kind] {
		return "entity: unknown kind"
	}
	of := c.declare(name, e.Kind)
	for _, alias := range e.Aliases {
		if alias, ok := c.ground.expand(alias); ok {
			c.alias(of, alias)
		}
	}
	return ""
}

// alias lets another name stand for an entity where the notes use it and it is
// nobody else's: no speaker and nobody of whom something is known.
func (c *checker) alias(of daybook.Entity, alias string) {
	id := daybook.EntityNamed(alias)
	taken := id == of.ID || !nameable(alias) || pronouns[daybook.Fold(alias)] || c.ground.speaks(alias) || !c.ground.uses(alias) || !startsUpper(alias)
	for _, k := range c.states {
		taken = taken || k.Subject.ID == id
	}
	for _, e := range c.out.Entities {
		taken = taken || e.ID == id
	}
	for _, m := range c.out.Merges {
		taken = taken || m.From == id || m.Into == id
	}
	if taken {
		return
	}
	c.names[daybook.Fold(alias)] = of
	c.out.Entities = append(c.out.Entities, daybook.Entity{ID: id, Name: alias, Kind: of.Kind})
	c.out.Merges = append(c.out.Merges, daybook.Merge{From: id, Into: of.ID, Why: "by " + c.by})
}

// known reports whether a name is one that the notes use: a speaker's, a known
// subject's, words of the notes, or "Anna's sister" where Anna and the sister are.
func (c *checker) known(name string) bool {
	folded := daybook.Fold(name)
	if folded == "" || pronouns[folded] || !nameable(name) {
		return false
	}
	if c.ground.speaks(name) || c.ground.uses(name) {
		return true
	}
	for _, k := range c.states {
		if daybook.Fold(k.Subject.Name) == folded {
			return true
		}
	}
	owner, thing, ok := cutOwner(name)
	return ok && c.known(owner) && c.ground.uses(thing)
}

// nameable reports whether a name is short enough for one and can be stored.
func nameable(name string) bool {
	return len(name) <= maxObject && len(strings.Fields(name)) <= maxNameWords && daybook.CheckName("name", name) == nil
}

// declare returns the entity of a name, and adds it where it is new.
func (c *checker) declare(name, kind string) daybook.Entity {
	folded := daybook.Fold(name)
	if e, ok := c.names[folded]; ok {
		return e
	}
	e := daybook.Entity{ID: daybook.EntityNamed(name), Name: oneLine(name), Kind: kind}
	for _, k := range c.states {
		if daybook.Fold(k.Subject.Name) == folded {
			e = k.Subject
		}
	}
	if e.Kind == "" && c.ground.speaks(name) {
		e.Kind = "person"
	}
	c.names[folded] = e
	c.out.Entities = append(c.out.Entities, e)
	return e
}

var modalities = map[string]daybook.Modality{
	"asserted": daybook.Asserted, "planned": daybook.Planned, "wished": daybook.Wished,
	"hypothetical": daybook.Hypothetical, "reported": daybook.Reported, "negated": daybook.Negated, "one-off": daybook.OneOff,
}

func (c *checker) event(e replyEvent) (against string) {
	modality, ok := modalities[e.Modality]
	if !ok || e.Polarity != "positive" && e.Polarity != "negative" {
		return "event: unknown modality"
	}
	if e.Polarity == "negative" {
		modality = daybook.Negated
	}
	if _, twice := c.events[e.ID]; twice || e.ID == "" || len(c.out.Events) >= eventsPerNote*c.toRead() {
		return "event: too many, or an id twice"
	}
	quotes, ok := c.quotes(e.Quotes)
	if !ok {
		return "event: a quote that is not there"
	}
	text, ok1 := c.ground.expand(e.Text)
	why, ok2 := c.ground.expand(e.Why)
	if !ok1 || !ok2 || daybook.Fold(text) == "" || len(text) > maxEventText || len(why) > maxReason || c.ground.share(text) < 0.5 {
		return "event: a text that the notes do not bear out"
	}
	ev := daybook.Event{
		Kind: daybook.EventKind(e.Kind), Text: text, Modality: modality, Why: why, Quotes: quotes,
		Session: c.noteOf(quotes[0]).Session, By: c.by,
	}
	if ev.Time, ok = c.when(e.When, quotes, e.Modality == "planned"); !ok {
		return "event: a time that the note does not say"
	}
	if against := c.participants(&ev, e.With); against != "" {
		return against
	}
	ev.Sources = quoted(ev)
	ev.Sources = append(ev.Sources, c.ground.lenders(text+" "+why, ev.Sources)...) // erased with them
	if ev.Modality == daybook.Asserted && c.hearsay(ev) {
		ev.Modality = daybook.Reported
	}
	ev = ev.Named()
	if ev.Validate() != nil {
		return "event: unknown kind"
	}
	if slices.ContainsFunc(c.out.Events, func(o daybook.Event) bool { return o.ID == ev.ID }) {
		return "event: twice"
	}
	c.events[e.ID] = ev
	c.out.Events = append(c.out.Events, ev)
	return ""
}

// quoted are the notes that an event quotes, each once.
func quoted(ev daybook.Event) (ids []daybook.NoteID) {
	for _, q := range ev.Quotes {
		if !slices.Contains(ids, q.Note) {
			ids = append(ids, q.Note)
		}
	}
	return ids
}

func (c *checker) participants(ev *daybook.Event, with []string) (against string) {
	names := make([]string, len(with))
	for i, name := range with {
		var ok bool
		if names[i], ok = c.ground.expand(name); !ok || !c.known(names[i]) {
			return "event: a participant that the notes do not name"
		}
	}
	for _, name := range names {
		ev.Participants = append(ev.Participants, c.declare(name, "").ID)
	}
	if len(ev.Participants) == 0 {
		return "event: nobody takes part"
	}
	return ""
}

func (c *checker) toRead() (n int) {
	for _, r := range c.read {
		if r {
			n++
		}
	}
	return n
}

// quotes turns quotes of words into quotes of bytes. All must be there, and one in
// a note to read.
func (c *checker) quotes(said []replyQuote) (quotes []daybook.Quote, ok bool) {
	fresh := false
	for _, q := range said {
		if q.Note < 1 || q.Note > len(c.notes) {
			return nil, false
		}
		n := c.notes[q.Note-1]
		start, end, found := locate(n.Text, q)
		quote := daybook.Quote{Note: n.ID, Start: start, End: end}
		if _, whole := quote.In(n.Text); !found || !whole {
			return nil, false
		}
		quotes = append(quotes, quote)
		fresh = fresh || c.read[q.Note-1]
	}
	return quotes, fresh
}

func (c *checker) noteOf(q daybook.Quote) daybook.Note {
	return c.notes[slices.IndexFunc(c.notes, func(n daybook.Note) bool { return n.ID == q.Note })]
}

// fact takes a fact that one of the events asserts.
func (c *checker) fact(f replyFact) (against string) {
	ev, ok := c.events[f.Event]
	if !ok {
		return "fact: its event is unknown or was dropped"
	}
	if _, twice := c.facts[f.ID]; twice || f.ID == "" || len(c.out.Facts) >= factsPerEvent*len(c.out.Events) {
		return "fact: too many, or an id twice"
	}
	name, ok := c.ground.expand(f.Subject)
	subject, declared := c.names[daybook.Fold(name)]
	if !ok || !declared || !slices.Contains(ev.Participants, subject.ID) {
		return "fact: its subject takes no part in the event"
	}
	object, ok := c.ground.expand(f.Object)
	if !ok || len(object) > maxObject || !c.ground.bears(object) {
		return "fact: an object that the notes do not bear out"
	}
	holds, ok := map[string]daybook.Cardinality{"one": daybook.OneValue, "many": daybook.Many, "unsaid": daybook.Unsaid}[f.Holds]
	sentiment, ok2 := sentiments[f.Sentiment]
	if !ok || !ok2 {
		return "fact: unknown kind"
	}
	if sentiment != "" && f.Intensity >= 0.7 {
		sentiment = "strong " + sentiment
	}
	fact := daybook.Fact{
		Subject: subject.ID, Object: object, Modality: c.meant(ev, subject, object),
		Context:    daybook.Context{Why: ev.Why, Sentiment: sentiment, Alternatives: c.alternatives(f.Alternatives)},
		Confidence: bound(f.Confidence, 0.05, maxConfidence), Importance: bound(f.Importance, 0.05, 1),
		Event: ev.ID, Sources: quoted(ev), Session: ev.Session,
	}
	fact.Relation, fact.Holds = relationOf(f.Relation, holds, fact.Modality)
	if fact.Valid, ok = c.valid(f, ev); !ok {
		return "fact: a time that the note does not say"
	}
	if fact.Validate() != nil {
		return "fact: cannot be kept"
	}
	return c.keep(f.ID, fact.Named())
}

func (c *checker) keep(id string, f daybook.Fact) (against string) {
	for _, o := range c.out.Facts {
		if o.Subject == f.Subject && o.Relation == f.Relation && daybook.Fold(o.Object) == daybook.Fold(f.Object) && o.Modality == f.Modality {
			return "fact: twice"
		}
	}
	full := Fact{Fact: f}
	c.facts[id] = full
	c.out.Facts = append(c.out.Facts, full)
	return ""
}

var sentiments = map[string]string{"positive": "positive", "negative": "negative", "neutral": "", "": ""}

func bound(x, low, high float64) float64 { return min(high, max(low, x)) }

// alternatives keeps those that the notes bear out; they are asides of a fact and
// not items of their own.
func (c *checker) alternatives(said []string) (all []string) {
	for _, s := range said {
		if text, ok := c.ground.expand(s); ok && len(text) <= maxObject && c.ground.bears(text) {
			all = append(all, text)
		}
	}
	return all
}

// hearsay reports whether an event is about people who speak here, and none of
// them is quoted. Whoever it is about can say it.
func (c *checker) hearsay(ev daybook.Event) bool {
	about := false
	for speaker := range c.ground.speakers {
		id := c.speaker(speaker)
		if !slices.Contains(ev.Participants, id) {
			continue
		}
		about = true
		for _, q := range ev.Quotes {
			if c.speaker(c.noteOf(q).Speaker) == id {
				return false
			}
		}
	}
	return about
}

// speaker is the entity that a speaker is.
func (c *checker) speaker(name string) daybook.EntityID {
	if e, ok := c.names[daybook.Fold(name)]; ok {
		return e.ID
	}
	return daybook.EntityNamed(name)
}

// meant is how a fact is meant. Of somebody who speaks here it is asserted where
// they say the value themselves, or have the last word on it ("Yes").
func (c *checker) meant(ev daybook.Event, subject daybook.Entity, object string) daybook.Modality {
	if ev.Modality != daybook.Asserted || !c.ground.speaks(subject.Name) {
		return ev.Modality
	}
	last := c.noteOf(ev.Quotes[0])
	for _, q := range ev.Quotes {
		n := c.noteOf(q)
		if c.speaker(n.Speaker) == subject.ID && newGround(part{notes: []daybook.Note{n}}).bears(object) {
			return daybook.Asserted
		}
		if n.Time.After(last.Time) {
			last = n
		}
	}
	if c.speaker(last.Speaker) == subject.ID {
		return daybook.Asserted
	}
	return daybook.Reported
}

// relationOf is the name of a relation in the ledger and how many values it holds.
// What the vocabulary says of that counts more than what the model does.
func relationOf(said string, holds daybook.Cardinality, meant daybook.Modality) (string, daybook.Cardinality) {
	name := daybook.FoldRelation(said)
	for _, r := range vocabulary {
		if r.name == name {
			holds = r.holds
		}
	}
	if r, ok := canonicalOf[strings.ReplaceAll(name, "_", " ")]; ok {
		name, holds = r.name, r.holds
	}
	if meant != daybook.Asserted {
		holds = daybook.Unsaid
	}
	return name, holds
}

func (c *checker) link(l replyLink) (against string) {
	kind := daybook.LinkKind(l.Kind)
	if kind != daybook.Causes && kind != daybook.Enables && kind != daybook.Prevents {
		return "link: unknown kind"
	}
	from, ok1 := c.events[l.From]
	to, ok2 := c.events[l.To]
	why, ok3 := c.ground.expand(l.Why)
	switch {
	case !ok1 || !ok2 || from.ID == to.ID:
		return "link: its events are unknown or were dropped"
	case !ok3 || len(why) > maxReason || !(l.Confidence >= linkConfidence):
		return "link: not sure enough"
	case told(from.Time) && told(to.Time) && from.Time.From.After(to.Time.From):
		return "link: against the order of time"
	}
	c.relate(daybook.Link{Kind: kind, From: string(from.ID), To: string(to.ID), Confidence: bound(l.Confidence, 0, maxConfidence), Why: why, By: c.by})
	return ""
}

// told reports whether words say the time.
func told(s daybook.Span) bool { return s.Known == daybook.Resolved || s.Known == daybook.Stated }

func (c *checker) relate(l daybook.Link) {
	l = l.Named()
	if l.Validate() == nil && !slices.ContainsFunc(c.out.Links, func(o daybook.Link) bool { return o.ID == l.ID }) {
		c.out.Links = append(c.out.Links, l)
	}
}

// update takes a judgement of how a new fact bears on a known one. What the guard
// does not let close the known one is kept as a likely update, which closes
// nothing.
func (c *checker) update(u replyUpdate) (against string) {
	f, ok1 := c.facts[u.Fact]
	k, ok2 := c.state(u.Known)
	why, ok3 := c.ground.expand(u.Why)
	kind := daybook.LinkKind(u.Kind)
	switch {
	case !kind.Evolution():
		return "update: unknown kind"
	case !ok1 || !ok2:
		return "update: its fact is unknown or was dropped"
	case f.Subject != k.Fact.Subject && f.Subject != k.Subject.ID:
		return "update: different subjects"
	case f.Relation == k.Fact.Relation && daybook.Fold(f.Object) == daybook.Fold(k.Fact.Object), f.ID == k.Fact.ID:
		return "update: the same value"
	case !ok3 || len(why) > maxReason || !(u.Confidence >= linkConfidence):
		return "update: not sure enough"
	}
	if kind == daybook.Updates && (u.Confidence < sureUpdate || !closes(f.Fact, k.Fact)) || kind == daybook.Contradicts && f.Modality != daybook.Asserted {
		kind = daybook.MayUpdate
	}
	c.relate(daybook.Link{Kind: kind, From: string(f.ID), To: string(k.Fact.ID), Confidence: bound(u.Confidence, 0, maxConfidence), Why: why, By: c.by})
	return ""
}

// state finds a known value by the number that the model was told.
func (c *checker) state(ref string) (Known, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(ref, "k"))
	if err != nil || n < 1 || n > len(c.states) {
		return Known{}, false
	}
	return c.states[n-1], true
}

// closes is the guard of superseding: both are asserted, the newer begins later,
// and nothing says that the older one's relation holds many values at a time.
func closes(newer, older daybook.Fact) bool {
	_, holds := relationOf(older.Relation, older.Holds, older.Modality)
	return newer.Modality == daybook.Asserted && older.Modality == daybook.Asserted &&
		newer.Valid.From.After(older.Valid.From) && holds != daybook.Many
}

// when resolves the words that say when an event was, by the note that says them.
// Words that stand there and cannot be resolved leave the time at which it was
// said.
func (c *checker) when(words string, quotes []daybook.Quote, ahead bool) (daybook.Span, bool) {
	spoken := daybook.Span{From: c.noteOf(quotes[0]).Time, Known: daybook.Spoken}
	words, ok := c.ground.expand(words)
	if !ok || words == "" {
		return spoken, ok
	}
	said := false
	for _, q := range quotes {
		n := c.noteOf(q)
		start, end, ok := find(n.Text, words)
		if !ok {
			continue
		}
		said = true
		if span, ok := resolve(n, start, end, ahead); ok {
			return span, true
		}
	}
	return spoken, said
}

// valid is the time in which a fact holds: by its own words, by those of an event
// that happened, else from when it was said.
func (c *checker) valid(f replyFact, ev daybook.Event) (daybook.Span, bool) {
	from, ok1 := c.when(f.From, ev.Quotes, ev.Modality == daybook.Planned)
	until, ok2 := c.when(f.Until, ev.Quotes, ev.Modality == daybook.Planned)
	if !ok1 || !ok2 {
		return daybook.Span{}, false
	}
	span := daybook.Span{From: c.noteOf(ev.Quotes[0]).Time, Known: daybook.Spoken}
	switch {
	case told(from):
		span = daybook.Span{From: from.From, Granularity: from.Granularity, Known: from.Known}
		if span.From.IsZero() { // "until June" was given as the beginning
			return daybook.Span{}, false
		}
	case told(ev.Time) && (ev.Kind == daybook.Action || ev.Kind == daybook.Plan):
		span = ev.Time
	case told(ev.Time) && !ev.Time.From.IsZero() && ev.Time.From.Before(span.From):
		span = daybook.Span{From: ev.Time.From, Granularity: ev.Time.Granularity, Known: ev.Time.Known}
	}
	if told(until) {
		span.Until = endOf(until)
		if !told(from) && !span.From.Before(span.Until) { // it ended before it was told
			span = daybook.Span{Until: span.Until, Granularity: until.Granularity, Known: until.Known}
		}
	}
	return span, span.Validate() == nil
}

// endOf is when something ended that words say it lasted until: at the end of an
// open interval ("until June"), else when the named time begins.
func endOf(s daybook.Span) time.Time {
	if s.From.IsZero() {
		return s.Until
	}
	return s.From
}
