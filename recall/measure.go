package recall

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/index"
	"daybook/timex"
)

// measure sets the signals of every candidate but Important and Linked, which need
// what was learned. The cards are read when the index has told which are worth it, and
// notes only where their cards do not tell enough.
func (p *pool) measure(v Vectors) error {
	p.measureLikeness(v)
	p.measureWords()
	p.narrow()
	if err := p.live(); err != nil {
		return err
	}
	for _, c := range p.all {
		c.card = readCard(p.Card(c.id))
	}
	p.assist = p.assistance()
	if err := p.measureText(); err != nil {
		return err
	}
	first := slices.Clone(p.all)
	slices.SortFunc(first, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.seed(), a.seed()), cmp.Compare(a.id, b.id))
	})
	p.measureSessions(first)
	p.measureFeedback(first[:min(len(first), feedbackRows)])
	return nil
}

// seed is a first look at a candidate. It uses no fitted weights, so that fitting
// them does not change the signals that stand on it.
func (c *candidate) seed() float64 {
	v := &c.values
	return v[Dense] + v[LatentLike] + 2*v[Window] + v[WindowCover] - 2*v[OtherSpeaker]
}

// assistance is 1 where an assistant takes part, and grows with the length of what
// is said where none does.
func (p *pool) assistance() float64 {
	if slices.ContainsFunc(p.all, func(c *candidate) bool { return isAssistant(c.card.speaker) }) {
		return 1
	}
	sum := 0
	for _, c := range p.all {
		sum += c.card.length
	}
	mean := float64(sum) / float64(max(len(p.all), 1))
	return min(1, max(0, (mean-longNote)/(2*longNote)))
}

// isAssistant reports whether a speaker is known by the role of a machine.
func isAssistant(speaker string) bool {
	switch strings.ToLower(speaker) {
	case "assistant", "ai", "bot", "chatbot", "model", "system", "chatgpt", "claude", "gemini", "copilot", "agent":
		return true
	}
	return false
}

// measureLikeness compares the candidates, and the turns around them, with the
// question.
func (p *pool) measureLikeness(v Vectors) {
	if p.query == nil {
		return
	}
	ids := p.ids()
	var content, latent []float64
	var wait sync.WaitGroup
	wait.Go(func() { content = p.Likeness(Content, p.query, ids) })
	wait.Go(func() { latent = p.Likeness(Latent, p.query, ids) })
	wait.Go(func() { p.compare(Statement, v.Statement, ids) })
	wait.Go(func() { p.compare(Topic, v.Topic, ids) })
	wait.Wait()
	scale := scaleOf(content)
	p.set(Dense, content, scale)
	for i := range latent {
		if latent[i] == 0 { // it stands for itself
			latent[i] = content[i]
		}
	}
	p.set(LatentLike, latent, scaleOf(latent))
	p.measureAround(scale)
}

// compare sets a signal by likeness to another vector, if there is one.
func (p *pool) compare(s Signal, to []float32, ids []index.ID) {
	if to == nil {
		return
	}
	like := p.Likeness(Content, to, ids)
	p.set(s, like, scaleOf(like))
}

// measureAround looks at the turns next to each candidate.
func (p *pool) measureAround(scale likeness) {
	near := newIDs()
	for _, c := range p.all {
		for _, id := range c.next() {
			near.add(id)
		}
	}
	like := p.Likeness(Content, p.query, near.ids)
	for _, c := range p.all {
		c.values[Around] = -1
		for _, id := range c.next() {
			c.values[Around] = max(c.values[Around], scale.of(like[near.at[id]]))
		}
	}
}

// ids are notes without repetition, each with its number.
type ids struct {
	ids []index.ID
	at  map[index.ID]int
}

func newIDs() *ids { return &ids{at: map[index.ID]int{}} }

