package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/model"
)

// What the people of the speed runs talk of. A text is frames whose gaps are filled:
// a few words are frequent, and the more is said the more words there are.
var (
	speedFrames = []string{
		"I went to {place} with {person} {time}.", "I started {hobby} {time}, and I love it.", "{person} moved to {place} {time}.",
		"I bought a {thing} from {person} for {num} euros.", "We had {food} at {org}, and {person} was late.", "I read a book about {hobby} by {person}.",
		"Next month I will visit {person} in {place}.", "My sister {person} got a {thing} for her birthday.", "I cooked {food} for {num} people {time}.",
		"I learned {hobby} for {num} months because {person} talked me into it.", "The {thing} broke {time}, so I called {person}.",
		"I met {person} at a {hobby} class {time}.", "I signed up for a {hobby} course at {org}.", "{person} and I painted the {thing} {time}.",
		"I am thinking of moving to {place}.", "I quit my job at {org} {time}.", "I might try {food} with {person}.", "I lost my {thing} in {place} {time}.",
	}
	speedStates = []string{
		"I work at {org} now.", "I live in {place} now.", "My favourite dish is {food} these days.", "My dog is called {person}.", "My boss is {person} now.",
		"My gym is {org} now.", "I take the bus to {org} every morning.", "I drive a {thing} that {person} sold me.", "My phone is a {thing} from {org}.",
	}
	speedFillers = []string{
		"That sounds wonderful, tell me more!", "Wow, how did that go?", "Thanks, I really needed to hear that.", "I hope it works out for you.",
		"What do you think of {hobby}?", "Did {person} like the {thing}?", "Have you been to {place} lately?", "I totally agree with you on that.",
		"It has been a long week, to be honest.", "You should try {food} some time.", "How is {person} doing?", "That reminds me of {place}.",
	}
	speedAsks = []string{
		"When did {who} go to {place} with {person}?", "What did {who} say about {hobby}?", "Where does {who} live now?", "Who moved to {place}?",
		"What did {who} buy from {person}?", "Why did {who} start {hobby}?", "What is {who}'s favourite dish, {food} or {food}?", "Which course did {who} take at {org}?",
		"How many people did {who} cook {food} for?", "Where did {who} work before {org}?", "What happened to the {thing} that {person} sold?",
		"Did {who} ever meet {person} at a {hobby} class?", "What does {who} think of {place}?", "Who is {who}'s boss at {org}?",
	}
	speedGaps = map[string][]string{
		"hobby": strings.Fields("pottery climbing chess sailing knitting painting yoga karate fencing gardening archery photography surfing dancing cycling rowing calligraphy beekeeping woodworking astronomy"),
		"food":  strings.Fields("lasagna ramen paella goulash curry risotto tacos pancakes falafel sushi borscht gnocchi chili dumplings salad quiche stew waffles"),
		"thing": strings.Fields("bicycle guitar kettle sofa laptop camera lamp tent piano drone jacket watch blender mirror desk canoe carpet radio scooter telescope"),
		"time":  {"yesterday", "last week", "last Friday", "two months ago", "on 3 May", "last summer", "this morning", "in 2021", "the day before yesterday", "last year"},
	}
	speedNames = strings.Fields("Marta Jonas Priya Omar Lucia Felix Hana Diego Nora Viktor Aisha Pavel Greta Mateo Ingrid Samuel Yuki Elena Tomas Ruth")
)

// chatter makes texts by chance.
type chatter struct{ *rand.Rand }

func newTalk(seed uint64) chatter { return chatter{rand.New(rand.NewPCG(seed, 7))} }

// rare is the nth of endlessly many made-up words.
func rare(n uint64) string {
	const on, in = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n += 200; n > 0; n /= 70 {
		b.WriteByte(on[n%70/5])
		b.WriteByte(in[n%5])
	}
	return strings.ToUpper(b.String()[:1]) + b.String()[1:]
}

// fill is a word for a gap. Names, places and firms come from a tail of words
// without end, the first of which are frequent.
func (t chatter) fill(gap string) string {
	tail := func() string { return rare(uint64(math.Exp(t.Float64()*13)) - 1) }
	switch gap {
	case "num":
		return strconv.Itoa(2 + t.IntN(60))
	case "place":
		return tail() + "ville"
	case "org":
		return tail() + "works"
	case "person":
		if t.IntN(2) == 0 {
			return tail()
		}
		return speedNames[t.IntN(len(speedNames))]
	}
	return speedGaps[gap][t.IntN(len(speedGaps[gap]))]
}

func (t chatter) say(frame string) string {
	var b strings.Builder
	for {
		from := strings.IndexByte(frame, '{')
		if from < 0 {
			return b.String() + frame
		}
		to := from + strings.IndexByte(frame[from:], '}')
		b.WriteString(frame[:from])
		b.WriteString(t.fill(frame[from+1 : to]))
		frame = frame[to+1:]
	}
}

