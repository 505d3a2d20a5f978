package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/extract"
	"daybook/index"
	"daybook/timex"
)

// measure sets the signals of every candidate but Important and Linked, which need
// what was learned. The notes are read when the index has told which are worth it.
func (p *pool) measure(v Vectors) error {
	p.measureLikeness(v)
	p.measureWords()
	p.narrow()
	if err := p.read(); err != nil {
		return err
	}
	p.assist = p.assistance()
	p.measureText()
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
	if slices.ContainsFunc(p.all, func(c *candidate) bool { return isAssistant(c.note.Speaker) }) {
		return 1
	}
	sum := 0
	for _, c := range p.all {
		sum += len(c.note.Text)
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
	content := p.Likeness(Content, p.query, ids)
	scale := scaleOf(content)
	p.set(Dense, content, scale)
	latent := p.Likeness(Latent, p.query, ids)
	for i := range latent {
		if latent[i] == 0 { // it stands for itself
			latent[i] = content[i]
		}
	}
	p.set(LatentLike, latent, scaleOf(latent))
	p.compare(Statement, v.Statement, ids)
	p.compare(Topic, v.Topic, ids)
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

func (s *ids) add(id index.ID) {
	if _, ok := s.at[id]; !ok {
		s.at[id], s.ids = len(s.ids), append(s.ids, id)
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
		near.add(c.id)
		c.spread(func(id index.ID, _ float64) { near.add(id) })
	}
	scores := p.Score(p.plan.Words, near.ids)
	most := 1e-9
	for _, c := range p.all {
		sum := scores[near.at[c.id]]
		c.spread(func(id index.ID, w float64) { sum += w * scores[near.at[id]] })
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
		c.values[WindowCover] = 0
	}
	for i, t := range terms {
		has := p.Score(index.Query{Terms: []index.QueryTerm{{Field: index.Content, Term: t}}}, near.ids)
		for _, c := range p.all {
			in := has[near.at[c.id]] > 0
			for _, id := range c.next() {
				in = in || has[near.at[id]] > 0
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

// bestPassage is the largest share of the words that a passage of the note has.
func bestPassage(n daybook.Note, assist float64, share map[string]float64) (most float64) {
	if assist == 0 {
		return 0
	}
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
func (p *pool) measureText() {
	who, last, rarity := p.whoIsMeant(), p.lastTime(), p.rarities()
	share := p.shareOf()
	asksWhen := p.plan.Asking.Wh == "when" || p.plan.Shape == Temporal
	for _, c := range p.all {
		t, v := readTraits(c.note.Text), &c.values
		same, other := who.matches(c.note.Speaker)
		at, _ := p.Position(c.id)
		v[DenseRank], v[WordsRank], v[WindowRank] = rankValue(c.ranks[byMeaning]), rankValue(c.ranks[byWords]), rankValue(c.ranks[byExchange])
		v[OtherSpeaker], v[FirstPerson], v[SecondPerson] = other, same*one(t.firstPerson), other*one(t.secondPerson)
		v[FirstPast], v[AsksBack], v[Image] = one(t.firstPast), one(t.asks), one(t.image)
		v[Answers] = one(p.plan.wantsNumber() && t.number || p.plan.wantsName() && t.name)
		v[SaidWhen] = one(asksWhen && t.time)
		v[InWindow], v[SpeaksOf] = p.inTime(c.note, t.time)
		v[Opening] = 1 / float64(1+at)
		v[Specific] = specific(c.note, rarity)
		v[Passage] = p.assist * bestPassage(c.note, p.assist, share)
		v[Length] = math.Log(1+float64(len(c.note.Text))) / 5
		v[Assistant] = one(isAssistant(c.note.Speaker))
		v[Recent] = recency(last.Sub(c.note.Time))
	}
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
func specific(n daybook.Note, rarity func(string) float64) (sum float64) {
	var all []float64
	for _, t := range slices.Compact(slices.Sorted(slices.Values(index.Terms(start(n.Text))))) {
		if !index.IsFunctionWord(t) {
			all = append(all, rarity(t))
		}
	}
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, r := range all[:min(len(all), rarestWords)] {
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
		m.speakers = m.speakers || m.named(c.note.Speaker)
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

// inTime says whether a note was said in the time that the question names, and
// whether it speaks of that time.
func (p *pool) inTime(n daybook.Note, saysTime bool) (said, speaks float64) {
	w := p.plan.Window
	if w == (daybook.Span{}) {
		return 0, 0
	}
	said = one(w.Holds(n.Time))
	if !saysTime {
		return said, 0
	}
	for _, e := range timex.Find(start(n.Text), n.Time) {
		if e.Resolved && !e.Span.From.IsZero() && w.Holds(e.Span.From) {
			return said, 1
		}
	}
	return said, 0
}

// lastTime is when the last of the candidates was said.
func (p *pool) lastTime() (last time.Time) {
	for _, c := range p.all {
		if c.note.Time.After(last) {
			last = c.note.Time
		}
	}
	return last
}

func recency(age time.Duration) float64 { return math.Exp(-recencyRate * age.Seconds()) }

// measureSessions looks, for each candidate, at the best other one of its session.
func (p *pool) measureSessions(first []*candidate) {
	best, next := map[string]*candidate{}, map[string]*candidate{}
	for _, c := range first {
		switch s := c.note.Session; {
		case best[s] == nil:
			best[s] = c
		case next[s] == nil:
			next[s] = c
		}
	}
	for _, c := range p.all {
		other := best[c.note.Session]
		if other == c {
			other = next[c.note.Session]
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
