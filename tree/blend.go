package tree

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"

	"daybook"
	"daybook/model"
)

// blend weighs by an encoder. Cosines of unlike texts may be 0.1 apart or 0.7, by
// the encoder, so a score says how a node stands out: from the other nodes that
// were asked about, and from texts about other things altogether.
//
// What is known of a text and a predicate is kept: the scorer has one encoder.
type blend struct {
	encoder model.Encoder
	name    string // Blend, or Embedding for vectors alone
	mu      sync.Mutex
	known   map[predicate]*knowledge
	size    int
	vectors map[string][]float32 // by role and text
}

type predicate struct{ attr, text string }

// knowledge is what one predicate is to the texts that it was held against.
type knowledge struct {
	byText map[uint64]likeness
	byNode map[*Node]likeness
	others []float64 // cosines with the backdrop
	// What was asked last, and the answer: queries are run again and again.
	lastNodes  []*Node
	lastScores []float64
}

// likeness is how near a text is to a predicate: the cosine of the whole, that
// of its nearest part, and the share of words.
type likeness struct{ whole, part, words float32 }

// Bounds on what is kept; beyond them everything is dropped and made again.
const (
	maxKnown   = 2_000_000
	maxVectors = 20_000
	// partsOf so many texts are looked at; of more, only those that are the
	// likeliest as a whole.
	partsOf = 500
	perCall = 64 // texts in one call of the encoder
)

var textSeed = maphash.MakeSeed()

func (b *blend) Name() string { return b.name }

// Score implements Scorer.
func (b *blend) Score(ctx context.Context, ask *Ask) ([]float64, error) {
	if len(ask.Nodes) == 0 {
		return []float64{}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	known, err := b.about(ctx, predicate{ask.Attr, ask.Text})
	if err != nil {
		return nil, err
	}
	if ask.kept && sameNodes(ask.Nodes, known.lastNodes) {
		return known.lastScores, nil
	}
	like, err := b.likenesses(ctx, ask, known)
	if err != nil {
		return nil, err
	}
	scores := b.calibrate(like, known.others)
	if b.name == Blend && ask.above != nil {
		preferParts(scores, ask.above())
	}
	if ask.kept {
		b.size += len(scores) - len(known.lastScores)
		known.lastNodes, known.lastScores = ask.Nodes, scores
	}
	return scores, nil
}

func sameNodes(a, b []*Node) bool {
	if len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] {
		return true
	}
	return slices.Equal(a, b)
}

// about returns what is known of a predicate.
func (b *blend) about(ctx context.Context, p predicate) (*knowledge, error) {
	if b.size > maxKnown || b.known == nil {
		b.known, b.size = map[predicate]*knowledge{}, 0
	}
	k := b.known[p]
	if k != nil {
		return k, nil
	}
	others, err := b.cosines(ctx, p.text, backdrop)
	if err != nil {
		return nil, err
	}
	k = &knowledge{byText: map[uint64]likeness{}, byNode: map[*Node]likeness{}, others: others}
	b.known[p] = k
	return k, nil
}

// none marks a node that has no text for the predicate.
var none = likeness{whole: -2}

func (b *blend) likenesses(ctx context.Context, ask *Ask, known *knowledge) ([]likeness, error) {
	like := make([]likeness, len(ask.Nodes))
	var missing []int
	var texts []string
	for i, n := range ask.Nodes {
		if l, ok := known.byNode[n]; ok {
			like[i] = l
			continue
		}
		text, err := ask.TextOf(i)
		if err != nil {
			return nil, err
		}
		l, ok := known.byText[maphash.String(textSeed, text)]
		switch {
		case text == "":
			l = none
		case !ok:
			missing, texts = append(missing, i), append(texts, text)
			continue
		}
		like[i] = l
		b.keep(ask, known, i, text, l)
	}
	made, err := b.compare(ctx, ask.Text, texts)
	for j, i := range missing {
		if err != nil {
			return nil, err
		}
		like[i] = made[j]
		b.keep(ask, known, i, texts[j], made[j])
	}
	return like, err
}

func (b *blend) keep(ask *Ask, known *knowledge, i int, text string, l likeness) {
	known.byText[maphash.String(textSeed, text)] = l
	b.size++
	if ask.kept {
		known.byNode[ask.Nodes[i]] = l
		b.size++
	}
}

// compare holds texts against a predicate for the first time.
func (b *blend) compare(ctx context.Context, text string, texts []string) ([]likeness, error) {
	like := make([]likeness, len(texts))
	whole, err := b.cosines(ctx, text, texts)
	if err != nil {
		return nil, err
	}
	want, order := stems(text), make([]int, len(texts))
	for i, t := range texts {
		share := overlap(want, t)
		if daybook.Fold(t) == daybook.Fold(text) {
			share = 2 // it is the very same
		}
		like[i] = likeness{float32(whole[i]), float32(whole[i]), float32(share)}
		order[i] = i
	}
	if b.name != Blend {
		return like, nil
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(like[j].whole+like[j].words/10, like[i].whole+like[i].words/10)
	})
	return like, b.compareParts(ctx, text, texts, order[:min(partsOf, len(order))], like)
}