// turn is what somebody says: one time in three something that happened, and one time
// in a hundred a state of theirs. So a note gives about as much to learn as one of
// real talk among friends does, and more links.
func (t chatter) turn() string {
	text := t.say(speedFillers[t.IntN(len(speedFillers))])
	if t.IntN(3) == 0 {
		text += " " + t.say(speedFrames[t.IntN(len(speedFrames))])
	}
	if t.IntN(100) == 0 {
		text += " " + t.say(speedStates[t.IntN(len(speedStates))])
	}
	return text
}

// ask is a question to the memory.
func (t chatter) ask() string {
	frame := speedAsks[t.IntN(len(speedAsks))]
	return t.say(strings.ReplaceAll(frame, "{who}", []string{"Ana", "Ana", speedNames[t.IntN(8)]}[t.IntN(3)]))
}

// speedNotes are n notes from number i on: Ana talks to one of eight others, twenty
// turns a session, four sessions a day.
func speedNotes(i, n int) (notes []daybook.Note) {
	for k := i; k < i+n; k++ {
		who := "Ana"
		if k%2 == 1 {
			who = speedNames[k/20%8]
		}
		at := begin.Add(time.Duration(k/20)*6*time.Hour + time.Duration(k%20)*time.Minute)
		notes = append(notes, daybook.Note{
			SourceID: strconv.Itoa(k), Session: fmt.Sprint("talk ", k/20), Speaker: who, Text: newTalk(uint64(k)).turn(), Time: at,
		})
	}
	return notes
}

// mixer is an encoder that is fast enough for a million notes: the vector of a text
// is the mean of the real ones of its frames, moved by its words. For few texts, such
// as a question or a note, the real encoder runs as well, so that they cost what they
// cost.
type mixer struct {
	*model.LocalEncoder
	once   sync.Once
	frames map[string][]float32
	failed error
}

// fewTexts at a time are paid for in full.
const fewTexts = 8

func (m *mixer) Encode(ctx context.Context, as model.As, texts []string) (model.Vectors, error) {
	if len(texts) <= fewTexts {
		if _, err := m.LocalEncoder.Encode(ctx, as, texts); err != nil {
			return model.Vectors{}, err
		}
	}
	return m.mixed(ctx, texts)
}

func (m *mixer) mixed(ctx context.Context, texts []string) (model.Vectors, error) {
	m.once.Do(func() { m.failed = m.read(ctx) })
	if m.failed != nil {
		return model.Vectors{}, m.failed
	}
	v := model.Vectors{Encoder: m.ID(), Dim: m.Dim(), Data: make([]float32, m.Dim()*len(texts))}
	for i, t := range texts {
		m.mix(v.Row(i), t)
	}
	return v, nil
}

// EncodeEach implements model.EachEncoder.
func (m *mixer) EncodeEach(ctx context.Context, texts []model.Text) (model.Vectors, error) {
	if _, err := m.LocalEncoder.EncodeEach(ctx, texts); err != nil {
		return model.Vectors{}, err
	}
	plain := make([]string, len(texts))
	for i, t := range texts {
		plain[i] = t.Text
	}
	return m.mixed(ctx, plain)
}

// read encodes the frames, filled once.
func (m *mixer) read(ctx context.Context) error {
	m.frames = map[string][]float32{}
	for _, list := range [][]string{speedFrames, speedStates, speedFillers, speedAsks} {
		for i, f := range list {
			v, err := m.LocalEncoder.Encode(ctx, model.AsPassage, []string{newTalk(uint64(i)).say(strings.ReplaceAll(f, "{who}", "Ana"))})
			if err != nil {
				return err
			}
			m.frames[frameKey(f)] = v.Row(0)
		}
	}
	return nil
}

// frameKey is what a frame and the texts made of it have in common: its first and
// last words that are no gap.
func frameKey(text string) string {
	var kept []string
	for _, w := range strings.Fields(text) {
		if w = strings.Trim(w, ".,!?"); strings.ToLower(w) == w && !strings.ContainsAny(w, "{0123456789") && !isGap(w) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

var gapWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, list := range speedGaps {
		for _, text := range list {
			for w := range strings.FieldsSeq(text) {
				words[w] = true
			}
		}
	}
	return words
})

func isGap(word string) bool { return gapWords()[word] }

// mix writes the vector of a text.
func (m *mixer) mix(row []float32, text string) {
	for s := range strings.SplitAfterSeq(text, ". ") {
		for j, x := range m.frames[frameKey(s)] {
			row[j] += x
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,!?:'\n", r) })
	for _, w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.ToLower(w)))
		x := h.Sum64()
		for j := range row { // a cheap generator: xorshift
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			row[j] += (float32(x>>40)/(1<<24) - .5) * .1 / float32(math.Sqrt(float64(len(words))))
		}
	}
	sum := 0.0
	for _, x := range row {
		sum += float64(x) * float64(x)
	}
	for j := range row {
		row[j] /= float32(math.Sqrt(max(sum, 1e-9)))
	}
}
