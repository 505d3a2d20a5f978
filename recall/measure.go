package recall

import (
	"math"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/index"
	"daybook/timex"
)

// longNote is the length in bytes from which a note stands for itself.
const longNote = 400

// measure sets the signals of every candidate but Feedback, which needs a first
// ranking, and Linked.
func (p *pool) measure(statement []float32) {
	p.assist = p.assistance()
	p.measureLikeness(statement)
	p.measureWords()
	who := p.whoIsMeant()
	asksWhen := p.plan.Asking.Wh == "when" || p.plan.Shape == Temporal
	last := p.lastTime()
	for _, c := range p.all {
		text := readText(c.note.Text)
		v := &c.values
		v[DenseRank], v[LatentRank] = rankValue(c.ranks[byMeaning]), rankValue(c.ranks[byContext])
		v[WordsRank], v[WindowRank] = rankValue(c.ranks[byWords]), rankValue(c.ranks[byExchange])
		v[Speaker], v[OtherSpeaker] = who.matches(c.note.Speaker)
		v[FirstPerson] = v[Speaker] * one(text.firstPerson)
		v[AsksBack] = one(text.asks)
		v[SaidWhen] = one(asksWhen && text.time)
		v[InWindow], v[SpeaksOf] = p.inTime(c.note, text.time)
		v[Length] = math.Log(1+float64(len(c.note.Text))) / 5
		v[Image] = one(text.image)
		v[Assistant] = one(isAssistant(c.note.Speaker))
		v[Recent] = recency(last.Sub(c.note.Time))
	}
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
func (p *pool) measureLikeness(statement []float32) {
	if p.query == nil {
		return
	}
	ids := p.ids()
	content := p.Likeness(Content, p.query, ids)
	latent := p.Likeness(Latent, p.query, ids)
	for i := range latent {
		if latent[i] == 0 { // it stands for itself
			latent[i] = content[i]
		}
	}
	scale := scaleOf(content)
	p.set(Dense, content, scale)
	p.set(LatentLike, latent, scaleOf(latent))
	if statement != nil {
		like := p.Likeness(Content, statement, ids)
		p.set(Statement, like, scaleOf(like))
	}
	p.measureAround(scale)
}

// measureAround looks at the turns next to each candidate.
func (p *pool) measureAround(scale likeness) {
	var near []index.ID
	at := map[index.ID]int{}
	for _, c := range p.all {
		for _, id := range p.Around(c.id, expandTurns, expandTurns) {
			if _, ok := at[id]; !ok {
				at[id], near = len(near), append(near, id)
			}
		}
	}
	like := p.Likeness(Content, p.query, near)
	for _, c := range p.all {
		c.values[Around] = -1
		for _, id := range p.Around(c.id, expandTurns, expandTurns) {
			c.values[Around] = max(c.values[Around], scale.of(like[at[id]]))
		}
		if c.before != nil && strings.Contains(c.before.Text, "?") {
			id := p.Around(c.id, 1, 0)[0]
			c.values[Before] = 1 + scale.of(like[at[id]])
		}
	}
}

// likeness turns cosines into signals.
type likeness struct{ best, spread float64 }

// leastSpread keeps a small pool, whose notes are all about as far from the
// question, from being pulled apart.
const leastSpread = 0.04

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

// measureWords scores the candidates by the question's words: alone, with the
// turns around them, and by how many of the words their best passage has.
func (p *pool) measureWords() {
	var ids []index.ID
	at := map[index.ID]int{}
	note := func(id index.ID) {
		if _, ok := at[id]; !ok {
			at[id], ids = len(ids), append(ids, id)
		}
	}
	for _, c := range p.all {
		note(c.id)
		p.spread(c.id, func(near index.ID, _ float64) { note(near) })
	}
	scores := p.Score(p.plan.Words, ids)
	bestOwn, bestSum := 1e-9, 1e-9
	for _, c := range p.all {
		own := scores[at[c.id]]
		sum := own
		p.spread(c.id, func(near index.ID, w float64) { sum += w * scores[at[near]] })
		c.values[Words], c.values[Window] = own, sum
		bestOwn, bestSum = max(bestOwn, own), max(bestSum, sum)
	}
	rarity := p.rarities()
	for _, c := range p.all {
		c.values[Words] /= bestOwn
		c.values[Window] /= bestSum
		c.values[Coverage] = coverage(c.note, rarity)
	}
}

// rarities are the shares of the question's words, by how rare they are.
func (p *pool) rarities() map[string]float64 {
	rarity, sum := map[string]float64{}, 0.0
	for _, t := range p.plan.Terms {
		if _, ok := rarity[t]; !ok {
			rarity[t] = p.Rarity(index.Content, t)
			sum += rarity[t]
		}
	}
	for t := range rarity {
		rarity[t] /= max(sum, 1e-9)
	}
	return rarity
}

// coverage is the share of the words in the note's best passage.
func coverage(n daybook.Note, rarity map[string]float64) (most float64) {
	for _, passage := range extract.Passages(n) {
		sum, seen := 0.0, map[string]bool{}
		for _, t := range index.Terms(passage) {
			if !seen[t] {
				seen[t] = true
				sum += rarity[t]
			}
		}
		most = max(most, sum)
	}
	return most
}

// meant is whose words a question asks for.
type meant struct {
	self     bool
	names    map[string]bool
	speakers bool // some speaker is named
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

// traits are what the bare words of a note show.
type traits struct{ firstPerson, asks, time, image bool }

// readText reads the traits off a text without parsing it.
func readText(text string) (t traits) {
	t.asks = strings.HasSuffix(strings.TrimRight(text, " \n)\"'*_"), "?")
	t.image = strings.Contains(text, "[image:")
	for _, tok := range english.Tokens(text[:min(len(text), 2*longNote)]) {
		switch tok.Norm {
		case "i", "my", "me", "we", "our", "mine", "us":
			t.firstPerson = true
		}
		t.time = t.time || timeWords[tok.Norm] || tok.Norm != "" && tok.Norm[0] >= '0' && tok.Norm[0] <= '9'
	}
	return t
}

// timeWords begin or make up most expressions of time.
var timeWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`yesterday today tomorrow tonight ago last next week weekend month year day night morning afternoon evening
		monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november
		december spring summer autumn fall winter since recently soon weeks months years days christmas easter birthday anniversary`) {
		set[w] = true
	}
	return set
}()

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
	for _, e := range timex.Find(n.Text[:min(len(n.Text), 2*longNote)], n.Time) {
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

// recencyRate is G-Long's λ, per second.
const recencyRate = 1e-7

func recency(age time.Duration) float64 { return math.Exp(-recencyRate * age.Seconds()) }

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