// compareParts looks for the nearest part of each of some texts.
func (b *blend) compareParts(ctx context.Context, text string, texts []string, which []int, like []likeness) error {
	var parts []string
	var first []int
	for _, i := range which {
		first = append(first, len(parts))
		parts = append(parts, partsIn(texts[i])...)
	}
	first = append(first, len(parts))
	near, err := b.cosines(ctx, text, parts)
	if err != nil {
		return err
	}
	for j, i := range which {
		if mine := near[first[j]:first[j+1]]; len(mine) > 0 {
			like[i].part = float32(slices.Max(mine))
		}
	}
	return nil
}

// partsIn cuts a text where a writer did: into sentences, items of a list, what
// stands in parentheses.
func partsIn(text string) (parts []string) {
	cut := func(r rune) bool { return strings.ContainsRune(";,:\n()", r) }
	for piece := range strings.FieldsFuncSeq(text, cut) {
		for p := range strings.SplitSeq(piece, ". ") {
			if p = strings.Trim(p, " ."); p != "" {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// cosines compares a predicate with texts.
func (b *blend) cosines(ctx context.Context, text string, texts []string) ([]float64, error) {
	q, err := b.encode(ctx, model.AsQuery, []string{text})
	if err != nil {
		return nil, err
	}
	v, err := b.encode(ctx, model.AsPassage, texts)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(texts))
	for i := range v {
		for j, x := range v[i] {
			out[i] += float64(x) * float64(q[0][j])
		}
	}
	return out, nil
}

// encode returns vectors, those that were made before from memory.
func (b *blend) encode(ctx context.Context, as model.As, texts []string) ([][]float32, error) {
	if len(b.vectors) > maxVectors || b.vectors == nil {
		b.vectors = map[string][]float32{}
	}
	out := make([][]float32, len(texts))
	var missing []string
	at := map[string][]int{}
	for i, t := range texts {
		if out[i] = b.vectors[string(as)+t]; out[i] != nil {
			continue
		}
		if at[t] == nil {
			missing = append(missing, t)
		}
		at[t] = append(at[t], i)
	}
	for batch := range slices.Chunk(missing, perCall) {
		v, err := b.encoder.Encode(ctx, as, batch)
		if err != nil {
			return nil, err
		}
		for j, t := range batch {
			row := slices.Clone(v.Row(j))
			b.vectors[string(as)+t] = row
			for _, i := range at[t] {
				out[i] = row
			}
		}
	}
	return out, nil
}

// Weights of the evidence, in deviations from what is usual. A node that shares
// all words of the predicate stands out by sharedWords; halfway between what is
// usual for a find and the best that was found lies the score 0.5.
const (
	sharedWords = 3
	usualFind   = 3
)

// calibrate turns likenesses into scores.
func (b *blend) calibrate(like []likeness, others []float64) []float64 {
	whole, part := make([]float64, 0, len(like)+len(others)), make([]float64, 0, len(like)+len(others))
	for _, l := range like {
		if l != none {
			whole, part = append(whole, float64(l.whole)), append(part, float64(l.part))
		}
	}
	near, far := standing(whole), standing(append(whole, others...))
	nearPart, farPart := standing(part), standing(append(part, others...))
	strength := make([]float64, len(like))
	best := 0.0
	for i, l := range like {
		w, p := float64(l.whole), float64(l.part)
		strength[i] = (near.of(w) + far.of(w) + nearPart.of(p) + farPart.of(p)) / 2
		if b.name == Blend {
			strength[i] += sharedWords * min(1, float64(l.words))
		}
		if l != none {
			best = max(best, strength[i])
		}
	}
	for i, l := range like {
		switch {
		case l == none:
			strength[i] = 0
		case l.words > 1:
			strength[i] = 1
		default:
			strength[i] = 1 / (1 + math.Exp((max(best, usualFind)+usualFind)/2-strength[i]))
		}
	}
	return strength
}

// preferParts lowers the scores of nodes that speak of the predicate because of what
// stands below them: where both are asked about, the smallest that says it is meant. The
// nodes are in the order of the tree.
func preferParts(scores []float64, above []int) {
	below := make([]float64, len(above)) // the best score under each
	for i := len(above) - 1; i >= 0; i-- {
		if up := above[i]; up >= 0 {
			below[up] = max(below[up], scores[i], below[i])
		}
		scores[i] *= 1 - below[i]
	}
}

// usual is the mean and the deviation of some cosines.
type usual struct{ mean, deviation float64 }

func standing(values []float64) usual {
	if len(values) == 0 {
		return usual{0, 1}
	}
	var u usual
	n := float64(len(values))
	for _, v := range values {
		u.mean += v
	}
	u.mean /= n
	for _, v := range values {
		u.deviation += (v - u.mean) * (v - u.mean)
	}
	// Where all are alike, small differences mean little.
	u.deviation = math.Sqrt(u.deviation/n) + 0.005
	return u
}

func (u usual) of(v float64) float64 { return (v - u.mean) / u.deviation }

// backdrop are texts about all sorts of things, against which a find must stand
// out even when it is the only one that was asked about.
var backdrop = []string{
	"The ferry to the island leaves at noon.", "He is allergic to peanuts.", "Interest rates were raised again.", "My violin needs a new string.",
	"A fox crossed the frozen lake.", "The compiler reports a missing semicolon.", "blue paint", "a long novel", "the tax office", "Monday morning",
	"The team won the final.", "rice and beans", "software update", "an old photograph", "train ticket", "garden chair", "heavy rain",
	"blood pressure", "a letter to the editor", "Board meeting on the budget", "a pair of shoes", "modern art", "how to repair a tap", "summer holiday",
}
