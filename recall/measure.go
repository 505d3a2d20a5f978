package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/index"
	"daybook/timex"
)

// measure sets the signals of every candidate but Important, which needs what was
// learned. The cards are read when the index has told which are worth it, and notes
// only where their cards do not tell enough.
func (p *pool) measure(v Vectors) error {
	p.glimpseAll(v)
	p.measureLikeness(v)
	p.measureWords()
	p.narrow()
	if err := p.live(); err != nil {
		return err
	}
	for _, c := range p.all {
		if c.card == nil {
			c.card = readCard(p.Card(c.id))
			c.seen.at, _ = p.Position(c.id)
		}
	}
	if err := p.measureText(); err != nil {
		return err
	}
	first := p.firstSeen()
	p.measureSessions(first)
	p.measureFeedback(first[:min(len(first), feedbackRows)])
	p.measureRelated(first[:min(len(first), relatedRows)])
	return nil
}

// firstSeen are the candidates, the best by a first look in front.
func (p *pool) firstSeen() []*candidate {
	first := slices.Clone(p.all)
	slices.SortFunc(first, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.seed(), a.seed()), cmp.Compare(a.id, b.id))
	})
	return first
}

// seed is a first look at a candidate. It uses no fitted weights, so that fitting
// them does not change the signals that stand on it.
func (c *candidate) seed() float64 {
	v := &c.values
	return v[Dense] + v[LatentLike] + 2*v[Window] + v[WindowCover] - 2*v[OtherSpeaker]
}

// isAssistant reports whether a speaker is known by the role of a machine.
func isAssistant(speaker string) bool {
	switch strings.ToLower(speaker) {
	case "assistant", "ai", "bot", "chatbot", "model", "system", "chatgpt", "claude", "gemini", "copilot", "agent":
		return true
	}
	return false
}

// glimpse is what the index says of a candidate, before that is set against the
// pool. It stays the same while the pool changes.
type glimpse struct {
	known            bool
	content, latent  float64 // likeness to the question
	statement, topic float64 // and to its other forms
	exchange         float64 // score by words of the note and the turns around it
	window           float64 // share of the question's words in it and the turns next to it
	at               int     // which note of its session it is
}

// glimpseAll looks at the candidates that nobody looked at yet.
func (p *pool) glimpseAll(v Vectors) {
	var fresh []*candidate
	for _, c := range p.all {
		if !c.seen.known {
			c.seen.known = true
			fresh = append(fresh, c)
		}
	}
	if p.query != nil {
		p.compare(fresh, v)
	}
	p.matchWords(fresh, p.around(fresh))
}

// around numbers the candidates and the turns around them.
func (p *pool) around(fresh []*candidate) (near []index.ID) {
	for _, c := range fresh {
		near = append(append(near, c.id), c.turns...)
	}
	slices.Sort(near)
	near = slices.Compact(near)
	for _, c := range fresh {
		c.slot, _ = slices.BinarySearch(near, c.id)
		c.slots = make([]int, len(c.turns))
		for i, turn := range c.turns {
			c.slots[i], _ = slices.BinarySearch(near, turn)
		}
	}
	return near
}

// compare compares candidates with the question in its forms.
func (p *pool) compare(fresh []*candidate, v Vectors) {
	ids := make([]index.ID, len(fresh))
	for i, c := range fresh {
		ids[i] = c.id
	}
	content := p.Likenesses(Content, [][]float32{p.query, v.Statement, v.Topic}, ids)
	latent := p.Likeness(Latent, p.query, ids)
	for i, c := range fresh {
		g := &c.seen
		g.content, g.latent, g.statement, g.topic = content[0][i], latent[i], content[1][i], content[2][i]
		if g.latent == 0 { // it stands for itself
			g.latent = g.content
		}
	}
}

// measureLikeness sets the likeness of each candidate against the pool's.
func (p *pool) measureLikeness(v Vectors) {
	if p.query == nil {
		return
	}
	p.set(Dense, func(g *glimpse) float64 { return g.content })
	p.set(LatentLike, func(g *glimpse) float64 { return g.latent })
	if v.Statement != nil {
		p.set(Statement, func(g *glimpse) float64 { return g.statement })
	}
	if v.Topic != nil {
		p.set(Topic, func(g *glimpse) float64 { return g.topic })
	}
}

// likeness turns cosines into signals.
type likeness struct{ best, spread float64 }