func (s *ids) add(id index.ID) int {
	at, ok := s.at[id]
	if !ok {
		at = len(s.ids)
		s.at[id], s.ids = at, append(s.ids, id)
	}
	return at
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

func (p *pool) set(s Signal, cosines []float64, scale likeness) {
	for i, c := range p.all {
		c.values[s] = scale.of(cosines[i])
	}
}

func (p *pool) ids() []index.ID {
	ids := make([]index.ID, len(p.all))
	for i, c := range p.all {
		ids[i] = c.id
	}
	return ids
}

// measureWords scores the candidates by the question's words, with the turns
// around them.
func (p *pool) measureWords() {
	near := newIDs()
	for _, c := range p.all {
		c.lookUp(near)
	}
	scores := p.Score(p.plan.Words, near.ids)
	most := 1e-9
	for _, c := range p.all {
		sum := scores[c.slot]
		c.spread(func(slot int, w float64) { sum += w * scores[slot] })
		c.values[Window] = sum
		most = max(most, sum)
	}
	for _, c := range p.all {
		c.values[Window] /= most
	}
	p.measureCover(near)
}

// measureCover finds which share of the question's words is in each exchange.
func (p *pool) measureCover(near *ids) {
	terms, shares := p.shares()
	for _, c := range p.all {
		c.values[WindowCover], c.values[Passage], c.cover, c.words = 0, 0, 0, 0
	}
	for i, t := range terms {
		has := p.Has(index.Content, t, near.ids)
		for _, c := range p.all {
			in := has[c.slot]
			if in {
				c.cover += shares[i]
				c.words++
			}
			from, to := c.beside()
			for _, slot := range c.slots[from:to] {
				in = in || has[slot]
			}
			c.values[WindowCover] += shares[i] * one(in)
		}
	}
}

// shares are the different words of the question, and how much each is of the
// whole by its rarity.
func (p *pool) shares() (terms []string, shares []float64) {
	terms = slices.Compact(slices.Sorted(slices.Values(p.plan.Terms)))
	sum := 0.0
	for _, t := range terms {
		shares = append(shares, p.Rarity(index.Content, t))
		sum += shares[len(shares)-1]
	}
	for i := range shares {
		shares[i] /= max(sum, 1e-9)
	}
	return terms, shares
}

// shareOf is shares by word.
func (p *pool) shareOf() map[string]float64 {
	terms, shares := p.shares()
	of := map[string]float64{}
	for i, t := range terms {
		of[t] = shares[i]
	}
	return of
}

// measurePassages finds the largest share of the question's words that stands in one
// passage of a note. Only a note of several passages that has several of the words
// must be read for that.
func (p *pool) measurePassages() error {
	if p.assist == 0 {
		return nil
	}
	share := p.shareOf()
	for _, c := range p.all {
		most := c.cover
		if c.card.length > extract.PassageBytes && c.words > 1 {
			n, err := p.read(c)
			if err != nil {
				return err
			}
			most = bestPassage(*n, share)
		}
		c.values[Passage] = p.assist * most
	}
	return nil
}

// bestPassage is the largest share of the words that a passage of the note has.
func bestPassage(n daybook.Note, share map[string]float64) (most float64) {
	for _, passage := range extract.Passages(n) {
		sum, seen := 0.0, map[string]bool{}
		for _, t := range index.Terms(passage) {
			if !seen[t] {
				seen[t] = true
				sum += share[t]
			}
		}
		most = max(most, sum)
	}
	return most
}

// measureText sets what the words of the notes themselves show.
func (p *pool) measureText() error {
	who, last, rarity := p.whoIsMeant(), p.lastTime(), p.rarities()
	asksWhen := p.plan.Asking.Wh == "when" || p.plan.Shape == Temporal
	for _, c := range p.all {
		t, v := &c.card, &c.values
		same, other := who.matches(t.speaker)
		at, _ := p.Position(c.id)
		v[DenseRank], v[WordsRank], v[WindowRank] = rankValue(c.ranks[byMeaning]), rankValue(c.ranks[byWords]), rankValue(c.ranks[byExchange])
		v[Expanded] = rankValue(c.ranks[byExpansion])
		v[OtherSpeaker], v[FirstPerson], v[SecondPerson] = other, same*one(t.firstPerson), other*one(t.secondPerson)
		v[FirstPast], v[AsksBack], v[Image] = one(t.firstPast), one(t.asks), one(t.image)
		v[Answers] = one(p.plan.wantsNumber() && t.number || p.plan.wantsName() && t.name)
		v[SaidWhen] = one(asksWhen && t.time)
		v[Opening] = 1 / float64(1+at)
		v[Specific] = specific(t.terms, rarity)
		v[Length] = math.Log(1+float64(t.length)) / 5
		v[Assistant] = one(isAssistant(t.speaker))
		v[Recent] = recency(last.Sub(p.Time(c.id)))
	}
	return errors.Join(p.measureTime(), p.measurePassages())
}

// rarities looks up how rare words are, from 0 to about 1, each once.
func (p *pool) rarities() func(term string) float64 {
	known, most := map[string]float64{}, math.Log(float64(p.Len())+2)
	return func(term string) float64 {
		r, ok := known[term]
		if !ok {
			r = p.Rarity(index.Content, term) / most
			known[term] = r
		}
		return r
	}
}

// specific is how rare the rarest words of a note are.
func specific(terms []string, rarity func(string) float64) (sum float64) {
	var rarest [rarestWords]float64 // the highest first
	for _, t := range terms {
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
	ids := p.ids()
	most := make([]float64, len(ids))
	for _, f := range first {
		vectors := p.Space(Content).Vectors(p.Place(f.id))
		if len(vectors) == 0 {
			continue
		}
		for i, like := range p.Likeness(Content, vectors[0], ids) {
			if ids[i] != f.id {
				most[i] = max(most[i], like)
			}
		}
	}
	p.set(Feedback, most, scaleOf(most))
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
