package model

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"daybook"
)

// LexicalEntailer fills the Entailer slot when there is no inference model. It
// does not understand sentences: it looks at how many of the hypothesis's words
// the premise has, how near the two vectors are, and whether negations, numbers
// or common opposites clash. Its name says so, and its probabilities are never
// near certain.
//
// It is safe for concurrent use.
type LexicalEntailer struct {
	encoder Encoder
	mu      sync.Mutex
	floor   float64 // cosine of unrelated texts; 0 until it is known
}

// NewLexicalEntailer makes one over any encoder.
func NewLexicalEntailer(e Encoder) *LexicalEntailer { return &LexicalEntailer{encoder: e} }

// Name says what kind of judge this is.
func (l *LexicalEntailer) Name() string { return "lexical+embedding scorer (no inference model)" }

// Entail implements Entailer.
func (l *LexicalEntailer) Entail(ctx context.Context, pairs []Pair) ([]Verdict, error) {
	texts := make([]string, 0, 2*len(pairs))
	for _, p := range pairs {
		texts = append(texts, p.Premise, p.Hypothesis)
	}
	v, err := l.encoder.Encode(ctx, AsText, texts)
	if err != nil {
		return nil, fmt.Errorf("judge %d pairs by words and vectors: %w", len(pairs), err)
	}
	floor, err := l.unrelated(ctx)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(pairs))
	for i, p := range pairs {
		verdicts[i] = judge(p, (cosine(v.Row(2*i), v.Row(2*i+1))-floor)/(1-floor))
	}
	return verdicts, nil
}

// strangers have nothing to do with each other.
var strangers = []string{
	"The ferry to the island leaves at noon.", "He is allergic to peanuts.", "Interest rates were raised again.",
	"My violin needs a new string.", "A fox crossed the frozen lake.", "The compiler reports a missing semicolon.",
}

// unrelated is the mean cosine of texts that have nothing in common. Encoders
// differ in it: some put it near 0, others near 0.8.
func (l *LexicalEntailer) unrelated(ctx context.Context) (float64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.floor != 0 {
		return l.floor, nil
	}
	v, err := l.encoder.Encode(ctx, AsText, strangers)
	if err != nil {
		return 0, fmt.Errorf("measure unrelated texts: %w", err)
	}
	sum, n := 0.0, 0.0
	for i := range strangers {
		for j := range i {
			sum, n = sum+cosine(v.Row(i), v.Row(j)), n+1
		}
	}
	l.floor = max(1e-6, min(0.95, sum/n))
	return l.floor, nil
}

// judge weighs the evidence by hand-set weights: no data was fitted. near is the
// cosine, scaled so that unrelated texts have 0 and equal ones 1.
func judge(p Pair, near float64) Verdict {
	premise, hypothesis := wordsOf(p.Premise), wordsOf(p.Hypothesis)
	cover := coverage(hypothesis.content, premise.content)
	alike := 6*(near-0.8) + 4*(cover-0.8)
	clash := 0.0
	if premise.negated != hypothesis.negated {
		clash += 3
	}
	if opposed(premise.content, hypothesis.content) {
		clash += 2
	}
	if numbersDiffer(premise.content, hypothesis.content) {
		clash += 1.5
	}
	// A clash counts only between sentences about the same thing.
	same := max(0, min(1, max((near-0.4)/0.3, (cover-0.4)/0.4)))
	out := probabilities(alike-2*clash, 0.3, clash*same-1.5)
	return Verdict{Entail: out[0], Neutral: out[1], Contradict: out[2]}
}

// sentence is what the scorer sees of a text.
type sentence struct {
	content map[string]bool
	negated bool
}

func wordsOf(text string) sentence {
	s := sentence{content: map[string]bool{}}
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }
	for _, w := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), split) {
		switch {
		case negations[w] || strings.HasSuffix(w, "n't"):
			s.negated = !s.negated
		case !fillers[w]:
			s.content[stem(w)] = true
		}
	}
	return s
}

// stem cuts the commonest English endings, alike on both sides.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(w, end); ok && len(cut) >= 3 {
			return strings.TrimSuffix(cut, "e")
		}
	}
	return strings.TrimSuffix(w, "e")
}

// coverage is the share of want that have holds; 1 when want is empty.
func coverage(want, have map[string]bool) float64 {
	if len(want) == 0 {
		return 1
	}
	found := 0
	for w := range want {
		if have[w] {
			found++
		}
	}
	return float64(found) / float64(len(want))
}

func opposed(a, b map[string]bool) bool {
	for x, y := range opposites {
		x, y := stem(x), stem(y)
		if a[x] && b[y] && !a[y] && !b[x] || a[y] && b[x] && !a[x] && !b[y] {
			return true
		}
	}
	return false
}

// numbersDiffer reports whether both sides name numbers and share none.
func numbersDiffer(a, b map[string]bool) bool {
	na, nb := numbersIn(a), numbersIn(b)
	if len(na) == 0 || len(nb) == 0 {
		return false
	}
	return coverage(nb, na) == 0
}

func numbersIn(words map[string]bool) map[string]bool {
	out := map[string]bool{}
	for w := range words {
		if w[0] >= '0' && w[0] <= '9' {
			out[w] = true
		}
	}
	return out
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

var (
	negations = daybook.WordSet("no not never nobody none nothing nor neither without cannot nowhere")
	fillers   = daybook.WordSet("a an the is are was were be been being am of to in on at and or it its this that these those there has have had do does did with for by from as his her their my your our i you he she they we")
	opposites = map[string]string{
		"open": "close", "start": "stop", "old": "new", "happy": "sad", "up": "down", "married": "divorced", "hot": "cold",
		"young": "elderly", "man": "woman", "boy": "girl", "asleep": "awake", "dead": "alive", "buy": "sell", "empty": "full",
		"love": "hate", "big": "small", "large": "little", "sit": "stand", "dry": "wet", "inside": "outside", "indoors": "outdoors",
		"before": "after", "hired": "fired", "won": "lost", "accepted": "refused", "remember": "forget", "single": "married",
	}
)