// scaleOf takes the pool's best as 0 and its middle as -1.
func scaleOf(cosines []float64) likeness {
	if len(cosines) == 0 {
		return likeness{0, 1}
	}
	sorted := slices.Sorted(slices.Values(cosines))
	best := sorted[len(sorted)-1]
	return likeness{best, max(best-sorted[len(sorted)/2], leastSpread)}
}

func (l likeness) of(cosine float64) float64 { return max((cosine-l.best)/l.spread, -3) }

// set sets a signal to what is known of each candidate, on the pool's scale.
func (p *pool) set(s Signal, known func(*glimpse) float64) {
	cosines := make([]float64, len(p.all))
	for i, c := range p.all {
		cosines[i] = known(&c.seen)
	}
	scale := scaleOf(cosines)
	for i, c := range p.all {
		c.values[s] = scale.of(cosines[i])
	}
}

// matchWords finds what candidates and the turns around them have of the question's
// words.
func (p *pool) matchWords(fresh []*candidate, near []index.ID) {
	m := p.Match(p.plan.Words, near)
	share := p.shareOf()
	shares := make([]float64, len(m.Terms))
	for t := range m.Terms {
		shares[t] = share[m.Terms[t].Term]
	}
	for _, c := range fresh {
		g := &c.seen
		g.exchange = m.Scores[c.slot]
		c.spread(func(slot int, w float64) { g.exchange += w * m.Scores[slot] })
		from, to := c.beside()
		for t := range shares {
			in := m.Has(c.slot, t)
			for _, slot := range c.slots[from:to] {
				in = in || m.Has(slot, t)
			}
			g.window += shares[t] * one(in)
		}
	}
}

// measureWords sets the words of each candidate against the pool's.
func (p *pool) measureWords() {
	most := 1e-9
	for _, c := range p.all {
		most = max(most, c.seen.exchange)
	}
	for _, c := range p.all {
		c.values[Window], c.values[WindowCover] = c.seen.exchange/most, c.seen.window
	}
}

// shareOf is how much each word of the question is of the whole, by its rarity.
func (p *pool) shareOf() map[string]float64 {
	of, sum := map[string]float64{}, 0.0
	for _, t := range slices.Compact(slices.Sorted(slices.Values(p.plan.Terms))) {
		of[t] = p.Rarity(index.Content, t)
		sum += of[t]
	}
	for t := range of {
		of[t] /= max(sum, 1e-9)
	}
	return of
}

// measureText sets what the words of the notes themselves show.
func (p *pool) measureText() error {
	who, last, rarity := p.whoIsMeant(), p.lastTime(), p.rarities()
	asksWhen := p.plan.Asking.Wh == "when" || p.plan.Shape == Temporal
	for _, c := range p.all {
		t, v := c.card, &c.values
		same, other := who.matches(t.speaker)
		v[DenseRank], v[WindowRank], v[Expanded] = rankValue(c.ranks[byMeaning]), rankValue(c.ranks[byExchange]), rankValue(c.ranks[byExpansion])
		v[Parted], v[Routed] = rankValue(c.ranks[byPart]), rankValue(c.ranks[byRoute])
		v[OtherSpeaker], v[FirstPerson], v[SecondPerson] = other, same*one(t.firstPerson), other*one(t.secondPerson)
		v[FirstPast], v[AsksBack], v[Image] = one(t.firstPast), one(t.asks), one(t.image)
		v[Answers] = one(p.plan.wantsNumber() && t.number || p.plan.wantsName() && t.name)
		v[SaidWhen] = one(asksWhen && t.time)
		v[Opening] = 1 / float64(1+c.seen.at)
		v[Specific] = t.specificity(rarity)
		v[Length] = math.Log(1+float64(t.length)) / 5
		machine := isAssistant(t.speaker)
		v[Assistant], v[Told] = one(machine), one(machine && p.plan.OfListener)
		v[Replies] = v[Told] * p.before(c)
		v[Instructs], v[Prefers] = one(t.instructs && !machine), one(t.prefers && !machine && p.plan.Advice)
		v[Recent] = recency(last.Sub(p.Time(c.id)))
	}
	return p.measureTime()
}

// before is how near the question the turn right before a candidate is, by its rank.
func (p *pool) before(c *candidate) float64 {
	if c.before == 0 {
		return 0
	}
	if said := p.byID[c.turns[c.before-1]]; said != nil {
		return rankValue(said.ranks[byMeaning])
	}
	return 0
}

