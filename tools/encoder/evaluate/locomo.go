package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"

	"daybook/model"
)

type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
}

type question struct {
	Text     string   `json:"question"`
	Evidence []string `json:"evidence"`
	Category int      `json:"category"`
}

type conversation struct {
	Questions []question                 `json:"qa"`
	Raw       map[string]json.RawMessage `json:"conversation"`
}

func (c conversation) turns() (all []turn) {
	for i := 1; ; i++ {
		raw, ok := c.Raw[fmt.Sprintf("session_%d", i)]
		if !ok {
			return all
		}
		var session []turn
		if json.Unmarshal(raw, &session) == nil {
			all = append(all, session...)
		}
	}
}

// tally sums recall at 5, 10 and 20 and the reciprocal rank of the first hit.
type tally struct {
	n                  int
	r5, r10, r20, rank float64
}

func (t *tally) add(scores []float64, turns []turn, gold []string) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	t.n++
	found := 0.0
	for place := range max(20, len(order)) {
		if place < len(order) && slices.Contains(gold, turns[order[place]].ID) {
			if found == 0 {
				t.rank += 1 / float64(place+1)
			}
			found++
		}
		share := found / float64(len(gold))
		switch place + 1 {
		case 5:
			t.r5 += share
		case 10:
			t.r10 += share
		case 20:
			t.r20 += share
		}
	}
}

func (t *tally) print(name string) {
	n := float64(t.n)
	fmt.Printf("LoCoMo %-17s %d questions: R@5 %.4f  R@10 %.4f  R@20 %.4f  MRR %.4f\n", name, t.n, t.r5/n, t.r10/n, t.r20/n, t.rank/n)
}

// conversations reads a file of LoCoMo.
func conversations(path string) (all []conversation, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

// evidence ranks the turns of each conversation for its questions of categories
// 1 to 4 by vectors, by words, and by the sum of both scores' z-values.
func evidence(ctx context.Context, e *model.LocalEncoder, path string, weight float64) error {
	all, err := conversations(path)
	if err != nil {
		return err
	}
	var dense, words, hybrid tally
	for _, c := range all {
		turns := c.turns()
		texts := make([]string, len(turns))
		known := map[string]bool{}
		for i, t := range turns {
			texts[i], known[t.ID] = t.Speaker+": "+t.Text, true
		}
		vectors, err := e.Encode(ctx, model.AsPassage, texts)
		if err != nil {
			return err
		}
		index := newBM25(texts)
		for _, q := range c.Questions {
			gold := slices.DeleteFunc(slices.Clone(q.Evidence), func(id string) bool { return !known[id] })
			if q.Category > 4 || len(gold) == 0 {
				continue
			}
			v, err := e.Encode(ctx, model.AsQuery, []string{q.Text})
			if err != nil {
				return err
			}
			d := make([]float64, len(turns))
			for i := range d {
				d[i] = dot(v.Row(0), vectors.Row(i))
			}
			b := index.score(q.Text)
			dense.add(d, turns, gold)
			words.add(b, turns, gold)
			zd, zb := z(d), z(b)
			for i := range zd {
				zd[i] = weight*zd[i] + zb[i]
			}
			hybrid.add(zd, turns, gold)
		}
	}
	dense.print("dense")
	words.print("BM25")
	hybrid.print("hybrid")
	return nil
}

func z(x []float64) []float64 {
	m, out := mean(x), make([]float64, len(x))
	variance := 0.0
	for _, v := range x {
		variance += (v - m) * (v - m)
	}
	deviation := math.Sqrt(variance/float64(len(x))) + 1e-9
	for i, v := range x {
		out[i] = (v - m) / deviation
	}
	return out
}

// bm25 is the plainest there is: lower-case words, k1 1.2, b 0.75.
type bm25 struct {
	counts []map[string]float64
	length []float64
	seen   map[string]float64
}

func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func newBM25(texts []string) *bm25 {
	b := &bm25{seen: map[string]float64{}}
	for _, t := range texts {
		words, count := split(t), map[string]float64{}
		for _, w := range words {
			count[w]++
		}
		for w := range count {
			b.seen[w]++
		}
		b.counts, b.length = append(b.counts, count), append(b.length, float64(len(words)))
	}
	return b
}

func (b *bm25) score(query string) []float64 {
	out, n, average := make([]float64, len(b.counts)), float64(len(b.counts)), mean(b.length)
	for _, w := range split(query) {
		idf := math.Log(1 + (n-b.seen[w]+0.5)/(b.seen[w]+0.5))
		for i, count := range b.counts {
			tf := count[w]
			out[i] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*b.length[i]/average))
		}
	}
	return out
}
