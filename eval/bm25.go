package eval

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"daybook"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// BM25 is the baseline of words: Okapi BM25 over turns, speaker included, with
// stemming and English stop words left out of questions. A long turn is cut into
// passages that overlap and counts as its best passage: otherwise the lists and
// essays of an assistant, which touch on every word, stand before the short turn
// that says it. k1 and b are the usual ones for passages of that length.
// docs/decisions/0007-baselines.md says what else was tried.
type BM25 struct{}

const (
	bm25K1 = 0.9
	bm25B  = 0.4
	// Words of a passage, and from the beginning of one to that of the next.
	passageWords = 100
	passageStep  = passageWords / 2
)

// Name implements System.
func (BM25) Name() string { return "bm25" }

// Build implements System.
func (BM25) Build(_ context.Context, c Conversation) (Memory, error) { return newWords(c.Notes), nil }

// words is an inverted index of the passages of one conversation.
type words struct {
	noClose
	notes    []daybook.Note
	postings map[string][]posting
	note     []int     // that a passage is of
	lengths  []float64 // of passages
	mean     float64
}

type posting struct {
	passage int
	count   float64
}

func newWords(notes []daybook.Note) *words {
	w := &words{notes: notes, postings: map[string][]posting{}}
	total := 0.0
	for i, n := range notes {
		for passage := range cutPassages(tokens(n.Passage())) {
			w.add(i, passage)
			total += float64(len(passage))
		}
	}
	w.mean = total / float64(max(1, len(w.lengths)))
	return w
}

func (w *words) add(note int, passage []string) {
	counts := map[string]float64{}
	for _, t := range passage {
		counts[t]++
	}
	for t, c := range counts {
		w.postings[t] = append(w.postings[t], posting{len(w.lengths), c})
	}
	w.note, w.lengths = append(w.note, note), append(w.lengths, float64(len(passage)))
}

// cutPassages yields the passages of a text: one, where it is short.
func cutPassages(words []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for at := 0; ; at += passageStep {
			end := min(at+passageWords, len(words))
			if !yield(words[at:end]) || end == len(words) {
				return
			}
		}
	}
}

// scores returns the BM25 score of every note for a question: that of its best
// passage.
func (w *words) scores(question string) []float64 {
	passages := make([]float64, len(w.lengths))
	for _, t := range tokens(question) {
		if functionWords[t] {
			continue
		}
		list := w.postings[t]
		n, total := float64(len(list)), float64(len(w.lengths))
		idf := math.Log(1 + (total-n+0.5)/(n+0.5))
		for _, p := range list {
			norm := bm25K1 * (1 - bm25B + bm25B*w.lengths[p.passage]/w.mean)
			passages[p.passage] += idf * p.count * (bm25K1 + 1) / (p.count + norm)
		}
	}
	scores := make([]float64, len(w.notes))
	for i, s := range passages {
		scores[w.note[i]] = max(scores[w.note[i]], s)
	}
	return scores
}

func (w *words) Recall(_ context.Context, q Question, k int) ([]Row, error) {
	return best(w.notes, w.scores(q.Text), k), nil
}

// best returns the k notes with the highest scores above zero; of equal ones the
// earlier comes first.
func best(notes []daybook.Note, scores []float64, k int) []Row {
	order := make([]int, 0, len(scores))
	for i, s := range scores {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	rows := make([]Row, 0, min(k, len(order)))
	for _, i := range order[:min(k, len(order))] {
		rows = append(rows, Row{ID: notes[i].SourceID, Score: scores[i]})
	}
	return rows
}

// tokens splits text into stemmed lower-case words and numbers.
func tokens(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
	out := fields[:0]
	for _, f := range fields {
		if f = strings.Trim(f, "'"); f != "" {
			out = append(out, porter(f))
		}
	}
	return out
}

// porter brings a word to its stem: by Porter's rules, and irregular verbs by
// their present tense.
func porter(word string) string {
	if base, ok := irregular[strings.TrimSuffix(word, "'s")]; ok {
		word = base
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// irregular verbs of everyday English.
var irregular = map[string]string{
	"went": "go", "gone": "go", "bought": "buy", "brought": "bring", "thought": "think", "taught": "teach", "caught": "catch",
	"ate": "eat", "eaten": "eat", "drank": "drink", "drunk": "drink", "drove": "drive", "driven": "drive", "wrote": "write",
	"written": "write", "spoke": "speak", "spoken": "speak", "broke": "break", "broken": "break", "chose": "choose", "chosen": "choose",
	"gave": "give", "given": "give", "took": "take", "taken": "take", "saw": "see", "seen": "see", "knew": "know", "known": "know",
	"grew": "grow", "grown": "grow", "flew": "fly", "flown": "fly", "threw": "throw", "thrown": "throw", "began": "begin", "begun": "begin",
	"swam": "swim", "swum": "swim", "sang": "sing", "sung": "sing", "ran": "run", "came": "come", "became": "become", "met": "meet",
	"kept": "keep", "slept": "sleep", "left": "leave", "felt": "feel", "lost": "lose", "made": "make", "paid": "pay", "said": "say",
	"told": "tell", "sold": "sell", "found": "find", "held": "hold", "heard": "hear", "built": "build", "sent": "send", "spent": "spend",
	"won": "win", "wore": "wear", "worn": "wear", "rode": "ride", "ridden": "ride", "got": "get", "gotten": "get", "did": "do", "done": "do",
	"had": "have", "was": "be", "were": "be", "been": "be", "stood": "stand", "understood": "understand", "children": "child", "people": "person",
}

// functionWords are English function words, stemmed.
var functionWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the and or but if of at by for with about to from in on as is are be been was were am
		do does did has have had what when where which who whom whose why how this that these those it its i you he she we they
		me him her us them my your his our their there than then so not no can could would should will may might must`) {
		set[porter(w)] = true
	}
	return set
}()
