package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"daybook/model"
)

// long asks LoCoMo's questions of whole sessions, texts of a few hundred to a
// few thousand tokens, and compares what can be kept of them: the encoder's own
// vector (the mean of its windows), the beginning only, or several vectors of
// which the nearest counts.
func long(ctx context.Context, e *model.LocalEncoder, path string) error {
	all, err := conversations(path)
	if err != nil {
		return err
	}
	results := map[string]*tally{}
	for _, c := range all {
		if err := longOne(ctx, e, c, results); err != nil {
			return err
		}
	}
	for _, name := range []string{"own", "first 340", "max 340", "mean 170", "max 170", "max 85"} {
		results[name].print("session " + name)
	}
	return nil
}

func longOne(ctx context.Context, e *model.LocalEncoder, c conversation, results map[string]*tally) error {
	texts, ids := c.sessions()
	whole, err := e.Encode(ctx, model.AsPassage, texts)
	if err != nil {
		return err
	}
	chunks := map[int][]model.Vectors{}
	for _, words := range []int{85, 170, 340} {
		for _, text := range texts {
			v, err := e.Encode(ctx, model.AsPassage, cut(text, words))
			if err != nil {
				return err
			}
			chunks[words] = append(chunks[words], v)
		}
	}
	for _, q := range c.Questions {
		gold := goldSessions(q.Evidence)
		if q.Category > 4 || len(gold) == 0 {
			continue
		}
		v, err := e.Encode(ctx, model.AsQuery, []string{q.Text})
		if err != nil {
			return err
		}
		score := func(name string, f func(i int) float64) {
			if results[name] == nil {
				results[name] = &tally{}
			}
			scores := make([]float64, len(texts))
			for i := range scores {
				scores[i] = f(i)
			}
			results[name].add(scores, ids, gold)
		}
		query := v.Row(0)
		score("own", func(i int) float64 { return dot(query, whole.Row(i)) })
		score("first 340", func(i int) float64 { return dot(query, chunks[340][i].Row(0)) })
		score("mean 170", func(i int) float64 { return meanDot(query, chunks[170][i]) })
		for _, words := range []int{85, 170, 340} {
			score(fmt.Sprintf("max %d", words), func(i int) float64 { return maxDot(query, chunks[words][i]) })
		}
	}
	return nil
}

// sessions joins the turns of every session to one text.
func (c conversation) sessions() (texts []string, ids []turn) {
	for i := 1; ; i++ {
		raw, ok := c.Raw[fmt.Sprintf("session_%d", i)]
		if !ok {
			return texts, ids
		}
		var session []turn
		if json.Unmarshal(raw, &session) != nil || len(session) == 0 {
			continue
		}
		var b strings.Builder
		for _, t := range session {
			fmt.Fprintf(&b, "%s: %s\n", t.Speaker, t.Text)
		}
		texts, ids = append(texts, b.String()), append(ids, turn{ID: fmt.Sprintf("D%d", i)})
	}
}

func goldSessions(evidence []string) (gold []string) {
	for _, id := range evidence {
		if session, _, ok := strings.Cut(id, ":"); ok && !slices.Contains(gold, session) {
			gold = append(gold, session)
		}
	}
	return gold
}

// cut splits a text into pieces of so many words.
func cut(text string, words int) (pieces []string) {
	for chunk := range slices.Chunk(strings.Fields(text), words) {
		pieces = append(pieces, strings.Join(chunk, " "))
	}
	return pieces
}

func maxDot(q []float32, v model.Vectors) (best float64) {
	best = -1
	for i := range v.Len() {
		best = max(best, dot(q, v.Row(i)))
	}
	return best
}

func meanDot(q []float32, v model.Vectors) float64 {
	sum := make([]float32, v.Dim)
	for i := range v.Len() {
		for j, x := range v.Row(i) {
			sum[j] += x
		}
	}
	return dot(q, sum) / (1e-9 + norm(sum))
}