// rarities looks up how rare words are, from 0 to about 1, each once.
func (p *pool) rarities() func(term []byte) float64 {
	known, most := map[string]float64{}, math.Log(float64(p.Len())+2)
	return func(term []byte) float64 {
		r, ok := known[string(term)] // compiled without a copy
		if !ok {
			r = p.Rarity(index.Content, string(term)) / most
			known[string(term)] = r
		}
		return r
	}
}

// specificity is how rare the rarest words of a note are.
func (c *card) specificity(rarity func([]byte) float64) (sum float64) {
	if c.specific >= 0 {
		return c.specific
	}
	var rarest [rarestWords]float64 // the highest first
	for t := range c.terms() {
		r := rarity(t)
		for i := range rarest {
			if r > rarest[i] {
				r, rarest[i] = rarest[i], r
			}
		}
	}
	for _, r := range rarest {
		sum += r / rarestWords
	}
	c.specific = sum
	return sum
}

// meant is whose words a question asks for.
type meant struct {
	names    map[string]bool
	speakers bool // some speaker is named
	self     bool // the one who asks
}

// whoIsMeant looks for the question's names among the speakers.
func (p *pool) whoIsMeant() meant {
	m := meant{names: p.plan.Names}
	for _, c := range p.all {
		m.speakers = m.speakers || m.named(c.card.speaker)
	}
	m.self = p.plan.Self && !m.speakers
	return m
}

func (m meant) named(speaker string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(speaker)) {
		if m.names[w] {
			return true
		}
	}
	return false
}

// matches says whether a speaker is the one meant, or another than the one meant.
// Nobody may be.
func (m meant) matches(speaker string) (same, other float64) {
	switch {
	case m.speakers:
		same = one(m.named(speaker))
		return same, 1 - same
	case m.self:
		same = one(!isAssistant(speaker))
		return same, 1 - same
	}
	return 0, 0
}

// measureTime finds, where the question names a time, which notes were said then
// and which speak of it.
func (p *pool) measureTime() error {
	w := p.plan.Window
	for _, c := range p.all {
		c.values[InWindow], c.values[SpeaksOf] = 0, 0
		if w == (daybook.Span{}) {
			continue
		}
		c.values[InWindow] = one(w.Holds(p.Time(c.id)))
		if !c.card.time {
			continue
		}
		n, err := p.read(c)
		if err != nil {
			return err
		}
		c.values[SpeaksOf] = one(speaksOf(*n, w))
	}
	return nil
}

func speaksOf(n daybook.Note, w daybook.Span) bool {
	return slices.ContainsFunc(timex.Find(start(n.Text), n.Time), func(e timex.Expr) bool {
		return e.Resolved && !e.Span.From.IsZero() && w.Holds(e.Span.From)
	})
}

// lastTime is when the last of the candidates was said.
func (p *pool) lastTime() (last time.Time) {
	for _, c := range p.all {
		if at := p.Time(c.id); at.After(last) {
			last = at
		}
	}
	return last
}

func recency(age time.Duration) float64 { return math.Exp(-recencyRate * age.Seconds()) }

// measureSessions looks, for each candidate, at the best other one of its session.
func (p *pool) measureSessions(first []*candidate) {
	best, next := map[string]*candidate{}, map[string]*candidate{}
	for _, c := range first {
		switch s := p.Session(c.id); {
		case best[s] == nil:
			best[s] = c
		case next[s] == nil:
			next[s] = c
		}
	}
	for _, c := range p.all {
		session := p.Session(c.id)
		other := best[session]
		if other == c {
			other = next[session]
		}
		c.values[SessionBest] = -1
		if other != nil {
			c.values[SessionBest] = other.seed() / 4
		}
	}
}

// measureFeedback compares every candidate with the first ones: what belongs
// together is alike.
func (p *pool) measureFeedback(first []*candidate) {
	if p.query == nil {
		return
	}
	var vectors [][]float32
	var of []index.ID
	for _, f := range first {
		if v := p.Space(Content).Vectors(p.Place(f.id)); len(v) > 0 {
			vectors, of = append(vectors, v[0]), append(of, f.id)
		}
	}
	ids := make([]index.ID, len(p.all))
	for i, c := range p.all {
		ids[i] = c.id
	}
	most := make([]float64, len(ids))
	for j, like := range p.Likenesses(Content, vectors, ids) {
		for i, id := range ids {
			if id != of[j] {
				most[i] = max(most[i], like[i])
			}
		}
	}
	scale := scaleOf(most)
	for i, c := range p.all {
		c.values[Feedback] = scale.of(most[i])
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
